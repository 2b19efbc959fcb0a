"""Turn a model's stream of edit tokens into new file content, while it runs.

The names here are the whole front door; each part has a package of its own: ``editstream.operators``,
``editstream.recording``, ``editstream.workspace``, ``editstream.scan``, ``editstream.live``.
"""

from __future__ import annotations

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
    "apply_edits",
    "construct_new_file_content",
]
