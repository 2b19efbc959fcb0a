"""Our own text, to be searched: what blocks wrote, each region with some lines of the file around it.

A hit here counts only if it touches what blocks wrote or kept, or spans the place where they deleted lines. Its place
takes in all of a region that it lies in: what the block does not replace of it stays as head and foot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .document import Lines
from .draft import Draft, Place, Written

SEPARATOR = "\n"
"""Stands between stretches of text that are not neighbours: no line can hold it."""


@dataclass(frozen=True, slots=True)
class OwnHit:
    """A place found in what blocks wrote; ``line`` is its first line in the edited text, from 0."""

    place: Place
    line: int


class Surroundings(Lines):
    """What blocks wrote, each region with some lines of the file around it, to be searched as one text.

    An entry for each line: (region, line in it) or (-1, line of the original), or (-2, 0) between two stretches.
    """

    def __init__(self, draft: Draft, regions: Sequence[int], margin: int) -> None:
        self._draft = draft
        self._entries: list[tuple[int, int]] = []
        self._deleted: list[tuple[int, int]] = []
        upto = 0
        for index in self._with_neighbours(regions, margin):
            region = draft.regions[index]
            start = max(upto, region.start - margin)
            if start > upto and self._entries:
                self._entries.append((-2, 0))
            self._extend_file(start, region.start)
            if not region.lines:
                self._deleted.append((len(self._entries), index))
            self._entries.extend((index, line) for line in range(len(region.lines)))
            upto = region.stop
            following = draft.starts[index + 1] if index + 1 < len(draft.starts) else len(draft.document.lines)
            stop = min(upto + margin, following)
            self._extend_file(upto, stop)
            upto = stop
        super().__init__([self._text(entry) for entry in self._entries])

    def _with_neighbours(self, regions: Sequence[int], margin: int) -> list[int]:
        """The regions asked for, and those that their margins reach into."""
        draft, chosen = self._draft, set[int]()
        for index in regions:
            chosen.add(index)
            for way in (-1, 1):
                reach, at = margin, index + way
                while 0 <= at < len(draft.regions) and reach > 0:
                    near, far = (at, at + 1) if way < 0 else (at - 1, at)
                    reach -= draft.regions[far].start - draft.regions[near].stop
                    if reach <= 0:
                        break
                    chosen.add(at)
                    reach -= len(draft.regions[at].lines)
                    at += way
        return sorted(chosen)

    def _extend_file(self, start: int, stop: int) -> None:
        self._entries.extend((-1, line) for line in range(start, stop))

    def _text(self, entry: tuple[int, int]) -> str:
        region, line = entry
        if region == -2:
            return SEPARATOR
        return self._draft.document.lines[line] if region < 0 else self._draft.regions[region].lines[line].text

    def _written(self, entry: tuple[int, int]) -> Written:
        region, line = entry
        return self._draft.original_lines(line, line + 1)[0] if region < 0 else self._draft.regions[region].lines[line]

    def touched(self, start: int, stop: int) -> set[int]:
        """The regions that lines ``[start, stop)`` of this text lie in, or span the deletion of."""
        inside = {region for region, _ in self._entries[start:stop] if region >= 0}
        return inside | {region for at, region in self._deleted if start < at < stop}

    def hit(self, start: int, stop: int, touched: set[int]) -> OwnHit:
        """The place of lines ``[start, stop)`` of this text."""
        draft, entries = self._draft, self._entries
        first, last = entries[start], entries[stop - 1]
        top = draft.regions[first[0]] if first[0] >= 0 else None
        bottom = draft.regions[last[0]] if last[0] >= 0 else None
        begin = top.start if top else first[1]
        finish = bottom.stop if bottom else last[1] + 1
        low, high = min(touched), max(touched) + 1
        before = entries[start - 1] if start else (-2, 0)
        after = entries[stop] if stop < len(entries) else (-2, 0)
        place = Place(
            begin,
            finish,
            low,
            high,
            tuple(map(self._written, entries[start:stop])),
            before=None if before[0] == -2 else self._written(before).end,
            after=None if after[0] == -2 else self._written(after).end,
            head=top.lines[: first[1]] if top else (),
            foot=bottom.lines[last[1] + 1 :] if bottom else (),
            blocks=tuple(sorted({block for index in touched for block in draft.regions[index].blocks})),
        )
        line = draft.lines_added_before(first[0] if top else low) + (begin + first[1] if top else first[1])
        return OwnHit(place, line)
