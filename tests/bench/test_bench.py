"""The benchmarks run, and their bounds hold with room to spare."""

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parent


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, BENCH / script, *arguments], capture_output=True, text=True, timeout=300, check=False
    )


def test_the_ratios_hold_with_room_to_spare() -> None:
    """A quick round of every measurement: memory within its bounds, time within three times its own."""
    done = run("edits.py", "--quick")
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ("safe, FileEditor", "safe, apply_edits", "v1", "v2", "reading full_content", "miss", "bytes per kept"):
        assert part in done.stdout


def test_placing_costs_little() -> None:
    """A quick round: what is said of places, and text inside lines, cost a few times what whole lines do."""
    done = run("places.py", "--quick")
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ("hits in", "near a line", "below a scope", "pairs of text inside lines", "pairs for every hit"):
        assert part in done.stdout


def test_whole_file_writes_cost_the_same_in_a_large_file() -> None:
    """A quick round: a character of a new file costs no more in a long one, whatever it changes."""
    done = run("whole_file.py", "--quick")
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ("same", "tenth changed", "tenth added", "second half", "all new", "fenced", "one line"):
        assert part in done.stdout


def test_the_million_runs() -> None:
    """A few hundred of the million edits, none of them wrong."""
    done = run("million.py", "--count", "300", "--seed", "5000000", "--jobs", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "300 edits" in done.stdout
    assert "wrong 0, refused without a reason 0" in done.stdout


def test_a_hundred_sessions_are_a_hundred_times_one() -> None:
    """A quick round with twenty: nothing is mixed up, a delta costs what it costs alone, and memory is bounded."""
    done = run("sessions.py", "--quick")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("every file and answer as of one alone") == 2
    for part in ("in turns", "tasks", "a session's delta", "opened", "an open edit", "after the turn", "forgotten"):
        assert done.stdout.count(part) == 2
