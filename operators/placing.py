"""Where a SEARCH goes in the file as edited so far: the ladder, walked over the original and over our own text.

The ladder is gone down only on no hit. At each tier the original is asked first, then what earlier blocks wrote. Of
several hits in the original, those on lines that earlier blocks replaced are no places any more. A hit on lines that an
earlier block kept, and one whose lines are all replaced, is looked for in the edited text instead, where it must touch
what those blocks wrote, so that it never slips to a looser hit elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from .document import Document, TooManyHits
from .draft import Draft, Place
from .events import Block, BlockStatus, Where
from .folds import MOST_EDGE_BLANKS
from .surroundings import OwnHit, Surroundings
from .tiers import Hit, LineTier

ANYWHERE = Where()
"""What most formats say of a block's place: nothing."""


@dataclass(frozen=True, slots=True)
class Inside:
    """What stands before and after a hit in the lines that it lies in, and stays.

    ``to_end`` says that the hit reaches beyond the last line end of the file: REPLACE says whether there is one then.
    Without ``as_text``, REPLACE is whole lines all the same.
    """

    before: str
    after: str
    to_end: bool = False
    as_text: bool = True

    def text(self, replace: Sequence[str]) -> str:
        """The whole lines that these lines of REPLACE make, joined."""
        return self.before + "\n".join(replace) + self.after


@dataclass(frozen=True, slots=True)
class Found:
    """A place; the first ``top`` and last ``bottom`` lines of SEARCH, blank, are no part of it.

    ``others`` are the lines, from 1, of further hits that were not taken. With ``inside``, the place is that of the
    lines which the hit lies in.
    """

    place: Place
    tier: LineTier
    top: int = 0
    bottom: int = 0
    others: tuple[int, ...] = ()
    inside: Inside | None = None


@dataclass(frozen=True, slots=True)
class Several:
    """More than one open hit in the original; ``draft`` is the text that was searched."""

    hits: tuple[Hit, ...]
    tier: LineTier
    draft: Draft


@dataclass(frozen=True, slots=True)
class Lost:
    """No place: nothing was found, earlier blocks changed it, there are several, or what is put there is too large.

    ``lines`` are the lines of the edited text, from 0, of hits there; ``blocks`` those that changed what is looked for;
    ``many`` says that there are too many hits to tell apart; ``times`` that so many hits are in the text itself, at
    ``lines``; ``note`` says why in words of its own.
    """

    kind: Literal["not_found", "overlap", "ambiguous", "too_large"]
    lines: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()
    many: bool = False
    times: int = 0
    note: str = ""


Verdict: TypeAlias = Found | Several | Lost
Choice: TypeAlias = Callable[[Sequence[Hit]], Sequence[Hit]]


def locate(draft: Draft, ladder: Sequence[LineTier], search: Sequence[str], choose: Choice | None = None) -> Verdict:
    """Where a SEARCH that has a line goes; ``choose`` says which hits of a tier in the original count."""
    try:
        return _located(draft, ladder, search, choose)
    except TooManyHits as many:
        return Lost("ambiguous", many.lines, many=True)


def _located(draft: Draft, ladder: Sequence[LineTier], search: Sequence[str], choose: Choice | None) -> Verdict:
    regions: Sequence[int] | None = None if draft.regions else ()
    if regions is not None and not draft.document.may_hold(search):
        return Lost("not_found")
    for tier in ladder:
        hits: Sequence[Hit] = tier.find(draft.document, search)
        if hits and choose is not None and (chosen := choose(hits)) != hits:
            if chosen:
                return _with_others(_among(draft, ladder, search, tier, chosen), hits)
            continue
        if hits:
            return _among(draft, ladder, search, tier, hits)
        if regions is None:
            regions = draft.regions_for(search)
        if regions and (own := _own_hits(draft, tier, search, regions)):
            return _one_of(own, tier)
    return Lost("not_found")


def _with_others(verdict: Verdict, hits: Sequence[Hit]) -> Verdict:
    """What was found of some hits, with the lines of the others."""
    if not isinstance(verdict, Found):
        return verdict
    return replace(verdict, others=tuple(hit.start + 1 for hit in hits if hit.start != verdict.place.start))


def locate_hit(
    draft: Draft, ladder: Sequence[LineTier], search: Sequence[str], tier: LineTier, hit: Hit
) -> Found | Lost:
    """The place of one hit in the original: there, or in the edited text if earlier blocks have a part in it."""
    touched = draft.overlapped(hit.start, hit.stop)
    if not touched:
        return Found(draft.place_in_original(hit.start, hit.stop), tier, hit.top, hit.bottom)
    try:
        return _in_own_text(draft, ladder, search, touched)
    except TooManyHits as many:
        return Lost("ambiguous", many.lines, many=True)


def locate_one(
    draft: Draft, ladder: Sequence[LineTier], search: Sequence[str], several: Several, hit: Hit
) -> Found | Lost:
    """The place of the hit that was taken of several."""
    verdict = locate_hit(draft, ladder, search, several.tier, hit)
    if isinstance(verdict, Found):
        return replace(verdict, others=tuple(other.start + 1 for other in several.hits if other is not hit))
    return verdict


def open_hits(draft: Draft, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits that are not on replaced lines."""
    return tuple(hit for hit in hits if not draft.has_gone(hit.start, hit.stop))


def _among(
    draft: Draft, ladder: Sequence[LineTier], search: Sequence[str], tier: LineTier, hits: Sequence[Hit]
) -> Verdict:
    left = open_hits(draft, hits) if draft.regions else tuple(hits)
    if len(left) > 1:
        return Several(left, tier, draft)
    if left:
        return locate_hit(draft, ladder, search, tier, left[0])
    regions = sorted({index for hit in hits for index in draft.overlapped(hit.start, hit.stop)})
    return _in_own_text(draft, ladder, search, regions)


def _in_own_text(
    draft: Draft, ladder: Sequence[LineTier], search: Sequence[str], regions: Sequence[int]
) -> Found | Lost:
    for tier in ladder:
        if own := _own_hits(draft, tier, search, regions):
            return _one_of(own, tier)
    return Lost("overlap", blocks=tuple(sorted({block for index in regions for block in draft.regions[index].blocks})))


def _own_hits(draft: Draft, tier: LineTier, search: Sequence[str], regions: Sequence[int]) -> list[tuple[Hit, OwnHit]]:
    """The hits in the edited text that touch what the blocks of these regions wrote."""
    text = Surroundings(draft, regions, len(search) + MOST_EDGE_BLANKS)
    wanted = set(regions)
    hits: list[tuple[Hit, OwnHit]] = []
    for hit in tier.find(text, search):
        touched = text.touched(hit.start, hit.stop)
        if touched & wanted:
            hits.append((hit, text.hit(hit.start, hit.stop, touched)))
    return hits


def _one_of(own: Sequence[tuple[Hit, OwnHit]], tier: LineTier) -> Found | Lost:
    if len(own) > 1:
        return Lost("ambiguous", tuple(found.line for _, found in own))
    hit, found = own[0]
    return Found(found.place, tier, hit.top, hit.bottom)


def shown(document: Document, block: int, line: int, status: BlockStatus, verdict: Verdict | None = None) -> Block:
    """A block as users see it, with the place or the places that a verdict gives it."""
    if isinstance(verdict, Several):
        return Block(block, line, status, verdict.tier.name, other_matches=tuple(hit.start + 1 for hit in verdict.hits))
    if not isinstance(verdict, Found):
        return Block(block, line, status)
    spot = verdict.place
    span = (document.offset(spot.start), document.offset(spot.stop))
    return Block(block, line, status, verdict.tier.name, span, (spot.start + 1, spot.stop + 1), verdict.others)
