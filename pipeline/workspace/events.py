"""Write events and the bus that carries them: the explicit side stream every change to a file goes through."""

import logging
from collections.abc import Callable
from threading import Lock
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

    One that fails is logged and harms neither the write nor the others.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._subscribers: dict[object, Callable[[WriteEvent], None]] = {}

    def subscribe(self, callback: Callable[[WriteEvent], None]) -> Callable[[], None]:
        """Call `callback` with every event from now on; the function returned ends that, and may be called twice."""
        token = object()
        with self._lock:
            self._subscribers[token] = callback

        def unsubscribe() -> None:
            with self._lock:
                self._subscribers.pop(token, None)

        return unsubscribe

    def observable(self) -> "Observable[WriteEvent]":
        """The events as a hot observable: it never ends, and each subscription is one on the bus."""
        from reactivex import create
        from reactivex.disposable import Disposable

        def attach(observer: "ObserverBase[WriteEvent]", _: "SchedulerBase | None" = None) -> "DisposableBase":
            return Disposable(self.subscribe(observer.on_next))

        return create(attach)

    def publish(self, event: WriteEvent) -> None:
        """Hand the event to every subscriber before returning."""
        with self._lock:
            subscribers = tuple(self._subscribers.values())
        for callback in subscribers:
            try:
                callback(event)
            except Exception:  # noqa: BLE001 (whatever a subscriber raises is its own affair)
                _log.exception("a subscriber failed on write event %d", event.sequence)
