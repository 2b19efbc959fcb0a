"""Pairs of old and new text: whole lines first, then inside lines, every hit of them if asked for."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from placed_blocks import edited, machine, pair, result
from stages import fed

from editstream.operators import Divided, ReplaceLine, ReplaceTail, Tail, Unfinished
from editstream.operators.messages import PAIRS

TEXT = st.text(alphabet="ab \n", max_size=30)
SIDE = st.text(alphabet="ab \n", max_size=8)


def count(text: str, old: str) -> int:
    """How often a text is in another one, overlaps included."""
    return sum(text.startswith(old, at) for at in range(len(text)))


@given(TEXT, st.text(alphabet="abcd \n", min_size=1, max_size=8), TEXT, SIDE)
@example("a\n", "b", "", "")
@example("a\n", "b\n", "", "c")
@example("a", "\nb\n", "", "")
@example("a", "\n\n", "", " ")
@example("", "\n\n", "a ", "\n\n\n")
@example("b", "\n", "", "")
def test_a_text_that_is_there_once_is_replaced(before: str, old: str, after: str, new: str) -> None:
    """A text that is in a file exactly once is replaced as ``str.replace`` does."""
    file = before + old + after
    assume(count(file, old) == 1)
    last = result(file, pair(old, new))
    assert (last.full_content, last.problems) == (file.replace(old, new), ())
    assert edited(file, last) == last.full_content


CUTS = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8), SIDE), min_size=1, max_size=5)
"""Where in the text so far an old text begins, how long it is, and the new text."""


@given(TEXT, CUTS)
@example("a", [(0, 1, ""), (0, 1, "b")])
@example("ab\nb", [(2, 2, "\n"), (0, 2, "a\nb")])
def test_pairs_follow_each_other(file: str, cuts: list[tuple[int, int, str]]) -> None:
    """Pairs whose old text is in the text so far exactly once give what ``str.replace`` gives, one after the other."""
    events, text, seen = list[object](), file, set[tuple[str, str]]()
    for at, size, new in cuts:
        old = text[at : at + size]
        if old and count(text, old) == 1 and (old, new) not in seen:
            events += pair(old, new, len(seen))
            text = text.replace(old, new)
            seen.add((old, new))
    last = result(file, events)
    assert (last.full_content, last.problems) == (text, ())
    assert edited(file, last) == last.full_content


@given(TEXT, CUTS)
@example("a\na\n", [(1, 1, "")])
@example("b\na\nb\n", [(0, 2, "")])
@example("a\nb", [(2, 1, "a\n"), (0, 1, "bb")])
def test_every_hit_is_replaced(file: str, cuts: list[tuple[int, int, str]]) -> None:
    """With every hit meant, all places of a text in the text so far are replaced as ``str.replace`` does."""
    events, text, seen = list[object](), file, set[tuple[str, str]]()
    for at, size, new in cuts:
        old = text[at : at + size]
        if old and old != new and (old, new) not in seen:
            events += pair(old, new, len(seen), everywhere=True)
            text = text.replace(old, new)
            seen.add((old, new))
    last = result(file, events)
    assert (last.full_content, last.problems) == (text, ())
    assert edited(file, last) == last.full_content


@pytest.mark.parametrize(
    ("file", "old", "new", "text", "tier"),
    [
        ("a\nxa\n", "a", "b", "b\nxa\n", "exact"),  # a whole line comes before text inside others
        ("a\nxa\n", "a\n", "", "xa\n", "exact"),
        ("x\na", "a\n", "b\n", "x\nb", "exact"),  # the last line end is not compared
        ("a\r\nfoo(b)\r\nc\r\n", "foo(b", "foo(\nb", "a\r\nfoo(\r\nb)\r\nc\r\n", "text"),
        ("a\r\nb\nc\r\n", "\nb", "\nB", "a\r\nB\nc\r\n", "text"),
        ("\ufeffa b\n", "a ", "", "\ufeffb\n", "text"),
        ("  if a:\n    b\n", "if a:\n  b\n", "if a:\n  c\n", "  if a:\n    c\n", "indent"),
        ("", "", "a\nb", "a\nb", "exact"),  # a new file, as it is
        ("", "", "a\nb\n", "a\nb\n", "exact"),
    ],
)
def test_where_a_text_is_found(file: str, old: str, new: str, text: str, tier: str) -> None:
    """Whole lines come first, then exact text inside lines, then the rest of the ladder; line ends stay the file's."""
    last = result(file, pair(old, new))
    assert (last.full_content, last.problems, last.blocks[0].tier) == (text, (), tier)


@pytest.mark.parametrize(
    ("file", "old", "new", "kind", "says"),
    [
        ("xa\nya\n", "a", "b", "ambiguous", "its old_string is in the file 2 times: at lines 1, 2."),
        ("a\na\nxa\n", "a", "b", "ambiguous", "its old_string is in the file 3 times: at lines 1, 2, 3."),
        ("a\na\n", "a", "b", "ambiguous", "its old_string is in the file 2 times: at lines 1, 2."),
        ("xa\n" * 1001, "a", "b", "ambiguous", "more than 1,000 times"),
        ("a\n", "", "b", "empty_search", "its old_string is empty"),
        ("a\nb\n", "c", "b", "not_found", "its old_string is not in the file."),
        ("a\n", "a\n\n", "b", "not_found", "its old_string is not in the file."),
    ],
)
def test_a_text_without_one_place(file: str, old: str, new: str, kind: str, says: str) -> None:
    """A text that is not there exactly once is rejected, in the words of its format, with the lines where it is."""
    last = result(file, pair(old, new), terms=PAIRS)
    assert [problem.kind for problem in last.problems] == [kind]
    message = last.problems[0].message
    assert message.startswith("Edit 1 was not applied: ")
    assert says in message
    assert "SEARCH" not in message
    assert last.full_content == file


def test_order_settles_whole_lines() -> None:
    """Two equal pairs of whole lines are given the two places, in their order."""
    last = result("a\nx\na\n", [*pair("a", "b", 0), *pair("a", "c", 1)])
    assert last.full_content == "b\nx\nc\n"


@pytest.mark.parametrize("everywhere", [False, True])
def test_the_same_pair_again(everywhere: bool) -> None:
    """A pair that comes again is already applied, even if new holds old; equal sides change nothing."""
    again = [*pair("foo", "foobar", 0, everywhere=everywhere), *pair("foo", "foobar", 1)]
    last = result("a foo\n", [*again, *pair("bar", "bar", 2, everywhere=everywhere)])
    assert [block.status for block in last.blocks] == ["applied", "already_applied", "unchanged"]
    assert last.full_content == "a foobar\n"


def test_a_text_inside_streams() -> None:
    """While the new text streams, what stands before and after the hit stays around it."""
    stages, seen = machine("a\nfoo(old, x)\nb\n"), list[str]()
    opened = pair("old", "new\nolder")
    until = next(at for at, event in enumerate(opened) if isinstance(event, Divided)) + 1
    fed(stages, opened[:until], None)
    for event in (
        Unfinished((ReplaceTail(Tail(["ne"], 1, 2)),)),
        ReplaceLine("new", 1),
        Unfinished((ReplaceTail(Tail(["old"], 1, 3)),)),
    ):
        fed(stages, [event], None)
        seen.append(stages.peek(event if isinstance(event, Unfinished) else Unfinished()).full_content)
    assert seen == ["a\nfoo(ne, x)\nb\n", "a\nfoo(new\n, x)\nb\n", "a\nfoo(new\nold, x)\nb\n"]


def test_every_hit_of_a_looser_tier() -> None:
    """A text that is nowhere exactly is replaced at all hits of the first tier that has any, each in its own form."""
    last = result("  x a\n  x b\n\tx a\n\tx b\n", pair("x a\nx b", "y", everywhere=True))
    assert (last.full_content, last.blocks[0].tier) == ("  y\n\ty\n", "indent")
    last = result("a \nx \na\t\n" * 1500, pair("x\na", "y", everywhere=True))
    assert last.full_content == "a \ny\n" * 1500
    assert len(last.blocks[0].other_matches) == 1_000


def test_a_hit_costs_the_same_among_many() -> None:
    """Sixteen times as many hits take some sixteen times as long, and each edit is a line long."""

    def seconds(hits: int) -> float:
        file = ("some words of a line\n" * 2 + "a hit here\n") * hits
        begin = time.process_time()
        last = result(file, pair("hit", "miss", everywhere=True))
        spent = time.process_time() - begin
        assert last.full_content == file.replace("hit", "miss")
        assert len(last.edits) == hits
        assert all(edit.text == "a miss here\n" for edit in last.edits)
        return spent

    small = min(seconds(1_000) for _ in range(3))
    assert seconds(16_000) < 16 * small * 3
