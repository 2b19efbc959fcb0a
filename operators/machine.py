"""The contract of a stage, and ``as_operator``: the one bridge from a machine to an Rx operator.

A stage of the stream is a machine first: a plain object without Rx and without I/O, which can be tested with lists.
It has three verbs.

    feed(item)      takes what is final, changes the state, gives what follows.
    peek(unfinished) takes what would follow from the stages before if the unfinished line ended here, and gives what
                    would follow then, as one item. It changes nothing; what it had to search it may remember.
    close(reason)   ends the stream and gives the rest; a stage that others follow gives an ``End`` last.

A chunk thus travels as its final items, then one ``Unfinished`` that answers for the last line, which is why there is
one snapshot for each chunk, and why the snapshot after a prefix depends on that prefix alone::

    chunks     --"a\\nb"------------"c\\n"-------------|
    lines      --Line(a)-Unfinished(b)--Line(bc)-Unfinished("")--Line("")-End|

``chain`` runs several machines as one. The observable returned by an operator made here has a state of its own for
each subscription, forwards the scheduler, ends at an ``End``, and turns a machine's exception into one ``on_error``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from .events import End, Reason

if TYPE_CHECKING:
    from reactivex import Observable, abc

In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)
T = TypeVar("T")
S = TypeVar("S")


class Unfinished(tuple[Out, ...]):
    """What would follow if the unfinished line ended here: nothing, one item, or a few."""

    __slots__ = ()


NOTHING: Unfinished[Any] = Unfinished()
"""No item would follow."""


class Machine(Protocol[In, Out]):
    """A stage of the stream; see the top of this module."""

    def feed(self, item: In, /) -> Iterable[Out]:
        """Take a final item and give what follows."""
        ...

    def peek(self, unfinished: Unfinished[Any], /) -> Any:
        """Give, as one item, what would follow if the unfinished line ended here, changing nothing."""
        ...

    def close(self, reason: Reason, /) -> Iterable[Out]:
        """End the stream and give the rest."""
        ...


def step(machine: Machine[Any, T], item: Any) -> Iterable[T]:
    """Hand one item to a machine by the verb that is meant for it."""
    if item.__class__ is Unfinished:
        return (machine.peek(item),)
    if isinstance(item, End):
        return machine.close(item.reason)
    return machine.feed(item)


class Chain:
    """Several machines run as one: what one gives, the next one takes."""

    def __init__(self, machines: Sequence[Machine[Any, Any]]) -> None:
        self._machines = tuple(machines)
        self._first = self._machines[0].feed
        self._peeks = [machine.peek for machine in self._machines[1:]]

    def feed(self, item: object) -> Iterable[Any]:
        """Take an item of the first machine and give what the last one gives for it."""
        given = tuple(self._first(item))
        if len(given) == 1 and given[0].__class__ is Unfinished:
            return (self._peeked(given[0]),)  # most chunks finish no line
        return self._pass_on(self._machines[1:], given)

    def peek(self, unfinished: Unfinished[Any]) -> Any:
        """Give what the last machine would give if the unfinished line ended here."""
        return self._peeked(self._machines[0].peek(unfinished))

    def close(self, reason: Reason) -> Iterable[Any]:
        """Close all machines, first to last."""
        return self._pass_on(self._machines, (End(reason),))

    def _peeked(self, item: Any) -> Any:
        for peek in self._peeks:
            item = peek(item)
        return item

    @staticmethod
    def _pass_on(machines: Sequence[Machine[Any, Any]], items: Iterable[Any]) -> Iterable[Any]:
        for machine in machines[:-1]:
            items = [out for item in items for out in step(machine, item)]
        # The last machine may give its last snapshot and then raise: what it gives goes out one by one.
        return (out for item in items for out in step(machines[-1], item)) if machines else items


def drain(verb: Callable[[Any], Iterable[T]], item: object) -> tuple[Sequence[T], Exception | None]:
    """What a machine's verb gives for an item, and the exception that ended it, if one did."""
    given: list[T] = []
    try:
        items = verb(item)
        if items.__class__ is tuple:
            return cast("tuple[T, ...]", items), None
        given.extend(items)
    except Exception as error:  # noqa: BLE001 - whatever it is, the observer is told, never the producer
        return given, error
    return given, None


def as_operator(make_machine: Callable[[], Machine[S, T]]) -> Callable[[Observable[Any]], Observable[T]]:
    """Lift a machine into an Rx operator.

    ``make_machine`` is called once for each subscription. A source that completes without an ``End`` is complete; a
    source that fails closes the machine as truncated, and its error is passed on after what the machine still gives.
    """

    def operator(source: Observable[Any]) -> Observable[T]:
        from reactivex import Observable
        from reactivex.disposable import SingleAssignmentDisposable

        def subscribe(observer: abc.ObserverBase[T], scheduler: abc.SchedulerBase | None = None) -> abc.DisposableBase:
            upstream = SingleAssignmentDisposable()
            bridge = _Bridge(make_machine(), observer, upstream)
            upstream.disposable = source.subscribe(
                bridge.on_next, bridge.on_error, bridge.on_completed, scheduler=scheduler
            )
            return upstream

        return Observable(subscribe)

    return operator


class _Bridge(Generic[T]):
    """One subscription: hands items to the machine and what it gives to the observer, and ends exactly once."""

    def __init__(self, machine: Machine[Any, T], observer: abc.ObserverBase[T], upstream: abc.DisposableBase) -> None:
        self._machine = machine
        self._step = partial(step, machine)
        self._observer = observer
        self._upstream = upstream
        self._ended = False

    def on_next(self, item: object) -> None:
        if self._ended:
            return
        if isinstance(item, End):
            self._end(item.reason)
            return
        given, error = drain(self._step, item)
        for out in given:
            self._observer.on_next(out)
        if error is not None and not self._ended:
            self._ended = True
            self._observer.on_error(error)
            self._upstream.dispose()

    def on_completed(self) -> None:
        self._end("complete")

    def on_error(self, source_error: Exception) -> None:
        self._end("truncated", source_error)

    def _end(self, reason: Reason, source_error: Exception | None = None) -> None:
        if self._ended:
            return
        self._ended = True
        given, error = drain(self._machine.close, reason)
        for out in given:
            # A source's error makes the next stage close as truncated; an End before it would hide it.
            if source_error is None or not isinstance(out, End):
                self._observer.on_next(out)
        if (ending := source_error or error) is not None:
            self._observer.on_error(ending)
        else:
            self._observer.on_completed()
        self._upstream.dispose()
