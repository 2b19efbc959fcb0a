"""Marker detection: the tables of the three orders of reading, and what is a marker where."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from reactivex import operators as ops
from reactivex.testing import ReactiveTest, TestScheduler
from stages import fed, names, plain, tail

from editstream.operators import (
    DIALECTS,
    NOTHING,
    SAFE,
    Closed,
    Divided,
    End,
    Held,
    Line,
    Markers,
    Opened,
    ReplaceLine,
    ReplaceTail,
    SearchLine,
    SearchTail,
    Stray,
    TooLarge,
    Unfinished,
    markers,
)

module = import_module("editstream.operators.markers")

OPENER, DIVIDER, CLOSER = "------- SEARCH", "=======", "+++++++ REPLACE"
WHERE = {"outside": [], "search": [OPENER, "a"], "replace": [OPENER, "a", DIVIDER, "b"]}


def lines(*texts: str, start: int = 1) -> list[Line]:
    return [Line(text, number) for number, text in enumerate(texts, start)]


def read(dialect: str, texts: list[str], where: str = "outside") -> list[Any]:
    """What lines mean after those that lead to a state."""
    machine = Markers(DIALECTS[dialect].grammar)
    fed(machine, lines(*WHERE[where]), None)
    return fed(machine, lines(*texts, start=len(WHERE[where]) + 1), None)


@pytest.mark.parametrize(
    ("dialect", "where", "opener", "divider", "closer", "text"),
    [
        ("v1", "outside", "Opened", "Opened Divided", "Stray", ""),
        ("v1", "search", "Opened", "Divided", "Closed", "SearchLine"),
        ("v1", "replace", "Opened", "Divided", "Closed", "ReplaceLine"),
        ("v2", "outside", "Opened", "Stray", "Stray", ""),
        ("v2", "search", "Stray", "Divided", "Stray", "SearchLine"),
        ("v2", "replace", "Stray", "Stray", "Closed", "ReplaceLine"),
        ("safe", "outside", "Opened", "", "Stray", ""),
        ("safe", "search", "Closed Opened", "Divided", "Closed", "SearchLine"),
        ("safe", "replace", "Closed Opened", "ReplaceLine", "Closed", "ReplaceLine"),
    ],
)
def test_the_table_of_each_order(dialect: str, where: str, opener: str, divider: str, closer: str, text: str) -> None:
    """In each state each kind of line means what the table at the top of the module says."""
    said = [" ".join(names(read(dialect, [line], where))) for line in (OPENER, DIVIDER, CLOSER, "text")]
    assert said == [opener, divider, closer, text]


@pytest.mark.parametrize("dialect", ["v1", "v2", "safe"])
def test_a_block(dialect: str) -> None:
    """A block is told by its number, its lines and their numbers in the stream, in every dialect."""
    machine = Markers(DIALECTS[dialect].grammar)
    assert fed(machine, lines(OPENER, "a", DIVIDER, "b", CLOSER, OPENER)) == [
        Opened(0, 1),
        SearchLine("a", 2),
        Divided(3, DIVIDER),
        ReplaceLine("b", 4),
        Closed(5),
        Opened(1, 6),
        Closed(6, by="complete"),
        End(),
    ]


@pytest.mark.parametrize("dialect", ["v1", "v2", "safe"])
@pytest.mark.parametrize("reason", ["complete", "truncated", "cancelled"])
@pytest.mark.parametrize("where", WHERE)
def test_the_end_closes_an_open_block(dialect: str, reason: str, where: str) -> None:
    """A block that the stream ends in is closed with the reason of the end, and then the end itself follows."""
    given = fed(Markers(DIALECTS[dialect].grammar), lines(*WHERE[where]), reason)
    last = [Closed(len(WHERE[where]), by=reason)] if where != "outside" else []  # type: ignore[arg-type]
    assert given[-1 - len(last) :] == [*last, End(reason)]  # type: ignore[arg-type]


def test_strict_text_before_a_marker_is_said() -> None:
    """In ``v2`` any text between blocks makes the next marker a stray one, blank lines do not, and it ends reading."""
    assert names(read("v2", ["", "  ", "\ufeff", OPENER, "a"])) == ["Opened", "SearchLine"]
    said = read("v2", ["Now:", OPENER, "a", DIVIDER])
    assert [type(each) for each in said] == [Stray]
    assert (said[0].line, "text before it" in said[0].message) == (2, True)


def test_strict_stray_ends_the_reading() -> None:
    """After a stray marker of ``v2`` there are no events but the end."""
    machine = Markers(DIALECTS["v2"].grammar)
    assert names(fed(machine, lines(OPENER, OPENER, "a"))) == ["Opened", "Stray", "End"]
    assert machine.peek(tail("x")) == NOTHING


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["  ------- SEARCH", "  a", "=======", "  =======", "  +++ REPLACE"],
         [Opened(0, 1, "  "), SearchLine("  a", 2), SearchLine("=======", 3), Divided(4, "  ======="), Closed(5)]),
        (["\t--- SEARCH", "    ===", "\t===", " +++ REPLACE", "\t+++ REPLACE"],
         [Opened(0, 1, "\t"), SearchLine("    ===", 2), Divided(3, "\t==="), ReplaceLine(" +++ REPLACE", 4),
          Closed(5)]),
    ],
)  # fmt: skip
def test_markers_of_a_block_share_its_indent(texts: list[str], expected: list[Any]) -> None:
    """Inside an indented block only lines at its indent are markers, and a tab is no spaces."""
    assert read("safe", texts) == expected


@pytest.mark.parametrize(
    ("where", "text", "expected"),
    [
        ("search", "=====", SearchLine("=====", 3, rule=True)),
        ("search", "========", SearchLine("========", 3, rule=True)),
        ("search", "==", SearchLine("==", 3)),
        ("replace", "=======", ReplaceLine("=======", 5, rule=True)),
        ("replace", "=====", ReplaceLine("=====", 5)),
        ("search", "======= \t", Divided(3, "======= \t")),
    ],
)
def test_lines_that_could_be_the_divider_are_marked(where: str, text: str, expected: Any) -> None:
    """The divider is as long as the opener, and what else could be one carries ``rule``."""
    assert read("safe", [text], where) == [expected]


@pytest.mark.parametrize(
    ("text", "stray"),
    [("------- search", True), ("<<< Search:", True), ("-------SEARCH", True), ("  +++ replace..", True),
     (">>>REPLACE", True), ("--- SEARCH", False), ("-- SEARCH", False), ("--- SEARCH it", False), ("=======", False),
     ("--- a/b", False), ("  - search", False)],
)  # fmt: skip
def test_near_markers_outside_a_block(text: str, stray: bool) -> None:
    """In ``safe`` a line outside a block that was meant as a marker and is none is a stray one."""
    assert ("Stray" in names(read("safe", [text]))) is stray


@pytest.mark.parametrize("where", ["search", "replace"])
@pytest.mark.parametrize("text", ["------- search", "--- SEARCH it", "++ REPLACE", ">>> replace"])
def test_near_markers_inside_a_block_are_content(where: str, text: str) -> None:
    """Inside a block a line that is nearly a marker belongs to the block."""
    assert read("safe", [text], where)[0].text == text


@pytest.mark.parametrize("text", ["+++", "+++++++", "+++ ", "+++ R", ">>>>>>> REPLAC"])
def test_a_cut_closer_is_dropped(text: str) -> None:
    """A last line that is a closer cut by the end of the stream is no content; an ended one is."""
    machine = Markers(SAFE.grammar)
    fed(machine, lines(*WHERE["replace"]), None)
    assert names(fed(machine, [Line(text, 5, ended=False)])) == ["Closed", "End"]
    assert read("safe", [text], "replace") == [ReplaceLine(text, 5)]


@pytest.mark.parametrize("text", ["++", "+++x", "+++  R", "=======", "---", "+++ S"])
def test_any_other_last_line_is_content(text: str) -> None:
    """A last line of REPLACE that is no cut closer belongs to the block."""
    machine = Markers(SAFE.grammar)
    fed(machine, lines(*WHERE["replace"]), None)
    assert names(fed(machine, [Line(text, 5, ended=False)])) == ["ReplaceLine", "Closed", "End"]


def test_a_return_at_the_end_of_a_line() -> None:
    """``safe`` drops one final return of every line, ``v1`` and ``v2`` read it as part of the line."""
    texts = [text + "\r" for text in (OPENER, "a\r", DIVIDER, "b", CLOSER)]
    given = read("safe", texts)
    assert names(given) == ["Opened", "SearchLine", "Divided", "ReplaceLine", "Closed"]
    assert (given[1].text, given[3].text) == ("a\r", "b")
    assert read("v1", texts) == read("v2", texts) == []


def test_too_large_is_passed_on_and_ends_the_reading() -> None:
    """After ``TooLarge`` nothing is read any more, and the open block is not closed."""
    machine, large = Markers(SAFE.grammar), TooLarge(2, "long")
    assert fed(machine, [Line(OPENER, 1), large, Line("a", 3)]) == [Opened(0, 1), large, End()]


def test_blocks_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """One opener more than the limit gives ``TooLarge`` with the limit in it and ends the reading."""
    monkeypatch.setattr(module, "BLOCK_LIMIT", 2)
    given = fed(Markers(SAFE.grammar), lines(*[OPENER] * 4), None)
    assert names(given) == ["Opened", "Closed", "Opened", "Closed", "TooLarge"]
    assert (given[-1].line, "2 blocks" in given[-1].message) == (3, True)


@pytest.mark.parametrize(
    ("where", "item", "expected"),
    [
        ("outside", tail("x")[0], []),
        ("search", tail("x")[0], [SearchTail(tail("x")[0])]),
        ("replace", tail("x")[0], [ReplaceTail(tail("x")[0])]),
        ("replace", Held(tail("+")[0]), []),
        ("replace", Held(tail("  ")[0]), [ReplaceTail(tail("  ")[0])]),
        ("replace", Held(tail("  +")[0]), [ReplaceTail(tail("  +")[0])]),
        ("search", Line("=====", 3), []),
        ("search", Line("=======", 3), [Divided(3, "=======")]),
        ("search", Line("========", 3), [SearchLine("========", 3, rule=True)]),
        ("replace", Line("  =======", 5), [ReplaceTail(tail("  =======", 5)[0])]),
        ("replace", Line(CLOSER, 5), [Closed(5)]),
        ("replace", Line("  " + CLOSER, 5), [ReplaceTail(tail("  " + CLOSER, 5)[0])]),
        ("outside", Line(OPENER, 1), [Opened(0, 1)]),
        ("replace", Line(OPENER, 5), [Closed(5, by="opener"), Opened(1, 5)]),
    ],
)
def test_what_an_unfinished_line_would_mean(where: str, item: Any, expected: list[Any]) -> None:
    """A peek says what the line would be in this state: a tail, the events of a marker, or nothing yet."""
    machine = Markers(SAFE.grammar)
    fed(machine, lines(*WHERE[where]), None)
    assert plain(machine.peek(Unfinished((item,)))) == plain(expected)
    assert machine.peek(NOTHING) == NOTHING


def test_an_indent_may_still_become_a_marker() -> None:
    """In an indented block, white space that the block's indent begins with is held, and other white space is not."""
    machine = Markers(SAFE.grammar)
    fed(machine, lines("    ------- SEARCH"), None)
    held = [machine.peek(Unfinished((Held(tail(text)[0]),))) for text in ("  ", "    ", "    =", "     ", "\t", "  =")]
    assert [not each for each in held] == [True, True, True, False, False, False]


def test_marbles() -> None:
    """The operator gives the events of a block as its diagram shows them."""
    on_next, on_completed = ReactiveTest.on_next, ReactiveTest.on_completed
    scheduler = TestScheduler()
    texts = ["--- SEARCH", "a", "===", "b", "+++ REPLACE"]
    source = scheduler.create_hot_observable(
        *(on_next(210 + 10 * at, line) for at, line in enumerate(lines(*texts))), on_completed(260)
    )
    messages = scheduler.start(lambda: source.pipe(markers(SAFE.grammar), ops.map(str))).messages
    events = [Opened(0, 1), SearchLine("a", 2), Divided(3, "==="), ReplaceLine("b", 4), Closed(5), End()]
    expected = [on_next(210 + 10 * at, str(event)) for at, event in enumerate(events)]
    assert messages == [*expected, on_completed(260)]


@pytest.mark.parametrize(
    ("text", "said"),
    [("------- search", True), ("  +++REPLACE", True), ("\u2003<<< Search", True), ("-- SEARCH", False)],
)
def test_an_unfinished_near_marker_is_said(text: str, said: bool) -> None:
    """In ``safe`` an unfinished line outside a block that is nearly a marker is a stray one if it ended there."""
    peeked = Markers(SAFE.grammar).peek(tail(text))
    assert [type(each) for each in peeked] == ([Stray] if said else [])
    assert Markers(DIALECTS["v1"].grammar).peek(tail(text)) == NOTHING
