"""The search stage of ``v1`` and ``v2``: plain text from a cursor, the first hit, in the order of the stream.

The cursor stands after the last block that was placed in order; each tier searches from there. The first thing that
goes wrong ends the reading, as Cline's exception does. In ``v1`` a block found above the cursor is held back, and an
opener inside REPLACE starts SEARCH anew but leaves what was matched before in force until the next divider, to the
letter of the original.

Source: Cline 4.0.10, ``apps/vscode/src/core/assistant-message/diff.ts``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .dialect import Dialect
from .document import Document
from .events import (
    TAIL_EVENTS,
    Arrangement,
    Block,
    BlockChanged,
    BlockEvent,
    BlockStatus,
    BlockTailEvent,
    Closed,
    Divided,
    End,
    LineFinisher,
    Opened,
    Placing,
    Reason,
    ReplaceLine,
    ReplaceTail,
    SearchLine,
    SearchTail,
    Splice,
    Stray,
    ViewEvent,
    Writing,
    Wrote,
)
from .machine import NOTHING, Unfinished
from .messages import problem
from .problems import ProblemKind

_FINISH = LineFinisher()


@dataclass(frozen=True, slots=True)
class Cut:
    """A closed block of a cursor dialect; one that is not in order waits for the end."""

    block: Block
    splice: Splice
    in_order: bool


class CursorSearch:
    """The machine of the search stage for a cursor dialect."""

    def __init__(self, document: Document, dialect: Dialect) -> None:
        self._document = document
        self._dialect = dialect
        self._cursor = 0
        self._block = 0
        self._line = 0
        self._search: list[str] = []
        self._replace: list[str] = []
        self._span: tuple[int, int] | None = None
        self._tier: str | None = None
        self._held = False
        self._open = False
        self._stopped = False
        self._arrangement = Arrangement()
        # What a peek searched for, under the text and the cursor.
        self._searched: dict[tuple[tuple[str, ...], int], tuple[str, tuple[int, int]] | None] = {}

    def feed(self, event: BlockEvent) -> Iterator[ViewEvent | Cut]:
        """Take a block event; give what it means for the file."""
        if self._stopped:
            return
        match event:
            case Opened():
                yield from self._opened(event)
            case SearchLine(text):
                self._search.append(text)
            case Divided():
                yield from self._divided()
            case ReplaceLine(text):
                self._replace.append(text)
                if self._span is not None and not self._held:
                    yield Wrote(text + "\n", _FINISH)
            case Closed():
                yield from self._closed(event)
            case Stray(line, message):
                self._line = line
                yield self._stop("malformed", message + ".")
            case Placing():
                pass  # Cline knows nothing of the kind
            case _:
                yield event

    def peek(self, unfinished: Unfinished[BlockTailEvent]) -> Unfinished[ViewEvent | Cut | SearchTail | ReplaceTail]:
        """Say what the unfinished line would mean for the file."""
        if not unfinished or self._stopped:
            return NOTHING
        if isinstance(unfinished[0], TAIL_EVENTS):
            return unfinished  # type: ignore[return-value]
        twin = copy.copy(self)
        twin._search, twin._replace = self._search.copy(), self._replace.copy()
        return Unfinished(out for item in unfinished for out in twin.feed(item))  # type: ignore[arg-type]

    def close(self, reason: Reason) -> Iterable[End]:
        """The block that the stream ends in was closed by the stage before."""
        return (End(reason),)

    def _opened(self, event: Opened) -> Iterator[ViewEvent]:
        if self._open:
            yield BlockChanged(self._shown("rejected"))
        self._block, self._line, self._open = event.block, event.line, True
        self._search, self._replace = [], []
        yield BlockChanged(self._shown("searching"))

    def _divided(self) -> Iterator[ViewEvent]:
        if not self._search:
            if self._document.text and self._dialect.empty_search == "refuse":
                yield self._stop("empty_search", "its SEARCH is empty and the file is not.")
                return
            self._tier, self._span = "exact", (0, len(self._document.text))
        elif (found := self._look()) is not None:
            self._tier, self._span = found
        else:
            yield self._stop("not_found", "its SEARCH text is not in the file.")
            return
        start, end = self._span
        if start < self._cursor and not self._dialect.hold_back:
            yield self._stop("not_found", "its SEARCH text is in the file only before an earlier block.")
            return
        self._held = self._held or start < self._cursor
        yield BlockChanged(self._shown("located"))
        if not self._held:
            written = "".join([line + "\n" for line in self._replace])
            length = len(self._document.text)
            yield Writing(
                self._block,
                start,
                min(end, length),
                self._arrangement,
                _FINISH,
                head=written,
                copied_from=min(self._cursor, length),
            )

    def _look(self) -> tuple[str, tuple[int, int]] | None:
        key = (tuple(self._search), self._cursor)
        if key not in self._searched:
            self._searched = {key: self._first_hit()}
        return self._searched[key]

    def _first_hit(self) -> tuple[str, tuple[int, int]] | None:
        for tier in self._dialect.cursor_tiers:
            if span := tier(self._document, self._search, self._cursor):
                return tier.__name__.removesuffix("_from_cursor"), span
        return None

    def _closed(self, event: Closed) -> Iterator[ViewEvent | Cut]:
        if event.by in ("truncated", "cancelled"):
            yield self._stop("truncated", "the stream ended inside it.")
        elif event.by == "complete" and self._dialect.unclosed == "refuse":
            yield self._stop("unterminated", "the edit ends before its closing marker.")
        elif self._span is not None:
            yield self._cut("applied" if event.by == "closer" else "repaired")
        elif event.by == "complete":
            yield BlockChanged(self._shown("rejected"))
        else:
            yield self._stop("malformed", "it has no line of = between SEARCH and REPLACE.")

    def _cut(self, status: BlockStatus) -> Cut:
        start, end = self._span or (0, 0)
        text = "".join([line + "\n" for line in self._replace])
        stop = min(end, len(self._document.text))
        splice = Splice(start, stop, text, self._block, changed_runs(self._document.text, start, stop, text))
        cut = Cut(self._shown(status), splice, in_order=not self._held)
        if not self._held:
            self._cursor = end
            self._arrangement = Arrangement((*self._arrangement.splices, splice))
        self._search, self._replace = [], []
        self._span, self._tier, self._held, self._open = None, None, False, False
        return cut

    def _stop(self, kind: ProblemKind, what: str) -> BlockChanged:
        self._stopped = True
        search = self._search if kind == "not_found" else ()
        document = self._document if kind == "not_found" else None
        said = problem(kind, what, block=self._block, line=self._line, search=search, document=document)
        return BlockChanged(Block(self._block, self._line, "rejected"), said)

    def _shown(self, status: BlockStatus) -> Block:
        if self._span is None or status in ("searching", "rejected"):
            return Block(self._block, self._line, status)
        text, (start, end) = self._document.text, self._span
        first = text.count("\n", 0, start) + 1
        stop = min(end, len(text))
        last = first + text.count("\n", start, stop) + (stop > start and text[stop - 1] != "\n")
        return Block(self._block, self._line, status, self._tier, (start, stop), (first, last))


def changed_runs(original: str, start: int, end: int, text: str) -> tuple[tuple[int, int, str], ...]:
    """The edit of ``[start, end)`` to ``text``, without the whole lines that are the same at either edge."""
    old, new = original[start:end].splitlines(keepends=True), text.splitlines(keepends=True)
    top = 0
    while top < min(len(old), len(new)) and old[top] == new[top]:
        top += 1
    bottom = 0
    while bottom < min(len(old), len(new)) - top and old[-1 - bottom] == new[-1 - bottom]:
        bottom += 1
    fresh = "".join(new[top : len(new) - bottom])
    begin = start + sum(map(len, old[:top]))
    stop = end - sum(map(len, old[len(old) - bottom :]))
    return ((begin, stop, fresh),) if fresh or stop > begin else ()
