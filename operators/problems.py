"""What can be wrong with an edit: problems as data, and the one exception that carries them at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

ProblemKind = Literal[
    "not_found",
    "ambiguous",
    "overlap",
    "empty_search",
    "malformed",
    "truncated",
    "out_of_order",
    "unterminated",
    "too_large",
]


MESSAGES_SHOWN = 50
"""Problems that the text of an error lists: more than a model repairs in one turn."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place in the file that looks like what a block searched for.

    ``line`` and ``last_line`` are the first and last line of the place, from 1; ``text`` is at most a few lines of it,
    for the message; ``differs_at`` is the line of the file, from 1, where it first differs from the search text, with
    ``wanted`` and ``found`` the two versions of that line (None where one side has no such line).
    """

    line: int
    last_line: int
    differs_at: int | None = None
    wanted: str | None = None
    found: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that keeps a block from being applied.

    ``block`` is the block's index, from 0, or None for text outside blocks; ``line`` the line of the stream, from 1,
    where the block (or the stray text) begins; ``message`` what went wrong and what to do, written for the model that
    has to repair its edit. ``provisional`` is true while more of the stream could still undo it.
    """

    kind: ProblemKind
    block: int | None
    line: int
    message: str
    candidates: tuple[Candidate, ...] = ()
    provisional: bool = False


class EditError(ValueError):
    """An edit that was not applied: ``problems`` names every rejected block in the order of the stream.

    ``str(error)`` is the message to send back to the model. It never holds the whole file, and lists at most
    ``MESSAGES_SHOWN`` problems.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        messages = [problem.message for problem in self.problems[:MESSAGES_SHOWN]]
        if (more := len(self.problems) - MESSAGES_SHOWN) > 0:
            messages.append(f"{more} more problems are not listed here. Repair these first.")
        return "\n\n".join([*messages, "Nothing was applied: send the whole edit again, repaired."])
