"""One edit of one file within a turn, whatever its kind: the chain of machines that reads it, without Rx.

Only the reading differs; the rest are the stages of ``FileEditor``::

    blocks    lines ─▶ (entities) ─▶ partial markers ─▶ markers ─▶ line hints ─┐
    hunks     lines ─▶ hunks ──────────────────────────────────────────────────┼─▶ search ─▶ out of order ─┐
    pairs     pairs ───────────────────────────────────────────────────────────┘                           ├─▶ snapshots
    content   lines ─▶ whole file ─────────────────────────────────────────────────────────────────────────┘

``create`` and ``delete`` are read as ``content``: a file that is to go is one that nothing is left of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from editstream.operators.cursor_search import changed_runs
from editstream.operators.dialect import SAFE, DialectName, dialect_named
from editstream.operators.document import Document
from editstream.operators.entities import Entities
from editstream.operators.events import Arrangement, Block, BlockChanged, Reason, Splice
from editstream.operators.formats.file_edits import EditInput, EditText, Kind
from editstream.operators.hints import LineHints
from editstream.operators.hunks import Hunks
from editstream.operators.leave_out import LeaveOut
from editstream.operators.lines import Lines
from editstream.operators.machine import NOTHING, Chain, Machine
from editstream.operators.markers import Markers
from editstream.operators.matching import search_machine
from editstream.operators.messages import BLOCKS, HUNKS, PAIRS, Terms
from editstream.operators.out_of_order import OutOfOrder
from editstream.operators.pairs import Pairs
from editstream.operators.partial_markers import PartialMarkers
from editstream.operators.problems import EditError
from editstream.operators.snapshot import Snapshot
from editstream.operators.snapshots import Snapshots
from editstream.operators.whole_file import WholeFile

from .editor import Ambiguity, EntitiesMode, OnReject, check_options

Stage = Machine[Any, Any]

_TERMS: dict[Kind, Terms] = {"blocks": BLOCKS, "hunks": HUNKS, "pairs": PAIRS}


@dataclass(frozen=True, slots=True)
class EditOptions:
    """How edits are read and placed; for the values, see ``FileEditor``. ``dialect`` is for edits made of blocks.

    Raises:
        ValueError: an option has no such value.
    """

    dialect: DialectName = "safe"
    ambiguity: Ambiguity = "error"
    on_reject: OnReject = "apply_rest"
    entities: EntitiesMode = "auto"

    def __post_init__(self) -> None:
        dialect_named(self.dialect)
        check_options(self.ambiguity, self.on_reject, self.entities)


class FileEdit:
    """Applies one edit of a turn to one file, as its text streams in.

    Args:
        original: the file's text; empty for a file that does not exist.
        kind: how the edit is read.
        options: how it is placed.
        markdown: whether the file is Markdown, where a fence around the whole content may be content.
        without: numbers of blocks, from 0, that are left out before the search.
    """

    def __init__(
        self,
        original: str,
        kind: Kind,
        options: EditOptions,
        *,
        markdown: bool = False,
        without: Collection[int] = (),
    ) -> None:
        document = Document(original)
        dialect = dialect_named(options.dialect) if kind == "blocks" else SAFE
        snapshots = Snapshots(document, dialect, apply_rest=options.on_reject == "apply_rest")
        if kind in _TERMS:
            ladder = tuple(tier for tier in dialect.line_tiers if options.entities == "auto" or tier.name != "entities")
            first = options.ambiguity == "first"
            search = search_machine(document, dialect, ladder, first_of_several=first, terms=_TERMS[kind])
            left_out = (LeaveOut(without),) if without else ()
            stages = (*_reading(kind, options), *left_out, search, OutOfOrder(ladder, terms=_TERMS[kind]))
        else:
            stages = (Lines(), WholeFile(document, markdown=markdown))
        self._machine: Machine[Any, Snapshot] = Chain((*stages, snapshots))
        self._snapshot = snapshots.peek(NOTHING)

    @property
    def snapshot(self) -> Snapshot:
        """The latest snapshot."""
        return self._snapshot

    def feed(self, item: EditInput) -> Snapshot:
        """Take a piece of the edit; give the file as it stands after it."""
        return self._take(self._machine.feed(item.text if isinstance(item, EditText) else item))

    def close(self, reason: Reason = "complete") -> Snapshot:
        """End the edit and give the last snapshot; its problems say what was rejected."""
        try:
            return self._take(self._machine.close(reason))
        except EditError:
            return self._snapshot  # the last one, in which nothing is applied

    def _take(self, given: Iterable[Snapshot]) -> Snapshot:
        for snapshot in given:
            self._snapshot = snapshot
        return self._snapshot


def replaced_by(original: str, text: str) -> Snapshot:
    """The last snapshot of an edit that puts ``text``, as it is, in the place of all of ``original``."""
    document = Document(original)
    snapshots = Snapshots(document, SAFE)
    whole = (0, len(original))
    runs = changed_runs(original, *whole, text)
    snapshots.feed(BlockChanged(Block(0, 1, "applied", "exact", whole, (1, len(document.lines) + 1)), match=0))
    snapshots.feed(Arrangement((Splice(*whole, text, 0, tuple(runs)),)))
    return list(snapshots.close("complete"))[-1]


def unit_of(kind: Kind) -> str:
    """What the parts of an edit of this kind are called to the model."""
    return _TERMS[kind].block if kind in _TERMS else BLOCKS.block


def _reading(kind: Kind, options: EditOptions) -> tuple[Stage, ...]:
    """The stages from an edit's text to its block events."""
    if kind == "pairs":
        return (Pairs(),)
    if kind == "hunks":
        return (Lines(), Hunks())
    grammar = dialect_named(options.dialect).grammar
    decode: tuple[Stage, ...] = (Entities(),) if options.entities == "always" else ()
    hints: tuple[Stage, ...] = (LineHints(),) if options.dialect == "safe" else ()
    return (Lines(), *decode, PartialMarkers(grammar), Markers(grammar), *hints)
