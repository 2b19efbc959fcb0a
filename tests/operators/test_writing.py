"""What a block writes: line by line while it streams, and all of it once it is closed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream.operators import Document, Placed, safe_ladder
from editstream.operators.draft import Draft
from editstream.operators.indentation import Misfit
from editstream.operators.placing import Found, locate
from editstream.operators.writing import OpenWriting, Request, place


def found(file: str, search: list[str]) -> tuple[Draft, Found]:
    draft = Draft(Document(file))
    verdict = locate(draft, safe_ladder, search)
    assert isinstance(verdict, Found)
    return draft, verdict


def closed(file: str, search: list[str], replace: list[str]) -> Placed:
    draft, verdict = found(file, search)
    return place(draft, Request(0, 1, tuple(search), tuple(replace)), verdict, {})


def streamed(file: str, search: list[str], replace: list[str]) -> list[str | None]:
    draft, verdict = found(file, search)
    writing = OpenWriting(verdict, search, draft.document)
    return [writing.line(line) for line in replace]


@pytest.mark.parametrize(
    ("file", "search", "replace", "written"),
    [
        ("a\nb\nc\n", ["b"], ["B"], "B\n"),
        ("a\nb \nc\n", ["a", "b"], ["x", "b"], "x\nb \n"),
        ("\ta\n\t\tb\n", ["a", "\tb"], ["a", "\tb", "\tc"], "\ta\n\t\tb\n\t\tc\n"),
        ("  a\n", ["a"], ["a", "", "b"], "  a\n\n  b\n"),
        ("  a\n    b\n", ["a", "    b"], ["x", "    b", "    c"], "  x\n    b\n    c\n"),
        ("a\n", ["", "a", ""], ["", "A", ""], "A\n"),
        ("a\n", ["", "a", ""], ["A"], "A\n"),
        ("a\n", ["a", ""], ["A", "", ""], "A\n\n"),
        ("“a”\nb\n", ['"a"', "b"], ['"a"', '"c"'], '“a”\n"c"\n'),
        ("a < b\n", ["a &lt; b"], ["a &gt; b"], "a > b\n"),
        ("a\r\nb\r\n", ["a"], ["x", "y"], "x\r\ny\r\n"),
        ("a\nb", ["b"], ["x", "y"], "x\ny"),
        ("a\nb\n", ["b"], [], ""),
    ],
)
def test_a_closed_block(file: str, search: list[str], replace: list[str], written: str) -> None:
    """Kept lines keep the file's bytes, new ones are written in the file's form by the tier that found SEARCH."""
    (splice,) = closed(file, search, replace).draft.arrangement.splices
    assert splice.text == written


@pytest.mark.parametrize(
    ("file", "search", "replace", "pieces"),
    [
        ("a \nb\nc\n", ["a", "b"], ["a", "B"], ["a \n", "B\n"]),
        ("a \nb\n", ["a", "b"], ["x", "a"], ["x\n", "a\n"]),
        ("  a\n", ["a"], ["a", "b"], ["  a\n", "  b\n"]),
        ("a\n", ["", "a"], ["", "A"], [None, "A\n"]),
        ("a\r\nb\r\n", ["a"], ["x", "y"], ["x\r\n", "y\r\n"]),
        ("a\nb", ["b"], ["x", "y"], ["x\n", "y\n"]),
    ],
)
def test_an_open_block(file: str, search: list[str], replace: list[str], pieces: list[str | None]) -> None:
    """While REPLACE streams, only its common beginning with SEARCH is known to be kept, and every line has an end."""
    assert streamed(file, search, replace) == pieces


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), st.lists(st.sampled_from("abcd"), max_size=5))
def test_an_open_block_comes_to_the_closed_one(search: list[str], replace: list[str]) -> None:
    """In a file whose lines and ends are all alike, what was shown while REPLACE streamed is what is written."""
    file = "".join(f"{line}\n" for line in ["top", *search, "end"])
    (splice,) = closed(file, search, replace).draft.arrangement.splices
    assert "".join(each or "" for each in streamed(file, search, replace)) == splice.text


def test_what_a_placed_block_reports() -> None:
    """A block reports where it begins in the original and its lines there."""
    placed = closed("\ufeffa\nb\n", ["b"], ["B"])
    assert (placed.match, placed.lines) == (3, (1, 2))


def test_a_block_in_our_own_text_reports_the_block_that_wrote_it() -> None:
    """A block found in what an earlier one wrote reports that one's offset, and no lines of its own."""
    first = closed("a\nb\n", ["b"], ["x", "N"])
    verdict = locate(first.draft, safe_ladder, ["N"])
    assert isinstance(verdict, Found)
    second = place(first.draft, Request(1, 6, ("N",), ("M",)), verdict, {0: first.match})
    assert (second.match, second.lines) == (2, None)
    assert [splice.text for splice in second.draft.arrangement.splices] == ["x\nM\n"]


def test_a_line_that_cannot_be_carried() -> None:
    """A new line that the file's form cannot be told for is a misfit, open and closed."""
    with pytest.raises(Misfit):
        closed("\ta\n", ["    a"], ["        b"])
    with pytest.raises(Misfit):
        streamed("\ta\n", ["    a"], ["        b"])


def test_the_unfinished_line() -> None:
    """It is shown in the file's form with the end it would get, and as it is while it cannot be carried over."""
    draft, verdict = found("\ta\r\nb\n", ["    a"])
    finisher = OpenWriting(verdict, ["    a"], draft.document).finisher()
    assert [finisher(text) for text in ("    b", "    b\r", "        b", "")] == [
        "\tb\r\n",
        "\tb\r\n",
        "        b\r\n",
        "\r\n",
    ]


def test_the_unfinished_line_that_may_be_left_out() -> None:
    """A blank line at the top that SEARCH was found without is not shown, and what follows it is."""
    draft, verdict = found("a\n", ["", "a"])
    finisher = OpenWriting(verdict, ["", "a"], draft.document).finisher()
    assert [finisher(text) for text in ("", " ", "b")] == ["", "", "b\n"]
