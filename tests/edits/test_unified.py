"""Unified diffs from edits: what they say is what the edits do."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream import TextEdit
from editstream.cli.output import say_diff
from editstream.edits.changes import split_lines
from editstream.edits.unified import unified_diff


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[TextEdit]]:
    """A text of some lines and edits on it, in order and apart from each other."""
    original = draw(st.lists(st.sampled_from(["a\n", "b\n", "\n", "c\r\n"]), max_size=40).map("".join)) + draw(
        st.sampled_from(["", "end"])
    )
    cuts = sorted(draw(st.lists(st.integers(0, len(original)), max_size=8)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    edits = [TextEdit(start, end, draw(st.text("ab\n", max_size=6)), n) for n, (start, end) in enumerate(pairs)]
    return original, [edit for at, edit in enumerate(edits) if at == 0 or edits[at - 1].end < edit.start]


def patched(original: str, diff: str) -> str:
    """The text that a unified diff, read strictly, makes of the original."""
    lines, result, at = split_lines(original), list[str](), 0
    for line in split_lines(diff.replace("\n\\ No newline at end of file\n", "\0\n"))[2:]:
        if match := re.match(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@", line):
            start, count, new_start, new_count = map(int, match.groups())
            start, new_start = start - (count > 0), new_start - (new_count > 0)
            result += lines[at:start]
            at = start
            assert at <= len(lines)
            assert len(result) == new_start
            continue
        text = line[1:].removesuffix("\0\n")
        if line[0] in "- ":
            assert lines[at] == text
            at += 1
        if line[0] in "+ ":
            result.append(text)
    return "".join([*result, *lines[at:]])


@given(edited())
def test_a_diff_makes_the_edited_text(case: tuple[str, list[TextEdit]]) -> None:
    """Applied line by line, with every line number checked, the diff of any edits makes the edited text."""
    original, edits = case
    wanted = original
    for edit in reversed(edits):
        wanted = wanted[: edit.start] + edit.text + wanted[edit.end :]
    diff = unified_diff("a.txt", original, edits)
    assert patched(original, diff) == wanted
    assert bool(diff) == (wanted != original)


def test_the_last_line_may_have_no_newline() -> None:
    """A side whose last line is not ended says so, after that line."""
    diff = unified_diff("a", "x\ny", [TextEdit(2, 3, "z\n", 0)])
    assert diff == "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+z\n"


def test_a_diff_is_written_in_the_encoding_of_its_file(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Where a program reads it, the lines are bytes of the file's encoding, and the names are those of the system."""
    say_diff(unified_diff("β.txt", "é\n", [TextEdit(0, 1, "è", 0)]), "latin-1")
    said = capfdbinary.readouterr().out
    assert said == "--- a/β.txt\n+++ b/β.txt\n".encode() + b"@@ -1,1 +1,1 @@\n-\xe9\n+\xe8\n"


def test_near_changes_share_a_hunk() -> None:
    """Changes with up to six lines between them are one hunk, those further apart are two."""
    original = "".join(f"{n}\n" for n in range(30))

    def hunks(second: int) -> int:
        at = original.index(f"\n{second}\n") + 1
        edits = [TextEdit(4, 5, "x", 0), TextEdit(at, at + len(str(second)), "x", 1)]
        return unified_diff("a", original, edits).count("@@ -")

    assert (hunks(9), hunks(10)) == (1, 2)
