"""The search stage of ``v1`` and ``v2`` as a machine, and the runs of an edit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reactivex import operators as ops
from reactivex.testing import ReactiveTest, TestScheduler
from stages import fed, names, plain, tail

from editstream.operators import (
    DIALECTS,
    NOTHING,
    V1,
    Closed,
    CursorSearch,
    Cut,
    Divided,
    Document,
    End,
    Opened,
    ReplaceLine,
    ReplaceTail,
    SearchLine,
    SearchTail,
    Splice,
    Stray,
    TooLarge,
    Unfinished,
    Writing,
    search,
)
from editstream.operators.cursor_search import changed_runs


def events(looked_for: str, new: str, block: int = 0, by: str | None = "closer") -> list[Any]:
    """The events of one block of one-letter lines."""
    made: list[Any] = [Opened(block, 1), *(SearchLine(each, 2) for each in looked_for), Divided(3, "=======")]
    made += [ReplaceLine(each, 4) for each in new]
    return [*made, Closed(5, by=by)] if by else made  # type: ignore[arg-type]


def machine(file: str, dialect: str = "v1") -> CursorSearch:
    return CursorSearch(Document(file), DIALECTS[dialect])


def told(file: str, items: list[Any], dialect: str = "v1") -> list[Any]:
    return fed(machine(file, dialect), items, None)


@pytest.mark.parametrize("dialect", ["v1", "v2"])
def test_a_block_from_opener_to_closer(dialect: str) -> None:
    """Searching, located, writing, lines, and cut once it is closed."""
    items = told("a\nb\nc\n", events("b", "B"), dialect)
    assert names(items) == ["searching", "located", "Writing", "Wrote", "Cut"]
    block, cut = items[1].block, items[-1]
    assert (block.tier, block.span, block.lines) == ("exact", (2, 4), (2, 3))
    assert (cut.block.status, cut.in_order) == ("applied", True)
    assert cut.splice == Splice(2, 4, "B\n", 0, ((2, 4, "B\n"),))


@pytest.mark.parametrize(
    ("file", "looked_for", "tier", "span"),
    [
        ("b\nb\n", "b", "exact", (0, 2)),
        (" b\nc \n", "bc", "trimmed_lines", (0, 6)),
        ("a\nx\nc\n", "abc", "anchors", (0, 6)),
        ("a\nb", "b", "trimmed_lines", (2, 3)),
        ("xa\nb\n", "ab", "exact", (1, 5)),
    ],
)
def test_tiers_by_name(file: str, looked_for: str, tier: str, span: tuple[int, int]) -> None:
    """The first tier that finds SEARCH takes the first hit, and gives the block its name."""
    (located,) = [each for each in told(file, events(looked_for, "N")) if names([each]) == ["located"]]
    assert (located.block.tier, located.block.span) == (tier, span)


def test_each_search_begins_where_the_block_before_ended() -> None:
    """The cursor stands after the last block that was placed in order."""
    items = told("a\na\na\n", [*events("a", "X"), *events("a", "Y", 1)])
    assert [each.splice.start for each in items if isinstance(each, Cut)] == [0, 2]
    assert [each.copied_from for each in items if isinstance(each, Writing)] == [0, 2]
    assert [splice.start for splice in items[-3].rest.splices] == [0]


def test_a_block_above_the_cursor() -> None:
    """``v1`` holds it back and shows nothing of it, ``v2`` does not find it."""
    blocks = [*events("b", "B"), *events("a", "A", 1)]
    held = told("a\nb\n", blocks)
    assert names(held)[5:] == ["searching", "located", "Cut"]
    assert (held[-1].in_order, held[-1].splice.start) == (False, 0)
    lost = told("a\nb\n", blocks, "v2")[-1]
    assert (lost.block.status, lost.problem.kind) == ("rejected", "not_found")


@pytest.mark.parametrize(
    ("dialect", "file", "items", "kind"),
    [
        ("v1", "a\n", events("x", "B"), "not_found"),
        ("v2", "a\n", events("x", "B"), "not_found"),
        ("v1", "a\n", events("", "B"), "empty_search"),
        ("v2", "a\n", events("a", "B", by="complete"), "unterminated"),
        ("v2", "a\n", [Opened(0, 1), SearchLine("a", 2), Closed(2, by="complete")], "unterminated"),
        ("v1", "a\n", events("a", "B", by="truncated"), "truncated"),
        ("v1", "a\n", [Opened(0, 1), SearchLine("a", 2), Closed(3)], "malformed"),
        ("v2", "a\n", [Stray(4, "a marker")], "malformed"),
    ],
)
def test_what_stops_the_reading(dialect: str, file: str, items: list[Any], kind: str) -> None:
    """The first thing that goes wrong is said, and no event after it means anything."""
    reader = machine(file, dialect)
    last = fed(reader, items, None)[-1]
    assert (last.block.status, last.problem.kind) == ("rejected", kind)
    assert fed(reader, events("a", "B"), None) == []
    assert reader.peek(Unfinished((Opened(1, 9),))) == NOTHING


def test_what_is_said_of_a_search_that_is_not_there() -> None:
    """The message has what was looked for and the place that is most like it; another problem has no candidates."""
    said = told("alpha\nbeta\n", [Opened(0, 1), SearchLine("alpha", 2), SearchLine("gamma", 3), Divided(4, "===")])[-1]
    assert [(each.line, each.differs_at) for each in said.problem.candidates] == [(1, 2)]
    assert "    gamma" in said.problem.message
    assert told("a\n", events("a", "B", by="truncated"))[-1].problem.candidates == ()


@pytest.mark.parametrize(("dialect", "file"), [("v2", "a\nb\n"), ("v1", ""), ("v2", "")])
def test_an_empty_search_stands_for_the_whole_file(dialect: str, file: str) -> None:
    """In an empty file it creates, and in ``v2`` it replaces any file as a whole."""
    cut = told(file, events("", "N"), dialect)[-1]
    assert isinstance(cut, Cut)
    assert (cut.splice.start, cut.splice.end, cut.splice.text) == (0, len(file), "N\n")


def test_a_block_that_the_stream_ends_in() -> None:
    """``v1`` applies a REPLACE that the stream ends in as repaired, and drops a SEARCH without a problem."""
    assert told("a\n", events("a", "B", by="complete"))[-1].block.status == "repaired"
    dropped = told("a\n", [Opened(0, 1), SearchLine("a", 2), Closed(2, by="complete")])[-1]
    assert (dropped.block.status, dropped.problem) == ("rejected", None)


def test_an_opener_inside_a_block_drops_it() -> None:
    """``v1`` starts SEARCH anew, and the block before is rejected without a problem."""
    items = told("a\nb\n", [*events("a", "X", by=None), *events("b", "B", 1)])
    rejected = next(each for each in items if names([each]) == ["rejected"])
    assert (rejected.block.index, rejected.problem) == (0, None)
    assert (items[-1].block.index, items[-1].splice.start) == (1, 2)


def test_a_peek_says_what_a_feed_would() -> None:
    """Events of an unfinished marker give what they would give for good, and tails are passed through."""
    looked, done = machine("a\nb\n"), machine("a\nb\n")
    for item in events("b", "B"):
        assert plain(looked.peek(Unfinished((item,)))) == plain(list(done.feed(item)))
        list(looked.feed(item))
    for unfinished in (Unfinished((SearchTail(tail("x")[0]),)), Unfinished((ReplaceTail(tail("x")[0]),))):
        assert looked.peek(unfinished) is unfinished
    assert looked.peek(NOTHING) == NOTHING


def test_other_events_are_passed_on() -> None:
    """What is too large is passed on, and the end too."""
    assert fed(machine("a\n"), [TooLarge(3, "long")], "truncated") == [TooLarge(3, "long"), End("truncated")]


def test_marbles() -> None:
    """The operator is the machine of the dialect's kind of search."""
    on_next, on_completed = ReactiveTest.on_next, ReactiveTest.on_completed
    scheduler = TestScheduler()
    items = events("a", "b")
    source = scheduler.create_hot_observable(
        *(on_next(210 + 10 * at, item) for at, item in enumerate(items)), on_completed(260)
    )
    made = source.pipe(search(Document("a\nc\n"), V1), ops.map(lambda item: names([item])[0]))
    expected = [(210, "searching"), (230, "located"), (230, "Writing"), (240, "Wrote"), (250, "Cut"), (260, "End")]
    messages = [on_next(at, name) for at, name in expected]
    assert scheduler.start(lambda: made).messages == [*messages, on_completed(260)]


texts = st.text("ab\n\r\u2028", max_size=20)


@given(texts, st.integers(0, 20), st.integers(0, 20), texts)
def test_runs_make_the_same_text(original: str, one: int, other: int, text: str) -> None:
    """An edit's runs, applied to the original, give what the edit gives, and stay inside it."""
    start, end = sorted((min(one, len(original)), min(other, len(original))))
    made, at = "", 0
    for begin, stop, fresh in changed_runs(original, start, end, text):
        assert start <= begin <= stop <= end
        made, at = made + original[at:begin] + fresh, stop
    assert made + original[at:] == original[:start] + text + original[end:]


@pytest.mark.parametrize(
    ("text", "runs"),
    [("a\nb\nc\n", ()), ("a\nB\nc\n", ((2, 4, "B\n"),)), ("a\nc\n", ((2, 4, ""),)), ("a\nb\nc\nd\n", ((6, 6, "d\n"),)),
     ("", ((0, 6, ""),)), ("a\nb\nb\nc\n", ((4, 4, "b\n"),))],
)  # fmt: skip
def test_runs_leave_out_the_lines_that_are_the_same(text: str, runs: tuple[tuple[int, int, str], ...]) -> None:
    """Whole lines that are the same at either edge of an edit are no part of what changed."""
    assert changed_runs("a\nb\nc\n", 0, 6, text) == runs


def test_an_empty_search_after_another_block() -> None:
    """``v2`` replaces the whole file in the first block only."""
    last = told("a\nb\n", [*events("a", "A"), *events("", "N", 1)], "v2")[-1]
    assert (last.block.index, last.block.status, last.problem.kind) == (1, "rejected", "not_found")
