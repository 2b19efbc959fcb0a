"""The same block again: it is done already, unless a place is left for a second one."""

from __future__ import annotations

import pytest

from editstream import FileEditor


def block(search: str, replace: str) -> str:
    """A block as a model writes it."""
    return f"------- SEARCH\n{search}=======\n{replace}+++++++ REPLACE\n"


@pytest.mark.parametrize(
    ("original", "stream", "expected", "last"),
    [
        ("a\nb\n", block("a\n", "a\nnew\n") * 2, "a\nnew\nb\n", "already_applied"),
        ("a\nb\n", block("a\n", "A\n") * 3, "A\nb\n", "already_applied"),
        ("x\na\nx\n", block("x\na\n", "y\na\n") + block("x\n", "z\n") * 2, "y\na\nz\n", "already_applied"),
        (
            "a\nb\nc\n",
            block("a\n", "q\n1\n") + block("q\n", "z\n") + block("c\n", "q\n2\n") + block("q\n", "z\n"),
            "z\n1\nb\nz\n2\n",
            "applied",
        ),
    ],
    ids=["an insertion", "a change", "with the other place gone", "another block wrote its text anew"],
)
def test_a_block_that_comes_again(original: str, stream: str, expected: str, last: str) -> None:
    """It is left out where its first copy did all there was to do, and applied where there is a place left."""
    editor = FileEditor(original)
    editor.feed(stream)
    final = editor.close()
    assert (final.new_content, final.blocks[-1].status) == (expected, last)
