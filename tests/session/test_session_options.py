"""What a session is made with: formats and tools of one's own, and options that cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from session_turns import call, on_disk

from editstream import EditSession, End, Workspace
from editstream.operators.events import Reason
from editstream.operators.formats.deltas import Delta, Text
from editstream.operators.formats.file_edits import EditBegan, EditEnded, EditText, FormatEvent
from editstream.operators.formats.tool_calls import ToolCalls
from editstream.operators.machine import Unfinished


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "a.py").write_text("one\n")
    return Workspace(tmp_path)


class Letters:
    """A format of one's own: each delta is a new text of a.py, whole after a full stop."""

    def __init__(self, call: str | None = None) -> None:
        self.call = call
        self._edits = 0

    def feed(self, delta: Delta) -> Iterator[FormatEvent]:
        if isinstance(delta, Text):
            yield EditBegan(self._edits, "a.py", "content", self.call)
            yield EditText(self._edits, delta.text)
            if delta.text.endswith("."):
                yield EditEnded(self._edits)
            self._edits += 1

    def peek(self, unfinished: Unfinished[FormatEvent]) -> Unfinished[FormatEvent]:
        return unfinished

    def close(self, reason: Reason) -> Iterator[FormatEvent]:
        yield End(reason)


def test_a_format_of_ones_own_may_leave_edits_open(workspace: Workspace) -> None:
    """What it has not ended by the end of the turn was cut off: it is rejected, not lost, and so is what waited."""
    with EditSession(workspace, format=Letters, approve=True) as session:
        for delta in (Text("two."), Text("thr"), Text("fo")):
            session.feed(delta)
        answer = session.close()
    assert [outcome.fate for outcome in answer.outcomes] == ["written", "rejected", "rejected"]
    assert answer.text.count("cut off before the file was whole") == 2
    assert on_disk(workspace) == {"a.py": "two.\n"}


def test_a_format_of_ones_own_may_name_calls_that_never_came(workspace: Workspace) -> None:
    """What was written is answered all the same, as the result of that call."""
    with EditSession(workspace, format=lambda: Letters("x"), approve=True) as session:
        session.feed(Text("two."))
        answer = session.close()
    assert [(result.call, result.text, result.tool) for result in answer.results] == [("x", "a.py: changed.", "")]


def test_tools_of_other_names(workspace: Workspace) -> None:
    """Tools are told by their names: those that are given, and no others, edit files by the usual fields."""
    edit = {"path": "a.py", "old": "one", "new": "two"}
    with EditSession(workspace, format=lambda: ToolCalls({"my_edit"}), approve=True) as session:
        for name in ("edit_file", "my_edit"):
            for delta in call(name, name, edit):
                session.feed(delta)
        answer = session.close()
    assert [result.call for result in answer.results] == ["my_edit"]
    assert on_disk(workspace) == {"a.py": "two\n"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"format": "xml"}, "unknown format 'xml': use one of cline, .*, diff, or a function that makes the machine"),
        ({"format": Letters()}, "unknown format .*, or a function that makes the machine of your own"),
        ({"workspace": "src"}, r"workspace is a path: give Workspace\('src'\)"),
        ({"approve": None}, "approve is None: give a function or a coroutine function, True or False"),
        ({"approve": "yes"}, "approve is 'yes': give"),
        ({"approve_by": "line"}, "approve_by is 'line': use one of file, block"),
        ({"mistakes_allowed": 0}, "mistakes_allowed is 0: use 1 or more"),
        ({"format": "diff"}, "give its path"),
    ],
)
def test_options_that_cannot_be(workspace: Workspace, options: dict[str, Any], says: str) -> None:
    """They are refused when the session is made, not in the middle of a turn."""
    with pytest.raises((ValueError, TypeError), match=says):
        EditSession(**{"workspace": workspace, "format": "markdown", "approve": True, **options})


@pytest.mark.parametrize("what", ["text", {"type": "message_start"}])
def test_what_is_no_delta_is_no_turn(workspace: Workspace, what: Any) -> None:
    """Text and events of an SDK that nobody has translated are refused, not taken for a turn without an edit."""
    session = EditSession(workspace, format="markdown", approve=True)
    with pytest.raises(TypeError, match=r"a session takes deltas, not (str|dict): see editstream.sources, plain_text"):
        list(session.run([what]))
    assert session.close().text == ""
