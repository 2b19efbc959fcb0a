"""Write events and the bus that carries them: the explicit side stream every change to a file goes through."""

import logging
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, NonNegativeInt

if TYPE_CHECKING:
    from reactivex import Observable
    from reactivex.abc import DisposableBase, ObserverBase, SchedulerBase

WriteKind = Literal["created", "modified", "deleted", "renamed"]

_log = logging.getLogger(__name__)


class WriteEvent(BaseModel):
    """One change to one file, published after it is on disk and before the call that made it returns.

    Paths are relative to the canonical `root`, with `/`; a file written through a link is named where it really is.
    `old_path` is where a renamed file was. Hashes are sha256 in hex of the whole file, None where there is none (before
    a creation, after a deletion, for a link). `size` is the file's new size in bytes, `sequence` counts from 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: WriteKind
    path: str
    root: str
    old_path: str | None = None
    hash_before: str | None
    hash_after: str | None
    size: NonNegativeInt
    time: AwareDatetime
    sequence: int


class WriteEvents:
    """A bus of write events. Subscribers are called in the writer's thread, in the order they subscribed.

    Each sees the events in the order of their numbers, also where one of them writes in turn: what the others have not
    seen yet is delivered first. One that fails is logged and harms neither the write nor the others; a
    KeyboardInterrupt, or another BaseException of one, comes out of the write call once the others have been told.
    """

    def __init__(self) -> None:
        self._subscribers: dict[object, Callable[[WriteEvent], None]] = {}
        self._due: deque[tuple[object, WriteEvent]] = deque()

    def subscribe(self, callback: Callable[[WriteEvent], None]) -> Callable[[], None]:
        """Call `callback` with every event from now on; the function returned ends that, and may be called twice.

        Once it was called in the thread that writes no further event comes, not even one that others are being told.
        """
        token = object()
        self._subscribers[token] = callback
        return lambda: _forget(self._subscribers, token)

    def observable(self) -> "Observable[WriteEvent]":
        """The events as a hot observable: it never ends, and each subscription is one on the bus."""
        from reactivex import create
        from reactivex.disposable import Disposable

        def attach(observer: "ObserverBase[WriteEvent]", _: "SchedulerBase | None" = None) -> "DisposableBase":
            return Disposable(self.subscribe(observer.on_next))

        return create(attach)

    def enqueue(self, event: WriteEvent) -> int:
        """Note, once, that those who are subscribed now are to be told; for the writer, whose lock is held.

        Gives the event's number.
        """
        if all(due is not event for _, due in self._due):
            self._due.extend([(token, event) for token in tuple(self._subscribers)])
        return event.sequence

    def deliver(self) -> None:
        """Tell whoever is still to be told of anything; for the writer, whose lock is held."""
        try:
            while self._due:
                token, event = self._due[0]
                callback = self._subscribers.get(token, _ignore)
                try:
                    callback(self._due.popleft()[1])
                except Exception:  # noqa: BLE001 (whatever a subscriber raises is its own affair)
                    _log.exception("a subscriber failed on write event %d", event.sequence)
        finally:
            if self._due:
                self.deliver()


def _forget(subscribers: dict[object, Callable[[WriteEvent], None]], token: object) -> None:
    subscribers.pop(token, None)


def _ignore(event: WriteEvent) -> None:
    """Stands for a subscriber who left while the event was on its way."""
