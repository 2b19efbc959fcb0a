"""Asking before a write, on the terminal that the command was started from, even if standard input is a pipe."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator
from typing import TextIO

from .output import write

CONTROLLING_TERMINAL = "/dev/tty"
# On a system without these there is no such terminal either, and the standard streams are asked.
_FLAGS = os.O_RDWR | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)


@contextlib.contextmanager
def terminal() -> Generator[tuple[TextIO, TextIO] | None]:
    """Files to read from and write to the terminal; None where there is nobody to ask."""
    try:
        fd = os.open(CONTROLLING_TERMINAL, _FLAGS)
    except OSError:
        yield (sys.stdin, sys.stderr) if sys.stdin.isatty() and sys.stderr.isatty() else None
        return
    with open(fd, encoding="utf-8", errors="replace") as reader, open(os.dup(fd), "w", encoding="utf-8") as writer:
        yield reader, writer


def is_there() -> bool:
    """Whether there is a terminal to ask on."""
    with terminal() as found:
        return found is not None


def ask(question: str, shown: str = "") -> bool:
    """Show ``shown`` and the question on the terminal; whether the answer is yes. No answer is a no."""
    with terminal() as found:
        if found is None:
            return False
        return line_typed(found, f"{shown}{question} [y/N] ").strip().lower() in ("y", "yes")


def line_typed(on: tuple[TextIO, TextIO], question: str) -> str:
    """Ask on a terminal, and give the line that is typed, with its end; "" for Ctrl-D.

    What was typed before the question is dropped: it answered something else.
    """
    reader, writer = on
    _forget_what_was_typed(reader)
    write(question, writer)
    answer = ""
    try:
        answer = reader.readline()
    finally:
        if not answer.endswith("\n"):  # Ctrl-D or Ctrl-C: what comes next begins on a line of its own
            write("\n", writer)
    return answer


def _forget_what_was_typed(reader: TextIO) -> None:
    with contextlib.suppress(ImportError):  # there is no termios on Windows
        import termios

        termios.tcflush(reader.fileno(), termios.TCIFLUSH)
