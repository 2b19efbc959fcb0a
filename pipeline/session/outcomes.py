"""What became of each thing that a turn asked for, as data: the answer to the model is written from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from editstream.edits import Block, Problem, Snapshot
from editstream.workspace import WriteEvent

Fate: TypeAlias = Literal["written", "unchanged", "rejected", "declined", "cancelled", "shown"]
"""``written``: it is on disk, wholly or but for its rejected blocks. ``unchanged``: there was nothing to do.
``rejected``: it could not be done. ``declined``: the user said no. ``cancelled``: the turn ended before it was decided.
``shown``: a call that asked to see a file."""

LANDED = frozenset({"applied", "repaired"})
"""The states of a block that has changed the file."""

STANDS = LANDED | {"already_applied", "unchanged"}
"""The states of a block that is not to be sent again."""


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    """A file as it stands after a piece of an edit; ``edit`` counts the edits of the turn from 0.

    ``path`` is relative to the root of the workspace, with ``/``; ``call`` is the id of the tool call, if there is one.
    """

    path: str
    edit: int
    snapshot: Snapshot
    call: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one edit (or of a call that edits nothing).

    Attributes:
        fate: see ``Fate``.
        path: relative to the root with ``/``; as the model wrote it where that is no place in the workspace; None where
            it named none.
        call: the id of the tool call, if there is one.
        message: why it was not done, or what was asked for, written for the model; "" where nothing is to be said.
        blocks: the blocks of the edit with their states.
        problems: what kept blocks from being applied.
        declined: the numbers, from 0, of blocks that the user took out; all of them if ``fate`` is ``declined``.
        words: what the user said with a no.
        writes: the changes on disk.
        moved_to: where the file is now, if it was renamed.
        unit: what the edit's blocks are called to the model.
    """

    fate: Fate
    path: str | None
    call: str | None = None
    message: str = ""
    blocks: tuple[Block, ...] = ()
    problems: tuple[Problem, ...] = ()
    declined: tuple[int, ...] = ()
    words: str = ""
    writes: tuple[WriteEvent, ...] = ()
    moved_to: str | None = None
    unit: str = "Block"
