"""A frame: as high as the terminal, never wider, and honest about what it shows."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from editstream.live.frame import Scene, block_lines, frame

HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07\x9b31m",
    "\u202egnissim \u2066",
    "\ttab\t寬字\tend",
    "👩\u200d💻" * 30,
    "e\u0301\u0301" * 40,
    "x" * 5000,
    "a\rb\x0cc\x0bd\u2028e",
    "\x00\x7f",
)


def plain(lines: list[Text]) -> str:
    return "\n".join(line.plain for line in lines)


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (40, 12), (20, 5), (7, 3), (2, 2), (1, 1)])
def test_frames_fit(edits: Any, size: tuple[int, int]) -> None:
    """At every moment, whatever the file and the model hold, a frame has the terminal's height and fits its width."""
    columns, rows = size
    original = "".join(f"{line}\n" for line in HOSTILE * 3 + ("here",) + HOSTILE)
    diff = edits.block(["here"], HOSTILE) + edits.block([HOSTILE[0]], ["gone"]) + edits.block(["not there"], ["x"])
    for snapshot in edits.snapshots(original, diff, 61):
        lines = frame(Scene("dir/\x1b[31mname.py", snapshot, 5), columns, rows)
        assert len(lines) == rows
        assert max(line.cell_len for line in lines) <= columns
        assert not any(
            char < " " or "\x7f" <= char <= "\x9f" or char in "\u202e\u2028" for char in "".join(map(str, lines))
        )


def test_a_frame_names_what_is_going_on(edits: Any) -> None:
    """A frame says which file, what the engine does, the state of each block, and how far it has come."""
    diff = edits.block(["line 3"], ["three"]) + "------- SEARCH\nline 70\n"
    text = plain(frame(Scene("a.txt", edits.after(edits.numbered, diff), 1234), 80, 24))
    assert "a.txt" in text.splitlines()[0]
    assert "block 2 searching, looking at line 70" in text.splitlines()[0]
    assert "1 applied         line 3" in text
    assert "2 searching" in text
    assert text.splitlines()[-1] == " 1,234 characters, 1 of 2 blocks done"


def test_candidates_are_marked(edits: Any) -> None:
    """A line where the search may be is marked in the margin."""
    lines = frame(Scene("a.txt", edits.after(edits.numbered, "------- SEARCH\nline 70\n"), 0), 80, 24)
    assert [line.plain for line in lines if line.plain.startswith("?")] == ["?70 70   line 70"]


def test_problems_wait_until_they_are_firm(edits: Any) -> None:
    """A problem that more text could undo is not shown; one that stands is."""
    unfinished = edits.after(edits.numbered, "------- SEARCH\nlost\n=======\nx\n")
    assert [problem.provisional for problem in unfinished.problems] in ([], [True])
    assert "not applied" not in plain(frame(Scene("a.txt", unfinished, 0), 80, 24))
    *_, last = edits.snapshots(edits.numbered, edits.block(["lost"], ["x"]))
    text = plain(frame(Scene("a.txt", last, 0), 80, 24))
    assert "Block 1 (line 1 of the edit) was not applied" in text
    assert "ended, 1 block rejected" in text


def test_many_blocks_leave_room_for_the_file(edits: Any) -> None:
    """However many blocks there are, most of the frame is the file, and the ones not listed are counted."""
    diff = "".join(edits.block([f"line {n}"], [f"new {n}"]) for n in range(1, 61))
    *_, last = edits.snapshots(edits.numbered, diff, 50)
    lines = frame(Scene("a.txt", last, 0), 80, 24)
    assert sum("line" in line.plain or "new" in line.plain for line in lines if " applied" not in line.plain) >= 15
    assert "… 55 earlier blocks" in plain(lines)
    assert "60 applied" in plain(lines)


def test_rows_are_in_the_colours_of_their_language(edits: Any) -> None:
    """Words of the language have a style of their own, in kept, removed and added lines alike."""
    original = "import os\n\n\ndef one():\n    return 1\n"
    snapshot = edits.after(original, edits.block(["    return 1"], ["    return 'two'"]))
    lines = frame(Scene("a.py", snapshot, 0), 80, 12)
    for word in ("import", "return 1", "return 'two'"):
        line = next(line for line in lines if word in line.plain)
        at = line.plain.index(word)
        assert any(span.start <= at < span.end and str(span.style) not in ("", "none") for span in line.spans[2:])


def test_white_space_at_the_end_of_a_changed_line_is_seen(edits: Any) -> None:
    """A change of white space at a line's end is not invisible."""
    snapshot = edits.after("a\nb  \nc\n", edits.block(["b  "], ["b "]))
    text = plain(frame(Scene("a.txt", snapshot, 0), 40, 12))
    assert "- b··" in text
    assert "+ b·" in text


def test_a_frame_costs_its_window(edits: Any) -> None:
    """A frame on a file of 20,000 lines takes no more than three times one on a file of 200 lines."""

    def seconds(lines: int) -> float:
        original = "".join(f"def f{n}(): return {n}\n" for n in range(lines))
        at = lines // 2
        snapshot = edits.after(original, edits.block([f"def f{at}(): return {at}"], ["def g(): return 0"]))
        frame(Scene("a.py", snapshot, 0), 80, 24)
        times: list[float] = []
        for _ in range(9):
            began = time.perf_counter()
            frame(Scene("a.py", snapshot, 0), 80, 24)
            times.append(time.perf_counter() - began)
        return min(times)

    assert seconds(20_000) < 3 * seconds(200)


def test_cells_are_counted_as_the_terminal_counts_them(edits: Any) -> None:
    """Wide characters and tabs are cut at the terminal's edge by cells, not by characters."""
    snapshot = edits.after("寬" * 100 + "\n\t\tx\n", "")
    lines = frame(Scene("a.txt", snapshot, 0), 30, 6)
    assert cell_len(lines[1].plain) in (29, 30)
    assert lines[2].plain.endswith(" " * 8 + "x")


@pytest.mark.parametrize("text", ["word " * 30, "寬" * 60, "x" * 5000, "\tif x:  # \x1b[31m" + "y" * 70])
@pytest.mark.parametrize("width", [20, 61])
def test_the_newest_text_of_a_wide_line_is_seen(edits: Any, text: str, width: int) -> None:
    """Of a line wider than the terminal the end is shown while it is written, and the beginning once it is over."""
    opened = f"------- SEARCH\nline 3\n=======\n{text}newest"
    (line,) = [line for line in frame(Scene("a.py", edits.after(edits.numbered, opened), 0), width, 12) if "+" in line]
    assert re.fullmatch(r" +3 \+ ….*newest *", line.plain)
    assert line.cell_len == width
    over = edits.after(edits.numbered, f"{opened}\nmore\n")
    line = next(line for line in frame(Scene("a.py", over, 0), width, 12) if "+" in line)
    assert re.fullmatch(r" +3 \+ [^…].*…", line.plain)


def test_a_block_that_fits_several_places_names_them(edits: Any) -> None:
    """A block without a place of its own says where it fits, and one with a place where else it does."""
    *_, last = edits.snapshots("x\ny\nx\n", edits.block(["x"], ["z"]))
    assert "1 rejected" in plain(block_lines(last, 9))
    assert plain(block_lines(last, 9)).endswith(" fits at line 1 or 3")


def test_no_colour_when_asked(edits: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With NO_COLOR a frame has no colour, and signs still tell added from removed lines."""
    monkeypatch.setenv("NO_COLOR", "1")
    snapshot = edits.after("def a(): pass\n", edits.block(["def a(): pass"], ["def b(): pass"]))
    console = Console(force_terminal=True, width=60, color_system="256")
    with console.capture() as capture:
        for line in frame(Scene("a.py", snapshot, 0), 60, 10):
            console.print(line)
    codes = [code for part in capture.get().split("\x1b[")[1:] for code in part.split("m")[0].split(";")]
    assert not [code for code in codes if code.isdigit() and int(code) >= 30]
    assert "- def a" in capture.get().replace("\x1b[0m", "")
