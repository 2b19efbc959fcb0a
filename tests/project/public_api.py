"""Every public name, used the way a typed user uses it: mypy and pyright check this file, and the tests run it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, assert_type

import reactivex
from reactivex import Observable

import editstream
from editstream import (
    Block,
    Candidate,
    EditError,
    EditSession,
    End,
    FileEditor,
    NewFileContent,
    Problem,
    Snapshot,
    TextEdit,
    Workspace,
    WriteEvent,
    apply_edits,
    construct_new_file_content,
    prompt,
    tools,
)
from editstream.operators import SAFE, Document, lines, markers, out_of_order, partial_markers, search, snapshots
from editstream.prompts import FormatName, ProviderName
from editstream.recording import Recording, demo_recording, read_recording, record, replay
from editstream.scan import ScanCache, ScanOptions, ScanResult, glob
from editstream.session import (
    Answer,
    Approve,
    Decision,
    Difference,
    Fact,
    FileSnapshot,
    Outcome,
    Proposal,
    SessionOptions,
    SessionRecorder,
    SessionRecording,
    SessionReplay,
    ToolResult,
    Witness,
    read_session,
    replay_session,
)
from editstream.sources import plain_text

ORIGINAL = "one\ntwo\nthree\n"
DIFF = "------- SEARCH\ntwo\n=======\n2\n+++++++ REPLACE\n"
LOST = "------- SEARCH\nfour\n=======\n4\n+++++++ REPLACE\n"


def edit_with_a_callback() -> None:
    editor = FileEditor(ORIGINAL, "safe", ambiguity="error", on_reject="abort", entities="auto")
    for chunk in DIFF:
        assert_type(editor.feed(chunk), Snapshot)
    last = editor.close("complete")
    assert_type(last, Snapshot)
    assert last.new_content == last.full_content == "one\n2\nthree\n"
    assert last.is_final
    assert last.original == ORIGINAL
    assert last is editor.snapshot
    assert_type(last.match_indices, tuple[int, ...])
    assert_type(last.match_lines, tuple[int, ...])
    assert_type(last.candidates, tuple[int, ...])
    assert_type(last.problems, tuple[Problem, ...])
    assert_type(last.full_position, int | None)
    (block,) = last.blocks
    assert_type(block, Block)
    assert (block.index, block.status, block.tier, block.span, block.lines) == (0, "applied", "exact", (4, 8), (2, 3))
    assert (block.line, block.other_matches) == (1, ())
    (edit,) = last.edits
    assert_type(edit, TextEdit)
    assert ORIGINAL[: edit.start] + edit.text + ORIGINAL[edit.end :] == last.new_content
    (line, _), _ = edit.position(ORIGINAL, "utf-16")
    assert (line, edit.block) == (1, 0)


def edit_with_rx() -> None:
    operator = apply_edits(ORIGINAL, "v1", on_reject="apply_rest")
    assert_type(operator, Callable[[Observable[str | End]], Observable[Snapshot]])
    items: list[str | End] = [*DIFF, End("complete")]
    seen: list[Snapshot] = []
    failed: list[Exception] = []
    reactivex.from_iterable(items).pipe(operator).subscribe(on_next=seen.append, on_error=failed.append)
    assert not failed
    assert (seen[-1].is_final, seen[-1].new_content) == (True, "one\n2\nthree\n")


def compose_the_stages() -> None:
    document = Document(ORIGINAL)
    blocks = reactivex.from_iterable(DIFF).pipe(lines(), partial_markers(SAFE.grammar), markers(SAFE.grammar))
    edited = blocks.pipe(search(document, SAFE), out_of_order(), snapshots(document, SAFE))
    assert_type(edited, Observable[Snapshot])
    seen: list[Snapshot] = []
    edited.subscribe(on_next=seen.append)
    assert seen[-1].new_content == "one\n2\nthree\n"


def repair_an_edit() -> None:
    editor = FileEditor(ORIGINAL)
    editor.feed(LOST)
    message, problems = "", tuple[Problem, ...]()
    try:
        editor.close()
    except EditError as error:
        message, problems = str(error), error.problems
    (problem,) = problems
    assert_type(problem, Problem)
    assert (problem.kind, problem.block, problem.line, problem.provisional) == ("not_found", 0, 1, False)
    assert_type(problem.candidates, tuple[Candidate, ...])
    assert problem.message in message


def build_the_whole_at_once() -> None:
    made = construct_new_file_content(DIFF, ORIGINAL, True, version="v2")
    assert_type(made, NewFileContent)
    assert_type(made.match_indices, tuple[int, ...])
    assert made.new_content == "one\n2\nthree\n"


def record_and_replay(folder: Path) -> None:
    path = folder / "turn.jsonl"
    passed = "".join(item for item in record(list(DIFF), path, files={"numbers": ORIGINAL}) if isinstance(item, str))
    recording = read_recording(path)
    assert_type(recording, Recording)
    again: list[str | End] = []
    replay(recording, speed=None).subscribe(on_next=again.append)
    assert "".join(item for item in again if isinstance(item, str)) == passed == DIFF
    assert demo_recording().header.files


def write_and_find(root: Path) -> None:
    workspace = Workspace(root)
    events: list[WriteEvent] = []
    cache = ScanCache()
    workspace.events.subscribe(events.append)
    cache.follow(workspace.events)
    assert_type(cache.get_or_scan(root, ScanOptions()), ScanResult)
    written = workspace.write_text("numbers.txt", ORIGINAL, expected=workspace.read("numbers.txt", missing_ok=True))
    assert_type(written, WriteEvent)
    assert (events, written.kind, written.path) == ([written], "created", "numbers.txt")
    assert list(glob("*.txt", root, cache=cache).paths) == ["numbers.txt"]


def tell_the_model() -> None:
    assert_type(prompt("tools"), str)
    made = tools("tools", "anthropic")
    assert_type(made, list[dict[str, Any]])
    assert [tool["name"] for tool in made] == ["edit_file", "write_file"]
    assert all(tool["name"] in prompt("tools") for tool in made)


def tell_each_sdk(sdk: ProviderName, formats: list[FormatName]) -> None:
    assert all(prompt(name) for name in formats)
    assert_type(tools("tools", sdk), list[dict[str, Any]])


class Counting(Witness):
    """Counts what the disk was asked and what the user has decided."""

    def __init__(self) -> None:
        self.decisions = list[Decision]()
        self.questions = list[str]()

    def begun(self, options: SessionOptions) -> None:
        assert (options.format, options.path, options.approve_by) == ("diff", "session.txt", "file")

    def found(self, fact: Fact) -> None:
        self.questions.append(fact.type)

    def decided(self, proposal: Proposal, decision: Decision) -> None:
        assert proposal.path == "session.txt"
        self.decisions.append(decision)


def follow_a_turn(root: Path) -> None:
    workspace, counting, asked = Workspace(root), Counting(), list[str]()
    workspace.write_text("session.txt", ORIGINAL, expected=workspace.read("session.txt", missing_ok=True))

    def ask(proposal: Proposal) -> Decision:
        asked.append(proposal.diff())
        return True

    approve: Approve = ask
    with EditSession(workspace, format="diff", path="session.txt", approve=approve, witness=counting) as session:
        for delta in plain_text(DIFF):
            assert_type(session.feed(delta), tuple[FileSnapshot, ...])
        answer = session.close()
    assert_type(answer, Answer)
    assert_type(answer.results, tuple[ToolResult, ...])
    (outcome,) = answer.outcomes
    assert_type(outcome, Outcome)
    assert (outcome.fate, outcome.path, counting.decisions, len(asked)) == ("written", "session.txt", [True], 1)
    assert counting.questions == ["place", "read", "check", "write"]
    assert (root / "session.txt").read_text() == "one\n2\nthree\n"


def record_a_session(root: Path) -> None:
    workspace, path = Workspace(root), root / "session.jsonl"
    with EditSession(workspace, format="diff", path="new.txt", approve=False, witness=SessionRecorder(path)) as session:
        said = session.run(plain_text("------- SEARCH\n=======\nnew\n+++++++ REPLACE\n"))
        assert [shown.snapshot.full_content for shown in said][-1] == "new\n"
    recording = read_session(path)
    assert_type(recording, SessionRecording)
    again = replay_session(recording)
    assert_type(again, SessionReplay)
    assert_type(list(again), list[FileSnapshot | Answer])
    assert_type(again.differences, tuple[Difference, ...])
    assert (again.differences, again.answers[-1].outcomes[0].fate) == ((), "declined")


def main() -> None:
    """Run every example."""
    edit_with_a_callback()
    edit_with_rx()
    compose_the_stages()
    repair_an_edit()
    build_the_whole_at_once()
    tell_the_model()
    tell_each_sdk("openai", ["cline", "patch"])
    with tempfile.TemporaryDirectory() as folder:
        record_and_replay(Path(folder))
        write_and_find(Path(folder))
        follow_a_turn(Path(folder))
        record_a_session(Path(folder))
    print("the public names work, imported from", *editstream.__path__)


if __name__ == "__main__":
    main()
