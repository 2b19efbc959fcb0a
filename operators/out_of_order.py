"""Out-of-order buffering: what cannot be said of a block before others are known waits here.

In ``safe``, blocks may come in any order and are placed at once; one with several hits is ``pending`` until the end of
the stream, when the blocks after it are known too. Then, by the first of these that settles any, until none does:

1. *Only one left*: hits on lines that later blocks replaced are left out.
2. *Between neighbours*: if the nearest blocks before and after it in the diff that have a place in the original
   ascend, and one hit lies between them, that is it.
3. *As many as*: if the blocks with the same SEARCH are as many as its hits, they are given out in order.

What is still open is ``ambiguous``: order on one side only was right in 7 of 10 real cases, which is not enough.

In ``v1``, a block above an earlier one is held back until the end, when all are put in the order of the file; two
that overlap are an error (the one place where we leave Cline, whose own answer is corrupt).
"""

from __future__ import annotations

import copy
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from .cursor_search import Cut
from .draft import Draft
from .events import (
    TAIL_EVENTS,
    Arrangement,
    Block,
    BlockChanged,
    BlockStatus,
    End,
    Reason,
    Splice,
    ViewEvent,
    ViewTailEvent,
)
from .indentation import Misfit
from .machine import Unfinished, as_operator
from .matching import EditEvent, EditTailEvent
from .messages import BLOCKS, Terms, problem
from .placing import Found, locate_one, shown
from .rejections import cannot_be_carried, lost_problem, several_hits
from .tiers import Hit, LineTier, safe_ladder
from .writing import Pending, Placed, place

if TYPE_CHECKING:
    from reactivex import Observable

COMPARISONS_LIMIT = 1_000_000
"""Hits that are looked at to settle what is pending, some seconds' worth; what is open after that stays ambiguous."""

Span: TypeAlias = tuple[int, int]


class OutOfOrder:
    """The machine of out-of-order buffering."""

    def __init__(self, ladder: Sequence[LineTier] = safe_ladder, *, terms: Terms = BLOCKS) -> None:
        self._ladder = ladder
        self._terms = terms
        self._splices: tuple[Splice, ...] = ()
        self._held: list[Cut] = []
        self._lines: dict[int, int] = {}
        self._draft: Draft | None = None
        self._pending: dict[int, Pending] = {}
        self._unchanged: list[Pending] = []
        self._spans: dict[int, Span] = {}
        self._matches: dict[int, int] = {}
        self._compared = 0

    def feed(self, event: EditEvent) -> Iterator[ViewEvent]:
        """Take an edit event; give what is settled."""
        match event:
            case Placed():
                yield from self._placed(event)
            case Pending(request, several):
                if request.search == request.replace:
                    self._unchanged.append(event)
                    block = shown(several.draft.document, request.block, request.line, "unchanged", several)
                    yield BlockChanged(block)
                    return
                self._pending[request.block] = event
                yield several_hits(request.block, request.line, request.search, several, terms=self._terms)
            case BlockChanged(Block(index, _, "unchanged", lines=(first, after_last))):
                self._spans[index] = (first - 1, after_last - 1)
                yield event
            case Cut(block, splice, in_order):
                self._lines[block.index] = block.line
                if in_order:
                    self._splices = (*self._splices, splice)
                    yield Arrangement(self._splices)
                else:
                    self._held.append(event)
                yield BlockChanged(block, match=splice.start)
            case _:
                yield event

    def peek(self, unfinished: Unfinished[EditTailEvent]) -> Unfinished[ViewTailEvent]:
        """Say what the unfinished line would settle."""
        if not unfinished or isinstance(unfinished[0], TAIL_EVENTS):
            return unfinished  # type: ignore[return-value]
        twin = copy.copy(self)
        twin._held, twin._unchanged = self._held.copy(), self._unchanged.copy()
        twin._pending, twin._spans = self._pending.copy(), self._spans.copy()
        twin._matches, twin._lines = self._matches.copy(), self._lines.copy()
        return Unfinished(out for item in unfinished for out in twin.feed(item))  # type: ignore[arg-type]

    def close(self, reason: Reason) -> Iterator[ViewEvent]:
        """Settle what waited for the end."""
        if self._held:
            yield from self._put_in_order()
        if self._pending:
            yield from self._settle_pending()
        yield End(reason)

    def _placed(self, placed: Placed) -> Iterator[ViewEvent]:
        request, self._draft = placed.request, placed.draft
        self._matches[request.block] = placed.match
        if placed.lines is not None:
            self._spans[request.block] = placed.lines
        status: BlockStatus = "repaired" if request.repaired else "applied"
        yield placed.draft.arrangement
        block = shown(placed.draft.document, request.block, request.line, status, placed.found)
        yield BlockChanged(block, match=placed.match)

    # v1: held back ---------------------------------------------------------------------------------------------------

    def _put_in_order(self) -> Iterator[ViewEvent]:
        ordered = list(self._splices)
        for cut in self._held:
            at = bisect_left([splice.start for splice in ordered], cut.splice.start)
            while at < len(ordered) and ordered[at].start == cut.splice.start:
                at += 1
            ordered.insert(at, cut.splice)
        clean: list[Splice] = []
        for splice in ordered:
            if clean and splice.start < clean[-1].end:
                yield self._overlap(splice)
            else:
                clean.append(splice)
        yield Arrangement(tuple(clean))

    def _overlap(self, splice: Splice) -> BlockChanged:
        line = self._lines[splice.block]
        said = problem("overlap", "another block of this edit changes the same lines.", block=splice.block, line=line)
        return BlockChanged(Block(splice.block, line, "rejected"), said)

    # safe: pending ---------------------------------------------------------------------------------------------------

    def _settle_pending(self) -> Iterator[ViewEvent]:
        everyone = sorted([*self._pending.values(), *self._unchanged], key=lambda waiting: waiting.request.block)
        while chosen := self._only_ones_left() or self._between_neighbours() or self._as_many_as(everyone):
            for block, hit in chosen:
                yield from self._settle(self._pending.pop(block), hit)
        for waiting in self._pending.values():
            yield self._open_still(waiting)

    def _open_still(self, waiting: Pending) -> BlockChanged:
        request, left = waiting.request, self._left(waiting)
        if self._compared > COMPARISONS_LIMIT:
            left = waiting.several.hits
        if left:
            several = replace(waiting.several, hits=left)
            return several_hits(request.block, request.line, request.search, several, "rejected", self._terms)
        one, whole = self._terms.block.lower(), self._terms.whole
        what = f"other {one}s of this {whole} have changed the lines that it looks for."
        where, search = (request.block, request.line), request.search
        said = problem("overlap", what, block=where[0], line=where[1], search=search, terms=self._terms)
        return BlockChanged(Block(request.block, request.line, "rejected"), said)

    def _left(self, waiting: Pending) -> tuple[Hit, ...]:
        """The hits of a pending block that no later block replaced; none once too many were looked at."""
        self._compared += len(waiting.several.hits)
        if self._compared > COMPARISONS_LIMIT:
            return ()
        block = waiting.request.block
        return tuple(hit for hit in waiting.several.hits if not self._replaced(hit, lambda other: other > block))

    def _replaced(self, hit: Hit, counts: Callable[[int], bool]) -> bool:
        """Whether one of the blocks that count has replaced lines of a hit."""
        draft = self._draft
        if draft is None or not draft.has_gone(hit.start, hit.stop):
            return False
        regions = (draft.regions[index] for index in draft.overlapped(hit.start, hit.stop))
        return any(counts(block) for region in regions for block in region.blocks)

    def _only_ones_left(self) -> list[tuple[int, Hit]]:
        """The pending blocks that have one hit left, each with it."""
        lefts = [(block, self._left(waiting)) for block, waiting in self._pending.items()]
        return _apart([(block, left[0]) for block, left in lefts if len(left) == 1])

    def _between_neighbours(self) -> list[tuple[int, Hit]]:
        """The pending blocks that have one hit between their neighbours, each with it, if they agree in that order."""
        chosen: list[tuple[int, Hit]] = []
        for block, waiting in self._pending.items():
            between = _gap(self._spans, block)
            inside = [hit for hit in self._left(waiting) if _lies_in(hit, between)] if between else []
            if len(inside) == 1:
                chosen.append((block, inside[0]))
        together = self._spans | {block: (hit.start, hit.stop) for block, hit in chosen}
        return _apart([(block, hit) for block, hit in chosen if _lies_in(hit, _gap(together, block))])

    def _as_many_as(self, everyone: Sequence[Pending]) -> list[tuple[int, Hit]]:
        """Pending blocks with one SEARCH that are as many as its hits; those settled before count, and must agree."""
        if self._compared > COMPARISONS_LIMIT:
            return []
        groups: dict[tuple[str, ...], list[Pending]] = {}
        for waiting in everyone:
            groups.setdefault(waiting.request.search, []).append(waiting)
        for group in groups.values():
            hits = self._hits_of(group)
            if len(hits) != len(group) or any(a.stop > b.start for a, b in pairwise(hits)):
                continue
            given = [(waiting.request.block, hit) for waiting, hit in zip(group, hits, strict=True)]
            fixed = [(self._spans[block], hit) for block, hit in given if block in self._spans]
            unsettled = [(block, hit) for block, hit in given if block in self._pending]
            if unsettled and all(span == (hit.start, hit.stop) for span, hit in fixed):
                return unsettled
        return []

    def _hits_of(self, group: Sequence[Pending]) -> list[Hit]:
        """The hits of a group's SEARCH that no later block outside the group replaced."""
        ours = {waiting.request.block for waiting in group}
        first = min(ours)
        return [
            hit
            for hit in group[0].several.hits
            if not self._replaced(hit, lambda other: other > first and other not in ours)
        ]

    def _settle(self, waiting: Pending, hit: Hit) -> Iterator[ViewEvent]:
        request, several = waiting.request, waiting.several
        draft = self._draft or several.draft
        verdict = locate_one(draft, self._ladder, request.search, several, hit)
        if isinstance(verdict, Found):
            try:
                yield from self._placed(place(draft, request, verdict, self._matches))
                return
            except Misfit as misfit:
                said = cannot_be_carried(misfit, request.block, request.line, request.search, verdict, self._terms)
        else:
            said = lost_problem(verdict, request.block, request.line, request.search, terms=self._terms)
        yield BlockChanged(Block(request.block, request.line, "rejected"), said)


def _gap(spans: Mapping[int, Span], block: int) -> Span | None:
    """The lines between the nearest placed blocks before and after a block in the diff, if these ascend."""
    before = max((other for other in spans if other < block), default=None)
    after = min((other for other in spans if other > block), default=None)
    if before is None or after is None or spans[before][0] >= spans[after][0]:
        return None
    return spans[before][1], spans[after][0]


def _lies_in(hit: Hit, gap: Span | None) -> bool:
    return gap is not None and gap[0] <= hit.start and hit.stop <= gap[1]


def _apart(chosen: Sequence[tuple[int, Hit]]) -> list[tuple[int, Hit]]:
    """The choices that share no line with another one."""
    clashing: set[int] = set()
    furthest: tuple[int, Hit] | None = None
    for choice in sorted(chosen, key=lambda choice: choice[1].start):
        if furthest is not None and choice[1].start < furthest[1].stop:
            clashing.update((furthest[0], choice[0]))
        if furthest is None or choice[1].stop > furthest[1].stop:
            furthest = choice
    return [choice for choice in chosen if choice[0] not in clashing]


def out_of_order(
    ladder: Sequence[LineTier] = safe_ladder,
    *,
    terms: Terms = BLOCKS,
) -> Callable[[Observable[EditEvent | Unfinished[EditTailEvent]]], Observable[ViewEvent | Unfinished[ViewTailEvent]]]:
    """Operator: keep back what only the end of the stream can settle.

    ::

        --Pending(0)-------Placed(1)------------End---------------------|
        --pending(0)-------Arrangement-applied(1)-Arrangement-applied(0)-End|
    """
    return as_operator(lambda: OutOfOrder(ladder, terms=terms))
