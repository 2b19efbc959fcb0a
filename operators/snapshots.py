"""Edit events to snapshots: what the file looks like after each chunk, as references that cost nothing until read.

A ``Snapshot`` holds the original, the arrangement of closed edits (immutable), the open edit (a list that only grows,
and how much of it counts), and the tail. Texts are joined when asked for. What surrounds the open edit is joined once
and remembered for the stream, so that reading ``full_content`` at every chunk costs one copy of the file each time.

A block's problem is provisional until the block is rejected, and so is all that the unfinished line alone would mean.
"""

from __future__ import annotations

import copy
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from .cursor_search import changed_runs
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
    Splice,
    Tail,
    TooLarge,
    ViewEvent,
    ViewTailEvent,
    Writing,
    Wrote,
)
from .machine import Unfinished, as_operator
from .messages import problem
from .problems import EditError, Problem

if TYPE_CHECKING:
    from reactivex import Observable

CANDIDATES_SHOWN = 8

_OPEN = frozenset({"located", "replacing"})
_PLACED = frozenset({"located", "replacing", "applied", "repaired"})


@dataclass(frozen=True, slots=True)
class TextEdit:
    """One change for an editor: ``text`` takes the place of ``[start, end)`` of the original, in code points."""

    start: int
    end: int
    text: str
    block: int

    def position(
        self, original: str, unit: Literal["code_points", "utf-16"] = "code_points"
    ) -> tuple[tuple[int, int], tuple[int, int]]:
        """Where the change begins and ends as (line, column), both from 0, columns in code points or UTF-16 units."""
        return _position(original, self.start, unit), _position(original, self.end, unit)


def _position(text: str, offset: int, unit: Literal["code_points", "utf-16"]) -> tuple[int, int]:
    line_start = text.rfind("\n", 0, offset) + 1
    before = text[line_start:offset]
    column = len(before) if unit == "code_points" else len(before.encode("utf-16-le", "surrogatepass")) // 2
    return text.count("\n", 0, line_start), column


@dataclass(frozen=True, slots=True)
class _OpenEdit:
    """The edit that REPLACE streams into: ``lines[:count]`` between head and foot."""

    writing: Writing
    lines: list[str]
    count: int
    finish: LineFinisher

    def body(self, tail: Tail | None) -> str:
        shown = self.finish(tail.text) if tail is not None else ""
        return "".join([self.writing.head, *self.lines[: self.count], shown])


@dataclass(frozen=True, slots=True)
class _State:
    """All that a snapshot shows but the unfinished line."""

    document: Document
    dialect: Dialect
    frames: _Frames
    arrangement: Arrangement = Arrangement()
    open: _OpenEdit | None = None
    blocks: tuple[Block, ...] = ()
    problems: tuple[Problem, ...] = ()
    matches: tuple[int, ...] = ()
    narrowed: Narrowed | None = None
    log: tuple[str, ...] | list[str] = ()
    logged: int = 0
    is_final: bool = False


class _Frames:
    """What stands before and after the open edit, joined once and remembered for the stream."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._key: tuple[Arrangement, int, int] | None = None
        self._frame = ("", "")

    def around(self, arrangement: Arrangement, start: int, end: int) -> tuple[str, str]:
        """The new file before and after the span ``[start, end)`` of the original."""
        key = self._key
        if key is None or key[0] is not arrangement or key[1] != start or key[2] != end:
            at = bisect_left(arrangement.splices, start, key=lambda splice: splice.start)
            while at < len(arrangement.splices) and arrangement.splices[at].end <= start:
                at += 1
            before, after = arrangement.splices[:at], arrangement.splices[at:]
            self._frame = (self._joined(before, 0, start), self._joined(after, end, len(self._text)))
            self._key = (arrangement, start, end)
        return self._frame

    def whole(self, arrangement: Arrangement) -> str:
        """The new file with all closed edits in it."""
        return self.around(arrangement, len(self._text), len(self._text))[0]

    def _joined(self, splices: Sequence[Splice], start: int, end: int) -> str:
        pieces: list[str] = []
        for splice in splices:
            pieces += (self._text[start : splice.start], splice.text)
            start = max(start, splice.end)
        pieces.append(self._text[start:end])
        return "".join(pieces)


class Snapshot:
    """The file as it stands after a chunk. Immutable; texts are made when they are read.

    Attributes:
        blocks: every block of the stream so far, with status, tier and place.
        problems: what is wrong so far; provisional ones may still go away.
        match_indices: where placed blocks begin in the original, in code points (``v1``: closed blocks, as they close;
            ``v2``: none).
        is_final: whether the stream has ended.
    """

    __slots__ = ("_state", "_tail")

    def __init__(self, state: _State, tail: Tail | None = None) -> None:
        self._state = state
        self._tail = tail

    def __repr__(self) -> str:
        return f"Snapshot(blocks={self.blocks!r}, problems={self.problems!r}, is_final={self.is_final})"

    @property
    def original(self) -> str:
        """The file before the edit."""
        return self._state.document.text

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Every block so far, in the order of the stream."""
        return self._state.blocks

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong so far, in the order of the stream."""
        return self._state.problems

    @property
    def match_indices(self) -> tuple[int, ...]:
        """Where placed blocks begin in the original, in code points."""
        return self._state.matches

    @property
    def match_lines(self) -> tuple[int, ...]:
        """Where placed blocks begin in the original, in lines from 1."""
        document = self._state.document
        return tuple(document.line_at(match) + 1 for match in self._state.matches)

    @property
    def is_final(self) -> bool:
        """Whether the stream has ended."""
        return self._state.is_final

    @property
    def candidates(self) -> tuple[int, ...]:
        """Up to eight lines, from 1, where the SEARCH that is still streaming may begin."""
        narrowed = self._state.narrowed
        if narrowed is None:
            return ()
        places = (place - narrowed.skipped + 1 for place in narrowed.places[: CANDIDATES_SHOWN + narrowed.skipped])
        return tuple(line for line in places if line > 0)[:CANDIDATES_SHOWN]

    @property
    def full_content(self) -> str:
        """The whole file with every placed block in it, the open one as far as it has come."""
        state, opened = self._state, self._state.open
        if opened is None:
            return state.frames.whole(state.arrangement)
        writing = opened.writing
        before, after = state.frames.around(writing.rest, writing.start, writing.end)
        return before + opened.body(self._tail) + writing.foot + after

    @property
    def full_position(self) -> int | None:
        """Where in ``full_content`` the open block's newest text ends, in code points; None if none is open."""
        state, opened = self._state, self._state.open
        if opened is None:
            return None
        writing = opened.writing
        before, _ = state.frames.around(writing.rest, writing.start, writing.end)
        return len(before) + len(opened.body(self._tail))

    @property
    def new_content(self) -> str:
        """The new file up to the end of the placed block furthest down; the whole file once the stream has ended.

        In ``v1`` and ``v2`` it is the log that Cline shows: what was written so far, in the order of the stream.
        """
        state = self._state
        if state.is_final:
            return self.full_content
        return self._logged() if state.dialect.logs else self._furthest()

    def _logged(self) -> str:
        state, opened = self._state, self._state.open
        shown = opened.finish(self._tail.text) if opened is not None and self._tail is not None else ""
        return "".join([*state.log[: state.logged], shown])

    def _furthest(self) -> str:
        state, opened = self._state, self._state.open
        splices = state.arrangement.splices if opened is None else opened.writing.rest.splices
        last = splices[-1].end if splices else -1
        if opened is not None and opened.writing.start >= last:
            before, _ = state.frames.around(opened.writing.rest, opened.writing.start, opened.writing.end)
            return before + opened.body(self._tail)
        full = self.full_content
        return full[: len(full) - (len(self.original) - last)] if last >= 0 else ""

    @property
    def edits(self) -> tuple[TextEdit, ...]:
        """What differs from the original, line by line, in the order of the file: ready for an editor."""
        state, opened = self._state, self._state.open
        splices = state.arrangement.splices if opened is None else opened.writing.rest.splices
        made = [TextEdit(*run, splice.block) for splice in splices for run in splice.runs]
        if opened is not None:
            writing = opened.writing
            text = opened.body(self._tail) + writing.foot
            runs = changed_runs(self.original, writing.start, writing.end, text)
            made += [TextEdit(*run, writing.block) for run in runs]
            made.sort(key=lambda edit: (edit.start, edit.end))
        return tuple(made)


class Snapshots:
    """The machine of the snapshots stage."""

    def __init__(self, document: Document, dialect: Dialect, *, apply_rest: bool = False) -> None:
        self._dialect = dialect
        self._apply_rest = apply_rest
        self._blocks: dict[int, Block] = {}
        self._problems: dict[int, Problem] = {}
        self._said: list[Problem] = []
        self._matches: dict[int, int] = {}
        self._log: list[str] = []
        self._lines: list[str] = []
        self._state = _State(document, dialect, _Frames(document))
        self._stale = False
        if document.too_large:
            self._say(problem("too_large", document.too_large, block=None, line=1))

    def feed(self, event: ViewEvent) -> Iterable[Snapshot]:
        """Take an event; a snapshot follows with the unfinished line."""
        match event:
            case Wrote(text, finish):
                self._wrote(text, finish)
            case BlockChanged():
                self._changed(event)
            case Narrowed():
                self._state = replace(self._state, narrowed=event)
            case Writing():
                self._begin(event)
            case Relocated():
                self._state = replace(self._state, open=None)
            case Arrangement():
                self._state = replace(self._state, arrangement=event)
            case Said(said):
                self._say(said)
            case TooLarge(line, message):
                self._say(problem("too_large", message, block=None, line=line))
            case _:
                pass
        return ()

    def peek(self, unfinished: Unfinished[ViewTailEvent]) -> Iterable[Snapshot]:
        """The snapshot of what came so far, with the unfinished line in it."""
        items = unfinished.items
        if not items:
            return (Snapshot(self._fresh()),)
        first = items[0]
        if first.__class__ is ReplaceTail:
            return (Snapshot(self._fresh(), first.tail),)  # type: ignore[union-attr]
        return (Snapshot(self._twin_after(items)._fresh(provisional=True)),)

    def close(self, reason: Reason) -> Iterator[Snapshot]:
        """The last snapshot.

        Raises:
            EditError: a block was rejected, and the edit is all or nothing.
        """
        state = self._fresh()
        matches = tuple(sorted(state.matches)) if self._dialect.logs else state.matches
        final = replace(state, is_final=True, open=None, narrowed=None, matches=matches)
        if final.problems and not self._apply_rest:
            # Nothing is written, so nothing is shown as if it were.
            yield Snapshot(replace(final, arrangement=Arrangement(), matches=()))
            raise EditError(final.problems)
        yield Snapshot(final)

    def _twin_after(self, items: Sequence[ViewTailEvent]) -> Snapshots:
        twin = copy.copy(self)
        twin._blocks, twin._problems = self._blocks.copy(), self._problems.copy()
        twin._said, twin._matches = self._said.copy(), self._matches.copy()
        twin._log, twin._lines = self._log.copy(), self._lines.copy()
        opened = self._state.open
        twin._state = replace(
            self._state, log=twin._log, open=replace(opened, lines=twin._lines) if opened is not None else None
        )
        for item in items:
            twin.feed(item)  # type: ignore[arg-type]
        return twin

    def _fresh(self, *, provisional: bool = False) -> _State:
        if self._stale:
            problems = sorted([*self._said, *self._problems.values()], key=lambda said: said.line)
            if provisional:
                known = set(map(id, self._state.problems))
                problems = [said if id(said) in known else replace(said, provisional=True) for said in problems]
            in_order = self._matches.items() if self._dialect.logs else sorted(self._matches.items())
            self._state = replace(
                self._state,
                blocks=tuple(self._blocks.values()),
                problems=tuple(problems),
                matches=tuple(match for _, match in in_order) if self._dialect.reports_matches else (),
            )
            self._stale = False
        return self._state

    def _say(self, said: Problem) -> None:
        self._said.append(said)
        self._stale = True

    def _wrote(self, text: str, finish: LineFinisher) -> None:
        opened = self._state.open
        if opened is None:
            return
        self._lines.append(text)
        state = self._state
        if self._dialect.logs:
            self._log.append(text)
            state = replace(state, logged=len(self._log))
        self._state = replace(state, open=replace(opened, count=len(self._lines), finish=finish))

    def _begin(self, event: Writing) -> None:
        self._lines = []
        state = self._state
        if event.copied_from is not None:
            self._log.append(state.document.text[event.copied_from : event.start])
            state = replace(state, log=self._log, logged=len(self._log))
        self._state = replace(state, open=_OpenEdit(event, self._lines, 0, event.finish))

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
        opened = self._state.open
        if block.status != "searching" or self._state.narrowed is not None:
            self._state = replace(self._state, narrowed=None)
        if opened is not None and block.status not in _OPEN:
            self._state = replace(self._state, open=None)
        self._stale = True


def snapshots(
    document: Document, dialect: Dialect, *, apply_rest: bool = False
) -> Callable[[Observable[ViewEvent | Unfinished[ViewTailEvent]]], Observable[Snapshot]]:
    """Operator: edit events to snapshots, one for each chunk and one at the end.

    ::

        --located-Writing-Unfinished()--Wrote-Unfinished(tail)--End|
        ------------------Snapshot------------Snapshot----------Snapshot|
    """
    return as_operator(lambda: Snapshots(document, dialect, apply_rest=apply_rest))
