"""Calls that edit nothing: showing a file or a folder to the model, and taking its last edit of a file back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from editstream.operators.messages import printable
from editstream.workspace import TextFile, Workspace, WorkspaceError
from editstream.workspace.paths import as_written

from .files import Refused, Target, place_of, read_target

LINES_SHOWN = 2_000
"""Lines of a file that one call is answered with."""

CHARACTERS_SHOWN = 100_000
"""Code points of a file that one call is answered with: some 25,000 tokens."""

ENTRIES_SHOWN = 500
"""Files and folders of a folder, two levels deep, that one call is answered with."""

UNDOS_KEPT = 100
"""Edits of a session that can be taken back: the last ones."""


class Asking:
    """Answers what the model asks of a workspace, and remembers what its edits can be taken back to."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._before: list[tuple[str, TextFile]] = []

    def remember(self, path: str, before: TextFile) -> None:
        """A file was written: it can be taken back to what it was before."""
        self._before = [*self._before[1 - UNDOS_KEPT :], (path, before)]

    def undone(self, path: str) -> tuple[str, TextFile]:
        """What the last edit of a file, by this session, is taken back to, and where that is; it is forgotten then.

        Raises:
            Refused: there is no such edit.
        """
        place = place_of(self._workspace, path)
        for at in reversed(range(len(self._before))):
            if self._before[at][0] == place:
                return self._before.pop(at)
        raise Refused("there is no edit of this file, in this session, that could be taken back.")

    def view(self, path: str, first: int | None, last: int | None) -> str:
        """A file's lines, each with its number from 1, or what is in a folder.

        Raises:
            Refused: there is no such file, it is no text, or it may not be shown.
        """
        if (folder := self._folder(path)) is not None:
            return folder
        target = read_target(self._workspace, place_of(self._workspace, path), "content")
        if not target.file.exists:
            raise Refused("there is no such file.")
        return _numbered(target, first or 1, last)

    def _folder(self, path: str) -> str | None:
        """What a folder holds, if it is one inside the root."""
        root = Path(self._workspace.root)
        inner = path.strip("/")
        try:
            folder = (root / as_written(inner)).resolve() if inner not in ("", ".") else root
            if not folder.is_dir() or not folder.is_relative_to(root):
                return None
            if folder != root:
                as_written(folder.relative_to(root))  # a link may lead into .git
                self._workspace.refuse_ignored(as_written(inner))
                self._workspace.refuse_ignored(folder.relative_to(root).as_posix())
        except WorkspaceError as error:
            raise Refused(f"{error}.") from error
        entries = list(islice(self._entries(folder, levels=2), ENTRIES_SHOWN + 1))
        if len(entries) > ENTRIES_SHOWN:
            entries[ENTRIES_SHOWN] = f"… (only the first {ENTRIES_SHOWN} are shown; view a folder further down)"
        return "\n".join(map(printable, entries)) or "(the folder is empty)"

    def _entries(self, folder: Path, levels: int) -> Iterator[str]:
        for entry in sorted(folder.iterdir()):
            relative = entry.relative_to(self._workspace.root).as_posix()
            if entry.name.startswith(".") or not self._may_be_shown(relative):
                continue
            is_folder = entry.is_dir() and not entry.is_symlink()
            yield relative + ("/" if is_folder else "")
            if is_folder and levels > 1:
                yield from self._entries(entry, levels - 1)

    def _may_be_shown(self, relative: str) -> bool:
        try:
            self._workspace.refuse_ignored(relative)
        except WorkspaceError:
            return False
        return True


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
