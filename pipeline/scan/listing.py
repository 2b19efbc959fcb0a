"""A scan's list of entries, immutable, with the surgery that puts it right after a change."""

import os
import stat
import sys
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from .options import Detail, Kind

T = TypeVar("T")


class Entry(NamedTuple):
    """One thing below the root: path with `/`, kind, time in ms and, of a file, size in bytes (0 and None unasked)."""

    path: str
    kind: Kind
    mtime: int
    size: int | None


@dataclass(frozen=True, slots=True)
class Listing:
    """Entries in columns, sorted by path in byte order.

    `weight` estimates the bytes they take in memory. `links` are the real paths that links lead to, where followed, and
    the root of all where an ignore file is one. `faults` says of each agent ignore file in doubt what is wrong with it.
    """

    paths: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    mtimes: tuple[int, ...] | None = None
    sizes: tuple[int | None, ...] | None = None
    skipped: int = 0
    weight: int = 0
    links: frozenset[str] = frozenset()
    faults: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        entries: Sequence[Entry],
        detail: Detail,
        skipped: int,
        links: frozenset[str] = frozenset(),
        faults: tuple[str, ...] = (),
    ) -> "Listing":
        """The entries, in any order, as a list."""
        column = () if detail == "full" else None
        empty = cls(mtimes=column, sizes=column, skipped=skipped, links=links, faults=faults)
        return empty._replaced(0, 0, sorted(entries, key=lambda entry: os.fsencode(entry.path)))

    def kind(self, path: str) -> Kind | None:
        """What is listed under the path."""
        at = self._position(path)
        return self.kinds[at] if at < len(self.paths) and self.paths[at] == path else None

    def with_entry(self, entry: Entry) -> "Listing":
        """The list with the entry in, in place of one of the same path; what is below it stays."""
        at = self._position(entry.path)
        known = at < len(self.paths) and self.paths[at] == entry.path
        return self._replaced(at, at + known, [entry])

    def without(self, path: str) -> "Listing":
        """The list without the path and all below it."""
        at = self._position(path)
        known = at < len(self.paths) and self.paths[at] == path
        listing = self._replaced(at, at + known, []) if known else self
        # "0" is the character after "/", so these two bound what begins with the path and a slash.
        first, end = listing._position(path + "/"), listing._position(path + "0")
        return listing._replaced(first, end, []) if first < end else listing

    def _position(self, path: str) -> int:
        return bisect_left(self.paths, os.fsencode(path), key=os.fsencode)

    def _replaced(self, start: int, stop: int, entries: Sequence[Entry]) -> "Listing":
        gone = self.paths[start:stop]
        paths = tuple(entry.path for entry in entries)
        columns = 2 if self.mtimes is None else 4
        return Listing(
            paths=_splice(self.paths, start, stop, paths),
            kinds=_splice(self.kinds, start, stop, [entry.kind for entry in entries]),
            mtimes=None if self.mtimes is None else _splice(self.mtimes, start, stop, [e.mtime for e in entries]),
            sizes=None if self.sizes is None else _splice(self.sizes, start, stop, [e.size for e in entries]),
            skipped=self.skipped,
            weight=self.weight + _weight(paths, columns) - _weight(gone, columns),
            links=self.links,
            faults=self.faults,
        )


def entry_of(path: str, status: os.stat_result) -> Entry | None:
    """The entry for what has this status; None for what is never listed: pipes, sockets, devices."""
    mtime = status.st_mtime_ns // 1_000_000
    if stat.S_ISREG(status.st_mode):
        return Entry(path, "file", mtime, status.st_size)
    if stat.S_ISDIR(status.st_mode):
        return Entry(path, "dir", mtime, None)
    if stat.S_ISLNK(status.st_mode):
        return Entry(path, "symlink", mtime, None)
    return None


def _splice(column: tuple[T, ...], start: int, stop: int, values: Sequence[T]) -> tuple[T, ...]:
    """The column with the values in place; itself where they are there already, as the names are after an edit."""
    if len(values) == stop - start and column[start:stop] == tuple(values):
        return column
    return (*column[:start], *values, *column[stop:])


def _weight(paths: Sequence[str], columns: int) -> int:
    return sum(map(sys.getsizeof, paths)) + 8 * columns * len(paths)
