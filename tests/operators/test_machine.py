"""The bridge from a machine to Rx keeps the Rx contract, and a chain of machines is a machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import reactivex
from reactivex import Subject, abc
from reactivex import operators as ops
from reactivex.disposable import Disposable
from reactivex.scheduler import CurrentThreadScheduler
from reactivex.testing import ReactiveTest, TestScheduler
from stages import fed

from editstream.operators import NOTHING, Chain, End, Reason, Unfinished, as_operator
from editstream.operators.machine import drain, step

on_next, on_error, on_completed = ReactiveTest.on_next, ReactiveTest.on_error, ReactiveTest.on_completed


class Sums:
    """A machine for these tests: running sums; it breaks at 13, and at the end if it has come to 99."""

    def __init__(self) -> None:
        self.sum = 0

    def feed(self, item: int) -> Iterator[int]:
        self.sum += item
        yield self.sum
        if item == 13:
            raise ValueError("13")

    def peek(self, unfinished: Unfinished[int]) -> Unfinished[int]:
        return Unfinished(self.sum + item for item in unfinished)

    def close(self, reason: Reason) -> Iterator[int | End]:
        yield self.sum
        if self.sum == 99:
            raise ValueError("99")
        yield End(reason)


class Doubles:
    """A machine for these tests: every item twice."""

    def feed(self, item: int) -> Iterable[int]:
        return [item, item]

    def peek(self, unfinished: Unfinished[int]) -> Unfinished[int]:
        return Unfinished((*unfinished, *unfinished))

    def close(self, reason: Reason) -> Iterable[End]:
        return (End(reason),)


sums = as_operator(Sums)


def told(source: reactivex.Observable[Any]) -> list[Any]:
    """All that an observer is told, the terminal event last."""
    heard = list[Any]()
    source.subscribe(heard.append, lambda error: heard.append(str(error)), lambda: heard.append("completed"))
    return heard


def test_importing_the_operators_leaves_rx_alone() -> None:
    """The package can be imported without loading reactivex, rich or pydantic."""
    code = "import sys, editstream.operators as o; [getattr(o, name) for name in o.__all__];"
    code += "sys.exit(bool({'reactivex', 'rich', 'pydantic'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("items", "heard"),
    [
        ([], [0, End(), "completed"]),
        ([1, 2], [1, 3, 3, End(), "completed"]),
        ([1, End("cancelled")], [1, 1, End("cancelled"), "completed"]),
        ([1, End("truncated"), 5, End()], [1, 1, End("truncated"), "completed"]),
        ([1, Unfinished((2, 3)), 4], [1, Unfinished((3, 4)), 5, 5, End(), "completed"]),
        ([1, 13, 2], [1, 14, "13"]),
        ([99], [99, 99, "99"]),
        ([99, End()], [99, 99, "99"]),
    ],
)
def test_what_an_observer_is_told(items: list[Any], heard: list[Any]) -> None:
    """Items go to feed, unfinished ones to peek, the end to close, and there is exactly one terminal event."""
    assert told(reactivex.from_iterable(items).pipe(sums)) == heard


def test_marbles() -> None:
    """Everything that follows from an item is given at the item's own time."""
    scheduler = TestScheduler()
    source = scheduler.create_hot_observable(on_next(210, 1), on_next(220, 2), on_completed(230))
    assert scheduler.start(lambda: source.pipe(sums)).messages == [
        on_next(210, 1),
        on_next(220, 3),
        on_next(230, 3),
        on_next(230, End()),
        on_completed(230),
    ]
    assert [(each.subscribe, each.unsubscribe) for each in source.subscriptions] == [(200, 230)]


def test_a_failing_source_closes_as_truncated() -> None:
    """An error of the source gives what the machine still has, and is then passed on itself, in place of an end."""
    scheduler, error = TestScheduler(), OSError("gone")
    source = scheduler.create_hot_observable(on_next(210, 5), on_error(220, error))
    assert scheduler.start(lambda: source.pipe(sums)).messages == [
        on_next(210, 5),
        on_next(220, 5),
        on_error(220, error),
    ]


def test_an_error_of_the_source_passes_every_stage() -> None:
    """Each stage of a pipe gives its rest, and the observer hears of the source's error after all of them."""
    source = reactivex.of(1).pipe(ops.concat(reactivex.throw(OSError("gone"))))
    assert told(source.pipe(sums, as_operator(Doubles), sums)) == [1, 2, 3, 4, 4, "gone"]


def test_the_error_of_the_source_comes_before_that_of_the_machine() -> None:
    """When both the source and the closing machine fail, the observer hears of the source, once."""
    source = reactivex.of(99).pipe(ops.concat(reactivex.throw(OSError("gone"))))
    assert told(source.pipe(sums)) == [99, 99, "gone"]


def test_a_machine_that_breaks_leaves_the_producer_alone() -> None:
    """The producer's own call returns, its later calls have no effect, and its subscription is gone."""
    source: Subject[int] = Subject()
    heard = list[Any]()
    source.pipe(sums).subscribe(heard.append, lambda error: heard.append(str(error)))
    for item in (1, 13, 2):
        source.on_next(item)
    assert heard == [1, 14, "13"]
    assert not source.observers


@pytest.mark.parametrize("end", [End(), 13], ids=["end", "error"])
def test_the_source_is_disposed_after_the_terminal_event(end: Any) -> None:
    """Once the machine has ended, by an end or an error, the source is let go."""
    scheduler = TestScheduler()
    source = scheduler.create_hot_observable(on_next(210, 1), on_next(220, end), on_next(230, 1))
    scheduler.start(lambda: source.pipe(sums))
    assert [(each.subscribe, each.unsubscribe) for each in source.subscriptions] == [(200, 220)]


def test_disposal_reaches_the_source() -> None:
    """A subscriber that leaves takes the subscription of the source with it, and is told nothing more."""
    scheduler = TestScheduler()
    source = scheduler.create_hot_observable(on_next(210, 1), on_next(300, 2), on_completed(400))
    messages = scheduler.start(lambda: source.pipe(sums), disposed=250).messages
    assert messages == [on_next(210, 1)]
    assert [(each.subscribe, each.unsubscribe) for each in source.subscriptions] == [(200, 250)]


def test_a_subscriber_may_leave_in_the_midst_of_an_item() -> None:
    """Of several things that follow from one item, a subscriber that has enough after one gets one."""
    assert told(reactivex.of(1, 2).pipe(as_operator(Doubles), ops.take(3))) == [1, 1, 2, "completed"]


def test_each_subscription_has_its_own_state() -> None:
    """Two subscriptions to one observable do not see each other's items."""
    observable = reactivex.of(1, 2).pipe(sums)
    assert told(observable) == told(observable) == [1, 3, 3, End(), "completed"]


def test_a_machine_that_cannot_be_made() -> None:
    """An exception of the maker is told to the observer like any other."""

    def broken() -> Sums:
        raise ValueError("no machine")

    assert told(reactivex.of(1).pipe(as_operator(broken))) == ["no machine"]


def test_the_scheduler_is_forwarded() -> None:
    """The scheduler of a subscription is the one that the source is subscribed with."""
    seen = list[abc.SchedulerBase | None]()

    def subscribe(observer: abc.ObserverBase[int], scheduler: abc.SchedulerBase | None = None) -> abc.DisposableBase:
        seen.append(scheduler)
        return Disposable()

    scheduler = CurrentThreadScheduler()
    reactivex.Observable(subscribe).pipe(sums).subscribe(lambda _: None, scheduler=scheduler)
    assert seen == [scheduler]


def test_stages_in_one_pipe_end_together() -> None:
    """The end of one stage ends the next with the same reason, and each gives its rest in turn."""
    source = reactivex.of(1, End("cancelled"), 7)
    assert told(source.pipe(sums, sums)) == [1, 2, 2, End("cancelled"), "completed"]


@pytest.mark.parametrize("items", [[], [1], [1, 2], [1, Unfinished((5,))], [Unfinished((5,)), 1], [NOTHING]])
@pytest.mark.parametrize("make", [(Sums, Doubles), (Doubles, Sums), (Sums, Doubles, Sums)], ids=str)
def test_a_chain_is_its_machines_one_after_the_other(items: list[Any], make: tuple[type, ...]) -> None:
    """A chain gives what its machines give when each is fed all that the one before gave."""
    expected: list[Any] = items
    for machine in (each() for each in make):
        ended = bool(expected) and isinstance(expected[-1], End)
        expected = fed(machine, expected[:-1] if ended else expected)
    chain = Chain([each() for each in make])
    given = [out for item in items for out in (chain.feed(item) if not isinstance(item, tuple) else [chain.peek(item)])]
    assert [*given, *chain.close("complete")] == expected


def test_a_chain_gives_what_came_before_an_error() -> None:
    """What the last machine of a chain gave before it broke is given, and then the error."""
    given, error = drain(Chain([Doubles(), Sums()]).feed, 13)
    assert (given, str(error)) == ([13], "13")


def test_the_three_verbs_by_the_item() -> None:
    """An item is handed to feed, an unfinished one to peek, and an end to close."""
    machine = Sums()
    assert list(step(machine, 3)) == [3]
    assert list(step(machine, Unfinished((1, 2)))) == [Unfinished((4, 5))]
    assert list(step(machine, End("truncated"))) == [3, End("truncated")]


@pytest.mark.parametrize("more", ["next", "error", "completed"])
def test_a_producer_that_goes_on_after_the_end_is_not_heard(more: str) -> None:
    """What a source still sends after an ``End``, before it can be let go, has no effect."""

    def send(observer: abc.ObserverBase[Any], _: abc.SchedulerBase | None) -> abc.DisposableBase:
        observer.on_next(1)
        observer.on_next(End())
        {"next": lambda: observer.on_next(5), "error": lambda: observer.on_error(OSError()),
         "completed": observer.on_completed}[more]()  # fmt: skip
        return Disposable()

    assert told(reactivex.create(send).pipe(sums)) == [1, 1, End(), "completed"]


def test_a_chain_of_one_is_that_machine() -> None:
    """A chain of a single machine gives what the machine gives, by each verb."""
    chain = Chain([Sums()])
    assert [*chain.feed(1), *chain.feed(2), chain.peek(Unfinished((5,))), *chain.close("complete")] == [
        1,
        3,
        Unfinished((8,)),
        3,
        End(),
    ]
