"""A snapshot's edits as whole lines: stretches of the file that stay, and stretches that are replaced.

A view shows lines, an edit counts characters. :func:`segments` widens the edits to the lines they touch and joins
those that meet on a line; it looks at where edits begin and end and counts their newlines, but splits no text. Only
:func:`replaced` does that, for the one segment it is asked about, so that a window costs what it shows.

Lines end at ``\\n`` and keep their ends here. Numbers are positions, from 0.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from editstream.operators.snapshot import TextEdit

_NEWLINE = re.compile("\n")


class Lines:
    """A text by its lines: where each one begins, found once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = array("q", [0])
        self._starts.extend(match.end() for match in _NEWLINE.finditer(text))
        self.count = len(self._starts) - (self._starts[-1] == len(text))

    def start(self, line: int) -> int:
        """The offset at which ``line`` begins; the end of the text for a line after the last."""
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def at(self, offset: int) -> int:
        """The line that ``offset`` is on; the number of lines for the place after a final newline."""
        return bisect_right(self._starts, offset) - 1

    def __getitem__(self, line: int) -> str:
        return self.text[self.start(line) : self.start(line + 1)]


@lru_cache(maxsize=2)
def lines_of(text: str) -> Lines:
    """The lines of ``text``; remembered for the latest texts, since a view asks for each frame."""
    return Lines(text)


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines ``old`` of the original are lines ``new`` of the result: the same lines, if there are no ``edits``."""

    old: range
    new: range
    edits: tuple[TextEdit, ...] = ()


def segments(lines: Lines, edits: Sequence[TextEdit]) -> list[Segment]:
    """Cut the file into segments: a kept one, which may be empty, then a changed and a kept one for each change."""
    result: list[Segment] = []
    old = new = 0
    for first, last, group in _groups(lines, edits):
        kept = Segment(range(old, first), range(new, new + first - old))
        added = sum(edit.text.count("\n") - lines.at(edit.end) + lines.at(edit.start) for edit in group)
        changed = Segment(range(first, last), range(kept.new.stop, kept.new.stop + last - first + added), tuple(group))
        result += (kept, changed)
        old, new = changed.old.stop, changed.new.stop
    result.append(Segment(range(old, lines.count), range(new, new + lines.count - old)))
    return result


def _groups(lines: Lines, edits: Sequence[TextEdit]) -> Iterator[tuple[int, int, list[TextEdit]]]:
    """The edits by the lines they touch: the first line, the one after the last, and the edits that meet there."""
    group: list[TextEdit] = []
    first = last = 0
    for edit in edits:
        begins = lines.at(edit.start)
        if group and begins >= last:
            yield first, last, group
            group = []
        if not group:
            first = begins
        group.append(edit)
        last = max(last, _line_after(lines, edit))
    if group:
        yield first, last, group


def _line_after(lines: Lines, edit: TextEdit) -> int:
    """The first line after ``edit`` that it leaves as it is."""
    line = lines.at(edit.end)
    begins_line = edit.end == lines.start(line)
    before = edit.start - lines.start(lines.at(edit.start))
    ends_line = edit.text.endswith("\n") if edit.text else before == 0
    return line if begins_line and ends_line else min(line + 1, lines.count)


def replaced(lines: Lines, segment: Segment) -> tuple[range, list[str]]:
    """The lines of the original that a changed segment takes away, and the lines it puts there, ends included.

    Lines that are the same before and after, at either edge, are left out: the range may be empty, and so may the list.
    """
    pieces: list[str] = []
    offset = lines.start(segment.old.start)
    for edit in segment.edits:
        pieces += (lines.text[offset : edit.start], edit.text)
        offset = edit.end
    pieces.append(lines.text[offset : lines.start(segment.old.stop)])
    added = split_lines("".join(pieces))
    same = _common(added, (lines[line] for line in segment.old))
    old = range(segment.old.start + same, segment.old.stop)
    added = added[same:]
    same = _common(reversed(added), (lines[line] for line in reversed(old)))
    return old[: len(old) - same], added[: len(added) - same]


def split_lines(text: str) -> list[str]:
    """The lines of ``text``, ends included; only ``\\n`` ends a line."""
    pieces = text.split("\n")
    ended = [piece + "\n" for piece in pieces[:-1]]
    return [*ended, pieces[-1]] if pieces[-1] else ended


def _common(left: Iterator[str] | Sequence[str], right: Iterator[str]) -> int:
    """How many items the two have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))
