"""A session on an event loop: approval that waits, cancellation, and many sessions at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from editstream import EditSession, Workspace
from editstream.operators.formats.deltas import Delta, Text
from editstream.session import Decision, Proposal
from editstream.sources import plain_text

DIFF = "------- SEARCH\none\n=======\nONE\n+++++++ REPLACE\n"


async def pieces(text: str, size: int = 4) -> AsyncIterator[Delta]:
    for at in range(0, len(text), size):
        yield Text(text[at : at + size])
        await asyncio.sleep(0)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "a.py").write_bytes(b"one\ntwo\n")
    return Workspace(tmp_path)


def content(workspace: Workspace, name: str = "a.py") -> str:
    return (Path(workspace.root) / name).read_bytes().decode()


def test_a_coroutine_decides(workspace: Workspace) -> None:
    """An approval may be awaited, and nothing is on disk meanwhile."""
    meanwhile: list[str] = []

    async def approve(proposal: Proposal) -> Decision:
        await asyncio.sleep(0)
        meanwhile.append(content(workspace))
        return True

    async def main() -> list[str]:
        async with EditSession(workspace, format="diff", path="a.py", approve=approve) as session:
            return [shown.snapshot.full_content async for shown in session.run(pieces(DIFF))]

    texts = asyncio.run(main())
    assert meanwhile == ["one\ntwo\n"]
    assert texts[-1] == content(workspace) == "ONE\ntwo\n"


async def characters(text: str) -> AsyncIterator[str]:
    for char in text:
        yield char


def test_a_turn_runs_as_its_deltas_can(workspace: Workspace) -> None:
    """The deltas of a source, which know both ways, are taken by ``for`` where its stream is for that, or awaited."""
    with EditSession(workspace, format="diff", path="a.py", approve=True) as session:
        assert list(session.run(plain_text(iter(DIFF))))[-1].snapshot.new_content == content(workspace) == "ONE\ntwo\n"

    async def main() -> list[str]:
        back = DIFF.swapcase().replace("search", "SEARCH").replace("replace", "REPLACE")
        async with EditSession(workspace, format="diff", path="a.py", approve=True) as session:
            return [shown.snapshot.new_content async for shown in session.run(plain_text(characters(back)))]

    assert asyncio.run(main())[-1] == content(workspace) == "one\ntwo\n"


def test_what_is_asked_about_was_shown(workspace: Workspace) -> None:
    """A turn that runs gives the last snapshot of an edit before it asks, also where the deltas have no end."""
    story: list[str] = []

    def approve(proposal: Proposal) -> Decision:
        story.append("asked")
        return True

    with EditSession(workspace, format="diff", path="a.py", approve=approve) as session:
        for shown in session.run([Text(DIFF)]):
            story += ["whole"] if shown.snapshot.is_final else []

    async def main() -> None:
        async with EditSession(workspace, format="diff", path="a.py", approve=approve) as session:
            async for shown in session.run(pieces(DIFF.replace("one", "two").replace("ONE", "TWO"))):
                story.extend(["whole"] if shown.snapshot.is_final else [])

    asyncio.run(main())
    assert story == ["whole", "asked"] * 2
    assert content(workspace) == "ONE\nTWO\n"


def test_a_turn_that_is_left_while_it_shows_writes_nothing(workspace: Workspace) -> None:
    """Leaving a turn at the last snapshot of an edit cancels it, unasked, and the session can go on."""

    async def left(session: EditSession) -> None:
        async with aclosing(aiter(session.run(pieces(DIFF)))) as shown:
            async for item in shown:
                if item.snapshot.is_final:
                    return

    session = EditSession(workspace, format="diff", path="a.py", approve=True)
    with session:
        for shown in session.run([Text(DIFF)]):
            if shown.snapshot.is_final:
                break
        assert "cancelled" in session.close().text
        asyncio.run(left(session))
        assert "cancelled" in session.close().text
        assert content(workspace) == "one\ntwo\n"
        list(session.run([Text(DIFF)]))
        assert content(workspace) == "ONE\ntwo\n"


def test_a_coroutine_cannot_decide_for_who_waits(workspace: Workspace) -> None:
    """A coroutine function as approve is an error in a session that is not awaited, and nothing is written."""

    async def approve(proposal: Proposal) -> Decision:
        return True

    with EditSession(workspace, format="diff", path="a.py", approve=approve) as session:
        session.feed(Text(DIFF))
        with pytest.raises(TypeError, match="use afeed"):
            session.close()
    assert content(workspace) == "one\ntwo\n"


@pytest.mark.parametrize("where", ["stream", "approval"])
def test_a_cancelled_task_writes_nothing_more(workspace: Workspace, where: str) -> None:
    """Cancelling the task, while it waits for the model or for the user, leaves the file as it was."""

    async def main() -> EditSession:
        reached = asyncio.Event()

        async def approve(proposal: Proposal) -> Decision:
            reached.set()
            await asyncio.sleep(3600)
            return True

        async def stalling() -> AsyncIterator[Delta]:
            yield Text(DIFF)
            if where == "stream":
                reached.set()
                await asyncio.sleep(3600)

        session = EditSession(workspace, format="diff", path="a.py", approve=approve)

        async def follow() -> None:
            async with session:
                async for _ in session.run(stalling()):
                    pass

        task = asyncio.ensure_future(follow())
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return session

    session = asyncio.run(main())
    assert content(workspace) == "one\ntwo\n"
    assert session.answer is not None
    assert "a.py: the turn was cancelled before this edit was written" in session.answer.text


def test_a_write_that_has_begun_is_answered_for(workspace: Workspace) -> None:
    """A task that is cancelled while a file is being written leaves it written, and the answer says so."""

    async def main() -> EditSession:
        session = EditSession(workspace, format="diff", path="a.py", approve=True)
        task = asyncio.ensure_future(follow(session))
        # Told in the thread that writes, before the write call has returned.
        loop = asyncio.get_running_loop()
        workspace.events.subscribe(lambda _: loop.call_soon_threadsafe(task.cancel) and None)
        with pytest.raises(asyncio.CancelledError):
            await task
        return session

    async def follow(session: EditSession) -> None:
        async with session:
            async for _ in session.run(pieces(DIFF)):
                pass
            await asyncio.sleep(3600)  # in case the cancellation comes after the write

    session = asyncio.run(main())
    assert content(workspace) == "ONE\ntwo\n"
    assert session.answer is not None
    assert session.answer.outcomes[0].fate == "written"


def test_sessions_on_one_loop_do_not_mix(tmp_path: Path) -> None:
    """A hundred sessions that take turns on one event loop each edit their own file."""
    for n in range(100):
        (tmp_path / f"{n}.txt").write_text(f"file {n}\nend\n")
    workspace = Workspace(tmp_path)

    async def edit(n: int) -> str:
        diff = f"------- SEARCH\nfile {n}\n=======\nnew {n}\n+++++++ REPLACE\n"
        async with EditSession(workspace, format="diff", path=f"{n}.txt", approve=True) as session:
            async for shown in session.run(pieces(diff)):
                assert shown.path == f"{n}.txt"
        assert session.answer is not None
        return session.answer.text

    async def main() -> list[str]:
        return await asyncio.gather(*map(edit, range(100)))

    answers = asyncio.run(main())
    assert [(tmp_path / f"{n}.txt").read_text() for n in range(100)] == [f"new {n}\nend\n" for n in range(100)]
    assert answers == [f"{n}.txt: changed.\n\nNothing is left to repair." for n in range(100)]
