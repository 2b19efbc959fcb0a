"""Help: the same everywhere, and there before anything heavy is imported."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

FILES = Path(__file__).parent / "help"
COMMANDS = ("", "demo", "apply", "preview", "session", "replay", "record", "glob", "prompt")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_the_committed_text(place: Any, command: str) -> None:
    """Each command's help is the text in the file of its name, at any width of the terminal."""
    done = place.run(*command.split(), "--help", COLUMNS="200")
    assert done.returncode == 0
    assert done.stdout == (FILES / f"{command or 'editstream'}.txt").read_text()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches(command: str) -> None:
    """Each help has two or three examples and the exit codes, and no line is wider than 80 columns or cut."""
    lines = (FILES / f"{command or 'editstream'}.txt").read_text().splitlines()
    first = lines.index("  Examples:") + 1
    examples = lines[first : lines.index("", first)]
    assert 2 <= len(examples) <= 3
    assert "  Exit codes:" in lines
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines[1:] if line.endswith("...")]


def test_no_arguments_print_the_help(place: Any) -> None:
    """The command alone is a request for help, and no error."""
    done = place.run()
    assert (done.returncode, done.stdout) == (0, (FILES / "editstream.txt").read_text())


def test_version(place: Any) -> None:
    """--version names the installed version."""
    assert place.run("--version").stdout == f"editstream {version('editstream')}\n"


def test_the_script_is_the_module(place: Any) -> None:
    """The installed `editstream` script says what `python -m editstream.cli` says."""
    script = Path(sys.executable).parent / "editstream"
    assert subprocess.check_output([script, "--help"], text=True) == place.run("--help").stdout


def test_help_imports_nothing_heavy(place: Any) -> None:
    """Help is there before rich, pydantic, reactivex or pathspec is imported."""
    heavy = ("rich", "pydantic", "reactivex", "pathspec")
    code = (
        "import sys; from editstream.cli.main import commands; commands(['--help'], standalone_mode=False); "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    said = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=place.folder)
    assert said.splitlines()[-1] == "[]"
