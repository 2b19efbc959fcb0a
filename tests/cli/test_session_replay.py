"""`editstream replay` of a recorded session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editstream.session import read_session, replay_session

RECORDING = Path(__file__).parents[1] / "session" / "two_turns.jsonl"


@pytest.fixture
def recorded(place: Any) -> Path:
    (place.folder / "session.jsonl").write_bytes(RECORDING.read_bytes())
    return Path(place.folder, "session.jsonl")


def answers() -> str:
    replay = replay_session(read_session(RECORDING))
    list(replay)
    return "\n\n".join(answer.text for answer in replay.answers) + "\n"


@pytest.mark.parametrize("args", [("--no-live",), ("--speed", "1000")])
@pytest.mark.usefixtures("recorded")
def test_a_session_is_replayed_with_its_answers(place: Any, args: tuple[str, ...]) -> None:
    """A recorded session is told by its header; its answers go to standard output, its edits to standard error."""
    before = sorted(place.folder.rglob("*"))
    done = place.run("replay", "session.jsonl", *args)
    assert (done.returncode, done.stdout) == (0, answers())
    assert "src/shop.py: block 1: applied" in done.stderr.splitlines()
    assert sorted(place.folder.rglob("*")) == before


def test_a_session_is_replayed_from_a_pipe(place: Any) -> None:
    """A pipe, which cannot be read twice, is replayed as a file is."""
    done = place.run("replay", "/dev/stdin", "--no-live", stdin=RECORDING.read_bytes())
    assert (done.returncode, done.stdout) == (0, answers())


@pytest.mark.usefixtures("recorded")
def test_a_session_is_replayed_live(place: Any) -> None:
    """On a terminal the edits are drawn, each answer follows those of its turn, and the terminal is put back."""
    terminal = place.on_terminal("replay", "session.jsonl", "--speed", "20")
    assert terminal.wait() == 0
    assert "\x1b[?1049h" in terminal.raw
    assert "Nothing is left to repair." in terminal.text
    assert terminal.raw.rindex("\x1b[?1049l") > terminal.raw.rindex("\x1b[?1049h")


def test_a_difference_ends_with_1(place: Any, recorded: Path) -> None:
    """Where an answer is not what was recorded, the difference is told, in ASCII, and the command ends with 1."""
    recorded.write_bytes(RECORDING.read_bytes().replace(b"Nothing is left", b"\\u001b[2JMuch is left"))
    done = place.run("replay", "session.jsonl", "--no-live")
    assert (done.returncode, done.stdout) == (1, answers())
    assert done.stderr.splitlines()[-1] == (
        "editstream: not what was recorded: turn 2: recorded is '\\x1b[2JMuch is left to repair.',"
        " replayed 'Nothing is left to repair.'"
    )


def test_a_torn_session_is_played_on_request(place: Any, recorded: Path) -> None:
    """A recording without its end is refused with the option that plays it, and played as far as it goes."""
    recorded.write_bytes(RECORDING.read_bytes()[:-60])
    refused = place.run("replay", "session.jsonl", "--no-live")
    assert (refused.returncode, "replay --torn" in refused.stderr) == (4, True)
    played = place.run("replay", "session.jsonl", "--no-live", "--torn")
    assert played.returncode == 0
    assert played.stderr.splitlines()[-1] == "editstream: the recording is torn; this is as far as it goes"


def test_a_session_of_another_format_cannot_be_played(place: Any, recorded: Path) -> None:
    """A session whose format has no name is for Python to replay, and that is said."""
    header, _, rest = RECORDING.read_bytes().partition(b"\n")
    said = json.loads(header)
    said["options"]["format"] = None
    recorded.write_bytes(json.dumps(said).encode() + b"\n" + rest)
    done = place.run("replay", "session.jsonl")
    assert (done.returncode, "replay_session(…, format=…)" in done.stderr) == (2, True)
