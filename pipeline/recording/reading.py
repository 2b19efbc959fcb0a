"""Reading a recording: line by line, within bounds, the first fault named by its line."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import IO, Literal, TypeAlias

from .format import MAX_LINE_BYTES, MAX_RECORDING_BYTES, Delta, Ending, Header, Recording, RecordingError, TurnOrder
from .lines import TURN, E, Place, Schema, opened, parse, validate

Torn: TypeAlias = Literal["error", "truncated"]
"""What is done about a recording whose writer died: it is an error, or what came before is taken."""

TORN = "the recording is torn here: `editstream replay --torn`, or torn='truncated', takes what came before"


def read_recording(source: Place, *, torn: Torn = "error") -> Recording:
    """Read a recording from a path or an open binary file, which stays open.

    A recording whose writer died has no line of type ``end``, and its last line may be cut. By default that is an
    error; with ``torn="truncated"`` the cut line is dropped and the rest is a recording that ends, truncated, with the
    last thing that came. Damage anywhere else is an error either way.

    Raises RecordingError, with the line's number from 1 and what to do, and OSError where the file cannot be read.
    """
    order = TurnOrder()
    deltas: list[Delta] = []
    with opened(source, "rb") as file:
        for number, entry in entries_of(file, TURN, torn):
            order.add(entry, number)
            if not isinstance(entry, Header | Ending):
                deltas.append(entry)
    return _whole(order, deltas, torn)


def demo_recording() -> Recording:
    """The recording that ships in the package: a Python module of about 120 lines, edited in about twelve seconds."""
    with resources.files("editstream.recording").joinpath("demo.jsonl").open("rb") as file:
        return read_recording(file)


def entries_of(file: IO[bytes], schema: Schema[E], torn: Torn) -> Iterator[tuple[int, E]]:
    """The entries of a recording with the numbers of their lines, from 1; their order is for the caller to check.

    Raises RecordingError, and OSError.
    """
    for number, line in _lines(file):
        try:
            found = parse(line, number)
        except RecordingError:
            if line.endswith(b"\n"):
                raise
            if torn == "error":
                raise RecordingError(TORN, number) from None
            return
        yield number, validate(found, number, schema)


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, numbered from 1; a bound is checked before what lies beyond it is read."""
    number = size = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        size += len(line)
        if len(line) > MAX_LINE_BYTES:
            raise RecordingError(f"longer than {MAX_LINE_BYTES} bytes: this is no recording of ours", number)
        if size > MAX_RECORDING_BYTES:
            raise RecordingError(f"longer than {MAX_RECORDING_BYTES} bytes up to here: split the recording", number)
        if line.strip():
            yield number, line


def _whole(order: TurnOrder, deltas: list[Delta], torn: str) -> Recording:
    if order.header is None:
        raise RecordingError("nothing is recorded: the header is missing", 1)
    if order.end is None and torn == "error":
        raise RecordingError(f"the line of type 'end' is missing after this one; {TORN}", order.line)
    end = order.end or Ending(order.at, "truncated", "the recording has no end")
    return Recording(order.header, tuple(deltas), end)
