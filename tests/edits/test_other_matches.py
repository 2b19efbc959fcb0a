"""A block that was placed although its SEARCH is there more than once says where else it could have gone."""

from __future__ import annotations

import pytest

from editstream import FileEditor
from editstream.edits.editor import Ambiguity


def block(search: str, replace: str) -> str:
    """A block as a model writes it."""
    return f"------- SEARCH\n{search}=======\n{replace}+++++++ REPLACE\n"


@pytest.mark.parametrize(
    ("stream", "ambiguity", "index", "line", "others"),
    [
        (block("x\n", "X\n"), "first", 0, 1, (3, 5)),
        (block("a\n", "A\n") + block("x\n", "X\n") + block("b\n", "B\n"), "error", 1, 3, (1, 5)),
        (block("x\n", "1\n") + block("x\n", "2\n") + block("x\n", "3\n"), "error", 1, 3, (1, 5)),
        (block("a\n", "A\n"), "error", 0, 2, ()),
    ],
    ids=["the first was taken", "between its neighbours", "as many as there are", "there is no other"],
)
def test_the_other_matches_of_a_placed_block(
    stream: str, ambiguity: Ambiguity, index: int, line: int, others: tuple[int, ...]
) -> None:
    """The lines of the matches that were not taken stand in ``other_matches``, from 1."""
    editor = FileEditor("x\na\nx\nb\nx\n", ambiguity=ambiguity)
    editor.feed(stream)
    placed = editor.close().blocks[index]
    assert (placed.status, placed.lines, placed.other_matches) == ("applied", (line, line + 1), others)
