"""The workspace: the one way to files under a root, for reading and for every write."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import file_digest
from threading import RLock

from . import paths
from .errors import StaleFile
from .events import WriteEvent, WriteEvents, WriteKind
from .paths import SafePath
from .text_files import TextFile, decode, digest, encode, refuse_size
from .writer import folders_for, replace_file, sync_folder

# Without O_NONBLOCK, a pipe put in the file's place after the check would hold us for ever.
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class _OnDisk:
    """A file's bytes and status at one moment; None and None where there is no file."""

    data: bytes | None = None
    status: os.stat_result | None = None

    @property
    def sha256(self) -> str | None:
        return None if self.data is None else digest(self.data)

    @property
    def identity(self) -> tuple[int, int, int] | None:
        """What tells cheaply that the file was changed or replaced: modification time in ns, size, inode."""
        return _identity(self.status)


class Workspace:
    """Text files below one folder. Safe to share between threads: one lock serialises writes and their events.

    A subscriber may write in turn; the others then see the inner event first, and `sequence` tells the order on disk.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """`root` must be an existing folder; it may be a link. Raises OSError otherwise."""
        self.root = os.path.realpath(root, strict=True)
        if not os.path.isdir(self.root):
            raise NotADirectoryError(f"{self.root!r} is no folder")
        self.events = WriteEvents()
        self._lock = RLock()
        self._sequence = 0

    def read(self, path: str | os.PathLike[str], *, missing_ok: bool = False) -> TextFile:
        """The text file at `path`, relative to the root.

        With missing_ok a file that does not exist is an empty TextFile, which `write_text` may expect in its turn.
        Raises UnsafePath, UnsupportedText, FileTooLarge, OSError.
        """
        plain = paths.as_written(path)
        disk = _look(paths.resolve(self.root, plain))
        if disk.data is not None:
            return decode(plain, disk.data)
        if missing_ok:
            return TextFile(plain)
        raise FileNotFoundError(f"there is no file {plain!r}")

    def write_text(self, path: str | os.PathLike[str], text: str, *, expected: TextFile | None = None) -> WriteEvent:
        """Make the file hold `text`, atomically, in the encoding it has, with its mark and mode; return the event.

        Missing folders are made. With `expected`, what is on disk must be what was read then, or still be missing;
        without, whatever is there is replaced. Raises UnsafePath, StaleFile, UnsupportedText, FileTooLarge, OSError;
        nothing was written then.
        """
        plain = paths.as_written(path)
        with self._lock:
            safe = paths.resolve(self.root, plain)
            disk = _look(safe)
            if expected is not None:
                _refuse_stale(plain, disk, expected)
            file = expected or (TextFile(plain) if disk.data is None else decode(plain, disk.data))
            data = encode(replace(file, path=plain), text)
            with folders_for(safe.absolute):
                replace_file(safe.absolute, data, like=disk.status, last_check=_unchanged(plain, safe, disk))
            kind: WriteKind = "created" if disk.data is None else "modified"
            return self._publish(kind, safe, before=disk.sha256, after=digest(data), size=len(data))

    def delete(self, path: str | os.PathLike[str]) -> WriteEvent:
        """Remove the file (of a link: the link) and return the event. Raises UnsafePath, OSError."""
        with self._lock:
            safe = paths.resolve(self.root, path, follow=False)
            before, _ = _fingerprint(safe)
            os.unlink(safe.absolute)
            return self._publish("deleted", safe, before=before)

    def rename(self, old: str | os.PathLike[str], new: str | os.PathLike[str]) -> WriteEvent:
        """Move the file (of a link: the link), making missing folders, and return the event.

        Nothing is overwritten. Raises UnsafePath, OSError (FileExistsError where `new` is taken).
        """
        with self._lock:
            source = paths.resolve(self.root, old, follow=False)
            target = paths.resolve(self.root, new, follow=False)
            sha256, size = _fingerprint(source)
            if os.path.lexists(target.absolute) and not _differ_in_case_only(source, target):
                raise FileExistsError(f"{target.relative!r} exists; delete it first or choose another name")
            with folders_for(target.absolute):
                os.rename(source.absolute, target.absolute)
            return self._publish("renamed", target, source=source, before=sha256, after=sha256, size=size)

    def _publish(
        self,
        kind: WriteKind,
        safe: SafePath,
        *,
        source: SafePath | None = None,
        before: str | None = None,
        after: str | None = None,
        size: int = 0,
    ) -> WriteEvent:
        """Flush the folders, and tell even if that fails, since the change is there to be seen."""
        self._sequence += 1
        event = WriteEvent(
            kind=kind,
            path=safe.relative,
            root=self.root,
            old_path=source.relative if source else None,
            hash_before=before,
            hash_after=after,
            size=size,
            time=datetime.now(UTC),
            sequence=self._sequence,
        )
        try:
            for folder in {os.path.dirname(place.absolute) for place in (safe, source) if place}:
                sync_folder(folder)
        finally:
            self.events.publish(event)
        return event


def _look(safe: SafePath) -> _OnDisk:
    """The file as it is now."""
    try:
        with open(os.open(safe.absolute, _READ_FLAGS), "rb") as file:
            status = os.fstat(file.fileno())
            refuse_size(safe.relative, status.st_size)
            return _OnDisk(file.read(), status)
    except FileNotFoundError:
        return _OnDisk()


def _fingerprint(safe: SafePath) -> tuple[str | None, int]:
    """The sha256 and the size in bytes of a file of any size; None and 0 for a link, which has no bytes of its own."""
    if os.path.islink(safe.absolute):
        return None, 0
    with open(os.open(safe.absolute, _READ_FLAGS), "rb") as file:
        return file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size


def _refuse_stale(plain: str, disk: _OnDisk, expected: TextFile) -> None:
    if disk.sha256 == expected.sha256:
        return
    if disk.data is None:
        raise StaleFile(f"{plain!r} was deleted since it was read; create it anew or leave it")
    if not expected.exists:
        raise StaleFile(f"{plain!r} was to be a new file and exists by now; read it and edit that")
    raise StaleFile(f"{plain!r} changed on disk since it was read; read it again and redo the edit")


def _unchanged(plain: str, safe: SafePath, disk: _OnDisk) -> Callable[[], None]:
    """A check for the last moment, after the slow part of a write, that nobody else has written meanwhile."""

    def check() -> None:
        try:
            status = os.lstat(safe.absolute)
        except FileNotFoundError:
            status = None
        if _identity(status) != disk.identity:
            raise StaleFile(f"{plain!r} changed on disk while it was being written; read it again and redo the edit")

    return check


def _identity(status: os.stat_result | None) -> tuple[int, int, int] | None:
    return None if status is None else (status.st_mtime_ns, status.st_size, status.st_ino)


def _differ_in_case_only(one: SafePath, other: SafePath) -> bool:
    """Whether the two are one file to a file system that ignores case, so that renaming overwrites nothing."""
    return (
        one.absolute != other.absolute
        and one.absolute.casefold() == other.absolute.casefold()
        and os.path.samefile(one.absolute, other.absolute)
        and os.lstat(one.absolute).st_nlink == 1
    )
