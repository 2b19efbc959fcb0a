"""Random edits of random files, written in each format, cut anywhere: on disk is what the edits make of the files."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session_turns import block, on_disk

from editstream import EditSession, Workspace
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.prompts import FormatName

ENDS = ("", " ", "  # é", "\t", " {", "</a>", "`x`", ' "\\n"', "😀", " \\", "---")
"""What makes lines odd, at their end. Each line begins with a word that is there once: each edit has one place."""

CALLED = ("tools", "text_editor")


@dataclass(frozen=True)
class Change:
    """Lines ``[start, stop)`` of a file, from 0, to be replaced; never none of them."""

    start: int
    stop: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Edited:
    """A file, its changes from the top, and what becomes of it; without changes it is new."""

    path: str
    before: tuple[str, ...]
    changes: tuple[Change, ...]

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Old and new text of each change, all lines with their ends."""
        for change in self.changes:
            yield text_of(self.before[change.start : change.stop]), text_of(change.lines)

    @property
    def after(self) -> str:
        lines = list(self.before)
        for change in reversed(self.changes):
            lines[change.start : change.stop] = change.lines
        return text_of(lines)


def text_of(lines: list[str] | tuple[str, ...]) -> str:
    return "".join(line + "\n" for line in lines)


@st.composite
def edited(draw: st.DrawFn, path: str) -> Edited:
    """A file of lines that are all different, and changes that do not touch."""
    ends = st.sampled_from(ENDS)
    indents = st.sampled_from(("", "  ", "\t"))
    before = tuple(f"{draw(indents)}old{at}{draw(ends)}" for at in range(draw(st.integers(1, 12))))
    changes, at = list[Change](), 0
    while at < len(before):
        start = at + draw(st.integers(0, 3))
        stop = start + draw(st.integers(1, 3))
        if stop > len(before):
            break
        count = draw(st.integers(0, 3))
        changes.append(Change(start, stop, tuple(f"{draw(indents)}new{stop}.{n}{draw(ends)}" for n in range(count))))
        at = stop + 1
    return Edited(path, before, tuple(changes or [Change(0, 1, ("new",))]))


@st.composite
def created(draw: st.DrawFn, path: str) -> Edited:
    """A new file."""
    return Edited(path, tuple(f"line{at}{draw(st.sampled_from(ENDS))}" for at in range(draw(st.integers(1, 5)))), ())


@st.composite
def turns(draw: st.DrawFn, format_: FormatName) -> list[Edited]:
    """The edited files of a turn."""
    if format_ == "diff":
        return [draw(edited("a.py"))]
    made = [draw(edited(path)) for path in draw(st.sampled_from((["a.py"], ["a.py", "src/b c.ts"])))]
    return [*made, *([draw(created("new/c.md"))] if draw(st.booleans()) else [])]


def written(format_: FormatName, files: list[Edited]) -> str:
    """The turn as text."""
    texts = [_written(format_, file) for file in files]
    if format_ == "patch":
        return "So:\n*** Begin Patch\n" + "".join(texts) + "*** End Patch\nDone.\n"
    return "So:\n" + "And:\n".join(texts)


def _written(format_: FormatName, file: Edited) -> str:
    path, blocks = file.path, "".join(block(*pair) for pair in file.pairs())
    match format_:
        case "cline" if not file.changes:
            return f"<write_to_file>\n<path>{path}</path>\n<content>\n{file.after}</content>\n</write_to_file>\n"
        case "cline":
            return f"<replace_in_file>\n<path>{path}</path>\n<diff>\n{blocks}</diff>\n</replace_in_file>\n"
        case "markdown":
            return f"`{path}`\n````\n{blocks or block('', file.after)}````\n"
        case "patch" if not file.changes:
            return f"*** Add File: {path}\n" + "".join(f"+{line}\n" for line in file.before)
        case "patch":
            return f"*** Update File: {path}\n" + "".join(map("".join, hunks(file)))
        case _:
            return blocks


def hunks(file: Edited) -> Iterator[list[str]]:
    """The changes as hunks, each with the line before it, if there is one."""
    for change in file.changes:
        yield [
            "@@\n",
            *(f" {line}\n" for line in file.before[max(change.start - 1, 0) : change.start]),
            *(f"-{line}\n" for line in file.before[change.start : change.stop]),
            *(f"+{line}\n" for line in change.lines),
        ]


def calls(format_: FormatName, files: list[Edited]) -> Iterator[tuple[str, dict[str, object]]]:
    """The turn as names and arguments of tool calls."""
    for file in files:
        pairs = [{"old_string": old, "new_string": new} for old, new in file.pairs()]
        if format_ == "tools":
            yield (
                ("edit_file", {"path": file.path, "edits": pairs})
                if pairs
                else (
                    "write_file",
                    {"path": file.path, "content": file.after},
                )
            )
        elif not pairs:
            yield "str_replace_based_edit_tool", {"command": "create", "path": file.path, "file_text": file.after}
        else:
            for old, new in file.pairs():
                fields = {"path": file.path, "old_str": old, "new_str": new}
                yield "str_replace_based_edit_tool", {"command": "str_replace", **fields}


def deltas(draw: st.DrawFn, format_: FormatName, files: list[Edited]) -> Iterator[Delta]:
    """The turn, cut anywhere."""
    if format_ not in CALLED:
        yield from map(Text, cut(draw, written(format_, files)))
        return
    for at, (name, arguments) in enumerate(calls(format_, files)):
        yield ToolCall(str(at), name)
        text = json.dumps(arguments, ensure_ascii=draw(st.booleans()))
        yield from (ToolArguments(str(at), piece) for piece in cut(draw, text))
        yield ToolDone(str(at))


def cut(draw: st.DrawFn, text: str) -> Iterator[str]:
    sizes = draw(st.lists(st.integers(1, 40), min_size=1, max_size=8))
    at = 0
    while at < len(text):
        for size in sizes:
            yield text[at : at + size]
            at += size


@pytest.fixture(autouse=True)
def unflushed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes that need not survive a power cut."""
    monkeypatch.setattr(os, "fsync", os.fstat)


@pytest.mark.parametrize("format_", get_args(FormatName))
def test_on_disk_is_what_was_written_in_the_format(format_: FormatName) -> None:
    """Random edits of random files, in any format, cut anywhere, end on disk as what they say, and nothing else."""

    @settings(max_examples=100, deadline=None)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        files = data.draw(turns(format_))
        with tempfile.TemporaryDirectory() as folder:
            for file in files:
                if file.changes:
                    place = Path(folder, file.path)
                    place.parent.mkdir(exist_ok=True)
                    place.write_text(text_of(file.before), encoding="utf-8")
            path = "a.py" if format_ == "diff" else None
            with EditSession(Workspace(folder), format=format_, approve=True, path=path) as session:
                list(session.run(list(deltas(data.draw, format_, files))))
            assert session.answer is not None
            assert not session.answer.needs_repair, session.answer.text
            assert on_disk(Workspace(folder)) == {file.path: file.after for file in files}

    check()
