"""What agent ignore files close to a session: every way to name a file, and what a model may see of it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pytest
from session_turns import NAMING, block, call, edit_in, editor, on_disk, pair, pieces

from editstream import EditSession, Workspace
from editstream.operators.formats.deltas import Delta
from editstream.prompts import FormatName
from editstream.session import Answer, Decision, Proposal

BEFORE = "one\ntwo\n"
PATCH = "*** Begin Patch\n{}*** End Patch\n"
BY_LINE_1 = "is off limits by line 1 of '.cursorignore', 'secrets/'; leave it alone."


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "secrets").mkdir()
    for name in ("a.py", "secrets/key.py"):
        (tmp_path / name).write_text(BEFORE)
    (tmp_path / "way").symlink_to("secrets")
    (tmp_path / ".cursorignore").write_text("secrets/\n")
    return Workspace(tmp_path)


def answered(session: EditSession, *parts: Iterable[Delta]) -> Answer:
    """The answer to a turn."""
    for _ in session.run(chain(*parts)):
        pass
    assert session.answer is not None
    return session.answer


@pytest.mark.parametrize("format_", [*NAMING, "diff"])
@pytest.mark.parametrize("path", ["secrets/key.py", "secrets/./key.py", "way/key.py", "secrets/new.py"])
def test_an_edit_of_a_closed_file_is_rejected(workspace: Workspace, format_: FormatName, path: str) -> None:
    """In each format the model hears by which line a file is closed, the user is not asked, and nothing is written."""
    before, asked = on_disk(workspace), list[Proposal]()

    def approve(proposal: Proposal) -> bool:
        asked.append(proposal)
        return True

    session = EditSession(workspace, format=format_, approve=approve, path=path if format_ == "diff" else None)
    answer = answered(session, edit_in(format_, path, "one", "ONE"))
    assert on_disk(workspace) == before
    assert not asked
    assert [outcome.fate for outcome in answer.outcomes] == ["rejected"]
    assert answer.text.endswith(BY_LINE_1)
    assert all(result.is_error for result in answer.results)


def test_the_rest_of_the_turn_is_done(workspace: Workspace) -> None:
    """A closed file is one mistake; the other edits of the turn are made and not asked for again."""
    with EditSession(workspace, format="tools", approve=True) as session:
        answer = answered(session, pair("1", "secrets/key.py", "one", "ONE"), pair("2", "a.py", "one", "ONE"))
    assert [result.is_error for result in answer.results] == [True, False]
    assert on_disk(workspace)["a.py"] == "ONE\ntwo\n"
    assert on_disk(workspace)["secrets/key.py"] == BEFORE


@pytest.mark.parametrize("path", [".cursorignore", ".clineignore", "lib/.editstreamignore", "way/new.py"])
def test_neither_the_rules_nor_what_is_closed_are_made_anew(workspace: Workspace, path: str) -> None:
    """A model writes no file into what is closed, and none of those that say what is."""
    before = on_disk(workspace)
    with EditSession(workspace, format="tools", approve=True) as session:
        answer = answered(session, call("1", "write_file", {"path": path, "content": "!*\n"}))
    assert on_disk(workspace) == before
    assert "off limits" in answer.results[0].text


@pytest.mark.parametrize(
    "patch",
    [
        "*** Delete File: secrets/key.py\n",
        "*** Delete File: .cursorignore\n",
        "*** Add File: .editstreamignore\n+!*\n",
        "*** Update File: a.py\n*** Move to: way/a.py\n@@\n-one\n+ONE\n",
        "*** Update File: a.py\n*** Move to: .clineignore\n@@\n-one\n+ONE\n",
        "*** Update File: secrets/key.py\n*** Move to: key.py\n@@\n-one\n+ONE\n",
    ],
)
def test_no_patch_changes_them(workspace: Workspace, patch: str) -> None:
    """Nor does it delete them, or move anything to or from them."""
    before = on_disk(workspace)
    with EditSession(workspace, format="patch", approve=True) as session:
        answer = answered(session, pieces(PATCH.format(patch)))
    assert on_disk(workspace) == before
    assert [outcome.fate for outcome in answer.outcomes] == ["rejected"]
    assert "off limits" in answer.text


def test_a_closed_file_is_not_shown(workspace: Workspace) -> None:
    """Neither a file's text nor its name in a folder is shown, by whatever way it is asked for."""
    session = EditSession(workspace, format="text_editor", approve=True)
    paths = ("secrets/key.py", "secrets", "way", "way/key.py", ".cursorignore")
    answer = answered(session, *(editor(f"{at}", "view", path) for at, path in enumerate(paths)))
    assert all("off limits" in result.text and result.is_error for result in answer.results)
    shown = answered(session, editor("r", "view", "."))
    assert shown.results[0].text.split("\n") == ["a.py", "way"]


def test_what_a_user_closes_while_asked_is_not_written(workspace: Workspace) -> None:
    """A rule that comes between the question and the yes counts, and for a move that of the new place too."""
    closing = ""

    def approve(_: Proposal) -> Decision:
        Path(workspace.root, ".clineignore").write_text(f"{closing}\n")
        return True

    before = on_disk(workspace)
    for patch, name in (("", "a.py"), ("*** Move to: b.py\n", "a.py"), ("*** Move to: b.py\n", "b.py")):
        closing = name
        Path(workspace.root, ".clineignore").unlink(missing_ok=True)
        turn = pieces(PATCH.format(f"*** Update File: a.py\n{patch}@@\n-one\n+ONE\n"))
        answer = answered(EditSession(workspace, format="patch", approve=approve), turn)
        assert f"'{name}' is off limits by line 1 of '.clineignore'" in answer.text
        assert on_disk(workspace) == {**before, ".clineignore": f"{closing}\n"}


def test_an_edit_of_what_was_closed_since_is_not_taken_back(workspace: Workspace) -> None:
    """An undo is one more edit: none of a file that is closed by now, and all the same once it is open again."""
    session = EditSession(workspace, format="text_editor", approve=True)
    answered(session, editor("1", "str_replace", "a.py", old_str="one", new_str="uno"))
    Path(workspace.root, ".clineignore").write_text("*.py\n")
    answer = answered(session, editor("2", "undo_edit", "a.py"))
    assert "off limits by line 1 of '.clineignore'" in answer.results[0].text
    assert on_disk(workspace)["a.py"] == "uno\ntwo\n"
    Path(workspace.root, ".clineignore").unlink()
    answered(session, editor("3", "undo_edit", "a.py"))
    assert on_disk(workspace)["a.py"] == BEFORE


def test_the_name_of_a_closed_file_in_a_chat_is_not_its_name(workspace: Workspace) -> None:
    """Where Markdown leaves the name to a guess among the files there are, a closed file is none of them."""
    chat = f"In a.py I change this, and see secrets/key.py:\n\n```\n{block(BEFORE, 'ONE' + chr(10))}```\n"
    session = EditSession(workspace, format="markdown", approve=True)
    answered(session, pieces(chat))
    assert on_disk(workspace)["secrets/key.py"] == BEFORE


def test_rules_that_cannot_be_understood_are_said(workspace: Workspace) -> None:
    """As long as an ignore file is in doubt nothing is edited, and the model is told to ask the user."""
    Path(workspace.root, ".clineignore").write_bytes("a\n".encode("utf-16"))
    answer = answered(EditSession(workspace, format="tools", approve=True), pair("1", "a.py", "one", "ONE"))
    why = "'a.py' is off limits as long as '.clineignore' is no text in UTF-8; ask the user to mend that file."
    assert answer.text == f"a.py: not done: {why}"
    assert Path(workspace.root, "a.py").read_text() == BEFORE
