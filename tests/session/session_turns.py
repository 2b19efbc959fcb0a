"""What the tests of sessions share: one edit as each format writes it, and the files of a workspace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from editstream import Workspace
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.prompts import FormatName

NAMING: tuple[FormatName, ...] = ("cline", "tools", "text_editor", "patch", "markdown")
"""The formats in which the model names its files."""


def on_disk(workspace: Workspace) -> dict[str, str]:
    """All files below the root, as they are."""
    root = Path(workspace.root)
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in root.rglob("*") if path.is_file()}


def pieces(text: str, size: int = 5) -> Iterator[Delta]:
    """A text as deltas."""
    yield from (Text(text[at : at + size]) for at in range(0, len(text), size))


def call(id_: str, name: str, fields: object, size: int = 7) -> Iterator[Delta]:
    """A tool call as deltas; fields that are a string are its arguments as they are."""
    arguments = fields if isinstance(fields, str) else json.dumps(fields)
    yield ToolCall(id_, name)
    yield from (ToolArguments(id_, arguments[at : at + size]) for at in range(0, len(arguments), size))
    yield ToolDone(id_)


def pair(id_: str, path: str, old: str, new: str, size: int = 7) -> Iterator[Delta]:
    """One edit of a file by a tool."""
    return call(id_, "edit_file", {"path": path, "old_string": old, "new_string": new}, size)


def editor(id_: str, command: str, path: str, **fields: object) -> Iterator[Delta]:
    """A call of Anthropic's text editor tool."""
    return call(id_, "str_replace_based_edit_tool", {"command": command, "path": path, **fields})


def block(old: str, new: str) -> str:
    """A SEARCH/REPLACE block; both texts end with a line end, or are empty."""
    return f"------- SEARCH\n{old}=======\n{new}+++++++ REPLACE\n"


def edit_in(format_: FormatName, path: str, old: str, new: str) -> Iterator[Delta]:
    """A turn that replaces one line, without its line end, by another."""
    lines = block(old + "\n", new + "\n")
    match format_:
        case "cline":
            return pieces(f"<replace_in_file>\n<path>{path}</path>\n<diff>\n{lines}</diff>\n</replace_in_file>\n")
        case "markdown":
            return pieces(f"I change it.\n\n{path}\n```\n{lines}```\n")
        case "patch":
            return pieces(f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n")
        case "text_editor":
            return editor("1", "str_replace", path, old_str=old, new_str=new)
        case "tools":
            return call("1", "edit_file", {"path": path, "diff": lines})
        case "diff":
            return pieces(lines)
