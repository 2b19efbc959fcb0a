"""Anthropic's text editor tool: its commands, and what they ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from editstream.operators.formats.file_edits import Asked
from editstream.operators.formats.tool_fields import Fault

Shape: TypeAlias = Literal["diff", "content", "create", "pair", "insert", "edits", "view", "undo"]
"""How the fields of a call are read."""

EDITORS = frozenset(("str_replace_editor", "str_replace_based_edit_tool"))
"""What the tool is called. A call of it is read by its command, also where other fields come first."""

COMMANDS: dict[str, Shape] = {
    "view": "view",
    "create": "create",
    "str_replace": "pair",
    "insert": "insert",
    "undo_edit": "undo",
}
"""The shapes of its commands."""


def view(path: str, call: str, lines: Sequence[object] | None) -> Asked:
    """The question for lines of a file, or for all of it. Raises Fault if ``lines`` is no pair of line numbers."""
    match lines:
        case None:
            return Asked("view", path, call)
        case [int(first), -1] if _is_line(first):
            return Asked("view", path, call, first)
        case [int(first), int(last)] if _is_line(first) and _is_line(last) and first <= last:
            return Asked("view", path, call, first, last)
        case _:
            raise Fault(
                "view_range must be two line numbers from 1, the first no greater than the last, as in [1, 50], "
                "or [50, -1] for all from line 50"
            )


def _is_line(number: int) -> bool:
    return number >= 1 and not isinstance(number, bool)
