"""Turn a model's stream of edit tokens into new file content, while it runs.

The names here are the whole front door; each part has a package of its own: ``editstream.operators``,
``editstream.sources``, ``editstream.session``, ``editstream.prompts``, ``editstream.recording``,
``editstream.workspace``, ``editstream.scan``, ``editstream.live``.
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
    from .prompts import prompt, tools
    from .session import EditSession
    from .workspace import Workspace, WriteEvent

__all__ = [
    "Block",
    "Candidate",
    "EditError",
    "EditSession",
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
    "prompt",
    "tools",
]

_LAZY = {
    "EditSession": "session",
    "Workspace": "workspace",
    "WriteEvent": "workspace",
    "prompt": "prompts",
    "tools": "prompts",
}
"""Names of packages that are imported when they are used: pydantic is not needed to apply an edit."""


def __getattr__(name: str) -> Any:
    """One of the names that are imported when they are used."""
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
