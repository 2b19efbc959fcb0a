"""Replacing one file atomically: whoever looks, and whenever the power goes, sees the old file or the new, whole.

The new bytes go to a hidden temporary file in the same folder (a rename is atomic only within a file system), are
flushed to the disk, renamed over the old name, and then the folder is flushed too, since the name is its content.
"""

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

_TEMPORARY = ".editstream-{}.tmp"
_TEMPORARY_NAME = re.compile(r"\.editstream-[0-9a-f]{16}\.tmp")

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW_FILE_MODE = 0o666  # less the umask, as for any new file


def replace_file(path: str, data: bytes, *, like: os.stat_result | None, swap: Callable[[str], None]) -> None:
    """Put `data` beside `path` (absolute) and have `swap`, called with the temporary file's path, rename it over.

    The file has the mode, owner and extended attributes of the old one, whose status is `like`, or is as any new file.
    The caller flushes the folder. Raises OSError and what `swap` raises; the temporary file is gone then.
    """
    if like is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only", path)
    temporary = os.path.join(os.path.dirname(path), _TEMPORARY.format(secrets.token_hex(8)))
    mode = _NEW_FILE_MODE if like is None else 0o600
    try:
        with open(temporary, "wb", opener=lambda name, _: os.open(name, _FLAGS, mode)) as file:
            file.write(data)
            if like is not None:
                _take_after(file.fileno(), path, like)
            file.flush()
            os.fsync(file.fileno())
        swap(temporary)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def is_temporary(name: str) -> bool:
    """Whether a file of this name is one that is being written."""
    return _TEMPORARY_NAME.fullmatch(name) is not None


def sync_folder(path: str) -> None:
    """Flush a folder's names to the disk, where the file system can."""
    if os.name != "posix":
        return
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:  # one may write in it, and not read it
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


@contextmanager
def folders_for(path: str) -> Generator[None, None, None]:
    """Make the missing folders above `path`; take them away again if the block fails. Raises OSError."""
    missing: list[str] = []
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    made: list[str] = []
    try:
        for folder in reversed(missing):
            made.append(folder)  # before it is there, so that an interrupt finds it here
            if not _make_folder(folder):
                made.remove(folder)
        yield
    except BaseException:
        for folder in reversed(made):
            with suppress(OSError):
                os.rmdir(folder)
        raise


def _make_folder(path: str) -> bool:
    """Make one folder, on disk; False if somebody else was first."""
    try:
        os.mkdir(path)
    except FileExistsError:
        return False
    sync_folder(os.path.dirname(path))
    return True


def _take_after(descriptor: int, path: str, like: os.stat_result) -> None:
    """Give the new file what the old one at `path` has: owner, group, extended attributes (access lists too), mode.

    Owner first, since changing it clears the set-id bits; mode last, since those bits must not pass to who may not give
    the file away and so becomes its owner.
    """
    if os.name != "posix":
        return
    for owner, group in ((like.st_uid, -1), (-1, like.st_gid)):
        with suppress(OSError):
            os.fchown(descriptor, owner, group)
    if sys.platform == "linux":
        _copy_attributes(descriptor, path)
    mode = stat.S_IMODE(like.st_mode)
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (like.st_uid, like.st_gid):
        mode &= ~(stat.S_ISUID | stat.S_ISGID)
    os.fchmod(descriptor, mode)


if sys.platform == "linux":

    def _copy_attributes(descriptor: int, path: str) -> None:
        """Those that we may copy, and none that the new file got from its folder: an access list could open it."""
        with suppress(OSError):
            names = os.listxattr(path)
            for name in set(os.listxattr(descriptor)) - set(names):
                with suppress(OSError):
                    os.removexattr(descriptor, name)
            for name in names:
                with suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(path, name))
