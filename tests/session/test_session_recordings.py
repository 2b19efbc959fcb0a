"""The format of session recordings: what is written by hand is read, and every fault is named by its line."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from editstream.operators.formats.deltas import Text
from editstream.recording import RecordingError, read_recording
from editstream.session import SessionRecorder, SessionRecording, read_session, replay_session
from editstream.session.recorded import is_session
from editstream.session.witness import Placed, Read

FIXTURE = Path(__file__).with_name("two_turns.jsonl")
OPTIONS = json.loads(FIXTURE.read_bytes().splitlines()[0])["options"]
HEADER: dict[str, Any] = {
    "type": "header",
    "format": "editstream-session",
    "version": 1,
    "created": "2026-03-01T12:30:00Z",
    "options": OPTIONS,
}
TEXT = {"type": "text", "at": 10, "text": "hello"}
PLACE = {"type": "place", "at": 10, "path": "a.py", "place": "a.py"}
READ = {"type": "read", "at": 10, "path": "a.py", "text": "x", "sha256": "0" * 64}
DECISION = {"type": "decision", "at": 10, "path": "a.py", "decision": True}
ANSWER: dict[str, Any] = {"type": "answer", "at": 20, "text": "", "results": [], "mistakes": 0, "limit_reached": False}
CHANGE = {"kind": "modified", "path": "a.py", "old_path": None, "hash_before": "1", "hash_after": "2", "size": 3}
WRITE = {"type": "write", "at": 10, "path": "a.py", "kind": "blocks", "sha256": "3", "changes": [CHANGE]}
LEFT = {"type": "left", "at": 20}


def lines(*entries: Any) -> bytes:
    return b"".join((each if isinstance(each, str) else json.dumps(each)).encode() + b"\n" for each in entries)


def read(data: bytes, **options: Any) -> SessionRecording:
    return read_session(io.BytesIO(data), **options)


def changed(entry: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**entry, **fields}


def without(entry: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != name}


DAMAGED: dict[str, tuple[bytes, int, str]] = {
    "empty": (b"", 1, "header is missing"),
    "no header": (lines(TEXT, LEFT), 1, "begins with its header"),
    "two headers": (lines(HEADER, HEADER, LEFT), 2, "second header"),
    "newer version": (lines(changed(HEADER, version=2, options=7)), 1, "version 2, and this editstream reads"),
    "a recorded turn": (lines(changed(HEADER, format="editstream-recording")), 1, "'editstream-recording' version 1"),
    "no options": (lines(without(HEADER, "options"), LEFT), 1, "'options': "),
    "an unknown dialect": (lines(changed(HEADER, options={**OPTIONS, "dialect": "v9"})), 1, "'options.dialect': "),
    "an unknown format": (lines(changed(HEADER, options={**OPTIONS, "format": "x"})), 1, "'options.format': "),
    "no left": (lines(HEADER, TEXT), 2, "torn='truncated'"),
    "torn line": (lines(HEADER, TEXT, LEFT)[:-8], 3, "torn here"),
    "bad json": (lines(HEADER, '{"type": "text", "at": 3,, }', LEFT), 2, "not JSON"),
    "no object": (lines(HEADER, "[]", LEFT), 2, "a JSON object"),
    "deep": (lines(HEADER, "[" * 200_000, LEFT), 2, "nested too deeply"),
    "not utf-8": (lines(HEADER) + b'{"type":"text","at":1,"text":"\xff"}\n' + lines(LEFT), 2, "not UTF-8"),
    "unknown type": (lines(HEADER, changed(TEXT, type="te\x1b[2Jxt"), LEFT), 2, "unknown type 'te\\x1b[2Jxt'"),
    "time backwards": (lines(HEADER, TEXT, changed(TEXT, at=9), LEFT), 3, "from 10 to 9 ms"),
    "time past a week": (lines(HEADER, changed(TEXT, at=10**12), LEFT), 2, "'at': "),
    "goes on": (lines(HEADER, LEFT, changed(TEXT, at=20)), 3, "goes on after its end"),
    "no answer": (lines(HEADER, without(PLACE, "place"), LEFT), 2, "neither a place for 'a.py'"),
    "never told": (lines(HEADER, without(READ, "text"), LEFT), 2, "the text of 'a.py' was not told before"),
    "a decision of neither": (lines(HEADER, changed(DECISION, decision=1), LEFT), 2, "'decision."),
    "a block below zero": (lines(HEADER, changed(DECISION, block=-1), LEFT), 2, "'block': "),
    "a size below zero": (lines(HEADER, changed(WRITE, changes=[changed(CHANGE, size=-1)]), LEFT), 2, "size': "),
    "an unknown change": (lines(HEADER, changed(WRITE, changes=[changed(CHANGE, kind="x")]), LEFT), 2, "kind': "),
    "an unknown kind": (lines(HEADER, changed(WRITE, kind="x"), LEFT), 2, "'kind': "),
    "results of another kind": (lines(HEADER, changed(ANSWER, results=[7]), LEFT), 2, "'results.0': "),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_in_a_session_is_named_by_its_line(name: str) -> None:
    """A torn or damaged recording raises RecordingError with the line's number, and a message in printable ASCII."""
    data, line, message = DAMAGED[name]
    with pytest.raises(RecordingError) as caught:
        read(data)
    assert caught.value.line == line
    assert message in str(caught.value)
    assert str(caught.value).isprintable()
    assert str(caught.value).isascii()


def test_a_session_written_by_hand_is_read() -> None:
    """Unknown fields, blank lines and CRLF mean nothing, and a text that was told before may be left out."""
    entries: tuple[Any, ...] = (
        changed(TEXT, colour="red"),
        "",
        PLACE,
        READ,
        without(READ, "text"),
        DECISION,
        WRITE,
        ANSWER,
        LEFT,
    )
    recording = read(lines(HEADER, *entries).replace(b"\n", b"\r\n").rstrip())
    assert recording.is_whole
    assert [entry.type for entry in recording.entries] == [
        *("text", "place", "read", "read", "decision", "write", "answer"),
    ]
    assert recording.entries[1:3] == (
        Placed("a.py", "a.py", at=10),
        Read("a.py", "x", "0" * 64, at=10),
    )


HOSTILE: dict[str, tuple[Any, ...]] = {
    "a question that was not asked": (TEXT, PLACE),
    "an answer without a turn": (ANSWER,),
    "a turn without an answer": (TEXT,),
    "a cancel without a turn": ({"type": "cancelled", "at": 1, "pauses": 0},),
    "a cancel that is never come to": (TEXT, {"type": "cancelled", "at": 10, "pauses": 99}),
    "a decision without a question": (TEXT, DECISION),
    "another path": (
        {"type": "tool_start", "at": 0, "id": "1", "name": "write_file"},
        {"type": "tool_arguments", "at": 0, "id": "1", "text": '{"path": "/etc/passwd", "content": "x'},
        {"type": "place", "at": 0, "path": "../../etc/passwd", "place": "../../etc/passwd"},
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_session_that_never_was_differs(name: str) -> None:
    """A recording that can be read, of a session that there cannot have been, ends its replay with one difference."""
    replay = replay_session(read(lines(HEADER, *HOSTILE[name], changed(LEFT, at=99))))
    list(replay)
    assert len(replay.differences) == 1


def test_options_that_do_not_go_together() -> None:
    """A bare diff without a path is said to be the header's fault."""
    recording = read(lines(changed(HEADER, options={**OPTIONS, "format": "diff"}), LEFT))
    with pytest.raises(RecordingError, match="line 1: the header asks for a session that cannot be"):
        replay_session(recording)


def test_the_size_of_a_session_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line or a recording over its bound is refused where it crosses it, when read and when written."""
    whole = FIXTURE.read_bytes()
    recorder = SessionRecorder(io.BytesIO())
    recorder.begun(read(whole).header.options)
    monkeypatch.setattr("editstream.recording.reading.MAX_RECORDING_BYTES", 2000)
    with pytest.raises(RecordingError, match="longer than 2000 bytes up to here"):
        read(whole)
    monkeypatch.setattr("editstream.recording.reading.MAX_LINE_BYTES", 100)
    with pytest.raises(RecordingError, match="line 1: longer than 100 bytes"):
        read(whole)
    monkeypatch.setattr("editstream.recording.writing.MAX_RECORDING_BYTES", 500)
    recorder.delta(Text("short"))
    with pytest.raises(RecordingError, match="grows longer than 500"):
        recorder.delta(Text("x" * 300))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (lines(HEADER, LEFT), True),
        (lines(changed(HEADER, version=7)), True),
        (lines(changed(HEADER, format="editstream-recording")), False),
        (b"", False),
        (b"[1]\n", False),
        (b"\xff\n" + lines(HEADER), False),
        (b"x" * 2_000_000, False),
    ],
)
def test_a_session_is_told_by_its_header(data: bytes, expected: bool) -> None:
    """Whether a file is a recorded session is in its first line, and the file is put back to its start."""
    file = io.BytesIO(data)
    assert is_session(file) == expected
    assert file.tell() == 0


def test_a_session_is_no_turn() -> None:
    """Read as a recorded turn, a recorded session is refused by its name."""
    with pytest.raises(RecordingError, match="line 1: this is 'editstream-session' version 1"):
        read_recording(FIXTURE)
