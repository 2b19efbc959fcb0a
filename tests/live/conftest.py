"""What the tests of the view share: a file, blocks, snapshots on the way, and a terminal of their own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import termios
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

import pytest

from editstream import EditError, FileEditor, Snapshot


class Edits:
    """Files and diffs, and the snapshots that come of them."""

    numbered = "".join(f"line {number}\n" for number in range(1, 101))

    @staticmethod
    def block(search: Iterable[str], replace: Iterable[str]) -> str:
        """A SEARCH/REPLACE block of these lines."""
        lines = ("------- SEARCH", *search, "=======", *replace, "+++++++ REPLACE")
        return "".join(f"{line}\n" for line in lines)

    @staticmethod
    def snapshots(original: str, diff: str, size: int = 1) -> Iterator[Snapshot]:
        """The snapshot after each chunk of ``size`` code points, and the last; a rejected edit is no error here."""
        editor = FileEditor(original)
        for start in range(0, len(diff), size):
            yield editor.feed(diff[start : start + size])
        with contextlib.suppress(EditError):
            editor.close()
        yield editor.snapshot

    @staticmethod
    def after(original: str, text: str) -> Snapshot:
        """The snapshot when ``text`` has come and the stream goes on."""
        return FileEditor(original).feed(text)


class PseudoTerminal:
    """A terminal whose other end is read all the time: ``file`` is what a program writes to."""

    def __init__(self, columns: int, rows: int) -> None:
        self._master, slave = pty.openpty()
        self._pieces: list[bytes] = []
        self.file: TextIO = os.fdopen(slave, "w", encoding="utf-8", newline="")
        self.resize(columns, rows)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, in cells."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def output(self) -> str:
        """Everything that has been written so far."""
        return b"".join(self._pieces).decode("utf-8", "replace")

    def close(self) -> str:
        """Hang up, and give everything that was written."""
        self.file.close()
        self._reader.join()
        os.close(self._master)
        return self.output()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # Linux says EIO when the last writer has gone
            while data := os.read(self._master, 65536):
                self._pieces.append(data)


@pytest.fixture
def edits() -> type[Edits]:
    """Files, diffs and snapshots."""
    return Edits


@pytest.fixture
def open_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int, int], PseudoTerminal]]:
    """Opens terminals of so many columns and rows, with 256 colours."""
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "COLORTERM", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    opened: list[PseudoTerminal] = []

    def open_one(columns: int, rows: int) -> PseudoTerminal:
        opened.append(PseudoTerminal(columns, rows))
        return opened[-1]

    yield open_one
    for terminal in opened:
        if not terminal.file.closed:
            terminal.close()
