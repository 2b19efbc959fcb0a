"""The files of a session: where a path leads, what stands there, and what is written in the end.

``Files`` is all that a session asks of the disk, as questions whose answers are values: so that they can be told to a
witness, and given again by a recording.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import get_ident
from typing import Protocol

from editstream.operators.formats.file_edits import Kind
from editstream.operators.messages import printable
from editstream.workspace import TextFile, Workspace, WorkspaceError, WriteEvent
from editstream.workspace.paths import as_written
from editstream.workspace.text_files import encode

MARKDOWN = (".md", ".markdown", ".mdx")
"""Ends of the names of files in which a fence is content."""

ENTRIES_SHOWN = 500
"""Files and folders of a folder, two levels deep, that one call is answered with."""


class Refused(Exception):
    """An edit that cannot be: the message says why, for the model. ``writes`` is what is on disk of it all the same."""

    def __init__(self, why: str, writes: tuple[WriteEvent, ...] = ()) -> None:
        super().__init__(why)
        self.writes = writes


class Interrupted(BaseException):
    """A write was made, and then something that is no error of it (a Ctrl-C, the cause) broke in before it was told."""

    def __init__(self, writes: tuple[WriteEvent, ...]) -> None:
        super().__init__()
        self.writes = writes


@dataclass(frozen=True, slots=True)
class Target:
    """The file of an edit as it was read; ``path`` is where it really is, relative to the root."""

    path: str
    file: TextFile

    @property
    def is_markdown(self) -> bool:
        """Whether a fence may be content of the file."""
        return self.path.lower().endswith(MARKDOWN)


class Files(Protocol):
    """What a session asks of the disk. All but ``has`` may raise Refused; paths are as the model wrote them."""

    def place(self, path: str) -> str:
        """Where a path leads, relative to the root: two names of one file are one.

        Raises:
            Refused: it is no place in the workspace, or one that a model may not touch.
        """
        ...

    def read(self, path: str) -> TextFile:
        """The text file at a place; an empty one that does not exist if there is none."""
        ...

    def folder(self, path: str) -> str | None:
        """What a folder holds, two levels deep, a line for each entry; None for a path that is no folder."""
        ...

    def has(self, path: str) -> bool:
        """Whether there is a file at a path that a model may know of."""
        ...

    def check(self, target: Target, text: str, moved_to: str | None) -> str | None:
        """Check that the new text can be written before anybody is asked; give the new place, if there is one."""
        ...

    def write(self, target: Target, kind: Kind, text: str, moved_to: str | None) -> tuple[WriteEvent, ...]:
        """Write what was approved; give the events, which are told by then.

        A file that is moved and changed is changed first: if the move then fails, it is whole under its old name.

        Raises:
            Refused: it could not be written: the file on disk is as it was, but for the ``writes`` that come with it.
            Interrupted: see there.
        """
        ...


def read_target(files: Files, path: str, kind: Kind) -> Target:
    """Read the file that an edit of this kind is for.

    Raises:
        Refused: it is no text file, or it is there and must not be, or the other way round.
    """
    file = files.read(path)
    if kind == "create" and file.exists:
        raise Refused("this file exists already; edit it instead of creating it.")
    if kind == "delete" and not file.exists:
        raise Refused("there is no such file, so it cannot be deleted.")
    return Target(path, file)


class FilesOnDisk:
    """The files of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def place(self, path: str) -> str:
        """See ``Files``."""
        try:
            return self._workspace.allowed(path)
        except (WorkspaceError, OSError) as error:
            raise Refused(_said(error)) from error

    def read(self, path: str) -> TextFile:
        """See ``Files``."""
        try:
            return self._workspace.read(path, missing_ok=True)
        except (WorkspaceError, OSError) as error:
            raise Refused(_said(error)) from error

    def has(self, path: str) -> bool:
        """See ``Files``."""
        try:
            return self._workspace.has_file(path)
        except (WorkspaceError, OSError):
            return False

    def check(self, target: Target, text: str, moved_to: str | None) -> str | None:
        """See ``Files``."""
        try:
            encode(target.file, text)
        except WorkspaceError as error:
            raise Refused(_said(error)) from error
        if moved_to is None:
            return None
        place = self.place(moved_to)
        if self.read(place).exists:
            raise Refused(f"{place!r} exists already, so the file cannot be moved there.")
        return place

    def write(self, target: Target, kind: Kind, text: str, moved_to: str | None) -> tuple[WriteEvent, ...]:
        """See ``Files``."""
        told: list[WriteEvent] = []
        thread = get_ident()  # others may write in the same workspace, each in a thread of its own
        leave = self._workspace.events.subscribe(lambda event: told.append(event) if get_ident() == thread else None)
        try:
            return self._write(target, kind, text, moved_to)
        except (WorkspaceError, OSError) as error:
            writes = _of_target(told, target, moved_to)
            raise Refused(_before(writes, moved_to) + _said(error), writes) from error
        except BaseException as error:
            if writes := _of_target(told, target, moved_to):
                raise Interrupted(writes) from error
            raise
        finally:
            leave()

    def _write(self, target: Target, kind: Kind, text: str, moved_to: str | None) -> tuple[WriteEvent, ...]:
        for path in (target.path, moved_to):
            if path is not None:
                self._workspace.allowed(path)  # the user, while asked, may have closed it
        has_new_text = kind != "delete" and (text != target.file.text or not target.file.exists)
        if not has_new_text:
            self._refuse_stale(target)
        if kind == "delete":
            return (self._workspace.delete(target.path),)
        events: list[WriteEvent] = []
        if has_new_text:
            events.append(self._workspace.write_text(target.path, text, expected=target.file))
        if moved_to is not None:
            events.append(self._workspace.rename(target.path, moved_to))
        return tuple(events)

    def _refuse_stale(self, target: Target) -> None:
        if self.read(target.path).sha256 != target.file.sha256:
            raise Refused("the file changed on disk since it was read; read it again and redo the edit.")

    # Folders ---------------------------------------------------------------------------------------------------------

    def folder(self, path: str) -> str | None:
        """See ``Files``."""
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
            entries = list(islice(self._entries(folder, levels=2), ENTRIES_SHOWN + 1))
        except (WorkspaceError, OSError) as error:
            raise Refused(_said(error)) from error
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


def _of_target(events: Iterable[WriteEvent], target: Target, moved_to: str | None) -> tuple[WriteEvent, ...]:
    """The events of a target's own change: one who is told of it may write as well."""
    return tuple(event for event in events if event.path in (target.path, moved_to))


def _before(writes: tuple[WriteEvent, ...], moved_to: str | None) -> str:
    """What comes before the reason of a failure that came after a change."""
    if not writes:
        return ""
    moved = moved_to is None or any(event.kind == "renamed" for event in writes)
    return "But this went wrong then: " if moved else "But it could not be moved: "


def _said(error: Exception) -> str:
    said = f"{error.strerror or error}" if isinstance(error, OSError) else str(error)
    return said if said.endswith(".") else f"{said}."
