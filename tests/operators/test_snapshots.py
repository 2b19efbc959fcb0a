"""The snapshots stage as a machine: events in, one snapshot for each unfinished line and one at the end."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reactivex import operators as ops
from reactivex.testing import ReactiveTest, TestScheduler
from stages import cut, fed, files, plain, streams, tail, upto

from editstream.operators import (
    DIALECTS,
    NOTHING,
    SAFE,
    Arrangement,
    Block,
    BlockChanged,
    Document,
    EditError,
    LineFinisher,
    Narrowed,
    Opened,
    Problem,
    Relocated,
    ReplaceTail,
    Said,
    SearchTail,
    Snapshot,
    Snapshots,
    Splice,
    TextEdit,
    TooLarge,
    Unfinished,
    Writing,
    Wrote,
    snapshots,
)

FILE = "a\nb\nc\n"
FINISH = LineFinisher()
LOCATED = BlockChanged(Block(0, 1, "located", "exact", (2, 4), (2, 3)), match=2)
REPLACING = BlockChanged(Block(0, 1, "replacing", "exact", (2, 4), (2, 3)), match=2)
APPLIED = BlockChanged(Block(0, 1, "applied", "exact", (2, 4), (2, 3)), match=2)
WRITING = Writing(0, 2, 4, Arrangement(), FINISH)
ARRANGED = Arrangement((Splice(2, 4, "B\n", 0, ((2, 4, "B\n"),)),))
LOST = Problem("not_found", 0, 1, "no.")


def machine(dialect: str = "safe", file: str = FILE, *, apply_rest: bool = False) -> Snapshots:
    return Snapshots(Document(file), DIALECTS[dialect], apply_rest=apply_rest)


def after(*events: Any, **options: Any) -> Snapshot:
    """The snapshot after some events, with no unfinished line."""
    made = machine(**options)
    assert fed(made, events, None) == []
    return made.peek(NOTHING)


def test_before_anything() -> None:
    """At first the file is as it was, nothing is new in it, and nothing is said."""
    snapshot = after()
    assert (snapshot.original, snapshot.full_content, snapshot.new_content) == (FILE, FILE, "")
    assert (snapshot.blocks, snapshot.problems, snapshot.edits, snapshot.match_lines) == ((), (), (), ())
    assert (snapshot.is_final, snapshot.full_position, snapshot.candidates) == (False, None, ())


def test_an_open_block() -> None:
    """The file has what REPLACE has written so far in the place of SEARCH, up to where it has come."""
    snapshot = after(LOCATED, WRITING, REPLACING, Wrote("B\n", FINISH))
    assert (snapshot.full_content, snapshot.new_content, snapshot.full_position) == ("a\nB\nc\n", "a\nB\n", 4)
    assert (snapshot.blocks, snapshot.match_indices, snapshot.match_lines) == ((REPLACING.block,), (2,), (2,))
    assert snapshot.edits == (TextEdit(2, 4, "B\n", 0),)


def test_head_and_foot_stay_around_an_open_block() -> None:
    """In what an earlier block wrote, REPLACE stands between what stays of that."""
    writing = Writing(1, 2, 4, Arrangement(), FINISH, head="x\n", foot="z\n")
    snapshot = after(LOCATED, writing, Wrote("Y\n", FINISH))
    assert (snapshot.full_content, snapshot.full_position) == ("a\nx\nY\nz\nc\n", 6)
    assert (snapshot.new_content, snapshot.edits) == ("a\nx\nY\nz\n", (TextEdit(2, 4, "x\nY\nz\n", 1),))


def test_the_unfinished_line_is_shown_and_not_kept() -> None:
    """A line of REPLACE that is unfinished stands in the snapshot it was peeked for, and in no other."""
    made = machine()
    fed(made, [LOCATED, WRITING, Wrote("B\n", FINISH)], None)
    first = made.peek(Unfinished((ReplaceTail(tail("B2")[0]),)))
    second = made.peek(Unfinished((SearchTail(tail("B3")[0]),)))
    assert [each.full_content for each in (first, second)] == ["a\nB\nB2\nc\n", "a\nB\nc\n"]
    assert (first.new_content, first.full_position, first.edits) == ("a\nB\nB2\n", 7, (TextEdit(2, 4, "B\nB2\n", 0),))


def test_a_closed_block() -> None:
    """A closed block is in the file by its splice, and the new content ends with it."""
    snapshot = after(LOCATED, WRITING, Wrote("B\n", FINISH), ARRANGED, APPLIED)
    assert (snapshot.full_content, snapshot.new_content, snapshot.full_position) == ("a\nB\nc\n", "a\nB\n", None)
    assert (snapshot.edits, snapshot.match_indices) == ((TextEdit(2, 4, "B\n", 0),), (2,))


def test_new_content_ends_with_the_block_furthest_down() -> None:
    """A block that opens above a closed one shows the file to the end of that one."""
    file, below = "a\nb\nc\nd\n", Arrangement((Splice(4, 6, "C\n", 0, ((4, 6, "C\n"),)),))
    opened = BlockChanged(Block(1, 6, "replacing", "exact", (0, 2), (1, 2)), match=0)
    snapshot = after(below, opened, Writing(1, 0, 2, below, FINISH), Wrote("A\n", FINISH), file=file)
    assert (snapshot.new_content, snapshot.full_content) == ("A\nb\nC\n", "A\nb\nC\nd\n")
    assert [edit.block for edit in snapshot.edits] == [1, 0]


def test_a_reading_that_is_given_up_leaves_nothing() -> None:
    """After ``Relocated`` the file is as it was before the block had a place."""
    snapshot = after(LOCATED, WRITING, Wrote("B\n", FINISH), Relocated(0))
    assert (snapshot.full_content, snapshot.full_position, snapshot.edits) == (FILE, None, ())


@pytest.mark.parametrize(("status", "provisional"), [("searching", True), ("pending", True), ("rejected", False)])
def test_problems_are_provisional_until_the_block_is_rejected(status: Any, provisional: bool) -> None:
    """While more of the stream could undo a problem it says so, and a block that is well again has none."""
    made = machine()
    fed(made, [BlockChanged(Block(0, 1, status), LOST)], None)
    assert [each.provisional for each in made.peek(NOTHING).problems] == [provisional]
    fed(made, [LOCATED], None)
    assert made.peek(NOTHING).problems == ()


def test_what_only_the_unfinished_line_means_is_provisional() -> None:
    """A problem that the unfinished line would make is provisional, and those that stand stay as they are."""
    made = machine()
    fed(made, [Said(Problem("malformed", None, 9, "stray."))], None)
    rejected = BlockChanged(Block(0, 1, "rejected"), LOST)
    peeked = made.peek(Unfinished((rejected,)))
    assert [(each.kind, each.provisional) for each in peeked.problems] == [("not_found", True), ("malformed", False)]
    assert [each.kind for each in made.peek(NOTHING).problems] == ["malformed"]


def test_problems_are_in_the_order_of_the_stream() -> None:
    """Problems of blocks and others are told by the line of the stream."""
    snapshot = after(
        Said(Problem("malformed", None, 9, "stray.")), BlockChanged(Block(0, 1, "rejected"), LOST), TooLarge(4, "long.")
    )
    assert [(each.kind, each.line) for each in snapshot.problems] == [
        ("not_found", 1),
        ("too_large", 4),
        ("malformed", 9),
    ]


def test_the_last_snapshot() -> None:
    """Once the stream has ended, the new content is the whole file."""
    (last,) = fed(machine(), [ARRANGED, APPLIED])
    assert (last.is_final, last.new_content, last.full_content) == (True, "a\nB\nc\n", "a\nB\nc\n")


def test_a_rejected_block_rejects_the_edit() -> None:
    """The last snapshot shows the file as it was, and then an ``EditError`` has all problems."""
    made, shown = machine(), list[Snapshot]()
    fed(made, [ARRANGED, APPLIED, BlockChanged(Block(1, 6, "rejected"), LOST)], None)
    with pytest.raises(EditError) as raised:
        shown.extend(made.close("complete"))
    assert raised.value.problems == (LOST,)


def test_what_is_given_before_the_error() -> None:
    """The last snapshot comes before the error, and has nothing in it that was not written."""
    made = machine()
    fed(made, [ARRANGED, APPLIED, BlockChanged(Block(1, 6, "rejected"), LOST)], None)
    closing = iter(made.close("complete"))
    last = next(closing)
    assert (last.new_content, last.edits, last.match_indices, last.problems) == (FILE, (), (), (LOST,))
    with pytest.raises(EditError):
        next(closing)


def test_apply_rest() -> None:
    """With ``apply_rest`` the good blocks stay, and the last snapshot carries the problems."""
    (last,) = fed(machine(apply_rest=True), [ARRANGED, APPLIED, BlockChanged(Block(1, 6, "rejected"), LOST)])
    assert (last.new_content, last.problems) == ("a\nB\nc\n", (LOST,))


def test_a_file_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file over the limit is a problem from the start, and is left as it is."""
    monkeypatch.setattr(import_module("editstream.operators.document"), "FILE_LIMIT", 3)
    made = machine()
    assert [each.kind for each in made.peek(NOTHING).problems] == ["too_large"]
    with pytest.raises(EditError, match="longer than 3"):
        list(made.close("complete"))


def test_candidates_of_a_streaming_search() -> None:
    """The lines where a SEARCH may begin, from 1, at most eight, are told until it has a place."""
    file = "x\na\nb\n" * 10 + "\n a\n"
    narrowed = ["", "a", "b"]
    opened = BlockChanged(Block(0, 1, "searching"))
    assert after(opened, Narrowed(["a"], 1), file=file).candidates == (2, 5, 8, 11, 14, 17, 20, 23)
    assert after(opened, Narrowed(narrowed, 1), file=file).candidates == ()
    assert after(opened, Narrowed(narrowed, 2), file=file).candidates[:2] == (1, 4)
    assert after(opened, Narrowed(["", "", "x"], 3), file=file).candidates == (2, 5, 8, 11, 14, 17, 20, 23)
    assert after(opened, Narrowed(narrowed, 3), LOCATED, file=file).candidates == ()


@pytest.mark.parametrize(
    ("dialect", "matches"), [("safe", ((2, 0), (2, 0))), ("v1", ((0, 2), (0, 2))), ("v2", ((), ()))]
)
def test_reported_matches(dialect: str, matches: tuple[tuple[int, ...], ...]) -> None:
    """``safe`` reports in the order of blocks, ``v1`` as they close and sorted at the end, ``v2`` none."""
    made = machine(dialect, apply_rest=True)
    fed(made, [BlockChanged(Block(1, 6, "applied"), match=0), BlockChanged(Block(0, 1, "applied"), match=2)], None)
    assert (made.peek(NOTHING).match_indices, fed(made, [])[-1].match_indices) == matches


def test_the_log_of_v1() -> None:
    """In a cursor dialect the new content is a log: what was copied, and what was written, in the stream's order."""
    made = machine("v1")
    fed(made, [LOCATED, Writing(0, 2, 4, Arrangement(), FINISH, copied_from=0), Wrote("B\n", FINISH)], None)
    first = made.peek(Unfinished((ReplaceTail(tail("X")[0]),)))
    fed(made, [Wrote("C\n", FINISH), ARRANGED, APPLIED], None)
    assert (first.new_content, made.peek(NOTHING).new_content) == ("a\nB\nX\n", "a\nB\nC\n")
    assert fed(made, [])[-1].new_content == "a\nB\nc\n"


@pytest.mark.parametrize(
    ("original", "edit", "code_points", "utf16"),
    [
        ("a\nb\n", TextEdit(2, 4, "", 0), ((1, 0), (2, 0)), ((1, 0), (2, 0))),
        ("a\n😀b", TextEdit(3, 4, "", 0), ((1, 1), (1, 2)), ((1, 2), (1, 3))),
        ("", TextEdit(0, 0, "", 0), ((0, 0), (0, 0)), ((0, 0), (0, 0))),
        ("\ud800x", TextEdit(1, 2, "", 0), ((0, 1), (0, 2)), ((0, 1), (0, 2))),
    ],
)
def test_positions_for_an_editor(original: str, edit: TextEdit, code_points: object, utf16: object) -> None:
    """An edit is told as lines and columns from 0, in code points or in UTF-16 units."""
    assert (edit.position(original), edit.position(original, "utf-16")) == (code_points, utf16)


@given(files(), streams(), st.sampled_from(("safe", "v1", "v2")), st.integers(0, 99))
def test_a_kept_snapshot_never_changes(file: str, stream: str, dialect: str, seed: int) -> None:
    """Whatever comes later, a snapshot says the same at the end as when it was given."""
    chain = upto("snapshots", Document(file), dialect)
    kept = [(shot, plain(shot)) for chunk in cut(stream, seed) for shot in chain.feed(chunk)]
    with suppress(EditError):
        kept += [(shot, plain(shot)) for shot in chain.close("complete")]
    assert [plain(shot) for shot, _ in kept] == [said for _, said in kept]


@given(files(), streams(), st.integers(0, 99))
def test_edits_make_the_full_content(file: str, stream: str, seed: int) -> None:
    """At every chunk the edits, applied to the original, give the full content, and the new one begins it."""
    chain = upto("snapshots", Document(file))
    for shot in fed(chain, cut(stream, seed)):
        made, at = "", 0
        for edit in shot.edits:
            assert at <= edit.start <= edit.end
            made, at = made + file[at : edit.start] + edit.text, edit.end
        assert made + file[at:] == shot.full_content
        assert shot.full_content.startswith(shot.new_content)
        assert shot.full_position is None or shot.full_position <= len(shot.full_content)


def test_a_snapshot_says_what_it_is() -> None:
    """The text of a snapshot has its blocks and problems, and not the file."""
    assert repr(after(APPLIED)) == f"Snapshot(blocks={(APPLIED.block,)!r}, problems=(), is_final=False)"


def test_events_of_no_interest_change_nothing() -> None:
    """An event that snapshots do not show leaves them as they were."""
    assert plain(after(APPLIED, Opened(1, 9))) == plain(after(APPLIED))


def test_marbles() -> None:
    """The operator gives one snapshot for each unfinished line and one at the end, as its diagram shows."""
    on_next, on_completed = ReactiveTest.on_next, ReactiveTest.on_completed
    scheduler = TestScheduler()
    source = scheduler.create_hot_observable(
        on_next(210, LOCATED),
        on_next(210, WRITING),
        on_next(210, NOTHING),
        on_next(220, Wrote("B\n", FINISH)),
        on_next(220, Unfinished((ReplaceTail(tail("x")[0]),))),
        on_next(230, ARRANGED),
        on_next(230, APPLIED),
        on_completed(230),
    )
    made = source.pipe(snapshots(Document(FILE), SAFE), ops.map(lambda shot: shot.full_content))
    expected = [on_next(210, "a\nc\n"), on_next(220, "a\nB\nx\nc\n"), on_next(230, "a\nB\nc\n"), on_completed(230)]
    assert scheduler.start(lambda: made).messages == expected


def test_marbles_of_a_rejected_edit() -> None:
    """The last snapshot and then one error reach the observer when a block was rejected."""
    scheduler = TestScheduler()
    source = scheduler.create_hot_observable(
        ReactiveTest.on_next(210, BlockChanged(Block(0, 1, "rejected"), LOST)), ReactiveTest.on_completed(220)
    )
    messages = scheduler.start(lambda: source.pipe(snapshots(Document(FILE), SAFE))).messages
    assert [(message.time, message.value.kind) for message in messages] == [(220, "N"), (220, "E")]


def test_a_line_without_a_place_is_not_shown() -> None:
    """A line of REPLACE after its block lost its place changes nothing."""
    assert after(LOCATED, WRITING, Relocated(0), Wrote("B\n", FINISH)).full_content == FILE


@pytest.mark.parametrize(
    ("lines", "unfinished", "full"),
    [
        (["B\n"], None, "a\nB"),
        (["B\r\n"], None, "a\nB"),
        (["B\n"], "C", "a\nB\nC"),
        ([], "C", "a\nC"),
        ([], None, "a\n"),
    ],
)
def test_an_open_end_of_the_file_stays_open(lines: list[str], unfinished: str | None, full: str) -> None:
    """Where the block replaces a last line without an end, what is shown last has none either."""
    made = machine(file="a\nb")
    located = BlockChanged(Block(0, 1, "located", "exact", (2, 3), (2, 3)), match=2)
    writing = Writing(0, 2, 3, Arrangement(), FINISH, open_end=True)
    fed(made, [located, writing, *(Wrote(line, FINISH) for line in lines)], None)
    peeked: Any = NOTHING if unfinished is None else Unfinished((ReplaceTail(tail(unfinished)[0]),))
    assert made.peek(peeked).full_content == full
