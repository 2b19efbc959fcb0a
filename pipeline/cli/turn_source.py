"""A model's turn on standard input, as deltas: text, or an SDK's events as JSON Lines."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from .chunks import decoded
from .output import complain

if TYPE_CHECKING:
    from editstream.operators.formats.deltas import Delta

NO_EVENT = "line {} of standard input is no event of this SDK ({}); see --sdk, and write one event as JSON on each line"


def turn_on_stdin(sdk: str) -> Iterator[Delta]:
    """The deltas of a turn, each as soon as it is there, with an ``End`` last.

    A last line that was cut off ends the turn as a lost connection does: what came before it counts. Raises
    click.UsageError for a line that is no JSON or not that SDK's, UnicodeDecodeError for text that is not UTF-8.
    """
    from editstream.sources import deltas

    source = _stdin()
    if sdk == "text":
        yield from deltas(decoded(source, "utf-8-sig"), sdk)
        return
    events = _Events(source)
    try:
        yield from deltas(events, sdk)
    except (TypeError, ValueError, RecursionError) as error:
        what = "it is no JSON" if isinstance(error, json.JSONDecodeError | UnicodeDecodeError) else error
        raise click.UsageError(NO_EVENT.format(events.line, what)) from None


def _stdin() -> BinaryIO:
    """Standard input; a terminal's to its end, or what is typed there would answer the questions about the turn."""
    if not sys.stdin.isatty():
        return sys.stdin.buffer
    complain("Reading from the terminal; end with Ctrl-D.")
    return io.BytesIO(sys.stdin.buffer.read())


class _Events:
    """The JSON values of a file, one a line; ``line`` counts them, from 1."""

    def __init__(self, file: BinaryIO) -> None:
        self.line = 0
        self._file = file

    def __iter__(self) -> Iterator[Any]:
        for text in self._file:
            self.line += 1
            if text.isspace():
                continue
            try:
                event = json.loads(text)
            except ValueError:
                if text.endswith(b"\n") or self.line == 1:
                    raise
                return
            yield event
