r"""The format of a recorded session, version 1: JSON Lines that hold all it took in, and its answers to compare with.

    {"type": "header", "format": "editstream-session", "version": 1, "created": "2026-01-01T00:00:00+00:00",
     "options": {"format": "tools", "approve_by": "file", …}}
    {"type": "tool_start", "at": 412, "id": "call_1", "name": "write_file", "is_json": true}
    {"type": "tool_arguments", "at": 431, "id": "call_1", "text": "{\"path\": \"a.py\", \"content\": \"x"}
    {"type": "place", "at": 431, "path": "a.py", "place": "a.py"}
    {"type": "read", "at": 431, "path": "a.py", "text": "…", "sha256": "…"}
    {"type": "tool_end", "at": 460, "id": "call_1"}
    {"type": "check", "at": 460, "path": "a.py", "sha256": "…"}
    {"type": "decision", "at": 2113, "path": "a.py", "decision": true}
    {"type": "write", "at": 2114, "path": "a.py", "kind": "content", "sha256": "…", "changes": […]}
    {"type": "turn_end", "at": 2120, "reason": "complete"}
    {"type": "answer", "at": 2120, "text": "a.py: changed.\n\n…", "results": […], "mistakes": 0, "limit_reached": false}
    {"type": "left", "at": 2121}

The rules are those of a recorded turn (``editstream.recording.format``): ASCII, ``at`` in whole ms that never runs
backwards, the header first and ``left`` last, without which the recording is torn. What the disk said is a line for
each question, with its answer or with ``refused``; a ``text`` that was told before, or that the session has written, is
not told again: then ``sha256`` names it. The paths are names, no places: reading and replaying open none of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import IO, Annotated, Final, Literal, TypeAlias

from pydantic import AwareDatetime, Discriminator, TypeAdapter

from editstream.operators.events import End, Reason
from editstream.operators.formats import deltas
from editstream.recording.format import (
    Count,
    Flag,
    LineOrder,
    Milliseconds,
    RecordingError,
    Text,
    TextDelta,
    ToolArguments,
    ToolEnd,
    shown,
)
from editstream.recording.lines import Place, Schema, opened, parse
from editstream.recording.reading import TORN, Torn, entries_of

from .answer import Answer, ToolResult
from .options import SessionOptions
from .witness import Fact, Placed, Read, Wrote

FORMAT: Final = "editstream-session"
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class SessionHeader:
    """The first line: when the session began and how it read and decided; ``meta`` is the recorder's own."""

    created: AwareDatetime
    options: SessionOptions
    meta: dict[Text, Text] = field(default_factory=dict[str, str])
    type: Literal["header"] = field(default="header", kw_only=True)
    format: Literal["editstream-session"] = field(default=FORMAT, kw_only=True)
    version: Literal[1] = field(default=VERSION, kw_only=True)


@dataclass(frozen=True, slots=True)
class CallStart:
    """A tool call begins; see ``editstream.operators.formats.deltas.ToolCall``."""

    at: Milliseconds
    id: Text
    name: Text
    is_json: Flag = True
    type: Literal["tool_start"] = field(default="tool_start", kw_only=True)


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """The turn's ``End`` came, or the session was closed with this reason."""

    at: Milliseconds
    reason: Reason = "complete"
    type: Literal["turn_end"] = field(default="turn_end", kw_only=True)


@dataclass(frozen=True, slots=True)
class Decided:
    """What the user said to a proposal; ``block`` is the number, from 0, of the block that was asked about."""

    at: Milliseconds
    path: Text
    decision: Flag | Text
    block: Count | None = None
    type: Literal["decision"] = field(default="decision", kw_only=True)


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The turn was cancelled when, since its last delta, it had paused so often (see ``Witness.paused``)."""

    at: Milliseconds
    pauses: Count
    type: Literal["cancelled"] = field(default="cancelled", kw_only=True)


@dataclass(frozen=True, slots=True)
class RecordedResult:
    """What a tool call was answered; see ``ToolResult``."""

    call: Text
    text: Text
    is_error: Flag
    tool: Text
    is_json: Flag

    @classmethod
    def of(cls, result: ToolResult) -> RecordedResult:
        """The record of a result."""
        return cls(result.call, result.text, result.is_error, result.tool, result.is_json)


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a turn: what the model was told."""

    at: Milliseconds
    text: Text
    results: tuple[RecordedResult, ...]
    mistakes: Count
    limit_reached: Flag
    type: Literal["answer"] = field(default="answer", kw_only=True)

    @classmethod
    def of(cls, answer: Answer, at: int) -> Answered:
        """The record of an answer."""
        return cls(
            at, answer.text, tuple(map(RecordedResult.of, answer.results)), answer.mistakes, answer.limit_reached
        )


@dataclass(frozen=True, slots=True)
class Left:
    """The last line: the session was left, or the recorder closed."""

    at: Milliseconds
    type: Literal["left"] = field(default="left", kw_only=True)


RecordedDelta: TypeAlias = TextDelta | CallStart | ToolArguments | ToolEnd | TurnEnd
Entry: TypeAlias = RecordedDelta | Fact | Decided | Cancelled | Answered
Line: TypeAlias = SessionHeader | Entry | Left


@cache
def session_schema() -> Schema[Line]:
    """What the lines are; made when it is used, since that takes some ms."""
    adapter: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Discriminator("type")])
    return Schema(FORMAT, VERSION, adapter)


@dataclass(frozen=True, slots=True)
class SessionRecording:
    """A recorded session: the header, and what came, without the line ``left``; ``is_whole`` says that it was there."""

    header: SessionHeader
    entries: tuple[Entry, ...]
    is_whole: bool = True


class SessionOrder(LineOrder):
    """The order of the lines of a recorded session."""

    def __init__(self) -> None:
        super().__init__()
        self.header: SessionHeader | None = None
        self._told: set[str] = set()

    def add(self, entry: Line, line: int) -> None:
        """Take the next entry, at this line; raises RecordingError where it may not stand there."""
        self.follow(line, None if isinstance(entry, SessionHeader) else entry.at)
        if isinstance(entry, SessionHeader):
            self.header = entry
        else:
            self._take(entry)

    def _take(self, entry: Entry | Left) -> None:
        match entry:
            case Left():
                self.is_whole = True
            case Placed(path, place=None, refused=None):
                raise RecordingError(f"neither a place for {shown(path)} nor why there is none: add one", self.line)
            case Read(path, text=None, sha256=str(sha256)) if sha256 not in self._told:
                raise RecordingError(f"the text of {shown(path)} was not told before: put it here", self.line)
            case Read(sha256=str(sha256)) | Wrote(sha256=sha256):
                self._told.add(sha256)
            case _:
                pass


def read_session(source: Place, *, torn: Torn = "error") -> SessionRecording:
    """Read a recorded session from a path or an open binary file, which stays open.

    A recording whose writer died has no line of type ``left``, and its last line may be cut. By default that is an
    error; with ``torn="truncated"`` what came before is read. Damage anywhere else is an error either way. No file that
    the recording names is opened.

    Raises:
        RecordingError: with the line's number from 1, and what to do.
        OSError: the file cannot be read.
    """
    order = SessionOrder()
    entries: list[Entry] = []
    with opened(source, "rb") as file:
        for number, entry in entries_of(file, session_schema(), torn):
            order.add(entry, number)
            if not isinstance(entry, SessionHeader | Left):
                entries.append(entry)
    if order.header is None:
        raise RecordingError("nothing is recorded: the header is missing", 1)
    if not (order.is_whole or torn == "truncated"):
        raise RecordingError(f"the line of type 'left' is missing after this one; {TORN}", order.line)
    return SessionRecording(order.header, tuple(entries), order.is_whole)


MAX_HEADER_BYTES = 1024 * 1024
"""The longest header, in bytes, by which a recorded session is told from a recorded turn, whose header holds files."""


def is_session(file: IO[bytes]) -> bool:
    """Whether an open binary file, which can seek and is put back to its start, begins as a recorded session does."""
    first = file.readline(MAX_HEADER_BYTES)
    file.seek(0)
    try:
        match parse(first, 1):
            case {"format": "editstream-session"}:
                return True
            case _:
                return False
    except RecordingError:
        return False


def as_entry(delta: deltas.Delta, at: int) -> RecordedDelta:
    """The record of a delta."""
    match delta:
        case deltas.Text(text):
            return TextDelta(at, text)
        case deltas.ToolCall(id_, name, is_json):
            return CallStart(at, id_, name, is_json)
        case deltas.ToolArguments(id_, text):
            return ToolArguments(at, id_, text)
        case deltas.ToolDone(id_):
            return ToolEnd(at, id_)
        case End(reason):
            return TurnEnd(at, reason)


def as_delta(entry: RecordedDelta) -> deltas.Delta:
    """The delta that was recorded."""
    match entry:
        case TextDelta(_, text):
            return deltas.Text(text)
        case CallStart(_, id_, name, is_json):
            return deltas.ToolCall(id_, name, is_json)
        case ToolArguments(_, id_, text):
            return deltas.ToolArguments(id_, text)
        case ToolEnd(_, id_):
            return deltas.ToolDone(id_)
        case TurnEnd(_, reason):
            return End(reason)
