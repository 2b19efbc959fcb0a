"""Replaying a recording: its own times, any speed, disposal, and errors that stay visible."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from reactivex import operators
from reactivex.scheduler import EventLoopScheduler, NewThreadScheduler
from reactivex.testing import ReactiveTest, TestScheduler

from editstream.operators.events import End
from editstream.recording import Ending, Header, Recording, TextDelta, ToolArguments, replay

on_next, on_completed = ReactiveTest.on_next, ReactiveTest.on_completed

RECORDING = Recording(
    Header(datetime(2026, 3, 1, tzinfo=UTC)),
    (TextDelta(10_000, "a"), TextDelta(10_000, "b"), ToolArguments(15_000, "c1", "{"), TextDelta(40_000, "c")),
    Ending(60_000, "truncated", "ConnectionResetError: peer went away"),
)


def messages(speed: float | None, disposed: float = 1000.0) -> list[Any]:
    """What a subscriber at 200 s of virtual time sees of a replay at this speed."""
    scheduler = TestScheduler()
    return scheduler.start(lambda: replay(RECORDING, speed), disposed=disposed).messages


@pytest.mark.parametrize(
    ("speed", "times"), [(1, (210, 210, 240, 260)), (2, (205, 205, 220, 230)), (0.5, (220, 220, 280, 320))]
)
def test_items_come_at_their_times(speed: float, times: tuple[int, ...]) -> None:
    """On the scheduler of the subscription each text comes at its recorded time divided by the speed, then the end."""
    items = ("a", "b", "c", End("truncated"))
    came = [on_next(time, item) for time, item in zip(times, items, strict=True)]
    assert messages(speed) == [*came, on_completed(times[-1])]


@pytest.mark.parametrize("speed", [None, float("inf")])
def test_at_once_takes_no_time(speed: float | None) -> None:
    """Without a speed, or with an infinite one, everything comes at the time of the subscription."""
    seen = messages(speed)
    assert [message.time for message in seen] == [200.0] * 5
    assert [message.value.value for message in seen[:-1]] == ["a", "b", "c", End("truncated")]


def test_disposal_stops_it() -> None:
    """After the subscription is disposed of nothing comes, and nothing is left on the scheduler."""
    scheduler = TestScheduler()
    seen = scheduler.start(lambda: replay(RECORDING), disposed=230.0).messages
    assert seen == [on_next(210, "a"), on_next(210, "b")]
    assert scheduler.clock < 260


@pytest.mark.parametrize("speed", [None, 1000.0])
def test_disposing_inside_an_item_stops_it(speed: float | None) -> None:
    """A subscriber that has enough after one item sees no second one, at once or in time."""
    seen: list[str | End] = []
    replay(RECORDING, speed).pipe(operators.take(1)).subscribe(seen.append)
    time.sleep(0.1)
    assert seen == ["a"]


def test_at_once_is_over_when_subscribe_returns() -> None:
    """At once and without a scheduler, the whole replay has been delivered on this thread before subscribe returns."""
    seen: list[Any] = []
    replay(RECORDING, None).subscribe(lambda item: seen.append((item, threading.current_thread())))
    assert seen == [(item, threading.current_thread()) for item in ("a", "b", "c", End("truncated"))]


def test_it_is_cold() -> None:
    """Each subscription gets the whole replay from its own beginning."""
    source = replay(RECORDING, None)
    seen: list[list[str | End]] = [[], []]
    for each in seen:
        source.subscribe(each.append)
    assert seen[0] == seen[1] == ["a", "b", "c", End("truncated")]


@pytest.mark.parametrize("scheduler", [None, NewThreadScheduler(), EventLoopScheduler()], ids=str)
def test_real_time_is_kept(scheduler: Any) -> None:
    """On real schedulers the items come in order and not before their time, and run() gives the end."""
    start = time.monotonic()
    assert replay(RECORDING, 300.0).run(scheduler) == End("truncated")
    assert time.monotonic() - start >= 0.2


def test_a_slow_consumer_does_not_make_it_drift() -> None:
    """Due times count from the subscription: what became overdue meanwhile follows at once."""
    scheduler = TestScheduler()
    seen: list[float] = []

    def consume(_: str | End) -> None:
        seen.append(scheduler.clock)
        scheduler.sleep(20)

    replay(RECORDING).subscribe(consume, scheduler=scheduler)
    scheduler.start()
    assert seen == [10, 30, 50, 70]


def test_a_subscribers_error_is_not_swallowed_at_once() -> None:
    """An exception that a subscriber raises comes out of the subscribe call that ran it."""

    def fail(_: str | End) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        replay(RECORDING, None).subscribe(fail)


def test_a_subscribers_error_is_not_swallowed_in_time() -> None:
    """An exception that a subscriber raises on the timer's thread reaches that thread's exception hook."""
    caught = threading.Event()
    kept, threading.excepthook = threading.excepthook, lambda _: caught.set()

    def fail(_: str | End) -> None:
        raise ZeroDivisionError

    try:
        replay(RECORDING, 1000.0).subscribe(fail)
        assert caught.wait(2)
    finally:
        threading.excepthook = kept


@pytest.mark.parametrize("speed", [0, -1.0, float("nan"), 1e-9])
def test_a_speed_that_never_arrives_is_refused(speed: float) -> None:
    """A speed of nothing, below nothing, or below the bound raises ValueError before any subscription."""
    with pytest.raises(ValueError, match="speed is a factor"):
        replay(RECORDING, speed)
