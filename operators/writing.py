"""What a block with a place writes: line by line while its REPLACE streams, and all of it once it is closed.

While it streams, only a common beginning with SEARCH can be told for lines that are kept; once it is closed, all of
REPLACE is aligned with SEARCH. Both turn new lines into the file's form by the adapter of the tier.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .alignment import align
from .document import Document
from .draft import Draft, LineEnds, Place, Written, compose
from .events import LineFinisher, Where
from .folds import is_blank
from .indentation import Adapter, Misfit
from .placing import ANYWHERE, Found, Inside, Several


@dataclass(frozen=True, slots=True)
class Request:
    """A closed block: what it looks for and what it puts there. ``repaired`` says that it had no closer.

    ``where`` is what its format says of its place.
    """

    block: int
    line: int
    search: tuple[str, ...]
    replace: tuple[str, ...]
    repaired: bool = False
    where: Where = ANYWHERE


@dataclass(frozen=True, slots=True)
class Pending:
    """A closed block with several hits, to be settled at the end of the stream."""

    request: Request
    several: Several


@dataclass(frozen=True, slots=True)
class Placed:
    """A closed block that has its place: the draft with it, and the offset in the original that it reports.

    ``lines`` are its lines of the original, from 0, or None if it was found in what earlier blocks wrote.
    """

    request: Request
    draft: Draft
    found: Found
    match: int
    lines: tuple[int, int] | None


def place(draft: Draft, request: Request, found: Found, matches: Mapping[int, int]) -> Placed:
    """Write a closed block into the draft. ``matches`` are the offsets that earlier blocks report.

    Raises:
        Misfit: a new line cannot be turned into the file's form.
    """
    lines = rewritten(found, request, draft.document)
    spot = found.place
    own = bool(spot.blocks)
    match = matches[spot.blocks[0]] if own else draft.document.offset(spot.start)
    return Placed(
        request,
        draft.edited(spot, lines, request.block),
        found,
        match,
        None if own else (spot.start, spot.stop),
    )


def rewritten(found: Found, request: Request, document: Document) -> tuple[Written, ...]:
    """The lines that a closed block puts in its place.

    Raises:
        Misfit: a new line cannot be turned into the file's form.
    """
    if found.inside is not None:
        return rewritten_inside(found.place, found.inside.text(request.replace), request.block, found.inside.to_end)
    inner = _inner(found, request.search)
    lines = _without_edge_blanks(request.replace, found.top, found.bottom)
    kept = align(inner, lines)
    adapt = _adapter(found, inner, document)
    if adapt is None:
        texts = list(lines)
    else:
        # The first line says whether the block can be carried over at all, so it is asked even if it is kept.
        texts = [line if at and kept[at] >= 0 else adapt(line, at) for at, line in enumerate(lines)]
    return compose(found.place, kept, texts, request.block)


def rewritten_inside(place: Place, text: str, block: int, to_end: bool) -> tuple[Written, ...]:
    """The lines that take the place of those that a text hit lies in; ``to_end`` as in ``Inside``."""
    texts = text.split("\n")
    opened = to_end and bool(texts[-1])
    if to_end and not opened:
        texts.pop()
    lines = compose(place, align([line.text for line in place.old], texts), texts, block)
    return (*lines[:-1], replace(lines[-1], end="")) if opened else lines


def _inner(found: Found, search: Sequence[str]) -> Sequence[str]:
    return search[found.top : len(search) - found.bottom]


def _adapter(found: Found, inner: Sequence[str], document: Document) -> Adapter | None:
    make = found.tier.adapter
    return make(inner, [line.text for line in found.place.old], document) if make else None


def _without_edge_blanks(lines: Sequence[str], top: int, bottom: int) -> Sequence[str]:
    """REPLACE without the blank lines that SEARCH was found without, where it has them."""
    start, stop = 0, len(lines)
    while start < min(top, stop) and is_blank(lines[start]):
        start += 1
    while stop > start and len(lines) - stop < bottom and is_blank(lines[stop - 1]):
        stop -= 1
    return lines[start:stop]


class OpenWriting:
    """The REPLACE of an open block, line by line.

    ``drops_last`` says that the last line counts only if there is something in it.
    """

    head = foot = ""

    def __init__(self, found: Found, search: Sequence[str], document: Document, *, drops_last: bool = False) -> None:
        self.open_end = bool(found.place.old) and not found.place.old[-1].end
        self._drops_last = drops_last
        self._inner = _inner(found, search)
        self._old = found.place.old
        self._adapt = _adapter(found, self._inner, document)
        # The file's form of each line of SEARCH: of its first place, where a line is there twice.
        self._known = {ours: line.text for ours, line in zip(reversed(self._inner), reversed(self._old), strict=True)}
        self._ends = LineEnds(found.place)
        self._skip = found.top
        self._count = 0
        self._kept = 0
        self._new = 0

    def line(self, text: str) -> str | None:
        """A line of REPLACE as it goes into the file, with its end, or None if it is left out.

        Raises:
            Misfit: it cannot be turned into the file's form.
        """
        if not self._count and self._skip and is_blank(text):
            self._skip -= 1
            return None
        self._count += 1
        if not self._new and self._kept < len(self._inner) and text == self._inner[self._kept]:
            self._kept += 1
            return self._old[self._kept - 1].text + self._ends.kept(self._kept - 1)
        self._new += 1
        made = self._carried(text)
        return made + self._end(self._new - 1)

    def _carried(self, text: str) -> str:
        if self._adapt is None:
            return text
        if self._count > 1 and text in self._known:
            return self._known[text]  # it will turn out to be kept, most likely
        return self._adapt(text, self._count - 1)

    def finisher(self, indent: str = "") -> Finisher:
        """How the line after the last one would be shown while it is unfinished; ``indent`` is no part of it."""
        kept = None
        if not self._new and self._kept < len(self._inner):
            old = self._old[self._kept]
            kept = (self._inner[self._kept], old.text + self._ends.kept(self._kept))
        skips = self._drops_last or bool(self._skip and not self._count)
        return Finisher(self._adapt, self._count, self._end(self._new), indent, kept, skips)

    def _end(self, nth: int) -> str:
        return self._ends.new(self._kept - 1, len(self._old), nth)


class TextWriting:
    """The new text of an open block within the lines that it lies in: these are its ``head`` and ``foot``."""

    def __init__(self, place: Place, inside: Inside) -> None:
        ends, size = LineEnds(place), len(place.old)
        self._end = ends.new(-1, size, 0)
        self.head = inside.before.replace("\n", ends.kept(size - 1) if size else "\n")
        self.open_end = bool(place.old) and not place.old[-1].end and not inside.as_text
        self.foot = inside.after + place.old[-1].end if place.old and inside.as_text else ""

    def line(self, text: str) -> str:
        """A line of the new text, with an end."""
        return text + self._end

    def finisher(self, indent: str = "") -> LineFinisher:
        """How the line after the last one would be shown while it is unfinished."""
        return _AsItIs()


class _AsItIs(LineFinisher):
    """Shows an unfinished line without a line end: what stands after it follows."""

    __slots__ = ()

    def __call__(self, text: str) -> str:
        """The text to show for the unfinished line."""
        return text.removesuffix("\r")


@dataclass(frozen=True, slots=True)
class Finisher(LineFinisher):
    """Shows an unfinished line in the file's form, or as it is while it cannot be carried over.

    ``index`` lines of REPLACE came before it and ``end`` would end it. ``kept`` is a line of SEARCH and the file's form
    of it, should it be that one; ``skips`` says that it is left out if it is blank.
    """

    adapt: Adapter | None
    index: int
    end: str
    indent: str = ""
    kept: tuple[str, str] | None = None
    skips: bool = False

    def __call__(self, text: str) -> str:
        """The unfinished line as it would stand in the file."""
        text = text.removesuffix("\r").removeprefix(self.indent)
        if self.skips and is_blank(text):
            return ""
        if self.kept is not None and text == self.kept[0]:
            return self.kept[1]
        if self.adapt is not None:
            with contextlib.suppress(Misfit):
                text = self.adapt(text, self.index)
        return text + self.end
