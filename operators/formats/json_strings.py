r"""Growing strings in streamed JSON: the new characters of chosen fields, while a tool's arguments still arrive.

An SDK delivers the arguments of a tool call as pieces of one JSON text, cut anywhere. To parse what has come so far
anew at each piece costs time in proportion to all of it. This machine reads each character once::

    start -{-> field -"name"-> colon -:-> value -scalar-> after -,-> field or value
                 |                          |               |
                 |                          +-"-> string -"-+         the text of a chosen string is given at once
                 |                          +-{-> field               the container around waits on a stack
                 |                          +-[-> value               so it does here
                 +-}-> after, or rest when the stack is empty         } and ] may stand for a first field or value

Text of a string means something at once; it is found by its next ``"`` or ``\`` and given as a slice. A name, a number
and an escape mean nothing until they are whole: these, and only these, are held and read again with the next piece.
All three are short, or an error. Hence a piece costs what its own length does, and what is given is never taken back.

What is read is what ``json.loads(text, strict=False)`` reads: models do write raw line ends and tabs into strings, and
those stand for themselves. It differs where a file would suffer, or where nothing is gained by an error:

- Arguments are one object. Any other value is an error, and so is text after the object.
- No arguments at all, or white space alone, are ``{}`` in a stream that ends as complete; some SDKs send that.
- One byte order mark may come first.
- A chosen field that is repeated in an object, or one with chosen fields beneath, is an error. ``json.loads`` keeps
  the last; but the first may be on the screen by then, or the second be for another file.
- Half of a surrogate pair, escaped or not, is an error in any string, also in one that was not chosen: it is no
  character, and no file could hold it. Two halves are one character however each is written and wherever the stream
  was cut; an SDK that counts in UTF-16 may deliver them apart.
- Names and numbers, nesting, and the whole text have a bound.

An error is data: a ``Broken``, once, with its offset; nothing before the offset is wrong. What was given before stays,
the rest of the text is not read, and the end follows with its reason. Text that is cut off ends so as well, whatever
the reason given: a string without its ``StringEnded`` is not whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from editstream.operators.events import End, Reason
from editstream.operators.lines import STREAM_LIMIT
from editstream.operators.machine import Unfinished, as_operator
from editstream.operators.messages import printable

if TYPE_CHECKING:
    from reactivex import Observable

NESTING_LIMIT = 200
"""Objects and arrays inside each other. A tool's arguments have some five; Python's parser gives up at a thousand."""

TOKEN_LIMIT = 1_000
"""Code points of a field's name, with its quotes, or of a number: what must be whole before it means anything. The
longest double has 17 digits that count, and Python refuses integers of more than 4,300."""

NAME_SHOWN = 60
"""Code points of a field in a message."""

Path: TypeAlias = tuple[str | int, ...]
"""Where a value is: names of fields, and indexes of array items from 0, as in ``("edits", 0, "new_string")``."""


@dataclass(frozen=True, slots=True)
class StringStarted:
    """A chosen string begins."""

    path: Path


@dataclass(frozen=True, slots=True)
class StringText:
    """New characters of the chosen string that is open, at least one."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class StringEnded:
    """A chosen string is whole."""

    path: Path


@dataclass(frozen=True, slots=True)
class PlainValue:
    """A chosen field that is a number, true, false or null, whole."""

    path: Path
    value: float | bool | None


@dataclass(frozen=True, slots=True)
class ContainerStarted:
    """A chosen field that is an object or an array begins; what is in it is given if that was chosen."""

    path: Path
    is_array: bool


@dataclass(frozen=True, slots=True)
class ItemEnded:
    """An item of an array is whole, whatever it was; for arrays that were chosen from."""

    path: Path


@dataclass(frozen=True, slots=True)
class Broken:
    """The text is not what it should be, at an offset in code points from 0; nothing more of it is read."""

    kind: Literal["malformed", "truncated", "too_large"]
    offset: int
    message: str


JsonEvent: TypeAlias = (
    StringStarted | StringText | StringEnded | PlainValue | ContainerStarted | ItemEnded | Broken | End
)

_PATTERN = re.compile(r"[^.\[\]]+(?:\[\])*(?:\.[^.\[\]]+(?:\[\])*)*")
_PART = re.compile(r"[^.\[\]]+|\[\]")
_SPACE = re.compile(r"[ \t\n\r]*")
_NAME = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SCALAR = re.compile(r"[-+.0-9A-Za-z]*")

# Where the text of a string stops being what it says: its end, an escape, half of a surrogate pair.
_STOP = re.compile('["\\\\\ud800-\udfff]')
_HIGH = "(?:\\\\u[dD][89abAB][0-9a-fA-F]{2}|[\ud800-\udbff])"
_LOW = "(?:\\\\u[dD][c-fC-F][0-9a-fA-F]{2}|[\udc00-\udfff])"
_CHARACTER = re.compile(rf'\\["\\/bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{{4}}|(?P<high>{_HIGH})(?P<low>{_LOW})')
_HALF = re.compile(f"{_HIGH}|{_LOW}")
_BEGINNING = re.compile(rf"\\(?:u[0-9a-fA-F]{{0,3}})?|{_HIGH}(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?")
_ESCAPES = {
    '\\"': '"', "\\\\": "\\", "\\/": "/", "\\b": "\b", "\\f": "\f", "\\n": "\n", "\\r": "\r", "\\t": "\t",
}  # fmt: skip


def field_name(path: Path) -> str:
    """A path as one writes it, ``edits[0].new_string``, fit to be shown."""
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
    return printable(name if len(name) <= NAME_SHOWN else f"{name[:NAME_SHOWN]}…")


class _Choice:
    """What is chosen at a place and beneath it: ``parts`` by the name of a field, or by None for array items."""

    __slots__ = ("chosen", "everything", "parts")

    def __init__(self, *, everything: bool = False) -> None:
        self.parts: dict[str | None, _Choice] = {}
        self.everything = everything
        self.chosen = False

    def beneath(self, part: str | None) -> _Choice:
        return _EVERYTHING if self.everything else self.parts.get(part, _NOTHING)


_NOTHING = _Choice()
_EVERYTHING = _Choice(everything=True)
_EVERYTHING.chosen = True


def _choice(patterns: Iterable[str]) -> _Choice:
    """The patterns as one tree."""
    root = _Choice()
    for pattern in patterns:
        if not _PATTERN.fullmatch(pattern):
            raise ValueError(f"{pattern!r} names no field: write it as 'path', 'edits[].new_string' or 'a.b'")
        choice = root
        for part in _PART.findall(pattern):
            choice = choice.parts.setdefault(None if part == "[]" else part, _Choice())
        choice.chosen = True
    return root


class _Container:
    """An object or array that is open: where it is, what of it is chosen, and how far it has come."""

    __slots__ = ("choice", "is_array", "part", "path", "seen")

    def __init__(self, path: Path, choice: _Choice, is_array: bool) -> None:
        self.path = path
        self.choice = choice
        self.is_array = is_array
        self.part: str | int = 0 if is_array else ""
        self.seen: set[str] = set()

    @property
    def inner_path(self) -> Path:
        """The path of the field or item that is being read."""
        return (*self.path, self.part)

    @property
    def known_path(self) -> Path:
        """The same, or the container's own path where the name of the next field is not known yet."""
        return self.path if self.part == "" else self.inner_path

    @property
    def inner_choice(self) -> _Choice:
        """What is chosen of it."""
        return self.choice.beneath(None if isinstance(self.part, int) else self.part)


class _Wrong(Exception):
    """Raised inside the machine at the first thing that is wrong; ``at`` counts in the text at hand."""

    def __init__(self, at: int, message: str, kind: Literal["malformed", "too_large"] = "malformed") -> None:
        super().__init__(message)
        self.at = at
        self.message = message
        self.kind: Literal["malformed", "too_large"] = kind


class JsonStrings:
    """The machine that reads the arguments of one tool call.

    ``fields`` are the chosen fields: ``"path"``, ``"edits[].new_string"`` for a field of each item of an array,
    ``"a.b"`` for a field of an object inside; none chooses every field. Raises ValueError for one that is no pattern.
    """

    def __init__(self, *fields: str) -> None:
        self._choice = _choice(fields) if fields else _EVERYTHING
        self._open: list[_Container] = []
        # Reads on at an offset of the text, where something other than white space is, and gives the next offset.
        self._state: Callable[[str, int], int] = self._start
        self._in_string = False
        self._string: Path | None = None  # the chosen string that is open
        self._new: list[str] = []  # its text from this piece
        self._held = ""
        self._offset = 0  # of what is held, or else of the next piece
        self._given: list[JsonEvent] = []
        self._broken = False

    def feed(self, piece: str) -> Sequence[JsonEvent]:
        """Take a piece of the arguments; give what it adds to the chosen fields."""
        if self._string is not None and not self._held and piece and _STOP.search(piece) is None:
            size = self._offset + len(piece)
            if size <= STREAM_LIMIT:  # most pieces are nothing but text
                self._offset = size
                return (StringText(self._string, piece),)
        return () if self._broken else self._take(piece)

    def _take(self, piece: str) -> Sequence[JsonEvent]:
        text, self._held = self._held + piece, ""
        try:
            self._read(text[: STREAM_LIMIT - self._offset])
            if self._offset + len(text) > STREAM_LIMIT:
                raise _Wrong(STREAM_LIMIT - self._offset, f"it is longer than {STREAM_LIMIT:,} characters", "too_large")
        except _Wrong as wrong:
            self._flush()
            self._break(wrong.kind, self._offset + wrong.at, wrong.message)
        self._flush()
        self._offset += len(text) - len(self._held)
        given, self._given = self._given, []
        return given

    def peek(self, unfinished: Unfinished[JsonEvent]) -> Unfinished[JsonEvent]:
        """Pass on what another stage left unfinished: here all that is given is final."""
        return unfinished

    def close(self, reason: Reason) -> Iterable[JsonEvent]:
        """End the arguments: say so if they are cut off, then give the end."""
        nothing_sent = self._state == self._start and reason == "complete"
        if not (self._broken or nothing_sent or self._state == self._rest):
            path = self._open[-1].known_path if self._open else ()
            inside = f" inside {field_name(path)}" if path else ""
            self._break("truncated", self._offset + len(self._held), f"it ends{inside} before it is whole")
        given, self._given = self._given, []
        return (*given, End(reason))

    def _break(self, kind: Literal["malformed", "truncated", "too_large"], offset: int, what: str) -> None:
        self._broken, self._string = True, None
        message = f"The JSON of the arguments cannot be read at character {offset}: {what}. Send the call again, whole."
        self._given.append(Broken(kind, offset, message))

    def _flush(self) -> None:
        if self._new and self._string is not None:
            self._given.append(StringText(self._string, "".join(self._new)))
        self._new.clear()

    def _hold(self, text: str, at: int) -> int:
        """Keep the beginning of what must be whole until more of it has come."""
        self._held = text[at:]
        return len(text)

    # The states -------------------------------------------------------------------------------------------------------

    def _read(self, text: str) -> None:
        at, size = 0, len(text)
        while at < size:
            if not self._in_string:
                at = _space_end(text, at)
                if at == size:
                    return
            at = self._state(text, at)

    def _start(self, text: str, at: int) -> int:
        if text[at] == "\ufeff" and self._offset + at == 0:
            return at + 1
        if text[at] != "{":
            raise _Wrong(at, "the arguments of a tool are one JSON object, in braces")
        return self._enter((), self._choice, at, is_array=False)

    def _first_field(self, text: str, at: int) -> int:
        return self._leave(at) if text[at] == "}" else self._field(text, at)

    def _field(self, text: str, at: int) -> int:
        if text[at] != '"':
            raise _Wrong(at, "the name of a field was expected, in double quotes")
        token = _token(_NAME, text, at)
        if token is None:
            return self._hold(text, at)
        try:
            name = json.loads(token, strict=False).encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except ValueError as error:
            raise _Wrong(at, "the name of a field has an escape that does not exist") from error
        self._name(name, at)
        return at + len(token)

    def _name(self, name: str, at: int) -> None:
        container = self._open[-1]
        container.part = name
        if container.inner_choice is not _NOTHING:
            if name in container.seen:
                raise _Wrong(at, f"the field {field_name(container.inner_path)} is there twice")
            container.seen.add(name)
        self._state = self._colon

    def _colon(self, text: str, at: int) -> int:
        if text[at] != ":":
            raise _Wrong(at, "a colon was expected")
        self._state = self._value
        return at + 1

    def _first_item(self, text: str, at: int) -> int:
        return self._leave(at) if text[at] == "]" else self._value(text, at)

    def _value(self, text: str, at: int) -> int:
        container, char = self._open[-1], text[at]
        choice = container.inner_choice
        if char in "{[":
            return self._enter(container.inner_path, choice, at, is_array=char == "[")
        if char != '"':
            return self._scalar(text, at, choice)
        self._state, self._in_string = self._text, True
        if choice.chosen:
            self._string = container.inner_path
            self._given.append(StringStarted(self._string))
        return at + 1

    def _scalar(self, text: str, at: int, choice: _Choice) -> int:
        token = _token(_SCALAR, text, at)
        if not token:
            raise _Wrong(at, "a value was expected")
        if at + len(token) == len(text):
            return self._hold(text, at)
        try:
            value = json.loads(token)
        except ValueError as error:
            raise _Wrong(at, "this is neither a number nor true, false or null, nor a string in quotes") from error
        if choice.chosen:
            self._given.append(PlainValue(self._open[-1].inner_path, value))
        self._value_ended()
        return at + len(token)

    def _text(self, text: str, at: int) -> int:
        found = _STOP.search(text, at)
        end = found.start() if found else len(text)
        if end > at:
            self._new.append(text[at:end])
        if found is None:
            return end
        return self._string_ended(end) if text[end] == '"' else self._character(text, end)

    def _character(self, text: str, at: int) -> int:
        if found := _CHARACTER.match(text, at):
            self._new.append(_ESCAPES.get(found[0]) or _decoded(found))
            return found.end()
        if _BEGINNING.fullmatch(text, at):
            return self._hold(text, at)
        if _HALF.match(text, at):
            raise _Wrong(at, "half of a surrogate pair is no character (a backslash in a string is written twice)")
        raise _Wrong(at, "this escape does not exist (a backslash in a string is written twice)")

    def _string_ended(self, at: int) -> int:
        self._flush()
        if self._string is not None:
            self._given.append(StringEnded(self._string))
        self._in_string, self._string = False, None
        self._value_ended()
        return at + 1

    def _value_ended(self) -> None:
        container = self._open[-1]
        if container.is_array and container.inner_choice is not _NOTHING:
            self._given.append(ItemEnded(container.inner_path))
        self._state = self._after

    def _after(self, text: str, at: int) -> int:
        container = self._open[-1]
        if text[at] == ("]" if container.is_array else "}"):
            return self._leave(at)
        if text[at] != ",":
            raise _Wrong(at, f"a comma or {']' if container.is_array else '}'} was expected")
        container.part = container.part + 1 if isinstance(container.part, int) else ""
        self._state = self._value if container.is_array else self._field
        return at + 1

    def _enter(self, path: Path, choice: _Choice, at: int, *, is_array: bool) -> int:
        if len(self._open) == NESTING_LIMIT:
            raise _Wrong(at, f"it is nested more than {NESTING_LIMIT} deep", "too_large")
        self._open.append(_Container(path, choice, is_array))
        if choice.chosen and path:
            self._given.append(ContainerStarted(path, is_array))
        self._state = self._first_item if is_array else self._first_field
        return at + 1

    def _leave(self, at: int) -> int:
        self._open.pop()
        if self._open:
            self._value_ended()
        else:
            self._state = self._rest
        return at + 1

    def _rest(self, text: str, at: int) -> int:
        raise _Wrong(at, "nothing may follow the object")


def _space_end(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _token(pattern: re.Pattern[str], text: str, at: int) -> str | None:
    """The token that begins here, if it does; one over the bound is an error, whether it is whole or not."""
    found = pattern.match(text, at)
    if (found.end() if found else len(text)) - at > TOKEN_LIMIT:
        raise _Wrong(at, f"a name or a number is longer than {TOKEN_LIMIT:,} characters", "too_large")
    return found[0] if found else None


def _decoded(found: re.Match[str]) -> str:
    r"""The character of a ``\uXXXX``, or of two halves of a surrogate pair."""
    if found["high"] is None:
        return chr(_unit(found[0]))
    return chr(0x10000 + (_unit(found["high"]) - 0xD800 << 10) + _unit(found["low"]) - 0xDC00)


def _unit(written: str) -> int:
    return ord(written) if len(written) == 1 else int(written[-4:], 16)


def json_strings(*fields: str) -> Callable[[Observable[str | End]], Observable[JsonEvent]]:
    """Operator: pieces of a tool call's arguments to what they add to the chosen fields.

    ::

        --'{"diff": "a'-------------------------'b\\\\n"'-----------------------'}'--|
        --StringStarted-StringText("a")---------StringText("b\\n")-StringEnded------End|
    """
    _choice(fields)  # a pattern that is none is an error where it is written
    return as_operator(lambda: JsonStrings(*fields))
