r"""OpenAI Responses: text, function calls, custom tools, and the built-in ``apply_patch`` tool.

A custom tool's input is plain text (``ToolCall.is_json`` is false). The built-in ``apply_patch`` gives an operation
whose diff grows; it becomes a call named ``apply_patch`` with JSON arguments like any other, written while it grows:

    item added   {"type": "update_file", "path": "a.py"     from the operation
    diff pieces  , "diff": "@@\\n-old                        escaped piece by piece
    item done    "}

The SDK has no class for the diff's events and delivers them as another one; only their fields count here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import ClassVar

from editstream.operators.formats.deltas import Delta

from .iteration import Deltas, Stream
from .translator import Translator, expect, get, string

_PATCH_FIELDS = "type", "path", "diff"


class OpenAIResponses(Translator):
    """Events of OpenAI Responses to deltas. What no piece brought of a call is taken from its finished item."""

    COMPLETE: ClassVar = frozenset({"response.completed"})

    def __init__(self) -> None:
        super().__init__()
        self._in_diff: set[int] = set()

    def _translate(self, event: object) -> Iterator[Delta]:
        index = get(event, "output_index")
        match expect(event, "type"):
            case "response.output_text.delta" | "response.refusal.delta":
                yield from self._text(string(event, "delta"))
            case "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta":
                yield from self._arguments(index, string(event, "delta"))
            case "response.apply_patch_call_operation_diff.delta":
                yield from self._diff(index, string(event, "delta"))
            case "response.output_item.added":
                yield from self._added(index, get(event, "item"))
            case "response.output_item.done":
                item = get(event, "item")
                if index not in self._open:
                    yield from self._added(index, item)  # some servers announce nothing
                self._item_done(index, item)
            case (
                "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" | "error"
            ) as kind:
                self._finish(kind)
            case _:
                pass

    def _added(self, index: int, item: object) -> Iterator[Delta]:
        call = string(item, "call_id")
        match get(item, "type"):
            case "function_call":
                yield from self._begin(index, call, string(item, "name"))
            case "custom_tool_call":
                yield from self._begin(index, call, string(item, "name"), is_json=False)
            case "apply_patch_call":
                yield from self._begin(index, call, "apply_patch")
                operation = get(item, "operation")
                if get(operation, "type") and get(operation, "path"):
                    head = json.dumps({name: string(operation, name) for name in ("type", "path")})
                    yield from self._arguments(index, head[:-1])
            case _:
                pass

    def _diff(self, index: int, text: str) -> Iterator[Delta]:
        if index in self._bare:
            return  # no path yet: all of the operation comes with the finished item
        start = "" if index in self._in_diff else ', "diff": "'
        self._in_diff.add(index)
        yield from self._arguments(index, start + json.dumps(text)[1:-1])

    def _item_done(self, index: int, item: object) -> None:
        if get(item, "status") not in {None, "completed"}:
            return
        match get(item, "type"):
            case "function_call":
                self._done(index, string(item, "arguments"))
            case "custom_tool_call":
                self._done(index, string(item, "input"))
            case "apply_patch_call":
                operation = get(item, "operation")
                fields = {name: string(operation, name) for name in _PATCH_FIELDS if get(operation, name) is not None}
                rest = f', "diff": {json.dumps(fields["diff"])}}}' if "diff" in fields else "}"
                self._done(index, json.dumps(fields), '"}' if index in self._in_diff else rest)
            case _:
                pass


def openai_responses(stream: Stream) -> Deltas:
    """The deltas of ``client.responses.create(stream=True, …)`` or of ``responses.stream(…)``, sync or async."""
    return Deltas(stream, OpenAIResponses)
