"""The original file, indexed by line once.

Searching whole lines is searching a string, once each distinct line has a character of its own. An index gives every
distinct line (after a *fold*: as it is, without trailing blanks, …) a code point, so that a file becomes a string with
one character per line, and a SEARCH of 200 lines one of 200 characters. ``str.find`` then does the work: linear, in C,
and a SEARCH with a line that the file does not have is answered by a dictionary look-up.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias

from .entities import decode

Fold: TypeAlias = Callable[[str], str]

FILE_LIMIT = 64 * 1024 * 1024
"""Code points of a file. Indexes take a few times its size; no file that a model edits by blocks is near this."""

LINES_LIMIT = 1_000_000
"""Lines of a file. An index gives each distinct line a code point, and there are 1,114,112 of those."""

LINES_TOLD_APART = 1_114_000
"""Lines of a file and of all that blocks put there: those of one index are never more."""

HITS_LIMIT = 1000
"""Hits of one search. With more, nothing could tell which one is meant, and to keep them all costs more than an answer
is worth."""

BOM = "\ufeff"

# What ECMAScript's trim takes off: white space and line terminators, but no U+001C to U+001F and no U+0085.
_ES_SPACE = "".join(
    map(
        chr,
        [
            *range(0x09, 0x0E),
            0x20,
            0xA0,
            0x1680,
            *range(0x2000, 0x200B),
            0x2028,
            0x2029,
            0x202F,
            0x205F,
            0x3000,
            0xFEFF,
        ],
    )
)


def trim(line: str) -> str:
    """A line as ECMAScript's ``trim`` leaves it."""
    return line.strip(_ES_SPACE)


class TooManyHits(Exception):
    """A search has more hits than can be told apart; ``lines`` are the first of them, from 0."""

    def __init__(self, lines: Sequence[int]) -> None:
        super().__init__(f"more than {len(lines)} hits")
        self.lines = tuple(lines)


class LineIndex:
    """The lines of a text under one fold, as a string with one character per line."""

    def __init__(self, lines: Sequence[str], fold: Fold | None) -> None:
        table: dict[str, int] = {}
        keys = lines if fold is None else map(fold, lines)
        self._text = "".join([chr(table.setdefault(key, len(table))) for key in keys])
        self._table = table

    def find(self, keys: Iterable[str], most: int = HITS_LIMIT) -> list[int]:
        """Every line, from 0 and overlaps included, where these folded lines stand.

        Raises:
            TooManyHits: there are more than ``most``.
        """
        hits = self.first_few(keys, most + 1)
        if len(hits) > most:
            raise TooManyHits(hits[:most])
        return hits

    def first_few(self, keys: Iterable[str], most: int, start: int = 0) -> list[int]:
        """The first lines from ``start`` on where these folded lines stand, at most so many."""
        needle = self._encoded(keys)
        hits: list[int] = []
        at = self._text.find(needle, start) if needle else -1
        while at >= 0 and len(hits) < most:
            hits.append(at)
            at = self._text.find(needle, at + 1)
        return hits

    def first(self, keys: Iterable[str], start: int) -> int:
        """The first line at or after ``start`` where these folded lines stand, or -1."""
        needle = self._encoded(keys)
        return self._text.find(needle, start) if needle else -1

    def first_framed(self, top: str, bottom: str, size: int, start: int) -> int:
        """The first line from ``start`` on that is ``top`` and has ``bottom`` as the last of ``size`` lines, or -1."""
        frame = self._encoded((top, bottom))
        if not frame:
            return -1
        at = self._text.find(frame[0], start)
        while at >= 0 and at + size <= len(self._text):
            if self._text[at + size - 1] == frame[1]:
                return at
            at = self._text.find(frame[0], at + 1)
        return -1

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for line, code in enumerate(self._text):
            places.setdefault(code, []).append(line)
        return places

    def places(self, key: str) -> Sequence[int]:
        """Every line, from 0, that is this folded line."""
        code = self._table.get(key)
        return () if code is None else self._places.get(chr(code), ())

    @cached_property
    def _sorted_keys(self) -> list[str]:
        return sorted(self._table)

    def beginning_with(self, text: str, most: int) -> list[str]:
        """The different folded lines that begin with a text, at most so many."""
        keys, size = self._sorted_keys, len(text)
        first = bisect_left(keys, text)
        stop = bisect_right(keys, text, lo=first, key=lambda key: key[:size])
        return keys[first : min(stop, first + most)]

    def _encoded(self, keys: Iterable[str]) -> str:
        codes: list[str] = []
        for key in keys:
            code = self._table.get(key)
            if code is None:
                return ""
            codes.append(chr(code))
        return "".join(codes)


class Lines:
    """Lines without their ends, with an index for each fold that was asked for.

    ``most_hits`` of one search are told apart.
    """

    most_hits = HITS_LIMIT

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._indexes: dict[Fold | None, LineIndex] = {}

    @cached_property
    def indents_with_tabs(self) -> bool:
        """Whether a line begins with a tab."""
        return any(line.startswith("\t") for line in self.lines)

    @cached_property
    def indents_with_spaces(self) -> bool:
        """Whether a line begins with a space."""
        return any(line.startswith(" ") for line in self.lines)

    def index(self, fold: Fold | None = None) -> LineIndex:
        """The index of these lines under a fold; made once."""
        if (index := self._indexes.get(fold)) is None:
            index = self._indexes[fold] = LineIndex(self.lines, fold)
        return index


class Document(Lines):
    """The original file: its text, and its lines as ``safe`` counts them (ended by ``\\n`` or ``\\r\\n`` only).

    A byte order mark at the start belongs to no line. ``too_large`` says why a file cannot be edited, or is None; its
    lines are not read then.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.too_large = _too_large(text)
        self.start = 1 if text.startswith(BOM) else 0
        pieces = [] if self.too_large else text[self.start :].split("\n")
        self._open_end = bool(pieces and pieces[-1])
        if pieces and not self._open_end:
            pieces.pop()
        last = len(pieces) - 1 if self._open_end else len(pieces)
        crlf = [n for n, piece in enumerate(pieces) if piece.endswith("\r") and n != last] if "\r" in text else []
        self._crlf = frozenset(crlf)
        self._starts = list(accumulate((len(piece) + 1 for piece in pieces), initial=self.start))
        for number in crlf:
            pieces[number] = pieces[number][:-1]
        super().__init__(pieces)

    def may_hold(self, search: Sequence[str]) -> bool:
        """Whether any tier could find a search here, by its longest line: false spares the indexes of all tiers.

        In plain text every tier but the decoding one finds a line, without the white space around it, as it stands.
        """
        longest = max((line.strip(" \t") for line in search), key=len, default="")
        if longest in self.text or not (self.text.isascii() and longest.isascii()):
            return True
        return "&" in longest and decode(longest) in self.text

    def end(self, line: int) -> str:
        """The line end of a line, from 0: ``\\n``, ``\\r\\n``, or nothing for a last line without one."""
        if line in self._crlf:
            return "\r\n"
        return "" if self._open_end and line == len(self.lines) - 1 else "\n"

    def offset(self, line: int) -> int:
        """Where a line, from 0, begins; for the line after the last one, where the text ends."""
        return min(self._starts[line], len(self.text))

    def line_at(self, offset: int) -> int:
        """The line, from 0, that an offset lies in."""
        return min(max(0, bisect_right(self._starts, offset) - 1), max(0, len(self.lines) - 1))

    @cached_property
    def pieces(self) -> Lines:
        """The text cut at every ``\\n``, as Cline cuts it: with the empty piece after a last line end."""
        return Lines(self.text.split("\n"))

    @cached_property
    def piece_starts(self) -> list[int]:
        """Where each piece begins, and one more for a piece after the last; that one may lie beyond the end."""
        return list(accumulate((len(piece) + 1 for piece in self.pieces.lines), initial=0))


def _too_large(text: str) -> str | None:
    if len(text) > FILE_LIMIT:
        return f"the file is longer than {FILE_LIMIT:,} characters."
    return f"the file has more than {LINES_LIMIT:,} lines." if text.count("\n") > LINES_LIMIT else None
