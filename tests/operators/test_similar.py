"""Places that look like a SEARCH that was not found: for the message alone."""

from __future__ import annotations

import time

import pytest

from editstream.operators import Candidate, Document
from editstream.operators.similar import MOST_CANDIDATES, similar_places


@pytest.mark.parametrize(
    ("file", "search", "expected"),
    [
        ("x\nalpha\nbeta\n", ["alpha", "gamma"], [Candidate(2, 3, 3, "gamma", "beta")]),
        ("x\nalpha\nbeta\n", ["zeta", "beta"], [Candidate(2, 3, 2, "zeta", "alpha")]),
        ("x\n  alpha\n", ["alpha"], [Candidate(2, 2, 2, "alpha", "  alpha")]),
        ("x\nalpha\n", ["alpha", "beta"], [Candidate(2, 2, 3, "beta", None)]),
        ("x\nresult = compute(total)\n", ["answer = compute(sum)"],
         [Candidate(2, 2, 2, "answer = compute(sum)", "result = compute(total)")]),
        ("alpha\n", ["first", "alpha"], [Candidate(1, 1, 1, "first", "alpha")]),
        ("x\ny\n", ["nothing", "like", "it"], []),
        ("", ["alpha"], []),
        ("x\n", ["", "  "], []),
    ],
)  # fmt: skip
def test_candidates(file: str, search: list[str], expected: list[Candidate]) -> None:
    """A place is named by its lines, from 1, and the first line there that differs, in both versions."""
    assert list(similar_places(Document(file), search)) == expected


def test_the_best_come_first_and_few_are_named() -> None:
    """Places with more lines in common come first, there are at most so many, and none is half as like or less."""
    file = "one\nx\n\n\n\none\ntwo\nx\n\n\n\none\ntwo\nthree\nx\n\n\n\none\n"
    found = similar_places(Document(file), ["one", "two", "three", "four"])
    assert [candidate.line for candidate in found] == [12, 6]
    many = similar_places(Document("one\ntwo\nx\n\n\n\n" * 9), ["one", "two", "three"])
    assert len(many) == MOST_CANDIDATES


def test_one_place_is_named_once() -> None:
    """Places a line or two apart are one place."""
    assert len(similar_places(Document("alpha\nalpha\nalpha\nx\n"), ["alpha", "beta"])) == 1


def test_a_long_search_in_a_long_file_is_bounded() -> None:
    """Thousands of lines that all look like the file's are answered in a moment."""
    document = Document("".join(f"    value_{n % 700} = compute_something({n % 50})\n" for n in range(30_000)))
    began = time.perf_counter()
    similar_places(document, [f"value_{n} = compute_something({n})" for n in range(5_000)])
    similar_places(document, [f"unknown_{n} = compute_something_else({n})" for n in range(5_000)])
    assert time.perf_counter() - began < 5


def test_common_lines_do_not_vote() -> None:
    """A line that the file has everywhere says nothing about the place, a rare one does."""
    document = Document("common\n" * 60 + "rare\nx\n" + "common\n" * 60)
    assert [each.line for each in similar_places(document, ["common", "rare", "y"])] == [60]
    assert [each.differs_at for each in similar_places(document, ["common", "rare", "y"])] == [62]
