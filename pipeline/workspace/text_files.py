"""Bytes to text and back, losing nothing: the encoding and byte order mark are kept, line ends are never translated."""

import codecs
import hashlib
from dataclasses import dataclass

from .errors import FileTooLarge, UnsupportedText

MAX_FILE_BYTES = 64 * 1024 * 1024
"""A 50 MB file must open; an edit holds the bytes, the text and the new text at once, up to 10 bytes for each byte."""

# UTF-32 LE begins with the mark of UTF-16 LE, so it is asked first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file as it was read.

    `path` is relative to the root with `/`; `text` has its line ends untouched and no byte order mark; `encoding` is a
    Python codec name; `bom` the mark's bytes or none; `sha256` the hex digest of the file's bytes, or None for a file
    that does not exist yet.
    """

    path: str
    text: str = ""
    encoding: str = "utf-8"
    bom: bytes = b""
    sha256: str | None = None

    @property
    def exists(self) -> bool:
        """Whether there was a file when it was read."""
        return self.sha256 is not None


def digest(data: bytes) -> str:
    """The sha256 of the bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def decode(path: str, data: bytes) -> TextFile:
    """The bytes of a file as text; raises UnsupportedText or FileTooLarge."""
    refuse_size(path, len(data))
    bom, encoding = next((mark for mark in _MARKS if data.startswith(mark[0])), (b"", "utf-8"))
    body = data[len(bom) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError:
        if bom:
            raise UnsupportedText(f"{path!r} is marked as {encoding} but is not; repair it first") from None
        encoding, text = _detect(path, data)
    _refuse_binary(path, text)
    return TextFile(path, text, encoding, bom, digest(data))


def encode(file: TextFile, text: str) -> bytes:
    """The new text as bytes, in the file's encoding and with its mark; raises UnsupportedText or FileTooLarge."""
    _refuse_binary(file.path, text)
    try:
        body = text.encode(file.encoding)
        faithful = body.decode(file.encoding) == text
    except UnicodeEncodeError as error:
        char = text[error.start]
        line = text.count("\n", 0, error.start) + 1
        raise UnsupportedText(
            f"line {line} of the new text of {file.path!r} holds {char!a}, which {file.encoding} cannot express; "
            "write it another way or convert the file first"
        ) from None
    if not faithful:
        raise UnsupportedText(f"the new text of {file.path!r} does not survive {file.encoding}; convert the file first")
    refuse_size(file.path, len(file.bom) + len(body))
    return file.bom + body


def refuse_size(path: str, size: int) -> None:
    """Raises FileTooLarge for more than MAX_FILE_BYTES bytes."""
    if size > MAX_FILE_BYTES:
        raise FileTooLarge(f"{path!r} has {size:,} bytes; files of up to {MAX_FILE_BYTES:,} are edited")


def _refuse_binary(path: str, text: str) -> None:
    if "\0" in text:
        raise UnsupportedText(f"{path!r} holds NUL characters, so it is binary; only text is edited")


def _detect(path: str, data: bytes) -> tuple[str, str]:
    if b"\0" in data:
        raise UnsupportedText(f"{path!r} holds NUL bytes, so it is binary; only text is edited")
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        raise UnsupportedText(
            f"{path!r} is not UTF-8; to have its encoding detected: pip install 'editstream[encodings]'"
        ) from None
    best = from_bytes(data).best()
    if best is not None:
        text = data.decode(best.encoding, errors="replace")
        if text.encode(best.encoding, errors="replace") == data:
            return best.encoding, text
    raise UnsupportedText(f"the encoding of {path!r} cannot be told; convert the file to UTF-8 first")
