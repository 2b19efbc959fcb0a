"""The benchmarks run, and their bounds hold with room to spare."""

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parent


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, BENCH / script, *arguments], capture_output=True, text=True, timeout=300, check=False
    )


MISSES = """
import sys; from table import Row, print_table
made = lambda quick, rounds: [Row("kept", "", "", 1, 1), Row("high", "", "", {0}, 1), Row("low", "", "", 1, {0}, False)]
sys.exit(print_table("", made))
"""


def test_a_bound_that_is_missed_ends_with_1() -> None:
    """A ratio beyond its bound, on either side, is marked and fails the run, and --quick allows three times as much."""
    for ratio, arguments, missed in ((1, [], 0), (2, [], 2), (2, ["--quick"], 0), (4, ["--quick"], 2)):
        code = [sys.executable, "-c", MISSES.format(ratio), *arguments]
        done = subprocess.run(code, cwd=BENCH, capture_output=True, encoding="utf-8", check=False)
        assert (done.returncode, done.stdout.count("MISSED")) == (int(missed > 0), missed), done.stderr


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
