"""Pairs of old and new text to block events: each pair is a block whose SEARCH is the old text, REPLACE the new one.

Text is cut at each ``\\n``, and what comes after the last one is an item too, if only an empty one, so that the items
are what ``split("\\n")`` gives, each without a final ``\\r``. An insertion has no SEARCH, and its text is whole lines:
a line end at its end begins no further line.

All lines of a pair have the pair's number, from 1, since a pair has no other place in a stream. Nothing is taken of a
pair that the stream cuts: it is closed as truncated, even where the producer calls the stream complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from .events import (
    BlockEvent,
    Closed,
    Divided,
    End,
    Line,
    Opened,
    Placing,
    Reason,
    ReplaceLine,
    ReplaceTail,
    SearchLine,
    SearchTail,
    Tail,
    TooLarge,
    Where,
)
from .formats.file_edits import NewText, OldText, PairBegan, PairEnded
from .lines import Lines
from .machine import NOTHING, Unfinished, as_operator
from .markers import BLOCK_LIMIT

if TYPE_CHECKING:
    from reactivex import Observable

PairItem: TypeAlias = PairBegan | OldText | NewText | PairEnded
PairTail: TypeAlias = SearchTail | ReplaceTail


class Pairs:
    """The machine that turns the pairs of one edit into block events, and one ``Unfinished`` for each item."""

    def __init__(self) -> None:
        # One for all pairs, so that it counts the size of them all; a line end is put after each side.
        self._lines = Lines()
        self._count = 0
        self._where = Where()
        self._open = self._divided = self._stopped = False
        self._rest: Unfinished[PairTail] = NOTHING

    def feed(self, item: PairItem) -> Iterator[BlockEvent | Unfinished[PairTail]]:
        """Take an item of a pair; give what it means, and last the line that it leaves unfinished."""
        for event in self._meant(item):
            if self._stopped:
                break
            self._stopped = isinstance(event, TooLarge)
            yield event
        yield NOTHING if self._stopped else self._rest

    def peek(self, unfinished: Unfinished[Any]) -> Unfinished[Any]:
        """Pass on what another stage left unfinished."""
        return unfinished

    def close(self, reason: Reason) -> Iterable[BlockEvent]:
        """Close the pair that the stream ends in, if there is one."""
        if self._open and not self._stopped:
            yield Closed(self._count, by="truncated" if reason == "complete" else reason)
        yield End(reason)

    def _meant(self, item: PairItem) -> Iterator[BlockEvent]:
        if self._stopped:
            return
        match item:
            case PairBegan(after=after):
                yield from self._begin(after)
            case OldText(text=text):
                yield from self._text(text)
            case NewText(text=text):
                yield from self._divide()
                yield from self._text(text)
            case PairEnded(everywhere=everywhere):
                yield from self._end(everywhere)

    def _begin(self, after: int | None) -> Iterator[BlockEvent]:
        self._count += 1
        if self._count > BLOCK_LIMIT:
            yield TooLarge(self._count, f"the edit has more than {BLOCK_LIMIT:,} pairs of old and new text.")
            return
        self._open, self._divided, self._rest = True, False, NOTHING
        self._where = Where(as_text=True) if after is None else Where(after=after)
        yield Opened(self._count - 1, self._count)
        yield Placing(self._where)

    def _divide(self) -> Iterator[BlockEvent]:
        if not self._divided:
            yield from self._end_side()
            self._divided = True
            yield Divided(self._count, "")

    def _end(self, everywhere: bool) -> Iterator[BlockEvent]:
        yield from self._divide()
        yield from self._end_side()
        if everywhere:
            yield Placing(Where(as_text=self._where.as_text, after=self._where.after, everywhere=True))
        self._open = False
        yield Closed(self._count)

    def _end_side(self) -> Iterator[BlockEvent]:
        """Give the text after the last line end; of an insertion only if there is some."""
        if self._where.as_text or self._rest:
            yield from self._text("\n")
        self._rest = NOTHING

    def _text(self, text: str) -> Iterator[BlockEvent]:
        make = ReplaceLine if self._divided else SearchLine
        for item in self._lines.feed(text):
            match item:
                case Line():
                    yield make(item.text.removesuffix("\r"), self._count)
                case TooLarge():
                    yield TooLarge(self._count, item.message)
                case _:
                    self._rest = self._shown(item[0]) if item else NOTHING

    def _shown(self, tail: Tail) -> Unfinished[PairTail]:
        if not tail.size and not self._where.as_text:
            return NOTHING  # an insertion that ended here would have no further line
        return Unfinished((ReplaceTail(tail) if self._divided else SearchTail(tail),))


def pairs() -> Callable[[Observable[PairItem | End]], Observable[BlockEvent | Unfinished[PairTail]]]:
    """Operator: the pairs of one edit to block events.

    ::

        --PairBegan-------OldText("a")-NewText("b")-----------PairEnded-----------------|
        --Opened-Placing--(a)----------SearchLine-Divided-(b)-ReplaceLine-Closed-()-----End|
    """
    return as_operator(Pairs)
