"""Pairs of old and new text as block events: what is given for each, how text is cut, and the bounds."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reactivex import operators as ops
from reactivex.subject import Subject
from stages import cut, fed, final, names, plain, tail

from editstream.operators import (
    NOTHING,
    Closed,
    Divided,
    End,
    Opened,
    ReplaceLine,
    ReplaceTail,
    SearchLine,
    SearchTail,
    TooLarge,
    Unfinished,
)
from editstream.operators.events import Placing, Where
from editstream.operators.formats.file_edits import NewText, OldText, PairBegan, PairEnded
from editstream.operators.markers import BLOCK_LIMIT
from editstream.operators.pairs import Pairs, pairs

TEXT = Where(as_text=True)
LINES = import_module("editstream.operators.lines")  # the package gives its name to the operator


def pair(old: str, new: str, *, everywhere: bool = False, seed: int | None = None) -> list[Any]:
    """The items of one pair, each side in one piece or in many."""
    olds = [old] if seed is None else cut(old, seed)
    news = [new] if seed is None else cut(new, seed)
    texts = [*(OldText(0, text) for text in olds), *(NewText(0, text) for text in news)]
    return [PairBegan(0), *texts, PairEnded(0, everywhere)]


def insertion(after: int, text: str) -> list[Any]:
    return [PairBegan(0, after), NewText(0, text), PairEnded(0)]


def sides(given: list[Any]) -> tuple[list[str], list[str]]:
    """The lines of SEARCH and of REPLACE."""
    return (
        [item.text for item in given if isinstance(item, SearchLine)],
        [item.text for item in given if isinstance(item, ReplaceLine)],
    )


def test_a_pair_is_a_block() -> None:
    """The old text is SEARCH and the new one REPLACE, both as text, and all of it has the pair's number as its line."""
    given = final(fed(Pairs(), [*pair("a\nb", "c\n"), *pair("x", "y", everywhere=True)]))
    assert given == [
        Opened(0, 1), Placing(TEXT), SearchLine("a", 1), SearchLine("b", 1),
        Divided(1, ""), ReplaceLine("c", 1), ReplaceLine("", 1), Closed(1),
        Opened(1, 2), Placing(TEXT), SearchLine("x", 2),
        Divided(2, ""), ReplaceLine("y", 2), Placing(Where(as_text=True, everywhere=True)), Closed(2),
        End(),
    ]  # fmt: skip


def test_what_each_item_gives() -> None:
    """Each item is answered by what it finishes and, last, by what it leaves unfinished."""
    machine = Pairs()
    items = [PairBegan(0), OldText(0, "a\nb"), OldText(0, "c"), NewText(0, "d"), NewText(0, "\n"), PairEnded(0)]
    given = [list(machine.feed(item)) for item in items]
    assert [names(each) for each in given] == [
        ["Opened", "Placing", "Unfinished"],
        ["SearchLine", "Unfinished"],
        ["Unfinished"],
        ["SearchLine", "Divided", "Unfinished"],
        ["ReplaceLine", "Unfinished"],
        ["ReplaceLine", "Closed", "Unfinished"],
    ]
    shown = [[type(item) for item in each[-1]] for each in given]
    assert shown == [[], [SearchTail], [SearchTail], [ReplaceTail], [ReplaceTail], []]
    assert [item.tail.text for each in given for item in each[-1]] == ["b", "bc", "d", ""]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", []), ("x", ["x"]), ("x\n", ["x"]), ("x\n\n", ["x", ""]), ("\n", [""]), ("x\r\ny\r\n", ["x", "y"])],
)
def test_an_insertion(text: str, expected: list[str]) -> None:
    """An insertion looks for nothing, says after which line it goes, and one line end at its end adds no line."""
    given = fed(Pairs(), insertion(3, text))
    assert sides(given) == ([], expected)
    assert final(given)[:2] == [Opened(0, 1), Placing(Where(after=3))]
    assert plain(given[-2]) == plain(NOTHING)


def test_an_insertion_shows_no_line_that_would_not_be_there() -> None:
    """After a line end, an insertion has nothing unfinished; after more text it has."""
    machine = Pairs()
    last = [list(machine.feed(item))[-1] for item in (PairBegan(0, 0), NewText(0, "x\n"), NewText(0, "y"))]
    assert plain(last[:2]) == plain([NOTHING, NOTHING])
    assert [item.tail.text for item in last[2]] == ["y"]


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([PairBegan(0), PairEnded(0)], ([""], [""])),
        ([PairBegan(0), OldText(0, "a"), PairEnded(0)], (["a"], [""])),
        ([PairBegan(0), NewText(0, "b"), PairEnded(0)], ([""], ["b"])),
        ([PairBegan(0, 2), PairEnded(0)], ([], [])),
    ],
)
def test_a_side_without_text(items: list[Any], expected: tuple[list[str], list[str]]) -> None:
    """A side of which no text came is empty text, or no line of an insertion; the block is divided all the same."""
    given = fed(Pairs(), items)
    assert sides(given) == expected
    assert [name for name in names(final(given)) if name in ("Divided", "Closed")] == ["Divided", "Closed"]


def test_an_insertion_that_is_meant_everywhere() -> None:
    """What the end of a pair says is added to what its beginning said."""
    given = fed(Pairs(), [PairBegan(0, 4), NewText(0, "a"), PairEnded(0, everywhere=True)])
    assert Placing(Where(after=4, everywhere=True)) in given


@given(
    old=st.text("ab\n\r", max_size=30),
    new=st.text("ab\n\r", max_size=30),
    seed=st.integers(0, 99),
)
def test_no_way_of_cutting_makes_a_difference(old: str, new: str, seed: int) -> None:
    """The lines are those of ``split``, however the text comes, and there is one ``Unfinished`` for each item, last."""
    items = pair(old, new, seed=seed)
    machine = Pairs()
    answers = [list(machine.feed(item)) for item in items]
    for answer in answers:
        assert [isinstance(item, Unfinished) for item in answer] == [False] * (len(answer) - 1) + [True]
    expected = [[line.removesuffix("\r") for line in text.split("\n")] for text in (old, new)]
    assert list(sides([item for answer in answers for item in answer])) == expected
    assert plain(final(fed(Pairs(), items))) == plain(final(fed(Pairs(), pair(old, new))))


@pytest.mark.parametrize(("reason", "by"), [("complete", "truncated"), ("truncated",) * 2, ("cancelled",) * 2])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_pair_that_the_stream_cuts(reason: str, by: Any, count: int) -> None:
    """A pair without its end is closed as cut off, wherever that is; one with its end is left as it is."""
    whole = pair("a", "b")
    given = final(fed(Pairs(), [*whole, *whole[:count]], reason))
    assert given[-2:] == [Closed(2, by=by), End(reason)]  # type: ignore[arg-type]
    assert final(fed(Pairs(), whole, reason))[-2:] == [Closed(1), End(reason)]  # type: ignore[arg-type]


def test_too_many_pairs() -> None:
    """A pair beyond the limit ends the reading: it is said once, and nothing follows but the end."""
    given = final(fed(Pairs(), pair("a", "b") * (BLOCK_LIMIT + 2)))
    assert names(given)[-3:] == ["Closed", "TooLarge", "End"]
    assert given[-2] == TooLarge(BLOCK_LIMIT + 1, "the edit has more than 2,000 pairs of old and new text.")


def test_too_much_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of all pairs together is bounded; what passes the bound ends the reading, and its pair is not closed."""
    monkeypatch.setattr(LINES, "STREAM_LIMIT", 12)
    machine = Pairs()
    given = fed(machine, [*pair("abc", "d"), *pair("efg", "h\ni\nj")])
    assert names(final(given))[-4:] == ["Divided", "ReplaceLine", "TooLarge", "End"]
    assert final(given)[-2].line == 2
    assert plain(given[-2]) == plain(NOTHING)


def test_a_text_that_fits_to_the_last_character(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where not even the end of a side fits, the reading ends before the divider."""
    monkeypatch.setattr(LINES, "STREAM_LIMIT", 3)
    assert names(final(fed(Pairs(), pair("abc", "d")))) == ["Opened", "Placing", "TooLarge", "End"]


def test_what_another_stage_left_unfinished() -> None:
    """An unfinished line of a stage before is passed on."""
    unfinished = tail("x")
    assert Pairs().peek(unfinished) is unfinished


def test_a_long_line_in_small_pieces() -> None:
    """A line of ten megabytes in pieces of four characters costs no more for each than a short one."""

    def seconds(size: int) -> float:
        machine, piece = Pairs(), NewText(0, "word")
        list(machine.feed(PairBegan(0)))
        start = time.process_time()
        for _ in range(size // 4):
            for _ in machine.feed(piece):
                pass
        return (time.process_time() - start) / size

    short = min(seconds(100_000) for _ in range(5))
    assert seconds(10_000_000) < 4 * short


def test_the_operator() -> None:
    """The operator gives what the machine gives, and an open pair of a source that fails is cut off."""
    source, given, failed = Subject[Any](), list[Any](), list[Exception]()
    source.pipe(pairs(), ops.filter(lambda item: not isinstance(item, Unfinished))).subscribe(
        given.append, failed.append
    )
    for item in [*pair("a", "b"), PairBegan(0)]:
        source.on_next(item)
    source.on_error(OSError("gone"))
    assert given[-3:] == [Opened(1, 2), Placing(TEXT), Closed(2, by="truncated")]
    assert [str(error) for error in failed] == ["gone"]
