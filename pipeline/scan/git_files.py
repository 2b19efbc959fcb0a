"""Where git keeps the excludes that are no `.gitignore`: read from its configuration, without running git."""

import os
import re
from contextlib import suppress

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


def _read(path: str) -> str:
    with suppress(OSError), open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()
    return ""
