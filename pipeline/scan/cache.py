"""The scan cache: a list per root and options, kept for a moment, shared by all who search, put right by every write.

One lock guards the lists and the walks under way. A walk runs outside it, once for all who ask meanwhile; a change
below its root detaches it: it answers those who wait, is not kept, and nobody new joins it.
"""

import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Event, Lock
from weakref import WeakSet

from editstream.workspace import WriteEvent, WriteEvents
from editstream.workspace.agent_ignore import AGENT_RULES

from .ignore import RULE_FILES
from .listing import Listing
from .options import DEFAULT_OPTIONS, ScanCancelled, ScanOptions, ScanResult, ScanTimeout
from .patching import patched
from .policy import ScanPolicy, process_policy
from .walker import Checkpoint, walk

_POLL_SECONDS = 0.02
"""How often one who waits for another's walk looks at his own checkpoint."""


@dataclass(frozen=True, slots=True)
class ScanStatistics:
    """What a cache did so far.

    Answers from it (hits) and not (misses), walks of a root, lists put right by a change (patches), lists dropped.
    """

    hits: int = 0
    misses: int = 0
    walks: int = 0
    patches: int = 0
    evictions: int = 0


@dataclass(frozen=True, slots=True)
class _Key:
    root: str
    options: ScanOptions


@dataclass(frozen=True, slots=True)
class _Kept:
    listing: Listing
    started: float


@dataclass(slots=True, eq=False)
class _Flight:
    """A walk under way, and in the end its list or its error."""

    done: Event = field(default_factory=Event)
    kept: _Kept | None = None
    error: BaseException | None = None


_caches: "WeakSet[ScanCache]" = WeakSet()


class ScanCache:
    """Scans of folders, cached. Safe to share between threads; relative paths count from the working directory."""

    def __init__(self, policy: ScanPolicy | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        """With no policy, that of the process (`process_policy`); `clock` gives seconds and never goes back."""
        self.policy = process_policy() if policy is None else policy
        self._clock = clock
        self._lock = Lock()
        self._kept: dict[_Key, _Kept] = {}
        self._flights: dict[_Key, _Flight] = {}
        self._counts: Counter[str] = Counter()
        _caches.add(self)

    @property
    def statistics(self) -> ScanStatistics:
        """The counts so far."""
        with self._lock:
            return ScanStatistics(**self._counts)

    def get_or_scan(
        self,
        root: str | os.PathLike[str],
        options: ScanOptions = DEFAULT_OPTIONS,
        *,
        checkpoint: Checkpoint | None = None,
    ) -> ScanResult:
        """The list kept for `root` if it is young enough, else a new one, which is kept.

        `checkpoint` is called before a walk and every 128 entries and raises to end it (see `stop_when`).
        Raises OSError, ScanError.
        """
        key = _key(root, options)
        if not self.policy.ttl_ms:
            self._count("misses")
            return self._scan(key, _Flight(), False, checkpoint)
        mine = _Flight()
        try:
            while True:
                with self._lock:
                    if (kept := self._young(key)) is not None:
                        self._counts["hits"] += 1
                        return self._result(kept, from_cache=True)
                    flight = self._flights.setdefault(key, mine)
                    self._counts["misses"] += flight is mine
                if flight is mine:
                    return self._scan(key, mine, True, checkpoint)
                if (kept := self._join(key, flight, checkpoint)) is not None:
                    self._count("hits")
                    return self._result(kept, from_cache=True)
        finally:
            mine.done.set()  # only now, and whatever came between, so that nobody waits for ever

    def force_rescan(
        self,
        root: str | os.PathLike[str],
        options: ScanOptions = DEFAULT_OPTIONS,
        store: bool = True,
        *,
        checkpoint: Checkpoint | None = None,
    ) -> ScanResult:
        """Drop what is kept for `root`, walk, and keep the new list if `store`. Raises OSError, ScanError."""
        key = _key(root, options)
        flight = _Flight()
        try:
            with self._lock:
                self._evict(key)
                self._flights.pop(key, None)
                if store and self.policy.ttl_ms:
                    self._flights[key] = flight
            return self._scan(key, flight, store, checkpoint)
        finally:
            flight.done.set()

    def invalidate(self, path: str | os.PathLike[str] | None = None) -> None:
        """Drop every list that shows `path`, and where that is no folder any more, those of roots below it.

        Without a path, drop all.
        """
        places = None if path is None else _places(path)
        with self._lock:
            for key in {*self._kept, *self._flights}:
                if places is None or any(_outdates(place, key, self._links(key)) for place in places):
                    self._evict(key)
                    self._flights.pop(key, None)

    def after_write(self, path: str | os.PathLike[str]) -> None:
        """Put right what is kept, after a file at `path` was made or changed."""
        self._changed(path)

    def after_delete(self, path: str | os.PathLike[str]) -> None:
        """Put right what is kept, after what was at `path` was deleted."""
        self._changed(path)

    def after_rename(self, old: str | os.PathLike[str], new: str | os.PathLike[str]) -> None:
        """Put right what is kept, after what was at `old` was moved to `new`."""
        self._changed(old, new)

    def follow(self, events: WriteEvents) -> Callable[[], None]:
        """Put right what is kept at each write event, before the write returns; the function returned ends that."""
        return events.subscribe(self._on_event)

    def _on_event(self, event: WriteEvent) -> None:
        if event.old_path is None:
            self._changed(event.path, base=event.root)
        else:
            self._changed(event.old_path, event.path, base=event.root)

    def _changed(self, *paths: str | os.PathLike[str], base: str = "") -> None:
        """Put right what shows the path, or of a renamed file the old and the new; relative ones lie below `base`."""
        try:
            places = [os.path.join(base, path) for path in paths]
            if len({place.casefold() for place in places}) < len(places):
                # A file system that ignores case still shows the new name under the old.
                for place in places:
                    self.invalidate(place)
            for place in places:
                self._changed_at(place)
        except BaseException:  # a Ctrl-C, say: a list that was not put right is wrong
            self.invalidate()
            raise

    def _changed_at(self, path: str) -> None:
        places = _places(path)
        if places is None:
            self.invalidate()
            return
        if os.path.isdir(places[-1]):
            places = places[:1]  # where a link to a folder changed, the folder did not
        with self._lock:
            for place in places:
                for key in [key for key in self._flights if _touches(place, key, self._links(key))]:
                    del self._flights[key]
                for key in [key for key in self._kept if _touches(place, key, self._links(key))]:
                    self._put_right(key, place)
            self._trim()

    def _put_right(self, key: _Key, place: str) -> None:
        """The old time stamp stays: what others wrote must still show when the list has had its time."""
        kept = self._kept[key]
        listing = None
        if place != key.root and _within(place, key.root) and not _changes_rules(place, key.options):
            listing = patched(kept.listing, key.root, key.options, place)
        if listing is None:
            self._evict(key)
        else:
            self._kept[key] = replace(kept, listing=listing)
            self._counts["patches"] += 1

    def _scan(self, key: _Key, flight: _Flight, store: bool, checkpoint: Checkpoint | None) -> ScanResult:
        started = self._clock()
        try:
            kept = flight.kept = _Kept(walk(key.root, key.options, checkpoint=checkpoint), started)
        except BaseException as error:
            flight.error = error
            raise
        finally:
            with self._lock:
                self._counts["walks"] += 1
                attached = self._flights.get(key) is flight
                if attached:
                    del self._flights[key]
                if attached and store and flight.kept is not None:
                    self._kept.pop(key, None)
                    self._kept[key] = flight.kept
                    self._trim()
        return self._result(kept, from_cache=False)

    def _join(self, key: _Key, flight: _Flight, checkpoint: Checkpoint | None) -> _Kept | None:
        """Another's walk, when it is done; None where he gave up, which is not our failure."""
        while not flight.done.wait(None if checkpoint is None else _POLL_SECONDS):
            if checkpoint is not None:
                checkpoint()
        with self._lock:
            if self._flights.get(key) is flight:  # he was interrupted before he could clear up
                del self._flights[key]
                return None
        if isinstance(flight.error, Exception) and not isinstance(flight.error, ScanCancelled | ScanTimeout):
            raise flight.error
        return flight.kept

    def forget(self) -> None:
        """Begin anew in a child process: whoever held the lock or walks for us there is a thread of the parent."""
        self._lock = Lock()
        self._kept.clear()
        self._flights.clear()

    def _young(self, key: _Key) -> _Kept | None:
        kept = self._kept.get(key)
        if kept is not None and self._age_ms(kept) >= self.policy.ttl_ms:
            self._evict(key)
            return None
        return kept

    def _links(self, key: _Key) -> frozenset[str] | None:
        """Where the links that were followed lead; None while a walk may still meet some."""
        if not (key.options.follow_links or key.options.use_agent_ignore):
            return frozenset()
        return self._kept[key].listing.links if key in self._kept else None

    def _trim(self) -> None:
        while self._kept and (
            len(self._kept) > self.policy.max_entries
            or sum(kept.listing.weight for kept in self._kept.values()) > self.policy.max_bytes
        ):
            self._evict(min(self._kept, key=lambda key: self._kept[key].started))

    def _evict(self, key: _Key) -> None:
        if self._kept.pop(key, None) is not None:
            self._counts["evictions"] += 1

    def _age_ms(self, kept: _Kept) -> float:
        return (self._clock() - kept.started) * 1000

    def _result(self, kept: _Kept, *, from_cache: bool) -> ScanResult:
        listing = kept.listing
        return ScanResult(
            paths=listing.paths,
            kinds=listing.kinds,
            mtimes=listing.mtimes,
            sizes=listing.sizes,
            skipped=listing.skipped,
            age_ms=self._age_ms(kept),
            from_cache=from_cache,
            faults=listing.faults,
        )

    def _count(self, name: str) -> None:
        with self._lock:
            self._counts[name] += 1


def _forget_all() -> None:
    for each in _caches:
        each.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


_shared: dict[None, ScanCache] = {}


def shared_cache() -> ScanCache:
    """The cache of this process."""
    if None not in _shared:
        _shared.setdefault(None, ScanCache())  # of two threads that ask first, both get the same
    return _shared[None]


def stop_when(cancelled: Callable[[], bool] | None = None, *, timeout_ms: float | None = None) -> Checkpoint:
    """A checkpoint that ends a walk with ScanCancelled once `cancelled()` is true, or with ScanTimeout in time."""
    end = None if timeout_ms is None else time.monotonic() + timeout_ms / 1000

    def checkpoint() -> None:
        if cancelled is not None and cancelled():
            raise ScanCancelled("the scan was cancelled")
        if end is not None and time.monotonic() >= end:
            raise ScanTimeout(f"the scan took longer than {timeout_ms:g} ms")

    return checkpoint


def _key(root: str | os.PathLike[str], options: ScanOptions) -> _Key:
    return _Key(os.path.realpath(root), options)


def _places(path: str | os.PathLike[str]) -> tuple[str, ...] | None:
    """Where a path is: as the entry it names, and, should that be a link, where it leads.

    None if it cannot be told, as in a working directory that is gone. What does not exist resolves through the deepest
    folder that does.
    """
    text = os.fspath(path)
    try:
        real = os.path.realpath(text)
        folder, name = os.path.split(text)
        if name in ("", ".", ".."):
            return (real,)
        named = os.path.join(os.path.realpath(folder), name)
    except OSError:
        return None
    return (real,) if named == real else (named, real)


def _within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or below it, component by component: `/a/bc` is not below `/a/b`."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _touches(place: str, key: _Key, links: frozenset[str] | None) -> bool:
    """Whether a change of `place` can change the list: it lies below the root, or above it, or makes rules for it.

    Where links are followed, also what they lead to (see `ScanCache._links`) counts as the root does.
    """
    if links is None or any(_within(place, each) or _within(each, place) for each in (key.root, *links)):
        return True
    return _changes_rules(place, key.options) and _within(key.root, _ruled(place))


def _outdates(place: str, key: _Key, links: frozenset[str] | None) -> bool:
    """Whether the list may show `place`, or lies below a folder that is gone."""
    if _within(key.root, place) and place != key.root:
        return not os.path.isdir(place)
    return _touches(place, key, links)


def _changes_rules(place: str, options: ScanOptions) -> bool:
    name = os.path.basename(place)
    if options.use_agent_ignore and name in AGENT_RULES:
        return True
    return options.use_gitignore and (name in RULE_FILES or ".git" in place.split(os.sep))


def _ruled(place: str) -> str:
    """The folder whose entries a rule file, or something in `.git`, speaks about."""
    parts = place.split(os.sep)
    return os.sep.join(parts[: parts.index(".git")]) if ".git" in parts else os.path.dirname(place)
