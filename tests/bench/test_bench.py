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


def test_the_million_runs() -> None:
    """A few hundred of the million edits, none of them wrong."""
    done = run("million.py", "--count", "300", "--seed", "5000000", "--jobs", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "300 edits" in done.stdout
    assert "wrong 0, refused without a reason 0" in done.stdout
