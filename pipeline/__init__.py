"""Turn a model's stream of edit tokens into new file content, while it runs.

The names here are the whole front door; each part has a package of its own: ``editstream.operators``,
``editstream.recording``, ``editstream.workspace``, ``editstream.scan``, ``editstream.live``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .edits import (
    Block,
    Candidate,
    EditError,
    End,
    FileEditor,
    NewFileContent,
    Problem,
    Snapshot,
    TextEdit,
    apply_edits,
    construct_new_file_content,
)

if TYPE_CHECKING:
    from .workspace import Workspace, WriteEvent

__all__ = [
    "Block",
    "Candidate",
    "EditError",
    "End",
    "FileEditor",
    "NewFileContent",
    "Problem",
    "Snapshot",
    "TextEdit",
    "Workspace",
    "WriteEvent",
    "apply_edits",
    "construct_new_file_content",
]


def __getattr__(name: str) -> Any:
    """The workspace's names, imported when they are used: pydantic is not needed to apply an edit."""
    if name in ("Workspace", "WriteEvent"):
        from . import workspace

        return getattr(workspace, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), "Workspace", "WriteEvent"])
