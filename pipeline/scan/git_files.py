"""Where git keeps the excludes that are no `.gitignore`: read from its configuration, without running git."""

import errno
import os
import re
import stat

MAX_BYTES = 1024 * 1024
"""The longest ignore files in the wild have some 100 KB; each rule is tried on each entry."""

# Without O_NONBLOCK, a pipe by the name of an ignore file would hold a scan for ever.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NOTHING_THERE = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENXIO, errno.EACCES, errno.EPERM}
)

_SECTION = re.compile(r"\s*\[\s*([^\]\s\"]+)\s*(\"[^\"]*\")?\s*\]")
_EXCLUDES = re.compile(r"\s*excludesfile\s*=\s*(?:\"([^\"]*)\"|([^#;\n]*))", re.IGNORECASE)


def excludes_files(repository: str) -> list[str]:
    """The user's global excludes file and the repository's own `info/exclude`, weakest first; they may not exist."""
    folder = _git_folder(repository)
    home = os.path.expanduser("~")
    user = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    chosen = os.path.join(user, "git", "ignore")
    configurations = (
        os.path.join(user, "git", "config"),
        os.path.join(home, ".gitconfig"),
        os.path.join(folder, "config"),
    )
    for configuration in configurations:
        chosen = _excludes_setting(configuration) or chosen
    return [chosen, os.path.join(folder, "info", "exclude")]


def _git_folder(repository: str) -> str:
    """The folder with the repository's configuration: of a worktree or submodule, `.git` is a file that names it."""
    folder = os.path.join(repository, ".git")
    if os.path.isdir(folder):
        return folder
    folder = os.path.join(repository, _read(folder).removeprefix("gitdir:").strip())
    return os.path.join(folder, _read(os.path.join(folder, "commondir")).strip())


def _excludes_setting(configuration: str) -> str | None:
    section, found = "", None
    for line in _read(configuration).splitlines():
        header = _SECTION.match(line)
        if header is not None:
            section = header[1].lower() if header[2] is None else ""
        setting = _EXCLUDES.match(line, 0 if header is None else header.end())
        if section == "core" and setting is not None:
            found = os.path.expanduser(setting[1] or setting[2].strip())
    return found


def read_rules(path: str, *, follow_link: bool) -> bytes:
    """What is in a file that git reads; nothing where git reads nothing: no file, a folder, a device, not ours to read.

    Raises OSError for what is no answer, such as too many open files.
    """
    try:
        with open(
            path, "rb", opener=lambda name, _: os.open(name, _FLAGS if follow_link else _FLAGS | _NO_LINK)
        ) as file:
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read(MAX_BYTES) if regular else b""
    except OSError as error:
        if error.errno not in _NOTHING_THERE:
            raise
        return b""


def _read(path: str) -> str:
    return os.fsdecode(read_rules(path, follow_link=True))
