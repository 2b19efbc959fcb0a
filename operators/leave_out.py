"""Leaving blocks out of an edit: those that the user has declined, when the rest is made anew without them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from .events import (
    BlockEvent,
    BlockTailEvent,
    Closed,
    Divided,
    End,
    Opened,
    Placing,
    Reason,
    ReplaceLine,
    ReplaceTail,
    SearchLine,
    SearchTail,
)
from .machine import Unfinished, as_operator

if TYPE_CHECKING:
    from reactivex import Observable

_OF_A_BLOCK = (Opened, Placing, SearchLine, Divided, ReplaceLine, Closed, SearchTail, ReplaceTail)


class LeaveOut:
    """The machine that passes on all events but those of some blocks, given by their numbers from 0."""

    def __init__(self, blocks: Collection[int]) -> None:
        self._blocks = frozenset(blocks)
        self._inside = False

    def feed(self, event: BlockTailEvent) -> Iterable[BlockEvent]:
        """Pass the event on, or not."""
        if isinstance(event, Opened):
            self._inside = event.block in self._blocks
        dropped = self._inside and isinstance(event, _OF_A_BLOCK)
        if isinstance(event, Closed):
            self._inside = False
        return () if dropped else (event,)  # type: ignore[return-value]

    def peek(self, unfinished: Unfinished[BlockTailEvent]) -> Unfinished[BlockTailEvent]:
        """Pass on what the unfinished line would mean, or not."""
        twin = copy.copy(self)
        return Unfinished(out for item in unfinished for out in twin.feed(item))

    def close(self, reason: Reason) -> Iterable[End]:
        """Pass the end on."""
        return (End(reason),)


def leave_out(
    blocks: Collection[int],
) -> Callable[
    [Observable[BlockEvent | Unfinished[BlockTailEvent]]], Observable[BlockEvent | Unfinished[BlockTailEvent]]
]:
    """Operator: block events without those of some blocks.

    ::

        --Opened(0)-...-Closed--Opened(1)-...-Closed--|
        ------------------------Opened(1)-...-Closed--End|        leave_out({0})
    """
    return as_operator(lambda: LeaveOut(blocks))
