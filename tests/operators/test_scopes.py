"""Scopes and line hints, against plain transcriptions of what is said of them, and what a long chain costs."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from placed_blocks import block, calls, edited, machine, result
from stages import fed

from editstream.operators import Document
from editstream.operators.events import Where
from editstream.operators.messages import HUNKS
from editstream.operators.scopes import Scopes

LINES = ("f", " f", "f:", "f(x)", "fg", "g", "\tg ", "x", "")
FILE = st.lists(st.sampled_from(LINES), max_size=12)
CHAIN = st.lists(st.sampled_from(("f", "g", " f", "f:", "z")), min_size=1, max_size=3)


def by_each_way(file: list[str], scope: str) -> list[list[int]]:
    """The lines that are a scope: the same, the same without white space around, begun by it."""
    begun = re.compile(re.escape(scope.strip()) + (r"\b" if scope[-1].isalnum() else ""))
    return [
        [at for at, line in enumerate(file) if line == scope],
        [at for at, line in enumerate(file) if line.strip() == scope.strip()],
        [at for at, line in enumerate(file) if begun.match(line.strip())],
    ]


def ends_of(file: list[str], scopes: list[str]) -> list[int]:
    """Every line where a chain of scopes ends, found by listing them all."""
    ends = next((places for places in by_each_way(file, scopes[0]) if places), [])
    for scope in scopes[1:]:
        following = [
            [at for places in by_each_way(file, scope) for at in [at for at in places if at > end][:1]] for end in ends
        ]
        ends = sorted({places[0] for places in following if places})
    return ends


@given(FILE, CHAIN)
@example(["f", " f", "f:"], ["f", "f"])
@example(["g", "f", "x", "g"], ["f", "g", "f"])
def test_where_a_chain_ends(file: list[str], scopes: list[str]) -> None:
    """The ends that are found by going up the chain are those that listing all of them gives, from any line."""
    document = Document("\n".join(file))
    lines, chain = list(document.lines), Scopes(document, scopes)
    ends = ends_of(lines, scopes)
    assert chain.ends(99) == ends
    assert chain.ends(1) == ends[-1:]
    assert bool(chain.missing) == (not ends)
    assert [chain.last_end_before(line) for line in range(len(lines) + 1)] == [
        max((end for end in ends if end < line), default=None) for line in range(len(lines) + 1)
    ]


def below(hits: list[int], ends: list[int]) -> list[int]:
    """The first hit after each end; where there is none at all, those that are an end."""
    first = {min((hit for hit in hits if hit > end), default=-1) for end in ends} - {-1}
    return sorted(first) or [hit for hit in hits if hit in ends]


def nearest(hits: list[int], near: int) -> list[int]:
    """The nearest hit to a line from 1, if every other one is at least twice as far, and further; else all."""
    ranked = sorted(hits, key=lambda hit: abs(hit + 1 - near))
    clear = [hit for hit in ranked[:1] if all(abs(o + 1 - near) >= max(1, 2 * abs(hit + 1 - near)) for o in ranked[1:])]
    return clear or hits


@given(FILE, st.none() | CHAIN, st.none() | st.integers(1, 14))
@example(["x", "f", "x", "f", "x"], ["f"], 3)
def test_what_scopes_and_a_hint_leave(file: list[str], scopes: list[str] | None, near: int | None) -> None:
    """Of all hits, those below the scopes, and of these the nearest, are meant: one is edited, else none."""
    hits = [at for at, line in enumerate(file) if line == "x"]
    meant = below(hits, ends_of(file, scopes)) if scopes else hits
    meant = nearest(meant, near) if near is not None else meant
    text = "".join(line + "\n" for line in file)
    last = result(text, block(["x"], ["Y"], Where(near=near, scopes=tuple(scopes or ()))), terms=HUNKS)
    assert edited(text, last) == last.full_content
    if len(meant) == 1:
        assert last.full_content == "".join(("Y" if at in meant else line) + "\n" for at, line in enumerate(file))
        assert last.blocks[0].other_matches == tuple(hit + 1 for hit in hits if hit not in meant)
    else:
        assert (last.full_content, [said.kind for said in last.problems]) == (
            text,
            ["ambiguous" if meant else "not_found"],
        )


@given(FILE, CHAIN, st.integers(0, 12))
@example(["f", "x", "x"], ["f"], 2)
@example(["f", "x", "x", "f", "x"], ["f"], 2)
@example(["f", "x", "f", "x", "x"], ["f"], 2)
def test_scopes_above_the_block_before(file: list[str], scopes: list[str], at: int) -> None:
    """Where the first hit below the scopes is above the block before, the first one below both counts as well."""
    file = [*file[:at], "p", *file[at:]]
    at = file.index("p")
    hits, ends = [place for place, line in enumerate(file) if line == "x"], ends_of(file, scopes)
    meant = below(hits, ends)
    if any(end < hit for end in ends for hit in hits) and any(hit < at for hit in meant):
        meant = sorted({*meant, *[hit for hit in hits if hit > at and any(end < hit for end in ends)][:1]})
    text = "".join(line + "\n" for line in file)
    blocks = [*block(["p"], ["q"], Where(), 0), *block(["x"], ["Y"], Where(scopes=tuple(scopes)), 1)]
    last = result(text, blocks, terms=HUNKS)
    file[at] = "q"
    if len(meant) == 1:
        file[meant[0]] = "Y"
    assert last.full_content == "".join(line + "\n" for line in file)
    assert [said.kind for said in last.problems] == {0: ["not_found"], 1: []}.get(len(meant), ["ambiguous"])


@given(FILE, CHAIN, st.none() | st.integers(1, 14))
def test_an_insertion_below_scopes(file: list[str], scopes: list[str], near: int | None) -> None:
    """A block without a SEARCH goes directly below the one place where its scopes end, or the nearest."""
    text = "".join(line + "\n" for line in file)
    ends = ends_of(file, scopes)
    meant = nearest(ends, near) if near is not None else ends
    last = result(text, block([], ["Y"], Where(near=near, scopes=tuple(scopes))), terms=HUNKS)
    at = meant[0] + 1 if len(meant) == 1 else len(file)
    expected = file if len(meant) != 1 else [*file[:at], "Y", *file[at:]]
    assert last.full_content == "".join(line + "\n" for line in expected)
    assert bool(last.problems) == (len(meant) != 1)


@pytest.mark.parametrize(
    ("scope", "text"), [("f", "f\nn\nY\ng\nx\n"), ("k", "f\nn\nY\ng\nx\n"), ("g", None), ("x", None)]
)
def test_what_a_block_wrote_above_the_scopes(scope: str, text: str | None) -> None:
    """A hit in what an earlier block wrote is not taken if all of that is above the scopes."""
    first = block(["a", "k"], ["n", "N"], Where(), 0)
    last = result("f\na\nk\ng\nx\n", [*first, *block(["N"], ["Y"], Where(scopes=(scope,)), 1)], terms=HUNKS)
    assert last.full_content == (text or "f\nn\nN\ng\nx\n")
    said = "its lines are in the file, but not after its @@ line"
    assert [said in problem.message for problem in last.problems] == ([] if text else [True])


def test_more_lines_than_count_as_begun() -> None:
    """A scope that begins more than a thousand lines is none of them; the same line is one, however many there are."""
    file = "a: b\n" * 1001 + "a\nx\n"
    assert result(file, block(["x"], ["y"], Where(scopes=("a",)))).problems == ()
    lost = result("a: b\n" * 1001 + "x\n", block(["x"], ["y"], Where(scopes=("a",))), terms=HUNKS)
    assert 'its @@ line is not in the file: "a"' in lost.problems[0].message
    many = result("a\n" * 1001, block([], ["y"], Where(scopes=("a",))), terms=HUNKS)
    assert "its @@ lines stand at more than 1,000 places" in many.problems[0].message


def test_a_chain_costs_the_same_among_many_lines() -> None:
    """Where every line is each of the scopes, sixteen times the lines take no more work."""
    scopes = ("a",) * 50

    def work(count: int) -> int:
        document = Document("a\n" * count)
        assert Scopes(document, scopes).last_end_before(count) == count - 1
        return calls(lambda: Scopes(document, scopes).last_end_before(count))

    assert Scopes(Document("a\n" * 60), scopes).ends(99) == list(range(49, 60))
    assert work(16_000) == work(1_000)


def test_a_chain_of_scopes_and_a_thousand_hits() -> None:
    """Twice as many hits below a long chain take some twice the work."""
    where = Where(scopes=("a",) * 20)

    def work(hits: int) -> int:
        events = block(["x"], ["y"], where)
        return calls(lambda: fed(machine("a\n" * 50 + "a\nx\n" * hits), events))

    assert work(400) < 2.2 * work(200)
