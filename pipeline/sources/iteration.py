"""A stream of an SDK's events as its deltas, by ``for`` or ``async for``, whichever the stream can."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable
from typing import TypeAlias, cast

from editstream.operators.formats.deltas import Delta

from .translator import Translator

Stream: TypeAlias = Iterable[object] | AsyncIterable[object]
"""What an SDK returns for a streamed answer, or any iterable of its events, as objects or as plain dicts."""


class Deltas:
    """The neutral deltas of a stream, to be iterated once, in the way (sync or async) that the stream itself knows.

    The last delta is an ``End``. An exception of the stream is passed on after the deltas so far, without an ``End``:
    the consumer closes as truncated. A stream that is a generator is closed with the iteration; an SDK's own stream
    belongs to whoever opened it. An event that is not the SDK's raises what ``Translator.feed`` says.
    """

    def __init__(self, stream: Stream, translator: Callable[[], Translator]) -> None:
        self._stream = stream
        self._translator = translator

    def __iter__(self) -> Generator[Delta, None, None]:
        translator = self._translator()
        events = iter(cast("Iterable[object]", self._stream))
        try:
            for event in events:
                yield from translator.feed(event)
        finally:
            if isinstance(events, Generator):
                events.close()
        translator.ended(self._stream)
        yield from translator.close()

    async def __aiter__(self) -> AsyncGenerator[Delta, None]:
        translator = self._translator()
        events = aiter(cast("AsyncIterable[object]", self._stream))
        try:
            async for event in events:
                for delta in translator.feed(event):
                    yield delta
        finally:
            if isinstance(events, AsyncGenerator):
                await events.aclose()
        translator.ended(self._stream)
        for delta in translator.close():
            yield delta
