"""What flows between the stages: lines, block events, edits, and the small public values that snapshots are made of.

Every class here is small, frozen and slotted, so that a snapshot may keep it without copying. Lines are numbered from
1 in public values and counted from 0 inside; blocks are counted from 0; offsets count code points; a span is half-open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .problems import Problem

Reason: TypeAlias = Literal["complete", "truncated", "cancelled"]
BlockStatus: TypeAlias = Literal[
    "searching",
    "pending",
    "located",
    "replacing",
    "applied",
    "repaired",
    "already_applied",
    "unchanged",
    "rejected",
]


@dataclass(frozen=True, slots=True)
class End:
    """The last item of a stream, when its producer knows why it ended: by itself, cut off, or called off."""

    reason: Reason = "complete"


# From the lines stage ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the stream without its ``\\n``; ``number`` from 1. ``ended`` is false for a last line without one."""

    text: str
    number: int
    ended: bool = True


class Tail:
    """The unfinished last line, as a reference to its pieces; the text is joined when somebody reads it.

    ``size`` counts its code points, ``rest`` is an end of it that is no piece of its own yet.
    """

    __slots__ = ("_text", "count", "number", "pieces", "rest", "size")

    def __init__(self, pieces: list[str], number: int, size: int, rest: str = "") -> None:
        self.rest = rest
        self.pieces = pieces
        self.count = len(pieces)
        self.number = number
        self.size = size
        self._text: str | None = None

    @property
    def text(self) -> str:
        """The unfinished line so far."""
        if self._text is None:
            self._text = "".join([*self.pieces[: self.count], self.rest])
        return self._text

    @property
    def first(self) -> str:
        """Its first code point, or nothing."""
        return (self.pieces[0] if self.count else self.rest)[:1]


@dataclass(frozen=True, slots=True)
class Held:
    """An unfinished line that may still become a marker: nothing of it is shown yet."""

    tail: Tail


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A bound was passed: the rest of the stream is not read."""

    line: int
    message: str


LineItem: TypeAlias = Line | TooLarge | End
TailItem: TypeAlias = Line | Tail | Held


# From the markers stage ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opened:
    """A SEARCH block begins; ``indent`` is the white space that its three markers share."""

    block: int
    line: int
    indent: str = ""


@dataclass(frozen=True, slots=True)
class Where:
    """What a format says of a block's place besides its SEARCH; the default says nothing.

    ``near``: the line of the original, from 1, that it is nearest to. ``scopes``: lines that stand before it, each
    after the one before. ``at_end``: it ends where the file ends. ``after``: an insertion after this line, 0 for the
    top. ``as_text``: SEARCH and REPLACE are text rather than lines, cut at each ``\\n``, with what comes after the last
    one as an item too, if only an empty one. ``everywhere``: every hit is meant.
    """

    near: int | None = None
    scopes: tuple[str, ...] = ()
    at_end: bool = False
    after: int | None = None
    as_text: bool = False
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Placing:
    """What the open block says of its place: it takes the place of what was said before, and may come at any time."""

    where: Where


@dataclass(frozen=True, slots=True)
class SearchLine:
    """A line of SEARCH. ``rule`` says that it could be the divider, though it is not as long as the opener asks."""

    text: str
    line: int
    rule: bool = False


@dataclass(frozen=True, slots=True)
class Divided:
    """The divider: SEARCH is whole, REPLACE begins. ``text`` is the line itself, should it turn out to be content."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ReplaceLine:
    """A line of REPLACE. ``rule`` says that it could be the divider as well."""

    text: str
    line: int
    rule: bool = False


@dataclass(frozen=True, slots=True)
class Closed:
    """A block is over: by its closer, by the next opener, or by the end of the stream (then with the end's reason)."""

    line: int
    by: Literal["closer", "opener", "complete", "truncated", "cancelled"] = "closer"


@dataclass(frozen=True, slots=True)
class Stray:
    """A marker where none may stand, outside any block (or, in a strict grammar, anywhere)."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class SearchTail:
    """The unfinished line belongs to SEARCH."""

    tail: Tail


@dataclass(frozen=True, slots=True)
class ReplaceTail:
    """The unfinished line belongs to REPLACE."""

    tail: Tail


TAIL_EVENTS = (SearchTail, ReplaceTail)
"""What an unfinished line of a block is, once it is known to be content: passed through to the snapshots."""

BlockEvent: TypeAlias = Opened | Placing | SearchLine | Divided | ReplaceLine | Closed | Stray | TooLarge | End
BlockTailEvent: TypeAlias = BlockEvent | SearchTail | ReplaceTail


# From the search stage and from out-of-order buffering ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Splice:
    """Text that takes the place of a span of the original.

    ``runs`` are the pieces that differ, as (start, end, text) against the original, in order: what an editor needs.
    """

    start: int
    end: int
    text: str
    block: int
    runs: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """All closed edits, in the order of the file, none overlapping another."""

    splices: tuple[Splice, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """What is known of one block of the stream.

    ``index`` counts blocks from 0 and ``line`` the lines of the stream from 1. ``span`` is the place in the original,
    half-open, in code points, and ``lines`` the same place as (first line, line after the last), from 1; both are None
    while the block has no place. ``tier`` names the rule that found it, ``other_matches`` the lines, from 1, of further
    places that it could have meant.
    """

    index: int
    line: int
    status: BlockStatus
    tier: str | None = None
    span: tuple[int, int] | None = None
    lines: tuple[int, int] | None = None
    other_matches: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockChanged:
    """A block as it stands now, with its problem if it has one; ``match`` is the offset that it reports."""

    block: Block
    problem: Problem | None = None
    match: int | None = None


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The first ``count`` lines of the SEARCH that is still streaming, which narrow the places where it may be."""

    lines: Sequence[str]
    count: int


@dataclass(frozen=True, slots=True)
class Writing:
    """The open block has a place: its REPLACE streams into ``[start, end)`` of the original, between head and foot.

    ``rest`` are the other edits; ``finish`` turns an unfinished line into text. ``open_end``: its last line has no
    line end, being the file's last. ``copied_from`` is where a log of the new file goes on from (cursor dialects).
    """

    block: int
    start: int
    end: int
    rest: Arrangement
    finish: LineFinisher
    head: str = ""
    foot: str = ""
    open_end: bool = False
    copied_from: int | None = None


class LineFinisher:
    """How an unfinished line of REPLACE is shown: here as it is, with the line end it would get."""

    __slots__ = ()

    def __call__(self, text: str) -> str:
        """The text to show for the unfinished line."""
        return text + "\n"


@dataclass(frozen=True, slots=True)
class Wrote:
    """One more line of the open REPLACE, as it goes into the file; ``finish`` shows the next while it is unfinished."""

    text: str
    finish: LineFinisher


@dataclass(frozen=True, slots=True)
class Relocated:
    """A reading was given up: the open block's place and what it wrote so far are taken back."""

    block: int


@dataclass(frozen=True, slots=True)
class Said:
    """A problem that belongs to no block."""

    problem: Problem


ViewEvent: TypeAlias = BlockChanged | Narrowed | Writing | Wrote | Relocated | Said | Arrangement | TooLarge | End
ViewTailEvent: TypeAlias = ViewEvent | SearchTail | ReplaceTail
