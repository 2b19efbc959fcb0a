"""The operators put together in a pipe of one's own give what ``FileEditor`` and ``apply_edits`` give."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
import reactivex
from hypothesis import given
from hypothesis import strategies as st
from reactivex import Observable
from reactivex import operators as ops
from reactivex.testing import ReactiveTest, TestScheduler
from stages import cut, files, plain, streams

from editstream import EditError, FileEditor, apply_edits
from editstream.operators import (
    DIALECTS,
    SAFE,
    Document,
    End,
    Snapshot,
    entities,
    lines,
    markers,
    out_of_order,
    partial_markers,
    search,
    snapshots,
)

FILE = "a < 1\nb\nc\n"
STREAM = "So:\n------- SEARCH\nc\n=======\nC\n+++++++ REPLACE\n------- SEARCH\na < 1\n=======\na > 1\n+++++++ REPLACE\n"


def by_hand(file: str, dialect: str, *, decode: bool = False) -> Callable[[Observable[Any]], Observable[Snapshot]]:
    """All stages in two pipes: the stream's lines to events, and events to snapshots."""
    document, rules = Document(file), DIALECTS[dialect]

    def operator(source: Observable[Any]) -> Observable[Snapshot]:
        read: Observable[Any] = source.pipe(lines(), entities()) if decode else source.pipe(lines())
        events = read.pipe(partial_markers(rules.grammar), markers(rules.grammar))
        return events.pipe(search(document, rules), out_of_order(), snapshots(document, rules))

    return operator


def told(source: Observable[Any]) -> list[Any]:
    """All that an observer hears, snapshots as plain values."""
    heard = list[Any]()
    source.subscribe(
        lambda item: heard.append(plain(item)), lambda error: heard.append(str(error)), lambda: heard.append("done")
    )
    return heard


def by_class(file: str, chunks: list[Any], **options: Any) -> list[Any]:
    """What ``FileEditor`` gives for the same chunks, in the same form."""
    editor, heard, end = FileEditor(file, **options), list[Any](), End()
    for chunk in chunks:
        if isinstance(chunk, End):
            end = chunk
            break
        heard.append(plain(editor.feed(chunk)))
    try:
        editor.close(end.reason)
    except EditError as error:
        return [*heard, plain(editor.snapshot), str(error)]
    return [*heard, plain(editor.snapshot), "done"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("end", [[], [End("truncated")], [End("cancelled"), "more"]], ids=str)
def test_seven_operators_are_the_editor(dialect: str, end: list[Any]) -> None:
    """Seven operators in a pipe give snapshot for snapshot what the class gives, and the same end."""
    chunks = [*cut(STREAM, 5), *end]
    mine = told(reactivex.from_iterable(chunks).pipe(by_hand(FILE, dialect, decode=True)))
    assert mine == by_class(FILE, chunks, dialect=dialect, entities="always")


@given(files(), streams(), st.sampled_from(tuple(DIALECTS)), st.integers(0, 99))
def test_any_stream_in_a_pipe(file: str, stream: str, dialect: Any, seed: int) -> None:
    """Whatever the file and stream, operators by hand, ``apply_edits`` and the class agree at every chunk."""
    chunks = cut(stream, seed)
    mine = told(reactivex.from_iterable(chunks).pipe(by_hand(file, dialect)))
    assert mine == told(reactivex.from_iterable(chunks).pipe(apply_edits(file, dialect)))
    assert mine == by_class(file, chunks, dialect=dialect)


def test_one_snapshot_for_each_chunk() -> None:
    """Each chunk gives one snapshot at its own time, and the end one more."""
    on_next, on_completed = ReactiveTest.on_next, ReactiveTest.on_completed
    scheduler = TestScheduler()
    chunks = ["------- SEA", "RCH\nb\n====", "===\nB", "\n+++++++ REPLACE"]
    source = scheduler.create_hot_observable(
        *(on_next(210 + 10 * at, chunk) for at, chunk in enumerate(chunks)), on_completed(250)
    )
    made = source.pipe(by_hand(FILE, "safe"), ops.map(lambda shot: shot.full_content))
    expected = [FILE, FILE, "a < 1\nB\nc\n", "a < 1\nB\nc\n", "a < 1\nB\nc\n"]
    messages = [on_next(210 + 10 * at, text) for at, text in enumerate(expected)]
    assert scheduler.start(lambda: made).messages == [*messages, on_completed(250)]
    assert [(each.subscribe, each.unsubscribe) for each in source.subscriptions] == [(200, 250)]


def test_an_error_of_the_source_ends_all_stages() -> None:
    """The open block is rejected as truncated, the last snapshot is given, and then the source's own error."""
    source = reactivex.of("------- SEARCH\nb\n=======\nB\n").pipe(ops.concat(reactivex.throw(OSError("gone"))))
    mine = told(source.pipe(by_hand(FILE, "safe")))
    assert mine[-1] == "gone"
    assert len(mine) == 3
    assert "truncated" in str(mine[-2])


def test_leaving_lets_all_stages_go() -> None:
    """A subscriber that leaves ends the subscription of the source through all stages."""
    scheduler = TestScheduler()
    source = scheduler.create_hot_observable(ReactiveTest.on_next(210, "a"), ReactiveTest.on_next(300, "b"))
    messages = scheduler.start(lambda: source.pipe(by_hand(FILE, "safe")), disposed=250).messages
    assert len(messages) == 1
    assert [(each.subscribe, each.unsubscribe) for each in source.subscriptions] == [(200, 250)]


def test_two_subscribers_do_not_meet() -> None:
    """One pipe subscribed to twice edits twice, each from the beginning."""
    made = reactivex.from_iterable(cut(STREAM, 1)).pipe(by_hand(FILE, "safe"))
    assert told(made) == told(made)


def test_what_waited_is_found_in_our_own_text_without_a_word_about_tiers() -> None:
    """Put together with what the operators take by themselves, a pending block gets its place in lines another kept."""
    blocks = [("h\n", "H\n"), ("x\n", "X\n"), ("t\n", "T\n"), ("x\nk\n", "x\nnew\nk\n")]
    stream = "".join(f"------- SEARCH\n{old}=======\n{new}+++++++ REPLACE\n" for old, new in blocks)
    last = list[Snapshot]()
    reactivex.of(stream).pipe(by_hand("h\nx\nk\nt\nx\n", "safe")).subscribe(last.append)
    assert last[-1].new_content == "H\nX\nnew\nk\nT\nx\n"


def test_a_file_that_is_too_large_is_not_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put together by hand as well, nothing is placed in a file beyond the bound, also where good blocks would stay."""
    monkeypatch.setattr(import_module("editstream.operators.document"), "FILE_LIMIT", 3)
    document, last = Document("a\nb\n"), list[Snapshot]()
    events = reactivex.of("------- SEARCH\n=======\nnew\n+++++++ REPLACE\n").pipe(
        lines(), partial_markers(SAFE.grammar), markers(SAFE.grammar)
    )
    events.pipe(search(document, SAFE), out_of_order(), snapshots(document, SAFE, apply_rest=True)).subscribe(
        last.append
    )
    assert (last[-1].new_content, last[-1].is_final) == ("a\nb\n", True)
    assert [problem.kind for problem in last[-1].problems] == ["too_large"]
