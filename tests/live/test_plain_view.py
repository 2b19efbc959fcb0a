"""The view where there is no terminal, and what it leaves behind."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest

from editstream.edits.file_edit import EditOptions, FileEdit
from editstream.live import LiveView, Scene, write_summary
from editstream.live.plain import Events


def said(snapshots: Any) -> list[str]:
    events = Events()
    return [line for snapshot in snapshots for line in events.since_last(snapshot)]


def test_each_event_is_said_once(edits: Any) -> None:
    """Every block gives a line when it is located and one when it is settled, however often one looks."""
    diff = edits.block(["line 3"], ["three"]) + edits.block(["line 9", "line 10"], ["nine"])
    assert said(edits.snapshots(edits.numbered, diff)) == [
        "block 1: located at line 3 (exact)",
        "block 1: applied",
        "block 2: located at lines 9–10 (exact)",
        "block 2: applied",
    ]


def test_events_between_two_looks_are_not_lost(edits: Any) -> None:
    """Who sees only the last snapshot is told of the same blocks as who sees all."""
    diff = edits.block(["line 3"], ["three"]) + edits.block(["line 9"], ["nine"]) + edits.block(["lost"], ["x"])
    every = list(edits.snapshots(edits.numbered, diff))
    assert said(every[-1:]) == said(every)


def test_a_rejected_block_is_said_with_its_problem(edits: Any) -> None:
    """A rejected block gives a line, and its problem the first line of its message."""
    lines = said(edits.snapshots(edits.numbered, edits.block(["lost"], ["x"])))
    assert lines[0] == "block 1: rejected"
    assert lines[1].startswith("Block 1 (line 1 of the edit) was not applied")
    assert len(lines) == 2


def test_only_a_place_is_a_location(edits: Any) -> None:
    """A new file's block is located before its first line, and one that fits twice is not located."""
    assert said(edits.snapshots("", edits.block([], ["x"])))[0] == "block 1: located before line 1 (exact)"
    assert said(edits.snapshots("x\ny\nx\n", edits.block(["x"], ["z"])))[0] == "block 1: rejected"


def test_a_deletion_has_a_place_but_no_tier() -> None:
    """Nothing was searched for, so nothing is said of how it was found."""
    assert said([FileEdit("x\n", "delete", EditOptions()).close()]) == [
        "block 1: located at line 1",
        "block 1: applied",
    ]


def test_a_file_that_is_no_terminal_gets_plain_lines(edits: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events and summary are lines without escape codes, even where the environment asks for colour."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    file = io.StringIO()
    diff = edits.block(["line 3"], ["\x1b[31mthree"])
    with LiveView("dir/\x1b]0;x\x07.txt", file=file) as view:
        for snapshot in edits.snapshots(edits.numbered, diff):
            view.received("x")
            view.show(snapshot)
    lines = file.getvalue().splitlines()
    assert lines == [
        "block 1: located at line 3 (exact)",
        "block 1: applied",
        f"dir/␛]0;x␇.txt: {len(diff) + 1} characters, 1 of 1 block done; +1 -1 lines",
        "   1 applied         line 3              exact",
    ]


def test_an_error_in_the_stream_leaves_no_summary(edits: Any) -> None:
    """A stream that fails ends the view with what was said, and the error goes on."""
    file = io.StringIO()
    with pytest.raises(ZeroDivisionError), LiveView("a.txt", file=file) as view:  # noqa: PT012 - the block is the stream
        view.show(edits.after(edits.numbered, edits.block(["line 3"], ["three"])))
        raise ZeroDivisionError
    assert file.getvalue() == "block 1: located at line 3 (exact)\nblock 1: applied\n"


def test_a_failing_view_does_not_hide_it(edits: Any) -> None:
    """What goes wrong on the view's own thread is raised where the view is left."""
    file = io.StringIO()
    view = LiveView("a.txt", file=file)
    with pytest.raises(ValueError, match="closed file"), view:  # noqa: PT012 - the block is the stream
        file.close()
        view.show(edits.after(edits.numbered, edits.block(["line 3"], ["three"])))


def test_the_summary_is_short(edits: Any) -> None:
    """Of many blocks the summary lists ten, the rejected ones always, and counts the others."""
    diff = "".join(edits.block([f"line {n}"], [f"new {n}", "more"]) for n in range(1, 41)) + edits.block(
        ["lost"], ["x"]
    )
    *_, last = edits.snapshots(edits.numbered, diff, 50)
    file = io.StringIO()
    write_summary(Scene("a.txt", last, 9), file)
    lines = file.getvalue().splitlines()
    assert len(lines) == 12
    assert re.fullmatch(r"a\.txt: 9 characters, 40 of 41 blocks done, 1 rejected; \+\d+ -\d+ lines", lines[0])
    assert lines[-2].split()[:2] == ["41", "rejected"]
    assert lines[-1].strip() == "… and 31 more blocks"
