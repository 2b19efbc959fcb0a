"""Asking about the edits of a turn, one by one, with the keys that `git add -p` has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from editstream.live import printable

from .approval import line_typed, terminal
from .output import show_diff, write

if TYPE_CHECKING:
    from editstream.session import Proposal

HELP = """\
y - yes, write this
n - no; what you add is told to the model: n keep the old name
a - yes, and the same for all that follows
d - show the diff
q - no, and the same for all that follows; so does Ctrl-D
? - show this
"""
NO_LINES = "(no line of the file changes)\n"
# What stays on the screen besides a diff: the blocks above it, the question below.
ROWS_KEPT = 8

_VERBS = {"create": "Create", "modify": "Change", "delete": "Delete", "move": "Move"}
_NO = re.compile(r"no?(?:[\s,:]+(?P<words>.*))?", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the user decided; ``words`` are for the model, with a no."""

    accepted: bool
    words: str = ""


class Approver:
    """Asks about one proposal after the other on the terminal, until an answer is for all that follows.

    A diff is shown before the question if it leaves the screen room for both. Where there is no terminal, or no answer,
    that is a no.
    """

    def __init__(self) -> None:
        self._for_all: Verdict | None = None

    def __call__(self, proposal: Proposal) -> Verdict:
        """What the user says to this. Raises KeyboardInterrupt for Ctrl-C at the question."""
        if self._for_all is not None:
            return self._for_all
        with terminal() as found:
            return Verdict(accepted=False) if found is None else self._asked(proposal, found)

    def _asked(self, proposal: Proposal, on: tuple[TextIO, TextIO]) -> Verdict:
        diff = proposal.diff()
        if _fits(diff, on[1]):
            show_diff(diff, on[1])
        while True:
            typed = line_typed(on, f"{question(proposal, diff)} [y,n,a,d,q,?] ")
            answer = typed.strip()
            if no := _NO.fullmatch(answer):
                return Verdict(accepted=False, words=(no["words"] or "").strip())
            match answer.lower():
                case "y" | "yes":
                    return Verdict(accepted=True)
                case "a" | "all":
                    self._for_all = Verdict(accepted=True)
                    return self._for_all
                case "q" | "quit":
                    self._for_all = Verdict(accepted=False)
                    return self._for_all
                case "d" | "diff":
                    show_diff(diff, on[1]) if diff else write(NO_LINES, on[1])
                case "" if not typed:
                    self._for_all = Verdict(accepted=False)
                    return self._for_all
                case "":
                    pass
                case _:
                    write(HELP, on[1])


def question(proposal: Proposal, diff: str) -> str:
    """What is asked, on one line: what is to be done, with which file or block, and how many lines that changes."""
    name = printable(proposal.path)
    if proposal.block is not None:
        name = f"{name}, block {proposal.block.index + 1} of {len(proposal.snapshot.blocks)}"
    if proposal.moved_to is not None:
        name += f" to {printable(proposal.moved_to)}"
    lines = diff.split("\n")[2:]  # without the names
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    counts = f" (+{added:,} -{removed:,} lines)" if diff else ""
    return f"{_VERBS[proposal.kind]} {name}{counts}?"


def _fits(diff: str, writer: TextIO) -> bool:
    from editstream.live.terminal import terminal_size

    columns, rows = terminal_size(writer)
    room = rows - ROWS_KEPT
    # A long line takes several rows.
    return diff.count("\n") <= room and sum(len(line) // columns + 1 for line in diff.split("\n")) <= room
