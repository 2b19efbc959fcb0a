r"""The recording format, version 1: one model turn as JSON Lines, with all that is needed to run it again.

A recording is a text file of one JSON object a line, told apart by ``type``:

    {"type": "header", "format": "editstream-recording", "version": 1, "created": "2026-01-01T00:00:00+00:00",
     "files": [{"path": "a.py", "content": "…", "sha256": "…"}], "dialect": "safe", "options": {}, "meta": {}}
    {"type": "text", "at": 412, "text": "------- SEA"}
    {"type": "tool_start", "at": 950, "id": "call_1", "name": "replace_in_file"}
    {"type": "tool_arguments", "at": 961, "id": "call_1", "text": "{\"path\": "}
    {"type": "tool_end", "at": 1240, "id": "call_1"}
    {"type": "end", "at": 1251, "reason": "complete"}

The header comes first and the end last. ``at`` is whole milliseconds since the start and never runs backwards.
``dialect``, ``options``, ``meta`` (by custom ``model`` and ``note``) and the end's ``error`` may be left out. A field
that this version does not know is passed over, so that a later writer may add one; a ``type`` it does not know is an
error, since a line passed over would be a different stream. Blank lines mean nothing.

Lines are written in ASCII, everything else as JSON escapes: a recording holds what a model said, and printing one
must not let a control character through to a terminal. So a lone surrogate comes back as it was.

The same frozen dataclasses are the lines in memory and, through pydantic, the schema of the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, Self, TypeAlias

from pydantic import AwareDatetime, Discriminator, Field, InstanceOf, TypeAdapter

from editstream.operators.events import End, Reason

FORMAT: Final = "editstream-recording"
VERSION: Final = 1

MAX_LINE_BYTES = 128 * 1024 * 1024
"""The longest line, in bytes. The header holds whole files: the 50 MB the engine is held to, twice over for escapes."""

MAX_RECORDING_BYTES = 512 * 1024 * 1024
"""The longest recording, in bytes. All of it is held in memory, at several times its size; a turn is under 1 MB."""

MAX_ERROR_CHARACTERS = 2_000
"""The longest text kept of a source's error, in code points: enough to name it, too little to hide a payload in."""

MAX_AT = 7 * 24 * 60 * 60 * 1000
"""The latest time, in ms: a week. No turn is longer, and a replay's timer is never asked for an impossible date."""

Milliseconds: TypeAlias = Annotated[int, Field(strict=True, ge=0, le=MAX_AT)]
Count: TypeAlias = Annotated[int, Field(strict=True, ge=0)]
Flag: TypeAlias = Annotated[bool, Field(strict=True)]
# Not plain `str`: pydantic refuses lone surrogates there, and a model's stream may hold them.
Text: TypeAlias = InstanceOf[str]


class RecordingError(ValueError):
    """A recording that cannot be read, or an item that cannot be written to one.

    ``line`` is the line of the recording, from 1, or None where no single line is at fault. ``str(error)`` names it
    and says what to do.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(message if line is None else f"line {line}: {message}")


def shown(text: str, limit: int = 80) -> str:
    """Text from a recording as it may stand in a message: short, in ASCII, nothing that moves a cursor."""
    return ascii(text[:limit])


def content_hash(content: str) -> str:
    """The SHA-256 of a file's text as UTF-8, in lower-case hexadecimal (lone surrogates as their three bytes)."""
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file as it was before the turn: its path as the model knows it, its text with its own line ends, its hash.

    The path is what the recording says, nothing more: whoever writes there checks it first.
    """

    path: Text
    content: Text
    sha256: Text

    @classmethod
    def of(cls, path: str, content: str) -> Self:
        """The record of a file with this text, its hash computed."""
        return cls(path, content, content_hash(content))


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: when the turn was recorded, the files it edits, and how they were edited then."""

    created: AwareDatetime
    files: tuple[RecordedFile, ...] = ()
    dialect: Text | None = None
    options: dict[Text, Text] = field(default_factory=dict[str, str])
    meta: dict[Text, Text] = field(default_factory=dict[str, str])
    type: Literal["header"] = field(default="header", kw_only=True)
    format: Literal["editstream-recording"] = field(default=FORMAT, kw_only=True)
    version: Literal[1] = field(default=VERSION, kw_only=True)


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Text from the model, ``at`` ms after the start."""

    at: Milliseconds
    text: Text
    type: Literal["text"] = field(default="text", kw_only=True)


@dataclass(frozen=True, slots=True)
class ToolStart:
    """The model begins a call of the tool ``name``; ``id`` tells calls of one turn apart."""

    at: Milliseconds
    id: Text
    name: Text
    type: Literal["tool_start"] = field(default="tool_start", kw_only=True)


@dataclass(frozen=True, slots=True)
class ToolArguments:
    """A piece of the JSON text of a call's arguments."""

    at: Milliseconds
    id: Text
    text: Text
    type: Literal["tool_arguments"] = field(default="tool_arguments", kw_only=True)


@dataclass(frozen=True, slots=True)
class ToolEnd:
    """A call's arguments are whole."""

    at: Milliseconds
    id: Text
    type: Literal["tool_end"] = field(default="tool_end", kw_only=True)


@dataclass(frozen=True, slots=True)
class Ending:
    """The last line: when the stream ended and why; ``error`` is the text of the source's error, if it had one."""

    at: Milliseconds
    reason: Reason = "complete"
    error: Text | None = None
    type: Literal["end"] = field(default="end", kw_only=True)


Delta: TypeAlias = TextDelta | ToolStart | ToolArguments | ToolEnd
Entry: TypeAlias = Header | Delta | Ending

ENTRY: TypeAdapter[Entry] = TypeAdapter(Annotated[Entry, Discriminator("type")])


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded turn: the header, what came, and how it ended."""

    header: Header
    deltas: tuple[Delta, ...]
    end: Ending

    @property
    def text(self) -> str:
        """All the text of the turn, joined; tool calls are left out."""
        return "".join(delta.text for delta in self.deltas if isinstance(delta, TextDelta))

    def timeline(self) -> Iterator[tuple[int, str | End]]:
        """What a replay yields: each text with its time in ms, then the end."""
        for delta in self.deltas:
            if isinstance(delta, TextDelta):
                yield delta.at, delta.text
        yield self.end.at, End(self.end.reason)


class LineOrder:
    """What holds for the lines of any recording, read or written: what one writes, the other can read.

    The header is first, and there once; times never run backwards; nothing follows the end. ``line`` and ``at`` are the
    number, from 1, and the time in ms of the last line.
    """

    def __init__(self) -> None:
        self.line = 0
        self.at = 0
        self.has_header = False
        self.is_whole = False

    def follow(self, line: int, at: int | None) -> None:
        """Take the next line, at this number: one of this time, or the header; raises RecordingError."""
        self.line = line
        if self.is_whole:
            raise RecordingError("the recording goes on after its end: delete all lines after that", line)
        if at is None:
            if self.has_header:
                raise RecordingError("a second header: a recording has one, so split the file here", line)
            self.has_header = True
            return
        if not self.has_header:
            raise RecordingError("a recording begins with its header: put the line of type 'header' first", line)
        if at < self.at:
            raise RecordingError(
                f"time runs backwards, from {self.at} to {at} ms: put the lines in the order of their 'at'", line
            )
        self.at = at


class TurnOrder(LineOrder):
    """The order of the lines of a recorded turn."""

    def __init__(self) -> None:
        super().__init__()
        self.header: Header | None = None
        self.end: Ending | None = None

    def add(self, entry: Entry, line: int) -> None:
        """Take the next entry, at this line of the recording; raises RecordingError where it may not stand there."""
        self.follow(line, None if isinstance(entry, Header) else entry.at)
        if isinstance(entry, Header):
            self._begin(entry)
        elif isinstance(entry, Ending):
            self.end = entry
            self.is_whole = True

    def _begin(self, header: Header) -> None:
        paths: set[str] = set()
        for file in header.files:
            if file.path in paths:
                raise RecordingError(f"the file {shown(file.path)} is there twice: keep one of them", self.line)
            paths.add(file.path)
            if file.sha256 != (found := content_hash(file.content)):
                raise RecordingError(
                    f"the content of {shown(file.path)} is not what its sha256 names. If it was changed on purpose, set"
                    f" sha256 to {found}; else take the recording again",
                    self.line,
                )
        self.header = header
