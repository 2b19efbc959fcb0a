"""Maps between the indent of SEARCH and that of the file.

A map exchanges tabs and spaces at one ratio, or not at all, and then adds one prefix or takes one away. It fits when it
carries every non-blank line of SEARCH to the file's line. A line of REPLACE whose indent is also in SEARCH is carried
as that line was; for any other indent, all maps that fit must agree, and a run of spaces that makes no whole tab is
carried by none: what the file would have there, nobody has said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .document import Lines
from .folds import is_blank

RATIOS = range(1, 9)
"""Spaces to a tab."""

Adapter: TypeAlias = Callable[[str, int], str]
"""Turns a new line of REPLACE, given its text and its index (from 0), into the file's own form, or raises Misfit."""


class Misfit(Exception):
    """A line of REPLACE that cannot be carried over: the text says why, ``line`` which."""

    def __init__(self, why: str, line: str) -> None:
        super().__init__(why)
        self.line = line


def indent_of(line: str) -> str:
    """The spaces and tabs that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


@dataclass(frozen=True, slots=True)
class IndentMap:
    """One way to carry an indent over: exchange tabs and spaces, then add a prefix or take one away."""

    exchange: Literal["none", "to_tabs", "to_spaces"]
    ratio: int
    add: str = ""
    take: str = ""

    def exchanged(self, indent: str) -> str:
        """An indent after the exchange alone."""
        if self.exchange == "to_tabs":
            return indent.replace(" " * self.ratio, "\t")
        return indent.replace("\t", " " * self.ratio) if self.exchange == "to_spaces" else indent

    def leaves_spaces(self, indent: str) -> bool:
        """Whether a run of spaces is left that makes no whole tab."""
        return self.exchange == "to_tabs" and " " in self.exchanged(indent)

    def __call__(self, indent: str) -> str | None:
        """The indent carried over, or None if it cannot be."""
        made = self.exchanged(indent)
        if not made.startswith(self.take):
            return None
        return self.add + made[len(self.take) :]


_EXCHANGES = (
    IndentMap("none", 1),
    *(IndentMap("to_tabs", ratio) for ratio in RATIOS),
    *(IndentMap("to_spaces", ratio) for ratio in RATIOS),
)


def fitting_maps(search: Sequence[str], found: Sequence[str], file: Lines) -> list[IndentMap]:
    """Every map that turns the indents of SEARCH's non-blank lines into those of the lines found in ``file``."""
    pairs = {
        (indent_of(ours), indent_of(theirs)) for ours, theirs in zip(search, found, strict=True) if not is_blank(ours)
    }
    if not pairs:
        return []
    theirs = "".join(file for _, file in pairs)
    # Only an exchange into what the file has here can be meant; where it has no indent, into what it has elsewhere.
    tabs = "\t" in theirs if theirs else file.indents_with_tabs
    spaces = " " in theirs if theirs else file.indents_with_spaces
    meant = {"none": True, "to_tabs": tabs, "to_spaces": spaces}
    return [fitted for base in _EXCHANGES if meant[base.exchange] and (fitted := _fitted(base, pairs)) is not None]


def _fitted(base: IndentMap, pairs: set[tuple[str, str]]) -> IndentMap | None:
    ours, theirs = next(iter(pairs))
    made = base.exchanged(ours)
    if theirs.endswith(made):
        fitted = IndentMap(base.exchange, base.ratio, add=theirs[: len(theirs) - len(made)])
    elif made.endswith(theirs):
        fitted = IndentMap(base.exchange, base.ratio, take=made[: len(made) - len(theirs)])
    else:
        return None
    for ours, theirs in pairs:
        made = base.exchanged(ours)
        if not made.startswith(fitted.take) or fitted.add + made[len(fitted.take) :] != theirs:
            return None
    return fitted


def indent_adapter(search: Sequence[str], found: Sequence[str], file: Lines) -> Adapter:
    """How new lines are carried over where ``search`` was found as ``found``."""
    maps = fitting_maps(search, found, file)
    seen = {
        indent_of(ours): indent_of(theirs) for ours, theirs in zip(search, found, strict=True) if not is_blank(ours)
    }

    def adapt(line: str, index: int) -> str:
        if is_blank(line):
            return line
        indent = indent_of(line)
        if (known := seen.get(indent)) is None:
            made = {None if fit.leaves_spaces(indent) else fit(indent) for fit in maps}
            known = made.pop() if len(made) == 1 else None
            if known is None:
                raise Misfit(
                    "the indentation of SEARCH differs from the file's, and does not say how deep this line goes", line
                )
        return known + line[len(indent) :]

    return adapt


def first_line_adapter(search: Sequence[str], found: Sequence[str], file: Lines) -> Adapter:
    """As ``indent_adapter``, where only the first line of SEARCH lost its indent."""
    rest = indent_adapter(search[1:], found[1:], file)
    first_indent = indent_of(found[0])

    def adapt(line: str, index: int) -> str:
        if is_blank(line):
            return line
        if index == 0:
            if indent_of(line):
                raise Misfit("the first line of SEARCH has lost its indentation and that of REPLACE has not", line)
            return first_indent + line
        if not indent_of(line):
            raise Misfit("a new line has no indentation although the file's lines here have some", line)
        return rest(line, index)

    return adapt
