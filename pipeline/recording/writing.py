"""Writing a recording, whole or while the stream runs: ``record`` stands between a source and its consumer."""

from __future__ import annotations

import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Callable,
    Generator,
    Iterable,
    Mapping,
)
from datetime import UTC, datetime
from types import TracebackType
from typing import IO, Generic, Self, overload

from editstream.operators.events import End

from .format import (
    MAX_ERROR_CHARACTERS,
    MAX_RECORDING_BYTES,
    Ending,
    Entry,
    Header,
    RecordedFile,
    Recording,
    RecordingError,
    TextDelta,
    TurnOrder,
)
from .lines import TURN, E, Order, Place, Schema, opened, render


def write_recording(recording: Recording, sink: Place) -> None:
    """Write a recording to a path (a file there is replaced) or to an open binary file, which stays open.

    Raises RecordingError where it could not be read back (see ``record``), and OSError.
    """
    with opened(sink, "wb") as file:
        writer = Writer(file, TURN, TurnOrder())
        for entry in (recording.header, *recording.deltas, recording.end):
            writer.write(entry)


@overload
def record(
    source: Iterable[str | End],
    sink: Place,
    *,
    files: Mapping[str, str] | None = None,
    dialect: str | None = None,
    options: Mapping[str, str] | None = None,
    meta: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Generator[str | End, None, None]: ...
@overload
def record(
    source: AsyncIterable[str | End],
    sink: Place,
    *,
    files: Mapping[str, str] | None = None,
    dialect: str | None = None,
    options: Mapping[str, str] | None = None,
    meta: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncGenerator[str | End, None]: ...
def record(
    source: Iterable[str | End] | AsyncIterable[str | End],
    sink: Place,
    *,
    files: Mapping[str, str] | None = None,
    dialect: str | None = None,
    options: Mapping[str, str] | None = None,
    meta: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Generator[str | End, None, None] | AsyncGenerator[str | End, None]:
    """Wrap a stream of text so that it is recorded while it passes through, every item unchanged.

    ``source`` is any iterable or async iterable of ``str``, perhaps with an ``End`` last; ``sink`` a path (a file there
    is replaced) or an open binary file, which stays open. ``files`` maps the path of each file that the turn edits to
    its text before the turn; ``dialect``, ``options`` and ``meta`` go into the header as they are. ``clock`` gives
    seconds. Writing begins, and the clock starts, when the first item is asked for. Each line is flushed before its
    item is handed on, so a crash leaves what had come; in the async case these small writes block.

    The end is recorded as the ``End`` that came, else as complete; an exception of the source as truncated, with its
    text, and raised again; closing the wrapper early, or being interrupted, as cancelled. A source that is a generator
    is closed with the wrapper. Raises TypeError for an item of another type, RecordingError for one that no recording
    can hold (text after the end, a surrogate pair as two code points, more than the bounds), and OSError.
    """
    recorded = tuple(RecordedFile.of(path, content) for path, content in (files or {}).items())
    header = Header(datetime.now(UTC), recorded, dialect, dict(options or {}), dict(meta or {}))
    if isinstance(source, AsyncIterable):
        return _pass_async(source, sink, header, clock)
    return _pass(source, sink, header, clock)


def _pass(
    source: Iterable[str | End], sink: Place, header: Header, clock: Callable[[], float]
) -> Generator[str | End, None, None]:
    items = iter(source)
    try:
        with opened(sink, "wb") as file, _Turn(Writer(file, TURN, TurnOrder()), header, clock) as turn:
            for item in items:
                turn.note(item)
                yield item
    finally:
        # Only a generator is ours to close: a list's iterator has no close, and an open file belongs to its opener.
        if isinstance(items, Generator):
            items.close()


async def _pass_async(
    source: AsyncIterable[str | End], sink: Place, header: Header, clock: Callable[[], float]
) -> AsyncGenerator[str | End, None]:
    items = aiter(source)
    try:
        with opened(sink, "wb") as file, _Turn(Writer(file, TURN, TurnOrder()), header, clock) as turn:
            async for item in items:
                turn.note(item)
                yield item
    finally:
        if isinstance(items, AsyncGenerator):
            await items.aclose()


class Writer(Generic[E]):
    """Entries to lines, in order, within bounds, each flushed; ``failed`` says that one was not written whole."""

    def __init__(self, file: IO[bytes], schema: Schema[E], order: Order[E]) -> None:
        self._file = file
        self._schema = schema
        self._order = order
        self._size = 0
        self.failed = False

    def write(self, entry: E) -> None:
        """Write the next entry; raises RecordingError where it cannot be, and OSError."""
        self.failed = True
        number = self._order.line + 1
        self._order.add(entry, number)
        line = render(entry, number, self._schema)
        self._size += len(line)
        if self._size > MAX_RECORDING_BYTES:
            raise RecordingError(f"the recording grows longer than {MAX_RECORDING_BYTES} bytes: split the turn", number)
        self._file.write(line)
        self._file.flush()
        self.failed = False


class _Turn:
    """The turn being recorded: the header on entering, an item with its time, and on leaving why it ended."""

    def __init__(self, writer: Writer[Entry], header: Header, clock: Callable[[], float]) -> None:
        self._writer, self._header, self._clock = writer, header, clock
        self._ended = False

    def __enter__(self) -> Self:
        self._start = self._clock()
        self._writer.write(self._header)
        return self

    def note(self, item: str | End) -> None:
        match item:
            case str():
                self._writer.write(TextDelta(self._now(), item))
            case End(reason=reason):
                self._writer.write(Ending(self._now(), reason))
                self._ended = True
            case _:
                raise TypeError(f"a stream of text holds str and End, not {type(item).__name__}")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._ended or self._writer.failed:
            return
        if error is None:
            self._writer.write(Ending(self._now()))
        elif isinstance(error, Exception):
            text = f"{type(error).__name__}: {error}"[:MAX_ERROR_CHARACTERS]
            self._writer.write(Ending(self._now(), "truncated", text))
        else:
            # GeneratorExit (closed early), CancelledError, KeyboardInterrupt: somebody wanted no more of it.
            self._writer.write(Ending(self._now(), "cancelled"))

    def _now(self) -> int:
        return round((self._clock() - self._start) * 1000)
