"""The search stage of ``safe`` as a machine: block events in, edits out."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from reactivex import operators as ops
from reactivex.testing import ReactiveTest, TestScheduler
from stages import fed, names, plain, tail

from editstream.operators import (
    NOTHING,
    SAFE,
    BlockChanged,
    Closed,
    Divided,
    Document,
    End,
    LadderSearch,
    Narrowed,
    Opened,
    Pending,
    Placed,
    ReplaceLine,
    ReplaceTail,
    Said,
    SearchLine,
    SearchTail,
    Stray,
    TooLarge,
    Unfinished,
    Writing,
    Wrote,
    safe_ladder,
    search,
)
from editstream.operators.document import HITS_LIMIT

module = import_module("editstream.operators.matching")


def events(looked_for: str, new: str, block: int = 0, by: str | None = "closer") -> list[Any]:
    """The events of one block of one-letter lines; ``=`` is a line that could be the divider."""
    made: list[Any] = [Opened(block, 1)]
    made += [SearchLine(_line(each), 2, rule=each == "=") for each in looked_for]
    made.append(Divided(3, "======="))
    made += [ReplaceLine(_line(each), 4, rule=each == "=") for each in new]
    return [*made, Closed(5, by=by)] if by else made  # type: ignore[arg-type]


def _line(letter: str) -> str:
    return "=======" if letter == "=" else letter


def machine(file: str, *, first: bool = False) -> LadderSearch:
    text = "".join(_line(each) + "\n" for each in file)
    return LadderSearch(Document(text), safe_ladder, first_of_several=first)


def given(file: str, items: list[Any], *, first: bool = False) -> list[Any]:
    return fed(machine(file, first=first), items, None)


def placed_text(file: str, items: list[Any]) -> str:
    """What the last placed block of some events puts in its place."""
    placed = [item for item in given(file, items) if isinstance(item, Placed)]
    return placed[-1].draft.arrangement.splices[-1].text


def test_a_block_from_opener_to_closer() -> None:
    """Searching, narrowing, located, writing, replacing, and placed once it is closed."""
    machine_given = given("abc", events("b", "BC"))
    assert names(machine_given) == [
        "searching",
        "Narrowed",
        "located",
        "Writing",
        "replacing",
        "Wrote",
        "Wrote",
        "Placed",
    ]
    located, writing, wrote = machine_given[2], machine_given[3], machine_given[5]
    assert (located.block.span, located.block.lines, located.block.tier, located.match) == ((2, 4), (2, 3), "exact", 2)
    assert (writing.start, writing.end, writing.head, writing.foot) == (2, 4, "", "")
    assert (wrote.text, wrote.finish("x")) == ("B\n", "x\n")
    assert (machine_given[-1].match, machine_given[-1].lines) == (2, (1, 2))


@pytest.mark.parametrize(
    ("file", "looked_for", "new", "last"),
    [
        ("abc", "b", "B", "Placed"),
        ("abcb", "b", "B", "Pending"),
        ("abc", "b", "b", "unchanged"),
        ("abcb", "b", "b", "Pending"),
        ("abc", "x", "B", "rejected"),
        ("abc", "xb", "bc", "already_applied"),
        ("abc", "x", "bc", "rejected"),
        ("abcbc", "xb", "bc", "rejected"),
        ("abc", "xb", "b", "rejected"),
        ("abc", "", "B", "rejected"),
        ("", "", "B", "Placed"),
    ],
)
def test_what_a_closed_block_comes_to(file: str, looked_for: str, new: str, last: str) -> None:
    """It is placed, left pending, found to be done already, or rejected, and that is said last."""
    assert names(given(file, events(looked_for, new)))[-1] == last


@pytest.mark.parametrize(
    ("file", "items", "kind"),
    [
        ("abc", events("x", "B"), "not_found"),
        ("abc", events("", "B"), "empty_search"),
        ("abc", events("b", "B", by="truncated"), "truncated"),
        ("abc", events("b", "B", by="cancelled"), "truncated"),
        ("abc", events("b", "", by="complete"), "malformed"),
        ("abc", [Opened(0, 1), SearchLine("b", 2), Closed(3)], "malformed"),
        ("abc", [Opened(0, 1), SearchLine("b", 2), Closed(3, by="opener")], "malformed"),
        ("abc", [*events("b", "B"), *events("ab", "C", 1)], "overlap"),
        ("abc", [*events("b", "XYX"), *events("X", "C", 1)], "ambiguous"),
    ],
)
def test_why_a_block_is_rejected(file: str, items: list[Any], kind: str) -> None:
    """A rejected block says what is wrong with it, with its number and its line."""
    last = given(file, items)[-1]
    assert last.problem is not None
    assert (last.block.status, last.problem.kind, last.problem.block) == ("rejected", kind, last.block.index)
    assert f"Block {last.block.index + 1} (line 1 of the edit)" in last.problem.message


@pytest.mark.parametrize("by", ["opener", "complete"])
def test_a_block_without_its_closer_is_repaired(by: str) -> None:
    """A block whose REPLACE looks whole is placed, and marked as repaired."""
    last = given("abc", events("b", "B", by=by))[-1]
    assert isinstance(last, Placed)
    assert last.request.repaired


def test_problems_of_an_open_block() -> None:
    """A SEARCH that is not there, or there twice, is said at the divider, while the block is still open."""
    assert [(each.block.status, each.problem.kind) for each in given("abc", events("x", "", by=None))[-1:]] == [
        ("searching", "not_found")
    ]
    (pending,) = given("abb", events("b", "", by=None))[-1:]
    assert (pending.block.status, pending.problem.kind, pending.block.other_matches) == ("pending", "ambiguous", (2, 3))


def test_a_longer_reading_is_taken_while_it_is_found() -> None:
    """A later line that could be the divider takes back what was written, if the SEARCH up to it is there."""
    told = given("a=bc", events("a", "b=N"))
    assert names(told) == [
        "searching", "Narrowed", "located", "Writing", "replacing", "Wrote",
        "Relocated", "located", "Writing", "replacing", "Wrote", "Placed",
    ]  # fmt: skip
    assert placed_text("a=bc", events("a", "b=N")) == "N\n"


def test_the_first_reading_that_is_not_found_ends_the_question() -> None:
    """After one longer reading without a hit, later lines of that kind are content."""
    assert placed_text("axy", events("a", "b=c=")) == "b\n=======\nc\n=======\n"
    assert "Relocated" not in names(given("axy", events("a", "b=c=")))


def test_a_divider_of_another_length() -> None:
    """A closed block without a divider is read with the lines that could be one, the longest SEARCH that is there."""
    items: list[Any] = [
        Opened(0, 1),
        SearchLine("a", 2),
        SearchLine("=====", 3, rule=True),
        SearchLine("b", 4),
        Closed(5),
    ]
    assert placed_text("ac", items) == "b\n"
    longer = [*items[:-1], SearchLine("=====", 5, rule=True), SearchLine("c", 6), Closed(7)]
    document = Document("a\n=====\nb\n")
    placed = fed(LadderSearch(document, safe_ladder), longer, None)[-1]
    assert isinstance(placed, Placed)
    assert placed.draft.arrangement.splices[0].text == "c\n"


def test_readings_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block with more lines that could be its divider than are tried is too large, and says so."""
    monkeypatch.setattr(module, "READINGS_LIMIT", 2)
    assert names(given("=======", events("=", "===")))[-1] == "rejected"
    last = given("=======", events("=", "==="))[-1]
    assert (last.problem.kind, "more than 2" in last.problem.message) == ("too_large", True)


def test_an_indented_block() -> None:
    """The block's indent is taken from its lines if all of SEARCH has it, and REPLACE has to have it then."""
    head: list[Any] = [Opened(0, 1, "  "), SearchLine("  b", 2), Divided(3, "  =======")]
    assert placed_text("abc", [*head, ReplaceLine("    B", 4), ReplaceLine("", 5), Closed(6)]) == "  B\n\n"
    last = given("abc", [*head, ReplaceLine("B", 4), Closed(5)])[-1]
    assert last.problem.kind == "malformed"


def test_a_line_that_cannot_be_carried_takes_the_writing_back() -> None:
    """A misfit while REPLACE streams is told at once, with a ``Relocated`` before it, and rejects the block."""
    document = Document("\ta\n\tb\n")
    items: list[Any] = [
        Opened(0, 1),
        SearchLine("    a", 2),
        Divided(3, "="),
        ReplaceLine("    x", 4),
        ReplaceLine("        y", 5),
    ]
    told = fed(LadderSearch(document, safe_ladder), [*items, ReplaceLine("z", 6), Closed(7)], None)
    assert names(told)[4:] == ["replacing", "Wrote", "Relocated", "searching", "rejected"]
    assert "indentation" in told[-1].problem.message


def test_the_first_of_several() -> None:
    """With ``first_of_several`` the first hit after the block before is taken, or else the first."""
    told = given("abab", [*events("a", "X"), *events("b", "Y", 1), *events("b", "Z", 2)], first=True)
    assert [each.lines for each in told if isinstance(each, Placed)] == [(0, 1), (1, 2), (3, 4)]
    assert [
        each.lines
        for each in given("bab", [*events("a", "X"), *events("b", "Y", 1)], first=True)
        if isinstance(each, Placed)
    ] == [(1, 2), (2, 3)]


def test_the_same_block_again() -> None:
    """A copy of a block whose hit is written already is done, and one with a hit left is placed."""
    assert names(given("ab", [*events("b", "B"), *events("b", "B", 1)]))[-1] == "already_applied"
    assert names(given("ab", [*events("b", "bB"), *events("b", "bB", 1)]))[-1] == "already_applied"


def test_a_block_in_what_an_earlier_one_wrote() -> None:
    """It writes between what stays of the earlier block, and reports where that one begins."""
    told = given("abc", [*events("b", "xyz"), *events("y", "Y", 1)])
    writing, placed = [each for each in told if isinstance(each, Writing)][-1], told[-1]
    assert (writing.start, writing.end, writing.head, writing.foot) == (2, 4, "x\n", "z\n")
    assert writing.rest.splices == ()
    assert (placed.match, placed.lines, placed.draft.arrangement.splices[0].text) == (2, None, "x\nY\nz\n")


def test_what_belongs_to_no_block() -> None:
    """A stray marker is said as a problem without a block, and what is too large is passed on."""
    said, large = given("abc", [Stray(7, "a marker"), TooLarge(9, "long")])
    assert isinstance(said, Said)
    assert (said.problem.kind, said.problem.block, said.problem.line) == ("malformed", None, 7)
    assert large == TooLarge(9, "long")


def test_a_peek_says_what_a_feed_would() -> None:
    """Events of an unfinished marker give what they would give if they were final, and tails are passed through."""
    items = events("b", "B", by=None)
    looked, done = machine("abc"), machine("abc")
    for item in [*items, Closed(5)]:
        assert plain(looked.peek(Unfinished((item,)))) == plain(list(done.feed(item)))
        list(looked.feed(item))
    for unfinished in (NOTHING, Unfinished((SearchTail(tail("x")[0]),)), Unfinished((ReplaceTail(tail("x")[0]),))):
        assert looked.peek(unfinished) is unfinished


def test_the_end_is_passed_on() -> None:
    """Nothing is kept for the end."""
    assert list(machine("a").close("cancelled")) == [End("cancelled")]


def test_lines_narrow_the_search() -> None:
    """Each line of a streaming SEARCH is named with those before it, and stays so when more come."""
    narrowed = [each for each in given("abc", events("ab", "", by=None)) if isinstance(each, Narrowed)]
    assert [list(each.lines[: each.count]) for each in narrowed] == [["a"], ["a", "b"]]


def test_marbles() -> None:
    """The operator does what its diagram shows."""
    on_next, on_completed = ReactiveTest.on_next, ReactiveTest.on_completed
    scheduler = TestScheduler()
    items = events("a", "b")
    source = scheduler.create_hot_observable(
        *(on_next(210 + 10 * at, item) for at, item in enumerate(items)), on_completed(260)
    )
    made = source.pipe(search(Document("a\nc\n"), SAFE), ops.map(lambda item: names([item])[0]))
    expected = ["searching", "Narrowed", "located", "Writing", "replacing", "Wrote", "Placed", "End"]
    times = [210, 220, 230, 230, 240, 240, 250, 260]
    messages = [on_next(at, name) for at, name in zip(times, expected, strict=True)]
    assert scheduler.start(lambda: made).messages == [*messages, on_completed(260)]


@pytest.mark.parametrize(("option", "last"), [({}, "Pending"), ({"first_of_several": True}, "Placed")])
def test_options_of_the_operator(option: dict[str, bool], last: str) -> None:
    """``first_of_several`` and a ladder of one's own reach the machine."""
    heard = list[Any]()
    source = import_module("reactivex").from_iterable(events("b", "B"))
    source.pipe(search(Document("b\nb\n"), SAFE, **option)).subscribe(heard.append)
    assert type(heard[-2]).__name__ == last
    heard.clear()
    source.pipe(search(Document("b \n"), SAFE, ladder=safe_ladder[:1])).subscribe(heard.append)
    assert isinstance(heard[-2], BlockChanged)
    assert isinstance(heard[-1], End)
    assert not any(isinstance(each, Wrote) for each in heard)


def test_pending_blocks_do_not_write() -> None:
    """Later blocks search as if a pending one had not written."""
    told = given("abab", [*events("a", "X"), *events("X", "Y", 1)])
    assert isinstance(told[2], BlockChanged)
    assert [type(each).__name__ for each in told if isinstance(each, Pending)] == ["Pending"]
    assert told[-1].problem.kind == "not_found"


def test_a_line_before_any_opener_is_the_caller_s_mistake() -> None:
    """A stage that is fed the lines of a block that never began fails loudly."""
    with pytest.raises(AssertionError, match="before its opener"):
        given("abc", [SearchLine("a", 1)])


def test_unchanged_in_our_own_text() -> None:
    """A block that changes nothing in what an earlier one wrote is unchanged, and has no place in the original."""
    last = given("abc", [*events("b", "XY"), *events("Y", "Y", 1)])[-1]
    assert (last.block.status, last.block.tier, last.block.span) == ("unchanged", "exact", None)


@pytest.mark.parametrize(
    ("items", "positions"),
    [
        ([*events("b", "b"), *events("a", "A", 1)], [(2, 3)]),
        ([*events("a", "a"), *events("b", "b", 1), *events("a", "A", 2)], [(2, 3)]),
    ],
)
def test_the_first_after_an_unchanged_block(items: list[Any], positions: list[tuple[int, int]]) -> None:
    """With ``first_of_several`` a block that changed nothing still is the block before, whatever was asked earlier."""
    assert [each.lines for each in given("aba", items, first=True) if isinstance(each, Placed)] == positions


def test_more_hits_than_can_be_told_apart() -> None:
    """A SEARCH that is there a thousand times and once is ambiguous, and says how often it is there."""
    last = given("a" * (HITS_LIMIT + 1), events("a", "A"))[-1]
    assert (last.problem.kind, "more than 1,000 times" in last.problem.message) == ("ambiguous", True)
    assert names(given("a" * HITS_LIMIT, events("a", "A")))[-1] == "Pending"


def test_a_replace_that_is_there_very_often_is_no_sign() -> None:
    """A block whose SEARCH is gone is not taken for done where its REPLACE is in the file time and again."""
    last = given("xy" * (HITS_LIMIT + 1), events("xq", "xy"))[-1]
    assert (last.block.status, last.problem.kind) == ("rejected", "not_found")


def test_a_copy_where_too_much_is_left() -> None:
    """A copy of a block is not taken for done while its SEARCH may still mean a thousand other places."""
    document = Document("b\n" + "X \n" * (HITS_LIMIT + 1))
    items = [*events("b", "X"), *events("X", "Y", 1), *events("X", "Y", 2)]
    last = fed(LadderSearch(document, safe_ladder), items, None)[-1]
    assert (last.block.index, last.problem.kind) == (2, "ambiguous")
