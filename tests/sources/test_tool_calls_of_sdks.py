"""Turns as each API says them, through its adapter and the format of tool calls, to edits."""

from __future__ import annotations

import json
from typing import Any

import pytest
import turns
from turns import CUT, DIFF, LIMIT, STOPPED, TURN, Turn

from editstream import sources
from editstream.operators import End
from editstream.operators.events import Reason
from editstream.operators.formats.file_edits import EditBegan, EditEnded, EditText, FormatEvent
from editstream.operators.formats.tool_calls import ToolCalls
from editstream.operators.machine import step

PROTOCOLS = {
    "anthropic": turns.anthropic_events,
    "openai": turns.chat_events,
    "openai-responses": turns.responses_events,
}
PROTOCOL = pytest.mark.parametrize("sdk", PROTOCOLS)
CONTENT = json.loads(TURN.calls[1].text)["content"]


def edits(sdk: str, turn: Turn, size: int) -> list[FormatEvent]:
    """What a turn comes to, with the pieces of each text put together."""
    machine, out = ToolCalls(), list[FormatEvent]()
    for delta in sources.deltas(PROTOCOLS[sdk](turn, size), sdk):
        for event in step(machine, delta):
            last: Any = out[-1] if out else None
            if isinstance(event, EditText) and isinstance(last, EditText) and last.edit == event.edit:
                out[-1] = EditText(event.edit, last.text + event.text)
            else:
                out.append(event)
    return out


@PROTOCOL
@pytest.mark.parametrize("size", [1, 7, turns.WHOLE])
def test_a_turn_of_two_calls(sdk: str, size: int) -> None:
    """Two calls come out as two edits, whichever API said them, and in pieces of any size."""
    assert edits(sdk, TURN, size) == [
        EditBegan(0, "src/añ.py", "blocks", "call_1"), EditText(0, DIFF), EditEnded(0),
        EditBegan(1, "b.py", "content", "call_2"), EditText(1, CONTENT), EditEnded(1), End(),
    ]  # fmt: skip


@PROTOCOL
@pytest.mark.parametrize("turn", [LIMIT, STOPPED], ids=["limit", "stopped"])
def test_a_turn_that_is_cut_off(sdk: str, turn: Turn) -> None:
    """The first call of a turn that is cut off in the second is whole, and the second is not an edit."""
    assert turn.calls == CUT.calls
    truncated: Reason = "truncated"
    *first, misread, end = edits(sdk, turn, 7)
    assert first == [EditBegan(0, "src/añ.py", "blocks", "call_1"), EditText(0, DIFF), EditEnded(0)]
    assert (getattr(misread, "call", None), getattr(misread, "reason", None)) == ("call_2", truncated)
    assert end == End(truncated)
