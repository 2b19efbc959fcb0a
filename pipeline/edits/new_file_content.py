"""The whole diff at once, with the signature that Cline's users know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editstream.operators.problems import EditError

from .editor import FileEditor


@dataclass(frozen=True, slots=True)
class NewFileContent:
    """The new file (so far), and where the blocks begin in the original, in code points."""

    new_content: str
    match_indices: tuple[int, ...]


def construct_new_file_content(
    diff_content: str, original_content: str, is_final: bool, version: Literal["v1", "v2"] = "v1"
) -> NewFileContent:
    """What Cline's ``constructNewFileContent`` gives for a diff so far (``is_final`` false) or a whole one.

    Raises:
        EditError: the diff cannot be applied as it stands.
        ValueError: there is no such version.
    """
    if version not in ("v1", "v2"):
        raise ValueError(f"unknown version {version!r}: use v1 or v2")
    editor = FileEditor(original_content, dialect=version)
    snapshot = editor.feed(diff_content)
    if is_final:
        snapshot = editor.close()
    if snapshot.problems:
        raise EditError(snapshot.problems)
    return NewFileContent(snapshot.new_content, snapshot.match_indices)
