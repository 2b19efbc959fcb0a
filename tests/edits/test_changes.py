"""Edits as whole lines: what the segments say is what the edits do."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream import TextEdit
from editstream.edits.changes import Lines, replaced, segments, split_lines

texts = st.text("ab\n\r", max_size=30)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[TextEdit]]:
    """A text and edits on it, in order and apart from each other."""
    original = draw(texts)
    cuts = sorted(draw(st.lists(st.integers(0, len(original)), max_size=8)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    edits = [TextEdit(start, end, draw(texts), block) for block, (start, end) in enumerate(pairs)]
    return original, [edit for at, edit in enumerate(edits) if at == 0 or edits[at - 1].end < edit.start]


def applied(original: str, edits: Sequence[TextEdit]) -> str:
    for edit in reversed(edits):
        original = original[: edit.start] + edit.text + original[edit.end :]
    return original


@given(edited())
def test_segments_rebuild_the_edited_text(case: tuple[str, list[TextEdit]]) -> None:
    """Kept lines and replacements, one after the other, are the edited text, whatever the edits cut through."""
    original, edits = case
    lines = Lines(original)
    rebuilt: list[str] = []
    for segment in segments(lines, edits):
        removed, added = replaced(lines, segment) if segment.edits else (range(0), [])
        if segment.edits:
            rebuilt += [lines[n] for n in range(segment.old.start, removed.start)] + added
            rebuilt += [lines[n] for n in range(removed.stop, segment.old.stop)]
        else:
            rebuilt += [lines[n] for n in segment.old]
    assert "".join(rebuilt) == applied(original, edits)


@given(edited())
def test_segments_cover_the_file_once(case: tuple[str, list[TextEdit]]) -> None:
    """The segments are the file from its first line to its last, each line once, kept and changed in turn."""
    original, edits = case
    lines = Lines(original)
    cut = segments(lines, edits)
    assert [line for segment in cut for line in segment.old] == list(range(lines.count))
    assert [bool(segment.edits) for segment in cut] == [bool(n % 2) for n in range(len(cut))]
    assert all(len(segment.old) == len(segment.new) for segment in cut[::2])


@given(edited())
def test_segments_number_the_lines_of_the_result(case: tuple[str, list[TextEdit]]) -> None:
    """A kept line has the number that it has in the edited text."""
    original, edits = case
    lines, result = Lines(original), split_lines(applied(original, edits))
    for segment in segments(lines, edits)[::2]:
        assert [lines[n] for n in segment.old] == [result[n] for n in segment.new]


@pytest.mark.parametrize(
    ("original", "edit", "removed", "added"),
    [
        ("a\nb\nc\n", (2, 4, "x\n"), range(1, 2), ["x\n"]),
        ("a\nb\nc\n", (2, 2, "x\n"), range(1, 1), ["x\n"]),
        ("a\nb\nc\n", (2, 4, ""), range(1, 2), []),
        ("a\nb\nc\n", (2, 3, "x"), range(1, 2), ["x\n"]),
        ("a\nb", (3, 3, "\nc"), range(1, 2), ["b\n", "c"]),
        ("a\n", (2, 2, "b"), range(1, 1), ["b"]),
        ("", (0, 0, "a\nb\n"), range(0), ["a\n", "b\n"]),
        ("a\nb\nc\n", (2, 6, "b\nx\n"), range(2, 3), ["x\n"]),
    ],
)
def test_replaced_lines(original: str, edit: tuple[int, int, str], removed: range, added: list[str]) -> None:
    """An edit takes away and puts there the lines that differ, not those it only touches."""
    lines = Lines(original)
    changed = segments(lines, [TextEdit(*edit, 0)])[1]
    assert replaced(lines, changed) == (removed, added)


def test_only_newlines_end_lines() -> None:
    """A form feed, a lone carriage return or a line separator ends no line."""
    assert split_lines("a\x0cb\rc\u2028d\r\ne") == ["a\x0cb\rc\u2028d\r\n", "e"]
    assert Lines("a\x0cb\rc\u2028d\r\ne").count == 2
