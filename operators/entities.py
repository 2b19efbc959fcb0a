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


class Entities:
    """The machine that decodes every line of a stream before it is read."""

    def feed(self, item: LineItem) -> Iterable[LineItem]:
        """Decode a line."""
        return (Line(decode(item.text), item.number, item.ended),) if isinstance(item, Line) else (item,)

    def peek(self, unfinished: Unfinished[Tail]) -> Unfinished[Tail]:
        """Decode the unfinished line, as far as it has come."""
        if not unfinished:
            return unfinished
        text = decode(unfinished[0].text)
        return Unfinished((Tail([text] if text else [], unfinished[0].number, len(text)),))

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
