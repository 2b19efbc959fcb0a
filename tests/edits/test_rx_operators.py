"""The Rx contract of every operator that `editstream.operators` exports, alone and behind those before it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import reactivex as rx
from reactivex import Observable
from reactivex import operators as ops
from reactivex.abc import ObserverBase, SchedulerBase
from reactivex.disposable import Disposable
from reactivex.scheduler import ImmediateScheduler
from reactivex.subject import Subject
from streams import cut, diff, run, state

import editstream.operators
from editstream import End, FileEditor
from editstream.operators import (
    DIALECTS,
    Document,
    OldText,
    PairBegan,
    Snapshot,
    entities,
    hunks,
    leave_out,
    line_hints,
    lines,
    markers,
    out_of_order,
    pairs,
    partial_markers,
    search,
    snapshots,
    whole_file,
)

FILE = "a\nb\nx\nc\nx\n"
STREAM = "So:\n" + diff(("c\n", "C\n"), ("x\n", "X\n"), ("a\n", "A\n")) + "------- SEARCH\nb\n=======\nB"
BLOCKS = ("lines", "partial_markers", "markers")
WAYS = {
    "lines": ("lines",),
    "entities": ("lines", "entities"),
    "partial_markers": BLOCKS[:2],
    "markers": BLOCKS,
    "line_hints": (*BLOCKS, "line_hints"),
    "leave_out": (*BLOCKS, "leave_out"),
    "search": (*BLOCKS, "search"),
    "out_of_order": (*BLOCKS, "search", "out_of_order"),
    "snapshots": (*BLOCKS, "search", "out_of_order", "snapshots"),
    "hunks": ("lines", "hunks"),
    "whole_file": ("lines", "whole_file"),
    "pairs": ("one pair", "pairs"),
}
"""The operators from the chunks to each."""
STAGES = tuple(WAYS)

Operator = Callable[[Observable[Any]], Observable[Any]]


def stage(name: str, dialect: str = "safe") -> Operator:
    """One operator of a dialect, for the file of this module."""
    rules, document = DIALECTS[dialect], Document(FILE)
    made: dict[str, Callable[[], Operator]] = {
        "lines": lines,
        "entities": entities,
        "partial_markers": lambda: partial_markers(rules.grammar),
        "markers": lambda: markers(rules.grammar),
        "search": lambda: search(document, rules),
        "out_of_order": lambda: out_of_order(rules.line_tiers),
        "snapshots": lambda: snapshots(document, rules),
        "line_hints": line_hints,
        "leave_out": lambda: leave_out({1}),
        "hunks": hunks,
        "whole_file": lambda: whole_file(document),
        "one pair": lambda: one_pair,
        "pairs": pairs,
    }
    return made[name]()


def pipeline(source: Observable[Any], last: str, dialect: str = "safe") -> Observable[Any]:
    """A source through all operators up to one."""
    for name in WAYS[last]:
        source = stage(name, dialect)(source)
    return source


def one_pair(source: Observable[Any]) -> Observable[Any]:
    """All text as the old text of one pair."""
    return source.pipe(
        ops.map(lambda item: OldText(0, item) if isinstance(item, str) else item), ops.start_with(PairBegan(0))
    )


class Log:
    """An observer that writes down what it gets, in a form that can be compared."""

    def __init__(self, source: Observable[Any], **options: Any) -> None:
        self.items: list[Any] = []
        self.ends: list[object] = []
        self.disposable = source.subscribe(
            self.items.append, self.ends.append, lambda: self.ends.append("completed"), **options
        )

    @property
    def told(self) -> list[object]:
        return [state(x) if isinstance(x, Snapshot) else re.sub("0x[0-9a-f]+", "", repr(x)) for x in self.items]


each_operator = pytest.mark.parametrize("name", STAGES)


def test_every_exported_operator_is_tested_here() -> None:
    """What the package calls an operator in its docstring is in the list of this module."""
    exported = [getattr(editstream.operators, name) for name in editstream.operators.__all__]
    operators = {item.__name__ for item in exported if (getattr(item, "__doc__", "") or "").startswith("Operator:")}
    assert operators == {*STAGES}


@each_operator
def test_it_completes_once(name: str) -> None:
    """One end comes out, after all items."""
    log = Log(pipeline(rx.from_iterable(cut(STREAM, 1)), name))
    assert len(log.ends) == 1
    assert log.items


@each_operator
def test_each_subscription_has_its_own_state(name: str) -> None:
    """Two subscriptions to one pipeline, interleaved or one after the other, give the same."""
    source, chunks = Subject[Any](), cut(STREAM, 2)
    piped = pipeline(source, name)
    first, second = Log(piped), Log(piped)
    for chunk in chunks:
        source.on_next(chunk)
    source.on_completed()
    cold = pipeline(rx.from_iterable(chunks), name)
    third, fourth = Log(cold), Log(cold)
    assert first.told == second.told == third.told == fourth.told
    assert len(first.ends) == len(fourth.ends) == 1


@each_operator
def test_an_end_lets_go_of_the_source(name: str) -> None:
    """After `End` nothing more is read, and the source is disposed of."""
    source = Subject[Any]()
    log = Log(pipeline(source, name))
    source.on_next("a\n")
    source.on_next(End("complete"))
    count = len(log.items)
    source.on_next("b\n")
    source.on_completed()
    assert (len(source.observers), len(log.items), len(log.ends)) == (0, count, 1)


@each_operator
def test_disposal_reaches_the_source(name: str) -> None:
    """Whoever stops listening stops the source, and hears nothing more."""
    disposed, observers = list[int](), list[ObserverBase[Any]]()

    def subscribe(observer: ObserverBase[Any], _: SchedulerBase | None) -> Disposable:
        observers.append(observer)
        return Disposable(lambda: disposed.append(1))

    log = Log(pipeline(rx.create(subscribe), name))
    observers[0].on_next("a\n")
    count = len(log.items)
    log.disposable.dispose()
    observers[0].on_next("b\n")
    observers[0].on_completed()
    assert (disposed, len(log.items), log.ends) == ([1], count, [])


@each_operator
def test_the_scheduler_is_forwarded(name: str) -> None:
    """The source is subscribed to with the scheduler of the subscription."""
    seen, scheduler = list[SchedulerBase | None](), ImmediateScheduler()

    def subscribe(observer: ObserverBase[Any], scheduler: SchedulerBase | None) -> Disposable:
        seen.append(scheduler)
        observer.on_completed()
        return Disposable()

    Log(pipeline(rx.create(subscribe), name), scheduler=scheduler)
    assert seen == [scheduler]


@each_operator
def test_an_error_of_the_source_is_passed_on_once(name: str) -> None:
    """The source's own error comes last, after what was left."""
    failure = ConnectionError("gone")
    log = Log(pipeline(rx.concat(rx.from_iterable(cut(STREAM, 3)), rx.throw(failure)), name))
    assert log.ends == [failure]


@each_operator
@pytest.mark.parametrize("wrong", [object(), 3, None])
def test_a_wrong_item_never_throws_into_the_producer(name: str, wrong: object) -> None:
    """An item that a stage cannot take is at most one error for the observer, alone or in a pipe."""
    for piped in (stage(name), lambda source: pipeline(source, name)):
        source = Subject[Any]()
        log = Log(piped(source))
        source.on_next(wrong)
        source.on_completed()
        assert len(log.ends) == 1
        assert len(source.observers) == 0


@pytest.mark.parametrize("dialect", ["safe", "v1", "v2"])
def test_the_operators_in_a_pipe_give_what_the_editor_gives(dialect: str) -> None:
    """Put together by hand, the stages give the same snapshots."""
    chunks = cut(STREAM, 4)
    log, editor = Log(pipeline(rx.from_iterable(chunks), "snapshots", dialect)), FileEditor(FILE, dialect=dialect)  # type: ignore[arg-type]
    assert log.told[:-1] == [state(editor.feed(chunk)) for chunk in chunks]
    assert log.told[-1] == state(run(FILE, chunks, dialect=dialect).snapshot)
