"""The files of a turn: where a path leads, what stands there, and what is written in the end."""

from __future__ import annotations

from dataclasses import dataclass

from editstream.operators.formats.file_edits import Kind
from editstream.workspace import TextFile, Workspace, WorkspaceError, WriteEvent
from editstream.workspace.text_files import encode

MARKDOWN = (".md", ".markdown", ".mdx")
"""Ends of the names of files in which a fence is content."""


class Refused(Exception):
    """An edit that cannot be: the message says why, for the model."""


@dataclass(frozen=True, slots=True)
class Target:
    """The file of an edit as it was read; ``path`` is where it really is, relative to the root."""

    path: str
    file: TextFile

    @property
    def is_markdown(self) -> bool:
        """Whether a fence may be content of the file."""
        return self.path.lower().endswith(MARKDOWN)


def place_of(workspace: Workspace, path: str) -> str:
    """Where a path leads, relative to the root: two names of one file are one.

    Raises:
        Refused: it is no place in the workspace, or one that a model may not touch.
    """
    try:
        return workspace.allowed(path)
    except (WorkspaceError, OSError) as error:
        raise Refused(_said(error)) from error


def read_target(workspace: Workspace, path: str, kind: Kind) -> Target:
    """Read the file that an edit of this kind is for.

    Raises:
        Refused: it is no text file, or it is there and must not be, or the other way round.
    """
    try:
        file = workspace.read(path, missing_ok=True)
    except (WorkspaceError, OSError) as error:
        raise Refused(_said(error)) from error
    if kind == "create" and file.exists:
        raise Refused("this file exists already; edit it instead of creating it.")
    if kind == "delete" and not file.exists:
        raise Refused("there is no such file, so it cannot be deleted.")
    return Target(path, file)


def refuse_unwritable(workspace: Workspace, target: Target, text: str, moved_to: str | None) -> str | None:
    """Check that the new text can be written before anybody is asked about it; give the new place, if there is one.

    Raises:
        Refused: it cannot.
    """
    try:
        encode(target.file, text)
        if moved_to is None:
            return None
        place = place_of(workspace, moved_to)
        if workspace.read(place, missing_ok=True).exists:
            raise Refused(f"{place!r} exists already, so the file cannot be moved there.")
        return place
    except (WorkspaceError, OSError) as error:
        raise Refused(_said(error)) from error


def carry_out(
    workspace: Workspace, target: Target, kind: Kind, text: str, moved_to: str | None
) -> tuple[WriteEvent, ...]:
    """Write what was approved; give the events, which are told by then.

    A file that is moved and changed is changed first: if the move then fails, the file is whole under its old name.

    Raises:
        Refused: it could not be written: the file on disk is as it was, or is changed and not moved, as it says.
    """
    events: list[WriteEvent] = []
    try:
        if kind == "delete":
            refuse_stale(workspace, target)
            return (workspace.delete(target.path),)
        if text != target.file.text or not target.file.exists:
            events.append(workspace.write_text(target.path, text, expected=target.file))
        if moved_to is not None:
            events.append(workspace.rename(target.path, moved_to))
    except (WorkspaceError, OSError) as error:
        before = "the file was changed but not moved: " if events else ""
        raise Refused(before + _said(error)) from error
    return tuple(events)


def refuse_stale(workspace: Workspace, target: Target) -> None:
    """Raises Refused if the file is not the one that was read."""
    if workspace.read(target.path, missing_ok=True).sha256 != target.file.sha256:
        raise Refused("the file changed on disk since it was read; read it again and redo the edit.")


def _said(error: Exception) -> str:
    said = f"{error.strerror or error}" if isinstance(error, OSError) else str(error)
    return said if said.endswith(".") else f"{said}."
