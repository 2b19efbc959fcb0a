"""Random edits of random files, written in each format, cut anywhere: on disk is what the edits make of the files."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
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
"""What makes lines odd, at their end. Each old line begins with a word that is there once: each edit has one place."""

ODD = (
    "", "", "  ", "```", "~~~", "```py", "=======", "@@", "@@ old0", "+", "-", "*** End Patch", "*** Add File: x",
    "<diff>", "</diff>", "</content>", "a.py", "`b.py`", "\\ No newline at end of file", "{}", '"}',
)  # fmt: skip
"""Lines that mean something to a format, or nothing at all; as new ones only."""

CALLED = ("tools", "text_editor")


@dataclass(frozen=True)
class Change:
    """Lines ``[start, stop)`` of a file, from 0, to be replaced; never none of them."""

    start: int
    stop: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Edited:
    """A file and what becomes of it: it is new, written anew, changed from the top, moved as well, or deleted.

    ``end`` is how its lines end, and ``ended`` whether the last one does.
    """

    path: str
    before: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    whole: tuple[str, ...] = ()
    moved: str | None = None
    end: str = "\n"
    ended: bool = True

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Old and new text of each change, all lines with their ends."""
        for change in self.changes:
            yield text_of(self.before[change.start : change.stop]), text_of(change.lines)

    @property
    def on_disk(self) -> str:
        """The file as it is before the turn."""
        text = text_of(self.before, self.end)
        return text if self.ended else text.removesuffix(self.end)

    @property
    def after(self) -> dict[str, str]:
        """What is there after the turn."""
        end = self.end if self.ended or len(self.before) > 1 else "\n"  # a line alone shows none
        if self.whole:
            return {self.path: text_of(self.whole, end)}
        if not self.changes:
            return {}
        lines = list(self.before)
        for change in reversed(self.changes):
            lines[change.start : change.stop] = change.lines
        # A last line has no line end if the one that it takes the place of has none.
        last_gone = self.changes[-1].stop == len(self.before) and not self.changes[-1].lines
        text = text_of(lines, end)
        return {self.moved or self.path: text if self.ended or last_gone else text.removesuffix(end)}


def text_of(lines: Sequence[str], end: str = "\n") -> str:
    return "".join(line + end for line in lines)


new_lines = st.tuples(st.sampled_from(("", "  ", "\t")), st.sampled_from(("new", "n")), st.sampled_from(ENDS)).map(
    "".join
)


@st.composite
def old_files(draw: st.DrawFn) -> tuple[str, ...]:
    """A file of lines that are all different."""
    indents, ends = st.sampled_from(("", "  ", "\t")), st.sampled_from(ENDS)
    return tuple(f"{draw(indents)}old{at}{draw(ends)}" for at in range(draw(st.integers(1, 12))))


@st.composite
def edited(draw: st.DrawFn, path: str, moved: st.SearchStrategy[str | None]) -> Edited:
    """A file, and changes of it that do not touch."""
    before = draw(old_files())
    changes, at = list[Change](), 0
    while at < len(before):
        start = at + draw(st.integers(0, 3))
        stop = start + draw(st.integers(1, 3))
        if stop > len(before):
            break
        lines = draw(st.lists(new_lines | st.sampled_from(ODD), max_size=3))
        changes.append(Change(start, stop, tuple(lines)))
        at = stop + 1
    changes = changes or [Change(0, 1, ("new",))]
    end = draw(st.sampled_from(("\n", "\n", "\r\n")))
    return Edited(path, before, tuple(changes), (), draw(moved), end, draw(st.booleans()))


@st.composite
def written_anew(draw: st.DrawFn, path: str, *, is_new: bool) -> Edited:
    """A file that is written as a whole."""
    before = () if is_new else draw(old_files())
    lines = st.one_of(new_lines, st.sampled_from(ODD), *([st.sampled_from(before)] if before else []))
    whole = ("first", *draw(st.lists(lines, max_size=8)), "last")
    end = "\n" if is_new else draw(st.sampled_from(("\n", "\r\n")))
    return Edited(path, before, (), whole, None, end, draw(st.booleans()))


@st.composite
def turns(draw: st.DrawFn, format_: FormatName) -> list[Edited]:
    """The edited files of a turn."""
    if format_ == "diff":
        return [draw(edited("a.py", st.none()))]
    moved = st.sampled_from((None, "moved/a.py")) if format_ == "patch" else st.none()
    made = [draw(edited("a.py", moved))]
    if draw(st.booleans()):
        made.append(draw(edited("src/b c.ts", st.none())))
    if draw(st.booleans()):
        made.append(draw(written_anew("new/c.md", is_new=True)))
    if format_ in ("cline", "tools") and draw(st.booleans()):
        made.append(draw(written_anew("d.py", is_new=False)))
    if format_ == "patch" and draw(st.booleans()):
        made.append(Edited("gone.py", draw(old_files())))
    return list(draw(st.permutations(made)))


def written(format_: FormatName, files: list[Edited]) -> str:
    """The turn as text."""
    texts = [_written(format_, file) for file in files]
    if format_ == "patch":
        return "So:\n*** Begin Patch\n" + "".join(texts) + "*** End Patch\nDone.\n"
    return "So:\n" + "And:\n".join(texts)


def _written(format_: FormatName, file: Edited) -> str:
    path, whole, blocks = file.path, text_of(file.whole), "".join(block(*pair) for pair in file.pairs())
    match format_:
        case "cline" if whole:
            return f"<write_to_file>\n<path>{path}</path>\n<content>\n{whole}</content>\n</write_to_file>\n"
        case "cline":
            return f"<replace_in_file>\n<path>{path}</path>\n<diff>\n{blocks}</diff>\n</replace_in_file>\n"
        case "markdown":
            return f"`{path}`\n````\n{blocks or block('', whole)}````\n"
        case "patch":
            return section(file)
        case _:
            return blocks


def section(file: Edited) -> str:
    """What a patch says of one file."""
    if file.whole:
        return f"*** Add File: {file.path}\n" + "".join(f"+{line}\n" for line in file.whole)
    if not file.changes:
        return f"*** Delete File: {file.path}\n"
    move = f"*** Move to: {file.moved}\n" if file.moved else ""
    return f"*** Update File: {file.path}\n{move}" + "".join(map("".join, hunks(file)))


def hunks(file: Edited) -> Iterator[list[str]]:
    """The changes as hunks, each with the line before it, if there is one; lines that just go stand alone."""
    for change in file.changes:
        context = file.before[max(change.start - 1, 0) : change.start] if change.lines else ()
        yield [
            "@@\n",
            *(f" {line}\n" for line in context),
            *(f"-{line}\n" for line in file.before[change.start : change.stop]),
            *(f"+{line}\n" for line in change.lines),
        ]


def calls(format_: FormatName, files: list[Edited]) -> Iterator[tuple[str, dict[str, object]]]:
    """The turn as names and arguments of tool calls."""
    for file in files:
        texts = list(file.pairs())
        if texts and not file.ended and file.changes[-1].stop == len(file.before):
            texts[-1] = (texts[-1][0].removesuffix("\n"), texts[-1][1].removesuffix("\n"))
        if file.whole and format_ == "tools":
            yield "write_file", {"path": file.path, "content": text_of(file.whole)}
        elif file.whole:
            fields = {"path": file.path, "file_text": text_of(file.whole)}
            yield "str_replace_based_edit_tool", {"command": "create", **fields}
        elif format_ == "tools":
            pairs = [{"old_string": old, "new_string": new} for old, new in texts]
            yield "edit_file", {"path": file.path, "edits": pairs}
        else:
            for old, new in texts:
                fields = {"path": file.path, "old_str": old, "new_str": new}
                yield "str_replace_based_edit_tool", {"command": "str_replace", **fields}


def deltas(data: st.DataObject, format_: FormatName, files: list[Edited]) -> Iterator[Delta]:
    """The turn, cut anywhere."""
    if format_ not in CALLED:
        yield from map(Text, cut(data, written(format_, files)))
        return
    for at, (name, arguments) in enumerate(calls(format_, files)):
        yield ToolCall(str(at), name)
        text = json.dumps(arguments, ensure_ascii=data.draw(st.booleans()))
        yield from (ToolArguments(str(at), piece) for piece in cut(data, text))
        yield ToolDone(str(at))


def cut(data: st.DataObject, text: str) -> Iterator[str]:
    sizes = data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=8))
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
                if file.before:
                    place = Path(folder, file.path)
                    place.parent.mkdir(exist_ok=True)
                    place.write_bytes(file.on_disk.encode())
            path = "a.py" if format_ == "diff" else None
            with EditSession(Workspace(folder), format=format_, approve=True, path=path) as session:
                list(session.run(list(deltas(data, format_, files))))
            assert session.answer is not None
            assert not session.answer.needs_repair, session.answer.text
            assert on_disk(Workspace(folder)) == {path: text for file in files for path, text in file.after.items()}

    check()
