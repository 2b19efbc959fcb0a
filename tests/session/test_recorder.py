"""Recording a session: what is on disk while it runs, and what happens when it cannot be written."""

from __future__ import annotations

import errno
import io
import json
import resource
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_turns import block, edit_in, on_disk, pair, pieces

from editstream import EditSession, End, Workspace
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.recording import RecordingError
from editstream.session import SessionRecorder, read_session
from editstream.session.recorded import as_delta, as_entry

FILES = {"a.py": "one\ntwo\nthree\n", "b.py": "one\ntwo\nthree\n"}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "root").mkdir()
    workspace = Workspace(tmp_path / "root")
    for path, text in FILES.items():
        workspace.write_text(path, text)
    return workspace


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def two_edits() -> Iterator[Delta]:
    yield from pair("1", "a.py", "one", "ONE")
    yield from pair("2", "b.py", "two", "TWO")
    yield End()


# Any text but one with a surrogate pair as two code points: that one JSON cannot hold.
texts = st.text(st.characters()).filter(lambda text: json.loads(json.dumps(text)) == text)
deltas = (
    st.builds(Text, texts)
    | st.builds(ToolCall, texts, texts, st.booleans())
    | st.builds(ToolArguments, texts, texts)
    | st.builds(ToolDone, texts)
    | st.builds(End, st.sampled_from(["complete", "truncated", "cancelled"]))
)


@given(st.lists(deltas, max_size=8))
def test_every_delta_comes_back(given_: list[Delta]) -> None:
    """Deltas of every kind, lone surrogates in them included, are read as they came, from lines of printable ASCII."""
    file = io.BytesIO()
    with SessionRecorder(file) as recorder:
        recorder.begun(read_session(Path(__file__).with_name("two_turns.jsonl")).header.options)
        for delta in given_:
            recorder.delta(delta)
    assert all(byte == 0x0A or 0x20 <= byte < 0x7F for byte in file.getvalue())
    file.seek(0)
    recording = read_session(file)
    assert [as_delta(entry) for entry in recording.entries] == given_  # type: ignore[arg-type]
    assert all(as_entry(as_delta(entry), entry.at) == entry for entry in recording.entries)  # type: ignore[arg-type]


def test_a_hostile_turn_is_ascii_on_disk(workspace: Workspace, tmp_path: Path) -> None:
    """Control characters and surrogates in paths, texts, words and files reach the recording as escapes only."""
    path, odd = "\x1b[2J\u202e", "\x1b[2J\u202e\ud800"
    workspace.write_text("a.py", f"{path}\none\n")
    recorder = SessionRecorder(tmp_path / "s.jsonl", meta={"who": odd})
    session = EditSession(workspace, format="tools", approve=lambda _: f"no {odd}", witness=recorder)
    with session:
        list(session.run([Text(odd), *pair("1", path, "one", odd), *pair(odd, "a.py", "one", "ONE")]))
    data = (tmp_path / "s.jsonl").read_bytes()
    assert all(byte == 0x0A or 0x20 <= byte < 0x7F for byte in data)
    recording = read_session(tmp_path / "s.jsonl")
    assert recording.header.meta == {"who": odd}
    assert [entry.path for entry in recording.entries if entry.type == "place"] == [path, "a.py"]
    assert [entry.decision for entry in recording.entries if entry.type == "decision"] == [f"no {odd}"]


def test_each_line_is_on_disk_before_the_session_goes_on(workspace: Workspace, tmp_path: Path) -> None:
    """After each delta the file holds it, whole, and times that never run backwards; so a crash loses the last line."""
    place = tmp_path / "s.jsonl"
    ticks = iter(range(10_000, 0, -1))  # a clock that runs backwards
    session = EditSession(
        workspace, format="tools", approve=True, witness=SessionRecorder(place, clock=lambda: float(next(ticks)))
    )
    with session:
        for fed, delta in enumerate(two_edits(), 1):
            session.feed(delta)
            entries = read_session(place, torn="truncated").entries
            assert (
                sum(entry.type in ("tool_start", "tool_arguments", "tool_end", "turn_end") for entry in entries) == fed
            )
        with pytest.raises(RecordingError, match="'left' is missing"):
            read_session(place)
    assert read_session(place).is_whole
    times = [line["at"] for line in lines(place.read_bytes())[1:]]
    assert times == sorted(times)


def test_a_text_is_told_once(workspace: Workspace) -> None:
    """A text that was read, or written by the session, is not told again; one that others wrote is."""
    file = io.BytesIO()
    with EditSession(workspace, format="tools", approve=True, witness=SessionRecorder(file)) as session:
        for old, new in (("one", "1"), ("none", ""), ("1", "uno")):
            list(session.run(pair("1", "a.py", old, new)))
        workspace.write_text("a.py", "uno\nnew\n")
        list(session.run(pair("1", "a.py", "new", "old")))
    told = [line.get("text") for line in lines(file.getvalue()) if line["type"] == "read"]
    assert told == [FILES["a.py"], None, None, "uno\nnew\n"]


def test_a_text_in_another_encoding_is_told_each_time(workspace: Workspace) -> None:
    """Where the file's bytes are not its text in UTF-8 their hash names no text, so each reading tells it."""
    Path(workspace.root, "a.py").write_bytes(b"\xef\xbb\xbfone\n")
    file = io.BytesIO()
    with EditSession(workspace, format="tools", approve=True, witness=SessionRecorder(file)) as session:
        for old, new in (("none", ""), ("one", "two"), ("two", "three")):
            list(session.run(pair("1", "a.py", old, new)))
    assert [line["text"] for line in lines(file.getvalue()) if line["type"] == "read"] == ["one\n", "one\n", "two\n"]


def test_what_is_open_stays_open(workspace: Workspace, tmp_path: Path) -> None:
    """A file that was opened by others is left open, one of the recorder's own is closed when the session is left."""
    with (tmp_path / "s.jsonl").open("wb") as file:
        with EditSession(workspace, format="diff", path="a.py", approve=True, witness=SessionRecorder(file)):
            pass
        assert not file.closed
    recorder = SessionRecorder(tmp_path / "t.jsonl")
    with EditSession(workspace, format="diff", path="a.py", approve=True, witness=recorder):
        pass
    recorder.close()
    assert read_session(tmp_path / "t.jsonl").entries == read_session(tmp_path / "s.jsonl").entries == ()


def test_one_recorder_one_session(workspace: Workspace) -> None:
    """A recorder takes no second session, nor one after it was closed."""
    recorder = SessionRecorder(io.BytesIO())
    session = EditSession(workspace, format="markdown", approve=True, witness=recorder)
    with session, pytest.raises(ValueError, match="new SessionRecorder"):
        EditSession(workspace, format="markdown", approve=True, witness=recorder)
    with pytest.raises(ValueError, match="new SessionRecorder"):
        EditSession(workspace, format="markdown", approve=True, witness=recorder)


def test_a_bad_place_is_an_error_at_once(workspace: Workspace, tmp_path: Path) -> None:
    """A folder that is missing, and a device that is full, are errors before the first delta."""
    with pytest.raises(FileNotFoundError):
        SessionRecorder(tmp_path / "no" / "s.jsonl")
    with SessionRecorder("/dev/full") as recorder, pytest.raises(OSError, match="cannot be written: No space left"):
        EditSession(workspace, format="markdown", approve=True, witness=recorder)


@contextmanager
def files_of(size: int) -> Generator[None]:
    """No file may grow past this many bytes: the system's own full disk, for this process."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", range(330, 3000, 83))
def test_a_full_disk_leaves_files_whole_and_the_answer_true(workspace: Workspace, tmp_path: Path, size: int) -> None:
    """Wherever the recording can grow no further, the error is raised once, and the answer says what is on disk."""
    session = EditSession(workspace, format="tools", approve=True, witness=SessionRecorder(tmp_path / "s.jsonl"))
    errors: list[OSError] = []
    with files_of(size):
        try:
            with session:
                for delta in two_edits():
                    session.feed(delta)
        except OSError as error:
            errors.append(error)
    assert [(error.errno, error.filename) for error in errors] == [(errno.EFBIG, str(tmp_path / "s.jsonl"))]
    said = "" if session.answer is None else session.answer.text
    changed = {path for path, text in on_disk(workspace).items() if text != FILES[path]}
    assert changed == {path for path in FILES if f"{path}: changed" in said}
    whole = {"a.py": FILES["a.py"].replace("one", "ONE"), "b.py": FILES["b.py"].replace("two", "TWO")}
    assert on_disk(workspace) == {path: (whole if path in changed else FILES)[path] for path in FILES}
    assert not read_session(tmp_path / "s.jsonl", torn="truncated").is_whole


def test_what_no_recording_can_hold_cancels_the_turn(workspace: Workspace) -> None:
    """A surrogate pair as two code points is refused where it comes, nothing is written, and no more is taken."""
    session = EditSession(workspace, format="diff", path="a.py", approve=True, witness=SessionRecorder(io.BytesIO()))
    with session:
        for delta in pieces(block("one\n", "")[:-3]):
            session.feed(delta)
        with pytest.raises(RecordingError, match="surrogate pair"):
            session.feed(Text("\ud83d\ude00"))
        assert session.answer is not None
        assert "cancelled" in session.answer.text
        with pytest.raises(RecordingError, match="broke off before"):
            list(session.run(edit_in("diff", "a.py", "one", "ONE")))
    assert on_disk(workspace) == FILES
