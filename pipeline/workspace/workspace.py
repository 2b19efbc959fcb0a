"""The workspace: the one way to files under a root, for reading and for every write."""

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import file_digest
from io import BufferedReader
from threading import RLock

from . import paths
from .agent_ignore import AgentIgnore
from .errors import IgnoredPath, StaleFile, UnsafePath
from .events import WriteEvent, WriteEvents, WriteKind
from .paths import SafePath
from .text_files import MAX_FILE_BYTES, TextFile, decode, digest, encode, refuse_size
from .writer import folders_for, replace_file, sync_folder

_log = logging.getLogger(__name__)

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


class Workspace:
    """Text files below one folder. Safe to share between threads: one lock serialises writes and their events.

    A subscriber may write in turn; every other sees the events in the order on disk, which `sequence` tells. An event
    tells what happened also where the call then raises: on a Ctrl-C after the change, or if the folder does not flush.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """`root` must be an existing folder; it may be a link. Raises OSError otherwise."""
        self.root = os.path.realpath(root, strict=True)
        if not os.path.isdir(self.root):
            raise NotADirectoryError(f"{self.root!r} is no folder")
        self.events = WriteEvents()
        self._agent_ignore = AgentIgnore(self.root)
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

    def allowed(self, path: str | os.PathLike[str]) -> str:
        """Where a path that a model wrote leads, with links resolved, relative to the root with `/`.

        The files that `.cursorignore`, `.clineignore` and `.editstreamignore` speak of are a model's business nowhere:
        neither by the name as written nor by the place it leads to. The other methods do not ask: what a program
        itself reads and writes is its own affair. Raises UnsafePath, IgnoredPath, OSError.
        """
        plain = paths.as_written(path)
        relative = paths.resolve(self.root, plain).relative
        self.refuse_ignored(plain)
        if relative != plain:
            self.refuse_ignored(relative)
        return relative

    def refuse_ignored(self, path: str) -> None:
        """Raise IgnoredPath if a model is kept out of a file or folder; `path` is relative to the root with `/`."""
        rule = self._agent_ignore.rule_for(path, is_folder=os.path.isdir(os.path.join(self.root, path)))
        if rule is not None:
            raise IgnoredPath(rule.said(path, self.root))

    def has_file(self, path: str | os.PathLike[str]) -> bool:
        """Whether there is a file at `path` that a model may know of. Raises OSError."""
        try:
            return os.path.isfile(os.path.join(self.root, self.allowed(path)))
        except (UnsafePath, IgnoredPath):
            return False

    def write_text(self, path: str | os.PathLike[str], text: str, *, expected: TextFile | None = None) -> WriteEvent:
        """Make the file hold `text`, atomically, in the encoding it has, with its mark and mode; return the event.

        Missing folders are made. With `expected`, what is on disk must be what was read then, or still be missing;
        without, whatever is there is replaced. Other names of the file (hard links) keep the old text, and a warning is
        logged. Raises UnsafePath, StaleFile, UnsupportedText, FileTooLarge, OSError; nothing was written then.
        """
        plain = paths.as_written(path)
        with self._lock:
            safe = paths.resolve(self.root, plain)
            disk = _look(safe)
            if expected is not None:
                _refuse_stale(plain, disk, expected)
            file = expected or (TextFile(plain) if disk.data is None else decode(plain, disk.data))
            data = encode(replace(file, path=plain), text)
            kind: WriteKind = "created" if disk.data is None else "modified"
            event = self._event(kind, safe, before=disk.sha256, after=digest(data), size=len(data))

            def swap(temporary: str) -> None:
                _refuse_changed(self.root, plain, safe, disk)
                self._change(event, [safe], partial(os.replace, temporary, safe.absolute), gone=temporary)

            with folders_for(safe.absolute):
                replace_file(safe.absolute, data, like=disk.status, swap=swap)
            _warn_of_other_names(plain, disk)
            return event

    def delete(self, path: str | os.PathLike[str]) -> WriteEvent:
        """Remove the file (of a link: the link) and return the event. Raises UnsafePath, OSError."""
        with self._lock:
            safe = paths.resolve(self.root, path, follow=False)
            before, _ = _fingerprint(safe)
            event = self._event("deleted", safe, before=before)
            self._change(event, [safe], partial(os.unlink, safe.absolute), gone=safe.absolute)
            return event

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
            event = self._event("renamed", target, source=source, before=sha256, after=sha256, size=size)
            move = partial(os.rename, source.absolute, target.absolute)
            with folders_for(target.absolute):
                self._change(event, [target, source], move, gone=source.absolute)
            return event

    def _event(
        self,
        kind: WriteKind,
        safe: SafePath,
        *,
        source: SafePath | None = None,
        before: str | None = None,
        after: str | None = None,
        size: int = 0,
    ) -> WriteEvent:
        """The event of a change that is about to be made."""
        return WriteEvent(
            kind=kind,
            path=safe.relative,
            root=self.root,
            old_path=source.relative if source else None,
            hash_before=before,
            hash_after=after,
            size=size,
            time=datetime.now(UTC),
            sequence=self._sequence + 1,
        )

    def _change(self, event: WriteEvent, places: list[SafePath], act: Callable[[], None], *, gone: str) -> None:
        """Make the change, flush the folders, tell. What happened is told even if the rest of it fails.

        `act` is one system call. One that raises OSError did nothing; an interrupt may come before it or after it, and
        then the absence of the path `gone` is the sign that it was made.
        """
        folders = {os.path.dirname(place.absolute) for place in places}
        made = False
        try:
            act()
            made = True
            for folder in folders:
                sync_folder(folder)
            self._tell(event)
        except BaseException as error:
            if made or not (isinstance(error, OSError) or os.path.lexists(gone)):
                self._tell(event)
            raise

    def _tell(self, event: WriteEvent) -> None:
        """Tell all who are subscribed; called again after an interrupt, those who were not reached."""
        if self._sequence < event.sequence:
            self._sequence = self.events.enqueue(event)
        self.events.deliver()


def _opened(safe: SafePath) -> BufferedReader:
    return open(safe.absolute, "rb", opener=lambda name, _: os.open(name, _READ_FLAGS))


def _look(safe: SafePath) -> _OnDisk:
    """The file as it is now."""
    try:
        with _opened(safe) as file:
            status = os.fstat(file.fileno())
            refuse_size(safe.relative, status.st_size)
            return _OnDisk(file.read(MAX_FILE_BYTES + 1), status)
    except FileNotFoundError:
        return _OnDisk()


def _fingerprint(safe: SafePath) -> tuple[str | None, int]:
    """The sha256 and the size in bytes of a file of any size; None and 0 for a link, which has no bytes of its own."""
    if os.path.islink(safe.absolute):
        return None, 0
    with _opened(safe) as file:
        return file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size


def _refuse_stale(plain: str, disk: _OnDisk, expected: TextFile) -> None:
    if disk.sha256 == expected.sha256:
        return
    if disk.data is None:
        raise StaleFile(f"{plain!r} was deleted since it was read; create it anew or leave it")
    if not expected.exists:
        raise StaleFile(f"{plain!r} was to be a new file and exists by now; read it and edit that")
    raise StaleFile(f"{plain!r} changed on disk since it was read; read it again and redo the edit")


def _refuse_changed(root: str, plain: str, safe: SafePath, disk: _OnDisk) -> None:
    """Look again in the last moment, after the slow part of a write. At the bytes: times are too coarse to tell."""
    now = paths.resolve(root, plain)
    if now != safe or _look(now).data != disk.data:
        raise StaleFile(f"{plain!r} changed on disk while it was being written; read it again and redo the edit")


def _warn_of_other_names(plain: str, disk: _OnDisk) -> None:
    others = disk.status.st_nlink - 1 if disk.status else 0
    if others:
        _log.warning("%r was one of %d names of a file; the others keep the old text", plain, others + 1)


def _differ_in_case_only(one: SafePath, other: SafePath) -> bool:
    """Whether the two are one file to a file system that ignores case, so that renaming overwrites nothing."""
    return (
        one.absolute != other.absolute
        and one.absolute.casefold() == other.absolute.casefold()
        and os.path.samefile(one.absolute, other.absolute)
        and os.lstat(one.absolute).st_nlink == 1
    )
