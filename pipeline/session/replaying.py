"""A recorded session run again: the same deltas through the same code, with the disk and the user as they were.

    recording ─▶ deltas ─────────────▶ EditSession ─▶ snapshots
              ─▶ what the disk said ─▶      │
              ─▶ decisions ──────────▶      └───────▶ answers, compared with those recorded

No file is read or written: each question of the session is answered from the recording, in its order. One that was not
asked then is a difference and ends the replay, since what follows would be another session.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any, NoReturn, TypeVar

from editstream.operators.formats.deltas import Delta
from editstream.operators.formats.file_edits import FormatEvent, Kind
from editstream.operators.machine import Machine
from editstream.recording.format import RecordingError, content_hash, shown
from editstream.recording.replaying import MIN_SPEED
from editstream.workspace import TextFile, WriteEvent

from .answer import Answer
from .approval import Decision, Proposal
from .files import Refused, Target
from .outcomes import FileSnapshot
from .recorded import Answered, Cancelled, Decided, Entry, SessionRecording, as_delta
from .session import EditSession
from .witness import Change, Checked, Fact, Known, Listed, Placed, Read, Witness, Wrote, question_of

LONGEST_WAIT = 3_000
"""The longest time, in ms as recorded, that a replay waits for a delta: a user who thought is not waited for again."""

F = TypeVar("F", Placed, Read, Listed, Known, Checked, Wrote)


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a replay was not what was recorded: in which turn, from 1, and what each of them says there."""

    turn: int
    recorded: str
    replayed: str

    def __str__(self) -> str:
        pairs = enumerate(zip(self.recorded, self.replayed, strict=False))
        same = next((at for at, (one, other) in pairs if one != other), min(len(self.recorded), len(self.replayed)))
        line = self.recorded.rfind("\n", 0, same) + 1
        return f"turn {self.turn}: recorded is {shown(self.recorded[line:])}, replayed {shown(self.replayed[line:])}"


def replay_session(
    recording: SessionRecording,
    *,
    speed: float | None = None,
    format: Callable[[], Machine[Delta, FormatEvent]] | None = None,  # noqa: A002 - as EditSession has it
) -> SessionReplay:
    """A recorded session again: iterate over it for its snapshots and answers, then look at the differences.

    Args:
        recording: from ``read_session``. It may come from anybody: no path in it leads anywhere.
        speed: divides the recorded times, of which none is longer than ``LONGEST_WAIT``; None for all at once.
        format: what was given as the session's format, if that was one of its own.

    Raises:
        ValueError: the speed is less than ``MIN_SPEED``, or the format is missing.
        RecordingError: the options in the header do not go together.
    """
    if speed is not None and not speed >= MIN_SPEED:
        raise ValueError(f"speed is a factor of {MIN_SPEED} or more, or None for all at once, not {speed}")
    if format is None and recording.header.options.format is None:
        raise ValueError("this session had a format of its own: give it as format=…")
    return SessionReplay(recording, speed, format)


class SessionReplay:
    """The snapshots of a recorded session, by ``for``, once, and after those of each turn its answer.

    Attributes:
        answers: the answers to the turns so far.
        differences: where the replay is not what was recorded: none if this editstream does as that one did.
        received: code points of text and of arguments so far.
    """

    def __init__(self, recording: SessionRecording, speed: float | None, format_: Any) -> None:
        self._past = past = _Past(recording)
        self._speed = speed
        self._shown: list[FileSnapshot] = []
        self.received = 0
        said = recording.header.options
        options: dict[str, Any] = {each.name: getattr(said, each.name) for each in fields(said)}
        if format_ is not None:
            options["format"] = format_
        try:
            self._session = EditSession(past, approve=past.decision, witness=past, **options)
        except ValueError as error:
            raise RecordingError(f"the header asks for a session that cannot be: {error}", 1) from None
        self._session.snapshots.subscribe(self._shown.append)
        self._snapshots = self._run()

    @property
    def answers(self) -> tuple[Answer, ...]:
        """See above."""
        return tuple(self._past.answers)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """See above."""
        return tuple(self._past.differences)

    def __iter__(self) -> Iterator[FileSnapshot | Answer]:
        return self._snapshots

    def close(self) -> None:
        """End the replay where it is."""
        self._snapshots.close()

    def _run(self) -> Generator[FileSnapshot | Answer, None, None]:
        past, waited, before, told = self._past, 0, 0, 0
        began = time.monotonic()
        with self._session, past:
            while (found := past.next_delta()) is not None:
                at, delta = found
                waited += min(at - before, LONGEST_WAIT)
                before = at
                if self._speed is not None:
                    time.sleep(max(0, began + waited / 1000 / self._speed - time.monotonic()))
                self.received += len(getattr(delta, "text", ""))
                with suppress(_Cut, _Differs):
                    self._session.feed(delta)
                snapshots, self._shown[:] = tuple(self._shown), ()
                yield from snapshots
                yield from past.answers[told:]
                told = len(past.answers)
        yield from past.answers[told:]


class _Cut(Exception):
    """The turn was cancelled here, or nothing is recorded of what came next."""


class _Differs(Exception):
    """The replay is not what was recorded."""


class _Past(Witness):
    """The world of a recorded session: its disk, its user, and the witness that compares."""

    def __init__(self, recording: SessionRecording) -> None:
        self.answers: list[Answer] = []
        self.differences: list[Difference] = []
        self._recording = recording
        self._entries = recording.entries
        self._next = 0
        self._pauses = 0
        self._changes = 0
        self._texts: dict[str, str] = {}
        self._over = False

    def __enter__(self) -> None:
        """Look on; from the end of the block on, what the session still does is nobody's business."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # A recording that is torn in a turn still has that turn's answer: what was done until then.
        self._over = self._over or kind is not None

    def next_delta(self) -> tuple[int, Delta] | None:
        """The next delta with its time in ms; None at the end, or where the replay must end."""
        entry = self._entry()
        if entry is None:
            return None
        if isinstance(entry, Fact | Decided | Cancelled | Answered):
            self._differ(entry, "nothing")
            return None
        self._next += 1
        self._pauses = 0
        return entry.at, as_delta(entry)

    def _entry(self) -> Entry | None:
        return self._entries[self._next] if self._next < len(self._entries) and not self._over else None

    def _differ(self, entry: Entry | None, replayed: str) -> None:
        if not self._over:
            self._over = True
            self.differences.append(Difference(len(self.answers) + 1, _named(entry), replayed))

    def _stop(self, entry: Entry | None, replayed: str) -> NoReturn:
        """What is asked was not asked then: end the turn."""
        if self._over or (entry is None and not self._recording.is_whole):
            raise _Cut
        self._differ(entry, replayed)
        raise _Differs

    # The disk --------------------------------------------------------------------------------------------------------

    def place(self, path: str) -> str:
        """See ``Files``."""
        return self._answer(Placed(path)).place or ""

    def read(self, path: str) -> TextFile:
        """See ``Files``."""
        fact = self._answer(Read(path))
        if fact.sha256 is None:
            return TextFile(path)
        text = self._texts.get(fact.sha256, "") if fact.text is None else fact.text
        self._texts[fact.sha256] = text
        return TextFile(path, text, sha256=fact.sha256)

    def folder(self, path: str) -> str | None:
        """See ``Files``."""
        return self._answer(Listed(path)).entries

    def has(self, path: str) -> bool:
        """See ``Files``."""
        return self._answer(Known(path)).is_file

    def check(self, target: Target, text: str, moved_to: str | None) -> str | None:
        """See ``Files``."""
        return self._answer(Checked(target.path, content_hash(text), moved_to)).place

    def write(self, target: Target, kind: Kind, text: str, moved_to: str | None) -> tuple[WriteEvent, ...]:
        """See ``Files``."""
        sha256 = content_hash(text)
        self._texts[sha256] = text
        return self._written(self._answer(Wrote(target.path, kind, sha256, moved_to)).changes)

    def _answer(self, question: F) -> F:
        entry = self._entry()
        if not isinstance(entry, type(question)) or question_of(entry) != question_of(question):
            self._stop(entry, _named(question))
        self._next += 1
        if (refused := getattr(entry, "refused", None)) is not None:
            raise Refused(refused, self._written(getattr(entry, "changes", ())))
        return entry

    def _written(self, changes: Iterable[Change]) -> tuple[WriteEvent, ...]:
        return tuple(map(self._event, changes))

    def _event(self, change: Change) -> WriteEvent:
        """The event again; the root, which is not recorded, is no place, and the time that of the recording."""
        self._changes += 1
        return WriteEvent(
            kind=change.kind,
            path=change.path,
            root="",
            old_path=change.old_path,
            hash_before=change.hash_before,
            hash_after=change.hash_after,
            size=change.size,
            time=self._recording.header.created,
            sequence=self._changes,
        )

    # The user --------------------------------------------------------------------------------------------------------

    def decision(self, proposal: Proposal) -> Decision:
        """What the user said then."""
        entry = self._entry()
        block = None if proposal.block is None else proposal.block.index
        if not isinstance(entry, Decided) or (entry.path, entry.block) != (proposal.path, block):
            self._stop(entry, _named(Decided(0, proposal.path, False, block)))
        self._next += 1
        return entry.decision

    # The witness -----------------------------------------------------------------------------------------------------

    def paused(self) -> None:
        """Cut the turn where it was cut."""
        self._pauses += 1
        if isinstance(entry := self._entry(), Cancelled) and self._pauses >= entry.pauses:
            raise _Cut

    def cancelled(self) -> None:
        """Compare."""
        if isinstance(entry := self._entry(), Cancelled):
            self._next += 1
        elif entry is not None:
            self._differ(entry, "a turn that is cancelled")

    def answered(self, answer: Answer) -> None:
        """Keep the answer, and compare."""
        if self._over:
            return
        entry = self._entry()
        if isinstance(entry, Answered):
            self._next += 1
            self._compare(entry, Answered.of(answer, entry.at))
        elif entry is not None or self._recording.is_whole:
            self._differ(entry, "the end of the turn")
        self.answers.append(answer)

    def _compare(self, recorded: Answered, replayed: Answered) -> None:
        for each in fields(Answered):
            one, other = getattr(recorded, each.name), getattr(replayed, each.name)
            if one != other:
                sides = (one, other) if each.name == "text" else (f"{each.name}: {one}", f"{each.name}: {other}")
                self.differences.append(Difference(len(self.answers) + 1, *sides))


def _named(entry: Entry | None) -> str:
    """What an entry is about, for a message."""
    match entry:
        case None:
            return "the end"
        case Decided(path=path, block=block):
            return f"decision on {path}" + ("" if block is None else f", block {block + 1}")
        case Placed() | Read() | Listed() | Known() | Checked() | Wrote():
            return " ".join(each for each in question_of(entry) if each is not None)
        case _:
            return entry.type
