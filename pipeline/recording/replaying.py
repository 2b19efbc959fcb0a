"""A recording as an observable again: at its own speed, faster or slower, or all at once.

    recording    -0---412-418---950--1251(end)
    speed=1      -----a---b-----c----(E|)        the times as recorded
    speed=2      ---a-b--c--(E|)                 half of them
    speed=None   (abcE|)                         in one go

Each item's due time is counted from the subscription, not from the item before, so a slow consumer does not make the
replay drift: what is overdue follows at once. The next item is put on the scheduler after the last one was delivered,
so there is never more than one pending, and disposal cancels it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial

from reactivex import Observable, abc
from reactivex.disposable import BooleanDisposable, CompositeDisposable, MultipleAssignmentDisposable
from reactivex.scheduler import CurrentThreadScheduler, TimeoutScheduler

from editstream.operators.events import End

from .format import Recording

MIN_SPEED = 0.001
"""The slowest replay: a second takes a quarter of an hour. Slower is a slip, and in the end no date at all."""


def replay(recording: Recording, speed: float | None = 1.0) -> Observable[str | End]:
    """The text of a recording as a cold observable: each ``str`` as it came, then its ``End``, then completion.

    ``speed`` divides the recorded times: 1.0 is as recorded, 10.0 ten times faster, None all at once. It runs on the
    scheduler that ``subscribe`` is given, else on the TimeoutScheduler (its own thread), or, at once, on the current
    thread before ``subscribe`` returns. A recorded error of the source is in ``recording.end.error``; its replay ends
    with ``End("truncated")`` like any cut stream. Tool calls are left out.

    Disposing stops it. What a subscriber raises is not caught: it goes to the scheduler that made the call.
    Raises ValueError for a speed under MIN_SPEED.
    """
    if speed is not None and not speed >= MIN_SPEED:
        raise ValueError(f"speed is a factor of {MIN_SPEED} or more, or None for all at once, not {speed}")

    def subscribe(
        observer: abc.ObserverBase[str | End], scheduler: abc.SchedulerBase | None = None
    ) -> abc.DisposableBase:
        timeline = recording.timeline()
        if speed is None:
            return _at_once(timeline, observer, scheduler or CurrentThreadScheduler.singleton())
        return _in_time(timeline, speed, observer, scheduler or TimeoutScheduler.singleton())

    return Observable(subscribe)


def _at_once(
    timeline: Iterator[tuple[int, str | End]], observer: abc.ObserverBase[str | End], scheduler: abc.SchedulerBase
) -> abc.DisposableBase:
    stopped = BooleanDisposable()

    def run(_scheduler: abc.SchedulerBase, _state: object = None) -> None:
        for _at, item in timeline:
            if stopped.is_disposed:
                return
            observer.on_next(item)
        observer.on_completed()

    return CompositeDisposable(scheduler.schedule(run), stopped)


def _in_time(
    timeline: Iterator[tuple[int, str | End]],
    speed: float,
    observer: abc.ObserverBase[str | End],
    scheduler: abc.SchedulerBase,
) -> abc.DisposableBase:
    start = scheduler.now
    pending = MultipleAssignmentDisposable()

    def await_next() -> None:
        upcoming = next(timeline, None)
        if upcoming is None:
            observer.on_completed()
            return
        at, item = upcoming
        due = start + timedelta(milliseconds=at / speed)
        pending.disposable = scheduler.schedule_absolute(due, partial(deliver, item))

    def deliver(item: str | End, _scheduler: abc.SchedulerBase, _state: object = None) -> None:
        observer.on_next(item)
        await_next()

    await_next()
    return pending
