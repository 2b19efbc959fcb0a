"""Partial-marker popping: what of an unfinished line may be shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reactivex import operators as ops
from reactivex.testing import ReactiveTest, TestScheduler
from stages import fed, plain, tail

from editstream.operators import (
    DIALECTS,
    NOTHING,
    SAFE,
    V1,
    V2,
    Chain,
    End,
    Held,
    Line,
    Lines,
    PartialMarkers,
    TooLarge,
    Unfinished,
    partial_markers,
)
from editstream.operators.partial_markers import LONGEST_MARKER


def kind(dialect: str, text: str) -> str:
    """What becomes of an unfinished line: the class of the one item, or nothing."""
    peeked = PartialMarkers(DIALECTS[dialect].grammar).peek(tail(text))
    return type(peeked[0]).__name__ if peeked else "nothing"


@pytest.mark.parametrize(
    ("text", "safe", "v1", "v2"),
    [
        ("", "nothing", "Tail", "Tail"),
        ("x", "Tail", "Tail", "Tail"),
        (" ", "Held", "Tail", "Tail"),
        ("\t -", "Held", "Tail", "Tail"),
        ("-", "Held", "nothing", "nothing"),
        ("- item", "Tail", "nothing", "nothing"),
        ("---", "Held", "nothing", "nothing"),
        ("--- S", "Held", "nothing", "nothing"),
        ("--- SEARCH", "Line", "Line", "nothing"),
        ("------- SEARCH", "Line", "Line", "Line"),
        ("------- SEARCH>", "Line", "Line", "nothing"),
        ("------- SEARCH ", "Line", "nothing", "nothing"),
        ("------- SEARCH x", "Tail", "nothing", "nothing"),
        ("-------  SEARCH", "Tail", "nothing", "nothing"),
        ("------- REPLACE", "Tail", "nothing", "nothing"),
        ("<<<<<<< SEARCH", "Line", "Line", "nothing"),
        ("==", "Held", "nothing", "nothing"),
        ("===", "Line", "Line", "nothing"),
        ("=======", "Line", "Line", "Line"),
        ("======= ", "Line", "nothing", "nothing"),
        ("=======x", "Tail", "nothing", "nothing"),
        ("+++++++ REPLAC", "Held", "nothing", "nothing"),
        ("+++++++ REPLACE", "Line", "Line", "Line"),
        (">>> REPLACE", "Line", "Line", "nothing"),
        (">>> REPLACE\r", "Line", "nothing", "nothing"),
        ("  +++ REPLACE", "Line", "Tail", "Tail"),
        ("-<", "Tail", "nothing", "nothing"),
        ("=" * LONGEST_MARKER, "Line", "Line", "nothing"),
        ("=" * (LONGEST_MARKER + 1), "Tail", "nothing", "nothing"),
    ],
)
def test_three_kinds_of_unfinished_line(text: str, safe: str, v1: str, v2: str) -> None:
    """An unfinished line is content, a whole marker, or the beginning of one, as its dialect reads it."""
    assert [kind("safe", text), kind("v1", text), kind("v2", text)] == [safe, v1, v2]


MARKERS = ("------- SEARCH", "<<< SEARCH>", "=======", "+++++++ REPLACE", ">>>> REPLACE>", "=== \t", "--- SEARCH  ")


@given(st.text(" \t", max_size=4), st.sampled_from(MARKERS), st.sampled_from(("", "\r")))
def test_no_marker_flickers(indent: str, marker: str, end: str) -> None:
    """While a marker of ``safe`` grows, whatever its indent, nothing of it is ever shown as content."""
    machine, text = PartialMarkers(SAFE.grammar), indent + marker + end
    for size in range(1, len(text) + 1):
        (peeked,) = machine.peek(tail(text[:size]))
        assert isinstance(peeked, Held | Line), text[:size]


@given(st.text("-<=+> SEARCHPL\t\r", max_size=20), st.sampled_from(("safe", "v1")))
def test_content_stays_content(text: str, dialect: str) -> None:
    """A line that was shown as content never becomes a marker, however it grows."""
    shown = False
    for size in range(1, len(text) + 1):
        now = kind(dialect, text[:size])
        assert not (shown and now == "Line")
        shown = shown or now == "Tail"


@given(st.lists(st.text("-=+ REPLAC\nx", max_size=9)))
def test_what_was_found_content_is_not_asked_again(chunks: list[str]) -> None:
    """A stage that has seen a line grow says of it what a stage says that sees it for the first time."""
    chain = Chain([Lines(), PartialMarkers(SAFE.grammar)])
    for at, chunk in enumerate(chunks, 1):
        fresh = Chain([Lines(), PartialMarkers(SAFE.grammar)])
        assert plain(list(chain.feed(chunk))[-1]) == plain(list(fresh.feed("".join(chunks[:at])))[-1])


@pytest.mark.parametrize("dialect", [V1, V2, SAFE], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("text", ["", "x", "-", "--- SE", "=======", "------- SEARCH", "- item", "  ---"])
def test_the_last_line(dialect: object, text: str) -> None:
    """In ``v1`` and ``v2`` a last line that is the beginning of a marker is dropped; ``safe`` keeps every line."""
    assert dialect in (V1, V2, SAFE)
    dropped = text in ("-", "--- SE", "- item") and dialect is not SAFE
    line = Line(text, 4, ended=False)
    grammar = next(each.grammar for each in (V1, V2, SAFE) if each is dialect)
    assert fed(PartialMarkers(grammar), [line]) == [*([] if dropped else [line]), End()]


def test_what_is_final_passes() -> None:
    """Ended lines and ``TooLarge`` go through in every dialect, whatever they look like."""
    items = [Line("---", 1), Line("=======", 2), TooLarge(3, "long")]
    for dialect in (V1, V2, SAFE):
        assert fed(PartialMarkers(dialect.grammar), items, "cancelled") == [*items, End("cancelled")]


def test_a_peek_of_nothing_or_of_what_was_sorted_passes() -> None:
    """Nothing stays nothing, and an item that another such stage has sorted stays as it is."""
    machine, held = PartialMarkers(SAFE.grammar), Unfinished((Held(tail("-")[0]),))
    assert machine.peek(NOTHING) is NOTHING
    assert machine.peek(held) is held


def test_marbles() -> None:
    """The operator holds, recognises and passes on, as its diagram shows."""
    on_next, on_completed = ReactiveTest.on_next, ReactiveTest.on_completed
    scheduler = TestScheduler()
    texts = {210: "+++", 220: "+++++++ REPLACE", 230: "x"}
    lines = [on_next(at, tail(text)) for at, text in texts.items()]
    source = scheduler.create_hot_observable(*lines, on_completed(240))
    made = source.pipe(partial_markers(SAFE.grammar), ops.map(lambda item: str(plain(item))))
    expected = [
        (210, Unfinished((Held(tail("+++")[0]),))),
        (220, Unfinished((Line("+++++++ REPLACE", 1),))),
        (230, tail("x")),
        (240, End()),
    ]
    assert scheduler.start(lambda: made).messages == [
        *(on_next(at, str(plain(item))) for at, item in expected),
        on_completed(240),
    ]
