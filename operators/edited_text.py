"""The text as edited so far, as one string: for what is looked for inside lines.

Its lines are joined by ``\\n`` whatever they end with, one ``\\n`` before the first and one after the last. Lines that
no block has touched are taken from the original in whole stretches, and the stretches that an edit leaves as they were
from the text before it, so that it costs a copy of the file and a little for each region.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate

from .document import Document
from .draft import Draft, Place, Region, Written


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

    def count(self, text: str) -> int:
        """How often a text that is not empty stands in the file, overlaps included; 2 if more often than once."""
        last = len(self._document.lines) - 1
        end = len(self.text) - (last >= 0 and not self._document.end(last))
        at = self.text.find(text, 0, end)
        return 0 if at < 0 else 1 + (self.text.find(text, at + 1, end) >= 0)


class _Stretch:
    """Lines that follow each other: of a region, or from line ``origin`` of the original on, where there is none.

    ``starts`` says where each begins; the first one here is ``starts[origin]``.
    """

    def __init__(self, text: str, count: int, origin: int, starts: Sequence[int], lines: Sequence[Written] = ()):
        self.text = text
        self.count = count
        self.origin = origin
        self.starts = starts
        self.lines = lines

    @cached_property
    def run_stops(self) -> list[int]:
        """For each line of a region, the line after the last that follows it as it did in the original."""
        stops, stop, following = list[int](), len(self.lines), -2
        for at in range(len(self.lines) - 1, -1, -1):
            origin = self.lines[at].origin
            if origin < 0 or origin + 1 != following:
                stop = at + 1
            stops.append(stop)
            following = origin
        return stops[::-1]


def _stretch_of_file(joined: JoinedLines, start: int, stop: int) -> _Stretch:
    text = joined.text[joined.starts[start] : joined.starts[stop]] if start < stop else ""
    return _Stretch(text, stop - start, start, joined.starts)


def _stretch_of_region(region: Region) -> _Stretch:
    starts = list(accumulate((len(line.text) + 1 for line in region.lines), initial=0))
    text = "".join([line.text + "\n" for line in region.lines])
    return _Stretch(text, len(region.lines), 0, starts, region.lines)


class EditedText:
    """The text as edited so far; lines are counted in it, from 0. ``last`` is a text of an earlier draft, if any."""

    def __init__(self, draft: Draft, joined: JoinedLines, last: EditedText | None = None) -> None:
        self.draft = draft
        # Of the i-th region, the lines of the original before it are stretch 2 * i and its own are the next one.
        self._stretches = self._made_of(draft, joined, last)
        pieces = [stretch.text for stretch in self._stretches]
        self.text = "".join(["\n", *pieces])
        self._offsets = list(accumulate(map(len, pieces), initial=1))
        self._firsts = list(accumulate([stretch.count for stretch in self._stretches], initial=0))
        self.count = self._firsts.pop()
        open_end = self.count > 0 and not self._end(self.count - 1)
        self.limit = self._offsets.pop() - open_end
        """Where the text ends, without the line end that the file does not have."""

    @staticmethod
    def _made_of(draft: Draft, joined: JoinedLines, last: EditedText | None) -> list[_Stretch]:
        regions, known = draft.regions, last.draft.regions if last is not None else ()
        most, top = min(len(regions), len(known)), 0
        while top < most and regions[top] is known[top]:
            top += 1
        bottom = 0
        while bottom < most - top and regions[-1 - bottom] is known[-1 - bottom]:
            bottom += 1
        made = list(last._stretches[: 2 * top]) if last is not None else []
        upto = regions[top - 1].stop if top else 0
        for region in regions[top : len(regions) - bottom]:
            made += (_stretch_of_file(joined, upto, region.start), _stretch_of_region(region))
            upto = region.stop
        below = regions[-bottom].start if bottom else len(draft.document.lines)
        made.append(_stretch_of_file(joined, upto, below))
        # What stands before the first of the regions below was made anew: it may be less or more.
        return made + last._stretches[-2 * bottom :] if last is not None and bottom else made

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
        if offset >= len(self.text):
            return self.count - 1
        at = bisect_right(self._offsets, offset) - 1
        stretch = self._stretches[at]
        begin = stretch.starts[stretch.origin]
        line = bisect_right(stretch.starts, offset - self._offsets[at] + begin) - 1 - stretch.origin
        return self._firsts[at] + line

    def start_of(self, line: int) -> int:
        """Where a line begins in the text."""
        at = bisect_right(self._firsts, line) - 1
        stretch = self._stretches[at]
        begin = stretch.starts[stretch.origin]
        return self._offsets[at] + stretch.starts[stretch.origin + line - self._firsts[at]] - begin

    def _parts(self, first: int, stop: int) -> Iterator[tuple[int, int, int]]:
        """The stretches that lines lie in, each with the lines ``[low, high)`` of its region or of the original."""
        at = bisect_right(self._firsts, first) - 1
        while first < stop:
            stretch, begin = self._stretches[at], self._firsts[at]
            upto = min(stop, begin + stretch.count)
            if first < upto:
                yield at, stretch.origin + first - begin, stretch.origin + upto - begin
            first, at = upto, at + 1

    def written(self, first: int, stop: int) -> list[Written]:
        """The lines from ``first`` to before ``stop``."""
        made: list[Written] = []
        for at, low, high in self._parts(first, stop):
            made += self._stretches[at].lines[low:high] if at % 2 else self.draft.original_lines(low, high)
        return made

    def _end(self, line: int) -> str:
        at, low, _ = next(self._parts(line, line + 1))
        return self._stretches[at].lines[low].end if at % 2 else self.draft.document.end(low)

    def origin(self, first: int, stop: int) -> int | None:
        """The line of the original that is ``first``, if these lines are the original's, one after the other."""
        begin, following = -1, -1
        for at, low, high in self._parts(first, stop):
            stretch = self._stretches[at]
            origin = stretch.lines[low].origin if at % 2 else low
            if origin < 0 or (at % 2 and stretch.run_stops[low] < high):
                return None
            if begin < 0:
                begin = origin
            elif origin != following:
                return None
            following = origin + high - low
        return begin

    def regions(self, first: int, stop: int) -> tuple[int, int]:
        """The draft's regions ``[low, high)`` that lines lie in or span; where there is none, where one would be."""
        top, bottom = self._stretch_at(first), self._stretch_at(stop - 1)
        return top // 2, (bottom + 1) // 2

    def _stretch_at(self, line: int) -> int:
        return bisect_right(self._firsts, line) - 1

    def blocks(self, first: int, stop: int) -> set[int]:
        """The blocks of the regions that lines lie in or span."""
        low, high = self.regions(first, stop)
        return {block for region in self.draft.regions[low:high] for block in region.blocks}

    def bare_place(self, first: int, stop: int) -> Place:
        """The place of lines without what else is in the regions that they lie in: enough to compose new ones."""
        regions = self.draft.regions
        low, high = self.regions(first, stop)
        parts = list(self._parts(first, stop))
        (top, begin, _), (bottom, _, finish) = parts[0], parts[-1]
        return Place(
            regions[low].start if top % 2 else begin,
            regions[high - 1].stop if bottom % 2 else finish,
            low,
            high,
            tuple(self.written(first, stop)),
            before=self._end(first - 1) if first else None,
            after=self._end(stop) if stop < self.count else None,
        )

    def place(self, first: int, stop: int) -> Place:
        """The place of lines, with all of the regions that they lie in."""
        parts = list(self._parts(first, stop))
        (top, begin, _), (bottom, _, finish) = parts[0], parts[-1]
        return replace(
            self.bare_place(first, stop),
            head=tuple(self._stretches[top].lines[:begin]) if top % 2 else (),
            foot=tuple(self._stretches[bottom].lines[finish:]) if bottom % 2 else (),
            blocks=tuple(sorted(self.blocks(first, stop))),
        )
