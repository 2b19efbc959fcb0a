"""Calls that edit nothing: showing a file or a folder to the model, and taking its last edit of a file back."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from editstream.workspace import TextFile

from .files import Files, Refused, Target, read_target

LINES_SHOWN = 2_000
"""Lines of a file that one call is answered with."""

CHARACTERS_SHOWN = 100_000
"""Code points of a file that one call is answered with: some 25,000 tokens."""

UNDOS_KEPT = 100
"""Edits of a session that can be taken back: the last ones."""

UNDO_CHARACTERS = 4_000_000
"""Code points of the files as they were before these edits; the last edit can be taken back however large its file."""


@dataclass(frozen=True, slots=True, eq=False)
class _Done:
    """An edit that was written: the file as it was before, and the hash of what the edit left, None for nothing."""

    path: str
    before: TextFile
    after: str | None


class Asking:
    """Answers what the model asks of the files, and remembers what its edits can be taken back to.

    Args:
        files: what is asked of.
        undoes: whether the model can ask for an edit to be taken back; otherwise none is remembered.
    """

    def __init__(self, files: Files, *, undoes: bool = True) -> None:
        self._files = files
        self._undoes = undoes
        self._done = deque[_Done]()
        self._size = 0

    def remember(self, path: str, before: TextFile, after: str | None) -> None:
        """A file was written, and has the hash ``after`` now: it can be taken back to what it was before."""
        if not self._undoes:
            return
        self._done.append(_Done(path, before, after))
        self._size += len(before.text)
        while len(self._done) > UNDOS_KEPT or (self._size > UNDO_CHARACTERS and len(self._done) > 1):
            self._size -= len(self._done.popleft().before.text)

    def before(self, target: Target) -> TextFile:
        """What the last edit of a file, by this session, is taken back to.

        Raises:
            Refused: there is no such edit, or the file was changed by others since.
        """
        done = self._last(target.path)
        if done is None:
            raise Refused("there is no edit of this file, in this session, that could be taken back.")
        if done.after != target.file.sha256:
            raise Refused("the file changed on disk since that edit; view it, and take back by an edit what you must.")
        return done.before

    def forget(self, path: str) -> None:
        """The last edit of a file was taken back."""
        if (done := self._last(path)) is not None:
            self._done.remove(done)
            self._size -= len(done.before.text)

    def close(self) -> None:
        """Forget all: the session is left."""
        self._done.clear()
        self._size = 0

    def _last(self, path: str) -> _Done | None:
        return next((done for done in reversed(self._done) if done.path == path), None)

    def view(self, path: str, first: int | None, last: int | None) -> str:
        """A file's lines, each with its number from 1, or what is in a folder.

        Raises:
            Refused: there is no such file, it is no text, or it may not be shown.
        """
        if (folder := self._files.folder(path)) is not None:
            return folder
        target = read_target(self._files, self._files.place(path), "content")
        if not target.file.exists:
            raise Refused("there is no such file.")
        return _numbered(target, first or 1, last)


def _numbered(target: Target, first: int, last: int | None) -> str:
    lines = target.file.text.split("\n")
    if lines[-1] == "":
        lines.pop()
    count = len(lines)
    if not lines:
        return "(the file is empty)"
    if not 1 <= first <= count or (last is not None and last < first):
        raise Refused(f"there are no such lines: the file has {count:,}.")
    shown: list[str] = []
    size = 0
    for number in range(first, min(count, last or count) + 1):
        line = f"{number:>6}\t{lines[number - 1].removesuffix(chr(13))}"
        size += len(line) + 1
        if len(shown) == LINES_SHOWN or (shown and size > CHARACTERS_SHOWN):
            shown.append(f"… (the file has {count:,} lines; view the next ones from line {number} on)")
            break
        shown.append(line[:CHARACTERS_SHOWN])
        if len(line) > CHARACTERS_SHOWN:
            shown.append(f"… (line {number} goes on: only its first {CHARACTERS_SHOWN:,} characters are shown)")
    return "\n".join(shown)
