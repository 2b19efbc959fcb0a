"""Scopes: lines that a format names above the place of a block (``@@ class A`` of a V4A patch), a chain of them.

A line is a scope if it is the same; else if it is so but for white space around it; else if it begins with it, up to
the end of a word (no more than ``HITS_LIMIT`` lines do, or none counts). From each line that is the first scope, by the
strictest way that finds any, the next scope is the first such line after it, by the strictest way that finds one there,
and so on.

A chain may end at as many lines as there are that begin it. They are not listed: the further down it begins, the
further down it ends, so that the last end before some line is found by going up the chain once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from .document import HITS_LIMIT, Document
from .folds import without_indent
from .messages import clipped, printable


class _Scope:
    """The lines that are a scope, from 0: of the ``first`` one of a chain only by the strictest way that finds any."""

    def __init__(self, document: Document, text: str, *, first: bool) -> None:
        self._document = document
        self._first = first
        self._bare = without_indent(text)
        self._same = document.index().places(text)

    @cached_property
    def _same_but_for_space(self) -> Sequence[int]:
        return () if self._first and self._same else self._document.index(without_indent).places(self._bare)

    @cached_property
    def _begun_by_it(self) -> Sequence[int]:
        stricter = self._same or self._same_but_for_space
        if (self._first and stricter) or self._bare not in self._document.text:
            return ()
        index = self._document.index(without_indent)
        keys = index.beginning_with(self._bare, HITS_LIMIT + 1)
        places = (at for key in keys if _ends_a_word(key, len(self._bare)) for at in index.places(key))
        found = sorted(islice(places, HITS_LIMIT + 1))
        return found if max(len(keys), len(found)) <= HITS_LIMIT else ()

    def _ways(self) -> Iterator[Sequence[int]]:
        """The lines by each way of comparing: the strictest first, and each among those of the next."""
        yield self._same
        yield self._same_but_for_space
        yield self._begun_by_it

    def after(self, line: int) -> int | None:
        """The first line after this one that is the scope, by the strictest way that finds one there."""
        for places in self._ways():
            if (at := bisect_right(places, line)) < len(places):
                return places[at]
        return None

    def before(self, line: int) -> int | None:
        """The last line before this one that is the scope after some other: by no way, if a stricter one goes on."""
        last, beyond = None, -1
        for places in self._ways():
            if beyond + 1 >= line:
                break
            at = bisect_left(places, line)
            if at and places[at - 1] > beyond:
                last = places[at - 1]
            beyond = max(beyond, places[-1] if places else -1)
        return last


def _ends_a_word(line: str, at: int) -> bool:
    """Whether no word goes on at this place in a line."""
    return not (_in_word(line[at - 1 : at]) and _in_word(line[at : at + 1]))


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"


class Scopes:
    """A chain of scopes in a file."""

    def __init__(self, document: Document, scopes: Sequence[str]) -> None:
        self._count = len(document.lines)
        self._chain = [_Scope(document, scope, first=not at) for at, scope in enumerate(scopes)]
        self.missing = self._missing(scopes)
        """What is wrong if the chain is not in the file, in words; else empty."""

    def _missing(self, scopes: Sequence[str]) -> str:
        end = -1
        for at, scope in enumerate(self._chain):
            following = scope.after(end)
            if following is None:
                after = f" after {shown(scopes[at - 1])}" if at and scope.after(-1) is not None else ""
                return f"its @@ line is not in the file{after}: {shown(scopes[at])}"
            end = following
        return ""

    def last_end_before(self, line: int) -> int | None:
        """The last line before this one, both from 0, where the chain ends."""
        # Down from the first scope: each has to stand before the last place that the one after it may have.
        bounds = [line]
        for scope in reversed(self._chain):
            if (bound := scope.before(bounds[-1])) is None:
                return None
            bounds.append(bound)
        end = bounds.pop()
        for scope in self._chain[1:]:
            if (following := scope.after(end)) is None:
                return None
            end = following
        return end

    def ends(self, most: int) -> list[int]:
        """The last lines where the chain ends, at most so many, in the order of the file."""
        found: list[int] = []
        line: int | None = self._count
        while line is not None and len(found) < most:
            line = self.last_end_before(line)
            if line is not None:
                found.append(line)
        return found[::-1]


def shown(scope: str) -> str:
    """A scope as it is shown in a message."""
    return f'"{printable(clipped(scope))}"'
