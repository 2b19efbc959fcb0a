"""The programs of the README, as they stand there: one for each SDK, each a process with the SDK's real client."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from clients import CLIENTS
from loopback import Loopback
from turns import Call, Turn

from editstream.prompts import ProviderName, prompt, tools

ROOT = Path(__file__).parents[2]
PROGRAM = re.compile(r"^```python ((?:with|loop)_\w+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = PROGRAM.findall((ROOT / "README.md").read_text())
PROGRAMS = dict(SHOWN)
"""The texts of the programs by their file names."""

GREET = 'def greet(name):\n    print("Hello, " + name)\n'
OLD, NEW = '    print("Hello, " + name)', '    print(f"Hello, {name}!")'
EDIT = {"path": "greet.py", "edits": [{"old_string": OLD, "new_string": NEW}]}
TURN = Turn("I greet with an f-string.\n", (Call("call_1", "edit_file", json.dumps(EDIT)),))
# The client of each program, where it has another name than the SDK.
PLAYED = {"litellm": "litellm-openai", "langchain": "langchain-openai", "pydantic-ai": "pydantic-ai-openai"}


def name_of(sdk: str) -> str:
    return f"with_{sdk.replace('-', '_')}.py"


def laid_out(folder: Path, name: str) -> Path:
    """A program as a file, beside the one that it edits."""
    (folder / "greet.py").write_text(GREET)
    (folder / name).write_text(PROGRAMS[name])
    return folder / name


def environment(url: str) -> dict[str, str]:
    """Where the SDKs look for their server and a key, and no way to another machine."""
    servers = dict.fromkeys(("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_HOST"), url)
    keys = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), "none")
    return {**os.environ, **servers, **keys, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


@pytest.mark.parametrize("sdk", get_args(ProviderName))
def test_the_shortest_program_edits_a_file_live(server: Loopback, tmp_path: Path, sdk: str) -> None:
    """A program shows where its edit goes while the answer is still coming, then writes the file and sums up."""
    client = CLIENTS[PLAYED.get(sdk, sdk)]
    pytest.importorskip(client.needs, reason=f"{client.needs} is missing: install the extra sdk-tests")
    program = laid_out(tmp_path, name_of(sdk))
    gate = threading.Event()
    # Up to the end of the arguments, but for the call's end and the finish; parsed arguments come with their end.
    held = 1 if client.whole else len([*client.events(TURN, 4)]) - len([*client.events(replace(TURN, finish=None), 4)])
    server.play(client.answer(TURN, 4, held=held, gate=gate))
    with (
        (tmp_path / "complaints").open("w") as complaints,
        subprocess.Popen(
            [sys.executable, program],
            cwd=tmp_path,
            env=environment(server.url),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            encoding="utf-8",
        ) as process,
    ):
        assert process.stdout is not None
        first = process.stdout.readline()
        before = (tmp_path / "greet.py").read_text()
        gate.set()
        rest = process.stdout.read()
    assert process.returncode == 0, (tmp_path / "complaints").read_text()
    assert first == "greet.py: block 1: located at line 2 (exact)\n"
    assert client.whole or before == GREET
    assert "greet.py: block 1: applied\n" in rest
    assert "1 of 1 block done; +1 -1 lines" in rest
    assert (tmp_path / "greet.py").read_text() == GREET.replace(OLD, NEW)
    (body,) = map(json.loads, server.heard)
    sent = strings(body)
    assert prompt("tools") in sent
    assert "Greet with an f-string in greet.py:\n" + GREET in sent
    assert {tool["name"] for tool in tools("tools", "anthropic")} <= set(sent)


def test_the_loop_of_the_readme_ends_when_all_is_right(server: Loopback, tmp_path: Path) -> None:
    """A wrong edit comes back repaired, the user's no comes back changed, their yes is written, and words end it."""
    pytest.importorskip("anthropic", reason="anthropic is missing: install the extra sdk-tests")
    program = laid_out(tmp_path, "loop_with_anthropic.py")
    pairs = ("print('Hello')\n", NEW), (OLD, NEW.replace("!", "?")), (OLD, NEW)
    edits = [{"path": "greet.py", "edits": [{"old_string": old, "new_string": new}]} for old, new in pairs]
    calls = [Call(f"call_{number}", "edit_file", json.dumps(edit)) for number, edit in enumerate(edits)]
    turns = [Turn("", (call,)) for call in calls]
    server.play(*(CLIENTS["anthropic"].answer(turn, 4) for turn in [*turns, Turn("Done.", ())]))
    done = subprocess.run(
        [sys.executable, program],
        cwd=tmp_path,
        env=environment(server.url),
        input="No question mark.\ny\n",
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^\+ .*$|Write it\?", done.stdout, re.MULTILINE) == [
        f"+{NEW.replace('!', '?')}", "Write it?", f"+{NEW}", "Write it?",
    ]  # fmt: skip
    assert done.stdout.index("1 of 1 block done") < done.stdout.index("Write it?")
    assert (tmp_path / "greet.py").read_text() == GREET.replace(OLD, NEW)
    last = json.loads(server.heard[-1])["messages"]
    assert [message["role"] for message in last] == ["user", *("assistant", "user") * 3]
    results = [block for message in last[2::2] for block in message["content"]]
    assert [(each["tool_use_id"], each["is_error"]) for each in results] == [
        ("call_0", True), ("call_1", True), ("call_2", False),
    ]  # fmt: skip
    rejected, declined, written = (each["content"] for each in results)
    assert "its old_string is not in the file" in rejected
    assert "They say: No question mark." in declined
    assert written == "greet.py: changed."


def strings(node: object) -> list[str]:
    """Every string in a request."""
    if isinstance(node, str):
        return [node]
    values = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return [text for value in values for text in strings(value)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_are_clean(name: str) -> None:
    """The linter has nothing to say of a program, by the rules of those under tests that print."""
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--stdin-filename", f"tests/bench/{name}", "-"],
        input=PROGRAMS[name],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_sdk_has_a_program() -> None:
    """There is one program for each SDK that the tools are made for, and the loop."""
    names = sorted([*map(name_of, get_args(ProviderName)), "loop_with_anthropic.py"])
    assert sorted(name for name, _ in SHOWN) == names
