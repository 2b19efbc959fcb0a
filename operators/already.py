"""Whether what a block asks for is there already: it came before, or what it puts there stands in the file.

The same block again (both sides, and what is said of its place) is meant once, if no place for a second one is left
outside what the first one wrote or kept. A block that is an insertion may be meant twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from .document import TooManyHits
from .draft import Draft
from .folds import is_blank
from .placing import Found, Lost, Verdict, open_hits
from .text_inside import OldSide, TextPlaces
from .tiers import Hit, LineTier, exact, trailing_space
from .writing import Request


def both_sides(request: Request) -> object:
    """What two blocks have to share to be the same one."""
    where = request.where
    return request.search, request.replace, where.scopes, where.at_end, where.after, where.as_text


def _is_insertion(request: Request) -> bool:
    where = request.where
    return not request.search and (where.after is not None or where.at_end or bool(where.scopes))


def repeats(
    draft: Draft,
    ladder: Sequence[LineTier],
    texts: TextPlaces,
    request: Request,
    verdict: Verdict,
    first: int,
    old: OldSide | None = None,
) -> bool:
    """Whether a block that is the same as ``first``, an earlier one, has no place left for a second one.

    ``verdict`` is what was found of it now, ``old`` its old text if it is text.
    """
    if (isinstance(verdict, Lost) and verdict.kind == "ambiguous") or _is_insertion(request):
        return False
    if isinstance(verdict, Found) and verdict.place.blocks and first not in verdict.place.blocks:
        return False  # found in what another block wrote
    if old is not None and old.text and (outside := texts.left_outside(draft, first, old)) is not None:
        return not outside
    return not _left_outside(draft, ladder, first, request.search)


def _left_outside(draft: Draft, ladder: Sequence[LineTier], block: int, search: Sequence[str]) -> bool:
    """Whether SEARCH has a hit in the original that a block neither wrote nor kept."""
    region = draft.region_of(block)
    try:
        hits = next((hits for tier in ladder if (hits := tier.find(draft.document, search))), list[Hit]())
    except TooManyHits:
        return True
    return any(region is None or hit.start < region.start or hit.stop > region.stop for hit in open_hits(draft, hits))


def stands_already(draft: Draft, request: Request) -> bool:
    """Whether REPLACE is in the file once, and is no chance find: two lines, one of them SEARCH's too."""
    lines = [line for line in request.replace if not is_blank(line)]
    if len(lines) < 2 or set(lines).isdisjoint(request.search):
        return False
    try:
        hits = exact(draft.document, request.replace) or trailing_space(draft.document, request.replace)
    except TooManyHits:
        return False
    return len(hits) == 1 and not draft.overlapped(hits[0].start, hits[0].stop)
