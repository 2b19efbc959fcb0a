"""Fenced code: which lines are fences, which fence closes which, and what a fence says of a file.

A fence is three or more backticks or tildes, indented as it may be, with an info string behind it or bare. As in
CommonMark it is closed by a bare one of the same character that is at least as long, and the info string of backticks
holds none. Other than there, a fence inside an open one counts, as models nest them: one with an info string opens,
and so does a bare one that can close nothing. A bare one closes the innermost of its own length, if there is one, else
the innermost that it can close.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

NESTING_LIMIT = 16
"""Fences open inside each other; an outer one beyond that is forgotten."""

_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<rule>`{3,}(?=[^`]*\Z)|~{3,})(?P<info>.*)", re.DOTALL)


@dataclass(slots=True, eq=False)
class Fence:
    """A line that is a fence. ``above`` are the lines before one that opened, ``used`` says that it held a block."""

    indent: str
    rule: str
    info: str
    above: tuple[str, ...] = ()
    used: bool = False

    def closes(self, opening: Fence) -> bool:
        """Whether this line may close another fence."""
        return not self.info and self.rule.startswith(opening.rule)


def fence_in(line: str) -> Fence | None:
    """The fence that a line is, with its line end or without, if it is one."""
    if line.lstrip(" \t")[:1] not in ("`", "~"):
        return None
    found = _FENCE.fullmatch(line)
    return Fence(found["indent"], found["rule"], found["info"].strip(" \t\r\n")) if found else None


class Fences:
    """The fences that are open, innermost last."""

    def __init__(self) -> None:
        self._open: list[Fence] = []

    @property
    def innermost(self) -> Fence | None:
        """The fence that a line stands in."""
        return self._open[-1] if self._open else None

    def read(self, fence: Fence) -> bool:
        """Take the next fence; say whether it opens."""
        closed = [at for at, opening in enumerate(self._open) if fence.closes(opening)]
        if closed:
            same = [at for at in closed if self._open[at].rule == fence.rule]
            del self._open[(same or closed)[-1] :]
            return False
        self._open.append(fence)
        del self._open[:-NESTING_LIMIT]
        return True

    def leave(self) -> None:
        """Take the innermost fence as closed, if there is one, though no line did it."""
        del self._open[-1:]
