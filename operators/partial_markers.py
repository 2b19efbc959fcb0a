"""Partial-marker popping: holds back an unfinished line that may still become a marker.

A stream cuts markers anywhere. Were ``+++++`` shown as a line of REPLACE until `` REPLACE`` follows, every block would
flicker. So an unfinished line is sorted into three kinds: content, which is passed on as it is; a whole marker, which
is passed on as the line it would be; and the beginning of one, which is held.

In ``v1`` and ``v2`` a line that begins like a marker and is none is dropped, even at the end of the stream. In
``safe`` it is ``Held``, for the next stage to decide by the indent of the block it stands in, and at the end it is
content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from .dialect import Grammar
from .events import End, Held, Line, LineItem, Reason, Tail, TailItem, TooLarge
from .machine import NOTHING, Unfinished, as_operator

if TYPE_CHECKING:
    from reactivex import Observable

MARKER_STARTS = "-<=+>"

LONGEST_MARKER = 1000
"""Code points after which an unfinished line is no marker yet to come: real ones have some twenty, and a line that is
matched anew at each chunk must not cost more the longer it gets."""

_Item: TypeAlias = Line | TooLarge | Unfinished[TailItem] | End


def _beginnings(word: str) -> str:
    """A pattern for every proper beginning of a word, the empty one among them."""
    pattern = ""
    for letter in reversed(word[:-1]):
        pattern = f"(?:{letter}{pattern})?"
    return pattern


_PARTIAL = re.compile(
    "-{1,2}|<{1,2}|={1,2}|[+]{1,2}|>{1,2}"
    f"|(?:-{{3,}}|<{{3,}}){_beginnings(' SEARCH')}"
    f"|(?:[+]{{3,}}|>{{3,}}){_beginnings(' REPLACE')}"
)


class PartialMarkers:
    """The machine of partial-marker popping, for one grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._holds = grammar.order == "nested"
        # The pieces of a line that can no longer become a marker: it stays so, however it grows.
        self._content: list[str] | None = None

    def feed(self, item: LineItem) -> Iterable[LineItem]:
        """Pass lines on; in ``v1`` and ``v2``, not a last one that is the beginning of a marker."""
        if isinstance(item, Line) and not item.ended and not self._holds and self._is_cut(item.text):
            return ()
        return (item,)

    def peek(self, unfinished: Unfinished[TailItem]) -> Unfinished[TailItem]:
        """Pass on the unfinished line as content, as a whole marker, as held, or not at all."""
        if not unfinished:
            return unfinished
        tail = unfinished[0]
        if not isinstance(tail, Tail) or tail.pieces is self._content:
            return unfinished
        return self._sorted_nested(tail) if self._holds else self._sorted_plain(tail)

    def close(self, reason: Reason) -> Iterable[End]:
        """Nothing is kept back here."""
        return (End(reason),)

    def _sorted_plain(self, tail: Tail) -> Unfinished[TailItem]:
        if tail.first not in MARKER_STARTS:
            return self._as_content(tail)
        if not tail.size:
            return Unfinished((tail,))
        if tail.size > LONGEST_MARKER or self._is_cut(tail.text):
            return NOTHING
        return Unfinished((Line(tail.text, tail.number),))

    def _as_content(self, tail: Tail) -> Unfinished[TailItem]:
        if not tail.rest:  # what is not decoded yet may still turn the line into a marker
            self._content = tail.pieces
        return Unfinished((tail,))

    def _is_cut(self, text: str) -> bool:
        if not text or text[0] not in MARKER_STARTS:
            return False
        whole = self._grammar.whole
        return text not in whole if whole is not None else not self._grammar.is_marker(text)

    def _sorted_nested(self, tail: Tail) -> Unfinished[TailItem]:
        if not tail.size:
            return NOTHING
        if tail.size <= LONGEST_MARKER:
            text = tail.text.removesuffix("\r")
            bare = text.lstrip(" \t")
            if bare and bare[0] in MARKER_STARTS and self._grammar.is_marker(text):
                return Unfinished((Line(text, tail.number),))
            if not bare or _PARTIAL.fullmatch(bare):
                return Unfinished((Held(tail),))
        return self._as_content(tail)


def partial_markers(grammar: Grammar) -> Callable[[Observable[_Item]], Observable[_Item]]:
    """Operator: hold back an unfinished line that may still become a marker.

    ::

        --Unfinished("+++")------Unfinished("+++++++ REPLACE")---Unfinished("x")--|
        --Unfinished(Held)-------Unfinished(Line)----------------Unfinished("x")--End|
    """
    return as_operator(lambda: PartialMarkers(grammar))
