"""The window on the file: the right rows, around the right place, and no more than fit."""

from __future__ import annotations

import random
from typing import Any

import pytest

from editstream.edits.changes import split_lines
from editstream.live.window import Row, window


def lines_shown(rows: list[Row], sign: str = " +-") -> list[str]:
    return [row.text.rstrip("\n") for row in rows if row.sign in sign]


@pytest.mark.parametrize("height", [1, 2, 7, 40, 400])
def test_every_window_is_true(edits: Any, height: int) -> None:
    """At every moment of a stream the rows are lines of the file before or after, in order, and fit the height."""
    random.seed(height)
    numbers = [*range(10, 90, 16)]
    random.shuffle(numbers)
    diff = "".join(
        edits.block([f"line {n}", f"line {n + 1}"], [f"new {n}", f"line {n + 1}", f"more {n}"]) for n in numbers
    )
    for snapshot in edits.snapshots(edits.numbered, diff, 7):
        rows = window(snapshot, height)
        old, new = split_lines(snapshot.original), split_lines(snapshot.full_content)
        assert 0 < len(rows) <= height
        assert all(old[row.old - 1] == row.text for row in rows if row.old is not None)
        assert all(new[row.new - 1] == row.text for row in rows if row.new is not None)
        for numbers_shown in ([row.old for row in rows if row.old], [row.new for row in rows if row.new]):
            first = numbers_shown[0] if numbers_shown else 0
            assert numbers_shown == list(range(first, first + len(numbers_shown)))


def test_a_window_is_filled(edits: Any) -> None:
    """A file with more lines than the window fills it, wherever the edit is."""
    for number in (1, 50, 100):
        diff = edits.block([f"line {number}"], [f"new {number}"])
        assert {len(window(snapshot, 12)) for snapshot in edits.snapshots(edits.numbered, diff)} == {12}


def test_the_newest_text_is_in_the_window(edits: Any) -> None:
    """While REPLACE grows beyond the height of the window, its newest line stays in view."""
    opened = "------- SEARCH\nline 50\n=======\n"
    for count in range(1, 60):
        text = opened + "".join(f"new {n}\n" for n in range(count)) + "newest"
        assert "newest" in lines_shown(window(edits.after(edits.numbered, text), 10), "+")


def test_the_window_goes_where_the_search_may_be(edits: Any) -> None:
    """Before SEARCH is whole, the first candidate is in view."""
    snapshot = edits.after(edits.numbered, "------- SEARCH\nline 70\nline 71\n")
    assert snapshot.candidates == (70,)
    assert "line 70" in lines_shown(window(snapshot, 9))


def test_removed_and_added_lines(edits: Any) -> None:
    """A closed block shows the lines it took away above those it put there, with the numbers of either side."""
    snapshot = edits.after(edits.numbered, edits.block(["line 3", "line 4"], ["line 3", "x", "y"]))
    rows = [row for row in window(snapshot, 20) if row.sign != " "]
    assert rows == [Row("-", 4, None, "line 4\n"), Row("+", None, 4, "x\n"), Row("+", None, 5, "y\n")]


def test_an_empty_file_has_an_empty_window(edits: Any) -> None:
    """A new file has nothing to show until its first line comes."""
    assert window(edits.after("", ""), 10) == []
    rows = window(edits.after("", "------- SEARCH\n=======\nfirst\n"), 10)
    assert lines_shown(rows) == ["first"]
