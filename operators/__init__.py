"""The stages of the stream: pure machines that turn token chunks into snapshots of an edited file.

Each stage is a class with three verbs (``machine``) and an operator for a ``pipe`` of one's own. In their order::

    lines ─▶ (entities) ─▶ partial_markers ─▶ markers ─▶ search ─▶ out_of_order ─▶ snapshots

``lines`` takes chunks of text, and an ``End`` if there is one; ``snapshots`` gives one ``Snapshot`` for each chunk.
Other formats come in elsewhere: ``hunks`` makes block events of the lines of a patch, ``pairs`` of old and new texts,
and ``whole_file`` edits of the lines of a new file. ``line_hints`` and ``leave_out`` stand before ``search``.
"""

from __future__ import annotations

from .cursor_search import CursorSearch, Cut
from .dialect import DIALECTS, SAFE, V1, V2, Dialect, Grammar, dialect_named
from .document import Document
from .entities import Entities, entities
from .events import (
    Arrangement,
    Block,
    BlockChanged,
    BlockEvent,
    BlockTailEvent,
    Closed,
    Divided,
    End,
    Held,
    Line,
    LineFinisher,
    LineItem,
    Narrowed,
    Opened,
    Placing,
    Reason,
    Relocated,
    ReplaceLine,
    ReplaceTail,
    Said,
    SearchLine,
    SearchTail,
    Splice,
    Stray,
    Tail,
    TailItem,
    TooLarge,
    ViewEvent,
    ViewTailEvent,
    Where,
    Writing,
    Wrote,
)
from .formats.file_edits import NewText, OldText, PairBegan, PairEnded
from .hints import LineHints, line_hints
from .hunks import Hunks, hunks
from .leave_out import LeaveOut, leave_out
from .lines import Lines, lines
from .machine import NOTHING, Chain, Machine, Unfinished, as_operator
from .markers import Markers, markers
from .matching import EditEvent, EditTailEvent, LadderSearch, search
from .out_of_order import OutOfOrder, out_of_order
from .pairs import PairItem, Pairs, pairs
from .partial_markers import PartialMarkers, partial_markers
from .problems import Candidate, EditError, Problem
from .snapshot import Snapshot, TextEdit
from .snapshots import Snapshots, snapshots
from .tiers import Hit, LineTier, safe_ladder
from .whole_file import WholeFile, whole_file
from .writing import Pending, Placed

__all__ = [
    "DIALECTS",
    "NOTHING",
    "SAFE",
    "V1",
    "V2",
    "Arrangement",
    "Block",
    "BlockChanged",
    "BlockEvent",
    "BlockTailEvent",
    "Candidate",
    "Chain",
    "Closed",
    "CursorSearch",
    "Cut",
    "Dialect",
    "Divided",
    "Document",
    "EditError",
    "EditEvent",
    "EditTailEvent",
    "End",
    "Entities",
    "Grammar",
    "Held",
    "Hit",
    "Hunks",
    "LadderSearch",
    "LeaveOut",
    "Line",
    "LineFinisher",
    "LineHints",
    "LineItem",
    "LineTier",
    "Lines",
    "Machine",
    "Markers",
    "Narrowed",
    "NewText",
    "OldText",
    "Opened",
    "OutOfOrder",
    "PairBegan",
    "PairEnded",
    "PairItem",
    "Pairs",
    "PartialMarkers",
    "Pending",
    "Placed",
    "Placing",
    "Problem",
    "Reason",
    "Relocated",
    "ReplaceLine",
    "ReplaceTail",
    "Said",
    "SearchLine",
    "SearchTail",
    "Snapshot",
    "Snapshots",
    "Splice",
    "Stray",
    "Tail",
    "TailItem",
    "TextEdit",
    "TooLarge",
    "Unfinished",
    "ViewEvent",
    "ViewTailEvent",
    "Where",
    "WholeFile",
    "Writing",
    "Wrote",
    "as_operator",
    "dialect_named",
    "entities",
    "hunks",
    "leave_out",
    "line_hints",
    "lines",
    "markers",
    "out_of_order",
    "pairs",
    "partial_markers",
    "safe_ladder",
    "search",
    "snapshots",
    "whole_file",
]
