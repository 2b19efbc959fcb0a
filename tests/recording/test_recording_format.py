"""The recording format: what is written is read back, and every fault is named by its line."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream.operators.events import End, Reason
from editstream.recording import (
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
    read_recording,
    write_recording,
)
from editstream.recording.format import MAX_AT

CREATED = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
FILE = {"path": "a.py", "content": "x = 1\n", "sha256": content_hash("x = 1\n")}
HEADER: dict[str, Any] = {
    "type": "header",
    "format": "editstream-recording",
    "version": 1,
    "created": "2026-03-01T12:30:00Z",
    "files": [FILE],
}
TEXT = {"type": "text", "at": 10, "text": "hello"}
END = {"type": "end", "at": 20, "reason": "complete"}


def lines(*entries: Any) -> bytes:
    return b"".join((each if isinstance(each, str) else json.dumps(each)).encode() + b"\n" for each in entries)


def read(data: bytes, **options: Any) -> Recording:
    return read_recording(io.BytesIO(data), **options)


def written(recording: Recording) -> bytes:
    file = io.BytesIO()
    write_recording(recording, file)
    return file.getvalue()


# Any text but one with a surrogate pair as two code points: that one JSON cannot hold.
texts = st.text(st.characters()).filter(lambda text: json.loads(json.dumps(text)) == text)
kinds: dict[str, Any] = {
    "text": st.builds(TextDelta, st.just(0), texts),
    "start": st.builds(ToolStart, st.just(0), texts, texts),
    "arguments": st.builds(ToolArguments, st.just(0), texts, texts),
    "stop": st.builds(ToolEnd, st.just(0), texts),
}


@st.composite
def recordings(draw: st.DrawFn) -> Recording:
    gaps = st.integers(0, 5000)
    at = 0
    deltas: list[Delta] = []
    for kind in draw(st.lists(st.sampled_from(sorted(kinds)), max_size=8)):
        at += draw(gaps)
        delta = draw(kinds[kind])
        values = {name: getattr(delta, name) for name in delta.__slots__ if name not in ("at", "type")}
        deltas.append(type(delta)(at=at, **values))
    files = draw(st.dictionaries(texts, texts, max_size=3))
    header = Header(
        draw(st.datetimes(timezones=st.just(UTC))),
        tuple(RecordedFile.of(path, content) for path, content in files.items()),
        draw(st.none() | texts),
        draw(st.dictionaries(texts, texts, max_size=2)),
        draw(st.dictionaries(texts, texts, max_size=2)),
    )
    reasons: tuple[Reason, ...] = ("complete", "truncated", "cancelled")
    reason = draw(st.sampled_from(reasons))
    return Recording(header, tuple(deltas), Ending(at + draw(gaps), reason, draw(st.none() | texts)))


@given(recordings())
def test_what_is_written_is_read_back(recording: Recording) -> None:
    """Writing any recording and reading it gives an equal one, lone surrogates and tool calls included."""
    assert read(written(recording)) == recording


@given(recordings())
def test_the_file_is_printable_ascii(recording: Recording) -> None:
    """Every byte of a recording is printable ASCII or a newline, so that showing it moves no cursor."""
    assert all(byte == 0x0A or 0x20 <= byte < 0x7F for byte in written(recording))


def test_a_recording_written_by_hand_is_read() -> None:
    """A file with only the required fields, unknown fields, blank lines and CRLF reads as its plain meaning."""
    data = lines(HEADER, "", {**TEXT, "colour": "red"}, "  ", END).replace(b"\n", b"\r\n").rstrip()
    recording = read(data)
    assert recording.header == Header(CREATED, (RecordedFile.of("a.py", "x = 1\n"),))
    assert recording.text == "hello"
    assert list(recording.timeline()) == [(10, "hello"), (20, End("complete"))]


def test_tool_calls_are_kept_but_are_no_text() -> None:
    """The deltas of tool calls are read in their place, and left out of the text and the timeline."""
    call = [
        {"type": "tool_start", "at": 11, "id": "c1", "name": "replace_in_file"},
        {"type": "tool_arguments", "at": 12, "id": "c1", "text": '{"path"'},
        {"type": "tool_end", "at": 13, "id": "c1"},
    ]
    recording = read(lines(HEADER, TEXT, *call, END))
    assert recording.deltas == (
        TextDelta(10, "hello"),
        ToolStart(11, "c1", "replace_in_file"),
        ToolArguments(12, "c1", '{"path"'),
        ToolEnd(13, "c1"),
    )
    assert [item for _, item in recording.timeline()] == ["hello", End("complete")]


def test_paths_are_opened_and_closed(tmp_path: Path) -> None:
    """A path is written and read like an open file, as str or as Path."""
    recording = read(lines(HEADER, TEXT, END))
    write_recording(recording, tmp_path / "a.jsonl")
    write_recording(recording, str(tmp_path / "b.jsonl"))
    assert read_recording(str(tmp_path / "a.jsonl")) == read_recording(tmp_path / "b.jsonl") == recording


def changed(entry: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**entry, **fields}


def without(entry: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != name}


DAMAGED: dict[str, tuple[bytes, int, str]] = {
    "empty": (b"", 1, "header is missing"),
    "no header": (lines(TEXT, END), 1, "begins with its header"),
    "two headers": (lines(HEADER, HEADER, END), 2, "second header"),
    "newer version": (lines(changed(HEADER, version=2, files=7), END), 1, "version 2, and this editstream reads"),
    "newer version, no newline": (lines(changed(HEADER, version=2)).rstrip(), 1, "version 2, and this"),
    "another format": (lines(changed(HEADER, format="asciicast"), END), 1, "'asciicast' version 1"),
    "bad version": (lines(changed(HEADER, version="1"), END), 1, "version"),
    "naive time": (lines(changed(HEADER, created="2026-03-01T12:30:00"), END), 1, "created"),
    "changed content": (lines(changed(HEADER, files=[changed(FILE, content="x = 2\n")]), END), 1, "set sha256 to"),
    "a file twice": (lines(changed(HEADER, files=[FILE, FILE]), END), 1, "'a.py' is there twice"),
    "no end": (lines(HEADER, TEXT), 2, "torn='truncated'"),
    "torn line": (lines(HEADER, TEXT, END)[:-8], 3, "torn here"),
    "bad json": (lines(HEADER, '{"type": "text", "at": 3,, }', END), 2, "not JSON"),
    "no object": (lines(HEADER, "[]", END), 2, "a JSON object"),
    "not a number": (lines(HEADER, '{"type":"text","at":NaN,"text":""}', END), 2, "at"),
    "a huge number": (lines(HEADER, '{"at":' + "9" * 5000 + "}", END), 2, "not JSON"),
    "deep": (lines(HEADER, "[" * 200_000, END), 2, "nested too deeply"),
    "not utf-8": (lines(HEADER) + b'{"type":"text","at":1,"text":"\xff"}\n' + lines(END), 2, "not UTF-8"),
    "unknown type": (lines(HEADER, changed(TEXT, type="te\x1b[2Jxt"), END), 2, "unknown type 'te\\x1b[2Jxt'"),
    "no type": (lines(HEADER, without(TEXT, "type"), END), 2, "unknown type"),
    "wrong type": (lines(HEADER, changed(TEXT, text=7), END), 2, "'text': "),
    "time as text": (lines(HEADER, changed(TEXT, at="10"), END), 2, "'at': "),
    "time below zero": (lines(HEADER, changed(TEXT, at=-1), END), 2, "'at': "),
    "time past a week": (lines(HEADER, changed(TEXT, at=10**12), END), 2, "'at': "),
    "missing field": (lines(HEADER, without(TEXT, "at"), END), 2, "'at': "),
    "unknown reason": (lines(HEADER, TEXT, changed(END, reason="done")), 3, "'reason': "),
    "time backwards": (lines(HEADER, TEXT, changed(TEXT, at=9), END), 3, "from 10 to 9 ms"),
    "end before text": (lines(HEADER, TEXT, changed(END, at=9)), 3, "from 10 to 9 ms"),
    "text after the end": (lines(HEADER, TEXT, END, TEXT), 4, "goes on after its end"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_named_by_its_line(name: str) -> None:
    """A torn or damaged recording raises RecordingError with the line's number, and a message in printable ASCII."""
    data, line, message = DAMAGED[name]
    with pytest.raises(RecordingError) as caught:
        read(data)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"line {line}: ")
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


@given(
    st.binary(max_size=40) | st.lists(st.sampled_from([HEADER, TEXT, END, [], 7, None])).map(lambda all_: lines(*all_)),
    st.lists(st.tuples(st.integers(0, 500), st.integers(0, 255)), max_size=4),
    st.sampled_from(["error", "truncated"]),
)
def test_nothing_but_a_recording_error_comes_out(data: bytes, changes: list[tuple[int, int]], torn: Any) -> None:
    """Any bytes, and any recording with bytes changed, are read as a recording or raise RecordingError with a line."""
    damaged = bytearray(data)
    for at, byte in changes:
        if at < len(damaged):
            damaged[at] = byte
    errors: list[RecordingError] = []
    try:
        read(bytes(damaged), torn=torn)
    except RecordingError as error:
        errors.append(error)
    assert all(error.line is not None and str(error).isprintable() for error in errors)


@pytest.mark.parametrize("cut", [1, 8, len(lines(END)), len(lines(END)) + 1, len(lines(TEXT, END)) - 1])
def test_a_torn_recording_can_be_read_as_truncated(cut: int) -> None:
    """With torn="truncated", what was whole before the tear is read, and the end says that it is none."""
    recording = read(lines(HEADER, TEXT, changed(TEXT, at=15), END)[:-cut], torn="truncated")
    kept = 2 if cut <= len(lines(END)) + 1 else 1
    if cut == 1:
        assert recording.end == Ending(20)
        return
    assert [delta.at for delta in recording.deltas] == [10, 15][:kept]
    assert recording.end == Ending([10, 15][kept - 1], "truncated", "the recording has no end")


def test_damage_before_the_tear_stays_an_error() -> None:
    """torn="truncated" forgives the missing end only: a bad line in the middle is still an error."""
    with pytest.raises(RecordingError, match="line 2: "):
        read(lines(HEADER, "{", TEXT), torn="truncated")


def test_the_size_of_a_line_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line over the bound is refused by its number, when read and when written."""
    monkeypatch.setattr("editstream.recording.reading.MAX_LINE_BYTES", 300)
    monkeypatch.setattr("editstream.recording.lines.MAX_LINE_BYTES", 300)
    long = TextDelta(1, "x" * 300)
    with pytest.raises(RecordingError, match="line 2: longer than 300"):
        read(lines(HEADER, changed(TEXT, text=long.text), END))
    with pytest.raises(RecordingError, match="line 2: longer than 300"):
        written(Recording(Header(CREATED), (long,), Ending(1)))


def test_the_size_of_a_recording_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recording over the bound is refused where it crosses it, when read and when written."""
    monkeypatch.setattr("editstream.recording.reading.MAX_RECORDING_BYTES", 500)
    monkeypatch.setattr("editstream.recording.writing.MAX_RECORDING_BYTES", 500)
    with pytest.raises(RecordingError, match="longer than 500 bytes"):
        read(lines(HEADER, *[TEXT] * 20, END))
    with pytest.raises(RecordingError, match="longer than 500 bytes"):
        written(Recording(Header(CREATED), (TextDelta(1, "hello"),) * 20, Ending(1)))


@pytest.mark.parametrize(
    ("delta", "message"),
    [
        (TextDelta(1, "\ud83d\ude00"), "surrogate pair"),
        (TextDelta(-1, "x"), "runs backwards"),
        (TextDelta(MAX_AT + 1, "x"), "'at': "),
    ],
)
def test_what_could_not_be_read_back_is_not_written(delta: Delta, message: str) -> None:
    """A delta that JSON or the bounds do not hold is refused with its line instead of being changed."""
    with pytest.raises(RecordingError, match=message) as caught:
        written(Recording(Header(CREATED), (delta,), Ending(MAX_AT)))
    assert caught.value.line == 2
