"""One way to feed every stage: whole, character by character, cut at random, with more behind it, peeked at or not."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

from hypothesis import strategies as st

from editstream.operators import (
    DIALECTS,
    Chain,
    CursorSearch,
    Document,
    End,
    Hunks,
    LadderSearch,
    LeaveOut,
    LineFinisher,
    LineHints,
    Lines,
    Machine,
    Markers,
    Narrowed,
    NewText,
    OldText,
    OutOfOrder,
    PairBegan,
    PairEnded,
    PairItem,
    Pairs,
    PartialMarkers,
    Reason,
    Snapshot,
    Snapshots,
    Tail,
    Unfinished,
    WholeFile,
)
from editstream.operators.machine import drain, step

BLOCKS = ("lines", "partial_markers", "markers")
EDITS = (*BLOCKS, "search", "out_of_order", "snapshots")
WAYS = {
    **{name: EDITS[: at + 1] for at, name in enumerate(EDITS)},
    "line_hints": (*BLOCKS, "line_hints"),
    "leave_out": (*BLOCKS, "leave_out"),
    "hunks": ("lines", "hunks"),
    "whole_file": ("lines", "whole_file"),
    "pairs": ("one_pair", "pairs"),
}
"""The stages from the chunks to each."""
STAGES = tuple(WAYS)
MORE = "\n\nAnd now:\n------- SEARCH\na\n=======\nZ\n+++++++ REPLACE\n"


def tail(text: str, number: int = 1) -> Unfinished[Tail]:
    """An unfinished line, as the lines stage hands it on."""
    return Unfinished((Tail([text] if text else [], number, len(text)),))


class OnePair:
    """A machine that takes all text for the old text of one pair."""

    def __init__(self) -> None:
        self._began = False

    def feed(self, chunk: str) -> Iterable[PairItem]:
        """Take a chunk; give it as a piece of the old text."""
        items: list[PairItem] = [OldText(0, chunk)] if self._began else [PairBegan(0), OldText(0, chunk)]
        self._began = True
        return items

    def peek(self, unfinished: Unfinished[Any]) -> Unfinished[Any]:
        """Pass on what is unfinished."""
        return unfinished

    def close(self, reason: Reason) -> Iterable[PairItem | End]:
        """Give the new text, if the stream is whole."""
        items = [] if self._began else [PairBegan(0)]
        return (*items, *([NewText(0, "new\n"), PairEnded(0)] if reason == "complete" else []), End(reason))


def stage(name: str, document: Document, dialect: str = "safe") -> Machine[Any, Any]:
    """One stage by itself."""
    rules = DIALECTS[dialect]
    makers: dict[str, Callable[[], Machine[Any, Any]]] = {
        "lines": Lines,
        "partial_markers": lambda: PartialMarkers(rules.grammar),
        "markers": lambda: Markers(rules.grammar),
        "search": lambda: (
            CursorSearch(document, rules) if rules.search == "cursor" else LadderSearch(document, rules.line_tiers)
        ),
        "out_of_order": lambda: OutOfOrder(rules.line_tiers),
        "snapshots": lambda: Snapshots(document, rules, apply_rest=True),
        "line_hints": LineHints,
        "leave_out": lambda: LeaveOut({1}),
        "hunks": Hunks,
        "whole_file": lambda: WholeFile(document),
        "one_pair": OnePair,
        "pairs": Pairs,
    }
    return makers[name]()


def upto(name: str, document: Document, dialect: str = "safe") -> Machine[Any, Any]:
    """The stages from the chunks to this one, run as one."""
    return Chain([stage(each, document, dialect) for each in WAYS[name]])


def before(name: str, document: Document, dialect: str = "safe") -> Machine[Any, Any]:
    """The stages from the chunks to the one before this one, run as one."""
    return Chain([stage(each, document, dialect) for each in WAYS[name][:-1]])


def fed(machine: Machine[Any, Any], items: Iterable[Any], reason: str | None = "complete") -> list[Any]:
    """All that a machine gives for the items one by one, and then for the end if there is a reason for one."""
    given = [out for item in items for out in step(machine, item)]
    return given if reason is None else [*given, *machine.close(reason)]  # type: ignore[arg-type]


def final(given: Iterable[Any]) -> list[Any]:
    """What was given for good: neither what an unfinished line would mean, nor the snapshots on the way."""
    return [
        out for out in given if not isinstance(out, Unfinished) and not (isinstance(out, Snapshot) and not out.is_final)
    ]


def plain(value: Any) -> Any:
    """A value that can be compared: references by text, finishers by what they show, snapshots by what they say."""
    match value:
        case Tail():
            says: Any = ("tail", value.number, value.text, value.size)
        case Narrowed(lines, count):
            says = ("narrowed", *lines[:count])
        case LineFinisher():
            says = ("finisher", value("x"), value("  x"), value("\tx"))
        case Snapshot():
            says = ("snapshot", *(plain(getattr(value, name)) for name in SNAPSHOT_SAYS))
        case Unfinished() | list() | tuple():
            says = [plain(each) for each in value]
        case _ if is_dataclass(value):
            says = (type(value).__name__, *(plain(getattr(value, each.name)) for each in fields(value) if each.repr))
        case _:
            says = value
    return says


SNAPSHOT_SAYS = (
    "new_content", "full_content", "full_position", "match_indices", "match_lines", "blocks", "problems",
    "candidates", "edits", "is_final",
)  # fmt: skip


def cut(text: str, seed: int) -> list[str]:
    """The text in chunks of one to nine characters, the same way for the same seed."""
    rng, chunks, at = random.Random(seed), list[str](), 0
    while at < len(text):
        size = rng.randint(1, 9)
        chunks.append(text[at : at + size])
        at += size
    return chunks


def every_way(make: Callable[[], Machine[Any, Any]], text: str, reason: str = "complete") -> list[Any]:
    """What a chain of stages gives for good, asserting that no way of feeding it makes a difference.

    The ways are: whole, character by character, cut at random with empty chunks between, and with more text behind.
    What is said of the unfinished line after a prefix is the same as for that prefix fed at once.
    """
    whole = fed(make(), [text], reason)
    expected = plain(final(whole))
    assert plain(final(fed(make(), text, reason))) == expected
    assert plain(final(fed(make(), cut(text, 1), reason))) == expected
    assert plain(final(fed(make(), [chunk for piece in cut(text, 3) for chunk in ("", piece)], reason))) == expected
    sofar = plain(final(fed(make(), [text], None)))
    assert plain(final(fed(make(), [text + MORE], None)))[: len(sofar)] == sofar
    machine = make()
    for at, char in enumerate(text, 1):
        assert plain(list(machine.feed(char))[-1]) == plain(list(make().feed(text[:at]))[-1]), text[:at]
    return final(whole)


def peeking_changes_nothing(
    before: Machine[Any, Any], make: Callable[[], Machine[Any, Any]], text: str, reason: str = "complete"
) -> None:
    """A stage that was peeked at after every character gives what one gives that never was."""
    looked_at, left_alone = make(), make()
    for item in fed(before, text, None):
        if isinstance(item, Unfinished):
            assert plain(looked_at.peek(item)) == plain(looked_at.peek(item))
        else:
            assert plain(list(looked_at.feed(item))) == plain(list(left_alone.feed(item)))
    for item in before.close(reason):  # type: ignore[arg-type]
        one, other = drain(partial(step, looked_at), item), drain(partial(step, left_alone), item)
        assert plain(list(one[0])) == plain(list(other[0]))
        assert str(one[1]) == str(other[1])


def names(items: Sequence[Any]) -> list[str]:
    """The classes of items; blocks by their status, as the marble diagrams have them."""
    return [item.block.status if type(item).__name__ == "BlockChanged" else type(item).__name__ for item in items]


LINES = (
    "a", "b", "c", "  a", "    a", "\ta", "a ", "", "  ", "“a”", '"a"', "a &amp; b", "a & b", "=======", "=====",
    "===", "---", "+++", "- item", "<<<<<<< HEAD", "------- SEARCH", "<<< SEARCH>", "+++++++ REPLACE",
    ">>>>>>> REPLACE", "  ------- SEARCH", "  =======", "  +++++++ REPLACE", "------- SEA", "+++++++ REP",
    "------- search", "```",
)  # fmt: skip


@st.composite
def streams(draw: st.DrawFn) -> str:
    """A stream with a few blocks, most of them whole, some debris, and a line end or none at its end."""
    out = list[str]()
    for _ in range(draw(st.integers(0, 3))):
        body = st.lists(st.sampled_from(LINES[:15]), max_size=4)
        parts = [["------- SEARCH"], draw(body), ["======="], draw(body), ["+++++++ REPLACE"]]
        lost = draw(st.integers(0, 12))
        if lost < len(parts):
            parts[lost] = draw(st.lists(st.sampled_from(LINES), max_size=1))
        out += [line for part in parts for line in part]
        out += draw(st.lists(st.sampled_from((*LINES, "Now:", "")), max_size=1))
    return draw(st.sampled_from(("\n", "\n", "\r\n"))).join(out) + draw(st.sampled_from(("", "\n", "\n\n")))


@st.composite
def files(draw: st.DrawFn) -> str:
    """A small file of few kinds of lines, with either line end, a byte order mark now and then, and an open end."""
    text = "".join(
        line + end
        for line, end in draw(
            st.lists(st.tuples(st.sampled_from(LINES[:16]), st.sampled_from(("\n", "\n", "\r\n"))), max_size=10)
        )
    )
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    return draw(st.sampled_from(("", "", "", "\ufeff"))) + text
