"""Edit events to snapshots: one for each chunk, and one at the end.

A block's problem is provisional until the block is rejected, and so is all that the unfinished line alone would mean.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .dialect import Dialect
from .document import Document
from .events import (
    Arrangement,
    Block,
    BlockChanged,
    LineFinisher,
    Narrowed,
    Reason,
    Relocated,
    ReplaceTail,
    Said,
    SearchTail,
    TooLarge,
    ViewEvent,
    ViewTailEvent,
    Writing,
    Wrote,
)
from .machine import Unfinished, as_operator
from .messages import BLOCKS, Terms, problem
from .problems import EditError, Problem
from .snapshot import Frames, OpenEdit, Record, Setting, Snapshot

if TYPE_CHECKING:
    from reactivex import Observable

_OPEN = frozenset({"located", "replacing"})
_PLACED = frozenset({"located", "replacing", "applied", "repaired"})


class Snapshots:
    """The machine of the snapshots stage."""

    def __init__(
        self, document: Document, dialect: Dialect, *, apply_rest: bool = False, terms: Terms = BLOCKS
    ) -> None:
        self._terms = terms
        self._setting = Setting(document, dialect, Frames(document))
        self._apply_rest = apply_rest
        self._blocks: dict[int, Block] = {}
        self._problems: dict[int, Problem] = {}
        self._said: list[Problem] = []
        self._matches: dict[int, int] = {}
        self._log: list[str] = []
        self._writing: Writing | None = None
        self._lines: list[str] = []
        self._finish = LineFinisher()
        self._arrangement = Arrangement()
        self._narrowed: Narrowed | None = None
        # The record of the last snapshot, and whether blocks or problems, or anything else, changed since.
        self._record = Record(self._setting)
        self._blocks_changed = False
        self._stale = False
        if document.too_large:
            self._say(problem("too_large", document.too_large, block=None, line=1, terms=terms))

    def feed(self, event: ViewEvent) -> Iterable[Snapshot]:
        """Take an event; a snapshot follows with the unfinished line."""
        self._stale = True
        match event:
            case Wrote(text, finish):
                self._wrote(text, finish)
            case Narrowed():
                self._narrowed = event
            case BlockChanged():
                self._changed(event)
            case Writing():
                self._begin(event)
            case Relocated():
                self._writing = None
            case Arrangement():
                self._arrangement = event
            case Said(said):
                self._say(said)
            case TooLarge(line, message):
                self._say(problem("too_large", message, block=None, line=line, terms=self._terms))
            case _:
                pass
        return ()

    def peek(self, unfinished: Unfinished[ViewTailEvent]) -> Snapshot:
        """The snapshot of what came so far, with the unfinished line in it."""
        record = self._fresh() if self._stale else self._record
        if not unfinished:
            return Snapshot(record)
        first = unfinished[0]
        if isinstance(first, ReplaceTail):
            return Snapshot(record, first.tail)
        if isinstance(first, SearchTail):
            return Snapshot(record)
        last = unfinished[-1]
        tail = last.tail if isinstance(last, ReplaceTail) else None
        return Snapshot(self._twin_after(unfinished)._fresh(known=record.problems), tail)

    def close(self, reason: Reason) -> Iterator[Snapshot]:
        """The last snapshot.

        Raises:
            EditError: a block was rejected, and the edit is all or nothing.
        """
        self._writing, self._narrowed, self._stale = None, None, True
        final = self._fresh()
        final.is_final = True
        if self._setting.dialect.logs:
            final.matches = tuple(sorted(final.matches))
        if final.problems and not self._apply_rest:
            # Nothing is written, so nothing is shown as if it were.
            final.arrangement, final.matches = Arrangement(), ()
            yield Snapshot(final)
            raise EditError(final.problems)
        yield Snapshot(final)

    def _twin_after(self, items: Iterable[ViewTailEvent]) -> Snapshots:
        twin = copy.copy(self)
        twin._blocks, twin._problems = self._blocks.copy(), self._problems.copy()
        twin._said, twin._matches = self._said.copy(), self._matches.copy()
        twin._log, twin._lines = self._log.copy(), self._lines.copy()
        for item in items:
            twin.feed(item)  # type: ignore[arg-type]
        return twin

    def _fresh(self, known: Sequence[Problem] | None = None) -> Record:
        """The record as things stand; with ``known`` problems, any other one is provisional."""
        record = Record(self._setting)
        record.arrangement = self._arrangement
        record.narrowed = self._narrowed
        record.log, record.logged = self._log, len(self._log)
        if self._writing is not None:
            record.open = OpenEdit(self._writing, self._lines, self._finish)
        last = self._record
        record.blocks, record.problems, record.matches = last.blocks, last.problems, last.matches
        if self._blocks_changed:
            record.blocks = tuple(self._blocks.values())
            record.problems = self._problems_in_order(known)
            record.matches = self._reported_matches()
        self._record, self._stale, self._blocks_changed = record, False, False
        return record

    def _problems_in_order(self, known: Sequence[Problem] | None) -> tuple[Problem, ...]:
        problems = sorted([*self._said, *self._problems.values()], key=lambda said: said.line)
        if known is not None:
            settled = set(map(id, known))
            problems = [said if id(said) in settled else replace(said, provisional=True) for said in problems]
        return tuple(problems)

    def _reported_matches(self) -> tuple[int, ...]:
        if not self._setting.dialect.reports_matches:
            return ()
        # Cline reports blocks as they close; safe in the order of the stream.
        items = self._matches.items() if self._setting.dialect.logs else sorted(self._matches.items())
        return tuple(match for _, match in items)

    def _say(self, said: Problem) -> None:
        self._said.append(said)
        self._stale = self._blocks_changed = True

    def _wrote(self, text: str, finish: LineFinisher) -> None:
        if self._writing is None:
            return
        self._lines.append(text)
        self._finish = finish
        if self._setting.dialect.logs:
            self._log.append(text)

    def _begin(self, event: Writing) -> None:
        self._writing, self._lines, self._finish = event, [], event.finish
        if event.copied_from is not None:
            self._log.append(self._setting.document.text[event.copied_from : event.start])

    def _changed(self, event: BlockChanged) -> None:
        block, said = event.block, event.problem
        self._blocks[block.index] = block
        if said is not None:
            self._problems[block.index] = said if block.status == "rejected" else replace(said, provisional=True)
        else:
            self._problems.pop(block.index, None)
        if event.match is not None:
            self._matches[block.index] = event.match
        elif block.status not in _PLACED:
            self._matches.pop(block.index, None)
        self._narrowed = None
        if block.status not in _OPEN:
            self._writing = None
        self._blocks_changed = True


def snapshots(
    document: Document, dialect: Dialect, *, apply_rest: bool = False, terms: Terms = BLOCKS
) -> Callable[[Observable[ViewEvent | Unfinished[ViewTailEvent]]], Observable[Snapshot]]:
    """Operator: edit events to snapshots, one for each chunk and one at the end.

    ::

        --located-Writing-Unfinished()--Wrote-Unfinished(tail)--End|
        ------------------Snapshot------------Snapshot----------Snapshot|
    """
    return as_operator(lambda: Snapshots(document, dialect, apply_rest=apply_rest, terms=terms))
