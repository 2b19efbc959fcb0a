"""The command line on a real terminal: asking, showing live, and putting the terminal back."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editstream.recording import record

CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("yes\n", 0), ("n\n", 1), ("\n", 1), ("\x04", 1)])
def test_apply_asks_before_it_writes(place: Any, answer: str, code: int) -> None:
    """The change is shown first, and written after a yes only; any other answer, or none, writes nothing."""
    terminal = place.on_terminal("apply", "greet.py", "edit.diff")
    terminal.wait_for("Write greet.py? [y/N] ")
    assert '+    print(f"Hello, {name}!")' in terminal.text
    assert place.file.read_text() == place.greeting
    terminal.type(answer)
    assert terminal.wait() == code
    assert place.file.read_text() == (place.greeting if code else place.edited)
    assert ("\ngreet.py: nothing written (declined)" in terminal.text) == bool(code)


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1)])
def test_apply_asks_on_the_terminal_when_the_diff_is_piped(place: Any, answer: str, code: int) -> None:
    """With the diff on standard input the question is asked, and answered, on the terminal."""
    terminal = place.on_terminal("apply", "greet.py", piped=True)
    terminal.pipe(place.edit)
    terminal.end_pipe()
    terminal.wait_for("Write greet.py? [y/N] ")
    terminal.type(answer)
    assert terminal.wait() == code
    assert place.file.read_text() == (place.greeting if code else place.edited)


def test_what_was_typed_before_the_question_is_no_answer(place: Any) -> None:
    """A yes that was typed while the diff still came does not approve it."""
    terminal = place.on_terminal("apply", "greet.py", piped=True)
    terminal.wait_for("greet.py")
    terminal.type("y\n")
    time.sleep(0.2)
    terminal.pipe(place.edit)
    terminal.end_pipe()
    terminal.wait_for("Write greet.py? [y/N] ")
    time.sleep(0.2)
    assert terminal.process.poll() is None
    terminal.type("n\n")
    assert (terminal.wait(), place.file.read_text()) == (1, place.greeting)


def test_a_file_that_changed_while_it_was_asked_is_not_overwritten(place: Any) -> None:
    """What somebody else wrote between the reading and the yes stays, and the code is 3."""
    terminal = place.on_terminal("apply", "greet.py", "edit.diff")
    terminal.wait_for("[y/N]")
    place.file.write_text("theirs\n")
    terminal.type("y\n")
    assert (terminal.wait(), place.file.read_text()) == (3, "theirs\n")
    assert "changed on disk" in terminal.text


def test_an_interrupt_at_the_question_writes_nothing(place: Any) -> None:
    """Ctrl-C at the question ends with 130 and leaves the file."""
    terminal = place.on_terminal("apply", "greet.py", "edit.diff")
    terminal.wait_for("[y/N]")
    terminal.type("\x03")
    assert (terminal.wait(), place.file.read_text()) == (130, place.greeting)
    assert terminal.text.endswith("\neditstream: interrupted\n")


def test_a_line_that_looks_like_a_file_name_is_coloured_as_a_line(place: Any) -> None:
    """A removed line that begins with two dashes is red in the diff, and only the names above it are bold."""
    (place.folder / "a.sql").write_text("-- a/b\nselect 1;\n")
    (place.folder / "a.diff").write_text("------- SEARCH\n-- a/b\n=======\n++ b/c\n+++++++ REPLACE\n")
    terminal = place.on_terminal("apply", "a.sql", "a.diff")
    terminal.wait_for("[y/N]")
    for line in ("\x1b[1m--- a/a.sql", "\x1b[1m+++ b/a.sql", "\x1b[31m--- a/b", "\x1b[32m+++ b/c"):
        assert line in terminal.raw


def test_preview_shows_the_edit_live(place: Any) -> None:
    """The edit is on the screen while the stream is open, and a summary is left when it ends."""
    terminal = place.on_terminal("preview", "greet.py", piped=True)
    terminal.wait_for("waiting for a block")
    terminal.pipe(place.edit[:60])
    terminal.wait_for("block 1 located line 2")
    terminal.pipe(place.edit[60:])
    terminal.wait_for("1 applied")
    terminal.end_pipe()
    assert terminal.wait() == 0
    before, _, after = terminal.raw.partition(terminal.NORMAL)
    assert before.count(terminal.ALTERNATE) == 1
    assert "1 of 1 block done; +1 -1 lines" in CODES.sub("", after)
    assert place.file.read_text() == place.greeting


def test_preview_follows_a_resize(place: Any) -> None:
    """After a resize the view has the terminal's new size."""
    terminal = place.on_terminal("preview", "greet.py", piped=True, size=(80, 24))
    terminal.wait_for("waiting for a block")
    drawn = len(terminal.raw)
    terminal.resize(40, 9)
    deadline = time.monotonic() + 30
    while len(terminal.raw) == drawn and time.monotonic() < deadline:
        time.sleep(0.01)
    terminal.pipe(place.edit)
    terminal.wait_for("1 applied")
    terminal.end_pipe()
    assert terminal.wait() == 0
    last = terminal.raw.partition(terminal.NORMAL)[0].split("\x1b[H")[-1]
    lines = CODES.sub("", last).split("\r\n")
    assert (len(lines), max(map(len, lines))) == (9, 40)


@pytest.mark.parametrize("how", ["ctrl-c", "SIGTERM"])
def test_an_end_from_outside_puts_the_terminal_back(place: Any, how: str) -> None:
    """Ctrl-C and SIGTERM leave the alternate screen, show the cursor, and leave the file."""
    terminal = place.on_terminal("preview", "greet.py", piped=True)
    terminal.pipe(place.edit)
    terminal.wait_for("1 applied")
    assert terminal.break_off(how) == (130 if how == "ctrl-c" else 143)
    assert place.file.read_text() == place.greeting


def test_an_interrupted_replay_puts_the_terminal_back(place: Any) -> None:
    """Ctrl-C in the middle of the demo ends it with 130, the terminal is as it was, and no folder is left."""
    terminal = place.on_terminal("demo")
    terminal.wait_for("waiting for a block")
    terminal.type("\x03")
    assert terminal.wait() == 130
    assert terminal.raw.rindex(terminal.NORMAL) > terminal.raw.rindex(terminal.ALTERNATE)
    assert terminal.text.endswith("editstream: interrupted\n")
    assert list(place.folder.glob("editstream-demo-*")) == []


HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\x08\x7f\x1b[?1049l"


def hostile_recording(path: Path) -> None:
    """A recording whose file, path, blocks and problems hold control characters."""
    content = f"one {HOSTILE}\ntwo\n"
    diff = (
        f"------- SEARCH\none {HOSTILE}\n=======\nnew {HOSTILE}\n+++++++ REPLACE\n{HOSTILE}\n"
        f"------- SEARCH\nlost {HOSTILE}\n=======\nx\n+++++++ REPLACE\n"
    )
    chunks = [diff[at : at + 9] for at in range(0, len(diff), 9)]
    clock = iter(range(10_000))
    for _ in record(chunks, path, files={f"{HOSTILE}.py": content}, clock=lambda: next(clock) / 50):
        pass


@pytest.mark.parametrize("args", [(), ("--no-live",)])
def test_nothing_hostile_reaches_the_terminal(place: Any, args: tuple[str, ...]) -> None:
    """Replaying a hostile recording sends the terminal the command's own codes and visible characters only."""
    hostile_recording(place.folder / "turn.jsonl")
    terminal = place.on_terminal("replay", "turn.jsonl", *args)
    assert terminal.wait() == 1
    assert UNSAFE.findall(terminal.text) == []
    assert terminal.raw.count(terminal.NORMAL) == terminal.raw.count(terminal.ALTERNATE) == (0 if args else 1)
    assert "␛[2J" in terminal.text


def test_nothing_hostile_is_shown_for_approval(place: Any) -> None:
    """The diff that one is asked about shows control characters, and does not send them."""
    (place.folder / "a.txt").write_text("one\n")
    (place.folder / "bad.diff").write_text(f"------- SEARCH\none\n=======\n{HOSTILE}\n+++++++ REPLACE\n")
    terminal = place.on_terminal("apply", "a.txt", "bad.diff")
    terminal.wait_for("[y/N]")
    terminal.type("n\n")
    terminal.wait()
    assert UNSAFE.findall(terminal.text) == []
    assert "+␛[2J␛]0;owned␇" in terminal.text


def test_hostile_names_are_listed_visibly(place: Any) -> None:
    """On a terminal glob shows the control characters of a name, also a newline."""
    (place.folder / "a\x1b[31m\nb.odd").touch()
    terminal = place.on_terminal("glob", "*.odd")
    assert terminal.wait() == 0
    assert terminal.text == "a␛[31m␊b.odd\n"


def test_record_shows_what_it_passes_on(place: Any) -> None:
    """On a terminal the recorded stream is passed on visibly, and recorded as it came."""
    terminal = place.on_terminal("record", "greet.py", "-o", "turn.jsonl", piped=True)
    terminal.pipe("a\x1b[31mb\tc\n")
    terminal.end_pipe()
    assert (terminal.wait(), terminal.text) == (0, "a␛[31mb\tc\n")
    assert "\\u001b[31m" in (place.folder / "turn.jsonl").read_text()


def test_the_demo_plays_on_a_terminal(place: Any) -> None:
    """The demo plays in the alternate screen and ends with a summary and the place of the file."""
    terminal = place.on_terminal("demo", "--speed", "20", size=(100, 30))
    assert terminal.wait() == 0
    assert terminal.raw.count(terminal.ALTERNATE) == 1
    assert "The edited file: " in terminal.raw.partition(terminal.NORMAL)[2]


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
def test_the_screen_of_a_terminal_emulator(place: Any) -> None:
    """In tmux the view fills the screen, survives narrowing and widening, and leaves what was there before."""
    socket = str(place.folder / "tmux.sock")

    def tmux(*args: str) -> str:
        return subprocess.run(["tmux", "-S", socket, *args], capture_output=True, text=True, check=True).stdout

    def wait_for(fits: Callable[[list[str]], bool]) -> None:
        """Wait for a screen whose rows fit."""
        deadline = time.monotonic() + 30
        while not fits(rows := tmux("capture-pane", "-p").split("\n")[:-1]):
            assert time.monotonic() < deadline, rows
            time.sleep(0.05)

    def is_frame(height: int) -> Callable[[list[str]], bool]:
        return lambda rows: (
            len(rows) == height and rows[0].startswith(" greet.py  waiting") and rows[-1].startswith(" 0 characters")
        )

    (place.folder / "pipe").touch()
    command = f"echo before; tail -n +1 -f pipe | {sys.executable} -m editstream.cli preview greet.py; cat"
    tmux("-f", "/dev/null", "new-session", "-d", "-x", "70", "-y", "20", "-c", str(place.folder), command)
    try:
        wait_for(is_frame(20))
        for columns, rows in ((30, 8), (90, 25)):
            tmux("resize-window", "-x", str(columns), "-y", str(rows))
            wait_for(is_frame(rows))
        with (place.folder / "pipe").open("a") as pipe:
            pipe.write(place.edit)
        wait_for(lambda rows: rows[-2].startswith("   1 applied"))
        tmux("send-keys", "C-c")
        wait_for(lambda rows: [row for row in rows if row] == ["before", "editstream: interrupted"])
    finally:
        tmux("kill-server")
