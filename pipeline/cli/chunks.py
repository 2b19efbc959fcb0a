"""A stream's text from standard input or a file: each piece as soon as it is there, cut characters put together."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from typing import BinaryIO

from .output import complain

READ_BYTES = 65_536


def stdin_chunks(encoding: str = "utf-8") -> Iterator[str]:
    """Yield what comes on standard input, when it comes. Raises UnicodeDecodeError where it is not UTF-8."""
    if sys.stdin.isatty():
        complain("Reading from the terminal; end with Ctrl-D.")
    yield from decoded(sys.stdin.buffer, encoding)


def diff_chunks(source: str | None) -> Iterator[str]:
    """The chunks of a diff: of a file, or of standard input for None and ``-``; a byte order mark is left out."""
    if source is None or source == "-":
        yield from stdin_chunks("utf-8-sig")
        return
    with open(source, "rb") as file:
        yield from decoded(file, "utf-8-sig")


def decoded(file: BinaryIO, encoding: str) -> Iterator[str]:
    """Decode piece by piece, keeping back the bytes of a character that is not whole yet."""
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    read = getattr(file, "read1", file.read)
    while data := read(READ_BYTES):
        if chunk := decoder.decode(data):
            yield chunk
    if rest := decoder.decode(b"", final=True):
        yield rest
