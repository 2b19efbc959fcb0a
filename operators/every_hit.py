"""An edit of every hit (``replace_all``): all places of a text in the file as edited so far, in one go.

Exact text is replaced wherever it stands, left to right, as ``str.replace`` does; only if it is nowhere, all hits of
the first tier that has any. Work follows the file and the hits, of which there may be any number; what they
make of the file is no longer than a file may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .document import FILE_LIMIT, LINES_TOLD_APART, Document, Fold, LineIndex, Lines, TooManyHits
from .draft import Draft, Place, Written
from .edited_text import EditedText
from .placing import Found, Lost
from .text_inside import TEXT_TIER, OldSide
from .tiers import LineTier
from .writing import Request, rewritten, rewritten_inside

OTHERS_NAMED = 1_000
"""Further places of one edit whose lines are named."""


@dataclass(frozen=True, slots=True)
class Change:
    """New lines for lines ``[first, stop)`` of the edited text, from 0."""

    first: int
    stop: int
    lines: tuple[Written, ...]


def rewrite_every_hit(
    draft: Draft, edited: EditedText, ladder: Sequence[LineTier], old: OldSide, request: Request
) -> tuple[Draft, Found] | Lost:
    """The draft with every hit replaced, and the first place with the lines of the others.

    Raises:
        Misfit: a new line cannot be turned into the file's form.
    """
    tier, made = TEXT_TIER, _in_text(edited, old, request)
    if made == [] and old.whole:
        try:
            tier, made = _in_lines(draft.document, edited, ladder, request)
        except TooManyHits as many:
            return Lost("ambiguous", many.lines, many=True)
    if made is None:
        return Lost(
            "too_large", note=f"the file would be longer than {FILE_LIMIT:,} characters, or have too many lines."
        )
    if not made:
        return Lost("not_found")
    others = tuple(_line_of(edited, change) for change in made[1 : OTHERS_NAMED + 1])
    places = list(_merged(edited, made))
    return draft.edited_all(places, request.block), Found(places[0][0], tier, others=others)


def _line_of(edited: EditedText, change: Change) -> int:
    """The line of the original, from 1, that a change or the region around it begins at."""
    return edited.bare_place(change.first, change.first + 1).start + 1


def _in_text(edited: EditedText, old: OldSide, request: Request) -> list[Change] | None:
    """The changes of each run of lines that hits of the exact text lie in; None if the file would be too long."""
    new = "\n".join(request.replace)
    size = len(old.text) - old.ended
    hits = edited.text.count(old.text, 1, edited.limit)
    if hits and not _fits(len(edited.text) + hits * (len(new) - size), edited.count + hits * new.count("\n")):
        return None
    changes: list[Change] = []
    run: list[int] = []
    last = -1
    for at in _apart(edited, old.text):
        if run and edited.line_at(at) > last:
            changes.append(_change(edited, run, size, new, request.block))
            run = []
        run.append(at)
        last = edited.line_at(at + size)
    if run:
        changes.append(_change(edited, run, size, new, request.block))
    return changes


def _fits(size: int, lines: int) -> bool:
    return size <= FILE_LIMIT and lines <= LINES_TOLD_APART


def _apart(edited: EditedText, text: str) -> Iterator[int]:
    at = edited.text.find(text, 1, edited.limit)
    while at >= 0:
        yield at
        at = edited.text.find(text, at + len(text), edited.limit)


def _change(edited: EditedText, run: Sequence[int], size: int, new: str, block: int) -> Change:
    """The change of the lines that hits of so many code points lie in."""
    end = run[-1] + size
    first, stop = edited.line_at(run[0]), edited.line_at(end) + 1
    pieces, upto = list[str](), edited.start_of(first)
    for at in run:
        pieces += (edited.text[upto:at], new)
        upto = at + size
    to_end = end == len(edited.text)
    pieces.append("" if to_end else edited.text[end : edited.text.index("\n", end)])
    place = edited.bare_place(first, stop)
    return Change(first, stop, rewritten_inside(place, "".join(pieces), block, to_end))


def _in_lines(
    document: Document, edited: EditedText, ladder: Sequence[LineTier], request: Request
) -> tuple[LineTier, list[Change] | None]:
    """The changes of all hits of the first tier that has any, from the top, none overlapping the one before.

    None if the file would be too long.
    """
    lines = _LinesOfEveryHit(edited.text[1:-1].split("\n") if edited.count else ())
    for tier in ladder:
        changes: list[Change] = []
        size, count = len(edited.text), edited.count
        for hit in tier.find(lines, request.search):
            if changes and hit.start < changes[-1].stop:
                continue
            found = Found(edited.bare_place(hit.start, hit.stop), tier, hit.top, hit.bottom)
            changes.append(Change(hit.start, hit.stop, rewritten(found, request, document)))
            size += sum(len(line.text) + 1 for line in changes[-1].lines)
            count += len(changes[-1].lines)
            if not _fits(size, count):
                return tier, None
        if changes:
            return tier, changes
    return ladder[0], []


def _merged(edited: EditedText, changes: Iterable[Change]) -> Iterator[tuple[Place, tuple[Written, ...]]]:
    """The places of the changes and what is put there; those that lie in one region have one place."""
    group: list[Change] = []
    reach = 0
    for change in changes:
        low, high = edited.regions(change.first, change.stop)
        if group and low >= reach:
            yield _one(edited, group)
            group = []
        group.append(change)
        reach = high
    if group:
        yield _one(edited, group)


def _one(edited: EditedText, group: Sequence[Change]) -> tuple[Place, tuple[Written, ...]]:
    lines, upto = list[Written](), group[0].first
    for change in group:
        lines += (*edited.written(upto, change.first), *change.lines)
        upto = change.stop
    return edited.place(group[0].first, upto), tuple(lines)


class _EveryIndex(LineIndex):
    """An index without a bound on hits, but for those that are compared further."""

    def find(self, keys: Iterable[str], most: int = LINES_TOLD_APART) -> list[int]:
        """Every line where these folded lines stand.

        Raises:
            TooManyHits: there are more than ``most``.
        """
        return super().find(keys, most)


class _LinesOfEveryHit(Lines):
    """Lines of which every hit is given."""

    most_hits = LINES_TOLD_APART

    def index(self, fold: Fold | None = None) -> LineIndex:
        """The index of these lines under a fold; made once."""
        if (index := self._indexes.get(fold)) is None:
            index = self._indexes[fold] = _EveryIndex(self.lines, fold)
        return index
