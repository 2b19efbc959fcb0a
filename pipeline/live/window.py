"""The rows of a diff that fit a given height, around the place that is being edited.

Only the segments that the window touches are turned into lines; the rest of the file is skipped by arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from editstream.edits.changes import Lines, Segment, lines_of, replaced, segments

if TYPE_CHECKING:
    from editstream import Snapshot, TextEdit

Sign = Literal[" ", "-", "+"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the diff: its sign, its line numbers from 1 in the original and in the result, its text and end.

    ``newest``: whether the model is writing this line.
    """

    sign: Sign
    old: int | None
    new: int | None
    text: str
    newest: bool = False


@dataclass(frozen=True, slots=True)
class Focus:
    """A line, from 0, of the original or of the result."""

    side: Literal["old", "new"]
    line: int


def window(snapshot: Snapshot, height: int) -> list[Row]:
    """Return at most ``height`` rows around the place being edited: a third of them after it, if there are as many."""
    lines = lines_of(snapshot.original)
    edits = snapshot.edits
    cut = segments(lines, edits)
    focus = focus_of(snapshot, lines, edits)
    where = _segment_of(cut, focus)
    rows = segment_rows(lines, cut[where], focus, height)
    at = next((i for i, row in enumerate(rows) if _at_or_after(row, focus)), max(len(rows) - 1, 0))
    above, below = rows[:at], rows[at:]
    for segment in reversed(cut[:where]):
        if len(above) >= height:
            break
        above = segment_rows(lines, segment, Focus("old", segment.old.stop), height) + above
    for segment in cut[where + 1 :]:
        if len(below) >= height:
            break
        below += segment_rows(lines, segment, Focus("old", segment.old.start), height)
    after = min(len(below), max(height // 3, 1, height - len(above)))
    shown = (above[max(len(above) - height + after, 0) :] + below)[:height]
    return [replace(row, newest=True) if _is_newest(row, focus) else row for row in shown]


def focus_of(snapshot: Snapshot, lines: Lines, edits: Sequence[TextEdit]) -> Focus:
    """Where to look: at the newest text, else where the search may be, else at the latest block that has a place."""
    if (position := snapshot.full_position) is not None:
        return Focus("new", _line_in_result(lines, edits, position))
    if snapshot.candidates:
        return Focus("old", snapshot.candidates[0] - 1)
    placed = [block.lines for block in snapshot.blocks if block.lines]
    if not placed:
        return Focus("old", 0)
    first, after_last = placed[-1]
    return Focus("old", max(first, after_last - 1) - 1)


def _line_in_result(lines: Lines, edits: Sequence[TextEdit], position: int) -> int:
    """The line of the result that the offset ``position`` in it is on."""
    moved_by = newlines = 0
    for edit in edits:
        begins = edit.start + moved_by
        if position < begins:
            break
        if position <= begins + len(edit.text):
            return lines.at(edit.start) + newlines + edit.text.count("\n", 0, max(position - begins - 1, 0))
        moved_by += len(edit.text) - edit.end + edit.start
        newlines += edit.text.count("\n") - lines.at(edit.end) + lines.at(edit.start)
    return lines.at(max(position - moved_by - 1, 0)) + newlines


def _segment_of(cut: Sequence[Segment], focus: Focus) -> int:
    """The index of the segment that holds the focus; the last one with a line in it, if none does."""
    last = 0
    for index, segment in enumerate(cut):
        side = segment.new if focus.side == "new" else segment.old
        if focus.line < side.stop:
            return index
        last = index if side or segment.edits else last
    return last


def segment_rows(lines: Lines, segment: Segment, focus: Focus, height: int) -> list[Row]:
    """The rows of a segment, of a kept one only those within ``height`` of the focus."""
    if segment.edits:
        return changed_rows(lines, segment)
    shift = segment.new.start - segment.old.start
    near = focus.line - shift if focus.side == "new" else focus.line
    first = max(segment.old.start, min(near, segment.old.stop) - height)
    last = min(segment.old.stop, max(near, segment.old.start) + height)
    return [Row(" ", line + 1, line + shift + 1, lines[line]) for line in range(first, last)]


def changed_rows(lines: Lines, segment: Segment) -> list[Row]:
    """The rows of a changed segment: lines kept at its edges, lines taken away, lines put there."""
    removed, added = replaced(lines, segment)
    shift = segment.new.start - segment.old.start
    before = [Row(" ", n + 1, n + shift + 1, lines[n]) for n in range(segment.old.start, removed.start)]
    minus = [Row("-", n + 1, None, lines[n]) for n in removed]
    plus = [Row("+", None, removed.start + shift + n + 1, text) for n, text in enumerate(added)]
    shift += len(added) - len(removed)
    after = [Row(" ", n + 1, n + shift + 1, lines[n]) for n in range(removed.stop, segment.old.stop)]
    return before + minus + plus + after


def _is_newest(row: Row, focus: Focus) -> bool:
    return row.sign == "+" and focus.side == "new" and row.new == focus.line + 1


def _at_or_after(row: Row, focus: Focus) -> bool:
    number = row.new if focus.side == "new" else row.old
    return number is not None and number > focus.line
