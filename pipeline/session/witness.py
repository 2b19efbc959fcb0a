"""What a session takes in from outside, told as it comes: enough to run it again without the model, user or disk.

A session is a function of its deltas, of what the disk says, and of what the user decides. A ``Witness`` is told of all
three, of where a turn was cancelled, and of the answers. What the disk says is a ``Fact``, one question with its
answer, fit to be a line of a recording; ``at`` is for who keeps it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, TypeVar

from editstream.operators.formats.deltas import Delta
from editstream.operators.formats.file_edits import Kind
from editstream.recording.format import Count, Flag, Milliseconds, Text, content_hash
from editstream.workspace import TextFile, WriteEvent, WriteKind

from .answer import Answer
from .approval import Decision, Proposal
from .files import Files, Interrupted, Refused, Target
from .options import SessionOptions

T = TypeVar("T")


# What the disk says: ``refused`` is why there is no answer, in words for the model -----------------------------------


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a path leads."""

    path: Text
    place: Text | None = None
    refused: Text | None = None
    at: Milliseconds = 0
    type: Literal["place"] = field(default="place", kw_only=True)


@dataclass(frozen=True, slots=True)
class Read:
    """A file's text and the hash of its bytes, both None if there is no file; no text where it was told before."""

    path: Text
    text: Text | None = None
    sha256: Text | None = None
    refused: Text | None = None
    at: Milliseconds = 0
    type: Literal["read"] = field(default="read", kw_only=True)


@dataclass(frozen=True, slots=True)
class Listed:
    """What a folder holds, as it is shown; None if it is none."""

    path: Text
    entries: Text | None = None
    refused: Text | None = None
    at: Milliseconds = 0
    type: Literal["folder"] = field(default="folder", kw_only=True)


@dataclass(frozen=True, slots=True)
class Known:
    """Whether there is a file at a path."""

    path: Text
    is_file: Flag = False
    at: Milliseconds = 0
    type: Literal["known"] = field(default="known", kw_only=True)


@dataclass(frozen=True, slots=True)
class Checked:
    """Whether a new text, of which ``sha256`` is the ``content_hash``, can be written, and where a move leads."""

    path: Text
    sha256: Text
    moved_to: Text | None = None
    place: Text | None = None
    refused: Text | None = None
    at: Milliseconds = 0
    type: Literal["check"] = field(default="check", kw_only=True)


@dataclass(frozen=True, slots=True)
class Change:
    """A change on disk, as its ``WriteEvent`` tells it; where the root is stays out of it."""

    kind: WriteKind
    path: Text
    old_path: Text | None
    hash_before: Text | None
    hash_after: Text | None
    size: Count

    @classmethod
    def of(cls, event: WriteEvent) -> Change:
        """What is kept of an event."""
        return cls(event.kind, event.path, event.old_path, event.hash_before, event.hash_after, event.size)


@dataclass(frozen=True, slots=True)
class Wrote:
    """What was written, with the ``content_hash`` of the text, and what came of it."""

    path: Text
    kind: Kind
    sha256: Text
    moved_to: Text | None = None
    changes: tuple[Change, ...] = ()
    refused: Text | None = None
    at: Milliseconds = 0
    type: Literal["write"] = field(default="write", kw_only=True)


Fact: TypeAlias = Placed | Read | Listed | Known | Checked | Wrote
"""What the disk was asked, and what it said."""


def question_of(fact: Fact) -> tuple[str | None, ...]:
    """What the disk was asked, without what it said."""
    match fact:
        case Checked(path, sha256, moved_to):
            return fact.type, path, sha256, moved_to
        case Wrote(path, kind, sha256, moved_to):
            return fact.type, path, kind, sha256, moved_to
        case _:
            return fact.type, fact.path


class Witness:
    """Is told of everything that a session takes in. These methods do nothing: override those you need.

    What a method raises cancels the turn, but in ``found`` and ``answered``, where it may come after a write.
    """

    def begun(self, options: SessionOptions) -> None:
        """A session is there."""

    def delta(self, delta: Delta) -> None:
        """A delta came, and is taken next."""

    def found(self, fact: Fact) -> None:
        """The disk has said something."""

    def decided(self, proposal: Proposal, decision: Decision) -> None:
        """The user has decided."""

    def paused(self) -> None:
        """The turn waits for the next thing that it needs, to be shown, decided or written; or a delta is done with.

        Everything before is settled, so counting these since the last delta says where a turn is.
        """

    def cancelled(self) -> None:
        """The turn was cancelled by other means than an ``End``, where it paused last."""

    def answered(self, answer: Answer) -> None:
        """A turn has ended with this answer."""

    def left(self) -> None:
        """The session was left."""


class WitnessedFiles:
    """Files of which a witness is told everything that is asked."""

    def __init__(self, files: Files, witness: Witness) -> None:
        self._files = files
        self._witness = witness

    def place(self, path: str) -> str:
        """See ``Files``."""
        return self._asked(Placed(path), self._files.place, path, answer=lambda place: {"place": place})

    def read(self, path: str) -> TextFile:
        """See ``Files``."""
        return self._asked(Read(path), self._files.read, path, answer=_read)

    def folder(self, path: str) -> str | None:
        """See ``Files``."""
        return self._asked(Listed(path), self._files.folder, path, answer=lambda entries: {"entries": entries})

    def has(self, path: str) -> bool:
        """See ``Files``."""
        return self._asked(Known(path), self._files.has, path, answer=lambda is_file: {"is_file": is_file})

    def check(self, target: Target, text: str, moved_to: str | None) -> str | None:
        """See ``Files``."""
        question = Checked(target.path, content_hash(text), moved_to)
        return self._asked(question, self._files.check, target, text, moved_to, answer=lambda place: {"place": place})

    def write(self, target: Target, kind: Kind, text: str, moved_to: str | None) -> tuple[WriteEvent, ...]:
        """See ``Files``."""
        question = Wrote(target.path, kind, content_hash(text), moved_to)
        try:
            return self._asked(question, self._files.write, target, kind, text, moved_to, answer=_wrote)
        except Interrupted as interrupted:
            self._witness.found(replace(question, **_wrote(interrupted.writes)))
            raise

    def _asked(self, question: Any, ask: Callable[..., T], *args: Any, answer: Callable[[T], dict[str, Any]]) -> T:
        try:
            found = ask(*args)
        except Refused as refused:
            done = _wrote(refused.writes) if refused.writes else {}
            self._witness.found(replace(question, refused=str(refused), **done))
            raise
        self._witness.found(replace(question, **answer(found)))
        return found


def _read(file: TextFile) -> dict[str, Any]:
    return {"text": file.text, "sha256": file.sha256} if file.exists else {}


def _wrote(events: tuple[WriteEvent, ...]) -> dict[str, Any]:
    return {"changes": tuple(map(Change.of, events))}
