"""Approval: what the user is asked before anything reaches the disk, and what they may say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from editstream.edits import Block, Snapshot
from editstream.edits.unified import unified_diff

Decision: TypeAlias = bool | str
"""Yes, no, or no with words for the model."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An edit that is ready to be written, for the user to decide.

    Attributes:
        path: the file, relative to the root with ``/``.
        kind: what is to be done with it; ``move`` may change it too.
        snapshot: the edit's last snapshot, with ``original``, ``new_content`` and ``edits``.
        block: the block that is asked about, where one is asked block by block.
        moved_to: the new path, for a ``move``.
        call: the id of the tool call, if there is one.
    """

    path: str
    kind: Literal["create", "modify", "delete", "move"]
    snapshot: Snapshot
    block: Block | None = None
    moved_to: str | None = None
    call: str | None = None

    def diff(self) -> str:
        """The change as a unified diff, of the one block where one is asked about.

        Of a block that a later one has built upon it is what both have made of the place.
        """
        edits = self.snapshot.edits
        if self.block is not None:
            own = tuple(edit for edit in edits if edit.block == self.block.index)
            start, end = self.block.span or (0, len(self.snapshot.original))
            edits = own or tuple(edit for edit in edits if edit.start <= end and edit.end >= start)
        new, gone = self.kind == "create", self.kind == "delete"
        return unified_diff(self.path, self.snapshot.original, edits, is_new=new, is_gone=gone)


Approve: TypeAlias = bool | Callable[[Proposal], Decision] | Callable[[Proposal], Awaitable[Decision]]
"""A function or coroutine function that decides; True writes everything unasked, False nothing."""
