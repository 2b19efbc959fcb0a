"""One turn: the edits of its files, each followed, proposed and written in its place in the order of its file.

A turn is a generator of what it needs from the world, so that one core serves callers who wait and callers who await:
it yields a ``FileSnapshot`` to be shown, a ``Proposal`` to be decided (the decision is sent back), a ``Job`` to be run
(its result is sent back), and a ``WriteEvent`` to be told.

Edits of different files may overlap; of two edits of one file the second begins, on what the first has left, when the
first is settled, and what comes for it before that waits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

from editstream.edits import Snapshot
from editstream.edits.file_edit import EditOptions, FileEdit, replaced_by, unit_of
from editstream.operators.events import End, Reason
from editstream.operators.formats.deltas import Delta, ToolCall
from editstream.operators.formats.file_edits import (
    Asked,
    EditBegan,
    EditEnded,
    EditInput,
    FormatEvent,
    Kind,
    Misread,
    MovedTo,
)
from editstream.operators.machine import Machine
from editstream.workspace import TextFile, WriteEvent

from .approval import Decision, Proposal
from .asked import Asking
from .files import Files, Refused, Target, read_target
from .options import ApproveBy
from .outcomes import LANDED, Fate, FileSnapshot, Outcome
from .witness import Witness

Job: TypeAlias = Callable[[], tuple[WriteEvent, ...]]
Need: TypeAlias = FileSnapshot | Proposal | Job | WriteEvent
Needs: TypeAlias = Generator[Need, Any, None]

INPUTS: Collection[type] = frozenset(get_args(EditInput))

BY_BLOCKS: Collection[Kind] = frozenset({"blocks", "hunks", "pairs"})
"""The kinds of edits that are made of blocks, which can be decided one by one."""

NO_FILE = "there is no such file. Check the path; to create the file, give all of its text."

UNDO = -1
"""The number of an edit that takes another one back: it is none of the turn's own, and is not taken back itself."""

NO_BLOCKS: Mapping[Kind, str] = {
    "blocks": "the edit holds no SEARCH/REPLACE block; begin each with a line ------- SEARCH.",
    "hunks": "this section of the patch holds no hunk; begin each with a line @@.",
    "pairs": "the call names no text to replace; give old_string and new_string.",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """What all turns of a session share."""

    files: Files
    options: EditOptions
    approve_by: ApproveBy
    asking: Asking
    witness: Witness


@dataclass(slots=True, eq=False)
class _Edit:
    """An edit that is not settled. ``target`` and ``reader`` are there once its turn has come and nothing forbids it.

    ``kept`` is its text so far, where it may have to be read again without some of its blocks.
    """

    began: EditBegan
    place: str | None
    refusal: str = ""
    target: Target | None = None
    reader: FileEdit | None = None
    moved_to: str | None = None
    settled: bool = False
    waiting: list[FormatEvent] = field(default_factory=list[FormatEvent])
    kept: list[EditInput] = field(default_factory=list[EditInput])

    @property
    def name(self) -> str:
        """The file as the model is told of it."""
        return self.began.path if self.place is None else self.place


@dataclass(frozen=True, slots=True)
class _Declined:
    """The blocks that the user took out, with what they said; ``seen`` says that all the others were agreed to."""

    blocks: tuple[int, ...] = ()
    words: str = ""
    seen: bool = False


class Turn:
    """The core of a turn: format events to what is needed, and to outcomes."""

    def __init__(self, setting: Setting, reading: Machine[Delta, FormatEvent]) -> None:
        self.outcomes: list[Outcome] = []
        self.calls: dict[str, ToolCall] = {}
        self._setting = setting
        self._reading = reading
        self._coming: Iterator[FormatEvent] = iter(())
        self._closed = False
        self._edits: dict[int, _Edit] = {}
        self._queues: dict[str, deque[_Edit]] = {}

    def feed(self, delta: Delta) -> Needs:
        """Take a delta; ``End`` is for ``close``."""
        if isinstance(delta, ToolCall):
            self.calls.setdefault(delta.id, delta)
        return self._follow(self._reading.feed(delta))

    def close(self, reason: Reason) -> Needs:
        """End the turn: settle every edit that is open. A cancelled turn asks and writes nothing more."""
        if reason == "cancelled":
            self.cancel()
            return
        self._closed = True
        yield from self._follow(self._reading.close(reason))
        for number in list(self._edits):  # those that a format of somebody's own has left open
            yield from self._event(EditEnded(number, "truncated"))

    def cancel(self) -> None:
        """Drop every edit that is open, and what has come and was not looked at yet."""
        for edit in self._edits.values():
            if not edit.settled:
                self.outcomes.append(Outcome("cancelled", edit.name, edit.began.call))
        self._edits.clear()
        self._queues.clear()
        # The interrupt may have come out of the reading itself, which then is in any state.
        with suppress(Exception):
            for event in self._rest():
                match event:
                    case EditBegan(path=path, call=call) | Asked(path=path, call=call):
                        self.outcomes.append(Outcome("cancelled", path, call))
                    case Misread(message, call, "complete"):
                        self.outcomes.append(Outcome("rejected", None, call, message))
                    case Misread(call=call):
                        self.outcomes.append(Outcome("cancelled", None, call))
                    case _:
                        pass

    def _rest(self) -> Iterator[FormatEvent]:
        yield from self._coming
        if not self._closed:
            self._closed = True
            yield from self._reading.close("cancelled")

    # From format events to edits -------------------------------------------------------------------------------------

    def _follow(self, events: Iterable[FormatEvent]) -> Needs:
        self._coming = iter(events)
        for event in self._coming:
            # Nearly all are pieces of an edit that is being read: the shortest way is theirs.
            if event.__class__ in INPUTS and (edit := self._edits[event.edit]).reader is not None:  # type: ignore[union-attr]
                yield self._read(edit, edit.reader, event)  # type: ignore[arg-type]
            else:
                yield from self._event(event)

    def _read(self, edit: _Edit, reader: FileEdit, item: EditInput) -> FileSnapshot:
        if self._setting.approve_by == "block":
            edit.kept.append(item)
        return self._shown(edit, reader.feed(item))

    def _event(self, event: FormatEvent) -> Needs:
        match event:
            case EditBegan():
                yield from self._begin(event)
            case Misread(message, call):
                self.outcomes.append(Outcome("rejected", None, call, message))
            case Asked():
                yield from self._asked(event)
            case End():
                pass
            case _:
                edit = self._edits[event.edit]
                if edit.place is not None and self._queues[edit.place][0] is not edit:
                    edit.waiting.append(event)
                else:
                    yield from self._take(edit, event)

    def _begin(self, began: EditBegan) -> Needs:
        try:
            edit = _Edit(began, self._setting.files.place(began.path))
        except Refused as refused:
            edit = _Edit(began, None, str(refused))
        self._edits[began.edit] = edit
        if edit.place is not None:
            queue = self._queues.setdefault(edit.place, deque())
            queue.append(edit)
            if queue[0] is edit:
                yield from self._open(edit)

    def _open(self, edit: _Edit) -> Needs:
        """Read the file that an edit is for, as what came before in the turn has left it."""
        try:
            target = read_target(self._setting.files, edit.place or "", edit.began.kind)
        except Refused as refused:
            edit.refusal = str(refused)
            return
        edit.target = target
        edit.reader = self._reader(target, edit)
        yield self._shown(edit, edit.reader.snapshot)

    def _reader(self, target: Target, edit: _Edit, without: Iterable[int] = ()) -> FileEdit:
        kind, options = edit.began.kind, self._setting.options
        return FileEdit(target.file.text, kind, options, markdown=target.is_markdown, without=tuple(without))

    def _take(self, edit: _Edit, event: FormatEvent) -> Needs:
        match event:
            case MovedTo(_, path):
                edit.moved_to = path
            case EditEnded():
                yield from self._settle(edit, event)
                yield from self._next(edit)
            case _ if edit.reader is not None:
                yield self._read(edit, edit.reader, event)  # type: ignore[arg-type]
            case _:
                pass  # an edit that is refused: the model is told at its end

    def _next(self, edit: _Edit) -> Needs:
        """Let go of a settled edit, and let the next one of its file begin."""
        del self._edits[edit.began.edit]
        if edit.place is None:
            return
        queue = self._queues[edit.place]
        queue.popleft()
        if not queue:
            del self._queues[edit.place]
            return
        following = queue[0]
        waiting, following.waiting = following.waiting, []
        yield from self._open(following)
        for event in waiting:
            yield from self._take(following, event)

    def _shown(self, edit: _Edit, snapshot: Snapshot) -> FileSnapshot:
        return FileSnapshot(edit.name, edit.began.edit, snapshot, edit.began.call)

    def _asked(self, asked: Asked) -> Needs:
        asking, path, call = self._setting.asking, asked.path, asked.call
        try:
            if asked.command == "view":
                self.outcomes.append(Outcome("shown", path, call, asking.view(path, asked.first, asked.last)))
                return
            place = self._setting.files.place(path)
            if place in self._queues:
                raise Refused("an edit of this file is under way: undo it when that is done.")
            target = read_target(self._setting.files, place, "content")
            before = asking.before(target)
        except Refused as refused:
            self.outcomes.append(Outcome("rejected", path, call, str(refused)))
            return
        yield from self._undo(asked, target, before)

    def _undo(self, asked: Asked, target: Target, before: TextFile) -> Needs:
        """Put back what was there before, as an edit of the whole file."""
        kind: Kind = "content" if before.exists else "delete"
        edit = _Edit(EditBegan(UNDO, asked.path, kind, asked.call), target.path, target=target)
        snapshot = replaced_by(target.file.text, before.text)
        self._edits[UNDO] = edit
        yield self._shown(edit, snapshot)
        yield from self._propose(edit, target, snapshot, _Declined())
        del self._edits[UNDO]

    # Settling --------------------------------------------------------------------------------------------------------

    def _settle(self, edit: _Edit, ended: EditEnded) -> Needs:
        target, reader = edit.target, edit.reader
        if target is None or reader is None:
            self._reject(edit, edit.refusal)
            return
        snapshot = reader.close("cancelled" if ended.fault else ended.reason)
        yield self._shown(edit, snapshot)
        if ended.fault:
            self._reject(edit, ended.fault)
            return
        declined = _Declined()
        if self._setting.approve_by == "block" and edit.began.kind in BY_BLOCKS:
            declined = yield from self._decided_by_block(edit, target, snapshot)
            if declined.blocks:
                agreed = set(snapshot.edits)
                snapshot = self._without(edit, target, declined.blocks, ended.reason)
                yield self._shown(edit, snapshot)
                # Without the declined ones a block may mean another place: nothing is written that nobody has seen.
                declined = replace(declined, seen=agreed.issuperset(snapshot.edits))
        yield from self._propose(edit, target, snapshot, declined)

    def _propose(self, edit: _Edit, target: Target, snapshot: Snapshot, declined: _Declined) -> Needs:
        """Ask about an edit that is ready, and write it if the user agrees."""
        if not _has_effect(edit, target, snapshot):
            self._nothing_to_do(edit, snapshot, declined)
            return
        text, kind = snapshot.new_content, edit.began.kind
        moved_to, message = None, ""
        try:
            moved_to = self._setting.files.check(target, text, edit.moved_to)
            if not declined.seen or moved_to is not None:
                proposal = Proposal(target.path, _what(edit, target), snapshot, None, moved_to, edit.began.call)
                decision = yield from self._decision(proposal)
                if decision is not True:
                    self._decline(edit, snapshot, declined, decision or "")
                    return
            writes: tuple[WriteEvent, ...] = yield partial(self._setting.files.write, target, kind, text, moved_to)
        except Refused as refused:
            writes, message = refused.writes, str(refused)
        if not writes:
            self._end(edit, "rejected", snapshot, message=message)
            return
        details = {"declined": declined.blocks, "words": declined.words, "writes": writes, "message": message}
        moved_to = moved_to if any(event.kind == "renamed" for event in writes) else None
        self._end(edit, "written", snapshot, **details, moved_to=moved_to)
        self._keep(edit, moved_to or target.path, target.file, writes[-1])
        yield from writes

    def _keep(self, edit: _Edit, path: str, before: TextFile, last: WriteEvent) -> None:
        """Remember what an edit can be taken back to, or that it was."""
        if edit.began.edit == UNDO:
            self._setting.asking.forget(path)
        else:
            self._setting.asking.remember(path, before, last.hash_after)

    def _decided_by_block(self, edit: _Edit, target: Target, snapshot: Snapshot) -> Generator[Need, Any, _Declined]:
        refused: dict[int, str] = {}
        for block in snapshot.blocks:
            if block.status in LANDED:
                proposal = Proposal(target.path, _what(edit, target), snapshot, block, None, edit.began.call)
                decision = yield from self._decision(proposal)
                if decision is not True:
                    refused[block.index] = decision or ""
        unit = unit_of(edit.began.kind)
        words = [
            f"{unit} {index + 1}: {said}" if refused.keys() - {index} else said
            for index, said in refused.items()
            if said
        ]
        return _Declined(tuple(refused), "\n".join(words), seen=True)

    def _without(self, edit: _Edit, target: Target, blocks: tuple[int, ...], reason: Reason) -> Snapshot:
        """The edit read again without the blocks that were declined."""
        reader = edit.reader = self._reader(target, edit, blocks)
        for item in edit.kept:
            reader.feed(item)
        return reader.close(reason)

    def _decision(self, proposal: Proposal) -> Generator[Need, Any, Decision]:
        decision: Decision = yield proposal
        self._setting.witness.decided(proposal, decision)
        return decision

    # Outcomes --------------------------------------------------------------------------------------------------------

    def _nothing_to_do(self, edit: _Edit, snapshot: Snapshot, declined: _Declined) -> None:
        if declined.blocks:
            self._end(edit, "declined", snapshot, declined=declined.blocks, words=declined.words)
        elif snapshot.problems:
            missing = edit.target is not None and not edit.target.file.exists
            self._end(edit, "rejected", snapshot, message=NO_FILE if missing else "")
        elif snapshot.blocks:
            self._end(edit, "unchanged", snapshot)
        else:
            self._reject(edit, NO_BLOCKS[edit.began.kind])

    def _decline(self, edit: _Edit, snapshot: Snapshot, before: _Declined, words: str) -> None:
        """The user does not want this edit; what is wrong with its other blocks is of no interest then."""
        all_words = "\n".join(filter(None, (before.words, words)))
        blocks = tuple(sorted({*before.blocks, *_landed(snapshot)}))
        self._end(edit, "declined", snapshot, problems=(), declined=blocks, words=all_words)

    def _reject(self, edit: _Edit, message: str) -> None:
        edit.settled = True
        self.outcomes.append(Outcome("rejected", edit.name, edit.began.call, message))

    def _end(self, edit: _Edit, fate: Fate, snapshot: Snapshot, **details: Any) -> None:
        edit.settled = True
        details = {"blocks": snapshot.blocks, "problems": snapshot.problems, **details}
        self.outcomes.append(Outcome(fate, edit.name, edit.began.call, unit=unit_of(edit.began.kind), **details))


def _has_effect(edit: _Edit, target: Target, snapshot: Snapshot) -> bool:
    """Whether anything would be different on disk."""
    landed = bool(_landed(snapshot))
    if edit.began.kind == "delete":
        return not snapshot.problems
    if edit.moved_to is not None:
        return landed or not snapshot.problems
    return landed and (snapshot.new_content != target.file.text or not target.file.exists)


def _what(edit: _Edit, target: Target) -> Literal["create", "modify", "delete", "move"]:
    if edit.began.kind == "delete":
        return "delete"
    if edit.moved_to is not None:
        return "move"
    return "modify" if target.file.exists else "create"


def _landed(snapshot: Snapshot) -> tuple[int, ...]:
    """The numbers, from 0, of the blocks that have changed the file."""
    return tuple(block.index for block in snapshot.blocks if block.status in LANDED)
