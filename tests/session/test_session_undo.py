"""What a model asks of files beside editing them: its last edit taken back, a file or folder shown."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pytest
from session_turns import call, editor, on_disk, pair

from editstream import EditSession, Workspace
from editstream.operators.formats.deltas import Delta
from editstream.session import Answer, Decision, Proposal
from editstream.session.asked import CHARACTERS_SHOWN, UNDO_CHARACTERS, UNDOS_KEPT

BEFORE = "one\ntwo\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "a.py").write_text(BEFORE)
    return Workspace(tmp_path)


class User:
    """Says yes, until told otherwise."""

    def __init__(self) -> None:
        self.says: Decision | Exception = True
        self.seen: list[Proposal] = []

    def __call__(self, proposal: Proposal) -> Decision:
        self.seen.append(proposal)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


def asked(session: EditSession, *calls: Iterable[Delta]) -> Answer:
    """The answer to a turn made of calls."""
    for _ in session.run(chain(*calls)):
        pass
    assert session.answer is not None
    return session.answer


@pytest.fixture
def user() -> User:
    return User()


@pytest.fixture
def session(workspace: Workspace, user: User) -> EditSession:
    return EditSession(workspace, format="text_editor", approve=user)


def undo(path: str = "a.py") -> Iterable[Delta]:
    return editor("u", "undo_edit", path)


def test_edits_are_taken_back_one_by_one(session: EditSession, workspace: Workspace) -> None:
    """Each undo takes back the last edit that is left, then there is none."""
    for old, new in (("one", "uno"), ("uno", "eins")):
        asked(session, editor("1", "str_replace", "a.py", old_str=old, new_str=new))
    texts = [on_disk(workspace)["a.py"]]
    for _ in range(2):
        assert asked(session, undo()).text.startswith("a.py: changed.")
        texts.append(on_disk(workspace)["a.py"])
    assert texts == ["eins\ntwo\n", "uno\ntwo\n", BEFORE]
    assert "no edit of this file" in asked(session, undo()).text


def test_taking_a_creation_back_deletes(session: EditSession, workspace: Workspace, user: User) -> None:
    """A file that the session made is gone again, once the user agrees to a deletion."""
    asked(session, editor("1", "create", "new.py", file_text="x\n"))
    asked(session, undo("new.py"))
    assert user.seen[-1].kind == "delete"
    assert on_disk(workspace) == {"a.py": BEFORE}


def test_an_undo_that_the_user_declines_can_be_asked_for_again(
    session: EditSession, user: User, workspace: Workspace
) -> None:
    """A no to an undo takes nothing back and forgets nothing: the next undo is of the same edit."""
    for old, new in (("one", "uno"), ("uno", "eins")):
        asked(session, editor("1", "str_replace", "a.py", old_str=old, new_str=new))
    user.says = False
    assert "declined" in asked(session, undo()).text
    user.says = True
    asked(session, undo())
    assert on_disk(workspace)["a.py"] == "uno\ntwo\n"


def test_what_others_changed_is_not_taken_back(session: EditSession, workspace: Workspace) -> None:
    """An undo would overwrite what the user has done since; the model is told to look first."""
    asked(session, editor("1", "str_replace", "a.py", old_str="one", new_str="uno"))
    Path(workspace.root, "a.py").write_text("uno\nthe user's\n")
    answer = asked(session, undo())
    assert answer.text.startswith("a.py: not done: the file changed on disk since that edit")
    assert on_disk(workspace)["a.py"] == "uno\nthe user's\n"
    Path(workspace.root, "a.py").unlink()
    assert "changed on disk" in asked(session, undo()).text


def test_an_edit_under_way_is_not_taken_back(workspace: Workspace) -> None:
    """By whatever name: the undo of a file whose edit still streams is refused, and that edit goes on."""
    session = EditSession(workspace, format="tools", approve=True)
    asked(session, pair("0", "a.py", "two", "zwei"))
    edit = list(pair("1", "a.py", "one", "uno"))
    answer = asked(session, edit[:-1], undo("./a.py"), edit[-1:])
    assert "under way" in answer.results[1].text
    assert on_disk(workspace)["a.py"] == "uno\nzwei\n"


def test_an_undo_that_breaks_off_is_answered(session: EditSession, workspace: Workspace, user: User) -> None:
    """If the user's answer never comes, the call has its result all the same, and can be made again."""
    asked(session, editor("1", "str_replace", "a.py", old_str="one", new_str="uno"))

    user.says = RuntimeError("the window was closed")
    with pytest.raises(RuntimeError, match="closed"):
        asked(session, undo())
    assert session.answer is not None
    assert [(result.call, result.is_error) for result in session.answer.results] == [("u", True)]
    user.says = True
    asked(session, undo())
    assert on_disk(workspace)["a.py"] == BEFORE


def test_what_is_remembered_is_bounded(workspace: Workspace) -> None:
    """Neither many edits nor large files are kept without end; the last edit always is."""
    session = EditSession(workspace, format="tools", approve=True)
    for n in range(UNDOS_KEPT + 5):
        asked(session, call("1", "write_file", {"path": "a.py", "content": f"{n}\n"}))
    done = [asked(session, undo()).results[0].is_error for _ in range(UNDOS_KEPT + 1)]
    assert done == [False] * UNDOS_KEPT + [True]
    Path(workspace.root, "a.py").write_text("x" * UNDO_CHARACTERS + "\nend\n")
    for old, new in (("end", "END"), ("END", "End")):
        asked(session, pair("1", "a.py", old, new, size=4_096))
    assert [asked(session, undo()).results[0].is_error for _ in range(2)] == [False, True]


def test_a_long_line_is_cut_and_said_to_be(session: EditSession, workspace: Workspace) -> None:
    """No answer is longer than its bound, and what is missing is named."""
    Path(workspace.root, "a.py").write_text("first\n" + "x" * (2 * CHARACTERS_SHOWN) + "\nlast\n")
    texts = [asked(session, editor("1", "view", "a.py", view_range=[n, -1])).text for n in (1, 2)]
    assert all(len(text) < CHARACTERS_SHOWN + 200 for text in texts)
    assert texts[0].endswith("view the next ones from line 2 on)")
    assert "(line 2 goes on: only its first 100,000 characters are shown)" in texts[1]
    assert texts[1].endswith("view the next ones from line 3 on)")
