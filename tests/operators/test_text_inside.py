"""Pairs of old and new text: whole lines first, then inside lines, every hit of them if asked for."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from placed_blocks import calls, edited, machine, pair, result
from stages import cut, fed, plain

from editstream.operators import (
    Chain,
    Divided,
    NewText,
    OldText,
    PairBegan,
    PairEnded,
    Pairs,
    ReplaceLine,
    ReplaceTail,
    Tail,
    Unfinished,
)
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
@example("", "a\n", "a", "c")
@example("b", "a\n", "a", "")
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
@example("a\na", [(0, 2, "")])
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


@given(TEXT, CUTS)
@example("foo a\nfoo b\n", [(4, 1, "c"), (0, 3, "bar")])
def test_a_text_that_is_there_more_often_is_never_replaced(file: str, cuts: list[tuple[int, int, str]]) -> None:
    """A text that is no whole lines, more often than once in the text so far and not once in the original, stays."""
    events, text = list[object](), file
    for index, (at, size, new) in enumerate(cuts):
        old = text[at : at + size]
        before, events = text, [*events, *pair(old, new, index)]
        last = result(file, events)
        text = last.full_content
        if old and old != new and count(before, old) > 1 and count(file, old) != 1 and not is_lines(old, before, file):
            assert text == before
            assert last.blocks[-1].status in ("rejected", "already_applied")


def is_lines(old: str, *texts: str) -> bool:
    """Whether a text is whole lines of one of these texts."""
    return any(f"\n{old.removesuffix(chr(10))}\n" in f"\n{text}\n" for text in texts)


@given(TEXT, CUTS, st.booleans(), st.integers(0, 99))
def test_no_way_of_cutting_makes_a_difference(
    file: str, cuts: list[tuple[int, int, str]], everywhere: bool, seed: int
) -> None:
    """However the texts of pairs are cut, the last snapshot is the same, with each of them peeked at on the way."""
    whole, pieces = list[object](), list[object]()
    for at, size, new in cuts:
        old = file[at : at + size]
        for items, chunks in ((whole, lambda text: [text]), (pieces, lambda text: cut(text, seed))):
            items += [PairBegan(0), *(OldText(0, chunk) for chunk in chunks(old))]
            items += [*(NewText(0, chunk) for chunk in chunks(new)), PairEnded(0, everywhere)]
    ends = [fed(Chain([Pairs(), machine(file)]), items)[-1] for items in (whole, pieces)]
    assert plain(ends[0]) == plain(ends[1])


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (("a", "c"), ("foo", "bar"), None),  # of two in the original, one in a line that was changed since
        (("x", "foo"), ("foo(", "bar("), "foo a\nfoo b\nfoo\nbar(1)\n"),  # once in the original, and so meant there
        (("x", "foo(2)"), ("foo(", "bar("), "foo a\nfoo b\nfoo(2)\nbar(1)\n"),
        (("x", "new\nnewer"), ("new", "n"), "foo a\nfoo b\nn\nnewer\nfoo(1)\n"),  # whole lines of what is new
        (("x", "newest newer"), ("new", "n"), None),
        (("foo(1)", "foo(foo(1"), ("foo(", "bar("), None),  # once in the original, in a line that was changed since
    ],
)
def test_a_text_that_an_earlier_pair_wrote_too(
    first: tuple[str, str], second: tuple[str, str], text: str | None
) -> None:
    """What is once in the original, in an untouched line, is meant there; else it must be there once in all."""
    file = "foo a\nfoo b\nx\nfoo(1)\n"
    last = result(file, [*pair(*first, 0), *pair(*second, 1)])
    assert last.full_content == (text or file.replace(*first, 1))
    assert [problem.kind for problem in last.problems] == ([] if text else ["ambiguous"])


ENDS = st.sampled_from(("\n", "\r\n"))


@given(st.lists(st.tuples(st.text(alphabet="ab ", max_size=4), ENDS), max_size=8), st.data())
def test_one_pair_against_a_plain_reading(lines: list[tuple[str, str]], data: st.DataObject) -> None:
    """Whole lines once, else the text once, else nothing: and every other line keeps its bytes, line ends too."""
    file = data.draw(st.sampled_from(("", "\ufeff"))) + "".join(line + end for line, end in lines)
    file = file.removesuffix("\n").removesuffix("\r") if data.draw(st.booleans()) else file
    text = file.removeprefix("\ufeff").replace("\r\n", "\n")
    at, size = data.draw(st.integers(0, 20)), data.draw(st.integers(1, 8))
    old, new = text[at : at + size], data.draw(SIDE)
    assume(old and old != new)
    both_end = old.endswith("\n") and (new.endswith("\n") or not new)
    whole = f"\n{old}" if both_end else f"\n{old}\n"
    # A last line that has no end is old text with an end only where there is none with its end.
    ended = text if both_end and old in text else text.removesuffix("\n") + "\n"
    as_lines = 0 if old.endswith("\n") and not both_end else count("\n" + ended, whole)
    last = result(file, pair(old, new))
    assert edited(file, last) == last.full_content
    if as_lines == 1:
        assert last.blocks[0].tier == "exact"
    elif as_lines == 0 and count(text, old) == 1:
        assert last.full_content.removeprefix("\ufeff").replace("\r\n", "\n") == text.replace(old, new)
        upto = text.count("\n", 0, text.index(old))
        assert last.full_content.splitlines(keepends=True)[:upto] == file.splitlines(keepends=True)[:upto]
    else:
        assert (last.full_content, [problem.kind for problem in last.problems]) == (file, ["ambiguous"])


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
        ("xa\nya\na", "a\n", "b\n", "ambiguous", "its old_string is in the file 2 times: at lines 1, 2."),
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


@pytest.mark.parametrize("file", ["a foo\n", "foo foo\n", "foo\nfoo\n", "foo\n" * 1001])
@pytest.mark.parametrize("everywhere", [False, True])
def test_equal_sides_change_nothing(file: str, everywhere: bool) -> None:
    """A pair of equal texts is unchanged however often the text is there, and lost if it is not."""
    last = result(file, [*pair("foo", "foo", 0, everywhere=everywhere), *pair("bar", "bar", 1, everywhere=everywhere)])
    assert [block.status for block in last.blocks] == ["unchanged", "rejected"]


def test_a_file_is_made_once() -> None:
    """The same text for an empty file is there already the second time; another one overlaps it."""
    last = result("", [*pair("", "a\n", 0), *pair("", "a\n", 1), *pair("", "b\n", 2)])
    assert [block.status for block in last.blocks] == ["applied", "already_applied", "rejected"]
    assert (last.full_content, last.problems[0].kind) == ("a\n", "overlap")


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


@pytest.mark.parametrize("old", ["e", "\n"])
def test_every_hit_makes_no_more_than_a_file_may_be(old: str) -> None:
    """A new text that would make the file longer than files may be is refused before anything is made of it."""
    file = "e\n" * 70_000
    last = result(file, pair(old, "\n" * 1_000, everywhere=True))
    assert (last.full_content, last.problems[0].kind) == (file, "too_large")
    assert "the file would be longer than 67,108,864 characters" in last.problems[0].message


def test_every_hit_is_an_edit_of_its_line() -> None:
    """Each edit is a line long; twice the hits take twice the work, in what an earlier pair wrote as well."""

    def work(hits: int, *, own: bool) -> int:
        file = ("some words of a line\n" * 2 + "a hit here\n") * hits
        events = pair("hit", "miss", 1, everywhere=True)
        last = result("" if own else file, [*pair("", file), *events] if own else events)
        assert last.full_content == file.replace("hit", "miss")
        assert own or [edit.text for edit in last.edits] == ["a miss here\n"] * hits
        return calls(lambda: fed(machine("" if own else file), [*pair("", file), *events] if own else events))

    for own in (False, True):
        assert work(800, own=own) < 2.2 * work(400, own=own)


@pytest.mark.parametrize(
    ("file", "old"),
    [
        ("a\n" * 6_000, "a\n" * 5_500),  # some hundred hits of many lines
        ("ab" * 50_000 + "c" * 900, "c"),  # many hits in a long line
        ("  a\n" * 3_000, "a\n" * 1_500),  # many hits of many lines but for their indent
    ],
)
def test_hits_that_overlap_cost_little(file: str, old: str) -> None:
    """What is ambiguous is told from a few calls for each hit, however long hits and lines are."""
    events = pair(old, "b")
    assert result(file, events).problems[0].kind in ("ambiguous", "not_found")
    assert calls(lambda: fed(machine(file), events)) < 300_000


def test_many_pairs_cost_the_same_each() -> None:
    """Of twice as many pairs in a file, each costs little more: what the others left is taken over in whole pieces."""

    def work(count: int) -> int:
        file = "".join(f"line {at} x\n" for at in range(count))
        events = [event for at in range(count) for event in pair(f"e {at} x", f"e {at} y", at)]
        return calls(lambda: fed(machine(file), events))

    assert work(400) < 2.5 * work(200)
