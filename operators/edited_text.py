"""The text as edited so far, as one string: for what is looked for inside lines.

Its lines are joined by ``\\n`` whatever they end with, one ``\\n`` before the first and one after the last. Lines that
no block has touched are taken from the original in whole stretches, so that it costs a copy of the file and a little
for each region.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from .document import Document
from .draft import Draft, Place, Written


class JoinedLines:
    """The lines of a file, each with one ``\\n`` at its end."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @cached_property
    def text(self) -> str:
        """All of them."""
        return "".join([line + "\n" for line in self._document.lines])

    @cached_property
    def starts(self) -> list[int]:
        """Where each begins in the text, and where the text ends."""
        return list(accumulate((len(line) + 1 for line in self._document.lines), initial=0))


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Lines that follow each other: of a region, or from line ``origin`` of the original on, where ``region`` is -1.

    ``starts`` says where each begins; the first one here is ``starts[origin]``.
    """

    region: int
    origin: int
    starts: Sequence[int]


class EditedText:
    """The text as edited so far; lines are counted in it, from 0."""

    def __init__(self, draft: Draft, joined: JoinedLines) -> None:
        self._draft = draft
        self._pieces = ["\n"]
        self._size = 1
        self._stretches: list[_Stretch] = []
        self._offsets: list[int] = []
        self._firsts: list[int] = []
        self.count = 0
        upto = 0
        for index, region in enumerate(draft.regions):
            self._take_original(joined, upto, region.start)
            self._take_region(index, region.lines)
            upto = region.stop
        self._take_original(joined, upto, len(draft.document.lines))
        self.text = "".join(self._pieces)
        open_end = self.count > 0 and not next(self.written(self.count - 1, self.count)).end
        self.limit = self._size - open_end
        """Where the text ends, without the line end that the file does not have."""

    def _take_original(self, joined: JoinedLines, start: int, stop: int) -> None:
        if start < stop:
            piece = joined.text[joined.starts[start] : joined.starts[stop]]
            self._take(_Stretch(-1, start, joined.starts), piece, stop - start)

    def _take_region(self, index: int, lines: Sequence[Written]) -> None:
        if lines:
            starts = list(accumulate((len(line.text) + 1 for line in lines), initial=0))
            self._take(_Stretch(index, 0, starts), "".join([line.text + "\n" for line in lines]), len(lines))

    def _take(self, stretch: _Stretch, piece: str, lines: int) -> None:
        self._stretches.append(stretch)
        self._offsets.append(self._size)
        self._firsts.append(self.count)
        self._pieces.append(piece)
        self._size += len(piece)
        self.count += lines

    def find(self, text: str, most: int) -> list[int]:
        """Where a text stands, overlaps included; at most so many places."""
        return self._found(text, 1, self.limit, most)

    def find_lines(self, lines: Sequence[str], most: int) -> list[int]:
        """The first lines of the places where these lines stand; at most so many."""
        offsets = self._found("\n".join(["", *lines, ""]), 0, len(self.text), most)
        return [self.line_at(offset + 1) for offset in offsets]

    def _found(self, text: str, start: int, end: int, most: int) -> list[int]:
        found: list[int] = []
        at = self.text.find(text, start, end)
        while at >= 0 and len(found) < most:
            found.append(at)
            at = self.text.find(text, at + 1, end)
        return found

    def line_at(self, offset: int) -> int:
        """The line that an offset lies in; the last one for the end of the text."""
        at = bisect_right(self._offsets, offset) - 1
        stretch = self._stretches[at]
        begin = stretch.starts[stretch.origin]
        line = bisect_right(stretch.starts, offset - self._offsets[at] + begin) - 1 - stretch.origin
        return min(self._firsts[at] + line, self.count - 1)

    def start_of(self, line: int) -> int:
        """Where a line begins in the text."""
        at = bisect_right(self._firsts, line) - 1
        stretch = self._stretches[at]
        begin = stretch.starts[stretch.origin]
        return self._offsets[at] + stretch.starts[stretch.origin + line - self._firsts[at]] - begin

    def _entry(self, line: int) -> tuple[int, int]:
        """The region of a line and its number there, or -1 and its number in the original."""
        at = bisect_right(self._firsts, line) - 1
        stretch = self._stretches[at]
        return stretch.region, stretch.origin + line - self._firsts[at]

    def written(self, first: int, stop: int) -> Iterator[Written]:
        """The lines from ``first`` to before ``stop``."""
        for line in range(first, stop):
            region, number = self._entry(line)
            if region >= 0:
                yield self._draft.regions[region].lines[number]
            else:
                yield from self._draft.original_lines(number, number + 1)

    def origin(self, first: int, stop: int) -> int | None:
        """The line of the original that is ``first``, if these lines are the original's, one after the other."""
        origins = [line.origin for line in self.written(first, stop)]
        begin = origins[0]
        return begin if begin >= 0 and origins == list(range(begin, begin + len(origins))) else None

    def place(self, first: int, stop: int) -> Place:
        """The place of lines, with all of the regions that they lie in."""
        regions, starts = self._draft.regions, self._draft.starts
        (top, begin), (bottom, last) = self._entry(first), self._entry(stop - 1)
        low = top if top >= 0 else bisect_right(starts, begin)
        high = bottom + 1 if bottom >= 0 else bisect_right(starts, last)
        return Place(
            regions[top].start if top >= 0 else begin,
            regions[bottom].stop if bottom >= 0 else last + 1,
            low,
            high,
            tuple(self.written(first, stop)),
            before=next(self.written(first - 1, first)).end if first else None,
            after=next(self.written(stop, stop + 1)).end if stop < self.count else None,
            head=regions[top].lines[:begin] if top >= 0 else (),
            foot=regions[bottom].lines[last + 1 :] if bottom >= 0 else (),
            blocks=tuple(sorted({block for region in regions[low:high] for block in region.blocks})),
        )
