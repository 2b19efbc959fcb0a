"""The Rx contract of `apply_edits`: one end, a state per subscription, disposal upstream, no error in the producer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import reactivex as rx
from reactivex import Observable
from reactivex import operators as ops
from reactivex.abc import ObserverBase, SchedulerBase
from reactivex.disposable import Disposable
from reactivex.scheduler import ImmediateScheduler, TimeoutScheduler
from reactivex.subject import Subject
from streams import block, cut, diff, run, state

from editstream import EditError, End, FileEditor, Snapshot, apply_edits

FILE = "a\nb\nc\n"
GOOD = diff(("c\n", "C\n"), ("a\n", "A\n"))
BAD = diff(("a\n", "A\n"), ("zzz\n", "Z\n"))


class Log:
    """An observer that writes down what it gets."""

    def __init__(self) -> None:
        self.items: list[Snapshot] = []
        self.ends: list[str] = []
        self.error: Exception | None = None

    def on_error(self, error: Exception) -> None:
        self.error = error
        self.ends.append("error")

    def watch(self, source: Observable[Snapshot], **options: Any) -> Log:
        self.disposable = source.subscribe(
            self.items.append, self.on_error, lambda: self.ends.append("completed"), **options
        )
        return self


def snapshots(*items: str | End, original: str = FILE, **options: Any) -> Log:
    return Log().watch(rx.from_iterable(items).pipe(apply_edits(original, **options)))


@pytest.mark.parametrize("dialect", ["safe", "v1", "v2"])
@pytest.mark.parametrize("stream", [GOOD, BAD, "prose", ""])
def test_it_gives_what_the_editor_gives(stream: str, dialect: str) -> None:
    """A snapshot for each chunk and one at the end, the same as without Rx."""
    chunks = cut(stream, 3)
    log, editor = snapshots(*chunks, dialect=dialect), FileEditor(FILE, dialect=dialect)  # type: ignore[arg-type]
    wanted = [state(editor.feed(chunk)) for chunk in chunks]
    wanted.append(state(run(FILE, chunks, dialect=dialect).snapshot))
    assert [state(snapshot) for snapshot in log.items] == wanted
    assert [snapshot.is_final for snapshot in log.items] == [False] * len(chunks) + [True]


def test_success_completes_once() -> None:
    """The last item is final, then the stream completes."""
    log = snapshots(*cut(GOOD, 1))
    assert (log.ends, log.items[-1].new_content) == (["completed"], "A\nb\nC\n")


def test_an_edit_error_comes_after_the_last_snapshot() -> None:
    """The final snapshot carries the problems, then comes the one error with the same."""
    log = snapshots(*cut(BAD, 1))
    assert log.ends == ["error"]
    assert isinstance(log.error, EditError)
    assert log.items[-1].is_final
    assert log.items[-1].problems == log.error.problems != ()


def test_apply_rest_completes() -> None:
    """With `apply_rest` a rejected block is in the snapshot alone."""
    log = snapshots(*cut(BAD, 1), on_reject="apply_rest")
    assert (log.ends, log.items[-1].new_content) == (["completed"], "A\nb\nc\n")


@pytest.mark.parametrize(("reason", "result"), [("complete", "A\nb\nc\n"), ("truncated", None), ("cancelled", None)])
def test_end_ends(reason: str, result: str | None) -> None:
    """The reason decides about the open block, and nothing after it is read."""
    open_block = "------- SEARCH\na\n=======\nA\n"
    log = snapshots(open_block, End(reason), GOOD, "more")  # type: ignore[arg-type]
    assert len(log.items) == 2
    assert log.items[-1].is_final
    if result:
        assert (log.ends, log.items[-1].new_content) == (["completed"], result)
    else:
        assert isinstance(log.error, EditError)
        assert [problem.kind for problem in log.error.problems] == ["truncated"]


def test_end_lets_go_of_the_source() -> None:
    """After `End` the source is disposed of, even if it goes on for ever."""
    source = Subject[str | End]()
    log = Log().watch(source.pipe(apply_edits(FILE)))
    source.on_next(GOOD)
    source.on_next(End("complete"))
    assert (log.ends, len(source.observers)) == (["completed"], 0)
    source.on_next("more")
    source.on_completed()
    assert (log.ends, len(log.items)) == (["completed"], 2)


def test_an_empty_source_gives_one_final_snapshot() -> None:
    """Nothing came, so the file is as it was."""
    log = snapshots()
    assert ([item.new_content for item in log.items], log.ends) == ([FILE], ["completed"])


@pytest.mark.parametrize("stream", [GOOD, BAD])
def test_each_subscription_has_its_own_state(stream: str) -> None:
    """Subscribing twice to one pipeline, at once or one after the other, gives equal and independent results."""
    source = Subject[str | End]()
    pipeline = source.pipe(apply_edits(FILE))
    first, late = Log().watch(pipeline), Log()
    for number, chunk in enumerate(chunks := cut(stream, 2)):
        if number == len(chunks) // 2:
            late.watch(pipeline)
        source.on_next(chunk)
    source.on_completed()
    assert [state(item) for item in first.items] == [state(item) for item in snapshots(*chunks).items]
    assert len(late.items) == len(chunks) - len(chunks) // 2 + 1
    operator = apply_edits(FILE)
    again = [Log().watch(rx.from_iterable(chunks).pipe(operator)) for _ in range(2)]
    assert [state(item) for item in again[0].items] == [state(item) for item in again[1].items]


def test_nothing_happens_before_a_subscription() -> None:
    """Building the pipeline does not touch the source."""
    touched = list[int]()

    def subscribe(observer: ObserverBase[str | End], _: SchedulerBase | None) -> Disposable:
        touched.append(1)
        observer.on_completed()
        return Disposable()

    pipeline = rx.create(subscribe).pipe(apply_edits(FILE))
    assert touched == []
    Log().watch(pipeline)
    assert touched == [1]


def test_disposal_reaches_the_source() -> None:
    """Whoever stops listening stops the source, and hears nothing more."""
    disposed = list[int]()
    observers = list[ObserverBase[str | End]]()

    def subscribe(observer: ObserverBase[str | End], _: SchedulerBase | None) -> Disposable:
        observers.append(observer)
        return Disposable(lambda: disposed.append(1))

    log = Log().watch(rx.create(subscribe).pipe(apply_edits(FILE)))
    observers[0].on_next(GOOD)
    log.disposable.dispose()
    observers[0].on_next("more")
    observers[0].on_completed()
    assert (disposed, len(log.items), log.ends) == ([1], 1, [])


def test_take_stops_the_source() -> None:
    """An operator further down that has enough lets go of the source."""
    source = Subject[str | End]()
    log = Log().watch(source.pipe(apply_edits(FILE), ops.take(2)))
    for chunk in cut(GOOD, 1):
        source.on_next(chunk)
    assert (len(log.items), log.ends, len(source.observers)) == (2, ["completed"], 0)


@pytest.mark.parametrize("scheduler", [ImmediateScheduler(), TimeoutScheduler()])
def test_the_scheduler_is_forwarded(scheduler: SchedulerBase) -> None:
    """The source is subscribed to with the scheduler of the subscription."""
    seen = list[SchedulerBase | None]()

    def subscribe(observer: ObserverBase[str | End], scheduler: SchedulerBase | None) -> Disposable:
        seen.append(scheduler)
        observer.on_completed()
        return Disposable()

    Log().watch(rx.create(subscribe).pipe(apply_edits(FILE)), scheduler=scheduler)
    assert seen == [scheduler]


@pytest.mark.parametrize("wrong", [3, b"a", None, object()])
def test_an_error_never_escapes_into_the_producer(wrong: Any) -> None:
    """An item that is no text ends the stream with one error, and the producer's call returns."""
    source = Subject[Any]()
    log = Log().watch(source.pipe(apply_edits(FILE)))
    source.on_next("------- SEARCH\n")
    source.on_next(wrong)
    source.on_next(GOOD)
    source.on_completed()
    assert log.ends == ["error"]
    assert isinstance(log.error, TypeError)
    assert len(source.observers) == 0


@pytest.mark.parametrize(
    ("stream", "kinds"),
    [(GOOD, []), ("------- SEARCH\na\n=======\nA\n", ["truncated"]), (BAD, ["not_found"]), ("", [])],
)
def test_an_error_of_the_source_closes_as_truncated_and_is_passed_on(stream: str, kinds: list[str]) -> None:
    """The last snapshot says what stands, then the source's own error comes."""
    failure = ConnectionError("gone")
    source = rx.concat(rx.from_iterable(cut(stream, 1)), rx.throw(failure))
    log = Log().watch(source.pipe(apply_edits(FILE)))
    assert (log.ends, log.error) == (["error"], failure)
    assert log.items[-1].is_final
    assert [problem.kind for problem in log.items[-1].problems] == kinds


@pytest.mark.parametrize(
    "end", [lambda s: s.on_completed(), lambda s: s.on_error(OSError()), lambda s: s.on_next(End())]
)
def test_there_is_one_end(end: Callable[[Subject[str | End]], None]) -> None:
    """However often and in whatever way the source ends, one terminal event comes out."""
    source = Subject[str | End]()
    log = Log().watch(source.pipe(apply_edits(FILE)))
    source.on_next(GOOD)
    end(source)
    source.on_next("x")
    source.on_completed()
    source.on_error(OSError())
    assert len(log.ends) == 1
    assert [item.is_final for item in log.items] == [False, True]


def test_a_wrong_option_is_refused_when_the_operator_is_made() -> None:
    """It does not wait for a subscription."""
    with pytest.raises((ValueError, TypeError), match="v3"):
        apply_edits(FILE, dialect="v3")  # type: ignore[arg-type]


def test_other_operators_fit_around_it() -> None:
    """It is an ordinary operator in a pipe."""
    log = list[str]()
    chunks = rx.from_iterable(cut(GOOD, 4)).pipe(ops.map(str.swapcase), ops.map(str.swapcase))
    edited = chunks.pipe(apply_edits(FILE))
    edited.pipe(ops.last()).subscribe(lambda snapshot: log.append(snapshot.new_content))
    assert log == ["A\nb\nC\n"]


def test_one_chunk_gives_two_snapshots() -> None:
    """One block, one chunk: two snapshots, the second final."""
    assert [item.full_content for item in snapshots(block("b\n", "B\n")).items] == ["a\nB\nc\n"] * 2
