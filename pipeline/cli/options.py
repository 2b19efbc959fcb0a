"""Options that several commands share, and the file they work on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

import click

if TYPE_CHECKING:
    from editstream.workspace import TextFile, Workspace

Command = TypeVar("Command", bound=Callable[..., Any])

HELP_WIDTH = 80
CODES = """\b
Exit codes:
  0  done               3  path refused, or file changed meanwhile
  1  rejected           4  cannot read or write
  2  usage            130  interrupted; 141 if standard output was closed"""


class EditOptions(TypedDict):
    """How a diff is read and placed, as the engine names it."""

    ambiguity: Literal["error", "first"]
    on_reject: Literal["abort", "apply_rest"]
    entities: Literal["auto", "always", "never"]


def dialect_option(command: Command) -> Command:
    """Add ``--dialect``."""
    return click.option(
        "--dialect",
        type=click.Choice(("safe", "v1", "v2")),
        default="safe",
        help="How blocks are read and found; safe by default, v1 and v2 are Cline's.",
    )(command)


def edit_options(command: Command) -> Command:
    """Add ``--ambiguity``, ``--on-reject`` and ``--entities``."""
    for name, choices, text in reversed(_EDIT_OPTIONS):
        command = click.option(name, type=click.Choice(choices), default=choices[0], help=text)(command)
    return command


_EDIT_OPTIONS = (
    ("--ambiguity", ("error", "first"), "A block that fits several places: reject it, or take the first."),
    ("--on-reject", ("abort", "apply_rest"), "A block is rejected: write nothing, or the other blocks."),
    ("--entities", ("auto", "always", "never"), "When to read &lt; in the diff as <, and the like."),
)


def root_option(command: Command) -> Command:
    """Add ``--root``."""
    return click.option(
        "--root",
        type=click.Path(file_okay=False),
        default=".",
        help="Folder that FILE is in and may not leave; the current one by default.",
    )(command)


@dataclass(frozen=True, slots=True)
class Target:
    """The file to edit: its workspace, and what it held when it was read (empty for a new file)."""

    workspace: Workspace
    file: TextFile

    @property
    def path(self) -> str:
        """The file's name in the workspace."""
        return self.file.path


def open_target(root: str, path: str) -> Target:
    """Read FILE below ``root``. Raises UnsafePath with a hint to ``--root``, other WorkspaceErrors, OSError."""
    from editstream.workspace import UnsafePath, Workspace

    workspace = Workspace(root)
    try:
        file = workspace.read(below(workspace.root, root, path), missing_ok=True)
    except UnsafePath as error:
        raise UnsafePath(
            f"{error} (FILE is looked for below {workspace.root!r}; --root names another folder)"
        ) from None
    return Target(workspace, file)


def below(root: str, as_given: str, path: str) -> str:
    """An absolute path as one relative to the root, if it is below it; any other as it is."""
    absolute = Path(path)
    for folder in (Path(as_given).absolute(), Path(root)):
        if absolute.is_absolute() and absolute.is_relative_to(folder):
            return str(absolute.relative_to(folder))
    return path
