"""HTML entities in a diff, as some models write them: one layer of decoding, and the stage that decodes a whole stream.

An entity never spans a line end, so a stream is decoded line by line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from .events import End, Line, LineItem, Reason, Tail
from .machine import Unfinished, as_operator

if TYPE_CHECKING:
    from reactivex import Observable

ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&apos;": "'", "&#39;": "'"}
"""What is decoded, as Cline does for some models; any other entity stays as it is."""

_ENTITY = re.compile("|".join(ENTITIES))
_BARE = re.compile("[<>&]")


def decode(text: str) -> str:
    """Text with one layer of entities decoded."""
    return _ENTITY.sub(lambda found: ENTITIES[found[0]], text) if "&" in text else text


def has_bare(text: str) -> bool:
    """Whether text has a ``<``, ``>`` or ``&`` that is not part of a known entity: then it was never encoded."""
    return _BARE.search(_ENTITY.sub("", text)) is not None


LONGEST_ENTITY = max(map(len, ENTITIES))


class _GrowingLine:
    """An unfinished line, decoded as far as it cannot change any more; ``rest`` may be the beginning of an entity."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self.decoded: list[str] = []
        self.size = 0
        self.read = 0
        self._rest = ""

    def upto(self, tail: Tail) -> Tail:
        """The tail, decoded."""
        text = self._rest + "".join(self.pieces[self.read : tail.count])
        self.read = tail.count
        start = text.rfind("&", -LONGEST_ENTITY + 1)
        cut = start if start >= 0 and ";" not in text[start:] else len(text)
        self._rest = text[cut:]
        if cut:
            self.decoded.append(decode(text[:cut]))
            self.size += len(self.decoded[-1])
        return Tail(self.decoded, tail.number, self.size + len(self._rest), self._rest)


class Entities:
    """The machine that decodes every line of a stream before it is read."""

    def __init__(self) -> None:
        # The unfinished line, as decoded by the peeks so far.
        self._line = _GrowingLine([])

    def feed(self, item: LineItem) -> Iterable[LineItem]:
        """Decode a line."""
        return (Line(decode(item.text), item.number, item.ended),) if isinstance(item, Line) else (item,)

    def peek(self, unfinished: Unfinished[Tail]) -> Unfinished[Tail]:
        """Decode the unfinished line, as far as it has come."""
        if not unfinished:
            return unfinished
        tail = unfinished[0]
        if self._line.pieces is not tail.pieces or self._line.read > tail.count:
            self._line = _GrowingLine(tail.pieces)
        return Unfinished((self._line.upto(tail),))

    def close(self, reason: Reason) -> Iterable[End]:
        """Nothing is kept back here."""
        return (End(reason),)


def entities() -> Callable[[Observable[LineItem | Unfinished[Tail]]], Observable[LineItem | Unfinished[Tail]]]:
    """Operator: decode one layer of HTML entities in every line.

    ::

        --Line("a &lt; b")--|
        --Line("a < b")-----End|
    """
    return as_operator(Entities)
