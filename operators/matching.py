"""The search stage: block events to edits, by the ladder of ``safe`` or from the cursor of ``v1`` and ``v2``.

``LadderSearch`` follows one block at a time. While SEARCH streams, its lines narrow the places where it may be. At the
divider it is looked for; while REPLACE streams, its lines are shown in place; when the block closes, it is settled:
placed in the draft (the text as edited so far), left pending for the end of the stream, or rejected with a problem.

Divider or content? The first line that could be the divider divides. When a later one comes, the SEARCH up to there is
looked for, and taken if it has a hit on any tier; the first that has none ends the question. What was shown of a
reading that is given up is taken back by ``Relocated``. A block that is closed without a divider of the right length is
read by the same rule with those of another length.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from .already import both_sides, repeats, stands_already
from .cursor_search import CursorSearch, Cut
from .dialect import Dialect
from .document import LINES_TOLD_APART, Document
from .draft import Draft
from .events import (
    TAIL_EVENTS,
    Block,
    BlockChanged,
    BlockEvent,
    BlockStatus,
    BlockTailEvent,
    Closed,
    Divided,
    End,
    LineFinisher,
    Narrowed,
    Opened,
    Placing,
    Reason,
    Relocated,
    ReplaceLine,
    ReplaceTail,
    Said,
    SearchLine,
    SearchTail,
    Stray,
    ViewEvent,
    Where,
    Writing,
    Wrote,
)
from .every_hit import rewrite_every_hit
from .folds import is_blank
from .indentation import Misfit
from .machine import NOTHING, Machine, Unfinished, as_operator
from .messages import BLOCKS, REPAIRS_WITH_CANDIDATES, Terms, problem
from .open_block import OpenBlock, begins_like_a_rule, less_indent, looks_whole
from .places import locate_by, place_insertion
from .placing import ANYWHERE, Found, Lost, Several, Verdict, locate, locate_one, shown
from .problems import Problem, ProblemKind
from .rejections import cannot_be_carried, lost_problem, several_hits
from .text_inside import OldSide, TextPlaces, read_sides
from .tiers import LineTier
from .writing import OpenWriting, Pending, Placed, Request, TextWriting, place

if TYPE_CHECKING:
    from reactivex import Observable

SEARCHES_REMEMBERED = 8
"""Searches whose answers are kept while the draft stays the same: those of the block, its readings and their peeks."""

READINGS_LIMIT = 200
"""Lines of one block that are tried as its divider, each with a search of all lines before it. A text with more of them
than that is not to be edited by blocks that are divided by such a line."""

EditEvent: TypeAlias = ViewEvent | Placed | Pending | Cut
EditTailEvent: TypeAlias = EditEvent | SearchTail | ReplaceTail

_CUT_OFF = {"truncated": "cut off", "cancelled": "cancelled"}


class LadderSearch:
    """The machine of the search stage for whole lines and a ladder of tiers."""

    def __init__(
        self,
        document: Document,
        ladder: Sequence[LineTier],
        *,
        first_of_several: bool = False,
        terms: Terms = BLOCKS,
    ) -> None:
        self._document = document
        self._ladder = ladder
        self._first_of_several = first_of_several
        self._terms = terms
        self._draft = Draft(document)
        self._open: OpenBlock | None = None
        self._matches: dict[int, int] = {}
        self._copies: dict[object, int] = {}
        self._last_stop = 0
        self._rejections = 0
        self._put = 0
        self._texts = TextPlaces(document)
        # What was looked for since the draft last changed, for peeks too: the same text is not searched twice.
        self._verdicts: dict[object, Verdict] = {}

    def feed(self, event: BlockEvent) -> Iterator[EditEvent]:
        """Take a block event; give what it means for the file."""
        match event:
            case Opened(index, line, indent):
                self._open = OpenBlock(index, line, indent)
                yield BlockChanged(Block(index, line, "searching"))
            case Placing(where):
                self._block().where = where
            case SearchLine():
                yield from self._search_line(self._block(), event)
            case Divided(_, text):
                yield from self._divided(self._block(), text)
            case ReplaceLine():
                yield from self._replace_line(self._block(), event)
            case Closed():
                yield from self._closed(self._block(), event)
                self._open = None
            case Stray(line, message):
                yield Said(problem("malformed", message + ".", block=None, line=line, terms=self._terms))
            case _:
                yield event

    def peek(self, unfinished: Unfinished[BlockTailEvent]) -> Unfinished[EditTailEvent]:
        """Say what the unfinished line would mean for the file."""
        if not unfinished or isinstance(unfinished[0], TAIL_EVENTS):
            return unfinished  # type: ignore[return-value]
        if self._open is not None and self._open.rule_like > READINGS_LIMIT:
            return NOTHING  # one more line that may yet turn out not to be the divider: not worth a search each time
        twin = copy.copy(self)
        twin._matches, twin._copies = self._matches.copy(), self._copies.copy()
        twin._open = self._open.twin() if self._open else None
        return Unfinished(out for item in unfinished for out in twin.feed(item))  # type: ignore[arg-type]

    def close(self, reason: Reason) -> Iterable[End]:
        """The block that the stream ends in was closed by the stage before."""
        return (End(reason),)

    def _block(self) -> OpenBlock:
        if self._open is None:
            raise AssertionError("a line of a block came before its opener")
        return self._open

    # While a block streams -------------------------------------------------------------------------------------------

    def _search_line(self, block: OpenBlock, event: SearchLine) -> Iterator[EditEvent]:
        if event.rule:
            block.rules.append(len(block.search))
        block.search.append(event.text)
        block.rule_like += begins_like_a_rule(event.text)
        yield Narrowed(block.search, len(block.search))

    def _divided(self, block: OpenBlock, text: str) -> Iterator[EditEvent]:
        block.divider = text
        block.dedents = self._indented(block, block.search)
        old = self._old_text(block)[0] if block.where.as_text else None
        search = self._as_looked_for(block, block.search) if old is None else old.lines
        block.verdict = verdict = self._locate(search, block.where, old)
        if isinstance(verdict, Found):
            yield from self._begin_writing(block, verdict, search)
        elif isinstance(verdict, Several):
            block.status = "pending"
            yield several_hits(block.index, block.line, search, verdict, terms=self._terms)
        else:
            # Without the places that are similar: they are looked for once, if it comes to a rejection.
            said = lost_problem(verdict, block.index, block.line, search, terms=self._terms)
            yield BlockChanged(self._shown(block, "searching"), said)

    def _begin_writing(self, block: OpenBlock, found: Found, search: Sequence[str]) -> Iterator[EditEvent]:
        spot, document = found.place, self._document
        writing: OpenWriting | TextWriting
        if found.inside is not None:
            writing = TextWriting(spot, found.inside)
        else:
            drops_last = block.where.as_text and block.search[-1:] == [""]
            writing = OpenWriting(found, search, document, drops_last=drops_last)
        block.writing = writing
        block.status = "located"
        match = self._matches[spot.blocks[0]] if spot.blocks else document.offset(spot.start)
        yield BlockChanged(self._shown(block, "located"), match=match)
        yield Writing(
            block.index,
            document.offset(spot.start),
            document.offset(spot.stop),
            self._draft.without(spot),
            self._finisher(block, writing),
            head="".join([line.text + line.end for line in spot.head]) + writing.head,
            foot=writing.foot + "".join([line.text + line.end for line in spot.foot]),
            open_end=writing.open_end,
        )

    def _finisher(self, block: OpenBlock, writing: OpenWriting | TextWriting) -> LineFinisher:
        return writing.finisher(block.indent if block.dedents else "")

    def _replace_line(self, block: OpenBlock, event: ReplaceLine) -> Iterator[EditEvent]:
        if event.rule and not block.read:
            block.readings += 1
            block.read = block.readings > READINGS_LIMIT
        if event.rule and not block.read:
            if longer := self._longer_search(block):
                block.search, block.replace, block.writing = longer, [], None
                block.status = "searching"
                yield Relocated(block.index)
                yield from self._divided(block, event.text)
                return
            block.read = True
        block.replace.append(event.text)
        block.rule_like += begins_like_a_rule(event.text)
        if block.writing is None:
            return
        text = less_indent(block.indent, event.text) if block.dedents else event.text
        try:
            made = block.writing.line(text)
        except Misfit as misfit:
            block.writing, block.status, block.verdict = None, "searching", None
            yield Relocated(block.index)
            search = self._as_looked_for(block, block.search)
            said = cannot_be_carried(misfit, block.index, block.line, search, terms=self._terms)
            yield BlockChanged(self._shown(block, "searching"), said)
            return
        if block.status == "located":
            block.status = "replacing"
            yield BlockChanged(self._shown(block, "replacing"))
        if made is not None:
            yield Wrote(made, self._finisher(block, block.writing))

    # When a block closes ---------------------------------------------------------------------------------------------

    def _closed(self, block: OpenBlock, event: Closed) -> Iterator[EditEvent]:
        if block.divider is None and event.by == "closer":
            self._divide_by_other_length(block)
        if (refusal := self._refusal(block, event)) is not None:
            kind, what = refusal
            said = problem(kind, what, block=block.index, line=block.line, terms=self._terms)
            yield self._rejected(block.index, block.line, said)
            return
        if block.where.as_text:
            old, put = self._old_text(block, block.replace)
            yield from self._settled(Request(block.index, block.line, old.lines, put, where=block.where), old)
            return
        search, replace = self._as_looked_for(block, block.search), tuple(block.replace)
        if block.dedents:
            replace = tuple(less_indent(block.indent, line) for line in replace)
        repaired = event.by != "closer"
        yield from self._settled(Request(block.index, block.line, search, replace, repaired, block.where))

    def _divide_by_other_length(self, block: OpenBlock) -> None:
        """Read a block that has no divider of the right length by the lines of another length."""
        if not block.rules:
            return
        lines, chosen = block.search, block.rules[0]
        for rule in block.rules[1:]:
            block.readings += 1
            if block.readings > READINGS_LIMIT or not self._has_hit(block, lines[:rule]):
                break
            chosen = rule
        block.divider = lines[chosen]
        block.search, block.replace = lines[:chosen], lines[chosen + 1 :]
        block.dedents = self._indented(block, block.search)

    def _refusal(self, block: OpenBlock, event: Closed) -> tuple[ProblemKind, str] | None:
        """Why a closed block is not even looked for."""
        if event.by in ("truncated", "cancelled"):
            return "truncated", f"the stream was {_CUT_OFF[event.by]} inside it."
        if block.readings > READINGS_LIMIT:
            return "too_large", f"more than {READINGS_LIMIT} of its lines could be the divider."
        if block.divider is None:
            return "malformed", self._terms.undivided
        if event.by != "closer" and not looks_whole(block.replace):
            return "malformed", "it has no closing marker, and what follows its divider is not only REPLACE."
        if block.dedents and not self._indented(block, block.replace):
            return "malformed", "its markers are indented, and a line of REPLACE is not."
        return None

    def _settled(self, request: Request, old: OldSide | None = None) -> Iterator[EditEvent]:
        self._put += len(request.replace)
        if self._put + len(self._document.lines) > LINES_TOLD_APART:
            what = f"the file and all that is put there would have more than {LINES_TOLD_APART:,} lines."
            said = problem("too_large", what, block=request.block, line=request.line, terms=self._terms)
            yield self._rejected(request.block, request.line, said)
            return
        if request.where.everywhere and old is not None and old.text and request.search != request.replace:
            yield self._everywhere(request, old)
            return
        verdict = self._locate(request.search, request.where, old)
        if self._repeats(request, verdict, old):
            yield BlockChanged(Block(request.block, request.line, "already_applied"))
        elif isinstance(verdict, Several):
            yield Pending(request, verdict)
        elif request.search == request.replace and (isinstance(verdict, Found) or verdict.many or verdict.times):
            yield self._unchanged(request, verdict)
        elif isinstance(verdict, Found):
            yield self._placed(request, verdict)
        elif verdict.kind == "not_found" and stands_already(self._draft, request):
            yield BlockChanged(Block(request.block, request.line, "already_applied"))
        else:
            said = self._lost(verdict, request.block, request.line, request.search)
            yield self._rejected(request.block, request.line, said)

    def _unchanged(self, request: Request, verdict: Verdict) -> BlockChanged:
        if isinstance(verdict, Found) and verdict.place.blocks:
            return BlockChanged(Block(request.block, request.line, "unchanged", verdict.tier.name))
        if isinstance(verdict, Found):
            self._last_stop, self._verdicts = verdict.place.stop, {}
        return BlockChanged(shown(self._document, request.block, request.line, "unchanged", verdict))

    def _placed(self, request: Request, found: Found) -> EditEvent:
        try:
            placed = place(self._draft, request, found, self._matches)
        except Misfit as misfit:
            said = cannot_be_carried(misfit, request.block, request.line, request.search, found, self._terms)
            return self._rejected(request.block, request.line, said)
        return self._taken(placed)

    def _everywhere(self, request: Request, old: OldSide) -> EditEvent:
        """A block that means every hit: all of them at once."""
        edited = self._texts.edited(self._draft)
        try:
            made = rewrite_every_hit(self._draft, edited, self._ladder, old, request)
        except Misfit as misfit:
            said = cannot_be_carried(misfit, request.block, request.line, request.search, terms=self._terms)
            return self._rejected(request.block, request.line, said)
        if isinstance(made, Lost):
            if self._repeats(request, made, old) or (made.kind == "not_found" and stands_already(self._draft, request)):
                return BlockChanged(Block(request.block, request.line, "already_applied"))
            return self._rejected(
                request.block, request.line, self._lost(made, request.block, request.line, request.search)
            )
        draft, found = made
        self._put = max(self._put, sum(len(region.lines) for region in draft.regions))
        spot = found.place
        match = self._matches[spot.blocks[0]] if spot.blocks else self._document.offset(spot.start)
        return self._taken(Placed(request, draft, found, match, None))

    def _taken(self, placed: Placed) -> Placed:
        """Go on with the draft of a block that has its place."""
        request, self._draft = placed.request, placed.draft
        self._verdicts = {}
        self._matches[request.block] = placed.match
        self._copies.setdefault(both_sides(request), request.block)
        self._last_stop = placed.lines[1] if placed.lines else self._last_stop
        return placed

    def _repeats(self, request: Request, verdict: Verdict, old: OldSide | None) -> bool:
        """Whether this is a block that came before, with no place left for a second one."""
        first = self._copies.get(both_sides(request))
        return first is not None and repeats(self._draft, self._ladder, self._texts, request, verdict, first, old)

    # What is said ----------------------------------------------------------------------------------------------------

    def _shown(self, block: OpenBlock, status: BlockStatus) -> Block:
        return shown(self._document, block.index, block.line, status, block.verdict)

    def _rejected(self, block: int, line: int, said: Problem) -> BlockChanged:
        self._rejections += 1
        return BlockChanged(Block(block, line, "rejected"), said)

    def _lost(self, lost: Lost, block: int, line: int, search: tuple[str, ...]) -> Problem:
        document = self._document if self._rejections < REPAIRS_WITH_CANDIDATES else None
        return lost_problem(lost, block, line, search, document, self._terms)

    # Looking ---------------------------------------------------------------------------------------------------------

    def _indented(self, block: OpenBlock, lines: Sequence[str]) -> bool:
        """Whether the block's markers are indented, and so is every line that is not blank."""
        return bool(block.indent) and all(line.startswith(block.indent) or is_blank(line) for line in lines)

    def _as_looked_for(self, block: OpenBlock, lines: Sequence[str]) -> tuple[str, ...]:
        """Lines of SEARCH without the block's indent; none where a blank SEARCH counts as empty."""
        if not self._document.lines and all(map(is_blank, lines)):
            return ()
        return (
            tuple(less_indent(block.indent, line) for line in lines) if self._indented(block, lines) else tuple(lines)
        )

    def _old_text(self, block: OpenBlock, new: Sequence[str] | None = None) -> tuple[OldSide, tuple[str, ...]]:
        """What a block that is text looks for, and what it puts there; nothing where blank text counts as empty."""
        empty = not self._document.lines and all(map(is_blank, block.search))
        return read_sides(() if empty else block.search, new)

    def _locate(self, search: tuple[str, ...], where: Where = ANYWHERE, old: OldSide | None = None) -> Verdict:
        key = search if where is ANYWHERE else (search, where, old)
        if (verdict := self._verdicts.get(key)) is None:
            if len(self._verdicts) >= SEARCHES_REMEMBERED:
                self._verdicts.clear()
            verdict = self._verdicts[key] = self._located(search, where, old)
        return verdict

    def _located(self, search: tuple[str, ...], where: Where, old: OldSide | None) -> Verdict:
        if not search:
            return place_insertion(self._draft, self._ladder[0], where)
        if old is not None:
            verdict = self._texts.locate(self._draft, self._ladder, old)
        elif where is not ANYWHERE:
            verdict = locate_by(self._draft, self._ladder, search, where, self._last_stop)
        else:
            verdict = locate(self._draft, self._ladder, search)
        if isinstance(verdict, Several) and self._first_of_several:
            hit = next((hit for hit in verdict.hits if hit.start >= self._last_stop), verdict.hits[0])
            return locate_one(self._draft, self._ladder, search, verdict, hit)
        return verdict

    def _longer_search(self, block: OpenBlock) -> list[str] | None:
        """All lines of the block so far as its SEARCH, if that has a hit."""
        divider = block.divider or ""
        if not self._draft.may_hold_line(less_indent(block.indent, divider)):
            return None  # nearly always: without a search, since this is asked of every line that looks like a divider
        longer = [*block.search, divider, *block.replace]
        return longer if self._has_hit(block, longer) else None

    def _has_hit(self, block: OpenBlock, lines: Sequence[str]) -> bool:
        verdict = self._locate(self._as_looked_for(block, lines), block.where)
        return not (isinstance(verdict, Lost) and verdict.kind == "not_found")


class NoSearch:
    """The machine of the search stage for a document that is too large: no block has a place, and none is written."""

    def feed(self, event: BlockEvent) -> Iterable[EditEvent]:
        """Give nothing: the snapshots stage says why."""
        return ()

    def peek(self, unfinished: Unfinished[BlockTailEvent]) -> Unfinished[EditTailEvent]:
        """Give nothing."""
        return NOTHING

    def close(self, reason: Reason) -> Iterable[End]:
        """Pass the end on."""
        return (End(reason),)


def search_machine(
    document: Document,
    dialect: Dialect,
    ladder: Sequence[LineTier],
    *,
    first_of_several: bool = False,
    terms: Terms = BLOCKS,
) -> Machine[BlockEvent, EditEvent | End]:
    """The machine that a dialect's search asks for; ``ladder`` is for those that search whole lines."""
    if document.too_large:
        return NoSearch()
    if dialect.search == "cursor":
        return CursorSearch(document, dialect)
    return LadderSearch(document, ladder, first_of_several=first_of_several, terms=terms)


def search(
    document: Document,
    dialect: Dialect,
    *,
    ladder: Sequence[LineTier] | None = None,
    first_of_several: bool = False,
    terms: Terms = BLOCKS,
) -> Callable[[Observable[BlockEvent | Unfinished[BlockTailEvent]]], Observable[EditEvent | Unfinished[EditTailEvent]]]:
    """Operator: block events to edits of one document.

    ::

        --Opened--SearchLine("a")--Divided----------ReplaceLine("b")--Closed--|
        --searching-Narrowed-------located-Writing--replacing-Wrote---Placed--End|
    """
    tiers = dialect.line_tiers if ladder is None else ladder
    return as_operator(lambda: search_machine(document, dialect, tiers, first_of_several=first_of_several, terms=terms))
