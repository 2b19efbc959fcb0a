"""Roo's line hints: taken out of SEARCH, said as a place, nothing else held back."""

from __future__ import annotations

from typing import Any

import pytest
from reactivex import operators as ops
from reactivex.subject import Subject
from stages import every_way, fed, final, peeking_changes_nothing

from editstream.operators import (
    NOTHING,
    SAFE,
    Chain,
    Document,
    LadderSearch,
    Lines,
    Markers,
    Opened,
    OutOfOrder,
    PartialMarkers,
    SearchLine,
    SearchTail,
    Snapshots,
    Tail,
    Unfinished,
)
from editstream.operators.events import Placing, Where
from editstream.operators.hints import HINT_LIMIT, LineHints, line_hints


def reader() -> Chain:
    return Chain([Lines(), PartialMarkers(SAFE.grammar), Markers(SAFE.grammar), LineHints()])


def editor(file: str) -> Chain:
    document = Document(file)
    search, order = LadderSearch(document, SAFE.line_tiers), OutOfOrder(SAFE.line_tiers)
    return Chain([reader(), search, order, Snapshots(document, SAFE, apply_rest=True)])


def block(*search: str) -> str:
    return "\n".join(["<<<<<<< SEARCH", *search, "=======", "X", ">>>>>>> REPLACE", ""])


def read(*search: str) -> tuple[list[int | None], list[str]]:
    """The lines that are hinted at, and those of SEARCH."""
    given = final(every_way(reader, block(*search)))
    return (
        [event.where.near for event in given if isinstance(event, Placing)],
        [event.text for event in given if isinstance(event, SearchLine)],
    )


@pytest.mark.parametrize(
    ("search", "near", "left"),
    [
        ([":start_line:12", "-------", "a"], [12], ["a"]),
        ([":start_line:12", "a"], [12], ["a"]),
        ([" :start_line: 12 ", "-------", "-------"], [12], ["-------"]),
        ([":start_line:1", ":end_line:2", "-------", "a"], [1], ["a"]),
        ([":end_line:2", "a"], [], ["a"]),
        (["-------", "a"], [], ["-------", "a"]),
        ([":start_line:1", "--------", "a"], [1], ["--------", "a"]),
        (["a", ":start_line:1", "-------"], [], ["a", ":start_line:1", "-------"]),
        ([":start_line:", "a"], [], [":start_line:", "a"]),
        ([":start_line:x", "a"], [], [":start_line:x", "a"]),
        ([":start_line:0", "a"], [], ["a"]),
        ([":start_line:" + "9" * 9000, "a"], [], ["a"]),
        ([":start_line:" + "0" * 9000 + "7", "a"], [7], ["a"]),
        (["\\:start_line:1", "a"], [], ["\\:start_line:1", "a"]),
        ([":start_line:٣", "a"], [], [":start_line:٣", "a"]),
    ],
)
def test_what_is_a_hint(search: list[str], near: list[int], left: list[str]) -> None:
    """Hints right after the opener and the rule after them are taken out, whatever way the stream is cut."""
    assert read(*search) == (near, left)


@pytest.mark.parametrize("text", [":sta", ":start_line:", " :start_line: 1", ":end_line:2"])
def test_an_unfinished_hint_is_not_shown(text: str) -> None:
    """A line that may still become a hint is nothing yet, and what cannot is passed on at once."""
    machine = LineHints()
    fed(machine, [Opened(0, 1)], None)
    for shown, held in ((text, True), (text + "x", False), ("a" + text, False), (text + " " * HINT_LIMIT, False)):
        unfinished: Unfinished[Any] = Unfinished((SearchTail(Tail([shown], 2, len(shown))),))
        assert machine.peek(unfinished) == (NOTHING if held else unfinished)


def test_a_peek_changes_nothing() -> None:
    """A hint that is looked at while it is unfinished is read like one that is not."""
    text = block(":start_line:3", "-------", "a") + block("-------", "a")
    before = Chain([Lines(), PartialMarkers(SAFE.grammar), Markers(SAFE.grammar)])
    peeking_changes_nothing(before, LineHints, text)


def test_a_hint_says_which_place_is_meant() -> None:
    """Of several hits, the nearest to the hint is edited."""
    last = fed(editor("a\nb\nb\nb\na\n"), [block(":start_line:5", "-------", "a")])[-1]
    assert (last.full_content, last.problems) == ("a\nb\nb\nb\nX\n", ())


def test_the_operator() -> None:
    """The operator gives what the machine gives."""
    source, heard = Subject[Any](), list[Any]()
    source.pipe(line_hints(), ops.to_list()).subscribe(heard.extend)
    for event in (Opened(0, 1), SearchLine(":start_line:2", 2), SearchLine("a", 3)):
        source.on_next(event)
    source.on_completed()
    assert heard[:3] == [Opened(0, 1), Placing(Where(near=2)), SearchLine("a", 3)]
