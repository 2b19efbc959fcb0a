"""OpenAI's ``apply_patch``: V4A patches in a model's text and in tool calls.

The text of a turn is one text with patches in it (``patch_text``). Each call of the tool has a reader of its own
(``patch_call``), so that calls may overlap; other tools are the agent's, and no event.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from editstream.operators.events import End, Reason
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.operators.formats.file_edits import FormatEvent, Misread
from editstream.operators.formats.patch_call import PatchCall
from editstream.operators.formats.patch_text import Budget, PatchText
from editstream.operators.formats.tool_calls import CALLS_LIMIT
from editstream.operators.machine import Unfinished, as_operator

if TYPE_CHECKING:
    from reactivex import Observable

TOOLS = frozenset(("apply_patch", "applypatch"))
"""What the tool is called."""


class ApplyPatch:
    """The machine of this format.

    Args:
        names: of the tools whose calls are patches; None: those of ``TOOLS``.
    """

    def __init__(self, names: Collection[str] | None = None) -> None:
        self._names = TOOLS if names is None else frozenset(names)
        self._budget = Budget()
        self._text = PatchText(self._budget)
        self._calls: dict[str, PatchCall | None] = {}  # by id; None for a call that is over, or another tool's
        self._is_full = False

    def feed(self, delta: Delta) -> Iterable[FormatEvent]:
        """Take a delta; give what it adds to the edits."""
        match delta:
            case Text(text=text):
                return self._text.feed(text)
            case ToolArguments(id=id, text=text):
                call = self._calls.get(id)
                return call.feed(text) if call is not None else ()
            case ToolCall():
                return self._begin(delta)
            case ToolDone(id=id):
                return self._end(id, "complete", is_done=True)
            case End():
                return ()

    def peek(self, unfinished: Unfinished[FormatEvent]) -> Unfinished[FormatEvent]:
        """Pass on what another stage left unfinished: here all that is given is final."""
        return unfinished

    def close(self, reason: Reason) -> Iterable[FormatEvent]:
        """End the turn, with the text and the calls that are open."""
        calls = [event for call in self._calls for event in self._end(call, reason, is_done=False)]
        return (*self._text.close(reason), *calls, End(reason))

    def _begin(self, call: ToolCall) -> Iterable[FormatEvent]:
        is_ours = call.name in self._names
        if call.id in self._calls:
            return self._repeated(call, is_ours=is_ours)
        if len(self._calls) == CALLS_LIMIT:
            return self._too_many(call) if is_ours else ()
        self._calls[call.id] = PatchCall(call, self._budget) if is_ours else None
        return ()

    def _repeated(self, call: ToolCall, *, is_ours: bool) -> Iterable[FormatEvent]:
        """Two calls of one id cannot be told apart from here on: neither of them is read further."""
        what = "another call of this turn has the same id"
        before, self._calls[call.id] = self._calls[call.id], None
        return (
            *(before.fail(what) if before is not None else ()),
            *(PatchCall(call, self._budget).fail(what) if is_ours else ()),
        )

    def _too_many(self, call: ToolCall) -> Iterable[FormatEvent]:
        if self._is_full:
            return ()
        self._is_full = True
        message = f"A turn may have {CALLS_LIMIT:,} calls: this one and those after it were not read. Send them again."
        return (Misread(message, call.id),)

    def _end(self, id: str, reason: Reason, *, is_done: bool) -> Iterable[FormatEvent]:  # noqa: A002 - as ToolDone has it
        call = self._calls.get(id)
        if call is None:
            return ()
        self._calls[id] = None
        return call.close(reason, is_done=is_done)


def apply_patch(names: Collection[str] | None = None) -> Callable[[Observable[Delta]], Observable[FormatEvent]]:
    """Operator: deltas to edits of files; ``names`` as for ``ApplyPatch``.

    ::

        --Text("*** Begin Patch\\n*** Update File: a\\n@@\\n-")--Text("b\\n+c\\n*** E")--Text("nd Patch")--|
        --EditBegan-EditText("@@\\n-")------------------------EditText("b\\n+c\\n")-----------------EditEnded-End|
    """
    return as_operator(lambda: ApplyPatch(names))
