"""A turn from deltas to files: what is asked, what is written, and what the model is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from editstream import EditSession, End, Workspace
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.session import Decision, FileSnapshot, Proposal

BEFORE = "one\ntwo\nthree\n"
MARKDOWN = """I change two files.

a.py
```python
<<<<<<< SEARCH
one
=======
ONE
>>>>>>> REPLACE
```

b.py
```python
<<<<<<< SEARCH
three
=======
THREE
>>>>>>> REPLACE
```
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_bytes(BEFORE.encode())
    return Workspace(tmp_path)


def on_disk(workspace: Workspace) -> dict[str, str]:
    root = Path(workspace.root)
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in root.rglob("*") if path.is_file()}


def pieces(text: str, size: int = 5) -> Iterator[Delta]:
    yield from (Text(text[at : at + size]) for at in range(0, len(text), size))


def call(id_: str, name: str, arguments: str, size: int = 7) -> Iterator[Delta]:
    yield ToolCall(id_, name)
    yield from (ToolArguments(id_, arguments[at : at + size]) for at in range(0, len(arguments), size))
    yield ToolDone(id_)


def pair(id_: str, path: str, old: str, new: str) -> Iterator[Delta]:
    return call(id_, "edit_file", json.dumps({"path": path, "old_string": old, "new_string": new}))


def test_a_turn_edits_all_its_files(workspace: Workspace) -> None:
    """Every file that a turn names is edited, and the answer says so."""
    with EditSession(workspace, format="markdown", approve=True) as session:
        shown = list(session.run(pieces(MARKDOWN)))
    assert on_disk(workspace) == {"a.py": "ONE\ntwo\nthree\n", "b.py": "one\ntwo\nTHREE\n"}
    assert {item.path for item in shown} == {"a.py", "b.py"}
    assert session.answer is not None
    assert session.answer.text == "a.py: changed.\n\nb.py: changed.\n\nNothing is left to repair."
    assert not session.answer.needs_repair


def test_nothing_is_written_before_it_is_approved(workspace: Workspace) -> None:
    """When a file is asked about, it and all that come after it are on disk as they were."""
    seen: list[dict[str, str]] = []

    def approve(proposal: Proposal) -> Decision:
        seen.append(on_disk(workspace))
        return proposal.path == "b.py" or "leave a.py alone"

    with EditSession(workspace, format="markdown", approve=approve) as session:
        list(session.run(pieces(MARKDOWN)))
    assert seen == [{"a.py": BEFORE, "b.py": BEFORE}] * 2
    assert on_disk(workspace) == {"a.py": BEFORE, "b.py": "one\ntwo\nTHREE\n"}
    assert session.answer is not None
    assert "leave a.py alone" in session.answer.text


def test_two_edits_of_one_file_follow_each_other(workspace: Workspace) -> None:
    """The second edit of a file sees what the first has left, also when their calls overlap."""
    first, second = list(pair("1", "a.py", "one", "uno")), list(pair("2", "a.py", "uno", "eins"))
    mixed = [delta for both in zip(first, second, strict=False) for delta in both]
    mixed += [*first[len(second) :], *second[len(first) :]]
    with EditSession(workspace, format="tools", approve=True) as session:
        list(session.run(mixed))
    assert on_disk(workspace)["a.py"] == "eins\ntwo\nthree\n"
    assert session.answer is not None
    assert [(result.call, result.is_error) for result in session.answer.results] == [("1", False), ("2", False)]


def test_what_was_applied_is_not_asked_for_again(workspace: Workspace) -> None:
    """Of an edit with a good and a bad block the good one is written, and only the bad one is asked for."""
    diff = "------- SEARCH\none\n=======\nONE\n+++++++ REPLACE\n------- SEARCH\nfour\n=======\nFOUR\n+++++++ REPLACE\n"
    session = EditSession(workspace, format="diff", path="a.py", approve=True)
    list(session.run(pieces(diff)))
    answer = session.answer
    assert on_disk(workspace)["a.py"] == "ONE\ntwo\nthree\n"
    assert answer is not None
    assert answer.needs_repair
    assert "Block 1 is applied and in the file: do not send it again." in answer.text
    assert "Block 2 (line 6 of the edit) was not applied" in answer.text
    assert answer.text.endswith("Send only what was rejected, repaired.")


def test_a_block_can_be_declined(workspace: Workspace) -> None:
    """Asked by block, a declined block is left out and the others are written."""
    diff = "------- SEARCH\none\n=======\nONE\n+++++++ REPLACE\n------- SEARCH\nthree\n=======\n3\n+++++++ REPLACE\n"

    def approve(proposal: Proposal) -> Decision:
        assert proposal.block is not None
        return proposal.block.index == 1 or "keep it small"

    session = EditSession(workspace, format="diff", path="a.py", approve=approve, approve_by="block")
    list(session.run(pieces(diff)))
    assert on_disk(workspace)["a.py"] == "one\ntwo\n3\n"
    assert session.answer is not None
    assert "Block 1 the user declined. They say: keep it small" in session.answer.text


def test_mistakes_in_a_row_are_counted_over_turns(workspace: Workspace) -> None:
    """A rejected edit counts, an applied one starts again, and the limit is said when it is reached."""
    counts: list[tuple[int, bool]] = []
    with EditSession(workspace, format="tools", approve=True, mistakes_allowed=2) as session:
        for old in ("nowhere", "one", "nowhere", "nowhere"):
            list(session.run([*pair("1", "a.py", old, "ONE"), End()]))
            assert session.answer is not None
            counts.append((session.answer.mistakes, session.answer.limit_reached))
    assert counts == [(1, False), (0, False), (1, False), (2, True)]


def _follow(session: EditSession, deltas: Iterator[Delta], *, leave: bool) -> None:
    with session:
        for item in session.run(deltas):
            if leave and item.path == "b.py":
                raise KeyboardInterrupt


@pytest.mark.parametrize("ends", ["error", "left", "subscriber"])
def test_a_turn_that_breaks_off_leaves_nothing_half_done(workspace: Workspace, ends: str) -> None:
    """Whatever ends a turn in the middle of an edit, the files are as they were or wholly edited."""
    cut = MARKDOWN.index("THREE") + 2

    def deltas() -> Iterator[Delta]:
        yield Text(MARKDOWN[:cut])
        if ends == "error":
            raise ConnectionError("dropped")
        yield Text(MARKDOWN[cut:])

    def fail(item: FileSnapshot) -> None:
        if ends == "subscriber" and item.path == "b.py":
            raise RuntimeError("a view broke")

    session = EditSession(workspace, format="markdown", approve=True)
    session.snapshots.subscribe(fail)
    with pytest.raises((ConnectionError, RuntimeError, KeyboardInterrupt)):
        _follow(session, deltas(), leave=ends == "left")
    assert on_disk(workspace) == {"a.py": "ONE\ntwo\nthree\n", "b.py": BEFORE}
    assert session.answer is not None
    assert "b.py: the turn was cancelled" in session.answer.text


CLOSED = "'{}' is off limits by line {} of '.clineignore', '{}'; leave it alone."


@pytest.mark.parametrize(
    ("arguments", "first_line"),
    [
        ({"command": "view", "path": "."}, "a.py"),
        ({"command": "view", "path": "hidden"}, "hidden: not done: " + CLOSED.format("hidden", 2, "hidden/")),
        ({"command": "view", "path": "b.py"}, "b.py: not done: " + CLOSED.format("b.py", 1, "b.py")),
        (
            {"command": "str_replace", "path": "b.py", "old_str": "one", "new_str": "ONE"},
            "b.py: not done: " + CLOSED.format("b.py", 1, "b.py"),
        ),
        ({"command": "undo_edit", "path": "b.py"}, "b.py: not done: " + CLOSED.format("b.py", 1, "b.py")),
        (
            {"command": "create", "path": "hidden/d.py", "file_text": ""},
            "hidden/d.py: not done: " + CLOSED.format("hidden/d.py", 2, "hidden/"),
        ),
    ],
)
def test_what_an_ignore_file_closes(workspace: Workspace, arguments: dict[str, str], first_line: str) -> None:
    """A file that a model is kept out of is neither edited nor shown, and the model is told by which rule."""
    workspace.write_text(".clineignore", "b.py\nhidden/\n")
    workspace.write_text("hidden/c.py", "x\n")
    before = on_disk(workspace)
    with EditSession(workspace, format="text_editor", approve=True) as session:
        list(session.run(call("1", "str_replace_based_edit_tool", json.dumps(arguments))))
    assert session.answer is not None
    (result,) = session.answer.results
    assert result.text.split("\n")[0] == first_line
    assert on_disk(workspace) == before
