r"""Hunks to block events: each hunk of a V4A section is a block whose SEARCH is what was, REPLACE what is to be.

::

    @@ class A          scopes: lines that stand before the place, each after the one before
    @@     def f(self):
     context            SEARCH and REPLACE
    -old                SEARCH
    +new                REPLACE
     context
    *** End of File     the place is at the end of the file

- A hunk begins at an ``@@`` line or, without one, at its first line. It ends at the next ``@@`` line, at ``*** End of
  File`` or with the section. ``@@`` lines without lines of a hunk between them belong to one hunk; one that nothing
  follows is a hunk without lines, which is malformed.
- ``@@`` alone, or with ``...``, is no scope. A second ``@@`` at the end of the line is dropped. The numbers of a
  unified diff, ``@@ -3,4 +3,5 @@ heading``, say where it is near, and its heading is a scope.
- An empty line is an empty line of context, as models leave its space out. At the end of a hunk it is what stands
  between two hunks or sections, and is dropped; so it is before the first.
- A line that begins otherwise makes the hunk malformed: it is closed without a divider, so that it is not applied, and
  what follows up to the next ``@@`` is not read. ``\ No newline at end of file`` says nothing here.

The search stage takes all of SEARCH, then all of REPLACE; a hunk mixes them. Its lines of SEARCH are given as they
come and narrow the places where it may be. Its REPLACE is held until the hunk ends: as long as a line of context or a
removed one may follow, SEARCH is not whole, and what is looked for too early is shown in the wrong place. So at most
one hunk is held, and an unfinished line says nothing.

A hunk that the end of a section closes is whole if the section is; else nothing is taken of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from .events import (
    BlockEvent,
    BlockTailEvent,
    Closed,
    Divided,
    End,
    Line,
    Opened,
    Placing,
    Reason,
    ReplaceLine,
    SearchLine,
    Stray,
    TailItem,
    TooLarge,
    Where,
)
from .machine import NOTHING, Unfinished, as_operator
from .markers import BLOCK_LIMIT
from .messages import clipped, printable

if TYPE_CHECKING:
    from reactivex import Observable

SCOPES_LIMIT = 50
"""``@@`` lines of one hunk. Nobody nests deeper, and each is looked for."""

_NUMBERS = re.compile(r"@@ *-([0-9]{1,9})(?:,[0-9]*)? +\+[0-9]+(?:,[0-9]*)? *@@(.*)")
_NO_SCOPES = frozenset(("", "...", "\u2026"))
_END_OF_FILE = "*** End of File"
_NO_NEWLINE = "\\ No newline"


class Hunks:
    """The machine that reads the lines of one file's section."""

    def __init__(self) -> None:
        self._blocks = 0
        self._strays = 0
        self._line = 0
        self._last: Line | None = None  # one without a line end, which counts if the section is whole
        self._open = self._skips = self._stopped = False
        # Of the hunk that is open or about to begin; ``head`` is the number of its first @@ line, 0 without one.
        self._head = 0
        self._near: int | None = None
        self._scopes: list[str] = []
        self._empty: list[int] = []
        self._replace: list[ReplaceLine] = []

    def feed(self, item: Line | TooLarge) -> Iterable[BlockEvent]:
        """Take a line; give the block events it means."""
        if self._stopped:
            return ()
        if isinstance(item, TooLarge):
            self._stopped = True
            return (item,)
        if not item.ended:
            self._last = item
            return ()
        return self._read(item)

    def peek(self, unfinished: Unfinished[TailItem]) -> Unfinished[BlockTailEvent]:
        """An unfinished line says nothing: see the top of this module."""
        return NOTHING

    def close(self, reason: Reason) -> Iterator[BlockEvent]:
        """Close the hunk that the section ends in, if there is one."""
        if not self._stopped:
            yield from self._finish() if reason == "complete" else self._cut_off(reason)
        yield End(reason)

    def _finish(self) -> Iterator[BlockEvent]:
        if self._last is not None and self._last.text:
            yield from self._read(self._last)
        yield from self._end()

    def _cut_off(self, reason: Literal["truncated", "cancelled"]) -> Iterator[BlockEvent]:
        if self._open:
            yield Closed(self._line, by=reason)

    def _read(self, line: Line) -> Iterator[BlockEvent]:
        self._line = line.number
        text = line.text.removesuffix("\r")
        if text.startswith("@@"):
            yield from self._at_line(text)
        elif self._skips or text.startswith(_NO_NEWLINE):
            return
        elif not text:
            if self._open or self._head:
                self._empty.append(self._line)
        elif text[0] in " -+":
            yield from self._body_line(text[0], text[1:])
        elif text.rstrip() == _END_OF_FILE:
            yield from self._end(at_end=True)
        else:
            shown = printable(clipped(text))
            yield from self._stray(f'a line of a hunk begins with a space, + or -, and "{shown}" does not')

    def _at_line(self, text: str) -> Iterator[BlockEvent]:
        if self._open or self._skips:
            yield from self._end()
        self._head = self._head or self._line
        self._empty.clear()
        if numbers := _NUMBERS.fullmatch(text):
            self._near = int(numbers[1]) or None
            scope = numbers[2].strip()
        else:
            scope = text[2:].rstrip().removesuffix("@@").rstrip().removeprefix(" ")
        if scope.strip() not in _NO_SCOPES and len(self._scopes) <= SCOPES_LIMIT:
            self._scopes.append(scope)

    def _body_line(self, sign: str, text: str) -> Iterator[BlockEvent]:
        if not self._open:
            yield from self._begin()
        if not self._open:
            return
        for number in self._empty:
            yield SearchLine("", number)
            self._replace.append(ReplaceLine("", number))
        self._empty.clear()
        if sign != "+":
            yield SearchLine(text, self._line)
        if sign != "-":
            self._replace.append(ReplaceLine(text, self._line))

    def _begin(self) -> Iterator[BlockEvent]:
        if self._blocks == BLOCK_LIMIT:
            yield self._too_many("hunks")
            return
        if len(self._scopes) > SCOPES_LIMIT:
            yield from self._stray(f"a hunk has at most {SCOPES_LIMIT} lines with @@")
            return
        self._open = True
        self._blocks += 1
        yield Opened(self._blocks - 1, self._head or self._line)
        if (where := self._where) != Where():
            yield Placing(where)

    @property
    def _where(self) -> Where:
        return Where(near=self._near, scopes=tuple(self._scopes))

    def _end(self, *, at_end: bool = False) -> Iterator[BlockEvent]:
        """End the hunk, if there is one."""
        if self._open:
            if at_end:
                yield Placing(replace(self._where, at_end=True))
            yield Divided(self._line, "")
            yield from self._replace
            yield Closed(self._line)
        elif self._head and not self._skips:
            yield from self._stray("a hunk has no lines")
        self._forget()

    def _forget(self) -> None:
        self._open = self._skips = False
        self._head, self._near = 0, None
        self._scopes, self._empty, self._replace = [], [], []

    def _stray(self, message: str) -> Iterator[BlockEvent]:
        """Give up the hunk, and what follows up to the next ``@@``."""
        was_open = self._open
        self._forget()
        self._skips = True
        self._strays += 1
        if self._strays > BLOCK_LIMIT:
            yield self._too_many("malformed hunks")
            return
        yield Stray(self._line, message)
        if was_open:
            yield Closed(self._line)

    def _too_many(self, what: str) -> TooLarge:
        self._stopped = True
        return TooLarge(self._line, f"the edit has more than {BLOCK_LIMIT:,} {what}.")


def hunks() -> Callable[
    [Observable[Line | TooLarge | Unfinished[TailItem] | End]], Observable[BlockEvent | Unfinished[BlockTailEvent]]
]:
    """Operator: lines of one file's section to block events.

    ::

        --Line("@@ def f")-Line("-a")-------------------------Line("+b")---|
        -------------------Opened-Placing-SearchLine("a")------------------Divided-ReplaceLine("b")-Closed-End|
    """
    return as_operator(Hunks)
