"""The files of a session: hostile paths, files that change meanwhile, and files that are none."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from session_turns import NAMING, call, edit_in, editor, on_disk, pair, pieces

from editstream import EditSession, Workspace
from editstream.operators.formats.deltas import Delta
from editstream.prompts import FormatName
from editstream.session import Decision, Proposal

BEFORE = "one\ntwo\nthree\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (root / "src").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.py").write_text(BEFORE)
    for name in ("a.py", "b.py", ".git/config"):
        (root / name).write_text(BEFORE)
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "link.py").symlink_to("a.py")
    os.mkfifo(root / "pipe")
    return Workspace(root)


def whole_tree(workspace: Workspace) -> dict[str, str]:
    return on_disk(Workspace(Path(workspace.root).parent))


def taken(session: EditSession, deltas: Iterable[Delta]) -> EditSession:
    """A session after a turn."""
    for _ in session.run(deltas):
        pass
    return session


@pytest.mark.parametrize("format_", NAMING)
@pytest.mark.parametrize(
    "path",
    [
        "../outside/a.py", "src/../../outside/a.py", "/etc/passwd", "~/a.py", "C:\\a.py", "C:/a.py", "out/a.py",
        ".git/config", ".GIT/config", "src/.git./config", "a\x00.py", "a\x1b[31m.py", "a\x9b.py", "a\u202epy.a",
        "a.py/", "src", "a.py/b.py", "pipe", "x" * 300, "/".join(["d" * 200] * 30), "\ud800.py",
    ],
    ids=lambda path: ascii(path)[:24],
)  # fmt: skip
def test_a_path_that_is_no_place_is_refused(workspace: Workspace, format_: FormatName, path: str) -> None:
    """Whatever a model writes as a path, it hears why that cannot be, in plain characters, and nothing is touched."""
    before = whole_tree(workspace)
    with EditSession(workspace, format=format_, approve=True) as session:
        answer = taken(session, edit_in(format_, path, "one", "ONE")).answer
    assert whole_tree(workspace) == before
    assert answer is not None
    # A name that holds a line's end, or more than any name does, may be no name to a format that looks for one.
    assert {outcome.fate for outcome in answer.outcomes} == ({"rejected"} if answer.outcomes else set())
    assert answer.outcomes or format_ == "markdown"
    assert all(char == "\n" or char.isprintable() for char in answer.text)


def test_a_name_that_no_file_can_have_does_not_lend_its_edit_to_the_file_before(workspace: Workspace) -> None:
    """In Markdown an edit without a name is for the file before, but one with a hostile name is refused."""
    edits = [*edit_in("markdown", "a.py", "one", "ONE"), *edit_in("markdown", "\u202ea.py", "two", "TWO")]
    answer = taken(EditSession(workspace, format="markdown", approve=True), edits).answer
    assert answer is not None
    assert [outcome.fate for outcome in answer.outcomes] == ["written", "rejected"]
    assert on_disk(workspace)["a.py"] == "ONE\ntwo\nthree\n"


@pytest.mark.parametrize("format_", ["tools", "text_editor"])
def test_an_empty_path_is_refused(workspace: Workspace, format_: FormatName) -> None:
    """An empty path is one more that is no place."""
    with EditSession(workspace, format=format_, approve=True) as session:
        answer = taken(session, edit_in(format_, "", "one", "ONE")).answer
    assert answer is not None
    assert "path is empty" in answer.text
    assert answer.results[0].is_error


def test_a_path_of_any_length_is_not_repeated(workspace: Workspace) -> None:
    """What a model writes as a path may be as long as a turn; the answer is not."""
    with EditSession(workspace, format="tools", approve=True) as session:
        answer = taken(session, pair("1", "\x1b" * 50_000, "one", "ONE", size=4_096)).answer
    assert answer is not None
    assert len(answer.text) < 10_000
    assert answer.outcomes[0].fate == "rejected"


def test_names_of_one_file_are_one(workspace: Workspace) -> None:
    """By a link, or with dots, it is the same file: its edits follow each other, and the answer names it as it is."""
    first, second = list(pair("1", "./a.py", "one", "uno")), list(pair("2", "link.py", "uno", "eins"))
    with EditSession(workspace, format="tools", approve=True) as session:
        answer = taken(session, [*first[:-1], *second, first[-1]]).answer
    assert on_disk(workspace)["a.py"] == "eins\ntwo\nthree\n"
    assert Path(workspace.root, "link.py").is_symlink()
    assert answer is not None
    assert [outcome.path for outcome in answer.outcomes] == ["a.py", "a.py"]


def changed(path: Path) -> None:
    path.write_text("one\nof others\n")


def deleted(path: Path) -> None:
    path.unlink()


def made_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def led_out(path: Path) -> None:
    path.unlink()
    path.symlink_to("../outside/a.py")


@pytest.mark.parametrize("format_", [*NAMING, "diff"])
@pytest.mark.parametrize("meddle", [changed, deleted, made_a_folder, led_out])
def test_a_file_that_changes_meanwhile_is_left(
    workspace: Workspace, format_: FormatName, meddle: Callable[[Path], None]
) -> None:
    """What others do to a file between its reading and the user's yes stays, and the model hears of it."""
    left: list[dict[str, str]] = []

    def approve(proposal: Proposal) -> Decision:
        meddle(Path(workspace.root, "a.py"))
        left.append(whole_tree(workspace))
        return True

    session = EditSession(workspace, format=format_, approve=approve, path="a.py" if format_ == "diff" else None)
    answer = taken(session, edit_in(format_, "a.py", "one", "ONE")).answer
    assert [whole_tree(workspace)] == left
    assert answer is not None
    assert answer.text.startswith("a.py: not done: ")
    assert answer.mistakes == 1


@pytest.mark.parametrize("patch", ["*** Delete File: a.py\n", "*** Update File: a.py\n*** Move to: c.py\n"])
@pytest.mark.parametrize("meddle", [changed, deleted, made_a_folder, led_out])
def test_a_file_that_changes_meanwhile_is_neither_deleted_nor_moved(
    workspace: Workspace, patch: str, meddle: Callable[[Path], None]
) -> None:
    """A yes to deleting or moving a file is for the file as it was then."""
    left: list[dict[str, str]] = []

    def approve(proposal: Proposal) -> Decision:
        meddle(Path(workspace.root, "a.py"))
        left.append(whole_tree(workspace))
        return True

    answer = taken(EditSession(workspace, format="patch", approve=approve), pieces(PATCH.format(patch))).answer
    assert [whole_tree(workspace)] == left
    assert answer is not None
    assert [outcome.fate for outcome in answer.outcomes] == ["rejected"]


def test_what_another_thread_writes_is_not_taken_for_ones_own(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another's write of the same file, just before, makes the edit stale; it is no write of this session."""
    allowed, told = workspace.allowed, list[str]()

    def other_first(path: str) -> str:
        thread = threading.Thread(target=workspace.write_text, args=("a.py", "of others\n"))
        thread.start()
        thread.join()
        return allowed(path)

    def approve(proposal: Proposal) -> Decision:
        monkeypatch.setattr(workspace, "allowed", other_first)
        return True

    with EditSession(workspace, format="tools", approve=approve) as session:
        session.writes.subscribe(lambda event: told.append(event.kind))
        answer = taken(session, pair("1", "a.py", "one", "ONE")).answer
    assert answer is not None
    assert ([outcome.fate for outcome in answer.outcomes], told) == (["rejected"], [])
    assert on_disk(workspace)["a.py"] == "of others\n"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x00\x01\x02", "binary"),
        (b"\xef\xbb\xbf\xff", "repair it first"),
        (b"one\n" + b"x" * (64 * 1024 * 1024), "are edited"),
    ],
    ids=["binary", "broken", "large"],
)
def test_a_file_that_is_no_text_is_refused(workspace: Workspace, data: bytes, why: str) -> None:
    """A file that cannot be read as text is neither edited, replaced nor shown."""
    path = Path(workspace.root, "a.py")
    path.write_bytes(data)
    turn = [
        *pair("1", "a.py", "one", "ONE"),
        *call("2", "write_file", {"path": "a.py", "content": "new\n"}),
        *editor("3", "view", "a.py"),
    ]
    with EditSession(workspace, format="tools", approve=True) as session:
        answer = taken(session, turn).answer
    assert path.read_bytes() == data
    assert answer is not None
    assert [outcome.fate for outcome in answer.outcomes] == ["rejected"] * 3
    assert all(why in result.text for result in answer.results)


def test_text_that_the_file_cannot_hold_is_refused_before_anybody_is_asked(workspace: Workspace) -> None:
    """A lone surrogate, or a character that the file's encoding lacks, is the model's mistake, not the user's."""
    Path(workspace.root, "b.py").write_bytes("# latin: é\n".encode("latin-1"))
    asked: list[Proposal] = []

    def approve(proposal: Proposal) -> bool:
        asked.append(proposal)
        return True

    turn = [
        *pair("1", "a.py", "one", "\ud800"),
        *pair("2", "b.py", "latin", "\u4e2d"),
        *pair("3", "a.py", "two", "\x00"),
    ]
    with EditSession(workspace, format="tools", approve=approve) as session:
        answer = taken(session, turn).answer
    assert not asked
    assert answer is not None
    assert [outcome.fate for outcome in answer.outcomes] == ["rejected"] * 3


PATCH = "*** Begin Patch\n{}*** End Patch\n"


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ("*** Add File: a.py\n+new\n", "exists already; edit it"),
        ("*** Add File: link.py\n+new\n", "exists already; edit it"),
        ("*** Delete File: no.py\n", "no such file, so it cannot be deleted"),
        ("*** Update File: a.py\n*** Move to: b.py\n@@\n-one\n+ONE\n", "'b.py' exists already"),
        ("*** Update File: a.py\n*** Move to: ../c.py\n@@\n-one\n+ONE\n", "holds '..'"),
        ("*** Update File: a.py\n*** Move to: .git/c.py\n@@\n-one\n+ONE\n", "leads into .git"),
        ("*** Update File: no.py\n@@\n-one\n+ONE\n", "no such file"),
    ],
)
def test_what_a_patch_may_not_do(workspace: Workspace, patch: str, why: str) -> None:
    """Files are not made over others, nor moved over others or out, nor deleted where there is none."""
    before = whole_tree(workspace)
    with EditSession(workspace, format="patch", approve=True) as session:
        answer = taken(session, pieces(PATCH.format(patch))).answer
    assert whole_tree(workspace) == before
    assert answer is not None
    assert [outcome.fate for outcome in answer.outcomes] == ["rejected"]
    assert why in answer.text


def test_a_file_that_is_made_while_another_is_moved_there(workspace: Workspace) -> None:
    """Of two edits that want one new place the first has it, and the other is refused as a whole."""
    moving = list(
        call(
            "1", "apply_patch", {"input": PATCH.format("*** Update File: a.py\n*** Move to: new.py\n@@\n-one\n+ONE\n")}
        )
    )
    making = list(call("2", "apply_patch", {"input": PATCH.format("*** Add File: new.py\n+made\n")}))
    with EditSession(workspace, format="patch", approve=True) as session:
        answer = taken(session, [*making[:-1], *moving, making[-1]]).answer
    files = on_disk(workspace)
    assert answer is not None
    fates = {outcome.path: outcome.fate for outcome in answer.outcomes}
    assert sorted(fates.values()) == ["rejected", "written"]
    assert files["new.py"] == ("ONE\ntwo\nthree\n" if fates["a.py"] == "written" else "made\n")
    assert ("a.py" in files) == (fates["a.py"] == "rejected")


def test_a_move_that_fails_after_the_change_is_told_as_it_is(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that was changed and then could not be moved counts as changed: told, and to be repaired."""

    def rename(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(workspace, "rename", rename)
    told: list[str] = []
    with EditSession(workspace, format="patch", approve=True) as session:
        session.writes.subscribe(lambda event: told.append(event.kind))
        patch = "*** Update File: a.py\n*** Move to: c.py\n@@\n-one\n+ONE\n"
        answer = taken(session, pieces(PATCH.format(patch))).answer
    assert on_disk(workspace)["a.py"] == "ONE\ntwo\nthree\n"
    assert told == ["modified"]
    assert answer is not None
    assert answer.text == "a.py: changed. But it could not be moved: No space left on device."
    assert answer.needs_repair
    assert (answer.outcomes[0].fate, answer.outcomes[0].moved_to) == ("written", None)
