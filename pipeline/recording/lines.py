"""One line of a recording: text to entry and back, with every fault named by its line.

What the lines are, a ``Schema`` says: a recorded turn and a recorded session are read and written by the same code.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import IO, Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from .format import ENTRY, FORMAT, MAX_LINE_BYTES, VERSION, Entry, RecordingError, shown

E = TypeVar("E")
E_contra = TypeVar("E_contra", contravariant=True)

Place: TypeAlias = str | PathLike[str] | IO[bytes]
"""Where a recording is kept: a path, or a binary file that is open."""


@dataclass(frozen=True, slots=True)
class Schema(Generic[E]):
    """What the lines of a recording are: its name and version, and what validates an entry by its ``type``."""

    format: str
    version: int
    adapter: TypeAdapter[E]


TURN: Schema[Entry] = Schema(FORMAT, VERSION, ENTRY)
"""A recorded turn."""


class Order(Protocol[E_contra]):
    """The order of a recording's lines; ``line`` is the number of the last one, from 1."""

    line: int

    def add(self, entry: E_contra, line: int) -> None:
        """Take the next entry; raises RecordingError where it may not stand there."""


def opened(place: Place, mode: Literal["rb", "wb"]) -> AbstractContextManager[IO[bytes]]:
    """The file at a path, closed afterwards, or the file that was open before, left open."""
    return Path(place).open(mode) if isinstance(place, str | PathLike) else nullcontext(place)


def parse(line: bytes, number: int) -> object:
    """The JSON value of a line (UTF-8, with or without its newline); ``number`` is its place, from 1, for errors.

    Raises RecordingError, naming the line, where it is no UTF-8 or no JSON: what a cut line always is.
    """
    try:
        return json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise RecordingError(f"byte {error.start + 1} is not UTF-8: save the file as UTF-8", number) from None
    except RecursionError:
        raise RecordingError("nested too deeply for a recording: delete the line", number) from None
    except ValueError as error:
        reason = f"{error.msg}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else "a huge number"
        raise RecordingError(f"not JSON ({reason}): repair the line, or delete it", number) from None


def validate(found: object, number: int, schema: Schema[E]) -> E:
    """The entry that a line's JSON value stands for; ``number`` as above.

    Raises RecordingError, naming the line: another format or version, an unknown type, a wrong or missing field.
    """
    match found:
        case {"type": "header", "format": str(name), "version": int(version)} if (name, version) != (
            schema.format,
            schema.version,
        ):
            # Said before the fields are looked at: those of another version may be anything.
            raise RecordingError(
                f"this is {shown(name)} version {version}, and this editstream reads {schema.format} version"
                f" {schema.version}: read it with the editstream that wrote it, or update this one",
                number,
            )
        case dict():
            pass
        case _:
            raise RecordingError("a line of a recording is a JSON object: repair the line, or delete it", number)
    try:
        return schema.adapter.validate_python(found)
    except ValidationError as error:
        raise RecordingError(_fault(error), number) from None


def render(entry: Any, number: int, schema: Schema[Any]) -> bytes:
    """An entry as its line of ASCII, newline included; ``number`` is its place in the recording, from 1.

    The line is read back before it is handed out, so a recording that was written can be read. Raises RecordingError
    where that fails: a value out of its bounds, or two surrogates side by side, which JSON reads as one character.
    """
    said = {name: value for name, value in asdict(entry).items() if value is not None and value != {}}
    line = json.dumps({"type": entry.type, **said}, default=datetime.isoformat).encode("ascii")
    if len(line) >= MAX_LINE_BYTES:
        raise RecordingError(f"longer than {MAX_LINE_BYTES} bytes: record fewer or smaller files", number)
    if validate(parse(line, number), number, schema) != entry:
        raise RecordingError("a surrogate pair stands as two code points, which JSON cannot hold: join the two", number)
    return line + b"\n"


def _fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"].startswith("union_tag"):
        tag = first.get("ctx", {}).get("tag")
        return f"unknown type {shown(str(tag))}: put the type right, or delete the line"
    place = ".".join(str(part) for part in first["loc"][1:])
    return f"{shown(place)}: {first['msg']}; repair the field"
