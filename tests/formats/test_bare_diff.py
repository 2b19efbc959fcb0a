"""One bare diff: all the text of a turn is one edit of one file."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reactivex.testing import ReactiveTest, TestScheduler
from turn_strategies import block_texts, fed, joined, pieces, reasons, texts

from editstream.operators import NOTHING, End
from editstream.operators.events import Reason
from editstream.operators.formats.bare_diff import BareDiff, bare_diff
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.operators.formats.file_edits import EditBegan, EditEnded, EditText

CALL: list[Delta] = [ToolCall("1", "edit"), ToolArguments("1", '{"diff": "x"}'), ToolDone("1")]


@given(block_texts(), st.data(), reasons)
def test_all_text_is_the_edit(diff: str, data: st.DataObject, reason: Reason) -> None:
    """However a turn is cut, its text is the edit's, and the edit ends with the turn's reason."""
    text = f"Here:\n{diff}Done."
    events = fed(BareDiff("a.py"), texts(data.draw(pieces(text))), reason)
    assert joined(events) == [
        EditBegan(0, "a.py", "blocks"), EditText(0, text), EditEnded(0, reason), End(reason),
    ]  # fmt: skip


def test_text_is_given_as_it_comes() -> None:
    """Each piece of text is given at once, as it is, the edit's beginning before the first."""
    machine = BareDiff("a.py")
    assert [*machine.feed(Text("a<"))] == [EditBegan(0, "a.py", "blocks"), EditText(0, "a<")]
    assert [*machine.feed(Text("\n"))] == [EditText(0, "\n")]


@pytest.mark.parametrize("deltas", [[], [Text("")], CALL], ids=["nothing", "empty text", "a tool call"])
def test_a_turn_without_text(deltas: list[Delta]) -> None:
    """Tool calls and empty pieces are no text, and a turn without any has an edit without any."""
    assert [event for delta in deltas for event in BareDiff("a.py").feed(delta)] == []
    assert fed(BareDiff("a.py"), deltas) == [EditBegan(0, "a.py", "blocks"), EditEnded(0), End()]


def test_a_peek_at_a_bare_diff_passes_on() -> None:
    """All that the machine gives is final, so that a peek adds nothing."""
    assert BareDiff("a.py").peek(NOTHING) is NOTHING


def test_each_subscription_has_its_own_edit() -> None:
    """The operator begins the edit anew for each subscription, and ends it as truncated when its source fails."""
    on_next, on_error = ReactiveTest.on_next, ReactiveTest.on_error
    failure, operator = ConnectionError("dropped"), bare_diff("b.py")
    for _ in range(2):
        scheduler = TestScheduler()
        source: Any = scheduler.create_hot_observable(on_next(210, Text("a")), on_error(220, failure))
        messages = scheduler.start(partial(source.pipe, operator)).messages
        assert messages == [
            on_next(210, EditBegan(0, "b.py", "blocks")),
            on_next(210, EditText(0, "a")),
            on_next(220, EditEnded(0, "truncated")),
            on_error(220, failure),
        ]
