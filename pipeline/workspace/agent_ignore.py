"""Agent ignore files: what the user keeps a model out of, in the syntax of `.gitignore`.

They are read as git reads its own: in the root, in every folder below it, and in those above it up to the repository's;
the nearest file that says something decides; what is in an ignored folder stays ignored. Each kind of file is judged by
itself, and one that forbids is enough. Doubt forbids: a file that cannot be read or is no text, or a line that is no
pattern, closes everything below its folder until the user has mended it. Unlike git, we follow a link by the name of
such a file: two tools may share one.
"""

import errno
import os
import stat
import unicodedata
from collections.abc import Container, Sequence
from dataclasses import dataclass

from .ignore_rules import RuleFile, as_bytes, components, folders_above
from .paths import as_some_system_reads

AGENT_RULES = (".cursorignore", ".clineignore", ".editstreamignore")
"""The names of agent ignore files."""

MAX_BYTES = 128 * 1024
"""The longest file that is read; a longer one is doubt. It takes half a second to read the first time, at worst."""

MAX_SHOWN = 200
"""Code points of a line that a refusal repeats."""

NOT_READ = 0
"""The line of a rule that stands for a whole file."""

# A pipe by the name of an ignore file must not hold us for ever.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """What keeps a model out of a place.

    Attributes:
        file: the ignore file, an absolute path.
        line: the line in it, from 1; ``NOT_READ`` where all of the file is meant.
        pattern: the line's text; "" where all of the file is meant.
        fault: what is wrong with the line or file, if it forbids because it cannot be understood.
    """

    file: str
    line: int
    pattern: str
    fault: str = ""

    def said(self, path: str, root: str) -> str:
        """The refusal of `path`, for the model."""
        if self.fault:
            return f"{path!r} is off limits as long as {self.fault_below(root)}; ask the user to mend that file"
        if self.line == NOT_READ:
            return f"{path!r} says what a model may not touch, and so is off limits itself; ask the user to change it"
        pattern = repr(self.pattern[:MAX_SHOWN]) + "…" * (len(self.pattern) > MAX_SHOWN)
        return f"{path!r} is off limits by line {self.line} of {_below(root, self.file)!r}, {pattern}; leave it alone"

    def fault_below(self, root: str) -> str:
        """The file and what is wrong with it."""
        return f"{_below(root, self.file)!r} {self.fault}"


def _below(root: str, file: str) -> str:
    return os.path.relpath(file, root).replace(os.sep, "/")


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    rules: RuleFile


@dataclass(frozen=True, slots=True)
class AgentRules:
    """The rules in force in one folder: for each kind of file those from the root down, nearest last.

    `linked` says that one of the files is a link, so that a change of some other file may change the rules.
    """

    chains: tuple[tuple[_File, ...], ...] = ((),) * len(AGENT_RULES)
    doubt: IgnoreRule | None = None
    linked: bool = False

    @classmethod
    def above(cls, root: str) -> "AgentRules":
        """The rules that the folders above `root` (canonical) hand down: up to its repository's."""
        rules = cls()
        for folder in folders_above(root):
            rules = rules.enter(folder)
        return rules

    def enter(self, folder: str, names: Container[str] | None = None) -> "AgentRules":
        """The rules in force in `folder` (absolute), one below where these are; `names` is what is in it, where known.

        Raises OSError for what is no answer, such as too many open files.
        """
        if names is not None and not any(name in names for name in AGENT_RULES):
            return self
        chains, doubt, linked = list(self.chains), self.doubt, self.linked
        for at, name in enumerate(AGENT_RULES):
            if names is None or name in names:
                path = os.path.join(folder, name)
                file, fault = _load(path)
                chains[at] += () if file is None else (file,)
                doubt = doubt or fault
                linked = linked or os.path.islink(path)
        return AgentRules(tuple(chains), doubt, linked)

    @property
    def in_force(self) -> bool:
        """Whether there are rules at all."""
        return self.doubt is not None or any(self.chains)

    def rule_for(self, parts: Sequence[str], is_folder: bool) -> IgnoreRule | None:
        """What forbids the entry with these components, counted from the file system's root, itself; if anything."""
        if self.doubt is not None or not self.in_force:
            return self.doubt
        parts = as_bytes(parts)
        for chain in self.chains:
            for file in reversed(chain):
                rule = file.rules.deciding(parts, is_folder)
                if rule is not None and not rule.negated:
                    return IgnoreRule(file.path, rule.line, _text(rule.text))
                if rule is not None:
                    break
        return None


class AgentIgnore:
    """What a model may not touch below a root. The files are read at each question: an answer is never old."""

    def __init__(self, root: str) -> None:
        """`root` is canonical."""
        self._root = root

    def rule_for(self, path: str, *, is_folder: bool = False) -> IgnoreRule | None:
        """What forbids the path, which is relative to the root with `/`, or a folder that it lies in; if anything.

        Raises OSError for what is no answer, such as too many open files.
        """
        rules, folder = AgentRules.above(self._root), self._root
        written = components(folder)
        names = path.split("/")
        for at, name in enumerate(names):
            rules = rules.enter(folder)
            written = (*written, name)
            folder = os.path.join(folder, _as_on_disk(folder, name) if rules.in_force else name)
            for spelling in dict.fromkeys((components(folder), written)):
                rule = rules.rule_for(spelling, is_folder or at < len(names) - 1)
                if rule is not None:
                    return rule
        return IgnoreRule(folder, NOT_READ, "") if as_some_system_reads(names[-1]) in AGENT_RULES else None


def _as_on_disk(folder: str, name: str) -> str:
    """The name as the folder has it, where the file system does not care for case or for composition."""
    if not os.path.lexists(os.path.join(folder, name)):
        return name
    other = name.swapcase()
    if name.isascii() and (name == other or not os.path.lexists(os.path.join(folder, other))):
        return name  # without reading a large folder
    try:
        names = os.listdir(folder)
    except OSError:
        return name
    return name if name in names else next((each for each in names if _folded(each) == _folded(name)), name)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _load(path: str) -> tuple[_File | None, IgnoreRule | None]:
    """The rules of a file, if it has any, and why it is doubt, if it is."""
    try:
        data = _read(path)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise
        gone = error.errno == errno.ENOENT and not os.path.islink(path)
        return None, None if gone else IgnoreRule(path, NOT_READ, "", "cannot be read")
    if len(data) > MAX_BYTES:
        return None, IgnoreRule(path, NOT_READ, "", f"is longer than {MAX_BYTES:,} bytes")
    if not _is_text(data):
        return None, IgnoreRule(path, NOT_READ, "", "is no text in UTF-8")
    rules = RuleFile.of(data, len(components(os.path.dirname(path))))
    # A return inside a line is a line end of old, which would hide the rules after it.
    odd = next((rule for rule in rules.rules if not rule.names or "\r" in rule.text), None) if rules else None
    if odd is not None:
        return None, IgnoreRule(path, odd.line, _text(odd.text), f"has a line {odd.line} that is no pattern")
    return None if rules is None else _File(path, rules), None


def _read(path: str) -> bytes:
    with open(path, "rb", opener=lambda name, _: os.open(name, _FLAGS)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "no regular file")
        return file.read(MAX_BYTES + 1)


def _is_text(data: bytes) -> bool:
    """Whether names in it can be those on disk: in UTF-16, as some shells write it, no rule would match anything."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in data


def _text(rule: str) -> str:
    return rule.encode("latin-1").decode("utf-8")
