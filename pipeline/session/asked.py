"""Calls that edit nothing: showing a file or a folder to the model, and taking its last edit of a file back."""

from __future__ import annotations

from editstream.workspace import TextFile

from .files import Files, Refused, Target, read_target

LINES_SHOWN = 2_000
"""Lines of a file that one call is answered with."""

CHARACTERS_SHOWN = 100_000
"""Code points of a file that one call is answered with: some 25,000 tokens."""

UNDOS_KEPT = 100
"""Edits of a session that can be taken back: the last ones."""


class Asking:
    """Answers what the model asks of the files, and remembers what its edits can be taken back to."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._before: list[tuple[str, TextFile]] = []

    def remember(self, path: str, before: TextFile) -> None:
        """A file was written: it can be taken back to what it was before."""
        self._before = [*self._before[1 - UNDOS_KEPT :], (path, before)]

    def undone(self, path: str) -> tuple[str, TextFile]:
        """What the last edit of a file, by this session, is taken back to, and where that is; it is forgotten then.

        Raises:
            Refused: there is no such edit.
        """
        place = self._files.place(path)
        for at in reversed(range(len(self._before))):
            if self._before[at][0] == place:
                return self._before.pop(at)
        raise Refused("there is no edit of this file, in this session, that could be taken back.")

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
    return "\n".join(shown)
