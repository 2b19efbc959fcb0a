"""Paths a model may write, and what becomes of each."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream.workspace import UnsafePath, Workspace

HOSTILE = [
    "",
    " ",
    ".",
    "./",
    "..",
    "../secret",
    "a/../../secret",
    "a/../b",
    "/etc/passwd",
    "//server/share/x",
    "\\\\server\\share\\x",
    "\\windows",
    "C:\\windows\\x",
    "C:/windows/x",
    "c:x",
    "a\\..\\..\\secret",
    "a\\b",
    "~",
    "~/.ssh/config",
    "nul\0.txt",
    "bell\x07.txt",
    "line\nfeed",
    "tab\tname",
    "escape\x1b[2J",
    "delete\x7f",
    "next\x85line",
    "line\u2028separator",
    "txt.\u202eexe",
    "lone\ud800surrogate",
    ".git",
    ".git/config",
    ".GIT/config",
    "sub/.Git/hooks/pre-commit",
    ".git./config",
    ".git /config",
    ".git. . ./config",
    ".g\u200cit/config",
    ".git::$INDEX_ALLOCATION/config",
    "GIT~1/config",
    "folder",
    "folder/",
    "file/",
    "file/below",
    "file/below/further",
    "n" * 256,
    "é" * 128,
    "/".join(["deep"] * 1000),
    "out/secret",
    "out_file",
    "out_missing",
    "up/../secret",
    "into_git/config",
    "loop",
    "loop/x",
    "chain",
    "pipe",
    "socket",
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with links that lead out of it, and things that are no files."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git/config").write_text("[core]\n")
    (root / "file").write_text("file")
    (root / "out").symlink_to(outside)
    (root / "out_file").symlink_to(outside / "secret")
    (root / "out_missing").symlink_to(outside / "missing")
    (root / "up").symlink_to("..")
    (root / "into_git").symlink_to(".git")
    (root / "loop").symlink_to("loop")
    (root / "chain").symlink_to("folder/back")
    (root / "folder/back").symlink_to("../chain")
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(root / "socket"))
    return root


def everything(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("path", HOSTILE, ids=ascii)
def test_a_hostile_path_is_refused_and_nothing_changes(root: Path, path: str) -> None:
    """Reading, writing and renaming to a hostile path raise UnsafePath and touch nothing inside or outside the root."""
    workspace = Workspace(root)
    before = everything(root.parent)
    with pytest.raises(UnsafePath):
        workspace.read(path, missing_ok=True)
    with pytest.raises(UnsafePath):
        workspace.write_text(path, "x")
    assert everything(root.parent) == before


@pytest.mark.parametrize("path", HOSTILE, ids=ascii)
def test_a_refusal_can_be_shown(root: Path, path: str) -> None:
    """The message of a refusal is short, says what to do, and sends no control character to a terminal."""
    with pytest.raises(UnsafePath) as caught:
        Workspace(root).read(path)
    message = str(caught.value)
    assert ";" in message
    assert message.isprintable()
    assert len(message) < 5000


@pytest.mark.parametrize("path", [path for path in HOSTILE if path not in ("out_file", "out_missing", "loop", "chain")])
def test_a_hostile_path_is_neither_deleted_nor_renamed(root: Path, path: str) -> None:
    """Deleting a hostile path, and renaming from it or to it, raise UnsafePath (a link itself is no danger)."""
    workspace = Workspace(root)
    before = everything(root.parent)
    for attempt in (
        lambda: workspace.delete(path),
        lambda: workspace.rename(path, "new"),
        lambda: workspace.rename("file", path),
    ):
        with pytest.raises(UnsafePath):
            attempt()
    assert everything(root.parent) == before


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("a.txt", "a.txt"),
        ("./a.txt", "a.txt"),
        ("a//b.txt", "a/b.txt"),
        ("a/./b.txt", "a/b.txt"),
        ("...", "..."),
        ("a/..b", "a/..b"),
        (".gitignore", ".gitignore"),
        (".github/ci.yml", ".github/ci.yml"),
        ("git", "git"),
        ("my.git", "my.git"),
        ("a b/ü/日本.txt", "a b/ü/日本.txt"),
        ("~a", "~a"),
        ("n" * 255, "n" * 255),
        ("inside/a.txt", "folder/a.txt"),
        ("inside_file", "file"),
        ("inside_new", "folder/new"),
    ],
)
def test_a_path_that_stays_inside_is_written(root: Path, path: str, place: str) -> None:
    """A harmless path, also one through a link that stays inside, is written where it leads, and the link stays."""
    (root / "inside").symlink_to("folder")
    (root / "inside_file").symlink_to("file")
    (root / "inside_new").symlink_to("folder/new")
    event = Workspace(root).write_text(path, "new text")
    assert event.path == place
    assert not (root / place).is_symlink()
    assert (root / place).read_text() == "new text"
    assert (root / "inside").is_symlink()
    assert (root / "inside_file").is_symlink()
    assert (root / "inside_new").is_symlink()


def test_the_root_may_be_a_link(tmp_path: Path) -> None:
    """A workspace on a link to a folder works in that folder, and says so in its events."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    event = Workspace(tmp_path / "link").write_text("a", "x")
    assert event.root == os.path.realpath(tmp_path / "real")
    assert (tmp_path / "real/a").read_text() == "x"


@pytest.mark.parametrize(("name", "error"), [("missing", FileNotFoundError), ("file", NotADirectoryError)])
def test_the_root_must_be_a_folder(tmp_path: Path, name: str, error: type[OSError]) -> None:
    """A workspace on nothing, or on a file, is an error at once."""
    (tmp_path / "file").touch()
    with pytest.raises(error):
        Workspace(tmp_path / name)


@given(path=st.lists(st.sampled_from(["..", ".", "a", "link", "out", "/", "\\", "\0", ".git", "ü"]), max_size=7))
def test_no_path_reads_what_lies_outside(tmp_path_factory: pytest.TempPathFactory, path: list[str]) -> None:
    """Whatever is put together from dots, links and separators, a write lands inside the root or is refused."""
    base = tmp_path_factory.mktemp("paths")
    (base / "root/a").mkdir(parents=True)
    (base / "outside").mkdir()
    (base / "root/link").symlink_to("a")
    (base / "root/out").symlink_to("../outside")
    with suppress(UnsafePath):
        Workspace(base / "root").write_text("/".join(path), "x")
    assert sorted(child.name for child in base.iterdir()) == ["outside", "root"]
    assert not list((base / "outside").iterdir())
