"""What a model is shown of files and folders, and the bounds of that."""

from __future__ import annotations

from pathlib import Path

import pytest
from session_turns import block, call, editor

from editstream import EditSession, Workspace
from editstream.operators.problems import MESSAGES_SHOWN
from editstream.session import Answer
from editstream.session.asked import CHARACTERS_SHOWN, LINES_SHOWN
from editstream.session.files import ENTRIES_SHOWN


def viewed(root: Path, path: str, view_range: list[int] | None = None) -> Answer:
    """The answer to one view."""
    fields = {} if view_range is None else {"view_range": view_range}
    with EditSession(Workspace(root), format="text_editor", approve=False) as session:
        for delta in editor("1", "view", path, **fields):
            session.feed(delta)
    answer = session.answer
    assert answer is not None
    return answer


@pytest.mark.parametrize(
    ("text", "view_range", "shown"),
    [
        ("", None, "(the file is empty)"),
        ("one\r\ntwo", None, "     1\tone\n     2\ttwo"),
        ("one\ntwo\nthree\n", [2, 2], "     2\ttwo"),
        ("one\ntwo\nthree\n", [2, -1], "     2\ttwo\n     3\tthree"),
        ("one\ntwo\n", [2, 99], "     2\ttwo"),
        ("one\ntwo\n", [3, 4], "a.txt: not done: there are no such lines: the file has 2."),
        ("\n" * 1_234, [2_000, -1], "a.txt: not done: there are no such lines: the file has 1,234."),
    ],
)
def test_lines_of_a_file(tmp_path: Path, text: str, view_range: list[int] | None, shown: str) -> None:
    """Lines come with their numbers, from 1; those that are not there are an error, but for an end that is too far."""
    (tmp_path / "a.txt").write_bytes(text.encode())
    answer = viewed(tmp_path, "a.txt", view_range)
    assert answer.results[0].text == shown
    assert answer.results[0].is_error == ("not done" in shown)


@pytest.mark.parametrize(("line", "count"), [("", LINES_SHOWN), ("x" * 9_992, CHARACTERS_SHOWN // 10_000)])
def test_a_long_file_is_shown_in_parts(tmp_path: Path, line: str, count: int) -> None:
    """A view ends at its bound of lines or of characters, and says from which line to go on."""
    (tmp_path / "a.txt").write_text(f"{line}\n" * (count + 1))
    *lines, last = viewed(tmp_path, "a.txt").text.split("\n")
    assert (len(lines), last) == (
        count,
        f"… (the file has {count + 1:,} lines; view the next ones from line {count + 1} on)",
    )


def test_a_folder_two_levels_deep(tmp_path: Path) -> None:
    """Hidden files stay out, a link to a folder is not followed, and a folder further down is only named."""
    for name in ("src/deep/far.py", "src/main.py", "src/.secret", ".git/config"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to("src")
    assert viewed(tmp_path, ".").text == "link\nsrc/\nsrc/deep/\nsrc/main.py"
    assert viewed(tmp_path, "src").text == "src/deep/\nsrc/deep/far.py\nsrc/main.py"


def test_an_empty_folder(tmp_path: Path) -> None:
    """It is said to be empty."""
    (tmp_path / "empty").mkdir()
    assert viewed(tmp_path, "empty").text == "(the folder is empty)"


@pytest.mark.parametrize("more", [0, 1])
def test_a_large_folder_is_cut(tmp_path: Path, more: int) -> None:
    """So many entries are shown, and it is said where there are more."""
    for number in range(ENTRIES_SHOWN + more):
        (tmp_path / f"{number:04}").touch()
    lines = viewed(tmp_path, ".").text.split("\n")
    assert lines[:ENTRIES_SHOWN] == [f"{number:04}" for number in range(ENTRIES_SHOWN)]
    said = [f"… (only the first {ENTRIES_SHOWN} are shown; view a folder further down)"]
    assert lines[ENTRIES_SHOWN:] == said * more


def test_a_folder_through_a_link_into_git_is_not_shown(tmp_path: Path) -> None:
    """A link is where it leads."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "notes").symlink_to(".git")
    assert viewed(tmp_path, "notes").results[0].is_error


def test_names_are_printable(tmp_path: Path) -> None:
    """A name of a file that would act on a terminal is shown as text."""
    (tmp_path / "a\x1b[2J").touch()
    assert viewed(tmp_path, ".").text == "a\\x1b[2J"


@pytest.mark.parametrize("more", [0, 7])
def test_many_rejections_are_listed_up_to_a_bound(tmp_path: Path, more: int) -> None:
    """The model is told of the first problems, and how many more there are."""
    (tmp_path / "a.txt").write_text("one\n")
    lost = "".join(block(f"lost {number}\n", "x\n") for number in range(MESSAGES_SHOWN + more))
    with EditSession(Workspace(tmp_path), format="tools", approve=True) as session:
        for delta in call("1", "edit_file", {"path": "a.txt", "diff": lost}, size=len(lost)):
            session.feed(delta)
        text = session.close().text
    assert f"Block {MESSAGES_SHOWN} " in text
    assert f"Block {MESSAGES_SHOWN + 1} " not in text
    assert (f"\n\n{more} more problems are not listed here. Repair these first.\n\n" in text) == bool(more)
