"""The view where there is no terminal: one line for each thing that happens, and no escape codes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import wording

if TYPE_CHECKING:
    from editstream import Block, Snapshot


class Events:
    """Turns snapshots, of which it may see only some, into lines that say what is new since the last one.

    A block that was found and closed between two snapshots still gives both its lines.
    """

    def __init__(self) -> None:
        self._said: dict[int, tuple[str, str]] = {}
        self._problems = 0

    def since_last(self, snapshot: Snapshot) -> Iterator[str]:
        """Yield a line for each block that was located or settled, and each problem that became firm."""
        for block in snapshot.blocks:
            yield from self._of_block(block)
        problems = wording.firm_problems(snapshot)
        for problem in problems[self._problems :]:
            yield wording.problem_line(problem)
        self._problems = max(self._problems, len(problems))

    def _of_block(self, block: Block) -> Iterator[str]:
        where = wording.at_place(block.lines) if block.lines else ""
        if where and block.tier is not None:
            where += f" ({wording.tier(block)})"
        said_where, said_end = self._said.get(block.index, ("", ""))
        end = wording.status(block) if block.status in wording.SETTLED else ""
        if where and where != said_where:
            yield f"block {block.index + 1}: located {where}"
        if end and end != said_end:
            yield f"block {block.index + 1}: {end}"
        self._said[block.index] = (where or said_where, end or said_end)
