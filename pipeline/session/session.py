"""A session: a model's turns, as deltas, into approved changes of a workspace and an answer for the model.

    deltas ─▶ format ─▶ edits of files ─▶ snapshots ─▶ approval ─▶ workspace ─▶ writes
                                                                  └────────────▶ the answer to the model

The same core runs for callers who wait (``feed``, ``close``, ``with``) and for callers who await (``afeed``,
``aclose``, ``async with``); ``run`` does for a whole turn what either of them does delta by delta.
"""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Generator, Iterable, Iterator
from contextlib import aclosing, suppress
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, cast, get_args

from reactivex.subject import Subject

from editstream.edits.editor import Ambiguity, EntitiesMode, OnReject
from editstream.edits.file_edit import EditOptions
from editstream.operators.dialect import DialectName
from editstream.operators.events import End, Reason
from editstream.operators.formats.deltas import Delta
from editstream.operators.formats.file_edits import FormatEvent
from editstream.operators.machine import Machine
from editstream.prompts.formats import FormatName, ProviderName
from editstream.workspace import Workspace, WriteEvent

from .answer import Answer, answer_to
from .approval import Approve, Decision, Proposal
from .asked import Asking
from .conversation import SaidTurn, answer_messages, said_messages
from .files import Files, FilesOnDisk, Interrupted, Refused
from .formats import reader_of
from .options import MISTAKES_ALLOWED, ApproveBy, SessionOptions
from .outcomes import FileSnapshot
from .turn import Needs, Setting, Turn
from .witness import Witness, WitnessedFiles

if TYPE_CHECKING:
    from reactivex import Observable


DELTAS = frozenset[type](get_args(Delta))


class Run:
    """The snapshots of one turn, to be iterated once: by ``for`` or ``async for``, whichever its deltas can."""

    def __init__(
        self,
        waiting: Callable[[], Generator[FileSnapshot, None, None]],
        awaiting: Callable[[], AsyncGenerator[FileSnapshot, None]],
    ) -> None:
        self._waiting = waiting
        self._awaiting = awaiting

    def __iter__(self) -> Iterator[FileSnapshot]:
        return self._waiting()

    def __aiter__(self) -> AsyncIterator[FileSnapshot]:
        return self._awaiting()


class EditSession:
    """Follows a model's turns and edits the files of a workspace, once the user agrees.

    A turn begins with its first delta and ends with an ``End`` or ``close``; then ``answer`` is there, and the next
    delta begins another turn. Nothing is written before ``approve`` says so, and a file is written whole or not at all.
    A session that is left by an exception, or in the middle of a turn, cancels that turn: what was written stays, and
    nothing else is. It takes one delta at a time; not safe to share between threads.

    Any number of sessions may share a loop and a workspace. Each takes at most, in bytes, 64 Ki, 3 for each character
    that the model says in the turn, and while an edit is open 10 for each character of its file (more where characters
    are wider than ASCII); where the model can undo, also 4 million characters of files as they were before its edits,
    or the last of these. After the turn only what was said and the answer are held (``tests/bench/sessions.py``).

    Args:
        workspace: where the files are; what has the methods of ``editstream.session.files.Files`` needs no disk.
        format: how the model names files and edits (see ``editstream.prompt``), or a function that makes the machine of
            a format of one's own, once for each turn.
        approve: decides on each ``Proposal``: a function or coroutine function that gives True, False, or words for the
            model with a no; or True for all, False for none.
        approve_by: ask once for each ``"file"``, or for each ``"block"``.
        path: the file that a bare ``"diff"`` is for.
        mistakes_allowed: rejected edits in a row, over all turns, after which ``answer.limit_reached`` is true; a turn
            that was cut off before any edit counts as one.
        on_reject: with ``"apply_rest"``, the blocks of an edit that fit are applied and the model is asked for the
            others only; with ``"abort"`` one rejected block rejects the edit of that file.
        dialect, ambiguity, entities: how edits made of blocks are read; see ``FileEditor``.
        witness: is told of every delta, of what the disk says and of every decision: a ``SessionRecorder``, say. It is
            told when the session is left, so leave it.

    Raises:
        ValueError: an option has no such value.
        TypeError: ``approve`` is neither a function nor a bool, or ``workspace`` is a path.
    """

    def __init__(
        self,
        workspace: Workspace | Files,
        *,
        format: FormatName | Callable[[], Machine[Delta, FormatEvent]],  # noqa: A002 - the word that users look for
        approve: Approve,
        approve_by: ApproveBy = "file",
        path: str | None = None,
        mistakes_allowed: int = MISTAKES_ALLOWED,
        on_reject: OnReject = "apply_rest",
        dialect: DialectName = "safe",
        ambiguity: Ambiguity = "error",
        entities: EntitiesMode = "auto",
        witness: Witness | None = None,
    ) -> None:
        if approve_by not in get_args(ApproveBy):
            raise ValueError(f"approve_by is {approve_by!r}: use one of {', '.join(get_args(ApproveBy))}")
        if not (isinstance(approve, bool) or callable(approve)):
            raise TypeError(f"approve is {approve!r}: give a function or a coroutine function, True or False")
        if mistakes_allowed < 1:
            raise ValueError(f"mistakes_allowed is {mistakes_allowed}: use 1 or more")
        options = EditOptions(dialect, ambiguity, on_reject, entities)
        self.answer: Answer | None = None
        if isinstance(workspace, str | os.PathLike):
            raise TypeError(f"workspace is a path: give Workspace({os.fspath(workspace)!r})")
        self._witness = witness or Witness()
        files = FilesOnDisk(workspace) if isinstance(workspace, Workspace) else workspace
        files = files if witness is None else WitnessedFiles(files, witness)
        self._make_reading = reader_of(format, path, files)
        # Of the formats, only tools have a command to take an edit back.
        asking = Asking(files, undoes=callable(format) or format in ("tools", "text_editor"))
        self._setting = Setting(files, options, approve_by, asking, self._witness)
        self._approve = approve
        self._allowed = mistakes_allowed
        self._mistakes = 0
        self._turn: Turn | None = None
        self._said = SaidTurn()
        self._left = self._busy = False
        self._snapshots: Subject[FileSnapshot] = Subject()
        self._writes: Subject[WriteEvent] = Subject()
        name = None if callable(format) else format
        self._witness.begun(
            SessionOptions(name, path, approve_by, mistakes_allowed, on_reject, dialect, ambiguity, entities)
        )

    @property
    def snapshots(self) -> Observable[FileSnapshot]:
        """The files as they stand after each piece of their edits; completes when the session is left."""
        return self._snapshots

    @property
    def writes(self) -> Observable[WriteEvent]:
        """The changes that this session has made on disk; completes when the session is left."""
        return self._writes

    # For callers who wait --------------------------------------------------------------------------------------------

    def feed(self, delta: Delta) -> tuple[FileSnapshot, ...]:
        """Take a delta; give the snapshots that follow from it. An ``End`` ends the turn.

        Raises:
            TypeError: ``approve`` is a coroutine function: use ``afeed``; or text, or an SDK's event, came as a delta.
            ValueError: the session was left.
            RuntimeError: the delta before is not done with: another task, ``approve`` or a subscriber fed this one.
        """
        return tuple(self._steps(self._needs_of(delta)))

    def close(self, reason: Reason = "complete") -> Answer:
        """End the turn, if there is one, and give the answer to the last one.

        Args:
            reason: ``"complete"``; ``"truncated"`` where the model was cut off, which rejects what it was writing; or
                ``"cancelled"``, which drops every edit that is not settled.

        Raises:
            ValueError: there is no such reason, or the session was left before it had a turn.
            TypeError, RuntimeError: as ``feed``.
        """
        _check_reason(reason)
        if self._is_unanswered:
            for _ in self._steps(self._needs_of(End(reason))):
                pass
        return self._answered()

    def _steps(self, needs: Needs) -> Generator[FileSnapshot, None, None]:
        """Meet what is needed, and give each snapshot before anything that follows from it."""
        self._begin()
        try:
            need = self._sent(needs, None)
            while need is not None:
                try:
                    reply = self._meet(need)
                except Refused as refused:
                    reply = refused
                except Interrupted as interrupted:
                    self._account(needs, interrupted.writes)
                    raise interrupted.__cause__ or interrupted from None
                if isinstance(need, FileSnapshot):
                    yield need
                need = self._sent(needs, reply) if self._turn is not None else None  # it was left meanwhile
        except BaseException:
            self._cancel()
            raise
        finally:
            self._busy = False

    def _meet(self, need: Any) -> Any:
        if isinstance(need, FileSnapshot):
            return self._show(need)
        if isinstance(need, WriteEvent):
            return self._writes.on_next(need)
        if not isinstance(need, Proposal):
            return need()
        decision = self._decision(need)
        if inspect.isawaitable(decision):
            if inspect.iscoroutine(decision):
                decision.close()
            raise TypeError("approve is a coroutine function: use afeed, aclose and `async with`")
        return _checked(decision)

    # For callers who await -------------------------------------------------------------------------------------------

    async def afeed(self, delta: Delta) -> tuple[FileSnapshot, ...]:
        """As ``feed``; a coroutine function as ``approve`` is awaited, and files are written in a thread."""
        return tuple([shown async for shown in self._asteps(self._needs_of(delta))])

    async def aclose(self, reason: Reason = "complete") -> Answer:
        """As ``close``."""
        _check_reason(reason)
        if self._is_unanswered:
            async for _ in self._asteps(self._needs_of(End(reason))):
                pass
        return self._answered()

    async def _asteps(self, needs: Needs) -> AsyncGenerator[FileSnapshot, None]:
        self._begin()
        try:
            need = self._sent(needs, None)
            while need is not None:
                try:
                    reply = await self._ameet(need, needs)
                except Refused as refused:
                    reply = refused
                if isinstance(need, FileSnapshot):
                    yield need
                need = self._sent(needs, reply) if self._turn is not None else None  # it was left meanwhile
        except BaseException:
            self._cancel()
            raise
        finally:
            self._busy = False

    async def _ameet(self, need: Any, needs: Needs) -> Any:
        if isinstance(need, FileSnapshot):
            return self._show(need)
        if isinstance(need, Proposal):
            decision = self._decision(need)
            return _checked(await decision if inspect.isawaitable(decision) else decision)
        if isinstance(need, WriteEvent):
            return self._writes.on_next(need)
        writing = asyncio.ensure_future(asyncio.to_thread(need))
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:
            # A thread cannot be stopped: the file is written in the end, and the answer says so, however often the
            # task is cancelled meanwhile.
            while not writing.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait((writing,))
            error = writing.exception()
            if error is None or isinstance(error, Refused):
                self._account(needs, error or writing.result())
            raise

    def _account(self, needs: Needs, result: Any) -> None:
        """Take what came of a write, and no more of the turn, which is about to be cancelled."""
        need = self._sent(needs, result)
        while isinstance(need, WriteEvent):
            self._writes.on_next(need)
            need = self._sent(needs, None)

    def messages(self, sdk: ProviderName) -> list[dict[str, Any]]:
        """The last turn and the answer to it, as messages for an SDK's next request.

        What the model said, with all its calls, then what `Answer.messages` gives. Where a provider wants more of its
        own back than text and calls, signed thinking for instance, append the message that its SDK has gathered, and
        ``answer.messages(sdk)``.

        Args:
            sdk: as in `editstream.tools`.

        Raises:
            ValueError: there is no SDK of this name, or no turn has ended.
        """
        if self.answer is None or self._turn is not None:
            raise ValueError("the turn has not ended: close it first")
        operations = [said.call.id for said in self._said.calls if said.is_operation]
        answered = answer_messages(self.answer, sdk, operations)
        return [*said_messages(self._said, sdk), *answered]

    # A whole turn ----------------------------------------------------------------------------------------------------

    def run(self, deltas: Iterable[Delta] | AsyncIterable[Delta]) -> Run:
        """Take a turn, by ``for`` or ``async for``; give its snapshots as they come. Then ``answer`` is there.

        The last snapshot of an edit comes before ``approve`` is asked about it. Deltas that end without an ``End`` are
        complete. If they raise, or if the iteration is left, the turn is cancelled. A turn without a delta is a turn,
        with an empty answer.
        """
        return Run(partial(self._run, deltas), partial(self._arun, deltas))

    def _run(self, deltas: Iterable[Delta] | AsyncIterable[Delta]) -> Generator[FileSnapshot, None, None]:
        pieces = iter(cast("Iterable[Delta]", deltas))
        try:
            self._forget_answer()
            for delta in pieces:
                yield from self._steps(self._needs_of(delta))
            if self._is_unanswered:
                yield from self._steps(self._needs_of(End("complete")))
        finally:
            self._cancel()
            if isinstance(pieces, Generator):
                pieces.close()

    async def _arun(self, deltas: Iterable[Delta] | AsyncIterable[Delta]) -> AsyncGenerator[FileSnapshot, None]:
        pieces = aiter(cast("AsyncIterable[Delta]", deltas))
        try:
            self._forget_answer()
            async for delta in pieces:
                async with aclosing(self._asteps(self._needs_of(delta))) as steps:
                    async for shown in steps:
                        yield shown
            if self._is_unanswered:
                async with aclosing(self._asteps(self._needs_of(End("complete")))) as steps:
                    async for shown in steps:
                        yield shown
        finally:
            self._cancel()
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()

    def _forget_answer(self) -> None:
        """The answer to the turn before is not this one's."""
        if self._turn is None and not self._left:
            self.answer = None

    # Context ---------------------------------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        self._leave()
        return False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        self._leave()
        return False

    def _leave(self) -> None:
        self._cancel()
        if not self._left:
            self._left = True
            self._setting.asking.close()
            self._snapshots.on_completed()
            self._writes.on_completed()
            self._witness.left()

    # The turn --------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        if self._busy:
            raise RuntimeError(
                "the session is busy with the delta before: feed one at a time; to break off a turn, leave the loop "
                "over run, cancel the task, or raise an exception from approve"
            )
        self._busy = True

    def _needs_of(self, delta: Delta) -> Needs:
        if self._left:
            raise ValueError("this session was left: make a new EditSession")
        if delta.__class__ not in DELTAS:
            what = type(delta).__name__
            raise TypeError(
                f"a session takes deltas, not {what}: see editstream.sources, plain_text(…) or deltas(…, sdk)"
            )
        self._witness.delta(delta)
        if self._turn is None:
            self._turn = Turn(self._setting, self._make_reading())
            self._said = SaidTurn()
        self._said.add(delta)
        if isinstance(delta, End):
            yield from self._turn.close(delta.reason)
            self._finish(self._turn, delta.reason)
        else:
            yield from self._turn.feed(delta)

    def _sent(self, needs: Needs, reply: Any) -> Any:
        """Give what was needed, or why it is refused; the next thing that is needed, or None."""
        try:
            need = needs.throw(reply) if isinstance(reply, Refused) else needs.send(reply)
        except StopIteration:
            need = None
        self._witness.paused()
        return need

    def _cancel(self) -> None:
        if (turn := self._turn) is not None:
            turn.cancel()
            self._witness.cancelled()
            self._finish(turn, "cancelled")

    def _finish(self, turn: Turn, reason: Reason) -> None:
        for outcome in turn.outcomes:
            if outcome.fate == "rejected":
                self._mistakes += 1
            elif outcome.fate in ("written", "unchanged"):
                self._mistakes = 0
        if reason == "truncated" and all(outcome.fate == "shown" for outcome in turn.outcomes):
            self._mistakes += 1  # a model that is cut off each time before it edits has to reach the limit, too
        self._turn = None
        self.answer = answer_to(turn.outcomes, turn.calls, self._mistakes, self._allowed, reason)
        self._witness.answered(self.answer)

    @property
    def _is_unanswered(self) -> bool:
        return self._turn is not None or self.answer is None

    def _answered(self) -> Answer:
        if self.answer is None:
            raise AssertionError("a turn that has ended has an answer")
        return self.answer

    def _show(self, snapshot: FileSnapshot) -> None:
        if self._snapshots.observers:
            self._snapshots.on_next(snapshot)

    def _decision(self, proposal: Proposal) -> Any:
        return self._approve if isinstance(self._approve, bool) else self._approve(proposal)


def _check_reason(reason: Reason) -> None:
    if reason not in get_args(Reason):
        raise ValueError(f"unknown reason {reason!r}: use one of {', '.join(get_args(Reason))}")


def _checked(decision: Any) -> Decision:
    if not isinstance(decision, bool | str):
        raise TypeError(f"approve gives True, False, or a str with words for the model, not {type(decision).__name__}")
    return decision
