"""The command line as its users have it: real processes, with pipes or on a terminal of their own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

COMMAND = (sys.executable, "-m", "editstream.cli")
# Makes the terminal on standard error the controlling one, as a login does, and becomes the command.
LOGIN = "import fcntl, os, sys, termios; fcntl.ioctl(2, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
SECONDS = 30
# What the command sends of its own: colours, home, cursor on and off, the alternate screen.
CODES = re.compile(r"\x1b\[(?:[0-9;]*m|H|\?25[lh]|\?1049[lh])")


def environment(**changes: str) -> dict[str, str]:
    """This process's environment without what bears on colour or size, with changes."""
    odd = {"NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE"}
    inherited = {name: value for name, value in os.environ.items() if name not in odd}
    return inherited | {"TERM": "xterm-256color", "PYTHONUTF8": "1"} | changes


class Terminal:
    """The command on a terminal of its own. With ``piped`` its standard input is a pipe, to be written to."""

    ALTERNATE, NORMAL = "\x1b[?1049h", "\x1b[?1049l"  # the screens

    def __init__(self, folder: Path, args: tuple[str, ...], *, piped: bool = False, size: tuple[int, int] = (80, 24)):
        self._master, slave = pty.openpty()
        self._pieces: list[bytes] = []
        self.resize(*size)
        self.process = subprocess.Popen(
            [sys.executable, "-c", LOGIN, *COMMAND, *args],
            stdin=subprocess.PIPE if piped else slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=environment(TMPDIR=str(folder)),
            start_new_session=True,
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # Linux says EIO when the last writer has gone
            while data := os.read(self._master, 65536):
                self._pieces.append(data)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, in cells; the kernel sends SIGWINCH."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def raw(self) -> str:
        """Everything that was written to the terminal so far."""
        return b"".join(self._pieces).decode("utf-8", "replace")

    @property
    def text(self) -> str:
        """The same without the command's own codes."""
        return CODES.sub("", self.raw).replace("\r\n", "\n")

    def wait_for(self, text: str, times: int = 1) -> None:
        """Wait until the terminal has shown ``text``, so many times."""
        deadline = time.monotonic() + SECONDS
        while self.text.count(text) < times:
            assert time.monotonic() < deadline, f"{text!r} never came: {self.text}"
            time.sleep(0.01)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._master, keys.encode())

    def pipe(self, text: str) -> None:
        """Write to standard input, which is a pipe."""
        assert self.process.stdin
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def end_pipe(self) -> None:
        """Close standard input."""
        assert self.process.stdin
        self.process.stdin.close()

    def break_off(self, how: str) -> int:
        """End the command by ``"ctrl-c"`` or ``"SIGTERM"``; it gives the terminal back. Give the exit code."""
        if how == "ctrl-c":
            self.type("\x03")
        else:
            self.process.send_signal(signal.SIGTERM)
        code = self.wait()
        assert self.raw.rindex(self.NORMAL) > self.raw.rindex(self.ALTERNATE)
        assert self.raw.rindex("\x1b[?25h") > self.raw.rindex("\x1b[?25l")
        return code

    def wait(self) -> int:
        """Wait for the end, and give the exit code."""
        code = self.process.wait(SECONDS)
        self._reader.join(SECONDS)
        return code

    def close(self) -> None:
        """End what still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process.stdin and not self.process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        self._reader.join(SECONDS)
        os.close(self._master)


class Place:
    """A folder with a file and two diffs in it, and the command run there."""

    greeting = 'def greet(name):\n    print("Hello, " + name)\n\n\ndef leave(name):\n    print("Bye, " + name)\n'
    edit = '------- SEARCH\n    print("Hello, " + name)\n=======\n    print(f"Hello, {name}!")\n+++++++ REPLACE\n'
    lost = "------- SEARCH\nno such line\n=======\nx\n+++++++ REPLACE\n"
    edited = greeting.replace('"Hello, " + name', 'f"Hello, {name}!"')

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "greet.py"
        self.file.write_text(self.greeting)
        (folder / "edit.diff").write_text(self.edit)
        (folder / "lost.diff").write_text(self.lost)
        self.terminals: list[Terminal] = []
        self.watchdogs: list[threading.Timer] = []

    def run(self, *args: str, stdin: str | bytes = b"", **env: str) -> subprocess.CompletedProcess[str]:
        """Run the command with pipes, and no terminal to ask on."""
        done = subprocess.run(
            [*COMMAND, *args],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            cwd=self.folder,
            env=environment(**env),
            start_new_session=True,
            timeout=SECONDS,
            check=False,
        )
        out, err = done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode("utf-8", "surrogateescape")
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def start(self, *args: str) -> subprocess.Popen[bytes]:
        """Start the command with pipes, to talk to it while it runs; it is killed if that takes too long."""
        process = subprocess.Popen(
            [*COMMAND, *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env=environment(),
            start_new_session=True,
        )
        watchdog = threading.Timer(SECONDS, process.kill)
        watchdog.daemon = True
        watchdog.start()
        self.watchdogs.append(watchdog)
        return process

    def on_terminal(self, *args: str, piped: bool = False, size: tuple[int, int] = (80, 24)) -> Terminal:
        """Start the command on a terminal of its own."""
        self.terminals.append(Terminal(self.folder, args, piped=piped, size=size))
        return self.terminals[-1]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A folder with a file to edit."""
    here = Place(tmp_path)
    yield here
    for watchdog in here.watchdogs:
        watchdog.cancel()
    for terminal in here.terminals:
        terminal.close()
