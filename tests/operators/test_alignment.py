"""Which lines of REPLACE are lines of SEARCH, against an exhaustive search and against difflib."""

from __future__ import annotations

from difflib import SequenceMatcher
from importlib import import_module
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream.operators.alignment import TABLE_LIMIT, align

module = import_module("editstream.operators.alignment")

few = st.lists(st.sampled_from("abc"), max_size=6)
some = st.lists(st.sampled_from("abcdefgh"), max_size=40)


def pairs(search: list[str], replace: list[str]) -> list[tuple[int, int]]:
    """The pairs of lines (in SEARCH, in REPLACE) that are the same line, asserting that they ascend on both sides."""
    kept = align(search, replace)
    found = [(at, new) for new, at in enumerate(kept) if at >= 0]
    assert len(kept) == len(replace)
    assert all(search[at] == replace[new] for at, new in found)
    assert [at for at, _ in found] == sorted({at for at, _ in found})
    return found


def leftmost(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """Of all longest common subsequences the one whose lines of ``a``, and then those of ``b``, come first."""
    for size in range(min(len(a), len(b)), 0, -1):
        for ours in combinations(range(len(a)), size):
            for theirs in combinations(range(len(b)), size):
                if [a[at] for at in ours] == [b[at] for at in theirs]:
                    return list(zip(ours, theirs, strict=True))
    return []


def by_the_rule(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """The common beginning, the common end, and between them the leftmost longest common subsequence."""
    top = 0
    while top < min(len(a), len(b)) and a[top] == b[top]:
        top += 1
    bottom = 0
    while bottom < min(len(a), len(b)) - top and a[-1 - bottom] == b[-1 - bottom]:
        bottom += 1
    between = leftmost(a[top : len(a) - bottom], b[top : len(b) - bottom])
    return [
        *((at, at) for at in range(top)),
        *((top + at, top + new) for at, new in between),
        *((len(a) - at, len(b) - at) for at in range(bottom, 0, -1)),
    ]


@given(few, few)
def test_small_sides_are_aligned_by_the_rule(search: list[str], replace: list[str]) -> None:
    """Beginning, end, and the leftmost longest common subsequence between them, found by trying all."""
    assert pairs(search, replace) == by_the_rule(search, replace)
    assert len(pairs(search, replace)) == len(leftmost(search, replace))


@given(some, some)
def test_no_fewer_lines_than_difflib(search: list[str], replace: list[str]) -> None:
    """At least as many lines are kept as difflib would match."""
    blocks = SequenceMatcher(None, search, replace, autojunk=False).get_matching_blocks()
    assert len(pairs(search, replace)) >= sum(block.size for block in blocks)


@given(some)
def test_the_same_on_both_sides(lines: list[str]) -> None:
    """A side aligned with itself keeps every line."""
    assert align(lines, lines) == list(range(len(lines)))


@pytest.mark.parametrize(
    ("search", "replace", "kept"),
    [
        ("", "", []),
        ("", "ab", [-1, -1]),
        ("ab", "", []),
        ("aXb", "aYb", [0, -1, 2]),
        ("ab", "xaby", [-1, 0, 1, -1]),
        ("aa", "a", [0]),
        ("xaya", "za", [-1, 3]),
        ("abcd", "acbd", [0, -1, 1, 3]),
    ],
)
def test_examples(search: str, replace: str, kept: list[int]) -> None:
    """What is kept of some small sides can be read off."""
    assert align(search, replace) == kept


@given(some, some)
def test_large_sides_are_divided_at_unique_lines(search: list[str], replace: list[str]) -> None:
    """With no room for a table, what is kept is still a common subsequence, with every line of the edges in it."""
    patch = pytest.MonkeyPatch()
    with patch.context() as patched:
        patched.setattr(module, "TABLE_LIMIT", 0)
        found = pairs(search, replace)
    same = [a == b for a, b in zip(search, replace, strict=False)]
    top = same.index(False) if False in same else len(same)
    assert found[:top] == [(at, at) for at in range(top)]


def test_a_large_block_keeps_its_unique_lines() -> None:
    """A few changed lines in thousands are found though a table of all would be over the limit."""
    search = [f"line {number}" for number in range(3000)]
    replace = [line if at % 100 else f"new {at}" for at, line in enumerate(search)]
    assert len(search) * len(replace) > TABLE_LIMIT
    assert align(search, replace) == [at if at % 100 else -1 for at in range(3000)]


def test_a_large_part_without_unique_lines_is_taken_as_changed() -> None:
    """A middle that is too large for a table, and has nothing to divide it at, keeps its edges alone."""
    search = ["top", *["a", "b"] * 400, "bottom"]
    replace = ["top", *["b", "b", "a"] * 400, "bottom"]
    assert pairs(search, replace) == [(0, 0), (801, 1201)]


def test_lines_that_are_unique_one_level_at_a_time_cost_no_stack() -> None:
    """Texts whose unique lines appear only when others divide them, thousands deep, are aligned all the same."""
    # Each x but the first is there twice on either side, until the part before the first is taken away.
    numbers = range(8_000, 0, -1)
    search = [line for n in numbers for line in (f"old {n}", f"x{n - 1}", f"x{n}")]
    replace = [line for n in numbers for line in (f"new {n}", f"x{n - 1}", f"x{n}")]
    kept = align(search, replace)
    assert sum(at >= 0 for at in kept) >= 32
    assert all(at < 0 or search[at] == line for at, line in zip(kept, replace, strict=True))
