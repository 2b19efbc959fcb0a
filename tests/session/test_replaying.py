"""Replaying a session: the same snapshots, answers and writes from the recording alone, or the difference by name."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_scenes import BEFORE, SCENES, Scene, Seen, laid_out, played, session_of
from session_turns import block, on_disk, pair, pieces

from editstream import EditSession, Workspace
from editstream.operators.formats.bare_diff import BareDiff
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.prompts.examples import EXAMPLES, Example
from editstream.recording import RecordingError
from editstream.session import (
    Answer,
    Decision,
    FileSnapshot,
    Proposal,
    SessionRecorder,
    SessionRecording,
    read_session,
    replay_session,
)
from editstream.session.recorded import Answered, Decided

FIXTURE = Path(__file__).with_name("two_turns.jsonl")
EVERY_EXAMPLE = [(name, example) for name, examples in EXAMPLES.items() for example in examples]


def replayed(recording: SessionRecording, **options: Any) -> tuple[Seen, tuple[str, ...]]:
    """What comes of a recording, and the differences in words."""
    seen = Seen()
    replay = replay_session(recording, **options)
    for item in replay:
        if isinstance(item, FileSnapshot):
            seen.shown.append(item)
        else:
            seen.answers.append(item)
    assert tuple(seen.answers) == replay.answers
    return seen, tuple(map(str, replay.differences))


def outcome(seen: Seen) -> list[Any]:
    """All that a user and a model have seen; events without their time and root, which a recording does not keep."""
    shown = [(item.path, item.edit, item.call, *all_of(item)) for item in seen.shown]
    return [shown, [replace(answer, outcomes=()) for answer in seen.answers], list(map(fates, seen.answers))]


def all_of(item: FileSnapshot) -> tuple[Any, ...]:
    snapshot = item.snapshot
    return snapshot.full_content, snapshot.new_content, snapshot.blocks, snapshot.problems, snapshot.is_final


def fates(answer: Answer) -> list[Any]:
    return [
        replace(
            item,
            writes=tuple(
                (event.kind, event.path, event.old_path, event.hash_before, event.hash_after, event.size)
                for event in item.writes
            ),
        )
        for item in answer.outcomes
    ]


@pytest.mark.parametrize("name", SCENES)
def test_a_session_is_replayed_whole(name: str, tmp_path: Path) -> None:
    """Whatever the disk, the user and the model did, the replay shows and answers the same, once the files are gone."""
    seen, recording = played(SCENES[name], tmp_path)
    shutil.rmtree(tmp_path)
    again, differences = replayed(recording)
    assert differences == ()
    assert outcome(again) == outcome(seen)


def cut(example: Example, sizes: Sequence[int]) -> list[Delta]:
    """The example's turn in pieces of these sizes, over and over."""
    deltas: list[Delta] = []
    said: list[tuple[str, Any]] = (
        [("", example.turn)]
        if isinstance(example.turn, str)
        else [(str(number), call) for number, call in enumerate(example.turn)]
    )
    for id_, what in said:
        text = what if isinstance(what, str) else json.dumps(what.arguments)
        deltas += [] if isinstance(what, str) else [ToolCall(id_, what.tool)]
        at = count = 0
        while at < len(text):
            piece = text[at : at + sizes[count % len(sizes)]]
            deltas.append(Text(piece) if isinstance(what, str) else ToolArguments(id_, piece))
            at, count = at + len(piece), count + 1
        deltas += [] if isinstance(what, str) else [ToolDone(id_)]
    return deltas


@settings(max_examples=60)
@given(
    st.sampled_from(EVERY_EXAMPLE),
    st.lists(st.integers(1, 60), min_size=1, max_size=5),
    st.sampled_from(["file", "block"]),
    st.lists(st.booleans() | st.text(max_size=4), min_size=1, max_size=4),
)
def test_every_format_is_replayed(
    named: tuple[Any, Example], sizes: list[int], approve_by: Any, decisions: list[Decision]
) -> None:
    """A turn in any format, cut anywhere, with any decisions, is replayed to the same snapshots and answer."""
    format_, example = named
    left = iter(decisions * 10)
    path = next(iter(example.after)) if format_ == "diff" else None
    file, seen = io.BytesIO(), Seen()
    with TemporaryDirectory() as folder:
        workspace = Workspace(folder)
        for name, text in example.before.items():
            workspace.write_text(name, text)
        session = EditSession(
            workspace,
            format=format_,
            path=path,
            approve=lambda _: next(left),
            approve_by=approve_by,
            witness=SessionRecorder(file),
        )
        with session:
            session.snapshots.subscribe(seen.shown.append)
            list(session.run(cut(example, sizes)))
    assert session.answer is not None
    seen.answers.append(session.answer)
    again, differences = replayed(read_session(io.BytesIO(file.getvalue())))
    assert differences == ()
    assert outcome(again) == outcome(seen)


BREAKING = Scene("markdown", (), options={"approve_by": "block"})
WHOLE_TURN = Text(
    f"a.py\n```\n{block('one' + chr(10), 'ONE' + chr(10))}```\n\nb.py\n```\n"
    f"{block('two' + chr(10), 'TWO' + chr(10))}{block('no' + chr(10), '')}```\n"
)


class _Broken(Exception):
    """What a subscriber raises."""


def feed_all(session: EditSession) -> None:
    with session:
        session.feed(WHOLE_TURN)
        session.close()


@pytest.mark.parametrize("needs", range(1, 11))
def test_a_turn_that_broke_off_is_replayed_to_there(tmp_path: Path, needs: int) -> None:
    """Where a snapshot, a question or an event makes the caller fail inside one delta, the replay is cut there too."""
    count = 0
    file = io.BytesIO()

    def need(_: object) -> None:
        nonlocal count
        count += 1
        if count == needs:
            raise _Broken

    session = session_of(BREAKING, laid_out(tmp_path), file, approve=lambda proposal: need(proposal) is None)
    session.snapshots.subscribe(need)
    session.writes.subscribe(need)
    with pytest.raises(_Broken):
        feed_all(session)
    assert session.answer is not None
    again, differences = replayed(read_session(io.BytesIO(file.getvalue())))
    assert differences == ()
    assert [answer.text for answer in again.answers] == [session.answer.text]


def test_a_session_on_an_event_loop_is_replayed(tmp_path: Path) -> None:
    """Sessions that are awaited, one of them cancelled while its user thinks, are recorded as those that wait are."""
    laid_out(tmp_path)

    async def main(file: io.BytesIO, *, cancelled: bool) -> Answer:
        thinking = asyncio.Event()

        async def approve(proposal: Proposal) -> Decision:
            if proposal.path == "b.py":
                thinking.set()
                await asyncio.sleep(3600 if cancelled else 0)
            return True

        async def turn(session: EditSession) -> None:
            async with session:
                for delta in (*pair("1", "a.py", "two", "2"), *pair("2", "b.py", "one", "ONE")):
                    await session.afeed(delta)
                await session.aclose()

        scene = Scene("tools", ())
        session = session_of(scene, Workspace(tmp_path), file, approve=approve)
        task = asyncio.create_task(turn(session))
        await thinking.wait()
        if cancelled:
            task.cancel()
        await asyncio.wait((task,))
        assert task.cancelled() == cancelled
        assert session.answer is not None
        return session.answer

    for cancelled in (True, False):
        (tmp_path / "a.py").write_bytes(BEFORE.encode())
        file = io.BytesIO()
        answer = asyncio.run(main(file, cancelled=cancelled))
        again, differences = replayed(read_session(io.BytesIO(file.getvalue())))
        assert differences == ()
        assert [each.text for each in again.answers] == [answer.text]
        assert ("cancelled" in answer.text) == cancelled


def test_a_format_of_ones_own(tmp_path: Path) -> None:
    """A session with a format that has no name is replayed with that format, and not without."""
    file = io.BytesIO()

    def machine() -> BareDiff:
        return BareDiff("a.py")

    workspace = laid_out(tmp_path)
    with EditSession(workspace, format=machine, approve=True, witness=SessionRecorder(file)) as session:
        list(session.run(pieces(block("one\n", "ONE\n"))))
    recording = read_session(io.BytesIO(file.getvalue()))
    with pytest.raises(ValueError, match="format of its own"):
        replay_session(recording)
    again, differences = replayed(recording, format=machine)
    assert (differences, again.answers[0].text) == ((), "a.py: changed.\n\nNothing is left to repair.")


def test_the_committed_recording_is_made_by_its_script(tmp_path: Path) -> None:
    """Running make_recording.py gives two_turns.jsonl byte for byte, and that is replayed without a difference."""
    script = Path(__file__).with_name("make_recording.py")
    subprocess.run([sys.executable, script, tmp_path / "made.jsonl"], check=True)
    assert (tmp_path / "made.jsonl").read_bytes() == FIXTURE.read_bytes()
    again, differences = replayed(read_session(FIXTURE))
    assert differences == ()
    assert [answer.needs_repair for answer in again.answers] == [True, False]


def test_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A replay leaves the files of the folder it runs in alone, though the recording names them."""
    recording = read_session(FIXTURE)
    workspace = laid_out(tmp_path)
    for path in ("src/shop.py", "limits.ini"):
        workspace.write_text(path, "not what the recording holds\n")
    before = on_disk(workspace)
    monkeypatch.chdir(tmp_path)
    again, _ = replayed(recording)
    assert "limits.ini: changed." in again.answers[0].text
    assert on_disk(workspace) == before


def test_what_was_decided_otherwise_is_a_difference() -> None:
    """Another decision in a recording leads to a write that is not there, and the answer of then to one of now."""
    recording = read_session(FIXTURE)
    entries = tuple(
        replace(entry, decision=False) if isinstance(entry, Decided) and entry.path == "limits.ini" else entry
        for entry in recording.entries
    )
    _, differences = replayed(replace(recording, entries=entries))
    assert len(differences) == 1
    assert differences[0].startswith("turn 1: recorded is 'write limits.ini pairs ")


def test_another_answer_is_a_difference_and_the_replay_goes_on() -> None:
    """Words that have changed are told line by line, and do not keep the next turn from being replayed."""
    recording = read_session(FIXTURE)
    entries = tuple(
        replace(entry, text=entry.text.replace("docs/notes.md: ", "docs/notes.md is "), mistakes=7)
        if isinstance(entry, Answered)
        else entry
        for entry in recording.entries
    )
    again, differences = replayed(replace(recording, entries=entries))
    assert differences[0].startswith("turn 1: recorded is 'docs/notes.md is created.")
    assert "replayed 'docs/notes.md: created." in differences[0]
    assert [text.split(" ")[1] for text in differences] == ["1:", "1:", "2:", "2:"]
    assert len(again.answers) == 2


@pytest.mark.parametrize("kept", range(0, 146, 5))
def test_a_torn_session_is_replayed_as_far_as_it_goes(kept: int) -> None:
    """Torn after any line, a recording is replayed to there, and what was open then is cancelled, not written."""
    data = FIXTURE.read_bytes().splitlines(keepends=True)
    torn = b"".join(data[: kept + 1]) + data[kept + 1][:-5]
    recording = read_session(io.BytesIO(torn), torn="truncated")
    assert (len(recording.entries), recording.is_whole) == (kept, False)
    again, differences = replayed(recording)
    whole, _ = replayed(read_session(FIXTURE))
    assert differences == ()
    assert [item.snapshot.full_content for item in whole.shown[: len(again.shown)]] == [
        item.snapshot.full_content for item in again.shown
    ]


def test_a_replay_keeps_its_time() -> None:
    """At a speed the deltas come at their times divided by it, but no wait is longer than three seconds were."""
    recording = read_session(FIXTURE)
    late = tuple(replace(entry, at=entry.at + 6 * 10**8) for entry in recording.entries)
    start = time.monotonic()
    replayed(replace(recording, entries=late), speed=20.0)
    assert (3_000 + recording.entries[-2].at - 100) / 20_000 <= time.monotonic() - start < 30
    with pytest.raises(ValueError, match="speed is a factor"):
        replay_session(recording, speed=0)


def test_a_replay_can_be_left() -> None:
    """A replay that is closed early ends there, and what it did not come to is no difference."""
    replay = replay_session(read_session(FIXTURE))
    first = next(iter(replay))
    replay.close()
    assert isinstance(first, FileSnapshot)
    assert (list(replay), replay.answers, replay.differences) == ([], (), ())


@settings(max_examples=150)
@given(st.data())
def test_nothing_but_a_difference_comes_out(data: st.DataObject) -> None:
    """However the lines of a recording are mixed, left out or changed, it is replayed, differs, or is an error."""
    lines = [json.loads(line) for line in FIXTURE.read_bytes().splitlines()]
    for _ in range(data.draw(st.integers(1, 4))):
        at, other = data.draw(st.tuples(*[st.integers(1, len(lines) - 2)] * 2))
        match data.draw(st.sampled_from(["drop", "copy", "swap", "field"])):
            case "drop":
                del lines[at]
            case "copy":
                lines.insert(at, lines[other])
            case "swap":
                lines[at], lines[other] = lines[other], lines[at]
            case _:
                name = data.draw(st.sampled_from(sorted(lines[at])))
                lines[at] = {**lines[at], name: lines[other].get(name, data.draw(st.sampled_from([None, "../x", 0])))}
    for number, line in enumerate(lines[1:]):
        line["at"] = number
    said: list[str] = []
    try:
        recording = read_session(io.BytesIO(b"".join(json.dumps(line).encode() + b"\n" for line in lines)))
        said += replayed(recording)[1]
    except RecordingError as error:
        said.append(str(error))
    assert all(text.isascii() and text.isprintable() for text in said)
