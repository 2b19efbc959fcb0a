"""Where a block goes by what its format says of its place: near a line, after some lines, at the end of the file.

What is said narrows the hits of a tier in the original before anything else does; a tier that none is left of counts
as one without a hit.

- *Scopes* (``@@ class A`` of a V4A patch): lines that stand before the hit. From each line that is the first scope, the
  next one is the first such line after it, and so on; the first hit after the last one is meant. A line is a scope if
  it is the same; else if it is so but for white space around it; else if it begins with it, up to the end of a word.
- *At the end*: the hit that only blank lines follow, if there is one.
- *Near* (Roo's ``:start_line:``): the nearest hit, if the next one is at least twice as far.

A block without a SEARCH is an insertion: after a line, after its scopes, or at the end.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property, partial
from itertools import pairwise

from .document import Document
from .draft import Draft
from .events import Where
from .folds import is_blank, without_indent
from .messages import clipped, line_numbers, printable
from .placing import Choice, Found, Inside, Lost, Verdict, locate
from .surroundings import Surroundings
from .tiers import Hit, LineTier


def locate_by(draft: Draft, ladder: Sequence[LineTier], search: Sequence[str], where: Where) -> Verdict:
    """Where a SEARCH that has a line goes, by what is said of its place."""
    choices: list[Choice] = []
    if where.scopes:
        ends = _ends_of_scopes(draft.document, where.scopes)
        if isinstance(ends, Lost):
            return ends
        choices.append(partial(_after_scopes, ends))
    if where.at_end:
        choices.append(partial(_at_end, _last_line_with_text(draft.document)))
    if where.near is not None:
        choices.append(partial(_nearest, where.near - 1))

    def choose(hits: Sequence[Hit]) -> Sequence[Hit]:
        for choice in choices:
            hits = choice(hits)
        return hits

    verdict = locate(draft, ladder, search, choose if choices else None)
    if where.scopes and isinstance(verdict, Lost) and verdict.kind == "not_found":
        return _not_below(locate(draft, ladder, search), where.scopes[-1])
    return verdict


def _not_below(anywhere: Verdict, scope: str) -> Lost:
    if isinstance(anywhere, Lost) and anywhere.kind == "not_found":
        return anywhere
    return Lost("not_found", note=f"its lines are in the file, but not after its @@ line: {_shown(scope)}")


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


# Scopes --------------------------------------------------------------------------------------------------------------


class _ScopeLines:
    """The lines that are a scope, by each way of comparing: the strictest first."""

    def __init__(self, document: Document, scope: str) -> None:
        self._document = document
        self._bare = without_indent(scope)
        self._same = document.index().places(scope)

    @cached_property
    def _same_but_for_space(self) -> Sequence[int]:
        return self._document.index(without_indent).places(self._bare)

    @cached_property
    def _begun_by_it(self) -> Sequence[int]:
        if self._bare not in self._document.text:
            return ()
        return [at for at, line in enumerate(self._document.lines) if _begins_with(without_indent(line), self._bare)]

    def all(self) -> Sequence[int]:
        """Every line, from 0, that is the scope by the strictest way that finds one."""
        return self._same or self._same_but_for_space or self._begun_by_it

    def after(self, line: int) -> int | None:
        """The first line after this one, both from 0, that is the scope by the strictest way that finds one there."""
        for way in ("_same", "_same_but_for_space", "_begun_by_it"):
            places: Sequence[int] = getattr(self, way)
            if (at := bisect_right(places, line)) < len(places):
                return places[at]
        return None


def _begins_with(line: str, scope: str) -> bool:
    """Whether a line begins with a scope that ends where a word does."""
    following = line[len(scope) : len(scope) + 1]
    return line.startswith(scope) and not (_in_word(scope[-1:]) and _in_word(following))


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _ends_of_scopes(document: Document, scopes: Sequence[str]) -> list[int] | Lost:
    """Every line, from 0, where a chain of scopes ends."""
    ends = list(_ScopeLines(document, scopes[0]).all())
    if not ends:
        return Lost("not_found", note=f"its @@ line is not in the file: {_shown(scopes[0])}")
    for above, scope in pairwise(scopes):
        lines = _ScopeLines(document, scope)
        ends = sorted({at for end in ends if (at := lines.after(end)) is not None})
        if not ends:
            what = f"not in the file after {_shown(above)}" if lines.all() else "not in the file"
            return Lost("not_found", note=f"its @@ line is {what}: {_shown(scope)}")
    return ends


def _shown(scope: str) -> str:
    return f'"{printable(clipped(scope))}"'


def _after_scopes(ends: Sequence[int], hits: Sequence[Hit]) -> Sequence[Hit]:
    """The first hit after each of these lines; where there is none at all, those that begin with such a line."""
    starts = [hit.start for hit in hits]
    reached = {at for end in ends if (at := bisect_right(starts, end)) < len(hits)}
    reached = reached or {at for end in ends if (at := bisect_left(starts, end)) < len(hits)}
    return [hits[at] for at in sorted(reached)]


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
    """The place in an empty file, for one block only."""
    if draft.regions:
        return Lost("overlap", blocks=draft.regions[0].blocks)
    return Found(draft.place_in_original(0, 0), tier, inside=Inside("", "", to_end=True) if where.as_text else None)


def _below_scopes(draft: Draft, tier: LineTier, where: Where) -> Found | Lost:
    ends = _ends_of_scopes(draft.document, where.scopes)
    if isinstance(ends, Lost):
        return ends
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
