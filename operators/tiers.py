"""The search tiers: one function for each rule by which a SEARCH may be found.

Two families. The tiers of Cline search a text from a cursor and stop at the first hit; they take and give offsets. The
tiers of ``safe`` compare whole lines and give every hit, overlaps included; on the way down its ladder each allows a
little more difference, always one that says exactly what REPLACE has to become.

Sources: Cline 4.0.10, ``diff.ts`` (line-trimmed and block-anchor fallbacks); the ladder of ``safe`` is our own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .document import Document, Lines, TooManyHits, trim
from .entities import decode, has_bare
from .folds import MOST_EDGE_BLANKS, is_blank, plain_unicode, without_end_space, without_indent
from .indentation import Adapter, Misfit, first_line_adapter, fitting_maps, indent_adapter, indent_of

# Cursor tiers: (document, SEARCH lines, cursor) -> (start, end) or None ------------------------------------------

CursorTier: TypeAlias = Callable[[Document, Sequence[str], int], tuple[int, int] | None]


def exact_from_cursor(document: Document, search: Sequence[str], cursor: int) -> tuple[int, int] | None:
    """The first place at or after the cursor that holds the text, each line with its ``\\n``."""
    text = "".join([line + "\n" for line in search])
    at = document.text.find(text, cursor)
    return None if at < 0 else (at, at + len(text))


def exact_from_start(document: Document, search: Sequence[str], cursor: int) -> tuple[int, int] | None:
    """The first place in the whole file that holds the text."""
    return exact_from_cursor(document, search, 0)


def trimmed_lines(document: Document, search: Sequence[str], cursor: int) -> tuple[int, int] | None:
    """The first lines at or after the cursor that are the same once both sides are trimmed."""
    at = document.pieces.index(trim).first([trim(line) for line in search], _piece_at(document, cursor))
    return None if at < 0 else _piece_span(document, at, len(search))


def anchors(document: Document, search: Sequence[str], cursor: int) -> tuple[int, int] | None:
    """The first place whose first and last lines, trimmed, are those of SEARCH, so many lines apart.

    SEARCH has two lines or more: Cline asks for three and counts the empty piece after the last line end.
    """
    if len(search) < 2:
        return None
    index = document.pieces.index(trim)
    at = index.first_framed(trim(search[0]), trim(search[-1]), len(search), _piece_at(document, cursor))
    return None if at < 0 else _piece_span(document, at, len(search))


def _piece_at(document: Document, cursor: int) -> int:
    """The first piece that begins at or after the cursor."""
    return min(bisect_left(document.piece_starts, cursor), len(document.pieces.lines))


def _piece_span(document: Document, at: int, count: int) -> tuple[int, int]:
    return document.piece_starts[at], document.piece_starts[at + count]


# Line tiers: (lines, SEARCH lines) -> every hit -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hit:
    """Lines ``[start, stop)``, from 0, found for a SEARCH without its first ``top`` and last ``bottom`` blank lines."""

    start: int
    stop: int
    top: int = 0
    bottom: int = 0


@dataclass(frozen=True, slots=True)
class LineTier:
    """A step of the ladder: its name, how it finds, and how it turns new lines into the file's form.

    ``adapter`` is made from the lines of SEARCH, those that they were found as, and the file; None changes nothing.
    """

    name: str
    find: Callable[[Lines, Sequence[str]], list[Hit]]
    adapter: Callable[[Sequence[str], Sequence[str], Lines], Adapter] | None = None


INDENTS_COMPARED = 20_000
"""Places whose indents are compared for one search: some tenths of a second."""

INDENTED_LINES_COMPARED = 2_000_000
"""Lines that these places may have together: as long."""


def exact(text: Lines, search: Sequence[str]) -> list[Hit]:
    """Lines that are the same."""
    return [Hit(at, at + len(search)) for at in text.index().find(search)]


def trailing_space(text: Lines, search: Sequence[str]) -> list[Hit]:
    """Lines that are the same without the spaces and tabs at their end."""
    keys = [without_end_space(line) for line in search]
    return [Hit(at, at + len(search)) for at in text.index(without_end_space).find(keys)]


def edge_blanks(text: Lines, search: Sequence[str]) -> list[Hit]:
    """As ``trailing_space``, without blank lines at the edges of SEARCH, as few as possible."""
    return _fewest_blanks(search, lambda inner: [hit.start for hit in trailing_space(text, inner)], least=1)


def indent(text: Lines, search: Sequence[str]) -> list[Hit]:
    """As ``edge_blanks``, after one map of the indent of every line."""

    def fits(inner: Sequence[str], found: Sequence[str]) -> bool:
        return bool(fitting_maps(inner, found, text))

    return _fewest_blanks(search, lambda inner: _without_indent(text, inner, fits), least=0)


def first_line_indent(text: Lines, search: Sequence[str]) -> list[Hit]:
    """As ``indent``, where the first line of SEARCH lost its indent and the later ones have one."""

    def fits(inner: Sequence[str], found: Sequence[str]) -> bool:
        return bool(indent_of(found[0]) and fitting_maps(inner[1:], found[1:], text))

    def places(inner: Sequence[str]) -> list[int]:
        later = [line for line in inner[1:] if not is_blank(line)]
        if not later or is_blank(inner[0]) or indent_of(inner[0]) or not all(map(indent_of, later)):
            return []
        return _without_indent(text, inner, fits)

    return _fewest_blanks(search, places, least=0)


def unicode(text: Lines, search: Sequence[str]) -> list[Hit]:
    """As ``trailing_space``, after typographic characters were made plain on both sides."""
    keys = [plain_unicode(line) for line in search]
    return [Hit(at, at + len(search)) for at in text.index(plain_unicode).find(keys)]


def entities(text: Lines, search: Sequence[str]) -> list[Hit]:
    """As ``trailing_space``, after one layer of entities was decoded; only where that is found exactly once."""
    decoded = [decode(line) for line in search]
    if decoded == list(search) or any(map(has_bare, search)):
        return []
    try:
        hits = trailing_space(text, decoded)
    except TooManyHits:
        return []
    return hits if len(hits) == 1 else []


def decoding_adapter(search: Sequence[str], found: Sequence[str], file: Lines) -> Adapter:
    """How new lines are decoded for the ``entities`` tier."""

    def adapt(line: str, index: int) -> str:
        if has_bare(line):
            raise Misfit("SEARCH is in the file only with its entities decoded, and REPLACE was never encoded", line)
        return decode(line)

    return adapt


def _without_indent(
    text: Lines, search: Sequence[str], fits: Callable[[Sequence[str], Sequence[str]], bool]
) -> list[int]:
    """The places where the lines are the same without their indent, and fit."""
    keys = [without_indent(line) for line in search]
    most = max(1, min(INDENTS_COMPARED, INDENTED_LINES_COMPARED // len(keys)))
    places = text.index(without_indent).find(keys, most)
    fitting = [at for at in places if fits(search, text.lines[at : at + len(search)])]
    if len(fitting) > text.most_hits:
        raise TooManyHits(fitting[: text.most_hits])
    return fitting


def _fewest_blanks(search: Sequence[str], find: Callable[[Sequence[str]], list[int]], least: int) -> list[Hit]:
    """The hits of SEARCH without blank lines at its edges, for the least number of them that gives any."""
    top_most, bottom_most = _edge(search), _edge(search[::-1])
    for total in range(least, top_most + bottom_most + 1):
        hits: dict[tuple[int, int], Hit] = {}
        for top in range(max(0, total - bottom_most), min(top_most, total) + 1):
            inner = search[top : len(search) - (total - top)]
            if inner:
                for at in find(inner):
                    hits.setdefault((at, at + len(inner)), Hit(at, at + len(inner), top, total - top))
        if hits:
            return sorted(hits.values(), key=lambda hit: hit.start)
    return []


def _edge(lines: Sequence[str]) -> int:
    """How many blank lines at the beginning may be left out."""
    count = 0
    while count < min(MOST_EDGE_BLANKS, len(lines)) and is_blank(lines[count]):
        count += 1
    return count


safe_ladder = (
    LineTier("exact", exact),
    LineTier("trailing_space", trailing_space),
    LineTier("edge_blanks", edge_blanks),
    LineTier("indent", indent, indent_adapter),
    LineTier("first_line_indent", first_line_indent, first_line_adapter),
    LineTier("unicode", unicode),
    LineTier("entities", entities, decoding_adapter),
)
"""The ladder of ``safe``, from the strictest tier down."""
