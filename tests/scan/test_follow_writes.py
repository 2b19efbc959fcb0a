"""The cache that follows a workspace's events: as right as a new walk, without one."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from editstream.scan import Detail, ScanCache, ScanOptions, ScanPolicy, ScanResult, glob
from editstream.scan.walker import walk
from editstream.workspace import UnsafePath, Workspace

FOREVER = ScanPolicy(ttl_ms=10**15, empty_recheck_ms=10**15)
EVERY_OPTION = [
    ScanOptions(),
    ScanOptions(detail="full"),
    ScanOptions(include_hidden=True, skip_node_modules=False),
    ScanOptions(use_gitignore=False, include_hidden=True, detail="full"),
    ScanOptions(follow_links=True),
    ScanOptions(use_agent_ignore=True),
    ScanOptions(use_agent_ignore=True, use_gitignore=False, include_hidden=True),
]
PATHS = st.lists(
    st.sampled_from(["a", "b", "a.b", "a0", "é", ".hidden", "node_modules", "build", "x.log", "link", "sub"]),
    min_size=1,
    max_size=3,
).map("/".join)
RULE_FILES = st.sampled_from(
    [".gitignore", "sub/.gitignore", "a/.gitignore", "sub/.ignore", ".cursorignore", "a/.clineignore"]
)
TEXTS = st.sampled_from(["", "x", "longer text", "build\n", "*.log\n!x.log\n", "a*\n", "/sub/*\n!/sub/a\n"])
ANY_PATH = st.one_of(PATHS, PATHS, PATHS, RULE_FILES)
STEPS = st.one_of(
    st.tuples(st.just("write"), ANY_PATH, TEXTS),
    st.tuples(st.just("write"), ANY_PATH, TEXTS),
    st.tuples(st.just("delete"), ANY_PATH, st.just("")),
    st.tuples(st.just("rename"), ANY_PATH, ANY_PATH),
)
LINKS = st.tuples(st.just("link"), PATHS, st.sampled_from(["a", "sub", "real", "../sub", "link", ".", "nothing"]))
FOLDERS = st.tuples(st.just("folder"), PATHS, st.just(""))


@pytest.fixture(autouse=True, scope="module")
def unflushed() -> Iterator[None]:
    """Thousands of writes that need not survive a power cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        yield


def shows(result: ScanResult) -> tuple[object, ...]:
    return result.paths, result.kinds, result.mtimes, result.sizes, result.skipped


def fresh(root: Path, options: ScanOptions) -> tuple[object, ...]:
    listing = walk(os.path.realpath(root), options)
    return listing.paths, listing.kinds, listing.mtimes, listing.sizes, listing.skipped


def start(root: Path) -> Workspace:
    for folder in ("sub", "real"):
        (root / folder).mkdir()
    (root / "sub/kept").touch()
    (root / "link").symlink_to("real")
    return Workspace(root)


def take(workspace: Workspace, step: tuple[str, str, str], cache: ScanCache) -> None:
    """Take a step through the workspace, or for what it does not make, by hand, and tell the cache."""
    verb, path, other = step
    place = Path(workspace.root, path)
    with suppress(UnsafePath, FileNotFoundError, FileExistsError):
        match verb:
            case "write":
                workspace.write_text(path, other)
            case "delete":
                workspace.delete(path)
            case "link" if place.parent.is_dir() and (place.is_symlink() or not place.exists()):
                place.unlink(missing_ok=True)
                place.symlink_to(other)
                cache.after_write(place)
            case "folder" if place.parent.is_dir() and not os.path.lexists(place):
                place.mkdir()
                cache.after_write(place)
            case "link" | "folder":
                pass
            case _:
                workspace.rename(path, other)


@settings(max_examples=80)
@given(steps=st.lists(st.one_of(STEPS, STEPS, LINKS, FOLDERS), min_size=1, max_size=12))
def test_after_any_writes_the_cache_says_what_a_walk_says(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str]]
) -> None:
    """After each of any writes, deletions, renames, new links and folders the lists are those of a new walk."""
    root = tmp_path_factory.mktemp("followed")
    workspace = start(root)
    cache = ScanCache(FOREVER)
    cache.follow(workspace.events)
    for step in [("write", "sub/first", ""), *steps]:
        take(workspace, step, cache)
        for folder in (root, root / "sub"):
            for options in EVERY_OPTION:
                assert shows(cache.get_or_scan(folder, options)) == fresh(folder, options)


@settings(max_examples=60)
@given(steps=st.lists(STEPS.filter(lambda step: "ignore" not in step[1] + step[2]), min_size=1, max_size=12))
@example(steps=[("rename", "link", "a")])
def test_no_write_costs_a_walk(tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str]]) -> None:
    """Whatever is written, deleted or renamed, but for ignore files, the lists stay right with no walk in between."""
    root = tmp_path_factory.mktemp("followed")
    workspace = start(root)
    workspace.write_text(".gitignore", "build\n*.log\n")
    cache = ScanCache(FOREVER)
    cache.follow(workspace.events)
    kept = EVERY_OPTION[:4]
    for options in kept:
        cache.get_or_scan(root, options)
    walks = cache.statistics.walks
    for step in steps:
        take(workspace, step, cache)
        for options in kept:
            assert shows(cache.get_or_scan(root, options)) == fresh(root, options)
    assert cache.statistics.walks == walks


def test_a_glob_sees_a_write_with_no_walk(tmp_path: Path) -> None:
    """A new file in new folders is in the next cached glob, gone after its deletion, and nobody walked in between."""
    workspace = Workspace(tmp_path)
    workspace.write_text("old.py", "")
    cache = ScanCache(FOREVER)
    cache.follow(workspace.events)
    assert glob("*.py", tmp_path, cache=cache).paths == ("old.py",)
    workspace.write_text("new/folder/x.py", "print()\n")
    found = glob("*.py", tmp_path, cache=cache)
    assert (found.paths, found.from_cache) == (("new/folder/x.py", "old.py"), True)
    assert glob("**", tmp_path, cache=cache).paths == ("new", "new/folder", "new/folder/x.py", "old.py")
    workspace.rename("new/folder/x.py", "y.py")
    assert glob("*.py", tmp_path, cache=cache).paths == ("old.py", "y.py")
    workspace.delete("y.py")
    assert glob("*.py", tmp_path, cache=cache).paths == ("old.py",)
    assert cache.statistics.walks == 1
    assert cache.statistics.patches == 4  # one for each write, two for the rename


def test_the_list_is_right_when_a_later_subscriber_looks(tmp_path: Path) -> None:
    """Who subscribes after the cache finds the write in it while being told of the write."""
    workspace = Workspace(tmp_path)
    cache = ScanCache(FOREVER)
    cache.get_or_scan(tmp_path)
    seen: list[tuple[str, ...]] = []
    cache.follow(workspace.events)
    workspace.events.subscribe(lambda _: seen.append(cache.get_or_scan(tmp_path).paths))
    workspace.write_text("a", "")
    assert seen == [("a",)]


def test_unfollowing_ends_it(tmp_path: Path) -> None:
    """After the function that `follow` returned was called, writes change nothing in the cache."""
    workspace = Workspace(tmp_path)
    cache = ScanCache(FOREVER)
    stop = cache.follow(workspace.events)
    cache.get_or_scan(tmp_path)
    stop()
    workspace.write_text("a", "")
    assert cache.get_or_scan(tmp_path).paths == ()


def test_a_write_keeps_the_old_time_stamp(tmp_path: Path) -> None:
    """A list put right by a write is as old as its walk, so that what others did shows when its time is over."""
    workspace = Workspace(tmp_path)
    now = [0.0]
    cache = ScanCache(ScanPolicy(), clock=lambda: now[0])
    cache.follow(workspace.events)
    cache.get_or_scan(tmp_path)
    now[0] = 0.9
    (tmp_path / "theirs").touch()
    workspace.write_text("ours", "")
    result = cache.get_or_scan(tmp_path)
    assert (result.paths, round(result.age_ms)) == (("ours",), 900)
    now[0] = 1.0
    assert cache.get_or_scan(tmp_path).paths == ("ours", "theirs")


def test_a_write_through_a_link_is_seen_where_it_is(tmp_path: Path) -> None:
    """A write through a link changes the entry of the real file, for a list of either folder."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    workspace = Workspace(tmp_path)
    cache = ScanCache(FOREVER)
    cache.follow(workspace.events)
    for root in (tmp_path, tmp_path / "link"):
        cache.get_or_scan(root)
    workspace.write_text("link/a", "")
    assert cache.get_or_scan(tmp_path).paths == ("link", "real", "real/a")
    assert cache.get_or_scan(tmp_path / "real").paths == ("a",)
    assert cache.statistics.walks == 2


@pytest.mark.parametrize(
    ("path", "text"),
    [(".gitignore", "sub\n"), (".ignore", "x\n"), ("sub/.gitignore", "x\n")],
)
def test_a_changed_ignore_file_evicts(tmp_path: Path, path: str, text: str) -> None:
    """A new ignore file, also one above the root of a list, costs the lists it may change, and they come out right."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub/deep").mkdir(parents=True)
    (tmp_path / "sub/deep/x").touch()
    (tmp_path / "other").mkdir()
    workspace = Workspace(tmp_path)
    cache = ScanCache(FOREVER)
    cache.follow(workspace.events)
    folders = [tmp_path, tmp_path / "sub/deep", tmp_path / "other"]
    for folder in folders:
        cache.get_or_scan(folder)
    workspace.write_text(path, text)
    for folder in folders:
        assert shows(cache.get_or_scan(folder)) == fresh(folder, ScanOptions())
    assert cache.statistics.walks == (5 if "sub" in path else 6)


def test_a_folder_that_came_with_more_in_it_costs_a_walk(tmp_path: Path) -> None:
    """A write into a folder that somebody else has made and filled meanwhile shows all that is in it."""
    workspace = Workspace(tmp_path)
    cache = ScanCache(FOREVER)
    cache.follow(workspace.events)
    cache.get_or_scan(tmp_path)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/more").touch()
    workspace.write_text("theirs/ours", "")
    assert cache.get_or_scan(tmp_path).paths == ("theirs", "theirs/more", "theirs/ours")


@pytest.mark.parametrize("change", ["file to folder", "folder to file", "file to link", "folder renamed", "case"])
def test_helpers_tell_what_others_did(tmp_path: Path, change: str) -> None:
    """The helpers put a list right after changes that were not made through a workspace."""
    (tmp_path / "d/e").mkdir(parents=True)
    (tmp_path / "d/e/x").touch()
    (tmp_path / "f").touch()
    cache = ScanCache(FOREVER)
    cache.get_or_scan(tmp_path)
    match change:
        case "file to folder":
            (tmp_path / "f").unlink()
            (tmp_path / "f").mkdir()
            (tmp_path / "f/x").touch()
            cache.after_write(tmp_path / "f/x")
        case "folder to file":
            (tmp_path / "d").rename(tmp_path.parent / "away")
            (tmp_path / "d").touch()
            cache.after_write(tmp_path / "d/e/x")
        case "file to link":
            (tmp_path / "f").unlink()
            (tmp_path / "f").symlink_to("d")
            cache.after_write(tmp_path / "f")
        case "folder renamed":
            (tmp_path / "d").rename(tmp_path / "g")
            cache.after_rename(tmp_path / "d", tmp_path / "g")
        case _:
            (tmp_path / "f").rename(tmp_path / "F")
            cache.after_rename(tmp_path / "f", tmp_path / "F")
    assert shows(cache.get_or_scan(tmp_path)) == fresh(tmp_path, ScanOptions())


@pytest.mark.parametrize("detail", ["minimal", "full"])
def test_a_write_is_cheap_in_a_large_list(tmp_path: Path, detail: Detail) -> None:
    """Putting a list of 50,000 entries right takes milliseconds, and a small part of the time of a walk."""
    for folder in range(100):
        (tmp_path / str(folder)).mkdir()
        for name in range(500):
            (tmp_path / f"{folder}/{name}").touch()
    cache, options = ScanCache(FOREVER), ScanOptions(detail=detail)
    begin = time.perf_counter()
    cache.get_or_scan(tmp_path, options)
    walked = time.perf_counter() - begin
    times: list[float] = []
    for at in range(20):
        (tmp_path / f"50/new{at}").touch()
        begin = time.perf_counter()
        cache.after_write(tmp_path / f"50/new{at}")
        times.append(time.perf_counter() - begin)
    assert f"50/new{19}" in cache.get_or_scan(tmp_path, options).paths
    assert min(times) < walked / 40


@pytest.mark.parametrize("tell", ["invalidate", "after_write"])
def test_a_change_behind_a_followed_link_is_seen(tmp_path: Path, tell: str) -> None:
    """A list that follows links shows a change in a folder outside its root that a link leads to, and only there."""
    for folder in ("root", "outside/deep", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "root/link").symlink_to("../outside")
    (tmp_path / "root/broken").symlink_to("../outside/late")
    cache, options = ScanCache(FOREVER), ScanOptions(follow_links=True)
    assert cache.get_or_scan(tmp_path / "root", options).paths == ("broken", "link", "link/deep")
    for path, walks in (("elsewhere/x", 1), ("outside/deep/new", 2), ("outside/late", 3)):
        (tmp_path / path).touch()
        getattr(cache, tell)(tmp_path / path)
        assert shows(cache.get_or_scan(tmp_path / "root", options)) == fresh(tmp_path / "root", options)
        assert cache.statistics.walks == walks


def test_a_change_behind_a_link_during_the_walk_keeps_it_out(tmp_path: Path) -> None:
    """A walk that follows links and is overtaken by a change outside its root answers its caller and is not kept."""
    for folder in ("root", "outside"):
        (tmp_path / folder).mkdir()
    (tmp_path / "root/link").symlink_to("../outside")
    cache, options = ScanCache(FOREVER), ScanOptions(follow_links=True)
    cache.get_or_scan(tmp_path / "root", options, checkpoint=lambda: cache.after_write(tmp_path / "outside/x"))
    assert not cache.get_or_scan(tmp_path / "root", options).from_cache


def test_threads_that_write_and_search_agree_in_the_end(tmp_path: Path) -> None:
    """While threads write, others always find their own last write in the cached list, and in the end it is right."""
    workspace = Workspace(tmp_path)
    cache = ScanCache(FOREVER)
    cache.follow(workspace.events)
    missed: list[str] = []

    def work(name: str) -> None:
        for at in range(25):
            path = f"{name}/{at % 5}/{at}"
            workspace.write_text(path, "")
            if at % 7 == 0:
                cache.force_rescan(tmp_path)
            if path not in cache.get_or_scan(tmp_path).paths:
                missed.append(path)
            if at % 3 == 0:
                workspace.delete(path)
                if path in cache.get_or_scan(tmp_path).paths:
                    missed.append(path)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert missed == []
    assert shows(cache.get_or_scan(tmp_path)) == fresh(tmp_path, ScanOptions())
