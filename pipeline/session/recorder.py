"""Recording a session while it runs: a witness that writes what it is told, a line each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from editstream.operators.formats.deltas import Delta
from editstream.recording.format import MAX_AT, RecordingError, content_hash
from editstream.recording.lines import Place
from editstream.recording.writing import Writer

from .answer import Answer
from .approval import Decision, Proposal
from .options import SessionOptions
from .recorded import (
    Answered,
    Cancelled,
    Decided,
    Left,
    Line,
    SessionHeader,
    SessionOrder,
    as_entry,
    session_schema,
)
from .witness import Fact, Read, Witness, Wrote


class SessionRecorder(Witness):
    """Records one session: ``EditSession(…, witness=SessionRecorder("session.jsonl"))``.

    The recording holds what the model said, the text of every file that the session has read, and what the user
    decided: whoever may see it may see those files. Each line is flushed before the session goes on, so a crash loses
    the last line at most. It is closed when the session is left, by ``close``, or as a context manager.

    If it cannot be written any further (a full disk, more than the bounds of a recording, a surrogate pair as two code
    points), the error comes out of the next ``feed`` of the session, which cancels the turn, or else when the session
    is left: never between a file's change and its being told of. Then the recording is torn, and the session takes no
    more deltas. With nothing left to say the recorder says nothing more.

    Args:
        place: a path (a file there is replaced at once), or an open binary file, which stays open.
        meta: goes into the header as it is.
        clock: gives seconds.

    Raises:
        OSError: the path cannot be written.
    """

    def __init__(
        self, place: Place, *, meta: Mapping[str, str] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._name = str(place) if isinstance(place, str | PathLike) else None
        self._file: IO[bytes]
        self._file = Path(place).open("wb") if isinstance(place, str | PathLike) else place  # noqa: SIM115 - kept open
        self._writer = Writer(self._file, session_schema(), SessionOrder())
        self._meta = dict(meta or {})
        self._clock = clock
        self._start: float | None = None
        self._at = 0
        self._pauses = 0
        self._held: set[str] = set()
        self._error: Exception | None = None
        self._told = False
        self._closed = False

    def begun(self, options: SessionOptions) -> None:
        """Write the header. Raises ValueError if another session was recorded, OSError if it cannot be written."""
        if self._start is not None or self._closed:
            raise ValueError("a recorder records one session: make a new SessionRecorder")
        self._start = self._clock()
        self._write(SessionHeader(datetime.now(UTC), options, self._meta))
        self._raise()

    def delta(self, delta: Delta) -> None:
        """Record it. Raises what kept this or anything before from being recorded."""
        self._pauses = 0
        self._write(as_entry(delta, self._now()))
        if self._told:
            raise RecordingError("the recording broke off before: go on in a new session")
        self._raise()

    def found(self, fact: Fact) -> None:
        """Record it; a text that the recording holds is not written again."""
        fact = replace(fact, at=self._now())
        match fact:
            case Wrote(sha256=sha256):
                self._held.add(sha256)
            # The hash is that of the file's bytes, so it names this text only if they are its plain UTF-8.
            case Read(text=str(text), sha256=str(sha256)) if sha256 == content_hash(text):
                fact = replace(fact, text=None) if sha256 in self._held else fact
                self._held.add(sha256)
            case _:
                pass
        self._write(fact)

    def decided(self, proposal: Proposal, decision: Decision) -> None:
        """Record it."""
        block = None if proposal.block is None else proposal.block.index
        self._write(Decided(self._now(), proposal.path, decision, block))

    def paused(self) -> None:
        """Count it."""
        self._pauses += 1

    def cancelled(self) -> None:
        """Record it."""
        self._write(Cancelled(self._now(), self._pauses))

    def answered(self, answer: Answer) -> None:
        """Record it."""
        self._write(Answered.of(answer, self._now()))

    def left(self) -> None:
        """Close the recording."""
        self.close()

    def close(self) -> None:
        """Write the last line and close the file, if it is the recorder's own. May be called again.

        Raises:
            OSError, RecordingError: something could not be recorded, and no ``feed`` has said so.
        """
        if self._closed:
            return
        if self._start is not None:
            self._write(Left(self._now()))
        self._closed = True
        if self._name is not None:
            try:
                self._file.close()
            except OSError as error:
                self._error = self._error or error
        if not self._told:
            self._raise()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def _write(self, entry: Line) -> None:
        """Write a line unless one before could not be; what goes wrong is raised later, see above."""
        if self._error is not None or self._closed:
            return
        try:
            self._writer.write(entry)
        except (OSError, RecordingError) as error:
            self._error = error

    def _raise(self) -> None:
        if self._error is None:
            return
        self._told = True
        if isinstance(self._error, OSError):
            why = self._error.strerror or str(self._error)
            raise OSError(self._error.errno, f"the recording cannot be written: {why}", self._name) from self._error
        raise self._error

    def _now(self) -> int:
        """The time in ms, which stands still after a week."""
        if self._start is not None:
            self._at = max(self._at, min(MAX_AT, round((self._clock() - self._start) * 1000)))
        return self._at
