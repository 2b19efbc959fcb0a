"""Safe paths: from a name a model wrote to a place inside the root, or a refusal.

A path is judged twice. As written: relative, with `/`, no `..`, no control characters, no `.git` in any disguise a file
system may take for it. Then as resolved, with the links on disk followed: it must still be inside the root, and still
not in `.git`. A link that stays inside is fine.
"""

import errno
import os
import re
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import PureWindowsPath

from .errors import UnsafePath

MAX_NAME_BYTES = 255
"""What ext4, APFS, XFS and NTFS allow in one component."""

MAX_PATH_BYTES = 4096
"""PATH_MAX of Linux; longer paths cannot be opened in one call."""

_NOT_SHOWABLE = frozenset({"Cc", "Zl", "Zp"})
_NO_PLACE = {
    errno.ENOTDIR: "leads through a file as if it were a folder",
    errno.ELOOP: "leads through a link that leads back to itself",
    errno.ENAMETOOLONG: "is too long for the system",
}
_BIDI_CONTROLS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class SafePath:
    """A path inside a root: `relative` to it with `/`, and `absolute`, both with links resolved."""

    relative: str
    absolute: str


def as_written(path: str | os.PathLike[str]) -> str:
    """The path in its plain form, `a/b/c`, judged without looking at the disk.

    Raises UnsafePath.
    """
    text = os.fspath(path)
    if not text or text.isspace():
        raise UnsafePath("the path is empty; give a path relative to the root, such as 'src/main.py'")
    _refuse_characters(text)
    _refuse_absolute(text)
    if "\\" in text:
        raise UnsafePath(f"{text!r} holds a backslash; separate folders with '/'")
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if text.endswith(("/", "/.")) or not parts:
        raise UnsafePath(f"{text!r} names a directory; give the path of a file in it")
    _refuse_parts(text, parts)
    return "/".join(parts)


def resolve(root: str, path: str | os.PathLike[str], *, follow: bool = True) -> SafePath:
    """Where the path leads below the canonical `root`.

    With follow=False a link in the last place stands for itself, as deleting and renaming need it.
    The file need not exist; if it does it is a regular file (or, unfollowed, a link). Raises UnsafePath.
    """
    plain = as_written(path)
    joined = os.path.join(root, *plain.split("/"))
    parent, name = os.path.split(joined)
    real = os.path.realpath(joined) if follow else os.path.join(os.path.realpath(parent), name)
    relative = _below(root, real, plain)
    _refuse_parts(plain, relative.split("/"))
    _refuse_kind(real, plain, follow)
    return SafePath(relative, real)


def _below(root: str, real: str, plain: str) -> str:
    prefix = root if root.endswith(os.sep) else root + os.sep
    if not real.startswith(prefix):
        raise UnsafePath(f"{plain!r} leads out of the root through a link; name a file inside the root")
    return real[len(prefix) :].replace(os.sep, "/")


def _refuse_characters(text: str) -> None:
    if len(text) > MAX_PATH_BYTES:  # first: the other messages repeat it
        raise UnsafePath(f"the path beginning {text[:60]!r} is longer than {MAX_PATH_BYTES} bytes; shorten it")
    if any(unicodedata.category(char) in _NOT_SHOWABLE for char in text) or _BIDI_CONTROLS.search(text):
        raise UnsafePath(f"{text!r} holds control characters; give the path without them")
    try:
        size = len(os.fsencode(text))
    except UnicodeEncodeError:
        raise UnsafePath(f"{text!r} holds characters that no file name can have; give the path without them") from None
    if size > MAX_PATH_BYTES:
        raise UnsafePath(f"the path beginning {text[:60]!r} is longer than {MAX_PATH_BYTES} bytes; shorten it")


def _refuse_absolute(text: str) -> None:
    windows = PureWindowsPath(text)
    if text.startswith("/") or windows.drive or windows.root:
        raise UnsafePath(f"{text!r} is absolute; give the path relative to the root")
    if text == "~" or text.startswith("~/"):
        raise UnsafePath(f"{text!r} means a home folder; give the path relative to the root")


def _refuse_parts(text: str, parts: list[str]) -> None:
    for part in parts:
        if part == "..":
            raise UnsafePath(f"{text!r} holds '..'; give the path relative to the root, without '..'")
        if _is_git(part):
            raise UnsafePath(f"{text!r} leads into .git; change the repository with git itself")
        if len(os.fsencode(part)) > MAX_NAME_BYTES:
            raise UnsafePath(f"the name beginning {part[:60]!r} is longer than {MAX_NAME_BYTES} bytes; shorten it")


def _is_git(part: str) -> bool:
    """Whether some file system takes it for `.git`, also by its short name on NTFS."""
    return as_some_system_reads(part) in (".git", "git~1")


def as_some_system_reads(name: str) -> str:
    """The name that some file system takes it for, in lower case.

    Without trailing dots and spaces, characters that are not shown, and the NTFS stream.
    """
    visible = "".join(char for char in name if unicodedata.category(char) != "Cf")
    return visible.partition(":")[0].rstrip(". ").casefold()


def _refuse_kind(real: str, plain: str, follow: bool) -> None:
    try:
        mode = os.lstat(real).st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno not in _NO_PLACE:
            raise
        raise UnsafePath(f"{plain!r} {_NO_PLACE[error.errno]}; choose another path") from None
    if stat.S_ISDIR(mode):
        raise UnsafePath(f"{plain!r} is a directory; give the path of a file in it")
    if stat.S_ISLNK(mode) and follow:
        raise UnsafePath(f"{plain!r} is a link that leads back to itself; remove it first")
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        raise UnsafePath(f"{plain!r} is a device, pipe or socket; only regular files are read and written")
