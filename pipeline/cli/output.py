"""Writing to standard output and error: exact where a program reads, printable where a terminal shows."""

from __future__ import annotations

import json
import sys
from typing import TextIO

from editstream.live import printable

SHOWN_AS_IS = "\n\t"


def say(text: str, file: TextIO | None = None) -> None:
    """Write a line to ``file``, standard output by default; on a terminal without any control character."""
    write(f"{text}\n", file)


def complain(text: str) -> None:
    """Write a line to standard error."""
    say(text, sys.stderr)


def write(text: str, file: TextIO | None = None, encoding: str = "utf-8") -> None:
    """Write text and flush: in ``encoding`` where a program reads it, printable in the terminal's own otherwise."""
    out = file or sys.stdout
    if out.isatty():
        out.write(printable(text, keep=SHOWN_AS_IS))
    else:
        out.flush()
        out.buffer.write(text.encode(encoding, "surrogateescape"))
    out.flush()


def say_json(value: object) -> None:
    """Write one line of JSON, in ASCII, so that it is safe to print anywhere."""
    say(json.dumps(value))


def say_diff(diff: str, encoding: str) -> None:
    """Write a unified diff to standard output: in colour on a terminal, else as bytes of the file's encoding.

    The file's name in it, and a file in UTF-16 or UTF-32, are in UTF-8: a diff is read by bytes that end lines.
    """
    if sys.stdout.isatty():
        show_diff(diff, sys.stdout)
        return
    header = diff.find("\n@@") + 1
    write(diff[:header])
    write(diff[header:], encoding="utf-8" if encoding.startswith(("utf-16", "utf-32")) else encoding)


def show_diff(diff: str, terminal: TextIO) -> None:
    """Write a unified diff to a terminal, in colour and printable."""
    from rich.text import Text

    from editstream.live.terminal import console_for

    console = console_for(terminal)
    for at, line in enumerate(diff.split("\n")[:-1]):
        # A line that was taken away may begin with "--", too: only the first two are names.
        style = "bold" if at < 2 else _DIFF_STYLES.get(line[:1], "")
        console.print(Text(printable(line, keep="\t"), style=style), soft_wrap=True)
    terminal.flush()


_DIFF_STYLES = {"@": "cyan", "-": "red", "+": "green"}
