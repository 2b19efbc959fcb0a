"""The snapshot: what the file looks like after a chunk, as references that cost nothing until a text is read.

A ``Snapshot`` holds a record (the arrangement of closed edits, immutable; the open edit, a list that only grows and how
much of it counts) and the unfinished line. Texts are joined when asked for. What surrounds the open edit is joined once
and remembered for the stream, so that reading ``full_content`` at every chunk costs one copy of the file each time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from .cursor_search import changed_runs
from .dialect import Dialect
from .document import Document
from .events import Arrangement, Block, LineFinisher, Narrowed, Splice, Tail, Writing
from .folds import without_indent
from .problems import Problem

CANDIDATES_SHOWN = 8


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


class OpenEdit:
    """The edit that REPLACE streams into: ``lines[:count]`` between head and foot. The list only ever grows."""

    __slots__ = ("count", "finish", "lines", "writing")

    def __init__(self, writing: Writing, lines: list[str], finish: LineFinisher) -> None:
        self.writing = writing
        self.lines = lines
        self.count = len(lines)
        self.finish = finish

    def body(self, tail: Tail | None) -> str:
        """What stands in the file so far, but for the foot."""
        return "".join(self.pieces(tail))

    def pieces(self, tail: Tail | None) -> list[str]:
        """The parts of the body, not joined yet."""
        pieces = [self.writing.head, *self.lines[: self.count]]
        if tail is not None:
            pieces.append(self.finish(tail.text))
        if self.writing.open_end and len(pieces) > 1:
            pieces[-1] = pieces[-1].removesuffix("\n").removesuffix("\r")
        return pieces


class Record:
    """All that a snapshot shows but the unfinished line; made anew when an event has changed something."""

    __slots__ = (
        "arrangement",
        "blocks",
        "is_final",
        "log",
        "logged",
        "matches",
        "narrowed",
        "open",
        "problems",
        "setting",
    )

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.arrangement = Arrangement()
        self.open: OpenEdit | None = None
        self.blocks: tuple[Block, ...] = ()
        self.problems: tuple[Problem, ...] = ()
        self.matches: tuple[int, ...] = ()
        self.narrowed: Narrowed | None = None
        self.log: list[str] = []
        self.logged = 0
        self.is_final = False


@dataclass(frozen=True, slots=True)
class Setting:
    """What all snapshots of a stream share."""

    document: Document
    dialect: Dialect
    frames: Frames


class Frames:
    """What stands before and after the open edit, joined once and remembered for the stream."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        # One reference to key and frame together: a view may read on a thread of its own.
        self._last: tuple[Arrangement, int, int, tuple[str, str]] | None = None

    def around(self, arrangement: Arrangement, start: int, end: int) -> tuple[str, str]:
        """The new file before and after the span ``[start, end)`` of the original."""
        last = self._last
        if last is not None and last[0] is arrangement and last[1:3] == (start, end):
            return last[3]
        at = _splices_before(arrangement.splices, start)
        before, after = arrangement.splices[:at], arrangement.splices[at:]
        frame = (self._joined(before, 0, start), self._joined(after, end, len(self._text)))
        self._last = (arrangement, start, end, frame)
        return frame

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


def _splices_before(splices: Sequence[Splice], start: int) -> int:
    """How many splices lie before an offset."""
    at = bisect_left(splices, start, key=lambda splice: splice.start)
    while at < len(splices) and splices[at].end <= start:
        at += 1
    return at


def _text_edits(splices: Iterable[Splice]) -> tuple[TextEdit, ...]:
    return tuple(TextEdit(*run, splice.block) for splice in splices for run in splice.runs)


class Snapshot:
    """The file as it stands after a chunk. Immutable; texts are made when they are read.

    Attributes:
        blocks: every block of the stream so far, with status, tier and place.
        problems: what is wrong so far; provisional ones may still go away.
        match_indices: where placed blocks begin in the original, in code points (``v1``: closed blocks, as they close;
            ``v2``: none).
        is_final: whether the stream has ended.
    """

    __slots__ = ("_record", "_tail")

    def __init__(self, record: Record, tail: Tail | None = None) -> None:
        self._record = record
        self._tail = tail

    def __repr__(self) -> str:
        return f"Snapshot(blocks={self.blocks!r}, problems={self.problems!r}, is_final={self.is_final})"

    @property
    def original(self) -> str:
        """The file before the edit."""
        return self._record.setting.document.text

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Every block so far, in the order of the stream."""
        return self._record.blocks

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong so far, in the order of the stream."""
        return self._record.problems

    @property
    def match_indices(self) -> tuple[int, ...]:
        """Where placed blocks begin in the original, in code points."""
        return self._record.matches

    @property
    def match_lines(self) -> tuple[int, ...]:
        """Where placed blocks begin in the original, in lines from 1."""
        document = self._record.setting.document
        return tuple(document.line_at(match) + 1 for match in self._record.matches)

    @property
    def is_final(self) -> bool:
        """Whether the stream has ended."""
        return self._record.is_final

    @property
    def candidates(self) -> tuple[int, ...]:
        """Up to eight lines, from 1, where the SEARCH that is still streaming may begin."""
        narrowed = self._record.narrowed
        if narrowed is None:
            return ()
        # Blank lines at the edge may be left out by a tier, so they narrow nothing yet; nor does any line's indent.
        keys = [without_indent(line) for line in narrowed.lines[: narrowed.count]]
        skipped = next((at for at, key in enumerate(keys) if key), len(keys))
        index = self._record.setting.document.index(without_indent)
        places = index.first_few(keys[skipped:], CANDIDATES_SHOWN, start=skipped)
        return tuple(place - skipped + 1 for place in places)

    @property
    def full_content(self) -> str:
        """The whole file with every placed block in it, the open one as far as it has come."""
        record, opened = self._record, self._record.open
        if opened is None:
            return record.setting.frames.whole(record.arrangement)
        writing = opened.writing
        before, after = record.setting.frames.around(writing.rest, writing.start, writing.end)
        return "".join([before, *opened.pieces(self._tail), writing.foot, after])

    @property
    def full_position(self) -> int | None:
        """Where in ``full_content`` the open block's newest text ends, in code points; None if none is open."""
        record, opened = self._record, self._record.open
        if opened is None:
            return None
        writing = opened.writing
        before, _ = record.setting.frames.around(writing.rest, writing.start, writing.end)
        return len(before) + len(opened.body(self._tail))

    @property
    def new_content(self) -> str:
        """The new file up to the end of the placed block furthest down; the whole file once the stream has ended.

        In ``v1`` and ``v2`` it is the log that Cline shows: what was written so far, in the order of the stream.
        """
        record = self._record
        if record.is_final:
            return self.full_content
        return self._logged() if record.setting.dialect.logs else self._furthest()

    def _logged(self) -> str:
        record, opened = self._record, self._record.open
        shown = opened.finish(self._tail.text) if opened is not None and self._tail is not None else ""
        return "".join([*record.log[: record.logged], shown])

    def _furthest(self) -> str:
        record, opened = self._record, self._record.open
        splices = record.arrangement.splices if opened is None else opened.writing.rest.splices
        last = splices[-1].end if splices else -1
        if opened is not None and opened.writing.start >= last:
            before, _ = record.setting.frames.around(opened.writing.rest, opened.writing.start, opened.writing.end)
            return before + opened.body(self._tail) + opened.writing.foot
        full = self.full_content
        return full[: len(full) - (len(self.original) - last)] if last >= 0 else ""

    @property
    def edits(self) -> tuple[TextEdit, ...]:
        """What differs from the original, line by line, in the order of the file: ready for an editor."""
        record, opened = self._record, self._record.open
        if opened is None:
            return _text_edits(record.arrangement.splices)
        writing, splices = opened.writing, opened.writing.rest.splices
        text = opened.body(self._tail) + writing.foot
        runs = changed_runs(self.original, writing.start, writing.end, text)
        at = _splices_before(splices, writing.start)
        ours = tuple(TextEdit(*run, writing.block) for run in runs)
        return _text_edits(splices[:at]) + ours + _text_edits(splices[at:])
