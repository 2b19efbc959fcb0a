"""An edit of every hit (``replace_all``): all places of a text in the file as edited so far, in one go.

Exact text is replaced wherever it stands, left to right, as ``str.replace`` does; only if it is nowhere, all hits of
the first tier that has any. Work follows the file and the hits, of which there may be any number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from .document import Document, Fold, LineIndex, Lines, TooManyHits
from .draft import Draft, Place, Written
from .edited_text import EditedText
from .placing import Found, Lost
from .text_inside import TEXT_TIER, OldText
from .tiers import Hit, LineTier
from .writing import Request, rewritten, rewritten_inside

OTHERS_NAMED = 1_000
"""Further places of one edit whose lines are named."""


@dataclass(frozen=True, slots=True)
class Change:
    """New lines for lines ``[first, stop)`` of the edited text, from 0."""

    first: int
    stop: int
    place: Place
    lines: tuple[Written, ...]


def rewrite_every_hit(
    draft: Draft, edited: EditedText, ladder: Sequence[LineTier], old: OldText, request: Request
) -> tuple[Draft, Found] | Lost:
    """The draft with every hit replaced, and the first place with the lines of the others.

    Raises:
        Misfit: a new line cannot be turned into the file's form.
    """
    tier, changes = TEXT_TIER, list(_in_text(edited, old, request))
    if not changes and old.whole:
        try:
            tier, changes = _in_lines(draft.document, edited, ladder, request)
        except TooManyHits as many:
            return Lost("ambiguous", many.lines, many=True)
    if not changes:
        return Lost("not_found")
    others = tuple(change.place.start + 1 for change in changes[1 : OTHERS_NAMED + 1])
    merged = ((change.place, change.lines) for change in _merged(edited, changes))
    return draft.edited_all(merged, request.block), Found(changes[0].place, tier, others=others)


def _in_text(edited: EditedText, old: OldText, request: Request) -> Iterator[Change]:
    """The changes of each run of lines that hits of the exact text lie in."""
    new = "\n".join(request.replace)
    run: list[int] = []
    last = -1
    for at in _apart(edited, old.text):
        if run and edited.line_at(at) > last:
            yield _change(edited, run, old, new, request.block)
            run = []
        run.append(at)
        last = edited.line_at(at + len(old.text) - old.ended)
    if run:
        yield _change(edited, run, old, new, request.block)


def _apart(edited: EditedText, text: str) -> Iterator[int]:
    at = edited.text.find(text, 1, edited.limit)
    while at >= 0:
        yield at
        at = edited.text.find(text, at + len(text), edited.limit)


def _change(edited: EditedText, run: Sequence[int], old: OldText, new: str, block: int) -> Change:
    """The change of the lines that these hits lie in; a line end that both sides have is no part of them."""
    size = len(old.text) - old.ended
    end = run[-1] + size
    first, stop = edited.line_at(run[0]), edited.line_at(end) + 1
    pieces, upto = list[str](), edited.start_of(first)
    for at in run:
        pieces += (edited.text[upto:at], new)
        upto = at + size
    to_end = end == len(edited.text)
    pieces.append("" if to_end else edited.text[end : edited.text.index("\n", end)])
    place = edited.place(first, stop)
    return Change(first, stop, place, rewritten_inside(place, "".join(pieces), block, to_end))


def _in_lines(
    document: Document, edited: EditedText, ladder: Sequence[LineTier], request: Request
) -> tuple[LineTier, list[Change]]:
    """The changes of all hits of the first tier that has any, from the top, none overlapping the one before."""
    lines = _LinesOfEveryHit(edited.text[1:-1].split("\n") if edited.count else ())
    for tier in ladder:
        changes: list[Change] = []
        for hit in tier.find(lines, request.search):
            if not changes or hit.start >= changes[-1].stop:
                changes.append(_change_of_lines(document, edited, tier, hit, request))
        if changes:
            return tier, changes
    return ladder[0], []


def _change_of_lines(document: Document, edited: EditedText, tier: LineTier, hit: Hit, request: Request) -> Change:
    place = edited.place(hit.start, hit.stop)
    found = Found(place, tier, hit.top, hit.bottom)
    return Change(hit.start, hit.stop, place, rewritten(found, request, document))


def _merged(edited: EditedText, changes: Iterable[Change]) -> Iterator[Change]:
    """The changes, with those that lie in one region made one."""
    group: list[Change] = []
    for change in changes:
        if group and change.place.low >= group[-1].place.high:
            yield _one(edited, group)
            group = []
        group.append(change)
    if group:
        yield _one(edited, group)


def _one(edited: EditedText, group: Sequence[Change]) -> Change:
    first, last = group[0], group[-1]
    if first is last:
        return first
    lines, upto = list[Written](), first.first
    for change in group:
        lines += (*edited.written(upto, change.first), *change.lines)
        upto = change.stop
    blocks = tuple(sorted({block for change in group for block in change.place.blocks}))
    place = replace(
        first.place, stop=last.place.stop, high=last.place.high, foot=last.place.foot, old=(), blocks=blocks
    )
    return Change(first.first, last.stop, place, tuple(lines))


class _EveryIndex(LineIndex):
    """An index without a bound on hits."""

    def find(self, keys: Iterable[str], most: int = 0) -> list[int]:
        """Every line where these folded lines stand."""
        return self.first_few(keys, len(self._text))


class _LinesOfEveryHit(Lines):
    """Lines of which every hit is given."""

    def index(self, fold: Fold | None = None) -> LineIndex:
        """The index of these lines under a fold; made once."""
        if (index := self._indexes.get(fold)) is None:
            index = self._indexes[fold] = _EveryIndex(self.lines, fold)
        return index
