"""OpenAI Responses beyond text and function calls: apply_patch, custom tools, the helper; through the real client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from clients import CLIENTS, responses_sync
from loopback import Answer, Loopback
from turns import DIFF, TURN, WHOLE, Event, custom_events, joined, patch_events, responses_events, sse

from editstream.operators.events import End
from editstream.operators.formats.deltas import Delta, ToolArguments, ToolCall, ToolDone
from editstream.sources import openai_responses

UPDATE = {"type": "update_file", "path": 'src/"añ".py', "diff": f"@@ \x1b[1m\n-old\n+{DIFF}"}
CREATE = {"type": "create_file", "path": "new.py", "diff": "+x = 1\n"}
EMPTY = {"type": "create_file", "path": "empty.py", "diff": ""}
DELETE = {"type": "delete_file", "path": "old.py"}
OPERATIONS = pytest.mark.parametrize("operation", [UPDATE, CREATE, EMPTY, DELETE], ids=lambda o: o["path"])


@pytest.fixture(params=["client", "dicts"])
def read(request: pytest.FixtureRequest) -> Any:
    """Reads events through the SDK's own client, and as plain dicts."""
    if request.param == "dicts":
        return lambda events: joined(list(openai_responses(events)))
    pytest.importorskip("openai", reason="openai is missing: install the extra sdk-tests")
    server: Loopback = request.getfixturevalue("server")

    def read(events: list[Event]) -> list[Delta]:
        server.answer = Answer(sse(events, named=True))
        return joined(list(responses_sync(server.url)))

    return read


@OPERATIONS
@pytest.mark.parametrize("size", [WHOLE, 7, 1])
@pytest.mark.parametrize("path_late", [False, True])
def test_apply_patch_becomes_json_arguments(read: Any, operation: Event, size: int, path_late: bool) -> None:
    """The operation of the built-in apply_patch comes out as a call whose arguments are that operation as JSON."""
    given = read(patch_events(operation, size, path_late=path_late))
    call, arguments, done, end = given
    assert call == ToolCall("call_1", "apply_patch")
    assert (done, end) == (ToolDone("call_1"), End("complete"))
    assert json.loads(arguments.text) == operation
    assert list(json.loads(arguments.text)) == list(operation)


@pytest.mark.parametrize("size", [7, 1])
def test_a_growing_patch_gives_each_piece_at_once(size: int) -> None:
    """Each piece of a patch's diff gives its own characters, escaped, before the next piece comes."""
    given = list(openai_responses(patch_events(UPDATE, size, finish=None)))
    texts = [delta.text for delta in given if isinstance(delta, ToolArguments)]
    assert len(texts) == 1 + -(-len(UPDATE["diff"]) // size)
    assert json.loads("".join(texts) + '"}') == UPDATE
    assert given[-1] == End("truncated")
    assert not any(isinstance(delta, ToolDone) for delta in given)


@pytest.mark.parametrize("size", [WHOLE, 7, 1])
def test_a_custom_tool_gives_its_input_as_text(read: Any, size: int) -> None:
    """A custom tool's input comes out as it is, under a call that says that it is no JSON."""
    assert read(custom_events(DIFF, size)) == [
        ToolCall("call_1", "apply_patch", is_json=False), ToolArguments("call_1", DIFF), ToolDone("call_1"),
        End("complete"),
    ]  # fmt: skip


@pytest.mark.parametrize("status", ["incomplete", "failed"])
def test_a_custom_tool_that_was_cut_off_is_not_done(read: Any, status: str) -> None:
    """A custom tool's finished item in a response that is incomplete does not pass as a whole call."""
    call = ToolCall("call_1", "apply_patch", is_json=False)
    assert read(custom_events(DIFF, 7, status)) == [call, ToolArguments("call_1", DIFF), End("truncated")]


def test_an_item_that_says_it_is_incomplete_is_not_done() -> None:
    """A call whose finished item says that it is incomplete stays cut off, even where the response goes on."""
    events = list(responses_events(TURN, 7))
    for event in events:
        if event["type"] == "response.output_item.done" and event["item"].get("call_id") == "call_1":
            event["item"]["status"] = "incomplete"
    wanted = [delta for delta in TURN.deltas("complete") if delta != ToolDone("call_1")]
    assert joined(list(openai_responses(events))) == wanted


def test_what_no_piece_brought_comes_with_the_finished_item() -> None:
    """A server that streams no pieces of arguments, or announces no call, gives the call with the finished item."""
    for events in (list(responses_events(TURN, 7)), custom_events(DIFF, 7)):
        bare = [event for event in events if not event["type"].endswith(("arguments.delta", "input.delta"))]
        unannounced = [event for event in bare if not event["type"].endswith("added")]
        assert len(unannounced) < len(bare) < len(events)
        wanted = joined(list(openai_responses(events)))
        assert joined(list(openai_responses(bare))) == joined(list(openai_responses(unannounced))) == wanted


@pytest.mark.filterwarnings("ignore")  # What the SDK warns about is its own.
def test_the_helper_of_responses_gives_the_same(server: Loopback) -> None:
    """The SDK's ``responses.stream`` helper, with its own kinds of events, gives the same deltas as the raw stream."""
    openai = pytest.importorskip("openai", reason="openai is missing: install the extra sdk-tests")
    server.answer = CLIENTS["openai-responses"].answer(TURN)

    def helper() -> Iterator[Delta]:
        with (
            openai.OpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
            client.responses.stream(model="gpt-4o", input="Edit.") as stream,
        ):
            yield from openai_responses(stream)

    assert joined(list(helper())) == TURN.deltas("complete")
