"""The entities stage, and one layer of decoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reactivex import operators as ops
from reactivex.testing import ReactiveTest, TestScheduler
from stages import every_way, fed, final, names, plain, tail

from editstream.operators import (
    DIALECTS,
    NOTHING,
    Chain,
    End,
    Entities,
    Line,
    Lines,
    Markers,
    PartialMarkers,
    TooLarge,
    entities,
)
from editstream.operators.entities import decode, has_bare

pieces = st.sampled_from(("&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#39;", "a", " ", "lt;"))
encoded = st.lists(pieces).map("".join)


@pytest.mark.parametrize(
    ("text", "decoded", "bare"),
    [
        ("a &lt; b", "a < b", False),
        ("&amp;lt;", "&lt;", False),
        ("&quot;&apos;&#39;", "\"''", False),
        ("&nbsp;", "&nbsp;", True),
        ("&LT;", "&LT;", True),
        ("&lt", "&lt", True),
        ("a < b", "a < b", True),
        ("&#039;", "&#039;", True),
        ("plain", "plain", False),
        ("", "", False),
    ],
)
def test_one_layer(text: str, decoded: str, bare: bool) -> None:
    """Six entities are decoded, once, and anything else with a sign of theirs speaks against encoded text."""
    assert (decode(text), has_bare(text)) == (decoded, bare)


@given(st.text("<>&\"'ab;#39"))
def test_decoding_undoes_encoding(text: str) -> None:
    """Text whose signs were all written as entities is decoded to itself and has none bare."""
    made = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    assert decode(made) == text
    assert not has_bare(made)


@given(st.lists(encoded))
def test_no_cut_matters(chunks: list[str]) -> None:
    """An entity that a chunk cuts is decoded when the line is whole."""
    whole = final(fed(Chain([Lines(), Entities()]), chunks))
    assert whole == [Line(decode("".join(chunks)), 1, ended=False), End()]


def test_the_three_verbs() -> None:
    """Lines and the unfinished line are decoded, other items are passed on, and nothing waits for the end."""
    machine, large = Entities(), TooLarge(3, "long")
    assert fed(machine, [Line("&lt;", 1), large]) == [Line("<", 1), large, End()]
    assert plain(machine.peek(tail("&lt;&g", 4))) == plain(tail("<&g", 4))
    assert plain(machine.peek(tail(""))) == plain(tail(""))
    assert machine.peek(NOTHING) == NOTHING
    assert list(machine.close("truncated")) == [End("truncated")]


def test_marbles() -> None:
    """The operator decodes each line as it comes."""
    on_next, on_completed = ReactiveTest.on_next, ReactiveTest.on_completed
    scheduler = TestScheduler()
    source = scheduler.create_hot_observable(on_next(210, Line("a &lt; b", 1)), on_completed(220))
    messages = scheduler.start(lambda: source.pipe(entities(), ops.map(str))).messages
    assert messages == [on_next(210, str(Line("a < b", 1))), on_next(220, str(End())), on_completed(220)]


@pytest.mark.parametrize("dialect", ["safe", "v1", "v2"])
@pytest.mark.parametrize("opener", ["&lt;&lt;&lt; SEARCH", "&lt;<<<<<&lt; SEARCH&gt;", "<<<<<<< SEARCH"])
def test_encoded_markers_may_be_cut_anywhere(dialect: str, opener: str) -> None:
    """A marker whose signs are entities is one, and while it grows nothing depends on how it was cut."""
    grammar = DIALECTS[dialect].grammar
    closer = "&gt;&gt;&gt;&gt; REPLACE"
    rule = "=" * opener.split(maxsplit=1)[0].replace("&lt;", "<").count("<")
    given = every_way(
        lambda: Chain([Lines(), Entities(), PartialMarkers(grammar), Markers(grammar)]),
        f"{opener}\n&lt;a&gt; &am\n{rule}\n&lt;b&l\n{closer}\n",
    )
    assert names(given) == ["Opened", "SearchLine", "Divided", "ReplaceLine", "Closed", "End"]
    assert (given[1].text, given[3].text) == ("<a> &am", "<b&l")
