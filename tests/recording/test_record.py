"""Recording a running stream: everything passes through, the file is readable at any moment, the end says why."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from editstream.operators.events import End
from editstream.recording import Ending, RecordedFile, Recording, RecordingError, TextDelta, read_recording, record


def ticking(*seconds: float) -> Callable[[], float]:
    """A clock that tells these times, one at each look."""
    times = iter(seconds)
    return lambda: next(times)


def recorded(file: io.BytesIO) -> Recording:
    return read_recording(io.BytesIO(file.getvalue()))


async def async_items(*items: Any) -> AsyncIterator[Any]:
    for item in items:
        await asyncio.sleep(0)
        if isinstance(item, Exception):
            raise item
        yield item


def sync_items(*items: Any) -> Iterator[Any]:
    for item in items:
        if isinstance(item, Exception):
            raise item
        yield item


def passed(items: tuple[Any, ...], file: Any, kind: str, **options: Any) -> list[str | End]:
    """Record a stream of this kind and give what came through."""
    if kind == "sync":
        return list(record(sync_items(*items), file, **options))

    async def run() -> list[str | End]:
        return [item async for item in record(async_items(*items), file, **options)]

    return asyncio.run(run())


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_items_pass_unchanged_and_are_recorded(kind: str) -> None:
    """Every item comes through as it was, and the recording has the texts with their times and the files."""
    file = io.BytesIO()
    items = ("a", "", "\ud800\x1b[2J", "d")
    clock = ticking(100.0, 100.4, 100.4004, 101.0, 101.5, 102.0)
    got = passed(items, file, kind, files={"x.py": "1\r\n"}, dialect="v1", meta={"model": "m"}, clock=clock)
    recording = recorded(file)
    assert got == list(items)
    assert recording.deltas == (
        TextDelta(400, "a"),
        TextDelta(400, ""),
        TextDelta(1000, "\ud800\x1b[2J"),
        TextDelta(1500, "d"),
    )
    assert recording.end == Ending(2000, "complete")
    assert recording.header.files == (RecordedFile.of("x.py", "1\r\n"),)
    assert (recording.header.dialect, recording.header.meta) == ("v1", {"model": "m"})


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("reason", ["complete", "truncated", "cancelled"])
def test_the_reason_of_an_end_is_kept(kind: str, reason: Any) -> None:
    """An End passes through like any item, and its reason is the recording's."""
    file = io.BytesIO()
    assert passed(("a", End(reason)), file, kind) == ["a", End(reason)]
    assert recorded(file).end.reason == reason


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_an_error_of_the_source_is_recorded_and_raised(kind: str) -> None:
    """The source's exception comes out as it was, and the recording ends truncated with its text."""
    file = io.BytesIO()
    error = ConnectionResetError("peer went away")
    with pytest.raises(ConnectionResetError) as caught:
        passed(("a", error), file, kind)
    assert caught.value is error
    assert (recorded(file).end.reason, recorded(file).end.error) == (
        "truncated",
        "ConnectionResetError: peer went away",
    )


def test_closing_early_records_cancelled_and_closes_the_source() -> None:
    """A consumer that closes the wrapper leaves a recording that ends cancelled, and a closed generator."""
    file = io.BytesIO()
    source = sync_items("a", "b")
    wrapper = record(source, file)
    assert next(wrapper) == "a"
    wrapper.close()
    assert recorded(file).end.reason == "cancelled"
    assert recorded(file).text == "a"
    assert list(source) == []


def test_cancelling_a_task_records_cancelled() -> None:
    """A task cancelled while it waits for the model leaves a recording that ends cancelled, and a closed source."""
    file = io.BytesIO()
    closed: list[bool] = []

    async def source() -> AsyncIterator[str]:
        try:
            yield "a"
            await asyncio.sleep(60)
        finally:
            closed.append(True)

    async def consume() -> None:
        async for _ in record(source(), file):
            pass

    async def run() -> None:
        task = asyncio.create_task(consume())
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert recorded(file).end.reason == "cancelled"
    assert closed == [True]


def test_a_file_that_is_a_source_stays_open() -> None:
    """Only generators are closed with the wrapper: an open file handed in as source belongs to its opener."""
    source = io.StringIO("one\ntwo\n")
    assert list(record(source, io.BytesIO())) == ["one\n", "two\n"]
    assert not source.closed


def test_an_sdk_stream_is_recorded() -> None:
    """An async iterator that is no generator, as SDKs have them, is recorded all the same and left to its owner."""

    class Stream:
        def __init__(self) -> None:
            self.left = ["b", "a"]

        def __aiter__(self) -> Stream:
            return self

        async def __anext__(self) -> str:
            if not self.left:
                raise StopAsyncIteration
            return self.left.pop()

    async def run(file: io.BytesIO) -> list[str | End]:
        return [item async for item in record(Stream(), file)]

    file = io.BytesIO()
    assert asyncio.run(run(file)) == ["a", "b"]
    assert recorded(file).text == "ab"


def test_nothing_is_written_before_the_first_item_is_asked_for(tmp_path: Path) -> None:
    """Making the wrapper opens no file: the recording begins when the stream does."""
    record(["a"], tmp_path / "turn.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_a_killed_process_leaves_a_readable_prefix(tmp_path: Path) -> None:
    """A process that dies without any clean-up has written every item that was handed on."""
    script = (
        "import os, sys\n"
        "from editstream.recording import record\n"
        "for item in record(['one ', 'two ', 'three'], sys.argv[1]):\n"
        "    if item == 'two ': os._exit(9)\n"
    )
    path = tmp_path / "turn.jsonl"
    assert subprocess.run([sys.executable, "-c", script, path], check=False).returncode == 9
    with pytest.raises(RecordingError, match="line 3: "):
        read_recording(path)
    assert read_recording(path, torn="truncated").text == "one two "


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_text_after_the_end_is_refused(kind: str) -> None:
    """A source that goes on after its End gets an error, and the recording stays whole."""
    file = io.BytesIO()
    with pytest.raises(RecordingError, match="goes on after its end"):
        passed(("a", End(), "b"), file, kind)
    assert recorded(file).text == "a"


def test_an_item_of_another_type_is_refused() -> None:
    """An item that is neither str nor End raises TypeError and is named by its type."""
    with pytest.raises(TypeError, match="not bytes"):
        passed((b"a",), io.BytesIO(), "sync")


def test_a_full_disk_reaches_the_consumer() -> None:
    """An error of the sink is raised to the consumer once, and nothing more is written after it."""

    class Full(io.BytesIO):
        def write(self, data: Any) -> int:
            if self.tell() > 0:
                raise OSError(28, "No space left on device")
            return super().write(data)

    file = Full()
    with pytest.raises(OSError, match="No space left"):
        passed(("a", "b"), file, "sync")
    assert file.getvalue().count(b"\n") == 1


def test_importing_recording_leaves_rich_alone() -> None:
    """Importing the recording package does not import rich, which only the live view needs."""
    script = "import sys, editstream.recording; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
