"""Replacing one file atomically: whoever looks, and whenever the power goes, sees the old file or the new, whole.

The new bytes go to a hidden temporary file in the same folder (a rename is atomic only within a file system), are
flushed to the disk, renamed over the old name, and then the folder is flushed too, since the name is its content.
"""

import errno
import os
import secrets
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

TEMPORARY_PREFIX = ".editstream-"
"""Begins the name of every temporary file; short, so that a name of full length still has room beside it."""

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW_FILE_MODE = 0o666  # less the umask, as for any new file


def replace_file(path: str, data: bytes, *, like: os.stat_result | None, last_check: Callable[[], None]) -> None:
    """Make `path` (absolute) hold `data`, with the mode and owner of `like`, or those of a new file.

    `last_check` runs just before the rename and may raise to stop it. The caller flushes the folder. Raises OSError;
    the temporary file is gone then.
    """
    if like is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only", path)
    temporary = os.path.join(os.path.dirname(path), f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}.tmp")
    try:
        with open(os.open(temporary, _FLAGS, _NEW_FILE_MODE if like is None else 0o600), "wb") as file:
            file.write(data)
            if like is not None:
                _take_after(file.fileno(), like)
            file.flush()
            os.fsync(file.fileno())
        last_check()
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


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
    """Make the missing folders above `path`; take them away again if the block fails."""
    missing: list[str] = []
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    made: list[str] = []
    try:
        for folder in reversed(missing):
            with suppress(FileExistsError):
                os.mkdir(folder)
                made.append(folder)
                sync_folder(os.path.dirname(folder))
        yield
    except BaseException:
        for folder in reversed(made):
            with suppress(OSError):
                os.rmdir(folder)
        raise


def _take_after(descriptor: int, like: os.stat_result) -> None:
    """Owner first, since changing it clears the set-id bits; who may not give files away keeps the new one."""
    if os.name != "posix":
        return
    mine = os.fstat(descriptor)
    if (mine.st_uid, mine.st_gid) != (like.st_uid, like.st_gid):
        with suppress(PermissionError):
            os.fchown(descriptor, like.st_uid, like.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(like.st_mode))
