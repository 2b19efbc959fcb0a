"""The README, run: its files, its Python, its console sessions.

Each ``##`` section is run by itself in a folder of its own, where the files that the README shows (a fence whose info
string names one, as in ``python greet.py``) are laid out first. A section's Python blocks share their names. A ``text``
fence after a Python block is what the block prints; a line ``…`` in what is shown stands for any lines.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
# Between what two commands print: no command prints it, and a shell passes it on.
MARK = "\x1e"


@dataclass(frozen=True)
class Fence:
    """A fenced block: language, the file name it may have, text, its first line in the README, its section."""

    language: str
    file: str
    text: str
    line: int
    section: str


def fences() -> list[Fence]:
    found = []
    for match in re.finditer(r"^(`{3,})(\w+)(?: (\S+))?\n(.*?)^\1$", README, re.MULTILINE | re.DOTALL):
        headings = re.findall(r"^## (.+)$", README[: match.start()], re.MULTILINE)
        line = README.count("\n", 0, match.start()) + 2
        found.append(Fence(match[2], match[3] or "", match[4], line, headings[-1] if headings else ""))
    return found


FENCES = fences()
SECTIONS = list(dict.fromkeys(f.section for f in FENCES if f.language in {"python", "console"} and not f.file))


def agree(shown: str, printed: str) -> bool:
    """Whether the lines printed are the lines shown, a ``…`` among these standing for any."""
    lines = [re.escape(line.rstrip()) for line in shown.strip("\n").split("\n")]
    pattern = "\n".join("(?s:.*?)" if line == "…" else line for line in lines)
    return re.fullmatch(pattern, "\n".join(line.rstrip() for line in printed.strip("\n").split("\n"))) is not None


def check(fence: Fence, shown: str, printed: str) -> None:
    assert agree(shown, printed), f"README.md, line {fence.line}: shown\n{shown}\nprinted\n{printed}"


def run_python(fence: Fence, names: dict[str, object], shown: str | None) -> None:
    printed = io.StringIO()
    # Line numbers in a traceback are then the README's.
    code = compile("\n" * (fence.line - 1) + fence.text, "README.md", "exec", dont_inherit=True)
    with contextlib.redirect_stdout(printed):
        exec(code, names)  # noqa: S102 - to run it is the point
    if shown is not None or printed.getvalue():
        check(fence, shown or "", printed.getvalue())


def run_console(fence: Fence, folder: Path) -> None:
    """Run the block's commands in one shell and compare what is shown after each, standard error included.

    A command must succeed, unless the next one is ``echo $?``.
    """
    steps = [part.partition("\n") for part in re.split(r"^\$ ", fence.text, flags=re.MULTILINE)[1:]]
    script = "".join(
        f"{command}\nstatus=$?; printf '{MARK}%s{MARK}' $status; (exit $status)\n" for command, _, _ in steps
    )
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    printed = done.stdout.split(MARK)
    for (command, _, shown), said, status, (after, _, _) in zip(
        steps, printed[::2], printed[1::2], [*steps[1:], ("", "", "")], strict=False
    ):
        check(fence, shown, said)
        assert status == "0" or after == "echo $?", f"README.md, line {fence.line}: {command} exits with {status}"
    assert len(printed) == 2 * len(steps) + 1, done.stdout


@pytest.mark.parametrize("section", SECTIONS)
def test_readme_section(section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a section of the README shows is what happens."""
    monkeypatch.chdir(tmp_path)
    for fence in FENCES:
        if fence.file:
            (tmp_path / fence.file).write_text(fence.text, encoding="utf-8")
    names: dict[str, object] = {"__name__": "readme"}
    for fence, after in zip(FENCES, [*FENCES[1:], None], strict=True):
        if fence.section != section or fence.file:
            continue
        if fence.language == "python":
            prints = after is not None and after.language == "text" and not after.file and after.section == section
            run_python(fence, names, after.text if after and prints else None)
        elif fence.language == "console":
            run_console(fence, tmp_path)


def test_the_two_commands_can_be_run_as_they_stand() -> None:
    """The README has two ``sh`` commands, which ``.ci/run`` runs: one ends with the demo, one with the tests."""
    commands = [fence.text.strip() for fence in FENCES if fence.language == "sh"]
    assert [command.count("\n") for command in commands] == [0, 0]
    assert [command.split(" && ")[-1] for command in commands] == [
        ".venv/bin/editstream demo",
        ".venv/bin/python -m pytest",
    ]


def test_links_lead_somewhere() -> None:
    """Every relative link and picture of the README is a file of the project."""
    targets = re.findall(r"\]\((?!https?:|#)([^)\s]+)\)|<img[^>]* src=\"(?!https?:)([^\"]+)\"", README)
    assert [target for pair in targets for target in pair if target and not (ROOT / target).exists()] == []


def test_what_is_shown_is_compared() -> None:
    """A difference between shown and printed is noticed, and three dots stand for lines, not for a part of one."""
    assert agree("a\n…\nc", "a\nb\nb\nc\n")
    assert not agree("a\n…\nc", "a\nb\n")
    assert not agree("a…", "ab")
