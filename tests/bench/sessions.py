"""What a hundred sessions in one process cost, against one: time for each delta, memory for each session.

    python tests/bench/sessions.py [--quick] [--rounds N]

First a hundred sessions edit a hundred files, as tasks on one event loop that take turns at each delta, and every file
and answer must be what one session alone makes of it. Then one table: what was measured, against what, the ratio
(median of several interleaved rounds) and its bound. Exit status 1 if a bound is missed. `--quick` measures less, and
allows three times as much where time is measured.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from edits import CHUNK, blocks, chunked, file_lines
from table import Row, clock, medians, micro, print_table

from editstream import EditSession, End, Workspace
from editstream.edits.file_edit import EditOptions, FileEdit
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall
from editstream.operators.formats.file_edits import EditText

Format = Literal["markdown", "tools"]
FORMATS: tuple[Format, ...] = ("markdown", "tools")
SESSIONS, QUICK_SESSIONS = 100, 20
LINES, BLOCKS = 1_000, 10  # of the files in which time is measured: 40 KB, and an edit of 7 KB
LARGE, LARGE_BLOCKS = 5_000, 50  # of the files in which memory is measured: 215 KB, and an edit of 35 KB
MEASURED = 4  # sessions that memory is the mean of
# The bounds that EditSession states, in bytes: for each character of a file whose edit is open (its text, its lines,
# where each of them is), for each that the model said (`messages` gives it again, and it is in the edit), and beside.
OPEN, SAID, FIXED = 10, 3, 64 * 1024


def name_of(n: int) -> str:
    return f"src/file_{n}.py"


def lines_of(n: int, count: int) -> list[str]:
    """A file of session ``n`` alone: no line of it is in another's."""
    return [line.replace("value", f"value_{n}") for line in file_lines(count)]


def turn(format_: Format, n: int, lines: list[str], count: int) -> list[Delta]:
    """The deltas, of 4 code points, of a turn that edits one file in blocks; without its end."""
    diff = "".join(blocks(lines, count))
    if format_ == "markdown":
        text = f"I change it.\n\n{name_of(n)}\n```python\n{diff}```\n\nThat is all.\n"
        return [Text(piece) for piece in chunked(text)]
    arguments = json.dumps({"path": name_of(n), "diff": diff})
    return [ToolCall("call", "edit_file"), *(ToolArguments("call", piece) for piece in chunked(arguments))]


def filled(root: Path, sessions: int, count: int) -> Workspace:
    for n in range(sessions):
        path = root / name_of(n)
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(lines_of(n, count)))
    return Workspace(root)


# ---- nothing mixed up ----------------------------------------------------------------------------------------------


async def edit(session: EditSession, deltas: Sequence[Delta], path: str) -> str:
    """What a turn is answered, if all that is shown of it is of its own file."""
    async with session:
        for delta in deltas:
            for shown in await session.afeed(delta):
                assert shown.path == path
            await asyncio.sleep(0)
        return (await session.aclose()).text


async def edit_all(workspaces: Sequence[Workspace], format_: Format, turns: Sequence[Sequence[Delta]]) -> list[str]:
    sessions = [EditSession(workspace, format=format_, approve=True) for workspace in workspaces]
    jobs = [edit(session, deltas, name_of(n)) for n, (session, deltas) in enumerate(zip(sessions, turns, strict=True))]
    return await asyncio.gather(*jobs)


def check(format_: Format, sessions: int) -> None:
    """A hundred at once, in one workspace and each in its own, make what each alone makes."""
    with TemporaryDirectory() as folder:
        found: list[tuple[list[bytes], list[str]]] = []
        turns = [turn(format_, n, lines_of(n, LINES), 3 + n % 4) for n in range(sessions)]
        for way in ("alone", "one workspace", "own workspaces"):
            roots = [Path(folder, way, str(n) if way == "own workspaces" else "") for n in range(sessions)]
            for root in {*roots}:
                root.mkdir(parents=True)
            made = {root: filled(root, sessions, LINES) for root in {*roots}}
            workspaces = [made[root] for root in roots]
            if way == "alone":
                answers = [alone(*each, format_) for each in zip(workspaces, turns, strict=True)]
            else:
                answers = asyncio.run(edit_all(workspaces, format_, turns))
            found.append(([(root / name_of(n)).read_bytes() for n, root in enumerate(roots)], answers))
        assert found[0] == found[1] == found[2]
        assert len({*found[0][0]}) == sessions
        assert all(answer.startswith(f"{name_of(n)}: changed.\n") for n, answer in enumerate(found[0][1]))
    print(f"{sessions} sessions at once, {format_}: every file and answer as of one alone")


def alone(workspace: Workspace, deltas: Sequence[Delta], format_: Format) -> str:
    with EditSession(workspace, format=format_, approve=True) as session:
        for delta in [*deltas, End()]:
            session.feed(delta)
        assert session.answer is not None
        return session.answer.text


# ---- time for each delta -------------------------------------------------------------------------------------------


def in_turns(workspace: Workspace, format_: Format, turns: Sequence[Sequence[Delta]], at_once: int) -> float:
    """Seconds per delta, so many sessions at once, each fed a delta in its turn; the loop has nothing to do."""

    async def work() -> None:
        for first in range(0, len(turns), at_once):
            group = turns[first : first + at_once]
            sessions = [EditSession(workspace, format=format_, approve=False) for _ in group]
            for row in zip(*group, strict=True):
                for session, delta in zip(sessions, row, strict=True):
                    await session.afeed(delta)

    return clock(lambda: asyncio.run(work())) / sum(map(len, turns))


def as_tasks(workspace: Workspace, format_: Format, turns: Sequence[Sequence[Delta]], at_once: int) -> float:
    """The same as so many tasks that go round at each delta; what the rounds alone take is taken off."""

    async def one(session: EditSession | None, deltas: Sequence[Delta]) -> None:
        for delta in deltas:
            if session is not None:
                await session.afeed(delta)
            await asyncio.sleep(0)

    async def work(*, empty: bool) -> None:
        for first in range(0, len(turns), at_once):
            group = turns[first : first + at_once]
            made = [None if empty else EditSession(workspace, format=format_, approve=False) for _ in group]
            await asyncio.gather(*map(one, made, group))

    fed, not_fed = clock(lambda: asyncio.run(work(empty=False))), clock(lambda: asyncio.run(work(empty=True)))
    return (fed - not_fed) / sum(map(len, turns))


def bare(deltas: Sequence[str], original: str) -> float:
    """Seconds per delta of the engine alone: one file, no session."""
    items = [EditText(0, text) for text in deltas]
    edit = FileEdit(original, "blocks", EditOptions())

    def work() -> None:
        for item in items:
            edit.feed(item)

    return clock(work) / len(items)


def time_rows(rounds: int, sessions: int) -> Iterator[Row]:
    """A delta costs the same, however many sessions there are, and not much more than the edit itself."""
    with TemporaryDirectory() as folder:
        workspace = filled(Path(folder), sessions, LINES)
        for format_ in FORMATS:
            turns = [turn(format_, n, lines_of(n, LINES), BLOCKS) for n in range(sessions)]
            shortest = min(map(len, turns))  # numbers have one digit or two
            turns = [deltas[:shortest] for deltas in turns]
            engine = chunked("".join(blocks(lines_of(0, LINES), BLOCKS)))
            works: list[Callable[[], float]] = [
                partial(in_turns, workspace, format_, turns, 1),
                partial(in_turns, workspace, format_, turns, sessions),
                partial(as_tasks, workspace, format_, turns, 1),
                partial(as_tasks, workspace, format_, turns, sessions),
                partial(bare, engine, "".join(lines_of(0, LINES))),
            ]
            one, many, one_task, many_tasks, edit_alone = medians(rounds, works)
            yield Row(f"{format_}: {sessions} in turns", micro(many), f"one {micro(one)}", many / one, 1.5)
            title = f"{format_}: {sessions} tasks"
            yield Row(title, micro(many_tasks), f"one {micro(one_task)}", many_tasks / one_task, 1.5)
            yield Row(f"{format_}: a session's delta", micro(one), f"the edit {micro(edit_alone)}", one / edit_alone, 4)


# ---- memory of each session ----------------------------------------------------------------------------------------


def now_held() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def memory_of(workspace: Workspace, format_: Format, turns: Sequence[Sequence[Delta]]) -> Iterator[float]:
    """Bytes for each session: opened, half way through its turn, after the turn, and when it is left and forgotten."""
    before, count = now_held(), len(turns)
    sessions = [EditSession(workspace, format=format_, approve=False) for _ in turns]
    yield (now_held() - before) / count
    for session, deltas in zip(sessions, turns, strict=True):
        for delta in deltas[: len(deltas) // 2]:
            session.feed(delta)
    yield (now_held() - before) / count
    for session, deltas in zip(sessions, turns, strict=True):
        for delta in [*deltas[len(deltas) // 2 :], End()]:
            session.feed(delta)
    yield (now_held() - before) / count
    for session in sessions:
        with session:
            pass
    del sessions, session
    yield (now_held() - before) / count


def memory_rows() -> Iterator[Row]:
    """A session takes little by itself, with an open edit in proportion to its file, and then what the model said."""
    with TemporaryDirectory() as folder:
        workspace = filled(Path(folder), MEASURED + 1, LARGE)
        size = (Path(folder) / name_of(0)).stat().st_size
        for format_ in FORMATS:
            turns = [turn(format_, n, lines_of(n, LARGE), LARGE_BLOCKS) for n in range(MEASURED + 1)]
            said = CHUNK * len(turns[0])
            tracemalloc.start()
            for _ in memory_of(workspace, format_, turns[:1]):
                pass  # what is made once, by whichever session is the first
            new, half, after, gone = memory_of(workspace, format_, turns[1:])
            tracemalloc.stop()
            bounds = (
                FIXED,
                FIXED + OPEN * size + SAID * said,
                FIXED + SAID * said,
                half / 50,
            )  # the interpreter keeps some tuples
            names = ("opened", f"an open edit of {size / 1000:.0f} KB", "after the turn", "left and forgotten")
            for name, taken, bound in zip(names, (new, half, after, gone), bounds, strict=True):
                yield Row(f"{format_}: {name}", kilo(taken), f"bound {kilo(bound)}", taken / bound, 1, timed=False)


def kilo(size: float) -> str:
    return f"{size / 1024:.0f} KiB"


def rows(quick: bool, rounds: int) -> Iterator[Row]:
    sessions = QUICK_SESSIONS if quick else SESSIONS
    for format_ in FORMATS:
        check(format_, sessions)
    yield from time_rows(rounds, sessions)
    yield from memory_rows()


if __name__ == "__main__":
    sys.exit(print_table(__doc__, rows))
