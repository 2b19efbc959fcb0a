"""The engine against the recorded answers that lie beside the project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[2].parent / "shared" / "tools" / "check_edits.py"


@pytest.mark.skipif(not CHECK.exists(), reason="the recorded answers (../shared/tools/check_edits.py) are not here")
@pytest.mark.parametrize("answers", ["conformance", "cases", "real"])
def test_recorded_answers_hold(answers: str) -> None:
    """Every recorded answer of the set is ours as well, at every cut of its stream."""
    done = subprocess.run([sys.executable, str(CHECK), answers], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
