"""Native tool calls: each call of a tool that edits a file is one edit, or a question about a file.

Tools are told by their names, and what they mean by the fields that come, since agents give the same fields to tools of
any name. Calls may overlap: each has a reader of its own. Other tools are the agent's, and no event::

    deltas  --ToolCall(a)-ToolCall(b)-ToolArguments(a)-ToolArguments(b)-ToolDone(a)-ToolDone(b)-End
               |             |            ▼                 ▼               ▼           ▼
               ▼             ▼         EditBegan(0) …    EditBegan(1) …   EditEnded(0) EditEnded(1)
             OneCall       OneCall

A call is complete where its JSON object is whole when it ends, or when the turn does: some SDKs never say that a call
has ended. A call whose object is not whole is cut off, whatever was said.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import count
from typing import TYPE_CHECKING

from editstream.operators.events import End, Reason
from editstream.operators.formats.deltas import Delta, ToolArguments, ToolCall, ToolDone
from editstream.operators.formats.file_edits import FormatEvent, Misread
from editstream.operators.formats.one_call import OneCall
from editstream.operators.formats.text_editor import EDITORS
from editstream.operators.machine import Unfinished, as_operator

if TYPE_CHECKING:
    from reactivex import Observable

TOOLS = EDITORS | {
    "replace_in_file", "write_to_file", "apply_diff", "search_and_replace", "search_replace", "str_replace", "replace",
    "edit_file", "write_file", "create_file", "update_file", "Edit", "MultiEdit", "Write", "edit", "multi_edit",
    "multiedit", "write", "create", "text_editor",
}  # fmt: skip
"""The names of tools that edit files by these fields, as agents in use call them. (``apply_patch`` takes a patch.)"""

CALLS_LIMIT = 2_000
"""Calls of one turn, of any tool, that are kept apart. What comes after that many is not read."""


class ToolCalls:
    """The machine of this format.

    Args:
        names: of the tools whose calls are edits; None: those of ``TOOLS``.
    """

    def __init__(self, names: Collection[str] | None = None) -> None:
        self._names = TOOLS if names is None else frozenset(names)
        self._calls: dict[str, OneCall | None] = {}  # by id; None for a call that is over, or another tool's
        self._numbers = count()
        self._is_full = False

    def feed(self, delta: Delta) -> Iterable[FormatEvent]:
        """Take a delta; give what it adds to the edits."""
        match delta:
            case ToolArguments(id=id, text=text):
                call = self._calls.get(id)
                return call.feed(text) if call is not None else ()
            case ToolCall():
                return self._begin(delta)
            case ToolDone(id=id):
                return self._end(id, "complete")
            case _:
                return ()

    def peek(self, unfinished: Unfinished[FormatEvent]) -> Unfinished[FormatEvent]:
        """Pass on what another stage left unfinished: here all that is given is final."""
        return unfinished

    def close(self, reason: Reason) -> Iterable[FormatEvent]:
        """End the turn, and with it the calls that are open."""
        rest = [event for call in self._calls for event in self._end(call, reason)]
        return (*rest, End(reason))

    def _begin(self, call: ToolCall) -> Iterable[FormatEvent]:
        is_ours = call.name in self._names
        if call.id in self._calls:
            return self._repeated(call, is_ours=is_ours)
        if len(self._calls) == CALLS_LIMIT:
            return self._too_many(call) if is_ours else ()
        if not is_ours:
            self._calls[call.id] = None
            return ()
        self._calls[call.id] = reader = OneCall(call.id, call.name, self._numbers)
        return () if call.is_json else reader.fail("its input must be a JSON object")

    def _repeated(self, call: ToolCall, *, is_ours: bool) -> Iterable[FormatEvent]:
        """Two calls of one id cannot be told apart from here on: neither of them is read further."""
        what = "another call of this turn has the same id"
        before, self._calls[call.id] = self._calls[call.id], None
        return (
            *(before.fail(what) if before is not None else ()),
            *(OneCall(call.id, call.name, self._numbers).fail(what) if is_ours else ()),
        )

    def _too_many(self, call: ToolCall) -> Iterable[FormatEvent]:
        if self._is_full:
            return ()
        self._is_full = True
        message = f"A turn may have {CALLS_LIMIT:,} calls: this one and those after it were not read. Send them again."
        return (Misread(message, call.id),)

    def _end(self, id: str, reason: Reason) -> Iterable[FormatEvent]:  # noqa: A002 - as ToolDone has it
        call = self._calls.get(id)
        if call is None:
            return ()
        self._calls[id] = None
        return call.close(reason)


def tool_calls(names: Collection[str] | None = None) -> Callable[[Observable[Delta]], Observable[FormatEvent]]:
    """Operator: deltas to edits of files; ``names`` as for ``ToolCalls``.

    ::

        --ToolCall---ToolArguments('{"path": "a", "diff": "-')---ToolArguments('-"}')---ToolDone--|
        -------------EditBegan-EditText("-")---------------------EditText("-")----------EditEnded-End|
    """
    return as_operator(lambda: ToolCalls(names))
