"""What a format makes of a turn: edits of single files, each as a stream of text whose kind says how it is read.

An edit begins when its path is known: a format holds back what comes before. Its text follows in pieces, cut anywhere,
and it ends with a reason. Edits are counted from 0 in the order they begin, and may overlap, as tool calls do.

    blocks   SEARCH/REPLACE blocks: ``EditText``
    hunks    the sections of a V4A patch for one file, from its first ``@@`` on: ``EditText``
    content  the whole file: ``EditText``; ``create`` is the same for a file that must not exist yet
    pairs    old and new text: for each pair ``PairBegan``, ``OldText``, ``NewText``, ``PairEnded``, in this order
    delete   nothing follows

An edit without its end was cut off; a format gives an ``EditEnded`` for each that it began, also when it closes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from editstream.operators.events import End, Reason

Kind: TypeAlias = Literal["blocks", "hunks", "content", "create", "pairs", "delete"]


@dataclass(frozen=True, slots=True)
class EditBegan:
    """An edit of one file begins; ``path`` is as the model wrote it, ``call`` the id of the tool call it came by."""

    edit: int
    path: str
    kind: Kind
    call: str | None = None


@dataclass(frozen=True, slots=True)
class EditText:
    """A piece of an edit's text."""

    edit: int
    text: str


@dataclass(frozen=True, slots=True)
class PairBegan:
    """A pair begins. With ``after``, its new text is put after that line (0: before the first), and there is no old."""

    edit: int
    after: int | None = None


@dataclass(frozen=True, slots=True)
class OldText:
    """A piece of the text that a pair looks for."""

    edit: int
    text: str


@dataclass(frozen=True, slots=True)
class NewText:
    """A piece of the text that a pair puts there."""

    edit: int
    text: str


@dataclass(frozen=True, slots=True)
class PairEnded:
    """A pair is whole. ``everywhere``: it is meant for each place where its old text is."""

    edit: int
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class MovedTo:
    """The file is to be renamed as well."""

    edit: int
    path: str


@dataclass(frozen=True, slots=True)
class EditEnded:
    """An edit is over. With a ``fault``, what came is not to be trusted: it says why, for the model."""

    edit: int
    reason: Reason = "complete"
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Misread:
    """Something that was meant as an edit and is none: it says why, for the model. ``call`` as in ``EditBegan``.

    ``reason`` is not ``complete`` where only the rest is missing.
    """

    message: str
    call: str | None = None
    reason: Reason = "complete"


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that edits nothing: to show a file's lines (``first`` to ``last``, from 1; None: all), or to undo."""

    command: Literal["view", "undo"]
    path: str
    call: str
    first: int | None = None
    last: int | None = None


EditInput: TypeAlias = EditText | PairBegan | OldText | NewText | PairEnded
"""What an edit's own text is made of."""

FormatEvent: TypeAlias = EditBegan | EditInput | MovedTo | EditEnded | Misread | Asked | End
