"""Sessions in which the disk, the user and the model do all that they may: what the tests of replaying record."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from session_turns import block, call, editor, pair, pieces

from editstream import EditSession, End, Workspace, WriteEvent
from editstream.operators.formats.deltas import Delta, Text, ToolCall
from editstream.prompts import FormatName
from editstream.session import (
    Answer,
    Approve,
    Decision,
    FileSnapshot,
    Proposal,
    SessionRecorder,
    SessionRecording,
    read_session,
)

BEFORE = "one\ntwo\nthree\n"
Act = Callable[[Path], None]


@dataclass(frozen=True)
class Scene:
    """A session: its turns, between which something may happen on disk, and what the user says."""

    format: FormatName
    turns: tuple[Iterable[Delta] | Act, ...]
    decide: Callable[[Proposal, Path], Decision] = lambda _proposal, _root: True
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass
class Seen:
    """What came of a session."""

    shown: list[FileSnapshot] = field(default_factory=list[FileSnapshot])
    answers: list[Answer] = field(default_factory=list[Answer])
    writes: list[WriteEvent] = field(default_factory=list[WriteEvent])


def laid_out(root: Path) -> Workspace:
    """A workspace with three files, one of them binary, and a folder that models are kept out of."""
    for name in ("a.py", "b.py"):
        (root / name).write_bytes(BEFORE.encode())
    (root / "binary").write_bytes(b"\0\1")
    (root / "hidden").mkdir()
    (root / ".clineignore").write_text("hidden/\n")
    (root / "link.py").symlink_to("b.py")
    return Workspace(root)


def session_of(scene: Scene, workspace: Workspace, file: io.BytesIO, approve: Approve | None = None) -> EditSession:
    """The scene's session, recorded into ``file``."""
    root = Path(workspace.root)
    return EditSession(
        workspace,
        format=scene.format,
        approve=approve if approve is not None else lambda proposal: scene.decide(proposal, root),
        witness=SessionRecorder(file),
        **scene.options,
    )


def played(scene: Scene, root: Path) -> tuple[Seen, SessionRecording]:
    """Play a scene on real files; give what came of it, and the recording."""
    file, seen = io.BytesIO(), Seen()
    with session_of(scene, laid_out(root), file) as session:
        session.snapshots.subscribe(seen.shown.append)
        session.writes.subscribe(seen.writes.append)
        for turn in scene.turns:
            if callable(turn):
                turn(root)
                continue
            for _ in session.run(turn):
                pass
            assert session.answer is not None
            seen.answers.append(session.answer)
    return seen, read_session(io.BytesIO(file.getvalue()))


def write_a(root: Path) -> None:
    """Somebody else changes a.py."""
    (root / "a.py").write_text("one\nelse\n")


def _meddle(proposal: Proposal, root: Path) -> Decision:
    (root / proposal.path).write_text("changed meanwhile\n")
    return True


def _crowd(proposal: Proposal, root: Path) -> Decision:
    (root / "moved.py").write_text("in the way\n")
    return True


def _shut(proposal: Proposal, root: Path) -> Decision:
    (root / proposal.path).chmod(0o400)
    return True


def _only_first(proposal: Proposal, _root: Path) -> Decision:
    return (proposal.block is None or proposal.block.index == 0) or f"not {proposal.path}"


def _interleaved() -> Iterator[Delta]:
    first, second = list(pair("1", "a.py", "one", "uno")), list(pair("2", "./a.py", "uno", "eins"))
    for both in zip(first, second, strict=False):
        yield from both
    yield from [*first[len(second) :], *second[len(first) :]]


_MOVE = "*** Begin Patch\n*** Update File: a.py\n*** Move to: moved.py\n@@\n-one\n+ONE\n*** End Patch\n"
_DELETE = "*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n"
_TWO = block("one\n", "ONE\n") + block("three\n", "3\n")

SCENES: Mapping[str, Scene] = {
    "two edits of one file, mixed": Scene("tools", (_interleaved(),)),
    "mistakes over turns": Scene(
        "tools", tuple(tuple(pair(str(n), "a.py", "none", "")) for n in range(4)), options={"mistakes_allowed": 2}
    ),
    "changed on disk between turns": Scene(
        "tools", (tuple(pair("1", "a.py", "one", "ONE")), write_a, tuple(pair("2", "a.py", "else", "ELSE")))
    ),
    "changed on disk while the user thinks": Scene("tools", (tuple(pair("1", "a.py", "one", "ONE")),), _meddle),
    "read-only, or not for root": Scene("tools", (tuple(pair("1", "a.py", "one", "ONE")),), _shut),
    "by block": Scene(
        "diff", (tuple(pieces(_TWO)),), _only_first, {"path": "a.py", "approve_by": "block", "dialect": "safe"}
    ),
    "words of the user": Scene("tools", (tuple(pair("1", "b.py", "one", "")),), lambda _p, _r: "no \x1b[2J ☂"),
    "all or nothing": Scene(
        "diff",
        (tuple(pieces(_TWO + block("four\n", ""))),),
        options={"path": "a.py", "on_reject": "abort", "ambiguity": "first", "entities": "never"},
    ),
    "view, edit and undo": Scene(
        "text_editor",
        (
            tuple(editor("1", "view", ".")),
            (*editor("2", "view", "a.py"), *editor("3", "str_replace", "a.py", old_str="one", new_str="ONE")),
            tuple(editor("4", "undo_edit", "a.py")),
            tuple(editor("5", "undo_edit", "a.py")),
            (*editor("6", "create", "new/c.py", file_text="x\n"), *editor("7", "undo_edit", "new/c.py")),
            (*editor("8", "view", "hidden"), *editor("9", "view", "missing"), *editor("10", "view", "binary")),
            (*editor("11", "str_replace", "a.py", old_str="two", new_str="2"), *editor("12", "undo_edit", "link.py")),
            write_a,
            tuple(editor("13", "undo_edit", "a.py")),
        ),
    ),
    "places that are none": Scene(
        "tools",
        (
            tuple(pair("1", "../x", "a", "b")),
            tuple(pair("2", "hidden/x", "a", "b")),
            tuple(pair("3", "binary", "a", "b")),
            tuple(pair("4", "missing", "a", "b")),
            tuple(pair("5", "link.py", "one", "ONE")),
            tuple(call("6", "write_file", {"path": "a.py/x", "content": "x"})),
            tuple(call("7", "edit_file", "{not json")),
            tuple(call("8", "write_file", {"path": "a.py", "content": "a\0b"})),
        ),
    ),
    "a move, and a delete": Scene("patch", (tuple(pieces(_MOVE)), tuple(pieces(_DELETE)), tuple(pieces(_MOVE)))),
    "a move to a place that is taken": Scene("patch", (tuple(pieces(_MOVE)),), _crowd),
    "a delete that comes too late": Scene("patch", (tuple(pieces(_DELETE)),), _meddle),
    "names above and below fences": Scene(
        "markdown", (tuple(pieces(f"In b.py:\n\n```\n{block('one' + chr(10), 'ONE' + chr(10))}```\n")),)
    ),
    "cut off": Scene("tools", ((*tuple(pair("1", "a.py", "one", "ONE"))[:-2], End("truncated")),)),
    "called off": Scene("tools", ((*tuple(pair("1", "a.py", "one", "ONE"))[:-1], End("cancelled")),)),
    "nothing said": Scene("markdown", ((), (Text("Hello."),))),
    "a custom tool": Scene("patch", ((ToolCall("1", "apply_patch", is_json=False), *pieces(_MOVE)),)),
}
"""Each is to be replayed as it was."""
