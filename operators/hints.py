"""Line hints: what Roo's prompts put at the top of SEARCH, taken out and said as the place of the block.

::

    <<<<<<< SEARCH
    :start_line:12
    -------
    lines to find

Hints are lines directly after the opener, ``:start_line:N`` and ``:end_line:N``, with spaces around or none; the line
of exactly ``-------`` after them is theirs, without one before it is content. ``N`` counts lines of the original from
1; what is no such number says nothing. Nothing is held back: an unfinished line that may still become a hint is not
shown, and counts as content if the stream goes on otherwise.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from .document import FILE_LIMIT
from .events import BlockEvent, BlockTailEvent, End, Opened, Placing, Reason, SearchLine, SearchTail, Where
from .machine import NOTHING, Unfinished, as_operator

if TYPE_CHECKING:
    from reactivex import Observable

HINT_LIMIT = 64
"""Code points of an unfinished line that may still become a hint."""

_HINT = re.compile(r"[ \t]*:(?P<which>start|end)_line:[ \t]*(?P<number>[0-9]*)[ \t]*", re.ASCII)
_RULE = "-------"
_DIGITS = len(str(FILE_LIMIT))


class LineHints:
    """The machine that takes line hints out of SEARCH."""

    def __init__(self) -> None:
        self._at_top = False
        self._hinted = False

    def feed(self, event: BlockEvent) -> Iterable[BlockEvent]:
        """Take a block event; give it on, or the place that it hints at."""
        if isinstance(event, SearchLine) and self._at_top:
            return self._first_lines(event)
        self._at_top, self._hinted = isinstance(event, Opened), False
        return (event,)

    def peek(self, unfinished: Unfinished[BlockTailEvent]) -> Unfinished[BlockTailEvent]:
        """Say what the unfinished line would mean, but for one that may still become a hint."""
        if not self._at_top or not unfinished:
            return unfinished
        first = unfinished[0]
        if isinstance(first, SearchTail):
            return NOTHING if self._may_become_hint(first) else unfinished
        twin = copy.copy(self)
        return Unfinished(out for item in unfinished for out in twin.feed(item))  # type: ignore[arg-type]

    def close(self, reason: Reason) -> Iterable[End]:
        """Pass the end on."""
        return (End(reason),)

    def _first_lines(self, event: SearchLine) -> Iterable[BlockEvent]:
        if (hint := _HINT.fullmatch(event.text)) and hint["number"]:
            self._hinted = True
            near = _number(hint["number"]) if hint["which"] == "start" else None
            return () if near is None else (Placing(Where(near=near)),)
        self._at_top = False
        return () if self._hinted and event.text == _RULE else (event,)

    def _may_become_hint(self, event: SearchTail) -> bool:
        if event.tail.size > HINT_LIMIT:
            return False
        text = event.tail.text.removesuffix("\r")
        if self._hinted and _RULE.startswith(text):
            return True
        bare = text.lstrip(" \t")
        return any(name.startswith(bare) for name in (":start_line:", ":end_line:")) or bool(_HINT.fullmatch(text))


def _number(digits: str) -> int | None:
    """The line that digits say, from 1, or None if no file has it."""
    digits = digits.lstrip("0")
    return int(digits) if digits and len(digits) <= _DIGITS else None


def line_hints() -> Callable[
    [Observable[BlockEvent | Unfinished[BlockTailEvent] | End]], Observable[BlockEvent | Unfinished[BlockTailEvent]]
]:
    """Operator: take line hints out of SEARCH.

    ::

        --Opened--SearchLine(":start_line:3")--SearchLine("-------")--SearchLine("a")--|
        --Opened--Placing(near=3)-------------------------------------SearchLine("a")--End|
    """
    return as_operator(LineHints)
