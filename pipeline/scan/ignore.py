"""Ignore rules as git reads them, one file at a time.

A rule is judged against an entry itself, never against a folder above it: a walk does not enter an ignored folder, so
nothing below it is ever asked about, and `!` inside it has no say. The last rule that matches in the nearest file
decides. The names between slashes are turned into expressions by pathspec (or fnmatch, where the two agree and fnmatch
cannot backtrack for ever); how names compose into paths is ours, since a whole-path expression cannot tell a match of
an entry from a match of its parent. Git matches bytes, so each byte is one character here, of Latin-1. `git ls-files
-co --exclude-standard` is the judge, in a test.
"""

import os
import re
from codecs import BOM_UTF8
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from itertools import groupby

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from .git_files import excludes_files, read_rules

GIT_RULES = ".gitignore"
OWN_RULES = ".ignore"
RULE_FILES = frozenset({GIT_RULES, OWN_RULES})
"""Names of files whose change may show or hide anything below their folder."""

MAX_STARS = 3
"""Of stars in one name beside classes or escapes. Each multiplies the time a hostile name can take by its length."""

Name = re.Pattern[str] | None
"""What one component must match; None stands for `**`, any number of them."""


_STARS = re.compile(r"^\*{3,}$")


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file."""

    names: tuple[Name, ...]
    anchored: bool
    folders_only: bool
    negated: bool

    def matches(self, parts: Sequence[str], is_folder: bool) -> bool:
        """Whether the rule is about the entry with these components, counted from the folder of the ignore file."""
        if self.folders_only and not is_folder:
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

    def verdict(self, parts: Sequence[str], is_folder: bool) -> bool | None:
        """True to ignore, False to show, None where the file says nothing."""
        below = parts[self.depth :]
        return next((not rule.negated for rule in self.rules if rule.matches(below, is_folder)), None)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules in force in one folder, nearest last. Those of `.ignore` files come before those of git."""

    git: tuple[RuleFile, ...] = ()
    own: tuple[RuleFile, ...] = ()

    @classmethod
    def above(cls, root: str) -> "Rules":
        """The rules that the folders above `root` (canonical) hand down: up to its repository's."""
        folders = [root]
        while not os.path.lexists(os.path.join(folders[-1], ".git")):
            if (parent := os.path.dirname(folders[-1])) == folders[-1]:
                return cls()
            folders.append(parent)
        rules = cls()
        for folder in reversed(folders[1:]):
            rules = rules.enter(folder)
        return rules

    def enter(self, folder: str, names: Container[str] | None = None) -> "Rules":
        """The rules in force in `folder` (absolute), one below where these are; `names` is what is in it, where known.

        A repository begins anew, with no rules of git from above.
        """
        depth = len(components(folder))
        git, own = self.git, self.own
        if _holds(folder, ".git", names):
            git = _present(_load(file, depth, follow_link=True) for file in excludes_files(folder))
        if _holds(folder, GIT_RULES, names):
            git += _present([_load(os.path.join(folder, GIT_RULES), depth)])
        if _holds(folder, OWN_RULES, names):
            own += _present([_load(os.path.join(folder, OWN_RULES), depth)])
        return self if git is self.git and own is self.own else Rules(git, own)

    def ignores(self, parts: Sequence[str], is_folder: bool) -> bool:
        """Whether the entry with these components, counted from the file system's root, is ignored."""
        if not "".join(parts).isascii():
            parts = [os.fsencode(part).decode("latin-1") for part in parts]
        for chain in (self.own, self.git):
            for file in reversed(chain):
                verdict = file.verdict(parts, is_folder)
                if verdict is not None:
                    return verdict
        return False


def components(path: str) -> tuple[str, ...]:
    """The components of an absolute path."""
    return tuple(part for part in path.split(os.sep) if part)


@lru_cache(maxsize=256)
def parse_rules(text: str) -> tuple[Rule, ...]:
    """The rules of an ignore file's text (a character for each byte), last first."""
    lines = text.split("\n")
    rules = [_parse_rule(line.removesuffix("\r")) for line in lines]
    return tuple(rule for rule in reversed(rules) if rule is not None)


def _parse_rule(line: str) -> Rule | None:
    line = _without_trailing_spaces(line)
    if line.startswith("#"):
        return None
    negated = line.startswith("!")
    body = line[negated:]
    folders_only = body.endswith("/")
    body = body.removesuffix("/")
    anchored = "/" in body
    texts = [_STARS.sub("**", text) for text in body.removeprefix("/").split("/")]
    if "" in texts:
        return None
    texts = [text for text, run in groupby(texts) for _ in ([text] if text == "**" else run)]
    try:
        names = tuple(None if text == "**" else _name(text) for text in texts)
    except ValueError:
        return None  # what git, too, lets match nothing
    return Rule(names, anchored, folders_only, negated)


def _without_trailing_spaces(line: str) -> str:
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if escapes % 2 and bare != line else bare


@lru_cache(maxsize=4096)
def _name(text: str) -> re.Pattern[str]:
    """The expression for one component; raises ValueError for a text that matches nothing."""
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


def _holds(folder: str, name: str, names: Container[str] | None) -> bool:
    return os.path.lexists(os.path.join(folder, name)) if names is None else name in names


def _present(files: Iterable[RuleFile | None]) -> tuple[RuleFile, ...]:
    return tuple(file for file in files if file is not None)


def _load(path: str, depth: int, *, follow_link: bool = False) -> RuleFile | None:
    """The rules in a file, if it has any; of a file in the tree git does not follow a link."""
    data = read_rules(path, follow_link=follow_link)
    rules = parse_rules(data.removeprefix(BOM_UTF8).decode("latin-1"))
    return RuleFile(depth, rules) if rules else None
