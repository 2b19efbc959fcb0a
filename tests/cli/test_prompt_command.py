"""`editstream prompt`: what the package says, on standard output, and what it refuses."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from editstream.prompts import FormatName, prompt, tools


@pytest.mark.parametrize("format_", get_args(FormatName))
def test_the_instructions_are_printed(place: Any, format_: FormatName) -> None:
    """The command prints the instructions of a format and nothing else."""
    done = place.run("prompt", format_)
    assert (done.returncode, done.stdout, done.stderr) == (0, prompt(format_), "")


def test_tools_are_printed_as_json(place: Any) -> None:
    """With --tools it prints the list of schemas as JSON, and no instructions."""
    done = place.run("prompt", "tools", "--tools", "openai-responses")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == tools("tools", "openai-responses")


def test_the_instructions_on_a_terminal(place: Any) -> None:
    """On a terminal the instructions are the same lines."""
    terminal = place.on_terminal("prompt", "patch", size=(200, 24))
    assert terminal.wait() == 0
    assert terminal.text == prompt("patch")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("nothing",), "'nothing' is not one of"),
        (("tools", "--tools", "nobody"), "'nobody' is not one of"),
        (("markdown", "--tools", "openai"), "the format 'markdown' has no tools"),
        ((), "Missing argument 'FORMAT'"),
    ],
)
def test_what_is_not_there_is_a_usage_error(place: Any, args: tuple[str, ...], message: str) -> None:
    """An unknown format or SDK, and tools of a format that has none, end with code 2 and say why."""
    done = place.run("prompt", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
