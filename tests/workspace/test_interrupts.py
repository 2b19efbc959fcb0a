"""Ctrl-C and failing system calls at every step of a change: whole files, nothing left over, and the truth told."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import editstream.workspace
from editstream.scan import ScanCache, ScanOptions, ScanPolicy
from editstream.scan.walker import walk
from editstream.workspace import Workspace, WriteEvent

OURS = Path(editstream.workspace.__file__).parent

Injector = Callable[[Callable[[], object], int], bool]


def ours(code: CodeType) -> bool:
    return Path(code.co_filename).parent == OURS


def at_line(action: Callable[[], object], step: int) -> bool:
    """Run the action, and interrupt it before the `step`-th line of the workspace's code; whether it came to that."""
    left = step

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal left
        if not ours(frame.f_code):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt(f"{frame.f_code.co_name}:{frame.f_lineno}")
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return left <= 0


def at_call(action: Callable[[], object], step: int) -> bool:
    """Run the action, and interrupt it before or after the `step / 2`-th system call; whether it came to that."""
    return profiled(action, step, ("c_call", "c_return"), KeyboardInterrupt)


def profiled(
    action: Callable[[], object], step: int, events: tuple[str, ...], error: Callable[[str], BaseException]
) -> bool:
    """Run the action, and raise at the `step`-th of these events about a system call; whether it came to that."""
    left = step

    def profile(frame: FrameType, event: str, arg: object) -> None:
        nonlocal left
        if event in events and getattr(arg, "__module__", None) == "posix":
            left -= 1
            if left == 0:
                raise error(f"{event} {getattr(arg, '__name__', arg)}")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        action()
    finally:
        sys.setprofile(before)
    return left <= 0


CHANGES: dict[str, Callable[[Workspace], WriteEvent]] = {
    "created": lambda workspace: workspace.write_text("new/deep/c", "new text"),
    "modified": lambda workspace: workspace.write_text("a", "new text"),
    "deleted": lambda workspace: workspace.delete("a"),
    "renamed": lambda workspace: workspace.rename("a", "new/deep/b"),
}


def contents(root: Path) -> dict[str, str | None]:
    return {str(path.relative_to(root)): path.read_text() if path.is_file() else None for path in root.rglob("*")}


def every_step(folder: Path) -> Iterator[tuple[int, Path]]:
    """A fresh root for each step there may be."""
    for step in range(1, 2000):
        root = folder / str(step)
        root.mkdir()
        (root / "a").write_text("old")
        yield step, root


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files that the interrupt left open
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("inject", [at_line, at_call])
def test_ctrl_c_at_any_step_leaves_the_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inject: Injector, change: str
) -> None:
    """A KeyboardInterrupt at any step: all of the change or nothing, no rest of it, told once iff it was made."""
    monkeypatch.setattr(os, "fsync", os.fstat)  # hundreds of writes that need not survive a power cut
    outcomes = set[bool]()
    for step, root in every_step(tmp_path):
        workspace, told = Workspace(root), list[WriteEvent]()
        cache = ScanCache(ScanPolicy(ttl_ms=10**9))
        cache.get_or_scan(root)
        cache.follow(workspace.events)
        workspace.events.subscribe(told.append)
        before, where = contents(root), ""
        try:
            if not inject(lambda workspace=workspace: CHANGES[change](workspace), step):
                break
        except KeyboardInterrupt as error:
            where = f"step {step}, {error}"
        made = contents(root) != before
        outcomes.add(made)
        assert [event.kind for event in told] == [change] * made, where
        if not made:
            CHANGES[change](workspace)
        assert [(event.kind, event.sequence) for event in told] == [(change, 1)], where
        assert (
            contents(root)
            == {
                "created": {"a": "old", "new": None, "new/deep": None, "new/deep/c": "new text"},
                "modified": {"a": "new text"},
                "deleted": {},
                "renamed": {"new": None, "new/deep": None, "new/deep/b": "old"},
            }[change]
        ), where
        assert cache.get_or_scan(root).paths == walk(os.path.realpath(root), ScanOptions()).paths, where
    assert outcomes == {False, True}


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE])
@pytest.mark.parametrize("change", CHANGES)
def test_any_failing_system_call_leaves_the_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, number: int
) -> None:
    """Whichever system call of a change fails: the whole change or none, no rest of it, told once iff it was made."""
    monkeypatch.setattr(os, "fsync", os.fstat)
    outcomes = set[bool]()
    for step, root in every_step(tmp_path):
        workspace, told = Workspace(root), list[WriteEvent]()
        workspace.events.subscribe(told.append)
        before, reached = contents(root), True
        with suppress(OSError):
            reached = profiled(
                lambda workspace=workspace: CHANGES[change](workspace), step, ("c_call",), partial(OSError, number)
            )
        if not reached:
            break
        made = contents(root) != before
        outcomes.add(made)
        assert [event.kind for event in told] == [change] * made, step
    assert outcomes == {False, True}
