"""The text as edited so far: the original with regions that blocks have rewritten.

A region takes the place of some lines of the original and knows, line by line, what was kept and what is new. Regions
never overlap: a block that is found in what earlier blocks wrote makes one region of theirs and its own. All of it is
immutable, so a snapshot can keep a draft, and a search can be tried against one without harm.

Line ends (``compose``): between two kept lines, the i-th new line takes the end of the i-th replaced line, and further
ones that of the last; where nothing is replaced, the end of the line before, else of the line after, else ``\\n``. If
the file's last line had no end and was replaced, the new last line has none either.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .document import Document
from .entities import decode
from .events import Arrangement, Splice
from .folds import MOST_EDGE_BLANKS, is_blank, loosest

PLACES_ASKED = 200
"""Places of the rarest line of a search that are looked at one by one, before all of our own text is searched."""


@dataclass(frozen=True, slots=True)
class Written:
    """A line of the new file; ``origin`` is the line of the original that it keeps, or -1, ``block`` who wrote it."""

    text: str
    end: str
    origin: int
    block: int


@dataclass(frozen=True, slots=True)
class Region:
    """Lines ``[start, stop)`` of the original, and what stands there now."""

    start: int
    stop: int
    lines: tuple[Written, ...]
    blocks: tuple[int, ...]
    gone: frozenset[int]
    splice: Splice


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block goes: the ``old`` lines it takes away, between ``head`` and ``foot`` of the regions it cuts into.

    ``[start, stop)`` are lines of the original, ``[low, high)`` the draft's regions that become part of the new one,
    ``before`` and ``after`` the line ends around it (None at the edge of the file).
    """

    start: int
    stop: int
    low: int
    high: int
    old: tuple[Written, ...]
    before: str | None
    after: str | None
    head: tuple[Written, ...] = ()
    foot: tuple[Written, ...] = ()
    blocks: tuple[int, ...] = ()


class OwnLines:
    """Which blocks of the stream ever wrote or kept a line: it only grows, shared by all drafts.

    It tells a search where in our own text it may be worth while. The lines are folded when the first one asks.
    """

    def __init__(self) -> None:
        self._added: list[tuple[str, int]] = []
        self._blocks: dict[str, set[int]] = {}

    def add(self, lines: Sequence[Written], block: int) -> None:
        """Remember the lines of the region that a block made."""
        self._added.extend((line.text, block) for line in lines)

    def blocks_with(self, forms: Iterable[str]) -> set[int]:
        """The blocks that had a line of one of these loosest forms."""
        for text, block in self._added:
            self._blocks.setdefault(loosest(text), set()).add(block)
        self._added.clear()
        return {block for form in forms for block in self._blocks.get(form, ())}


def _loose_forms(line: str) -> set[str]:
    """The loosest forms that any tier could find a line by."""
    return {loosest(line), loosest(decode(line))}


@dataclass(frozen=True, slots=True)
class Draft:
    """The original and the regions that closed blocks have rewritten, in the order of the file."""

    document: Document = field(repr=False)
    regions: tuple[Region, ...] = ()
    starts: tuple[int, ...] = ()
    arrangement: Arrangement = Arrangement()
    own_lines: OwnLines = field(default_factory=OwnLines, repr=False, compare=False)

    def regions_for(self, search: Sequence[str]) -> list[int]:
        """The indexes of the regions that a hit of this search may touch; none where a line of it is nowhere.

        Wherever it is, its rarest line is: in a region, or in the file near one.
        """
        rarest: tuple[int, set[int], list[int]] | None = None
        for line in search:
            if is_blank(line):
                continue  # a tier may leave it out
            blocks, places = self._where(line)
            if not blocks and not places:
                return []
            if rarest is None or len(blocks) + len(places) < rarest[0]:
                rarest = (len(blocks) + len(places), blocks, places)
        if rarest is None or rarest[0] > PLACES_ASKED:
            return list(range(len(self.regions)))
        _, blocks, places = rarest
        reach = len(search) + MOST_EDGE_BLANKS
        near = {index for index, region in enumerate(self.regions) if not blocks.isdisjoint(region.blocks)}
        for place in places:
            near.update(self.overlapped(place - reach, place + reach))
        return sorted(near)

    def may_hold_line(self, line: str) -> bool:
        """Whether any tier could find this line, in the original or in what blocks wrote."""
        blocks, places = self._where(line)
        return bool(blocks or places)

    def _where(self, line: str) -> tuple[set[int], list[int]]:
        """The blocks that had a line, and the lines of the original that are like it."""
        forms, index = _loose_forms(line), self.document.index(loosest)
        return self.own_lines.blocks_with(forms), [place for form in forms for place in index.places(form)]

    def overlapped(self, start: int, stop: int) -> range:
        """The indexes of the regions that share a line with ``[start, stop)`` of the original."""
        low = bisect_right(self.starts, start)
        if low and self.regions[low - 1].stop > start:
            low -= 1
        return range(low, max(low, bisect_left(self.starts, stop)))

    def has_gone(self, start: int, stop: int) -> bool:
        """Whether a block has replaced (and not kept) any of these lines."""
        for index in self.overlapped(start, stop):
            region = self.regions[index]
            if any(line in region.gone for line in range(max(start, region.start), min(stop, region.stop))):
                return True
        return False

    def original_lines(self, start: int, stop: int) -> tuple[Written, ...]:
        """Lines of the original as kept lines."""
        document = self.document
        return tuple(Written(document.lines[line], document.end(line), line, -1) for line in range(start, stop))

    def place_in_original(self, start: int, stop: int) -> Place:
        """The place of lines that no block has touched."""
        document = self.document
        low = bisect_left(self.starts, start)
        while low < len(self.regions) and self.regions[low].stop == start:
            low += 1  # lines that a block has put before this one
        return Place(
            start,
            stop,
            low,
            low,
            self.original_lines(start, stop),
            before=document.end(start - 1) if start else None,
            after=document.end(stop) if stop < len(document.lines) else None,
        )

    def without(self, place: Place) -> Arrangement:
        """The edits that a place leaves as they are."""
        splices = self.arrangement.splices
        return Arrangement(splices[: place.low] + splices[place.high :]) if place.high > place.low else self.arrangement

    def edited(self, place: Place, lines: Sequence[Written], block: int) -> Draft:
        """The draft after a block has put ``lines`` in its place."""
        return self.edited_all(((place, lines),), block)

    def edited_all(self, edits: Iterable[tuple[Place, Sequence[Written]]], block: int) -> Draft:
        """The draft after a block has put lines in several places, given in the order of the file."""
        regions, splices, upto = list[Region](), list[Splice](), 0
        for place, lines in edits:
            region = self._region(place, (*place.head, *lines, *place.foot), block)
            regions += (*self.regions[upto : place.low], region)
            splices += (*self.arrangement.splices[upto : place.low], region.splice)
            upto = place.high
        regions += self.regions[upto:]
        splices += self.arrangement.splices[upto:]
        starts = tuple([region.start for region in regions])
        return Draft(self.document, tuple(regions), starts, Arrangement(tuple(splices)), self.own_lines)

    def _region(self, place: Place, whole: tuple[Written, ...], block: int) -> Region:
        self.own_lines.add(whole, block)
        kept = {line.origin for line in whole}
        return Region(
            place.start,
            place.stop,
            whole,
            tuple(sorted({*place.blocks, block})),
            frozenset(line for line in range(place.start, place.stop) if line not in kept),
            splice_of(self.document, place.start, place.stop, whole, block),
        )

    def region_of(self, block: int) -> Region | None:
        """The region that holds what a block wrote."""
        return next((region for region in self.regions if block in region.blocks), None)

    def lines_added_before(self, index: int) -> int:
        """How many lines longer the regions before this one have made the file."""
        return sum(len(region.lines) - (region.stop - region.start) for region in self.regions[:index])


def splice_of(document: Document, start: int, stop: int, lines: Sequence[Written], block: int) -> Splice:
    """The edit of the original's text that puts ``lines`` in the place of lines ``[start, stop)``."""
    runs: list[tuple[int, int, str]] = []
    upto, fresh = start, list[str]()

    def finish_run(line: int) -> None:
        first, last, text = document.offset(upto), document.offset(line), "".join(fresh)
        if document.text[first:last] != text:
            runs.append((first, last, text))
        fresh.clear()

    for line in lines:
        if line.origin >= upto and line.end == document.end(line.origin):
            finish_run(line.origin)
            upto = line.origin + 1
        else:
            fresh.append(line.text + line.end)
    finish_run(stop)
    text = "".join([line.text + line.end for line in lines])
    return Splice(document.offset(start), document.offset(stop), text, block, tuple(runs))


class LineEnds:
    """The line end that each new line gets, one after the other, in one place."""

    def __init__(self, place: Place) -> None:
        old = place.old
        self._before = place.before
        self._after = place.after
        bare = (old[-2].end if len(old) > 1 else place.before) or "\n"
        self._ends = [line.end or bare for line in old]
        self.open_end = bool(old) and not old[-1].end

    def kept(self, index: int) -> str:
        """The end of a kept line, which is followed by another one."""
        return self._ends[index]

    def new(self, after: int, before: int, nth: int) -> str:
        """The end of the ``nth`` new line between the kept old lines ``after`` and ``before``."""
        if before - after > 1:
            return self._ends[min(after + 1 + nth, before - 1)]
        if after >= 0:
            return self._ends[after]
        return self._before or (self._ends[before] if before < len(self._ends) else self._after) or "\n"


def compose(place: Place, kept: Sequence[int], texts: Sequence[str], block: int) -> tuple[Written, ...]:
    """The lines that a block puts in its place: the i-th is old line ``kept[i]``, or ``texts[i]`` where that is -1."""
    ends = LineEnds(place)
    lines = list(_composed(place.old, kept, texts, block, ends))
    if ends.open_end and lines:
        last = lines.pop()
        if last.text:  # else the text ends with the line end before it
            lines.append(Written(last.text, "", last.origin, last.block))
    return tuple(lines)


def _composed(
    old: Sequence[Written], kept: Sequence[int], texts: Sequence[str], block: int, ends: LineEnds
) -> Iterator[Written]:
    coming = [at for at in kept if at >= 0] + [len(old)]
    after, turn, nth = -1, 0, 0
    for at, text in zip(kept, texts, strict=True):
        if at >= 0:
            line = old[at]
            yield Written(line.text, ends.kept(at), line.origin, line.block)
            after, turn, nth = at, turn + 1, 0
        else:
            yield Written(text, ends.new(after, coming[turn], nth), -1, block)
            nth += 1
