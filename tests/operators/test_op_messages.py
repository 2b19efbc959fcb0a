"""What a rejected block is told: numbered, white space made visible, no control characters, never too long."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream.operators import Document, EditError
from editstream.operators.messages import (
    LINE_NUMBERS_SHOWN,
    LINES_SHOWN,
    WIDTH_SHOWN,
    clipped,
    line_numbers,
    printable,
    problem,
    visible,
)
from editstream.operators.problems import MESSAGES_SHOWN, ProblemKind


def test_a_message_says_all_there_is_to_say() -> None:
    """It has the block and its line, what is wrong, what was looked for, the likely place, and what to do."""
    document = Document("def a():\n\treturn 1\n\nend\n")
    said = problem(
        "not_found", "it is not there.", block=1, line=7, search=["def a():", "  return 1"], document=document
    )
    assert said.message.splitlines() == [
        "Block 2 (line 7 of the edit) was not applied: it is not there.",
        "It looked for these 2 lines:",
        "    def a():",
        "      return 1",
        "Similar: lines 1-2 of the file. They first differ at line 2 (· space, → tab):",
        "    SEARCH: ··return·1",
        "    file:   →return·1",
        "Read that part of the file again and copy SEARCH from it, whole lines, exactly as they are.",
    ]
    assert (said.kind, said.block, said.line, said.provisional) == ("not_found", 1, 7, False)
    assert [candidate.line for candidate in said.candidates] == [1]


@pytest.mark.parametrize("kind", get_args(ProblemKind))
def test_each_kind_has_an_advice(kind: ProblemKind) -> None:
    """Every message ends with what to do."""
    first, advice = problem(kind, "what.", block=None, line=3).message.splitlines()
    assert first == "Line 3 of the edit was not applied: what."
    assert advice.endswith(".")


def test_a_file_that_ends_too_soon() -> None:
    """Where the file ends inside SEARCH, the message says that."""
    said = problem("not_found", "no.", block=0, line=1, search=["a b c", "x"], document=Document("a b c\n"))
    assert "Similar: line 1 of the file, where the file ends before SEARCH does." in said.message


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_control_character_is_sent(ours: str, theirs: str) -> None:
    """Whatever SEARCH and the file hold, nothing in a message but its line ends is unprintable."""
    search = [each for each in (ours, "common line") if "\n" not in each]
    said = problem("not_found", "no.", block=0, line=1, search=search, document=Document(f"{theirs}\ncommon line\n"))
    assert all(char.isprintable() or char in "\n\t" for char in said.message)


def test_a_long_search_is_cut() -> None:
    """A message shows a few lines of SEARCH, a few columns of each, and says how many more there are."""
    said = problem("overlap", "no.", block=0, line=1, search=["x" * 1000] * 50)
    lines = said.message.splitlines()
    assert len([line for line in lines if line.startswith("    x")]) == LINES_SHOWN
    assert f"    ({50 - LINES_SHOWN} more)" in lines
    assert max(map(len, lines)) <= WIDTH_SHOWN + 10


@given(st.text("ab", max_size=500), st.integers(0, 500))
def test_a_clipped_line_holds_the_place_that_matters(line: str, around: int) -> None:
    """A clipped line is no longer than allowed and is a piece of the line that has the place in it."""
    shown = clipped(line, min(around, len(line)))
    inner = shown.strip("…")
    assert len(inner) <= WIDTH_SHOWN
    assert inner in line
    marked = f"{line[:around]}X{line[around:]}" if around <= len(line) else f"{line}X"
    assert "X" in clipped(marked, min(around, len(line)))


@pytest.mark.parametrize(
    ("line", "seen", "printed"),
    [("a\t b", "a→·b", "a\t b"), ("\x1b[31m", "\\x1b[31m", "\\x1b[31m"), ("\u202e", "\\u202e", "\\u202e"),
     ("\ud800", "\\ud800", "\\ud800"), ("\xa0", "\\xa0", "\\xa0"), ("é", "é", "é")],
)  # fmt: skip
def test_white_space_and_control_characters(line: str, seen: str, printed: str) -> None:
    """``visible`` tells every white space apart, ``printable`` leaves spaces and tabs."""
    assert (visible(line), printable(line)) == (seen, printed)


def test_line_numbers_count_from_one_and_are_bounded() -> None:
    """Lines counted from 0 are told from 1, and past a number of them only how many more there are."""
    assert line_numbers([0, 4]) == "1, 5"
    assert line_numbers(range(LINE_NUMBERS_SHOWN)).endswith(f", {LINE_NUMBERS_SHOWN}")
    assert line_numbers(range(LINE_NUMBERS_SHOWN + 7)).endswith(f", {LINE_NUMBERS_SHOWN} and 7 more")


def test_an_error_lists_so_many_problems() -> None:
    """The text of an error names the first problems and how many more there are; the error itself has all."""
    said = [problem("malformed", f"number {at}.", block=at, line=at) for at in range(MESSAGES_SHOWN + 7)]
    *shown, more, _ = str(EditError(said)).split("\n\n")
    assert shown == [each.message for each in said[:MESSAGES_SHOWN]]
    assert more.startswith("7 more problems")
    assert len(EditError(said).problems) == MESSAGES_SHOWN + 7


def test_an_error_is_all_its_messages() -> None:
    """The text of an ``EditError`` is the messages of its problems and what that means for the edit."""
    said = [problem("malformed", what, block=at, line=at) for at, what in enumerate(("one.", "two."))]
    error = EditError(said)
    assert error.problems == tuple(said)
    last = "Nothing was applied: send the whole edit again, repaired."
    assert str(error) == f"{said[0].message}\n\n{said[1].message}\n\n{last}"
