"""How blocks, problems and progress are said in words: the same in the frame, the plain lines and the summary.

Every function returns text that may go to a terminal as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .printable import printable

if TYPE_CHECKING:
    from editstream import Block, Problem, Snapshot

SUCCESSES = frozenset({"applied", "repaired", "already_applied", "unchanged"})
SETTLED = SUCCESSES | {"rejected"}


def place(lines: tuple[int, int] | None) -> str:
    """The half-open range of lines, from 1, that a block was found at, in words; empty for none."""
    if lines is None:
        return ""
    first, after_last = lines
    if after_last <= first:
        return f"before line {first}"
    return f"line {first}" if after_last == first + 1 else f"lines {first}–{after_last - 1}"


def at_place(lines: tuple[int, int]) -> str:
    """The same within a sentence: ``at line 3``, ``before line 1``."""
    words = place(lines)
    return words if words.startswith("before") else f"at {words}"


def status(block: Block) -> str:
    """A block's status, in words."""
    return block.status.replace("_", " ")


def tier(block: Block) -> str:
    """The tier that a block was found on, in words; empty for none."""
    return (block.tier or "").replace("_", " ")


def counted(number: int, noun: str) -> str:
    """``number`` with thousands separated, and the noun in the number that it needs."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def one_of(numbers: Sequence[int]) -> str:
    """A few line numbers as a choice: ``line 3``, ``line 3 or 9``, ``line 3, 9 or 12``."""
    words = [str(number) for number in numbers]
    return "line " + (" or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0])


def activity(snapshot: Snapshot) -> str:
    """What the engine is doing at this moment."""
    if snapshot.is_final:
        rejected = sum(block.status == "rejected" for block in snapshot.blocks)
        return f"ended, {counted(rejected, 'block')} rejected" if rejected else "ended"
    if not snapshot.blocks or snapshot.blocks[-1].status in SETTLED:
        return "waiting for a block"
    block = snapshot.blocks[-1]
    where = f" {place(block.lines)}" if block.lines else ""
    if block.status == "searching" and snapshot.candidates:
        where = f", looking at {one_of(snapshot.candidates)}"
    return f"block {block.index + 1} {status(block)}{where}"


def totals(snapshot: Snapshot, received: int | None) -> str:
    """Progress in numbers: characters received, unless None, and blocks by how they ended."""
    states = [block.status for block in snapshot.blocks]
    done = sum(state in SUCCESSES for state in states)
    parts = [] if received is None else [counted(received, "character")]
    parts.append(f"{done:,} of {counted(len(states), 'block')} done")
    if "rejected" in states:
        parts.append(f"{states.count('rejected'):,} rejected")
    return ", ".join(parts)


def firm_problems(snapshot: Snapshot) -> list[Problem]:
    """The problems that nothing still to come can undo."""
    return [problem for problem in snapshot.problems if snapshot.is_final or not problem.provisional]


def problem_line(problem: Problem) -> str:
    """A problem on one line: the first of its message, which names the block and what is wrong with it."""
    return printable(problem.message.partition("\n")[0])
