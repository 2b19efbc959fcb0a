"""Blocks whose format says something of their place, run through search, order and snapshots."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from stages import fed, plain

from editstream.operators import (
    SAFE,
    Chain,
    Closed,
    Divided,
    Document,
    LadderSearch,
    Opened,
    OutOfOrder,
    ReplaceLine,
    ReplaceTail,
    SearchLine,
    Snapshot,
    Snapshots,
    Tail,
    Unfinished,
)
from editstream.operators.events import Placing, Where
from editstream.operators.messages import BLOCKS, Terms


def machine(file: str, *, first: bool = False, terms: Terms = BLOCKS) -> Chain:
    """The stages from block events to snapshots."""
    document = Document(file)
    return Chain(
        [
            LadderSearch(document, SAFE.line_tiers, first_of_several=first, terms=terms),
            OutOfOrder(SAFE.line_tiers, terms=terms),
            Snapshots(document, SAFE, apply_rest=True, terms=terms),
        ]
    )


def block(search: Iterable[str], replace: Iterable[str], where: Where, index: int = 0) -> list[Any]:
    """The events of one block of lines."""
    return [
        Opened(index, 1),
        Placing(where),
        *(SearchLine(line, 1) for line in search),
        Divided(1, ""),
        *(ReplaceLine(line, 1) for line in replace),
        Closed(1),
    ]


def pair(old: str, new: str, index: int = 0, *, everywhere: bool = False) -> list[Any]:
    """The events of one pair of texts."""
    made = block(old.split("\n"), new.split("\n"), Where(as_text=True), index)
    return [*made[:-1], Placing(Where(as_text=True, everywhere=True)), made[-1]] if everywhere else made


def with_tails(events: Sequence[Any]) -> list[Any]:
    """The same events, with each line of REPLACE unfinished first: at its start, in its middle and at its end."""
    made: list[Any] = []
    for event in events:
        if isinstance(event, ReplaceLine):
            made += [
                Unfinished((ReplaceTail(Tail([event.text[:size]], event.line, size)),))
                for size in sorted({0, len(event.text) // 2, len(event.text)})
            ]
        made.append(event)
    return made


def result(file: str, events: Sequence[Any], *, first: bool = False, terms: Terms = BLOCKS) -> Snapshot:
    """The last snapshot, asserting that unfinished lines make no difference to it."""
    last = fed(machine(file, first=first, terms=terms), events)[-1]
    looked_at = fed(machine(file, first=first, terms=terms), with_tails(events))[-1]
    assert plain(looked_at) == plain(last)
    return last


def calls(work: Callable[[], object]) -> int:
    """How many calls some work makes, of Python and of C: a measure of it that is the same on any machine."""
    count, before = 0, sys.getprofile()

    def profile(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def edited(original: str, snapshot: Snapshot) -> str:
    """The original with the edits of a snapshot."""
    for edit in reversed(snapshot.edits):
        original = original[: edit.start] + edit.text + original[edit.end :]
    return original
