"""The walk on real trees, with everything in them that can go wrong."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path
from types import FrameType

import pytest

from editstream.scan import (
    Kind,
    ScanCache,
    ScanCancelled,
    ScanOptions,
    ScanResult,
    ScanTimeout,
    ScanTooLarge,
    stop_when,
    walker,
)
from editstream.workspace import Workspace

EVERYTHING = ScanOptions(include_hidden=True, use_gitignore=False, skip_node_modules=False)


def scan(root: Path, **options: object) -> ScanResult:
    return ScanCache().get_or_scan(root, ScanOptions(**options))  # type: ignore[arg-type]


def listed(root: Path, **options: object) -> dict[str, Kind]:
    result = scan(root, **options)
    return dict(zip(result.paths, result.kinds, strict=True))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A bit of everything."""
    for folder in ("a/deep", ".git/objects", ".hidden", "node_modules/pkg", "out"):
        (tmp_path / folder).mkdir(parents=True)
    for name in (
        "a/x.py",
        "a/deep/y.py",
        ".git/config",
        ".hidden/z",
        "node_modules/pkg/i.js",
        "out/o",
        ".gitignore",
        "Z",
    ):
        (tmp_path / name).write_text("12345")
    (tmp_path / ".gitignore").write_text("out\n")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "broken").symlink_to("nothing")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(tmp_path / "socket"))
    return tmp_path


def test_the_defaults_show_what_people_work_on(tree: Path) -> None:
    """By default a scan lists neither hidden, nor ignored, nor node_modules, nor pipes, and does not follow links."""
    assert listed(tree) == {
        "Z": "file",
        "a": "dir",
        "a/deep": "dir",
        "a/deep/y.py": "file",
        "a/x.py": "file",
        "broken": "symlink",
        "link": "symlink",
    }


@pytest.mark.parametrize(
    ("option", "more"),
    [
        ({"include_hidden": True}, {".hidden": "dir", ".hidden/z": "file", ".gitignore": "file"}),
        ({"use_gitignore": False}, {"out": "dir", "out/o": "file"}),
        (
            {"skip_node_modules": False},
            {"node_modules": "dir", "node_modules/pkg": "dir", "node_modules/pkg/i.js": "file"},
        ),
        ({"follow_links": True}, {"link": "dir", "link/deep": "dir", "link/deep/y.py": "file", "link/x.py": "file"}),
    ],
)
def test_each_option_shows_more(tree: Path, option: dict[str, bool], more: dict[str, Kind]) -> None:
    """Each option adds what it names to the default list, and nothing else; `.git` is never there."""
    assert listed(tree, **option) == listed(tree) | more


def test_full_detail_has_times_and_sizes(tree: Path) -> None:
    """In full detail each entry has its time in ms, and each file its size; without it there are neither."""
    full = scan(tree, detail="full")
    assert full.mtimes is not None
    assert full.sizes is not None
    for path, kind, mtime, size in zip(full.paths, full.kinds, full.mtimes, full.sizes, strict=True):
        status = (tree / path).lstat()
        assert mtime == status.st_mtime_ns // 1_000_000
        assert size == (status.st_size if kind == "file" else None)
    minimal = scan(tree)
    assert (minimal.mtimes, minimal.sizes, minimal.paths) == (None, None, full.paths)


def test_names_are_bytes(tmp_path: Path) -> None:
    """Names that are not UTF-8, or hold a newline, are listed, sorted by their bytes, and lead to their files."""
    names = [b"\xff", b"\xf0\x9f\x98\x80", b"z\n", b"a", b"\xc3\xa9", b"\xef\xbf\xbd", b"a.b", b"a-b", b"B"]
    for name in names:
        try:
            (tmp_path / os.fsdecode(name)).touch()
        except OSError:
            pytest.skip("this file system wants its names in UTF-8")
    (tmp_path / "a.d").mkdir()
    (tmp_path / "a.d/x").touch()
    paths = scan(tmp_path).paths
    assert [os.fsencode(path) for path in paths] == sorted([*names, b"a.d", b"a.d/x"])
    assert all((tmp_path / path).exists() for path in paths)


@pytest.mark.parametrize("target", ["loop", ".", "..", "../a", "../../outside"])
def test_links_in_a_circle_end(tmp_path: Path, target: str) -> None:
    """Following links ends at one that leads to itself or to a folder above it, which is listed as a link."""
    (tmp_path / "root/a").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/back").symlink_to("../root")
    (tmp_path / "root/a/loop").symlink_to(target)
    found = listed(tmp_path / "root", follow_links=True)
    assert found["a/loop"] == ("dir" if target == "../../outside" else "symlink")
    assert len(found) <= 3


def test_the_root_may_be_a_link_and_shares_its_list(tree: Path) -> None:
    """Two names of one root are one entry of the cache."""
    (tree.parent / "other").symlink_to(tree)
    cache = ScanCache()
    assert cache.get_or_scan(tree).paths == cache.get_or_scan(tree.parent / "other").paths
    assert (cache.statistics.walks, cache.statistics.hits) == (1, 1)
    (tree.parent / "other").unlink()


@pytest.mark.parametrize(
    ("root", "error"), [("missing", FileNotFoundError), ("Z", NotADirectoryError), ("a\0b", ValueError)]
)
def test_a_root_that_is_no_folder_is_an_error(tree: Path, root: str, error: type[Exception]) -> None:
    """A scan of nothing, of a file, or of a name with NUL raises, and nothing is kept."""
    cache = ScanCache()
    for _ in range(2):
        with pytest.raises(error):
            cache.get_or_scan(f"{tree}/{root}")
    assert cache.statistics.hits == 0


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to become another user")
def test_an_unreadable_folder_is_skipped_and_counted(tree: Path) -> None:
    """As another user, folders that may not be read are listed and counted, and the rest of the tree is there."""
    for folder in (tree, *tree.parents[:2]):
        folder.chmod(0o755)
    (tree / "a/deep").chmod(0o700)
    (tree / "names only").mkdir()
    (tree / "names only/n").touch()
    (tree / "names only").chmod(0o744)
    script = (
        "import os, sys\n"
        "from editstream.scan import ScanCache, ScanOptions\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "for options in (ScanOptions(), ScanOptions(detail='full'), ScanOptions(follow_links=True)):\n"
        "    found = ScanCache().get_or_scan(sys.argv[1], options)\n"
        "    print(found.skipped, *found.paths)\n"
        "try: ScanCache().get_or_scan(sys.argv[1] + '/a/deep')\n"
        "except PermissionError: print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tree)], capture_output=True, text=True, check=True, cwd=tree
    )
    line = "1 Z a a/deep a/x.py broken link names only names only/n\n"
    followed = "2 Z a a/deep a/x.py broken link link/deep link/x.py names only names only/n\n"
    assert done.stdout == line * 2 + followed + "refused\n"


def test_running_out_of_file_descriptors_is_an_error(tree: Path) -> None:
    """A scan that the system cuts short raises OSError, gives no part of a list, and keeps nothing."""
    script = (
        "import os, resource, sys\n"
        "from editstream.scan import ScanCache\n"
        "cache = ScanCache()\n"
        "cache.get_or_scan(sys.argv[1] + '/a')\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))\n"
        "held = []\n"
        "try:\n"
        "    while True: held.append(os.open('/', os.O_RDONLY))\n"
        "except OSError: pass\n"
        "for _ in range(2):\n"
        "    try: cache.get_or_scan(sys.argv[1])\n"
        "    except OSError as error: print(error.errno)\n"
        "os.close(held.pop())\n"
        "print(len(cache.get_or_scan(sys.argv[1]).paths))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tree)], capture_output=True, text=True, check=True, cwd=tree
    )
    assert done.stdout == "24\n24\n7\n"


def test_a_very_deep_tree_is_listed_as_far_as_names_reach(tmp_path: Path) -> None:
    """A tree deeper than the longest path is no error: what cannot be opened by name is skipped and counted."""
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 100, dir_fd=here)
        deeper = os.open("d" * 100, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    found = scan(tmp_path)
    assert found.skipped == 1
    assert len(found.paths) > 35


def test_a_walk_can_be_stopped(tmp_path: Path) -> None:
    """A cancelled scan, or one out of time, raises before the walk and during it, and keeps nothing."""
    for at in range(300):
        (tmp_path / str(at)).touch()
    cache = ScanCache()
    calls: list[int] = []

    def late() -> bool:
        calls.append(0)
        return len(calls) > 2

    for checkpoint, error in (
        (stop_when(lambda: True), ScanCancelled),
        (stop_when(late), ScanCancelled),
        (stop_when(timeout_ms=0), ScanTimeout),
    ):
        with pytest.raises(error):
            cache.get_or_scan(tmp_path, checkpoint=checkpoint)
    assert len(calls) == 3  # before the walk, and at 128 and 256 entries
    assert len(cache.get_or_scan(tmp_path, checkpoint=stop_when(lambda: False, timeout_ms=60_000)).paths) == 300
    assert cache.statistics.hits == 0


def test_too_many_entries_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the bound on entries a scan raises ScanTooLarge rather than cut its list."""
    monkeypatch.setattr(walker, "MAX_ENTRIES", 10)
    for at in range(10):
        (tmp_path / str(at)).touch()
    assert len(scan(tmp_path).paths) == 10
    (tmp_path / "one more").touch()
    with pytest.raises(ScanTooLarge):
        scan(tmp_path)


@pytest.mark.parametrize("follow_links", [False, True])
def test_a_system_error_under_a_name_is_an_error(tree: Path, follow_links: bool) -> None:
    """An entry whose status cannot be had for a broken disk fails the scan, also where links are followed."""
    failed: list[str] = []

    def profile(frame: FrameType, event: str, arg: object) -> None:
        if event == "c_call" and isinstance(getattr(arg, "__self__", None), os.DirEntry):
            name = getattr(arg, "__name__", "")
            if name == "stat" and not failed:
                failed.append(name)
                raise OSError(errno.EIO, "the disk is broken")

    cache = ScanCache()
    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        with pytest.raises(OSError, match="the disk is broken"):
            cache.get_or_scan(tree, ScanOptions(detail="full", follow_links=follow_links))
    finally:
        sys.setprofile(before)
    assert failed
    assert not cache.get_or_scan(tree, ScanOptions(detail="full", follow_links=follow_links)).from_cache


def test_a_folder_that_becomes_a_file_during_the_walk_is_no_error(tmp_path: Path) -> None:
    """What vanishes with its folder between listing and stat is left out, and the rest is listed."""
    (tmp_path / "root/d").mkdir(parents=True)
    (tmp_path / "root/kept").touch()
    for at in range(200):
        (tmp_path / f"root/d/{at}").touch()

    def replace() -> None:
        if reading and (tmp_path / "root/d").is_dir():
            (tmp_path / "root/d").rename(tmp_path / "away")
            (tmp_path / "root/d").touch()
        reading.append(0)

    reading = list[int]()  # the checkpoint's first call is before the walk, the second while `d` is read
    result = ScanCache().get_or_scan(tmp_path / "root", ScanOptions(detail="full"), checkpoint=replace)
    assert result.paths == ("d", "kept")
    assert (tmp_path / "root/d").is_file()


def test_a_file_that_is_being_written_is_no_entry(tmp_path: Path) -> None:
    """A scan in the middle of a write shows the old file and not the temporary one; names like it are listed."""
    (tmp_path / "a").write_text("old")
    (tmp_path / ".editstream-notes.tmp").touch()
    cache = ScanCache()
    seen = list[tuple[str, ...]]()

    def look() -> None:
        assert len(list(tmp_path.iterdir())) == 3
        seen.append(cache.force_rescan(tmp_path, EVERYTHING).paths)

    with pytest.MonkeyPatch.context() as patch:
        flush = os.fsync
        patch.setattr(os, "fsync", lambda descriptor: (None if seen else look(), flush(descriptor))[1])
        Workspace(tmp_path).write_text("a", "new")
    assert seen == [(".editstream-notes.tmp", "a")]
