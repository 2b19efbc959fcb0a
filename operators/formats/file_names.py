"""The name of a file in the lines around its blocks: a bounded, careful guess.

Models put a name on a line of its own and decorate it: as code or in bold, as a heading, a comment or an item of a
list, behind ``File:``, before a colon or a note in brackets. Undecorated it is a name if it looks like one: it has a
``/`` or an extension, is a well-known name without one, or was marked as code or a file. A name with spaces needs an
extension, and such a mark or a folder in its first word: all else with spaces is a sentence. A wrong name edits the
wrong file, no name is that of the edit before; so what merely could be a name is one only where the caller knows it.
Characters that no name should have are left in it, for whoever opens the file to refuse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

NAME_LIMIT = 4_096
"""Code points of a path, as of bytes on most systems."""

LINE_LIMIT = NAME_LIMIT + 200
"""Code points of a line that may hold a name, with its decoration; a longer line holds none."""

SPANS_READ = 8
"""Pieces of code in a sentence that are looked at."""

Known: TypeAlias = Callable[[str], bool]
"""Whether a path, as the model wrote it, is a file that the chat knows."""

_FILE = r"(?:full\s+)?(?:file|path)(?:[ _-]?(?:name|path))?"
_LABEL = rf"(?:\*\*{_FILE}(?::\*\*|\*\*:)|{_FILE}\s*:)\s*"
_LEAD = re.compile(
    rf"(?:[-*+>]\s+|\d+[.)]\s+|#+(?!!)\s*|//\s*|--\s+|;+\s+|<!--\s*|/\*+\s*|(?P<label>{_LABEL}))", re.IGNORECASE
)
_NOTE = r"\((?:new|creat|modif|updat|edit|chang|exist|delet|replac|add)[^()]*\)"
_TAIL = re.compile(rf"(?::|:\d+(?:-\d+)?|-->|\*/|(?<=\s){_NOTE})\Z", re.IGNORECASE)
_WRAPPED = re.compile(r"""(?P<code>`+)[^`]+(?P=code)|\*\*[^*]+\*\*|\*[^*]+\*|(?P<quote>["'])[^"']+(?P=quote)""")
_LINK = re.compile(r"\[(?P<text>[^\[\]]+)\]\([^()]*\)")
_DECORATIONS = 8  # one inside the other

_NO_PATH = re.compile(r"""[<>|"*?`]|://|[/\\]\Z|\A[./\\]*\Z|\A#!""")
_EXTENSION = re.compile(r"\.(?=\w*[^\W\d])[\w+~-]{1,20}\Z")
_WITHOUT_EXTENSION = re.compile(
    r"AUTHORS|Brewfile|BUILD|Caddyfile|CHANGELOG|CODEOWNERS|Containerfile|COPYING|Dockerfile|Fastfile|Gemfile"
    r"|(?:GNU)?[Mm]akefile|Jenkinsfile|[Jj]ustfile|Kconfig|LICENSE|NOTICE|Pipfile|Podfile|Procfile|Rakefile|README"
    r"|Tiltfile|Vagrantfile|WORKSPACE"
)
_DOTTED_LANGUAGES = frozenset(("vb.net", "asp.net", "node.js"))
_SETTING = re.compile(r"""(?:title|file|filename|path|name)\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s,}]+))""")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")

_Guess: TypeAlias = tuple[str, bool]  # a name, and whether its looks are enough


def file_name(lines: Iterable[str], known: Known | None) -> str | None:
    """The name in the first of some lines that has one; a name that is known goes before all that are not."""
    guesses = [guess for line in lines for guess in _guesses(line)]
    if known is not None:
        for name, _ in guesses:
            if known(name):
                return name
    return next((name for name, sure in guesses if sure), None)


def names_in_info(info: str) -> tuple[list[str], list[str]]:
    """What of a fence's info string may be a name: what is surely no language, and what may be one."""
    language, _, rest = info.partition(" ")
    sure, unsure = list[str](), list[str]()
    if rest.strip():
        setting = _SETTING.search(rest)
        sure.append(f'"{next(filter(None, setting.groups()))}"' if setting else rest.strip(" {}()[]"))
    if not _DRIVE.match(language) and ":" in language:
        sure.append(language.partition(":")[2])
    elif "/" in language or "\\" in language:
        sure.append(language)
    elif not language.startswith("{") and language.lower() not in _DOTTED_LANGUAGES:
        unsure.append(language)
    return sure, unsure


def _guesses(line: str) -> Iterator[_Guess]:
    text = line.strip()
    if not text or len(text) > LINE_LIMIT:
        return
    name, marked = _undecorated(text)
    if _may_be_path(name):
        sure = _looks_like_path(name, marked=marked)
        if "\\_" in name and "\\" not in name.replace("\\_", ""):
            yield name.replace("\\_", "_"), sure
        yield name, sure
    for part in (*re.findall("`([^`]+)`", text)[:SPANS_READ], text.split()[-1].strip(":`*.,")):
        if part != name and _may_be_path(part):
            yield part, False


def _undecorated(text: str) -> tuple[str, bool]:
    """A line without what models put around a name, and whether it was marked as code, quoted, or called a file."""
    marked = False
    for _ in range(_DECORATIONS):
        before = text
        if lead := _LEAD.match(text):
            marked = marked or lead["label"] is not None
            text = text[lead.end() :]
        if link := _LINK.fullmatch(text):
            text = link["text"]
        if wrapped := _WRAPPED.fullmatch(text):
            marked = marked or not text.startswith("*")
            text = text.strip("`") if wrapped["code"] else text.strip("*") if text.startswith("*") else text[1:-1]
        text = _TAIL.sub("", text).strip()
        if text == before:
            break
    return text, marked


def _may_be_path(name: str) -> bool:
    return 0 < len(name) <= NAME_LIMIT and "\t" not in name and not _NO_PATH.search(name)


def _looks_like_path(name: str, *, marked: bool) -> bool:
    has_extension = _EXTENSION.search(name) is not None
    if " " in name:
        return has_extension and (marked or ("/" in name.partition(" ")[0] and "," not in name))
    return has_extension or marked or "/" in name or _WITHOUT_EXTENSION.fullmatch(name) is not None
