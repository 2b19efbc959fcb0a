"""The block that the search stage is reading, and what its lines look like."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .events import BlockStatus, Where
from .folds import is_blank
from .markers import NEAR_MARKER
from .placing import ANYWHERE, Verdict
from .writing import OpenWriting, TextWriting

_FENCE = re.compile(r"\s*(?:```|~~~)")
_LIKE_A_MARKER = re.compile(r"\s*[-<+>=]{3,}\s*[A-Z]{2,}\s*>?")


@dataclass(slots=True)
class OpenBlock:
    """The block that is being read: its lines as the stream has them, and how they are read so far.

    ``rules`` are the lines of SEARCH that could be the divider but for their length; ``rule_like`` counts all that were
    one while they came; ``read`` says that the question of the divider is settled, ``readings`` how often it was asked;
    ``dedents`` that the block's indent is taken from its lines.
    """

    index: int
    line: int
    indent: str
    where: Where = ANYWHERE
    search: list[str] = field(default_factory=list[str])
    replace: list[str] = field(default_factory=list[str])
    divider: str | None = None
    rules: list[int] = field(default_factory=list[int])
    read: bool = False
    readings: int = 0
    rule_like: int = 0
    dedents: bool = False
    verdict: Verdict | None = None
    status: BlockStatus = "searching"
    writing: OpenWriting | TextWriting | None = None

    def twin(self) -> OpenBlock:
        """A copy that may go its own way."""
        twin = copy.copy(self)
        twin.search, twin.replace, twin.rules = self.search.copy(), self.replace.copy(), self.rules.copy()
        twin.writing = copy.copy(self.writing)
        return twin


def less_indent(indent: str, line: str) -> str:
    """A line without the block's indent, or as much of it as a blank line has."""
    return line.removeprefix(indent) if line.startswith(indent) else line.lstrip(" \t")


def begins_like_a_rule(line: str) -> bool:
    """Whether a line begins as a divider does, so that it may still become one."""
    return "===" in line and line.lstrip(" \t").startswith("===")


def looks_whole(replace: Sequence[str]) -> bool:
    """Whether a REPLACE without its closer may be taken as it is: it has a line, and no prose or markers in it."""
    return any(not is_blank(line) for line in replace) and not any(
        _FENCE.match(line) or _LIKE_A_MARKER.fullmatch(line.rstrip()) or NEAR_MARKER.match(line) for line in replace
    )
