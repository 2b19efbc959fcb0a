"""Out-of-order buffering as a machine: what waits for the end, and what settles it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
import reactivex
from reactivex import operators as ops
from reactivex.testing import ReactiveTest, TestScheduler
from stages import fed, final, names, plain, tail, upto

from editstream.operators import (
    NOTHING,
    SAFE,
    Arrangement,
    Block,
    BlockChanged,
    Chain,
    Cut,
    Document,
    End,
    LadderSearch,
    Lines,
    Markers,
    Narrowed,
    OutOfOrder,
    PartialMarkers,
    Pending,
    Placed,
    ReplaceTail,
    SearchTail,
    Splice,
    Unfinished,
    out_of_order,
    safe_ladder,
)


def edits(file: str, *blocks: tuple[str, str]) -> list[Any]:
    """What the search stage gives for blocks of one-letter lines in a file of one-letter lines."""
    lines = [
        line
        for looked_for, new in blocks
        for line in ("------- SEARCH", *looked_for, "=======", *new, "+++++++ REPLACE")
    ]
    document = Document("".join(f"{line}\n" for line in file))
    stages = [Lines(), PartialMarkers(SAFE.grammar), Markers(SAFE.grammar), LadderSearch(document, safe_ladder)]
    return final(fed(Chain(stages), ["\n".join(lines)]))[:-1]


def closed(file: str, *blocks: tuple[str, str]) -> tuple[str, list[str]]:
    """The file that blocks come to at the end, as letters, and what became of each block."""
    given = fed(OutOfOrder(safe_ladder), edits(file, *blocks))
    last: dict[int, BlockChanged] = {each.block.index: each for each in given if isinstance(each, BlockChanged)}
    arranged = [each for each in given if isinstance(each, Arrangement)] or [Arrangement()]
    text, made, at = "".join(f"{line}\n" for line in file), "", 0
    for splice in arranged[-1].splices:
        made, at = made + text[at : splice.start] + splice.text, splice.end
    became = [each.problem.kind if each.problem else each.block.status for each in last.values()]
    return (made + text[at:]).replace("\n", ""), became


@pytest.mark.parametrize(
    ("file", "blocks", "result"),
    [
        ("abcab", [("c", "C"), ("a", "X")], ("abCab", ["applied", "ambiguous"])),
        ("xaya", [("x", "X"), ("a", "A"), ("y", "Y")], ("XAYa", ["applied"] * 3)),
        ("xaya", [("y", "Y"), ("a", "A"), ("x", "X")], ("XaYa", ["applied", "ambiguous", "applied"])),
        ("xaaya", [("x", "X"), ("a", "A"), ("y", "Y")], ("XaaYa", ["applied", "ambiguous", "applied"])),
        ("xaya", [("x", "X"), ("a", "A")], ("Xaya", ["applied", "ambiguous"])),
        ("aba", [("a", "A"), ("ab", "N")], ("NA", ["applied", "applied"])),
        ("aba", [("a", "A"), ("a", "B")], ("AbB", ["applied", "applied"])),
        ("abaca", [("a", "A"), ("a", "B")], ("abaca", ["ambiguous", "ambiguous"])),
        ("aaa", [("aa", "A"), ("aa", "B")], ("aaa", ["ambiguous", "ambiguous"])),
        ("xaya", [("x", "x"), ("a", "A"), ("y", "y")], ("xAya", ["unchanged", "applied", "unchanged"])),
        ("abab", [("a", "A"), ("bab", "N")], ("AN", ["applied", "applied"])),
        ("axaxca", [("a", "A"), ("a", "B"), ("ca", "N")], ("AxBxN", ["applied"] * 3)),
        ("abab", [("a", "a")], ("abab", ["unchanged"])),
        ("abab", [("a", "a"), ("b", "B")], ("abab", ["unchanged", "ambiguous"])),
        ("axa", [("a", "a"), ("a", "A")], ("axA", ["unchanged", "applied"])),
    ],
)
def test_what_settles_a_pending_block(file: str, blocks: list[tuple[str, str]], result: tuple[str, list[str]]) -> None:
    """Later blocks take hits away, both neighbours enclose one, or there are as many blocks as hits; else ambiguous."""
    assert closed(file, *blocks) == result


def test_placed_blocks_are_not_held_back() -> None:
    """A block that has its place is arranged at once, wherever it is, with the offset it reports."""
    items = edits("abc", ("c", "C"), ("a", "A"))
    given = fed(OutOfOrder(safe_ladder), items, None)
    arranged = [each for each in given if isinstance(each, Arrangement)]
    assert [[splice.start for splice in each.splices] for each in arranged] == [[4], [0, 4]]
    assert [each.match for each in given if isinstance(each, BlockChanged) and each.block.status == "applied"] == [4, 0]


def test_a_pending_block_is_said_to_be_so() -> None:
    """Until the end a block with several hits is pending, with a problem that names their lines."""
    pending = fed(OutOfOrder(safe_ladder), edits("aba", ("a", "A")), None)[-1]
    assert (pending.block.status, pending.block.other_matches) == ("pending", (1, 3))
    assert (pending.problem.kind, "at lines 1, 3" in pending.problem.message) == ("ambiguous", True)


def cut(block: int, start: int, end: int, text: str, *, in_order: bool = True) -> Cut:
    said = Block(block, 10 * block + 1, "applied", "exact", (start, end))
    return Cut(said, Splice(start, end, text, block, ()), in_order)


def test_held_blocks_are_put_in_the_order_of_the_file() -> None:
    """What ``v1`` held back is reported as it closes and put in its place at the end."""
    machine = OutOfOrder()
    given = fed(machine, [cut(0, 4, 6, "x"), cut(1, 0, 2, "y", in_order=False), cut(2, 8, 9, "z")], None)
    assert names(given) == ["Arrangement", "applied", "applied", "Arrangement", "applied"]
    assert [each.match for each in given if isinstance(each, BlockChanged)] == [4, 0, 8]
    assert [[splice.block for splice in each.splices] for each in given if isinstance(each, Arrangement)] == [
        [0],
        [0, 2],
    ]
    arranged, end = list(machine.close("complete"))
    assert isinstance(arranged, Arrangement)
    assert ([splice.block for splice in arranged.splices], end) == ([1, 0, 2], End())


@pytest.mark.parametrize(("held", "rejected"), [((1, 3), 0), ((3, 5), 1), ((2, 4), 1)])
def test_held_blocks_that_overlap(held: tuple[int, int], rejected: int) -> None:
    """Of two blocks that change the same text the one further down is rejected, with its own line of the stream."""
    given = fed(OutOfOrder(), [cut(0, 2, 4, "x"), cut(1, *held, "y", in_order=False)])
    (said,) = [each.problem for each in given if isinstance(each, BlockChanged) and each.problem]
    assert (said.kind, said.block, said.line) == ("overlap", rejected, 10 * rejected + 1)
    arranged = next(each for each in given[::-1] if isinstance(each, Arrangement))
    assert [splice.block for splice in arranged.splices] == [1 - rejected]


def test_held_blocks_may_touch() -> None:
    """Blocks that only touch do not overlap."""
    given = fed(OutOfOrder(), [cut(0, 2, 4, "x"), cut(1, 1, 2, "y", in_order=False), cut(2, 0, 1, "z", in_order=False)])
    assert [each for each in given if isinstance(each, BlockChanged) and each.problem] == []
    assert isinstance(given[-2], Arrangement)


def test_other_events_are_passed_on() -> None:
    """What is no edit goes through as it is, in order, and the end comes last."""
    items = [BlockChanged(Block(0, 1, "searching")), Narrowed(["a"], 1)]
    assert fed(OutOfOrder(), items, "truncated") == [*items, End("truncated")]


def test_a_peek_says_what_a_feed_would() -> None:
    """A block that the unfinished line would close is given as if it were, and nothing of it stays."""
    items = edits("aba", ("b", "B"), ("a", "A"))
    looked, done = OutOfOrder(safe_ladder), OutOfOrder(safe_ladder)
    for item in items:
        assert plain(looked.peek(Unfinished((item,)))) == plain(list(done.feed(item)))
        list(looked.feed(item))
    assert plain(list(looked.close("complete"))) == plain(list(done.close("complete")))
    held = OutOfOrder()
    held.peek(Unfinished((cut(0, 0, 2, "x", in_order=False),)))
    assert list(held.close("complete")) == [End()]
    for unfinished in (NOTHING, Unfinished((SearchTail(tail("x")[0]),)), Unfinished((ReplaceTail(tail("x")[0]),))):
        assert looked.peek(unfinished) is unfinished


@pytest.mark.parametrize("reason", ["complete", "truncated", "cancelled"])
def test_every_end_settles(reason: str) -> None:
    """However the stream ends, the blocks that it closed are settled."""
    given = fed(OutOfOrder(safe_ladder), edits("aba", ("a", "A"), ("a", "B")), reason)
    assert names(given)[-5:] == ["Arrangement", "applied", "Arrangement", "applied", "End"]
    assert given[-1] == End(reason)  # type: ignore[arg-type]


def test_marbles() -> None:
    """The operator does what its diagram shows: a pending block is settled at the end by the one after it."""
    on_next, on_completed = ReactiveTest.on_next, ReactiveTest.on_completed
    scheduler = TestScheduler()
    pending, placed = (each for each in edits("aba", ("a", "A"), ("ab", "N")) if isinstance(each, Pending | Placed))
    source = scheduler.create_hot_observable(on_next(210, pending), on_next(220, placed), on_completed(230))
    made = source.pipe(
        out_of_order(safe_ladder),
        ops.map(
            lambda item: f"{names([item])[0]} {item.block.index if isinstance(item, BlockChanged) else ''}".strip()
        ),
    )
    expected = [
        (210, "pending 0"),
        (220, "Arrangement"),
        (220, "applied 1"),
        (230, "Arrangement"),
        (230, "applied 0"),
        (230, "End"),
    ]
    messages = [on_next(at, name) for at, name in expected]
    assert scheduler.start(lambda: made).messages == [*messages, on_completed(230)]


def test_behind_the_search_of_v1() -> None:
    """Behind the other stages of ``v1`` a block above an earlier one is in the file at the end."""
    stream = "------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n------- SEARCH\na\n=======\nA\n+++++++ REPLACE\n"
    given = final(fed(upto("out_of_order", Document("a\nb\n"), "v1"), [stream]))
    assert [splice.text for splice in given[-2].splices] == ["A\n", "B\n"]
    heard = list[Any]()
    reactivex.from_iterable([cut(0, 0, 1, "x")]).pipe(out_of_order()).subscribe(heard.append)
    assert names(heard) == ["Arrangement", "applied", "End"]


@pytest.mark.parametrize(
    ("blocks", "kind"),
    [
        ([("x", "X"), ("ab", "Q"), ("z", "Z"), ("Xab", "XaNb")], "overlap"),
        ([("x", "X"), ("ab", "Q"), ("z", "Z"), ("Xab", "Xabab")], "ambiguous"),
        ([("ab", "Q"), ("abx", "x"), ("abz", "z")], "overlap"),
    ],
)
def test_a_settled_block_that_others_have_come_between(blocks: list[tuple[str, str]], kind: str) -> None:
    """A pending block whose place later blocks have rewritten is rejected, and the others stay."""
    became = closed("abxabz", *blocks)[1]
    assert [each for each in became if each != "applied"] == [kind]


def test_a_settled_block_that_cannot_be_carried() -> None:
    """A pending block whose lines do not fit the place that it gets is rejected as not found."""
    document = Document("x\n\ta\ny\n\ta\n")
    blocks = [("x", "X"), ("    a", "        b"), ("y", "Y")]
    stream = "".join(f"------- SEARCH\n{old}\n=======\n{new}\n+++++++ REPLACE\n" for old, new in blocks)
    last = fed(upto("out_of_order", document), [stream])[-2]
    assert (last.block.index, last.block.status, last.problem.kind) == (1, "rejected", "not_found")
    assert "indentation" in last.problem.message


@pytest.mark.parametrize(("limit", "status"), [(100, "applied"), (0, "ambiguous")])
def test_settling_is_bounded(monkeypatch: pytest.MonkeyPatch, limit: int, status: str) -> None:
    """What is still open after so many hits were looked at stays ambiguous."""
    monkeypatch.setattr(import_module("editstream.operators.out_of_order"), "COMPARISONS_LIMIT", limit)
    assert closed("xaya", ("x", "X"), ("a", "A"), ("y", "Y"))[1] == ["applied", status, "applied"]
    assert closed("aba", ("a", "A"), ("a", "B"))[1] == [status, status]
