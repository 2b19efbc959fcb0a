"""Turns that break off: whatever ends them and wherever, each file is wholly old or new, and the answer says which."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from session_turns import NAMING, block, edit_in, on_disk, pair, pieces

from editstream import EditSession, End, Workspace
from editstream.operators.events import Reason
from editstream.operators.formats.deltas import Delta, Text
from editstream.prompts import FormatName
from editstream.session import Answer, Decision, Proposal

BEFORE = {"a.py": "one\ntwo\n", "b.py": "three\n", "c.py": "four\n"}
AFTER = {"a.py": "ONE\ntwo\n", "new/d.py": "made\n", "e.py": "FOUR\n"}
PATCH = """*** Begin Patch
*** Update File: a.py
@@
-one
+ONE
*** Delete File: b.py
*** Add File: new/d.py
+made
*** Update File: c.py
*** Move to: e.py
@@
-four
+FOUR
*** End Patch
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return filled(tmp_path)


def filled(root: Path) -> Workspace:
    for name, text in BEFORE.items():
        (root / name).write_bytes(text.encode())
    return Workspace(root)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def agrees(workspace: Workspace, answer: Answer | None) -> None:
    """The disk is what the outcomes say: the files of before with the writes that they name, and nothing else."""
    said: dict[str, str | None] = {name: sha256(text) for name, text in BEFORE.items()}
    for outcome in answer.outcomes if answer is not None else ():
        assert bool(outcome.writes) == (outcome.fate == "written")
        for event in outcome.writes:
            if event.old_path is not None:
                del said[event.old_path]
            said[event.path] = event.hash_after
    found = {name: sha256(text) for name, text in on_disk(workspace).items()}
    assert found == {name: hash_ for name, hash_ in said.items() if hash_ is not None}
    whole = [*BEFORE.values(), *AFTER.values()]
    assert set(on_disk(workspace).values()) <= set(whole)


class Breaking:
    """Counts what a turn does, and breaks in at one of these steps."""

    def __init__(self, at: int, error: BaseException) -> None:
        self.steps = 0
        self._at = at
        self._error = error

    def step(self, *_: object) -> None:
        self.steps += 1
        if self.steps == self._at:
            raise self._error

    def around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """A call with a step before and after it."""

        def called(*args: Any, **named: Any) -> Any:
            self.step()
            given = call(*args, **named)
            self.step()
            return given

        return called

    def deltas(self, deltas: Iterable[Delta]) -> Iterator[Delta]:
        for delta in deltas:
            self.step()
            yield delta

    def approve(self, _: Proposal) -> Decision:
        self.step()
        return True


SYSTEM = ("replace", "rename", "unlink", "fsync", "mkdir")


def broken(workspace: Workspace, breaking: Breaking, system: Iterable[str]) -> Answer | None:
    """The answer to the turn of ``PATCH`` in which something breaks in, also before and after calls of the system."""
    session = EditSession(workspace, format="patch", approve=breaking.approve)
    session.snapshots.subscribe(breaking.step)
    session.writes.subscribe(breaking.step)
    with suppress(KeyboardInterrupt, ConnectionError), ExitStack() as stack:
        stack.enter_context(session)
        for name in system:
            stack.enter_context(mock.patch.object(os, name, breaking.around(getattr(os, name))))
        for _ in session.run(breaking.deltas(pieces(PATCH, 40))):
            breaking.step()
    return session.answer


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ConnectionError("dropped")], ids=repr)
def test_a_turn_may_break_off_at_any_step(tmp_path: Path, error: BaseException) -> None:
    """At each delta, snapshot, question, change on disk and report of one: no half edit, and a true answer."""
    system = SYSTEM if isinstance(error, KeyboardInterrupt) else ()
    at = steps = 1
    workspace = filled(tmp_path)
    while at <= steps:
        root = tmp_path / str(at)
        root.mkdir()
        breaking = Breaking(at, error)
        workspace = filled(root)
        answer = broken(workspace, breaking, system)
        agrees(workspace, answer)
        at, steps = at + 1, max(steps, breaking.steps + 1)
    assert at > (60 if system else 30)
    assert on_disk(workspace) == AFTER  # the last one ran to its end


def test_what_came_and_was_not_looked_at_is_answered(workspace: Workspace) -> None:
    """Of a turn that came in one piece, the edits behind the one at which it broke off are named as cancelled."""

    def approve(_: Proposal) -> Decision:
        raise KeyboardInterrupt

    session = EditSession(workspace, format="patch", approve=approve)
    with pytest.raises(KeyboardInterrupt):
        session.feed(Text(PATCH))
    assert session.answer is not None
    assert [(outcome.fate, outcome.path) for outcome in session.answer.outcomes] == [
        ("cancelled", name) for name in ("a.py", "b.py", "new/d.py", "c.py")
    ]
    agrees(workspace, session.answer)


def test_each_call_has_a_result_after_a_cancel(workspace: Workspace) -> None:
    """Also a call whose path had not come, and one that had not been looked at."""
    turn = [*list(pair("1", "a.py", "one", "ONE"))[:-2], *list(pair("2", "b.py", "three", "3", size=5))[:2]]
    with EditSession(workspace, format="tools", approve=True) as session:
        for delta in turn:
            session.feed(delta)
        answer = session.close("cancelled")
    assert [(result.call, result.is_error) for result in answer.results] == [("1", True), ("2", True)]
    assert answer.results[1].text == "The turn was cancelled before this edit was written; the file is as it was."
    assert not answer.needs_repair
    agrees(workspace, answer)


# On an event loop ----------------------------------------------------------------------------------------------------


async def slowly(deltas: Iterable[Delta]) -> AsyncIterator[Delta]:
    for delta in deltas:
        await asyncio.sleep(0)
        yield delta


async def yes(_: Proposal) -> Decision:
    await asyncio.sleep(0)
    return True


async def follow(session: EditSession) -> None:
    async with session:
        async for _ in session.run(slowly(pieces(PATCH, 40))):
            pass


@pytest.mark.parametrize("times", [1, 3])
def test_a_task_may_be_cancelled_at_any_step(tmp_path: Path, times: int) -> None:
    """Whichever round of the loop cancels it, and however often: no half edit, and a true answer."""

    async def main(workspace: Workspace, rounds: int) -> Answer | None:
        session = EditSession(workspace, format="patch", approve=yes)
        task = asyncio.ensure_future(follow(session))
        for _ in range(rounds):
            await asyncio.sleep(0)
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        await asyncio.wait([task])
        return session.answer

    for rounds in range(40):
        root = tmp_path / str(rounds)
        root.mkdir()
        workspace = filled(root)
        agrees(workspace, asyncio.run(main(workspace, rounds)))


@pytest.mark.parametrize("at", range(1, 26))
def test_a_task_may_be_cancelled_while_it_writes(workspace: Workspace, at: int) -> None:
    """Cancelled again and again from the thread that writes, between any two calls of the system: a true answer."""

    async def main() -> Answer | None:
        loop, count = asyncio.get_running_loop(), 0
        session = EditSession(workspace, format="patch", approve=yes)

        def cancel() -> None:
            nonlocal count
            count += 1
            if count >= at:
                done = asyncio.run_coroutine_threadsafe(cancelled(), loop)
                done.result()

        async def cancelled() -> None:
            task.cancel()
            await asyncio.sleep(0)

        def around(call: Callable[..., Any]) -> Callable[..., Any]:
            def called(*args: Any, **named: Any) -> Any:
                cancel()
                return call(*args, **named)

            return called

        with ExitStack() as stack:
            for name in SYSTEM:
                stack.enter_context(mock.patch.object(os, name, around(getattr(os, name))))
            task = asyncio.ensure_future(follow(session))
            await asyncio.wait([task])
        return session.answer

    agrees(workspace, asyncio.run(main()))


# Misuse --------------------------------------------------------------------------------------------------------------


def test_a_session_takes_one_delta_at_a_time(workspace: Workspace) -> None:
    """Who feeds, closes or leaves a session from inside is told so, and nothing is written behind their back."""

    def approve(_: Proposal) -> Decision:
        session.close("cancelled")
        return True

    session = EditSession(workspace, format="patch", approve=approve)
    with pytest.raises(RuntimeError, match="one at a time"):
        session.feed(Text(PATCH))
    assert on_disk(workspace) == BEFORE


class Thinking:
    """A user who agrees, but not before it is time to go on."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.go = asyncio.Event()

    async def __call__(self, _: Proposal) -> Decision:
        self.asked.set()
        await self.go.wait()
        return True


def test_another_task_may_not_feed_meanwhile(workspace: Workspace) -> None:
    """The error is that task's own; the turn that waits for the user goes on."""

    async def main() -> None:
        user = Thinking()
        async with EditSession(workspace, format="patch", approve=user) as session:
            task = asyncio.ensure_future(session.afeed(Text(PATCH)))
            await user.asked.wait()
            with pytest.raises(RuntimeError, match="cancel the task"):
                await session.aclose("cancelled")
            user.go.set()
            await task
            await session.aclose()

    asyncio.run(main())
    assert on_disk(workspace) == AFTER


def test_a_session_that_is_left_while_it_asks_writes_nothing(workspace: Workspace) -> None:
    """An answer that comes after the session was left comes too late."""

    async def main() -> EditSession:
        user = Thinking()
        async with EditSession(workspace, format="patch", approve=user) as session:
            task = asyncio.ensure_future(session.afeed(Text(PATCH)))
            await user.asked.wait()
        user.go.set()
        await task
        return session

    agrees(workspace, asyncio.run(main()).answer)
    assert on_disk(workspace) == BEFORE


def test_a_session_that_is_left_from_inside_writes_nothing(workspace: Workspace) -> None:
    """Who leaves a session in ``approve``, or in the loop over its snapshots, has cancelled the turn."""

    def approve(_: Proposal) -> Decision:
        session.__exit__(None, None, None)
        return True

    session = EditSession(workspace, format="patch", approve=approve)
    session.feed(Text(PATCH))
    agrees(workspace, session.answer)
    session = EditSession(workspace, format="patch", approve=True)
    for _ in session.run([Text(PATCH)]):
        session.__exit__(None, None, None)
    agrees(workspace, session.answer)
    assert on_disk(workspace) == BEFORE


# The end of a turn ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format_", [*NAMING, "diff"])
@pytest.mark.parametrize("reason", ["truncated", "cancelled"])
def test_a_turn_that_is_cut_off_anywhere(tmp_path: Path, format_: FormatName, reason: Reason) -> None:
    """What is cut is rejected, never applied in part, and what the answer says is so."""
    workspace = filled(tmp_path)
    deltas = list(edit_in(format_, "a.py", "one", "ONE"))
    whole = False
    for cut in range(len(deltas) + 1):
        filled(tmp_path)
        path = "a.py" if format_ == "diff" else None
        with EditSession(workspace, format=format_, approve=True, path=path) as session:
            for _ in session.run([*deltas[:cut], End(reason)]):
                pass
        agrees(workspace, session.answer)
        assert session.answer is not None
        whole = on_disk(workspace)["a.py"] == AFTER["a.py"]
        assert whole == any(outcome.fate == "written" for outcome in session.answer.outcomes)
        assert whole or on_disk(workspace) == BEFORE
    assert whole or reason == "cancelled" or format_ == "diff"  # a bare diff ends with its turn


def test_an_exception_of_a_subscriber_comes_after_the_write(workspace: Workspace) -> None:
    """A subscriber of ``writes`` that fails is told of a file that is written, and so is the model."""

    def fail(_: object) -> None:
        raise RuntimeError("a view broke")

    session = EditSession(workspace, format="diff", path="a.py", approve=True)
    session.writes.subscribe(fail)
    with pytest.raises(RuntimeError, match="a view broke"):
        list(session.run(pieces(block("one\n", "ONE\n"))))
    agrees(workspace, session.answer)
    assert on_disk(workspace)["a.py"] == AFTER["a.py"]


@pytest.mark.parametrize("decision", [None, 1, b"no"])
def test_an_answer_that_is_none_is_an_error(workspace: Workspace, decision: Any) -> None:
    """Only True is a yes: what else approve gives by mistake writes nothing, and is said."""
    session = EditSession(workspace, format="patch", approve=lambda _: decision)
    with pytest.raises(TypeError, match="approve gives True, False, or a str"):
        session.feed(Text(PATCH))
    assert on_disk(workspace) == BEFORE


def test_a_session_that_was_left_takes_nothing_more(workspace: Workspace) -> None:
    """The error says what to do, and leaving twice is leaving."""
    with EditSession(workspace, format="patch", approve=True) as session, session:
        first = session.close()
    assert (first.text, first.results, first.outcomes) == ("", (), ())
    assert session.close() is session.close() is first
    with pytest.raises(ValueError, match="make a new EditSession"):
        session.feed(Text("x"))
    with pytest.raises(ValueError, match="make a new EditSession"):
        list(session.run([Text("x")]))
