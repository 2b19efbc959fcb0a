"""Chunks to lines and the unfinished tail.

Chunks cut the text anywhere. Only ``\\n`` ends a line here; a ``\\r`` before it stays in the line's text, since the
dialects differ about it. The tail is handed on as a reference to its pieces, so a line of ten megabytes in
four-character chunks costs no more per chunk than a short one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from .events import End, Line, Reason, Tail, TooLarge
from .machine import NOTHING, Unfinished, as_operator

if TYPE_CHECKING:
    from reactivex import Observable

STREAM_LIMIT = 64 * 1024 * 1024
"""Code points of one stream. A model's longest turn is some megabytes; beyond this, memory is better than an answer."""

PACK = 65_536
"""Pieces of the tail that are joined into one, so that a long line in small chunks does not cost a list slot each."""


class Lines:
    """The machine of the lines stage."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._packed = 0
        self._number = 1
        self._tail_size = 0
        self._size = 0

    def feed(self, chunk: str) -> Iterable[Line | TooLarge | Unfinished[Tail]]:
        """Take a chunk; give the lines it finishes, and the unfinished one."""
        self._size += len(chunk)
        if self._size > STREAM_LIMIT:
            return self._overflow(chunk)
        if "\n" in chunk:
            return self._split(chunk)
        if chunk:
            self._pieces.append(chunk)
            self._tail_size += len(chunk)
            if len(self._pieces) - self._packed >= PACK:
                self._pack()
        return (Unfinished((Tail(self._pieces, self._number, self._tail_size),)),)

    def peek(self, unfinished: Unfinished[Tail]) -> Unfinished[Tail]:
        """Pass on what another lines stage left unfinished."""
        return unfinished

    def close(self, reason: Reason) -> Iterable[Line | End]:
        """Give the last line, which has no end, and the end of the stream."""
        return (Line("".join(self._pieces), self._number, ended=False), End(reason))

    def _split(self, chunk: str) -> list[Line | TooLarge | Unfinished[Tail]]:
        first, *rest = chunk.split("\n")
        self._pieces.append(first)
        texts = ["".join(self._pieces), *rest]
        last = texts.pop()
        start = self._number
        given: list[Line | TooLarge | Unfinished[Tail]] = [
            Line(text, number) for number, text in enumerate(texts, start)
        ]
        # A new list: the tails handed out before still refer to the old one.
        self._pieces = [last] if last else []
        self._packed = 0
        self._tail_size = len(last)
        self._number = start + len(texts)
        given.append(Unfinished((Tail(self._pieces, self._number, self._tail_size),)))
        return given

    def _pack(self) -> None:
        self._pieces = [*self._pieces[: self._packed], "".join(self._pieces[self._packed :])]
        self._packed = len(self._pieces)

    def _overflow(self, chunk: str) -> list[Line | TooLarge | Unfinished[Tail]]:
        """Take what still fits, once; after that, nothing."""
        room = STREAM_LIMIT - (self._size - len(chunk))
        if room < 0:
            return [NOTHING]
        taken = self._split(chunk[:room])
        return [*taken[:-1], TooLarge(self._number, f"the edit is longer than {STREAM_LIMIT:,} characters."), NOTHING]


def lines() -> Callable[[Observable[str | End]], Observable[Line | TooLarge | Unfinished[Tail] | End]]:
    """Operator: chunks of text to lines and the unfinished tail.

    ::

        --"a\\nb"------------------"c\\n"--------------------|
        --Line(a)-Unfinished(b)---Line(bc)-Unfinished("")---Line("")-End|
    """
    return as_operator(Lines)
