"""The benchmark of growing strings runs, and its bounds hold with room to spare."""

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[1] / "bench" / "json_strings.py"


def test_a_delta_costs_a_small_part_of_parsing_anew() -> None:
    """A quick round of every measurement: time within three times its bounds."""
    done = subprocess.run([sys.executable, BENCH, "--quick"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "code: a delta at 200 KB" in done.stdout
    assert "code: 200 KB" in done.stdout
