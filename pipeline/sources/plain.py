"""Recordings, and plain text from any iterable."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar

from editstream.operators.events import End
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone

from .iteration import Deltas
from .translator import Translator, expect, get, string

if TYPE_CHECKING:
    from editstream.recording import Recording


class Recorded(Translator):
    """The entries of a recording to deltas, as they were recorded; of a session's, all turns as one."""

    COMPLETE: ClassVar = frozenset({"complete"})

    def _translate(self, event: object) -> Iterator[Delta]:
        match expect(event, "type"):
            case "text":
                yield Text(string(event, "text"))
            case "tool_start":
                yield ToolCall(string(event, "id"), string(event, "name"))
            case "tool_arguments":
                yield ToolArguments(string(event, "id"), string(event, "text"))
            case "tool_end":
                yield ToolDone(string(event, "id"))
            case "cancelled":  # here and below: as a recording of a session has it
                self._reason = "cancelled"
            case "end" | "turn_end":
                self._finish(string(event, "reason"))
                if get(event, "reason") == "cancelled":
                    self._reason = "cancelled"
            case _:
                pass


class PlainText(Translator):
    """Strings to deltas, perhaps with an ``End`` last; without one the text is complete."""

    COMPLETE: ClassVar = frozenset[str]()

    def __init__(self) -> None:
        super().__init__()
        self._reason = "complete"

    def _translate(self, event: object) -> Iterator[Delta]:
        match event:
            case str():
                yield from self._text(event)
            case End(reason=reason):
                self._reason = reason
            case _:
                raise TypeError(f"a stream of text holds str and End, not {type(event).__name__}")


def recorded(recording: Recording) -> Deltas:
    """The deltas of a recording, all at once, by ``for``."""
    return Deltas((*recording.deltas, recording.end), Recorded)


def plain_text(stream: Iterable[str | End] | AsyncIterable[str | End]) -> Deltas:
    """The deltas of text that comes in pieces, sync or async."""
    return Deltas(stream, PlainText)
