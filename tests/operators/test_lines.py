"""The lines stage: chunks to lines and the unfinished tail."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reactivex import operators as ops
from reactivex.testing import ReactiveTest, TestScheduler
from stages import every_way, fed, final, plain, tail

from editstream.operators import NOTHING, End, Line, Lines, TooLarge, lines
from editstream.operators.lines import PACK, STREAM_LIMIT

module = import_module("editstream.operators.lines")


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([], [Line("", 1, ended=False)]),
        ([""], [tail(""), Line("", 1, ended=False)]),
        (["a"], [tail("a"), Line("a", 1, ended=False)]),
        (["a\n"], [Line("a", 1), tail("", 2), Line("", 2, ended=False)]),
        (["a\nb", "c\n"], [Line("a", 1), tail("b", 2), Line("bc", 2), tail("", 3), Line("", 3, ended=False)]),
        (["\n\n"], [Line("", 1), Line("", 2), tail("", 3), Line("", 3, ended=False)]),
        (["a\r", "\nb"], [tail("a\r"), Line("a\r", 1), tail("b", 2), Line("b", 2, ended=False)]),
        (["a\x0cb\u2028c\x85"], [tail("a\x0cb\u2028c\x85"), Line("a\x0cb\u2028c\x85", 1, ended=False)]),
    ],
)
def test_chunks_to_lines(chunks: list[str], expected: list[Any]) -> None:
    """Only a line feed ends a line, each chunk ends with the unfinished one, and the last line has no end."""
    assert plain(fed(Lines(), chunks)) == plain([*expected, End()])


@given(st.lists(st.text("ab\r\n", max_size=6)))
def test_lines_are_the_text_split(chunks: list[str]) -> None:
    """However the text is cut, the lines are the text split at each line feed, numbered from 1."""
    pieces = "".join(chunks).split("\n")
    given = final(fed(Lines(), chunks))
    assert [(line.text, line.number) for line in given[:-1]] == [(text, at) for at, text in enumerate(pieces, 1)]
    assert [line.ended for line in given[:-1]] == [True] * (len(pieces) - 1) + [False]


@given(st.lists(st.text("ab\n", max_size=6)))
def test_a_kept_tail_stays_as_it_was(chunks: list[str]) -> None:
    """A tail says the same when it is read at the end of the stream as when it was given."""
    machine, sofar, kept = Lines(), "", list[tuple[Any, str]]()
    for chunk in chunks:
        sofar += chunk
        kept.append((list(machine.feed(chunk))[-1][0], sofar.rsplit("\n", 1)[-1]))
    assert [(each.text, each.first, each.size) for each, _ in kept] == [(text, text[:1], len(text)) for _, text in kept]


def test_a_long_line_is_packed() -> None:
    """A line in many small chunks is kept in few pieces, and every tail of it still reads as it was."""
    machine = Lines()
    tails = [next(iter(machine.feed("ab")))[0] for _ in range(3 * PACK)]
    assert len(tails[-1].pieces) < PACK + 3
    assert all(len(tails[at].text) == 2 * (at + 1) for at in range(0, len(tails), 1000))
    assert fed(machine, [])[0] == Line("ab" * 3 * PACK, 1, ended=False)


def test_a_stream_may_have_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream of exactly the limit is read whole."""
    monkeypatch.setattr(module, "STREAM_LIMIT", 6)
    assert final(fed(Lines(), ["ab\nc", "d\n"])) == [Line("ab", 1), Line("cd", 2), Line("", 3, ended=False), End()]


def test_a_stream_that_is_too_long_is_read_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the limit one ``TooLarge`` names the line, what follows is given as nothing, and no cut matters."""
    monkeypatch.setattr(module, "STREAM_LIMIT", 6)
    machine = Lines()
    assert final(fed(machine, ["ab\nc", "d"], None)) == [Line("ab", 1)]
    (line, said, nothing), after = list(machine.feed("\nx")), list(machine.feed("y\n"))
    assert line == Line("cd", 2)
    assert isinstance(said, TooLarge)
    assert (said.line, nothing, after) == (3, NOTHING, [NOTHING])
    every_way(Lines, "ab\ncd\nx\ny\n")


def test_the_limit_is_what_its_message_says() -> None:
    """A chunk of more than the limit is refused with the limit in the message."""
    said, _ = Lines().feed("x" * (STREAM_LIMIT + 1))
    assert isinstance(said, TooLarge)
    assert f"{STREAM_LIMIT:,}" in said.message


def test_a_peek_passes_on() -> None:
    """What another lines stage left unfinished is given on as it is."""
    unfinished = tail("x")
    assert Lines().peek(unfinished) is unfinished


def test_marbles() -> None:
    """The operator does what its diagram shows, chunk by chunk."""
    on_next, on_completed = ReactiveTest.on_next, ReactiveTest.on_completed
    scheduler = TestScheduler()
    chunks = scheduler.create_hot_observable(on_next(210, "a\nb"), on_next(220, "c\n"), on_completed(230))
    messages = scheduler.start(lambda: chunks.pipe(lines(), ops.map(lambda item: str(plain(item))))).messages
    expected = [
        (210, Line("a", 1)),
        (210, tail("b", 2)),
        (220, Line("bc", 2)),
        (220, tail("", 3)),
        (230, Line("", 3, ended=False)),
        (230, End()),
    ]
    assert messages == [*(on_next(at, str(plain(item))) for at, item in expected), on_completed(230)]
