"""`preview`, `record`, `replay`, `demo` and `glob` with pipes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editstream.recording import TextDelta, demo_recording, read_recording, record, write_recording


def test_preview_tells_each_event_as_it_comes(place: Any) -> None:
    """What is known is told while the stream is still open, also if a chunk ends inside a character."""
    process = place.start("preview", "greet.py")
    before, _, after = place.edit.replace("Hello, {", "H\u00e9, {").encode().partition(b"\xc3")
    process.stdin.write(before + b"\xc3")
    process.stdin.flush()
    assert process.stdout.readline() == b"block 1: located at line 2 (exact)\n"
    process.stdin.write(after)
    process.stdin.flush()
    assert process.stdout.readline() == b"block 1: applied\n"
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, b"")
    assert out.decode().startswith(f"greet.py: {len(place.edit) - 3} characters, 1 of 1 block done; +1 -1 lines\n")
    assert place.file.read_text() == place.greeting


def test_preview_writes_nothing_and_says_what_is_wrong(place: Any) -> None:
    """A rejected edit ends with 1 and its message, as apply does."""
    done = place.run("preview", "greet.py", stdin=place.lost)
    assert done.returncode == 1
    assert done.stdout.startswith("block 1: rejected\nBlock 1 (line 1 of the edit) was not applied")
    assert done.stderr == place.run("apply", "greet.py", "lost.diff", "--yes").stderr


def test_preview_json_is_one_object_at_the_end(place: Any) -> None:
    """With --json preview prints what apply --dry-run --json prints, but for the reason."""
    answer = json.loads(place.run("preview", "greet.py", "--json", stdin=place.edit).stdout)
    dry = json.loads(place.run("apply", "greet.py", "edit.diff", "--dry-run", "--json").stdout)
    assert (answer.pop("reason"), dry.pop("reason")) == ("ready", "dry_run")
    assert answer == dry


@pytest.mark.parametrize("command", ["preview", "apply"])
def test_an_interrupt_leaves_the_file(place: Any, command: str) -> None:
    """Ctrl-C in the middle of a stream ends with 130 and leaves the file as it was."""
    process = place.start(command, "greet.py", *(["--yes"] if command == "apply" else []))
    process.stdin.write((place.edit + place.edit[:20]).encode())
    process.stdin.flush()
    assert process.stdout.readline().startswith(b"block 1: located")
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, b"editstream: interrupted\n")
    assert place.file.read_text() == place.greeting
    assert sorted(path.name for path in place.folder.iterdir()) == ["edit.diff", "greet.py", "lost.diff"]


def test_record_passes_the_stream_through(place: Any) -> None:
    """What comes in goes out byte for byte, and the recording holds it with the file's content."""
    stream = place.edit + "é 寬 \x1b[31m\r\n"
    done = place.run("record", "greet.py", "-o", "turn.jsonl", stdin=stream)
    assert (done.returncode, done.stdout, done.stderr) == (0, stream, "")
    recording = read_recording(place.folder / "turn.jsonl")
    assert recording.text == stream
    assert [(file.path, file.content) for file in recording.header.files] == [("greet.py", place.greeting)]


def test_record_passes_each_chunk_at_once(place: Any) -> None:
    """A chunk is passed on before the next one comes."""
    process = place.start("record", "greet.py", "-o", "turn.jsonl")
    for line in (b"one\n", b"two\n"):
        process.stdin.write(line)
        process.stdin.flush()
        assert process.stdout.readline() == line
    process.communicate(timeout=30)
    texts = [delta.text for delta in read_recording(place.folder / "turn.jsonl").deltas if isinstance(delta, TextDelta)]
    assert texts == ["one\n", "two\n"]


@pytest.mark.parametrize("args", [("--no-live",), ("--speed", "1000")])
def test_replay_tells_what_a_preview_told(place: Any, args: tuple[str, ...]) -> None:
    """A recording is replayed on the file it holds, even if there is none; without a terminal as plain lines."""
    place.run("record", "greet.py", "-o", "turn.jsonl", stdin=place.edit)
    place.file.unlink()
    done = place.run("replay", "turn.jsonl", *args)
    assert (done.returncode, done.stderr) == (0, "")
    place.file.write_text(place.greeting)
    assert done.stdout == place.run("preview", "greet.py", stdin=place.edit).stdout
    assert done.stdout.splitlines()[:2] == ["block 1: located at line 2 (exact)", "block 1: applied"]


def test_a_replayed_rejection_ends_with_its_message(place: Any) -> None:
    """A recording of a rejected edit says again what was wrong, and ends with 1."""
    place.run("record", "greet.py", "-o", "turn.jsonl", stdin=place.lost)
    done = place.run("replay", "turn.jsonl", "--no-live")
    assert done.returncode == 1
    assert done.stderr.startswith("Block 1 (line 1 of the edit) was not applied")


def test_a_torn_recording_is_played_on_request(place: Any) -> None:
    """A recording without its end is refused with the option that plays it, and played as a stream that was cut off."""
    place.run("record", "greet.py", "-o", "turn.jsonl", stdin=place.edit)
    whole = (place.folder / "turn.jsonl").read_bytes()
    (place.folder / "turn.jsonl").write_bytes(whole[: whole.rindex(b"{") + 9])
    refused = place.run("replay", "turn.jsonl")
    assert (refused.returncode, "replay --torn" in refused.stderr) == (4, True)
    played = place.run("replay", "turn.jsonl", "--no-live", "--torn")
    assert (played.returncode, played.stdout.splitlines()[1]) == (0, "block 1: applied")


def test_the_error_of_a_recorded_source_is_told(place: Any) -> None:
    """A replay says with what error the recorded stream ended, and shows the control characters in it."""

    def failing() -> Iterator[str]:
        yield place.edit
        raise ConnectionError("gone \x1b[2J")

    with pytest.raises(ConnectionError):
        list(record(failing(), place.folder / "turn.jsonl", files={"greet.py": place.greeting}))
    done = place.run("replay", "turn.jsonl", "--no-live")
    said = "editstream: the recorded stream ended with an error: ConnectionError: gone ␛[2J\n"
    assert (done.returncode, done.stderr) == (0, said)


def test_replay_takes_one_file(place: Any) -> None:
    """A recording with no file is refused with a reason."""
    place.run("record", "greet.py", "-o", "turn.jsonl", stdin=place.edit)
    text = (place.folder / "turn.jsonl").read_text()
    (place.folder / "turn.jsonl").write_text(re.sub(r'"files": \[.*?\], "dialect"', '"files": [], "dialect"', text))
    done = place.run("replay", "turn.jsonl")
    assert (done.returncode, "0 files" in done.stderr) == (2, True)


def test_the_demo_edits_a_file_in_a_temporary_folder(place: Any) -> None:
    """The demo leaves the edited file where it says, and nothing anywhere else."""
    (place.folder / "tmp").mkdir()
    done = place.run("demo", "--speed", "1000", TMPDIR=str(place.folder / "tmp"))
    assert (done.returncode, done.stderr) == (0, "")
    edited = Path(done.stdout.splitlines()[-1].partition(": ")[2])
    assert edited.is_relative_to((place.folder / "tmp").resolve())
    assert edited.read_text() != demo_recording().header.files[0].content
    assert "\x1b" not in done.stdout
    assert sorted(path.name for path in place.folder.iterdir()) == ["edit.diff", "greet.py", "lost.diff", "tmp"]


def test_a_recording_made_by_hand_may_ask_for_options(place: Any) -> None:
    """The dialect and the options of a recording's header are those of its replay."""
    from dataclasses import replace

    place.run("record", "greet.py", "-o", "turn.jsonl", stdin=place.edit + place.lost)
    recording = read_recording(place.folder / "turn.jsonl")
    header = replace(recording.header, options={"on_reject": "apply_rest"})
    write_recording(replace(recording, header=header), place.folder / "turn.jsonl")
    assert place.run("replay", "turn.jsonl", "--no-live").returncode == 0
    header = replace(recording.header, options={"on_reject": "explode"}, dialect="v9")
    write_recording(replace(recording, header=header), place.folder / "turn.jsonl")
    done = place.run("replay", "turn.jsonl", "--no-live")
    assert done.returncode == 4
    assert "Traceback" not in done.stderr


def test_glob_lists_paths(place: Any) -> None:
    """Paths come one a line, or ended by NUL, or as JSON, and a limit is told."""
    assert place.run("glob", "*.diff").stdout == "edit.diff\nlost.diff\n"
    assert place.run("glob", "*.diff", "-0").stdout == "edit.diff\0lost.diff\0"
    limited = place.run("glob", "*", ".", "--limit", "2", "--type", "file")
    assert (limited.stdout, "2 of 3 matches" in limited.stderr) == ("edit.diff\ngreet.py\n", True)
    answer = json.loads(place.run("glob", "*.py", "--json").stdout)
    assert (answer["paths"], answer["kinds"], answer["total"]) == (["greet.py"], ["file"], 1)


def test_glob_options(place: Any) -> None:
    """Hidden and ignored entries come when asked for, and the newest first when asked for."""
    for name, seconds in ((".hidden.diff", 3), ("skipped.diff", 2), ("edit.diff", 1)):
        (place.folder / name).touch()
        os.utime(place.folder / name, (seconds, seconds))
    (place.folder / ".gitignore").write_text("skipped.diff\n")
    assert "hidden" not in place.run("glob", "*.diff").stdout
    assert ".hidden.diff" in place.run("glob", "*.diff", "--hidden").stdout
    assert "skipped.diff" in place.run("glob", "*.diff", "--no-gitignore").stdout
    newest = place.run("glob", "*.diff", "--hidden", "--no-gitignore", "--newest").stdout.split()
    assert newest == ["lost.diff", ".hidden.diff", "skipped.diff", "edit.diff"]


def test_glob_keeps_to_agent_ignore_files(place: Any) -> None:
    """What models are kept out of is left out unless asked for, and an ignore file in doubt is told of."""
    rules = place.folder / ".cursorignore"
    rules.write_text("lost.*\n")
    assert place.run("glob", "*.diff").stdout == "edit.diff\n"
    assert place.run("glob", "*.diff", "--no-agent-ignore").stdout == "edit.diff\nlost.diff\n"
    rules.write_bytes("lost.*\n".encode("utf-16"))
    closed = place.run("glob", "*.diff")
    assert (closed.stdout, closed.returncode) == ("", 0)
    why = "'.cursorignore' is no text in UTF-8, so all below its folder is left out; --no-agent-ignore lists it"
    assert closed.stderr == f"editstream: {why}\n"
    assert json.loads(place.run("glob", "*.diff", "--json").stdout)["faults"] == ["'.cursorignore' is no text in UTF-8"]


@pytest.mark.skipif(sys.platform == "darwin", reason="APFS refuses names that are not UTF-8")
def test_odd_names_come_out_byte_for_byte(place: Any) -> None:
    """A name that is not UTF-8, or holds a newline, is listed as it is where a program reads it."""
    Path(os.fsdecode(bytes(place.folder) + b"/\xff\n\x1b.odd")).touch()
    out = subprocess.check_output([sys.executable, "-m", "editstream.cli", "glob", "*.odd", "-0"], cwd=place.folder)
    assert out == b"\xff\n\x1b.odd\0"
