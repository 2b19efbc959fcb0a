"""Patches of OpenAI's apply_patch from the turn to the disk: what each section does, and what a wrong one is told."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from session_turns import on_disk, pieces

from editstream import EditSession, Workspace
from editstream.operators.formats.deltas import Delta, ToolArguments, ToolCall, ToolDone
from editstream.session import Answer

BEFORE = """class A:
    def f(self):
        x = 0
        return x

    def g(self):
        x = 1
        return x
"""
UPDATE = "*** Update File: a.py\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "a.py").write_text(BEFORE)
    (tmp_path / "old.txt").write_text("old\n")
    return Workspace(tmp_path)


def patch(*sections: str) -> str:
    return "*** Begin Patch\n" + "".join(sections) + "*** End Patch\n"


def taken(session: EditSession, deltas: Iterable[Delta]) -> Answer:
    """The answer to a turn."""
    for _ in session.run(deltas):
        pass
    assert session.answer is not None
    return session.answer


def called(arguments: str, *, is_json: bool = True) -> Iterator[Delta]:
    """A call of the tool."""
    yield ToolCall("1", "apply_patch", is_json=is_json)
    yield from (ToolArguments("1", arguments[at : at + 7]) for at in range(0, len(arguments), 7))
    yield ToolDone("1")


def with_line(number: int, *lines: str) -> str:
    """The file with other lines instead of one, which is counted from 1."""
    before = BEFORE.splitlines()
    return "".join(line + "\n" for line in [*before[: number - 1], *lines, *before[number:]])


CHANGES = {
    "context": ("@@\n         x = 1\n-        return x\n+        return y\n", with_line(8, "        return y")),
    "a scope": ("@@     def g(self):\n-        return x\n+        return y\n", with_line(8, "        return y")),
    "scopes, one below the other": (
        "@@ class A:\n@@     def g(self):\n-        return x\n+        return y\n", with_line(8, "        return y"),
    ),
    "a scope without its indent": ("@@ def g(self):\n-        return x\n", with_line(8)),
    "a scope of a unified diff": ("@@ -6,3 +6,2 @@ def g(self):\n         x = 1\n-        return x\n", with_line(8)),
    "the end of the file": (
        "@@\n-        return x\n+        return y\n*** End of File\n", with_line(8, "        return y")
    ),
    "the end of the file below a scope": (
        "@@ class A:\n-        return x\n+        return y\n*** End of File\n", with_line(8, "        return y"),
    ),
    "lines at the end": ("@@\n+\n+# end\n*** End of File\n", BEFORE + "\n# end\n"),
    "lines below a scope": ("@@ class A:\n+    y = 2\n", with_line(1, "class A:", "    y = 2")),
    "two hunks in one": (
        "@@\n-        x = 0\n+        x = 2\n         return x\n \n     def g(self):\n-        x = 1\n",
        with_line(3, "        x = 2").replace("        x = 1\n", ""),
    ),
    "an empty line without its space": (
        "@@\n         return x\n\n-    def g(self):\n+    def h(self):\n", with_line(6, "    def h(self):"),
    ),
    "no @@ at first": ("-        x = 1\n+        x = 2\n", with_line(7, "        x = 2")),
    "hunks in any order": (
        "@@\n-        x = 1\n@@\n-        x = 0\n", BEFORE.replace("        x = 0\n", "").replace("        x = 1\n", "")
    ),
}  # fmt: skip
"""The hunks of a patch, and the file that they make."""


@pytest.mark.parametrize("name", CHANGES)
def test_an_update(workspace: Workspace, name: str) -> None:
    """Hunks change the file where their lines are, below their @@ lines, or at its end."""
    hunks, after = CHANGES[name]
    with EditSession(workspace, format="patch", approve=True) as session:
        answer = taken(session, pieces(patch(UPDATE, hunks)))
    assert on_disk(workspace) == {"a.py": after, "old.txt": "old\n"}
    assert (answer.needs_repair, answer.text) == (False, "a.py: changed.\n\nNothing is left to repair.")


def test_a_turn_with_all_that_a_patch_can_do(workspace: Workspace) -> None:
    """Files are added, updated, moved with a change and without, and deleted, by two patches with prose around."""
    first = patch(
        UPDATE, "*** Move to: src/b.py\n@@\n-        x = 1\n+        x = 2\n",
        "*** Add File: new/c.py\n+c = 1\n+\n+d = 2\n",
        "*** Update File: old.txt\n*** Move to: docs/new.txt\n",
    )  # fmt: skip
    second = patch("*** Update File: src/b.py\n@@\n-        x = 2\n+        x = 3\n", "*** Delete File: docs/new.txt\n")
    turn = f"First:\n```diff\n{first}```\nThen:\napply_patch <<'EOF'\n{second}EOF\n"
    with EditSession(workspace, format="patch", approve=True) as session:
        answer = taken(session, pieces(turn))
    assert on_disk(workspace) == {"src/b.py": with_line(7, "        x = 3"), "new/c.py": "c = 1\n\nd = 2\n"}
    assert answer.text.split("\n\n") == [
        "a.py: moved to src/b.py and changed.", "new/c.py: created.", "old.txt: moved to docs/new.txt.",
        "src/b.py: changed.", "docs/new.txt: deleted.", "Nothing is left to repair.",
    ]  # fmt: skip


HUNK = "@@\n-        x = 1\n+        x = 2\n"


@pytest.mark.parametrize(
    ("arguments", "is_json"),
    [
        (json.dumps({"input": patch(UPDATE, HUNK)}), True),
        (patch(UPDATE, HUNK), False),
        (json.dumps({"type": "update_file", "path": "a.py", "diff": HUNK}), True),
        (json.dumps({"diff": HUNK.removesuffix("\n"), "path": "a.py", "type": "update_file"}), True),
    ],
    ids=["function", "custom tool", "operation", "operation, its path last"],
)
def test_a_patch_by_a_call(workspace: Workspace, arguments: str, is_json: bool) -> None:
    """A function, a custom tool and OpenAI's own operations do what a patch in text does, and the call is answered."""
    with EditSession(workspace, format="patch", approve=True) as session:
        answer = taken(session, called(arguments, is_json=is_json))
    assert on_disk(workspace)["a.py"] == with_line(7, "        x = 2")
    assert [(result.call, result.text, result.is_error) for result in answer.results] == [
        ("1", "a.py: changed.", False)
    ]


@pytest.mark.parametrize(
    ("hunk", "says"),
    [
        ("@@\n-        x = 5\n+        x = 6\n", "is not in the file.\nIt looked for this line:\n            x = 5\n"),
        ("@@\n-        return x\n", "is in the file 2 times: at lines 4, 8."),
        ("@@     def h(self):\n-        x = 1\n", 'its @@ line is not in the file: "    def h(self):"'),
        ("@@     def g(self):\n-        x = 0\n", "in the file, but not after its @@ line"),
        ("@@\n+        x = 2\n", "it has no context and - lines, and the file is not empty."),
        ("@@\n-        x = 1\nx = 2\n", 'and "x = 2" does not'),
        ("@@ class A:\n", "a hunk has no lines"),
    ],
)
def test_a_wrong_hunk_is_told_and_repaired(workspace: Workspace, hunk: str, says: str) -> None:
    """What is wrong with a hunk is said, the others are applied, and the next turn sends that one alone."""
    first = "@@\n-class A:\n+class B:\n"
    with EditSession(workspace, format="patch", approve=True) as session:
        answer = taken(session, pieces(patch(UPDATE, first, hunk)))
        assert on_disk(workspace)["a.py"] == with_line(1, "class B:")
        assert says in answer.text
        assert answer.text.startswith("a.py: changed. Hunk 1 is applied and in the file: do not send it again.\n\n")
        assert answer.text.endswith("\n\nSend only what was rejected, repaired.")
        answer = taken(session, pieces(patch(UPDATE, HUNK)))
    assert on_disk(workspace)["a.py"] == with_line(7, "        x = 2").replace("class A", "class B")
    assert not answer.needs_repair


def test_a_second_hunk_below_one_scope(workspace: Workspace) -> None:
    """Hunks come in the order of the file: what is below the scope, but above the hunk before, is not just taken."""
    hunks = "@@ class A:\n-        x = 1\n+        x = 2\n@@ class A:\n-        return x\n+        return y\n"
    with EditSession(workspace, format="patch", approve=True) as session:
        answer = taken(session, pieces(patch(UPDATE, hunks)))
    assert on_disk(workspace)["a.py"] == with_line(7, "        x = 2")
    assert "is in the file 2 times: at lines 4, 8." in answer.text


@pytest.mark.parametrize("hunk", ["", HUNK, "@@\n-nowhere\n"])
def test_a_move_that_is_declined_or_cannot_be_changed(workspace: Workspace, hunk: str) -> None:
    """A file is moved only as a whole: with the user's yes, and if at least some of its hunks could be applied."""
    is_right = hunk != "@@\n-nowhere\n"
    with EditSession(workspace, format="patch", approve=not is_right) as session:
        answer = taken(session, pieces(patch(UPDATE, "*** Move to: b.py\n", hunk)))
    assert on_disk(workspace) == {"a.py": BEFORE, "old.txt": "old\n"}
    assert [outcome.fate for outcome in answer.outcomes] == ["declined" if is_right else "rejected"]


def test_a_section_without_hunks(workspace: Workspace) -> None:
    """An update of nothing is told what a section holds."""
    with EditSession(workspace, format="patch", approve=True) as session:
        answer = taken(session, pieces(patch(UPDATE)))
    assert answer.text == "a.py: not done: this section of the patch holds no hunk; begin each with a line @@."


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_line_ends_of_the_file_stay(tmp_path: Path, end: str, last: str) -> None:
    """A patch has line feeds; a file keeps its own line ends, and a last line that has none."""
    lines = ["one", "two", "three"]
    (tmp_path / "a.txt").write_bytes((end.join(lines) + last.replace("\n", end)).encode())
    hunks = "*** Update File: a.txt\n@@\n-one\n+1\n+one\n@@\n two\n-three\n+3\n*** End of File\n"
    with EditSession(Workspace(tmp_path), format="patch", approve=True) as session:
        taken(session, pieces(patch(hunks)))
    assert (tmp_path / "a.txt").read_bytes().decode() == end.join(["1", "one", "two", "3"]) + last.replace("\n", end)
