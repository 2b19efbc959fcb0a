"""The translators without any SDK: every cut, odd providers, other streams, callbacks, and how iteration ends."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import turns
from hypothesis import given as hypothesis_given
from hypothesis import strategies as st
from turns import FIRST, LIMIT, SECOND, STOPPED, TURN, Call, Event, Turn, joined

from editstream import sources
from editstream.operators.events import End, Reason
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.recording import read_recording

PROTOCOLS = {
    "anthropic": turns.anthropic_events,
    "openai": turns.chat_events,
    "openai-responses": turns.responses_events,
}
PROTOCOL = pytest.mark.parametrize("sdk", PROTOCOLS)


def read(sdk: str, events: Any) -> list[Delta]:
    return joined(list(sources.deltas(events, sdk)))


def fed(sdk: str, events: Any) -> list[Delta]:
    """The same by callbacks."""
    translator = sources.TRANSLATORS[sdk]()
    return joined([delta for event in events for delta in translator.feed(event)] + list(translator.close()))


words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)
calls = st.builds(lambda fields: json.dumps(fields, ensure_ascii=False), st.dictionaries(words, words, min_size=1))
turn_strategy = st.builds(
    lambda text, arguments: Turn(text, tuple(Call(f"c{n}", "edit", a) for n, a in enumerate(arguments))),
    words,
    st.lists(calls, max_size=3),
)


@PROTOCOL
@hypothesis_given(turn_strategy, st.integers(1, 50))
def test_any_turn_comes_out_of_any_pieces(sdk: str, turn: Turn, size: int) -> None:
    """Any text and any calls, cut into pieces of any size, come out as they were, read from a stream or fed."""
    events = list(PROTOCOLS[sdk](turn, size))
    assert read(sdk, events) == fed(sdk, events) == turn.deltas("complete")


@PROTOCOL
def test_a_stream_that_stops_anywhere_is_never_complete(sdk: str) -> None:
    """A stream that stops after any number of its events is truncated until the model itself has said its finish."""
    events = list(PROTOCOLS[sdk](TURN, 7))
    ends = [read(sdk, events[:count])[-1] for count in range(len(events) + 1)]
    whole = ends.index(End("complete"))
    assert whole >= len(events) - 1
    assert set(ends[:whole]) == {End("truncated")}


@PROTOCOL
def test_deltas_of_a_prefix_are_a_prefix(sdk: str) -> None:
    """What an event gives does not depend on what comes later, and nothing but the end of a call is held back."""
    events = list(PROTOCOLS[sdk](TURN, 7))
    whole = list(sources.deltas(events, sdk))
    translator, count = sources.TRANSLATORS[sdk](), 0
    for event in events:
        new = translator.feed(event)
        assert list(new) == whole[count : count + len(new)]
        count += len(new)
    assert list(translator.close()) == whole[count:] == [ToolDone("call_2"), End("complete")]


# The event in which each SDK gives its finish reason.
FINISHES: dict[str, Callable[[str], Event]] = {
    "anthropic": lambda name: {"type": "message_delta", "delta": {"stop_reason": name}},
    "google-genai": lambda name: {"candidates": [{"finish_reason": name}]},
    "langchain": lambda name: {"content": "", "response_metadata": {"stop_reason": name}},
    "ollama": lambda name: {"message": {"content": ""}, "done": True, "done_reason": name},
    "openai": lambda name: {"choices": [{"index": 0, "delta": {}, "finish_reason": name}]},
    "openai-responses": lambda name: {"type": name},
    "pydantic-ai": lambda name: {
        "kind": "response", "finish_reason": name, "provider_details": {"finish_reason": name},
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("sdk", "whole", "cut"),
    [
        (
            "anthropic", "end_turn stop_sequence tool_use",
            "max_tokens pause_turn refusal model_context_window_exceeded compaction what_comes_next",
        ),
        ("openai", "stop tool_calls", "length content_filter error"),
        ("openai-responses", "response.completed", "response.incomplete response.failed response.cancelled error"),
        ("google-genai", "STOP", "MAX_TOKENS SAFETY RECITATION MALFORMED_FUNCTION_CALL CONTINUATION"),
        ("ollama", "stop", "length load unload"),
        ("langchain", "stop STOP tool_calls end_turn tool_use completed", "length MAX_TOKENS max_tokens incomplete"),
        ("pydantic-ai", "stop tool_call", "length content_filter error"),
    ],
)  # fmt: skip
def test_only_a_finish_by_the_model_itself_is_complete(sdk: str, whole: str, cut: str) -> None:
    """The finish reasons by which a model is done are complete; limits, refusals, pauses and new ones are truncated."""
    finish, words = FINISHES[sdk], cut.split()
    for name in whole.split():
        assert read(sdk, [finish(name)]) == [End("complete")], name
        assert read(sdk, [finish(words[0]), finish(name)]) == [End("truncated")], name
    for name in words:
        assert read(sdk, [finish(name)]) == [End("truncated")], name


@pytest.mark.parametrize(
    ("sdk", "event"),
    [
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        ("openai", {"error": {"message": "The server had an error"}}),
        ("litellm", {"error": {"message": "The server had an error"}}),
        ("ollama", {"error": "out of memory"}),
        ("openai-responses", {"type": "error", "message": "The server had an error"}),
    ],
)
def test_an_error_among_the_events_is_truncated(sdk: str, event: Event) -> None:
    """An error written down among the events is truncated, also after a finish reason."""
    whole = {"ollama": "stop", "anthropic": "end_turn", "openai-responses": "response.completed"}.get(sdk, "stop")
    finish = FINISHES[sdk.replace("litellm", "openai")](whole)
    assert read(sdk, [event]) == read(sdk, [finish, event]) == read(sdk, [event, finish]) == [End("truncated")]


def piece(index: int | None, given: str | None, name: str | None, arguments: str | None) -> Event:
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": given, "type": "function", "function": function}


A, B = FIRST.text, SECOND.text
ODD = {
    "id and name again with each piece": [
        [piece(0, "call_1", FIRST.name, A[:9])], [piece(0, "call_1", FIRST.name, A[9:])],
        [piece(1, "call_2", SECOND.name, B)],
    ],
    "a new id with each piece": [
        [piece(0, "call_1", FIRST.name, A[:9])], [piece(0, "x", None, A[9:])], [piece(1, "call_2", SECOND.name, B)],
    ],
    "index 0 for every call": [[piece(0, "call_1", FIRST.name, A)], [piece(0, "call_2", SECOND.name, B)]],
    "no index and whole calls": [[piece(None, "call_1", FIRST.name, A), piece(None, "call_2", SECOND.name, B)]],
    "no ids at all": [[piece(0, None, FIRST.name, A)], [piece(1, "", SECOND.name, B[:5])], [piece(1, "", "", B[5:])]],
    "the same name twice, no index, no ids": [[piece(None, None, FIRST.name, A)], [piece(None, "", SECOND.name, B)]],
    "a chunk with nothing before the name": [
        [piece(0, None, None, "")], [piece(0, "call_1", FIRST.name, A)], [piece(1, "call_2", SECOND.name, B)],
    ],
    "null everywhere else": [
        [piece(0, "call_1", FIRST.name, None)], [piece(0, None, None, A)], [piece(1, "call_2", SECOND.name, B)],
    ],
}  # fmt: skip


@pytest.mark.parametrize("chunks", ODD.values(), ids=ODD)
def test_calls_of_odd_providers(chunks: list[list[Event]]) -> None:
    """Calls come out right from servers that repeat, leave out or make up ids, names and indexes."""
    events = [{"choices": [{"index": 0, "delta": {"tool_calls": pieces}}]} for pieces in chunks]
    events.append({"choices": [{"index": 0, "delta": None, "finish_reason": "tool_calls"}]})
    assert read("openai", events) == Turn("", TURN.calls).deltas("complete")
    assert read("litellm", events) == Turn("", TURN.calls).deltas("complete")


def test_a_call_that_is_taken_up_again_is_refused() -> None:
    """A piece for a call that ended when another began is an error, since it would be put together wrongly."""
    chunks = [[piece(0, "a", "edit", "{")], [piece(1, "b", "edit", "{")], [piece(0, None, None, "}")]]
    events = [{"choices": [{"index": 0, "delta": {"tool_calls": pieces}}]} for pieces in chunks]
    with pytest.raises(ValueError, match="call 0"):
        read("openai", events)


def test_text_after_a_call_makes_it_whole() -> None:
    """A call that has ended is whole as soon as the model goes on with text, though a token limit follows."""
    call = list(turns.anthropic_events(Turn("", (FIRST,)), 7))[:-2]
    more = {"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": "!"}}
    given = read("anthropic", [*call, more, FINISHES["anthropic"]("max_tokens")])
    assert given == [*Turn("", (FIRST,)).deltas("complete")[:-1], Text("!"), End("truncated")]


def test_text_after_a_limit_does_not_make_a_call_whole() -> None:
    """A call that a token limit cut off stays cut off, whatever a server still sends after the finish reason."""
    events = [*turns.chat_events(LIMIT, 7), {"choices": [{"delta": {"content": "!"}}]}]
    assert read("openai", events) == [*LIMIT.deltas("truncated", cut=True)[:-1], Text("!"), End("truncated")]


def test_ids_that_come_twice_are_told_apart() -> None:
    """Calls that a provider gives the same id, or one that was made up before, get ids of their own."""
    ids = ["", "call_1", "x", "x", "call_2", ""]
    chunk = {"choices": [{"delta": {"tool_calls": [piece(None, given, "edit", "{}") for given in ids]}}]}
    given = [delta.id for delta in read("openai", [chunk]) if isinstance(delta, ToolCall)]
    assert len(set(given)) == len(ids)
    assert given[0] == "call_1"
    assert given[2] == "x"


def test_calls_without_arguments_are_empty_objects() -> None:
    """A call that gets no arguments at all has an empty object for them, so that they are JSON."""
    turn = Turn("", (Call("c", "list", ""), Call("d", "list", "")))
    wanted = Turn("", (Call("c", "list", "{}"), Call("d", "list", "{}"))).deltas("complete")
    assert [read(sdk, events(turn, 7)) for sdk, events in PROTOCOLS.items()] == [wanted] * 3


def test_text_may_be_a_list_of_blocks() -> None:
    """Text in blocks comes out as text, and blocks of other kinds give nothing."""
    content = ["a", {"type": "text", "text": "b"}, {"type": "reasoning", "text": "c"}, {"type": "text", "text": ""}]
    assert read("langchain", [{"content": content}]) == [Text("ab"), End("truncated")]
    assert read("openai", [{"choices": [{"delta": {"content": content}}]}]) == [Text("ab"), End("truncated")]


def test_refusals_and_first_texts_are_text() -> None:
    """What a model says as a refusal, or in the event that starts a block, is text like any other."""
    assert read("openai", [{"choices": [{"delta": {"refusal": "No."}}]}]) == [Text("No."), End("truncated")]
    refusal = {"type": "response.refusal.delta", "output_index": 0, "delta": "No."}
    assert read("openai-responses", [refusal]) == [Text("No."), End("truncated")]
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "No."}}
    assert read("anthropic", [start]) == [Text("No."), End("truncated")]


def test_other_choices_and_thoughts_are_left_out() -> None:
    """Of several choices or candidates the first one counts, and thoughts and tools of the provider give nothing."""
    chunk = {"choices": [{"index": 1, "delta": {"content": "no"}}, {"index": 0, "delta": {"content": "yes"}}]}
    assert read("openai", [chunk]) == [Text("yes"), End("truncated")]
    parts = [[{"text": "yes"}], [{"text": "no"}]]
    chunk = {"candidates": [{"content": {"parts": each}} for each in parts]}
    assert read("google-genai", [chunk]) == [Text("yes"), End("truncated")]
    server_tool = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    events = [
        {"type": "content_block_start", "index": 0, "content_block": server_tool},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
        {"type": "content_block_stop", "index": 0},
    ]
    assert read("anthropic", events) == [End("truncated")]


def test_a_block_with_its_whole_input() -> None:
    """A proxy that gives a tool's input whole in the start event is understood."""
    block = {"type": "tool_use", "id": "call_1", "name": "edit", "input": {"path": "a"}}
    events = [
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_stop", "index": 0},
        FINISHES["anthropic"]("tool_use"),
    ]
    assert read("anthropic", events) == Turn("", (Call("call_1", "edit", '{"path": "a"}'),)).deltas("complete")


@pytest.mark.parametrize("pieces", ["none", "strings", "parsed"])
def test_parts_of_pydantic_ai(pieces: str) -> None:
    """Arguments that pydantic-ai gives parsed come whole with the end of their part, strings with each piece."""
    start, whole = {"none": (None, FIRST.text), "strings": (FIRST.text[:9], FIRST.text)}.get(
        pieces, ({"path": "src/añ.py"}, json.loads(FIRST.text))
    )
    call = {"part_kind": "tool-call", "tool_name": FIRST.name, "tool_call_id": FIRST.id}
    events: list[Event] = [
        {"event_kind": "part_start", "index": 0, "part": {"part_kind": "text", "content": "a"}},
        {"event_kind": "part_delta", "index": 0, "delta": {"part_delta_kind": "text", "content_delta": "b"}},
        {"event_kind": "part_end", "index": 0, "part": {"part_kind": "text", "content": "ab"}},
        {"event_kind": "part_start", "index": 1, "part": call | {"args": start}},
        {"event_kind": "part_end", "index": 1, "part": call | {"args": whole}},
        FINISHES["pydantic-ai"]("tool_call"),
    ]
    if pieces == "strings":
        delta = {"part_delta_kind": "tool_call", "args_delta": FIRST.text[9:]}
        events.insert(4, {"event_kind": "part_delta", "index": 1, "delta": delta})
    assert read("pydantic-ai", events) == Turn("ab", (FIRST,)).deltas("complete")


def test_a_reason_that_pydantic_ai_made_up_is_none() -> None:
    """A finish reason without the provider's own word for it counts only for providers whose word is never kept."""
    response = {"kind": "response", "finish_reason": "stop", "provider_details": None, "provider_name": "openai"}
    assert read("pydantic-ai", [response]) == [End("truncated")]
    assert read("pydantic-ai", [response | {"provider_name": "xai"}]) == [End("complete")]


def test_litellm_is_asked_what_the_provider_said() -> None:
    """The last chunk of LiteLLM counts only where its stream has seen a finish reason of the provider."""

    class Wrapper(list[Event]):
        received_finish_reason: str | None = None

    stream = Wrapper([FINISHES["openai"]("stop")])
    assert list(sources.litellm_chat(stream)) == [End("truncated")]
    stream.received_finish_reason = "stop"
    assert list(sources.litellm_chat(stream)) == [End("complete")]


def test_arguments_by_json_path_are_refused() -> None:
    """Gemini's arguments in parts by JSON path raise an error that names the option, rather than being lost."""
    call = {"name": "edit", "partial_args": [{"json_path": "$.path", "string_value": "a"}], "will_continue": True}
    with pytest.raises(ValueError, match="stream_function_call_arguments"):
        read("google-genai", [{"candidates": [{"content": {"parts": [{"function_call": call}]}}]}])


@pytest.mark.parametrize("sdk", sorted(sources.TRANSLATORS))
@pytest.mark.parametrize("event", [{"nothing": "of this"}, None, 7, b"data: {}", object()], ids=repr)
def test_another_stream_is_refused(sdk: str, event: object) -> None:
    """An event that is not of the SDK's shape at all raises TypeError, not an end that looks like a short turn."""
    with pytest.raises(TypeError):
        read(sdk, [event])


@pytest.mark.parametrize(
    ("sdk", "event"),
    [
        ("anthropic", {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 5}}),
        ("anthropic", {"type": "content_block_stop", "index": [0]}),
        ("openai", {"choices": 5}),
        ("openai", {"choices": [{"delta": {"tool_calls": {"index": 0}}}]}),
        ("openai-responses", {"type": "response.output_text.delta", "delta": ["x"]}),
        ("text", 5),
    ],
)
def test_a_field_of_another_type_is_refused(sdk: str, event: object) -> None:
    """A field that holds something else than its SDK gives there raises TypeError."""
    with pytest.raises(TypeError):
        read(sdk, [event])


def test_an_unknown_sdk_is_named() -> None:
    """A name of no SDK raises ValueError that lists the names."""
    with pytest.raises(ValueError, match=r"'openia'.*anthropic.*openai-responses.*text"):
        sources.deltas([], "openia")


def test_plain_text() -> None:
    """Plain text from any iterable comes as it is; its own end counts, and without one it is complete."""
    assert list(sources.plain_text(["a", "", "b"])) == [Text("a"), Text("b"), End("complete")]
    assert list(sources.plain_text(iter(["a", End("cancelled")]))) == [Text("a"), End("cancelled")]
    assert read("text", "abc") == [Text("abc"), End("complete")]


FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").rglob("*.jsonl"))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_recordings(path: Path) -> None:
    """A recording gives its own deltas and its own end, from the object and from its lines."""
    recording = read_recording(path)
    given = list(sources.recorded(recording))
    assert "".join(delta.text for delta in given if isinstance(delta, Text)) == recording.text
    assert len(given) == len(recording.deltas) + 1
    assert given[-1] == End(recording.end.reason)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert list(sources.deltas(map(json.loads, filter(str.strip, lines)), "recording")) == given


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        ({"type": "turn_end", "at": 2, "reason": "complete"}, "complete"),
        ({"type": "turn_end", "at": 2, "reason": "truncated"}, "truncated"),
        ({"type": "cancelled", "at": 2, "pauses": 0}, "cancelled"),
        ({"type": "decision", "at": 2, "path": "a.py", "decision": True}, "truncated"),
    ],
)
def test_a_recording_of_a_session_ends_as_its_turn_did(last: Event, reason: Reason) -> None:
    """Its deltas are a turn again, with the same end; what else it keeps is no delta."""
    lines: list[Event] = [{"type": "header"}, {"type": "text", "at": 0, "text": "a"}, last, {"type": "left", "at": 3}]
    assert list(sources.deltas(lines, "recording")) == [Text("a"), End(reason)]


def test_a_recording_with_calls() -> None:
    """The calls of a recording keep their ids, their pieces and their ends."""
    lines: list[Event] = [
        {"type": "header"},
        {"type": "text", "at": 0, "text": "a"},
        {"type": "tool_start", "at": 1, "id": "x", "name": "edit"},
        {"type": "tool_arguments", "at": 2, "id": "x", "text": "{}"},
        {"type": "tool_end", "at": 3, "id": "x"},
    ]
    wanted = [Text("a"), ToolCall("x", "edit"), ToolArguments("x", "{}"), ToolDone("x")]
    for reason in ("complete", "truncated", "cancelled"):
        assert read("recording", [*lines, {"type": "end", "reason": reason}]) == [*wanted, End(reason)]
    assert read("recording", lines) == [*wanted, End("truncated")]


class Broken(Exception):
    pass


def failing() -> Iterator[Event]:
    yield from turns.chat_events(STOPPED, 7)
    raise Broken


async def later(events: Iterator[Any]) -> AsyncIterator[Any]:
    for event in events:
        await asyncio.sleep(0)
        yield event


def test_an_exception_of_the_source_is_passed_on() -> None:
    """An exception of a sync or async source comes after the deltas so far, and no end comes before it."""
    given: list[Delta] = []
    with pytest.raises(Broken):
        given.extend(sources.openai_chat(failing()))
    assert joined(given) == STOPPED.deltas("truncated", cut=True)[:-1]
    given.clear()

    async def read_async() -> None:
        async for delta in sources.openai_chat(later(failing())):
            given.append(delta)  # noqa: PERF401 - what came before the exception is kept

    with pytest.raises(Broken):
        asyncio.run(read_async())
    assert joined(given) == STOPPED.deltas("truncated", cut=True)[:-1]


def test_leaving_early_closes_a_generator() -> None:
    """A source that is a generator is closed as soon as the iteration over its deltas is."""
    events = turns.chat_events(TURN, 7)
    deltas = iter(sources.openai_chat(events))
    next(deltas)
    deltas.close()
    assert next(events, None) is None

    async def leave() -> object:
        events = later(turns.chat_events(TURN, 7))
        deltas = aiter(sources.openai_chat(events))
        await anext(deltas)
        await deltas.aclose()
        return await anext(events, None)

    assert asyncio.run(leave()) is None


class Counter:
    """An async iterator that is no generator, as a client's own stream may be."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events

    def __aiter__(self) -> Counter:
        return self

    async def __anext__(self) -> Event:
        for event in self._events:
            return event
        raise StopAsyncIteration


def test_an_async_iterator_need_not_be_a_generator() -> None:
    """An async source of any class gives the same deltas as a list of its events, with the end."""

    async def read_async() -> list[Delta]:
        return [delta async for delta in sources.openai_chat(Counter(turns.chat_events(TURN, 7)))]

    assert joined(asyncio.run(read_async())) == TURN.deltas("complete")


@pytest.mark.parametrize("reason", ["truncated", "cancelled"])
def test_a_callback_may_say_how_the_source_ended(reason: Any) -> None:
    """Closing with a reason other than complete gives that reason, whatever the finish reason was."""
    for turn in (TURN, LIMIT):
        translator = sources.OpenAIChat()
        for event in turns.chat_events(turn, 7):
            translator.feed(event)
        assert translator.close(reason) == [End(reason)]


def test_no_sdk_is_imported() -> None:
    """In a new interpreter the package loads no SDK and none of the heavy dependencies of editstream."""
    code = "import sys, editstream.sources; print(*{name.partition('.')[0] for name in sys.modules})"
    words = [sys.executable, "-I", "-c", code]
    loaded = set(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split())
    sdks = {"anthropic", "openai", "litellm", "langchain_core", "pydantic_ai", "google", "ollama", "httpx"}
    assert loaded & {*sdks, "asyncio", "pydantic", "reactivex", "rich"} == set()
