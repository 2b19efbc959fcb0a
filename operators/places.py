"""Where a block goes by what its format says of its place: near a line, after some lines, at the end of the file.

What is said narrows the hits of a tier in the original before anything else does; a tier that none is left of counts
as one without a hit.

- *At the end*: the hit that only blank lines follow, if there is one.
- *Scopes*: lines that stand before the hit (``scopes``). The first hit after the last one is meant; if there is none,
  the one that begins with it. What is found only in what earlier blocks wrote is not all above it. Hunks should come in
  the order of the file, so that the first hit below the block before as well may be meant: where it is another one,
  both count.
- *Near* (Roo's ``:start_line:``): the nearest hit, if the next one is at least twice as far.

A block without a SEARCH is an insertion: after a line, after its scopes, or at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from .document import HITS_LIMIT, Document
from .draft import Draft
from .events import Where
from .folds import is_blank
from .messages import line_numbers
from .placing import Choice, Found, Inside, Lost, Verdict, locate
from .scopes import Scopes, shown
from .surroundings import Surroundings
from .tiers import Hit, LineTier


def locate_by(
    draft: Draft, ladder: Sequence[LineTier], search: Sequence[str], where: Where, last_stop: int = 0
) -> Verdict:
    """Where a SEARCH that has a line goes, by what is said of its place.

    ``last_stop`` is the line of the original, from 0, where the block before ends.
    """
    choices: list[Choice] = []
    scopes = Scopes(draft.document, where.scopes)
    if scopes.missing:
        return Lost("not_found", note=scopes.missing)
    if where.at_end:
        choices.append(partial(_at_end, _last_line_with_text(draft.document)))
    if where.scopes:
        choices.append(partial(_after_scopes, scopes, last_stop))
    if where.near is not None:
        choices.append(partial(_nearest, where.near - 1))

    def choose(hits: Sequence[Hit]) -> Sequence[Hit]:
        for choice in choices:
            hits = choice(hits)
        return hits

    verdict = locate(draft, ladder, search, choose if choices else None)
    if where.scopes and _is_elsewhere(verdict, scopes):
        anywhere = locate(draft, ladder, search)
        if not isinstance(anywhere, Lost) or anywhere.kind != "not_found":
            note = f"its lines are in the file, but not after its @@ line: {shown(where.scopes[-1])}"
            return Lost("not_found", note=note)
    return verdict


def _is_elsewhere(verdict: Verdict, scopes: Scopes) -> bool:
    """Whether a verdict says that nothing is below the scopes; a place in what blocks wrote may be above them."""
    if isinstance(verdict, Found):
        return bool(verdict.place.blocks) and scopes.last_end_before(verdict.place.stop) is None
    return isinstance(verdict, Lost) and verdict.kind == "not_found"


def _after_scopes(scopes: Scopes, last_stop: int, hits: Sequence[Hit]) -> Sequence[Hit]:
    """The first hit after each end of the scopes; where there is none at all, those that begin with such a line.

    If any of them is above the end of the block before, the first one below both counts as well.
    """
    above, reached = -1, list[Hit]()
    for hit in hits:
        end = scopes.last_end_before(hit.start)
        is_next = bool(reached) and reached[0].start < last_stop and above < last_stop <= hit.start
        if end is not None and (end >= above or is_next):
            reached.append(hit)
        above = hit.start
    return reached or [hit for hit in hits if scopes.last_end_before(hit.start + 1) == hit.start]


def _nearest(line: int, hits: Sequence[Hit]) -> Sequence[Hit]:
    """The hit nearest to a line, from 0, if the next one is at least twice as far; else all of them."""
    if len(hits) < 2:
        return hits
    first, second = sorted(hits, key=lambda hit: abs(hit.start - line))[:2]
    near, far = abs(first.start - line), abs(second.start - line)
    return [first] if near < far and 2 * near <= far else hits


def _last_line_with_text(document: Document) -> int:
    """How many lines the file has without blank ones at its end."""
    count = len(document.lines)
    while count and is_blank(document.lines[count - 1]):
        count -= 1
    return count


def _at_end(end: int, hits: Sequence[Hit]) -> Sequence[Hit]:
    """The hits that reach to the end of the file, if there are any; else all."""
    return [hit for hit in hits if hit.stop >= end] or hits


# Insertions ----------------------------------------------------------------------------------------------------------


def place_insertion(draft: Draft, tier: LineTier, where: Where) -> Found | Lost:
    """Where a block without a SEARCH goes; ``Lost`` without a note if nothing is said of its place."""
    lines = len(draft.document.lines)
    if where.scopes and not where.at_end:
        return _below_scopes(draft, tier, where)
    if where.after is not None and where.after > lines:
        have = "1 line" if lines == 1 else f"{lines:,} lines"
        return Lost("not_found", note=f"there is no line {where.after:,}: the file has {have}.")
    if not lines:
        return _creation(draft, tier, where)
    if where.at_end or where.after is not None:
        return _insertion(draft, lines if where.after is None else where.after, tier)
    return Lost("not_found")


def _creation(draft: Draft, tier: LineTier, where: Where) -> Found | Lost:
    """The place in an empty file: for one block only, but for insertions, which follow each other."""
    if draft.regions and where.after is None and not where.at_end:
        return Lost("overlap", blocks=draft.regions[0].blocks)
    inside = Inside("", "", to_end=True) if where.as_text else None
    return Found(draft.place_in_original(0, 0), tier, inside=inside)


def _below_scopes(draft: Draft, tier: LineTier, where: Where) -> Found | Lost:
    scopes = Scopes(draft.document, where.scopes)
    if scopes.missing:
        return Lost("not_found", note=scopes.missing)
    ends = scopes.ends(HITS_LIMIT + 1)
    if len(ends) > HITS_LIMIT:
        return Lost("ambiguous", note=f"its @@ lines stand at more than {HITS_LIMIT:,} places.")
    meant: Sequence[Hit] = [Hit(end, end + 1) for end in ends]
    if where.near is not None:
        meant = _nearest(where.near - 1, meant)
    if len(meant) > 1:
        note = f"its @@ lines stand at {len(ends)} places: lines {line_numbers(ends)}."
        return Lost("ambiguous", tuple(ends), note=note)
    return _insertion(draft, meant[0].stop, tier)


def _insertion(draft: Draft, line: int, tier: LineTier) -> Found | Lost:
    """The place after so many lines of the original."""
    if line == len(draft.document.lines):
        return _at_bottom(draft, tier)
    if touched := draft.overlapped(line, line):
        return Lost("overlap", blocks=draft.regions[touched[0]].blocks)
    return Found(draft.place_in_original(line, line), tier)


def _at_bottom(draft: Draft, tier: LineTier) -> Found:
    """The place after the last line, which is made part of it if it has no line end and needs one."""
    count, last = len(draft.document.lines), len(draft.regions) - 1
    if last < 0 or draft.regions[last].stop < count:
        spot = draft.place_in_original(count - 1, count)
    elif draft.regions[last].lines:
        text = Surroundings(draft, [last], 1)
        spot = text.hit(len(text.lines) - 1, len(text.lines), {last}).place
    else:
        return Found(draft.place_in_original(count, count), tier)
    if spot.old[-1].end:
        return Found(draft.place_in_original(count, count), tier)
    return Found(spot, tier, inside=Inside(spot.old[-1].text + "\n", "", as_text=False))
