"""The edit engine put together: apply_edits, FileEditor, construct_new_file_content."""

from __future__ import annotations

from editstream.operators.events import Block, End
from editstream.operators.problems import Candidate, EditError, Problem
from editstream.operators.snapshot import Snapshot, TextEdit

from .editor import FileEditor, apply_edits
from .new_file_content import NewFileContent, construct_new_file_content

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
