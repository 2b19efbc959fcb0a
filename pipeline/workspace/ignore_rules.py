"""Ignore rules as git reads them, one file at a time.

A rule is judged against an entry itself, never against a folder above it: whoever asks goes down from the top and does
not enter an ignored folder, so `!` inside it has no say. The last rule that matches in the nearest file decides. The
names between slashes are turned into expressions by pathspec (or fnmatch, where the two agree and fnmatch cannot
backtrack for ever); how names compose into paths is ours, since a whole-path expression cannot tell a match of an entry
from a match of its parent. Git matches bytes, so each byte is one character here, of Latin-1. `git ls-files -co
--exclude-standard` is the judge, in a test.
"""

import os
import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from itertools import groupby

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

MAX_STARS = 3
"""Of stars in one name beside classes or escapes. Each multiplies the time a hostile name can take by its length."""

Name = re.Pattern[str] | None
"""What one component must match; None stands for `**`, any number of them."""


_STARS = re.compile(r"^\*{3,}$")


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file: its number, from 1, its text (a character for each byte), and what that means.

    A line that is no pattern has no `names`, and matches nothing.
    """

    line: int
    text: str
    names: tuple[Name, ...]
    anchored: bool
    folders_only: bool
    negated: bool

    def matches(self, parts: Sequence[str], is_folder: bool) -> bool:
        """Whether the rule is about the entry with these components, counted from the folder of the ignore file."""
        if not self.names or (self.folders_only and not is_folder):
            return False
        if not self.anchored:
            name = self.names[0]
            return name is None or name.fullmatch(parts[-1]) is not None
        return _match(self.names, parts)


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The rules of a file, last first, for the folder that lies `depth` components below the file system's root."""

    depth: int
    rules: tuple[Rule, ...]

    @classmethod
    def of(cls, data: bytes, depth: int) -> "RuleFile | None":
        """The rules of a file with these bytes, if it has any."""
        rules = parse_rules(data.removeprefix(BOM_UTF8).decode("latin-1"))
        return cls(depth, rules) if rules else None

    def deciding(self, parts: Sequence[str], is_folder: bool) -> Rule | None:
        """The rule that decides about the entry with these components, in `as_bytes`; None where there is none."""
        below = parts[self.depth :]
        return next((rule for rule in self.rules if rule.matches(below, is_folder)), None)


def components(path: str) -> tuple[str, ...]:
    """The components of an absolute path."""
    return tuple(part for part in path.split(os.sep) if part)


def folders_above(root: str) -> list[str]:
    """The folders above `root` (absolute), from that of its repository down; none outside of a repository."""
    folders = [root]
    while not os.path.lexists(os.path.join(folders[-1], ".git")):
        if (parent := os.path.dirname(folders[-1])) == folders[-1]:
            return []
        folders.append(parent)
    return folders[:0:-1]


def as_bytes(parts: Sequence[str]) -> Sequence[str]:
    """Components as rules read them: a character for each byte of the name."""
    if "".join(parts).isascii():
        return parts
    return [os.fsencode(part).decode("latin-1") for part in parts]


@lru_cache(maxsize=256)
def parse_rules(text: str) -> tuple[Rule, ...]:
    """The rules of an ignore file's text (a character for each byte), last first."""
    lines = text.split("\n")
    rules = [_parse_rule(number, line.removesuffix("\r")) for number, line in enumerate(lines, 1)]
    return tuple(rule for rule in reversed(rules) if rule is not None)


def _parse_rule(number: int, line: str) -> Rule | None:
    line = _without_trailing_spaces(line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    body = line[negated:]
    folders_only = body.endswith("/")
    body = body.removesuffix("/")
    anchored = "/" in body
    texts = [_STARS.sub("**", text) for text in body.removeprefix("/").split("/")]
    texts = [text for text, run in groupby(texts) for _ in ([text] if text == "**" else run)]
    try:
        names = tuple(None if text == "**" else _name(text) for text in texts)
    except ValueError:
        names = ()  # what git, too, lets match nothing
    return Rule(number, line, names, anchored, folders_only, negated)


def _without_trailing_spaces(line: str) -> str:
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if escapes % 2 and bare != line else bare


@lru_cache(maxsize=4096)
def _name(text: str) -> re.Pattern[str]:
    """The expression for one component; raises ValueError for a text that matches nothing."""
    if text in ("", ".", ".."):
        raise ValueError(f"no entry has the name {text!r}")
    text = re.sub(r"(?<!\\)\*+", "*", text)
    if not re.search(r"[\[\\]", text):
        return re.compile(translate(text))
    if text.count("*") > MAX_STARS:
        raise ValueError(f"more than {MAX_STARS} stars: {text!r}")
    # A space at the end of a name is not at the end of the line, where pathspec would take it off.
    text = re.sub(r"\\(.)|( )", lambda found: "[ ]" if " " in found[0] else found[0], text)
    regex, _ = GitIgnoreSpecPattern.pattern_to_regex("/" + text)
    if regex is None:
        raise ValueError(f"no pattern: {text!r}")
    return re.compile(regex)


def _match(names: Sequence[Name], parts: Sequence[str]) -> bool:
    """Whether the names match all the components.

    `**` takes as few as it can, and only the last one is ever retried: what an earlier one could take, the last can.
    """
    at = part = 0
    retry: tuple[int, int] | None = None
    while part < len(parts):
        name = names[at] if at < len(names) else None
        if at < len(names) and name is None:
            if at == len(names) - 1:
                return True
            at += 1
            retry = (at, part)
        elif name is not None and name.fullmatch(parts[part]):
            at, part = at + 1, part + 1
        elif retry is not None:
            at, part = retry[0], retry[1] + 1
            retry = (at, part)
        else:
            return False
    return at == len(names)
