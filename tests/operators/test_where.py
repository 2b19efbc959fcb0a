"""What a format says of a block's place: near a line, below scopes, at the end, or after a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from placed_blocks import block, edited, result

from editstream.operators.events import Where
from editstream.operators.messages import HUNKS


def lines(text: str) -> list[str]:
    """The words of a text, as lines; ``_`` is a blank one."""
    return ["" if word == "_" else word for word in text.split()]


def one(file: str, search: str, replace: str, where: Where) -> tuple[str, list[str]]:
    """The file after one block of words, and what is wrong."""
    text = "".join(line + "\n" for line in lines(file))
    last = result(text, block(lines(search), lines(replace), where), terms=HUNKS)
    assert edited(text, last) == last.full_content
    return " ".join(last.full_content.replace("\n\n", "\n_\n").split()), [problem.kind for problem in last.problems]


@pytest.mark.parametrize(
    ("near", "text"),
    [
        (1, "X a a a x a x"),  # the line itself
        (2, "X a a a x a x"),  # 1 against 3
        (3, None),  # 2 against 2
        (4, "x a a a X a x"),
        (6, None),
        (99, None),  # as far from both, nearly
        (10**30, None),
    ],
)
def test_the_nearest_hit(near: int, text: str | None) -> None:
    """The hit nearest to the line is taken if the next one is at least twice as far; else the hint says nothing."""
    given, kinds = one("x a a a x a x", "x", "X", Where(near=near))
    assert (given, kinds) == ((text, []) if text else ("x a a a x a x", ["ambiguous"]))


def test_a_hint_comes_before_what_other_blocks_say() -> None:
    """The hint is of the original: a hit that an earlier block has replaced is still the nearest one."""
    blocks = [*block(["x"], ["X"], Where(near=1), 0), *block(["x"], ["Y"], Where(near=1), 1)]
    last = result("x\na\nx\n", blocks)
    assert (last.full_content, last.problems[0].kind) == ("X\na\nx\n", "overlap")
    assert last.blocks[0].other_matches == (3,)


@pytest.mark.parametrize(
    ("file", "scopes", "text"),
    [
        ("x A x x", ("A",), "x A X x"),  # the first one after the scope
        ("f x g x", ("g",), "f x g X"),
        ("A f x B f x", ("B", "f"), "A f x B f X"),  # each scope after the one before
        ("f x A f x", ("f",), None),  # two places
        ("A f x", ("f", "A"), None),  # not in that order
        ("A: x", ("A",), "A: X"),  # the beginning of a line, up to the end of a word
        ("AB x", ("A",), None),
        ("A: x A x", ("A",), "A: x A X"),  # the same line comes before one that begins so
        ("x A", ("A",), None),
        ("a x", ("x",), "a X"),  # a scope that is the first line looked for
    ],
)
def test_below_scopes(file: str, scopes: tuple[str, ...], text: str | None) -> None:
    """The first hit after a scope, or after the last of a chain of scopes, is meant; there must be one such place."""
    given, kinds = one(file, "x", "X", Where(scopes=scopes))
    assert (given, bool(kinds)) == ((text, False) if text else (file, True))


def test_scopes_are_compared_without_their_white_space() -> None:
    """A scope line is the same line first, else one that differs in white space at its ends."""
    where = Where(scopes=("class A", "def f():"))
    last = result("def f():\n  x\nclass A\n    def f():\n  x\n", block(["  x"], ["  y"], where))
    assert last.full_content == "def f():\n  x\nclass A\n    def f():\n  y\n"


@pytest.mark.parametrize(
    ("scopes", "search", "says"),
    [
        (("class Z",), "x", 'its @@ line is not in the file: "class Z"'),
        (("A", "class Z"), "x", 'its @@ line is not in the file: "class Z"'),
        (("B", "A"), "x", 'its @@ line is not in the file after "B": "A"'),
        (("B",), "x", 'its lines are in the file, but not after its @@ line: "B"'),
        (("B",), "z", "its text (context and - lines) is not in the file."),
    ],
)
def test_what_is_said_of_scopes(scopes: tuple[str, ...], search: str, says: str) -> None:
    """The message names the scope line that is not there, or that nothing stands after."""
    last = result("A\nx\nB\n", block([search], ["y"], Where(scopes=scopes)), terms=HUNKS)
    assert last.problems[0].kind == "not_found"
    assert last.problems[0].message.startswith("Hunk 1 (line 1 of the patch) was not applied: " + says)


@pytest.mark.parametrize(
    ("file", "where", "text"),
    [
        ("A b", Where(scopes=("A",)), "A n b"),
        ("A b A", Where(scopes=("A",)), None),
        ("A b b b A", Where(scopes=("A",), near=5), "A b b b A n"),
        ("A b", Where(scopes=("b",)), "A b n"),
        ("A b", Where(at_end=True), "A b n"),
        ("", Where(at_end=True), "n"),
        ("A b", Where(after=0), "n A b"),
        ("A b", Where(after=1), "A n b"),
        ("A b", Where(after=2), "A b n"),
        ("A b", Where(after=3), None),
        ("", Where(after=0), "n"),
        ("", Where(after=1), None),
        ("A b", Where(), None),
    ],
)
def test_an_insertion(file: str, where: Where, text: str | None) -> None:
    """A block without a SEARCH goes after its scope, at the end, or after a line; else it has no place."""
    given, kinds = one(file, "", "n", where)
    assert (given, bool(kinds)) == ((text, False) if text is not None else (file, True))


def test_an_insertion_beyond_the_end_hears_how_long_the_file_is() -> None:
    """The message says how many lines there are."""
    last = result("a\nb\n", block([], ["n"], Where(after=7)))
    assert "there is no line 7: the file has 2 lines." in last.problems[0].message


@pytest.mark.parametrize(
    ("file", "end"), [("x\nx\n", "x\nX\n"), ("x\nx", "x\nX"), ("x\nx\n\n \n", "x\nX\n\n \n"), ("x\ny\n", "X\ny\n")]
)
def test_at_the_end(file: str, end: str) -> None:
    """The hit that only blank lines follow is meant, if there is one; it may be said after the lines."""
    events = block(["x"], ["X"], Where())
    last = result(file, [events[0], *events[2:-1], *block([], [], Where(at_end=True))[1:2], events[-1]])
    assert (last.full_content, last.problems) == (end, ())


@pytest.mark.parametrize(
    ("file", "text"), [("A x b x", "A x b X"), ("A x b", "A X b"), ("x A b x", "x A b X"), ("b x A", None)]
)
def test_at_the_end_below_scopes(file: str, text: str | None) -> None:
    """The end of the file says more than the first hit below a scope."""
    given, kinds = one(file, "x", "X", Where(scopes=("A",), at_end=True))
    assert (given, bool(kinds)) == ((text, False) if text else (file, True))


def test_after_a_last_line_without_an_end() -> None:
    """What goes after a last line without a line end gives it one and has none itself, twice as well."""
    events = [*block([], ["m"], Where(at_end=True), 0), *block([], ["n"], Where(after=1), 1)]
    assert result("a", events[:6]).full_content == "a\nm"
    assert result("a", events).full_content == "a\nm\nn"
    changed = [*block(["a"], ["b"], Where(), 0), *block([], ["n"], Where(at_end=True), 1)]
    assert result("x\r\na", changed).full_content == "x\r\nb\r\nn"


def test_an_insertion_inside_what_a_block_wrote() -> None:
    """A line that an earlier block has rewritten is no place for an insertion; its edges are."""
    before = block(["a", "b"], ["A", "B"], Where(), 0)
    for after, text in ((1, "z\nn\nA\nB\ny\n"), (2, None), (3, "z\nA\nB\nn\ny\n")):
        last = result("z\na\nb\ny\n", [*before, *block([], ["n"], Where(after=after), 1)])
        assert last.full_content == (text or "z\nA\nB\ny\n")
        assert [problem.kind for problem in last.problems] == ([] if text else ["overlap"])


@given(
    st.lists(st.sampled_from("ab"), max_size=6),
    st.lists(st.tuples(st.integers(0, 6), st.sampled_from("xyz")), max_size=6),
    st.booleans(),
)
def test_insertions_keep_their_order(file: list[str], inserted: list[tuple[int, str]], open_end: bool) -> None:
    """Lines put after lines of the original stand there in the order in which they came, the same ones as well."""
    events, expected, index = list[object](), [[line] for line in ["", *file]], 0
    for after, line in inserted:
        if file and after <= len(file):
            events += block([], [line], Where(after=after), index)
            expected[after].append(line)
            index += 1
    text = "\n".join(file) + ("" if open_end or not file else "\n")
    last = result(text, events)
    assert last.problems == ()
    assert last.full_content.splitlines() == [line for group in expected for line in group][1:]
    assert last.full_content.endswith("\n") == text.endswith("\n")
    assert edited(text, last) == last.full_content


def test_a_block_replaces_the_line_after_an_insertion() -> None:
    """A line that something was put before keeps its place behind it."""
    events = [*block([], ["n"], Where(after=1), 0), *block(["b"], ["B"], Where(), 1)]
    assert result("a\nb\nc\n", events).full_content == "a\nn\nB\nc\n"
