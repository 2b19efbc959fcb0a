"""Model turns, and how each API says them: lists of events, cut into pieces of any size."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from editstream.operators.events import End, Reason
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone

Event: TypeAlias = dict[str, Any]
WHOLE = 1_000_000


@dataclass(frozen=True)
class Call:
    """A call as the model makes it; ``text`` is all of its arguments that ever comes."""

    id: str
    name: str
    text: str


@dataclass(frozen=True)
class Turn:
    """Text, then calls. ``finish`` is "done", "limit" (of tokens), or None where the stream just stops."""

    text: str
    calls: tuple[Call, ...]
    finish: str | None = "done"

    def deltas(self, reason: Reason, *, cut: bool = False) -> list[Delta]:
        """What an adapter must give, joined; ``cut`` says that the last call is not whole."""
        given: list[Delta] = [Text(self.text)] if self.text else []
        for call in self.calls:
            given += [ToolCall(call.id, call.name), ToolArguments(call.id, call.text), ToolDone(call.id)]
        return [*(given[:-1] if cut else given), End(reason)]


DIFF = '------- SEARCH\nprint("añ \\ \U0001f600")\n=======\nprint("\t/ü")\n+++++++ REPLACE\n'
FIRST = Call("call_1", "replace_in_file", json.dumps({"path": "src/añ.py", "diff": DIFF}))
SECOND = Call("call_2", "write_to_file", json.dumps({"content": "x = 1\n" * 3, "path": "b.py"}, ensure_ascii=False))
TURN = Turn("I change two files: \U0001f600 “añ”.\n", (FIRST, SECOND))
CUT = replace(TURN, calls=(FIRST, replace(SECOND, text=SECOND.text[:20])))
LIMIT = replace(CUT, finish="limit")
STOPPED = replace(CUT, finish=None)


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def joined(deltas: list[Delta]) -> list[Delta]:
    """The same deltas with the pieces of each text and of each call's arguments put together."""
    result: list[Delta] = []
    for delta in deltas:
        match result[-1:], delta:
            case [Text(text=before)], Text(text=text):
                result[-1] = Text(before + text)
            case [ToolArguments(id=known, text=before)], ToolArguments(id=id, text=text) if id == known:
                result[-1] = ToolArguments(id, before + text)
            case _:
                result.append(delta)
    return result


def anthropic_events(turn: Turn, size: int) -> Iterator[Event]:
    """Anthropic Messages; a token limit ends the open block before it is named."""
    usage = {"input_tokens": 9, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": [], "usage": usage}
    yield {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None}}
    yield {"type": "ping"}
    blocks: list[tuple[Event, list[Event]]] = [
        ({"type": "thinking", "thinking": "", "signature": ""}, [{"type": "thinking_delta", "thinking": "a.py?"}]),
        ({"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces(turn.text, size)]),
    ]
    for call in turn.calls:
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *pieces(call.text, size))]
        blocks.append(({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}, deltas))
    for index, (block, deltas) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        if turn.finish or index + 1 < len(blocks):
            yield {"type": "content_block_stop", "index": index}
    if turn.finish:
        reason = {"done": "tool_use", "limit": "max_tokens"}[turn.finish]
        yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
        yield {"type": "message_stop"}


def chat_events(turn: Turn, size: int) -> Iterator[Event]:
    """OpenAI Chat Completions, with the usage in a last chunk that has no choices."""

    def chunk(delta: Event, reason: str | None = None) -> Event:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return base | {"choices": [choice], "usage": None}

    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "gpt-4o"}
    yield chunk({"role": "assistant", "content": "", "refusal": None})
    yield from (chunk({"content": piece}) for piece in pieces(turn.text, size))
    for index, call in enumerate(turn.calls):
        function = {"name": call.name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]})
        for piece in pieces(call.text, size):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    if turn.finish:
        yield chunk({}, {"done": "tool_calls" if turn.calls else "stop", "limit": "length"}[turn.finish])
        yield base | {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}}


def response_event(kind: str, **fields: Any) -> Event:
    return {"type": f"response.{kind}", "sequence_number": 0, **fields}


def response(status: str, **fields: Any) -> Event:
    fixed = {"id": "resp_1", "object": "response", "created_at": 1_700_000_000, "model": "gpt-4o", "output": []}
    rest = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None}
    return {**fixed, **rest, "status": status, **fields}


def responses_events(turn: Turn, size: int) -> Iterator[Event]:
    """OpenAI Responses; each item is told again as a whole when it is done, also when it is cut off."""
    yield response_event("created", response=response("in_progress"))
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    yield response_event("output_item.added", output_index=0, item=reasoning)
    yield response_event("output_item.done", output_index=0, item=reasoning)
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []}
    yield response_event("output_item.added", output_index=1, item=message)
    where = {"output_index": 1, "item_id": "msg_1", "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": []}
    yield response_event("content_part.added", **where, part=part)
    for piece in pieces(turn.text, size):
        yield response_event("output_text.delta", **where, delta=piece, logprobs=[])
    part = part | {"text": turn.text}
    yield response_event("output_text.done", **where, text=turn.text, logprobs=[])
    yield response_event("content_part.done", **where, part=part)
    yield response_event("output_item.done", output_index=1, item=message | {"status": "completed", "content": [part]})
    for index, call in enumerate(turn.calls, start=2):
        last = index == len(turn.calls) + 1
        where = {"output_index": index, "item_id": f"fc_{index}"}
        item = {"type": "function_call", "id": f"fc_{index}", "call_id": call.id, "name": call.name}
        yield response_event(
            "output_item.added", output_index=index, item=item | {"status": "in_progress", "arguments": ""}
        )
        for piece in pieces(call.text, size):
            yield response_event("function_call_arguments.delta", **where, delta=piece)
        if turn.finish or not last:
            status = "incomplete" if last and turn.finish == "limit" else "completed"
            yield response_event("function_call_arguments.done", **where, arguments=call.text, name=call.name)
            yield response_event(
                "output_item.done", output_index=index, item=item | {"status": status, "arguments": call.text}
            )
    if turn.finish == "done":
        yield response_event("completed", response=response("completed"))
    elif turn.finish == "limit":
        details = {"reason": "max_output_tokens"}
        yield response_event("incomplete", response=response("incomplete", incomplete_details=details))


def google_events(turn: Turn, size: int) -> Iterator[Event]:
    """The Gemini API as it comes over the wire; a call that was cut off never comes."""

    def chunk(*parts: Event, **fields: Any) -> Event:
        return {"candidates": [{"index": 0, "content": {"role": "model", "parts": list(parts)}, **fields}]}

    yield chunk({"text": "a.py?", "thought": True})
    yield from (chunk({"text": piece}) for piece in pieces(turn.text, size))
    for call in turn.calls if turn.finish == "done" else turn.calls[:-1]:
        yield chunk({"functionCall": {"id": call.id, "name": call.name, "args": json.loads(call.text)}})
    if turn.finish:
        yield chunk({"text": ""}, finishReason={"done": "STOP", "limit": "MAX_TOKENS"}[turn.finish])


def ollama_events(turn: Turn, size: int) -> Iterator[Event]:
    """Ollama's chat; a call that was cut off never comes, and none has an id."""

    def chunk(message: Event, **fields: Any) -> Event:
        fixed = {"model": "llama", "created_at": "2026-01-01T00:00:00Z", "done": False}
        return {**fixed, "message": {"role": "assistant", "content": "", **message}, **fields}

    yield chunk({"thinking": "a.py?"})
    yield from (chunk({"content": piece}) for piece in pieces(turn.text, size))
    for call in turn.calls if turn.finish == "done" else turn.calls[:-1]:
        yield chunk({"tool_calls": [{"function": {"name": call.name, "arguments": json.loads(call.text)}}]})
    if turn.finish:
        yield chunk({}, done=True, done_reason={"done": "stop", "limit": "length"}[turn.finish])


Events: TypeAlias = Callable[[Turn, int], Iterator[Event]]


def sse(events: Iterator[Event] | list[Event], *, named: bool = False, last: str | None = None) -> tuple[bytes, ...]:
    """Server-sent events: named by their type (Anthropic, Responses) or not, with a closing word or not."""
    sent = [(f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events]
    return tuple(text.encode() for text in [*sent, *([f"data: {last}\n\n"] if last else [])])


def ndjson(events: Iterator[Event] | list[Event]) -> tuple[bytes, ...]:
    return tuple(json.dumps(event).encode() + b"\n" for event in events)


def patch_events(operation: Event, size: int, *, finish: str | None = "done", path_late: bool = False) -> list[Event]:
    """OpenAI Responses with one call of the built-in apply_patch tool, as its API sends it."""
    shown = {name: operation[name] for name in ("type", "path")}
    begun = {"type": operation["type"]} if path_late else shown | ({"diff": ""} if "diff" in operation else {})
    item = {"type": "apply_patch_call", "id": "apc_1", "call_id": "call_1"}
    where = {"output_index": 0, "item_id": "apc_1"}
    events = [
        response_event("created", response=response("in_progress")),
        response_event("output_item.added", output_index=0, item={**item, "status": "in_progress", "operation": begun}),
    ]
    kind, padding = "apply_patch_call_operation_diff", {"obfuscation": "x" * 9}
    diff = operation.get("diff", "")
    events += [response_event(f"{kind}.delta", **where, **padding, delta=piece) for piece in pieces(diff, size)]
    if finish == "done":
        if "diff" in operation:
            events.append(response_event(f"{kind}.done", **where, diff=operation["diff"]))
        whole = {**item, "status": "completed", "operation": operation}
        events.append(response_event("output_item.done", output_index=0, item=whole))
        events.append(response_event("completed", response=response("completed")))
    return events


def custom_events(text: str, size: int, status: str | None = "completed") -> list[Event]:
    """OpenAI Responses with one call of a custom tool, whose finished item does not say whether it was cut off."""
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "apply_patch"}
    where = {"output_index": 0, "item_id": "ctc_1"}
    events = [response_event("output_item.added", output_index=0, item=item | {"input": ""})]
    events += [response_event("custom_tool_call_input.delta", **where, delta=piece) for piece in pieces(text, size)]
    if status:
        events.append(response_event("custom_tool_call_input.done", **where, input=text))
        events.append(response_event("output_item.done", output_index=0, item=item | {"input": text}))
        events.append(response_event(status, response=response(status)))
    return events
