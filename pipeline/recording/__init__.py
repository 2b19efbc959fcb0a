"""Recordings: one model turn with its files and times, written while it streams, and replayed as an observable."""

from __future__ import annotations

from .format import (
    MAX_LINE_BYTES,
    MAX_RECORDING_BYTES,
    VERSION,
    Delta,
    Ending,
    Header,
    RecordedFile,
    Recording,
    RecordingError,
    TextDelta,
    ToolArguments,
    ToolEnd,
    ToolStart,
    content_hash,
)
from .reading import demo_recording, read_recording
from .replaying import replay
from .writing import record, write_recording

__all__ = [
    "MAX_LINE_BYTES",
    "MAX_RECORDING_BYTES",
    "VERSION",
    "Delta",
    "Ending",
    "Header",
    "RecordedFile",
    "Recording",
    "RecordingError",
    "TextDelta",
    "ToolArguments",
    "ToolEnd",
    "ToolStart",
    "content_hash",
    "demo_recording",
    "read_recording",
    "record",
    "replay",
    "write_recording",
]
