"""The cache: what it keeps, for how long, and what makes it forget."""

from __future__ import annotations

import itertools
import logging
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

import pytest

from editstream.scan import ScanCache, ScanOptions, ScanPolicy, shared_cache, stop_when
from editstream.scan import cache as cache_module
from editstream.scan.policy import process_policy


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def pass_ms(self, ms: float) -> None:
        self.now += ms / 1000


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(clock: Clock) -> ScanCache:
    return ScanCache(ScanPolicy(), clock=clock)


def test_a_scan_is_kept_for_its_time(tmp_path: Path, cache: ScanCache, clock: Clock) -> None:
    """Until the TTL the same tuple comes back with its age, then there is a new walk."""
    first = cache.get_or_scan(tmp_path)
    (tmp_path / "a").touch()
    clock.pass_ms(999)
    again = cache.get_or_scan(tmp_path)
    assert (first.from_cache, again.from_cache) == (False, True)
    assert again.paths is first.paths
    assert again.age_ms == pytest.approx(999)
    clock.pass_ms(1)
    assert cache.get_or_scan(tmp_path).paths == ("a",)


def test_a_hit_in_the_first_millisecond_is_a_hit(tmp_path: Path, cache: ScanCache) -> None:
    """An age of nothing at all still comes from the cache."""
    cache.get_or_scan(tmp_path)
    result = cache.get_or_scan(tmp_path)
    assert (result.from_cache, result.age_ms) == (True, 0.0)


def test_age_counts_from_the_start_of_the_walk(tmp_path: Path, cache: ScanCache, clock: Clock) -> None:
    """The time that the walk took is part of the age."""
    cache.get_or_scan(tmp_path, checkpoint=lambda: clock.pass_ms(300))
    assert cache.get_or_scan(tmp_path).age_ms == pytest.approx(300)


def test_different_options_never_share(tmp_path: Path, cache: ScanCache) -> None:
    """Each combination of options has its own list."""
    every = [
        ScanOptions(*flags, detail, links)
        for *flags, links in itertools.product([True, False], repeat=4)
        for detail in ("minimal", "full")
    ]
    cache = ScanCache(ScanPolicy(max_entries=100))
    for options in every * 2:
        cache.get_or_scan(tmp_path, options)
    assert (cache.statistics.walks, cache.statistics.hits) == (32, 32)


def test_ttl_0_bypasses(tmp_path: Path) -> None:
    """With a TTL of 0 every call walks and nothing is kept, also when a rescan asks for it."""
    cache = ScanCache(ScanPolicy(ttl_ms=0))
    for _ in range(2):
        assert not cache.get_or_scan(tmp_path).from_cache
        assert not cache.force_rescan(tmp_path).from_cache
    assert (cache.statistics.walks, cache.statistics.hits) == (4, 0)


def test_force_rescan_walks_and_stores_if_asked(tmp_path: Path, cache: ScanCache) -> None:
    """A forced rescan drops the old list, sees what is there, and keeps the new list only if told to."""
    cache.get_or_scan(tmp_path)
    (tmp_path / "a").touch()
    assert cache.force_rescan(tmp_path).paths == ("a",)
    assert cache.get_or_scan(tmp_path).from_cache
    cache.force_rescan(tmp_path, store=False)
    assert not cache.get_or_scan(tmp_path).from_cache


@pytest.mark.parametrize(("limit", "kept"), [(0, []), (1, ["c"]), (2, ["b", "c"]), (3, ["a", "b", "c"])])
def test_over_a_limit_the_oldest_goes(tmp_path: Path, clock: Clock, limit: int, kept: list[str]) -> None:
    """Over the limit of entries the oldest scan goes first, however often it was used."""
    cache = ScanCache(ScanPolicy(max_entries=limit), clock=clock)
    for name in "abc":
        (tmp_path / name).mkdir()
        cache.get_or_scan(tmp_path / name)
        clock.pass_ms(1)
        cache.get_or_scan(tmp_path / name)
    # The newest first, since asking for what is gone pushes out what is there.
    hits = [name for name in "cba" if cache.get_or_scan(tmp_path / name).from_cache]
    assert sorted(hits) == kept


def test_bytes_are_bounded(tmp_path: Path, clock: Clock) -> None:
    """Over the limit of bytes the oldest scan goes, and a scan that is larger than the limit is not kept at all."""
    for name, count in (("small", 5), ("other", 5), ("large", 500)):
        (tmp_path / name).mkdir()
        for at in range(count):
            (tmp_path / name / str(at)).touch()
    cache = ScanCache(ScanPolicy(max_bytes=1000), clock=clock)
    for name in ("small", "other", "large"):
        cache.get_or_scan(tmp_path / name)
        clock.pass_ms(1)
    assert not cache.get_or_scan(tmp_path / "large").from_cache
    assert not cache.get_or_scan(tmp_path / "small").from_cache
    assert cache.get_or_scan(tmp_path / "small").from_cache


@pytest.mark.parametrize(
    ("path", "gone"),
    [
        ("a", {"", "a"}),
        ("a/b", {"", "a", "a/b"}),
        ("a/b/new/deep", {"", "a", "a/b"}),
        ("a/bc", {"", "a", "a/bc"}),
        ("a/x", {"", "a"}),
        ("link/b/x", {"", "a", "a/b"}),
        ("", {""}),
        (None, {"", "a", "a/b", "a/bc", "z"}),
        ("../elsewhere", set[str]()),
    ],
)
def test_invalidate_drops_the_roots_above(tmp_path: Path, cache: ScanCache, path: str | None, gone: set[str]) -> None:
    """Invalidating a path drops the lists of its folder and those above, by whole components, and no other."""
    roots = ["", "a", "a/b", "a/bc", "z"]
    for root in roots:
        (tmp_path / root).mkdir(exist_ok=True, parents=True)
        cache.get_or_scan(tmp_path / root)
    (tmp_path / "link").symlink_to("a")
    cache.invalidate(None if path is None else tmp_path / path)
    assert {root for root in roots if not cache.get_or_scan(tmp_path / root).from_cache} == gone


def test_a_deleted_folder_drops_the_lists_below(tmp_path: Path, cache: ScanCache) -> None:
    """When a folder is gone, lists of folders that were in it are dropped too, however one is told."""
    for tell in (
        lambda: cache.invalidate(tmp_path / "a"),
        lambda: cache.after_delete(tmp_path / "a"),
        lambda: cache.after_rename(tmp_path / "a", tmp_path / "new"),
    ):
        (tmp_path / "a/b").mkdir(parents=True)
        cache.get_or_scan(tmp_path / "a/b")
        (tmp_path / "a").rename(tmp_path / "away")
        tell()
        with pytest.raises(FileNotFoundError):
            cache.get_or_scan(tmp_path / "a/b")
        (tmp_path / "away/b").rmdir()
        (tmp_path / "away").rmdir()


def test_relative_paths_count_from_the_working_directory(
    tmp_path: Path, cache: ScanCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path means the working directory of the call, for scanning and for invalidating."""
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path)
    cache.get_or_scan("a")
    assert cache.get_or_scan(tmp_path / "a").from_cache
    monkeypatch.chdir(tmp_path / "a")
    cache.invalidate("x")
    assert not cache.get_or_scan(".").from_cache


def test_a_deleted_working_directory_forgets_all(
    tmp_path: Path, cache: ScanCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a working directory that is gone a relative path cannot be told, so everything is dropped."""
    cache.get_or_scan(tmp_path)
    (tmp_path / "gone").mkdir()
    for tell in (cache.invalidate, cache.after_write):
        monkeypatch.chdir(tmp_path / "gone")
        (tmp_path / "gone").rmdir()
        cache.get_or_scan(tmp_path)
        tell("x")
        assert not cache.get_or_scan(tmp_path).from_cache
        (tmp_path / "gone").mkdir()


def test_many_ask_and_one_walks(tmp_path: Path) -> None:
    """Threads that ask for the same list at the same time get it from one walk."""
    (tmp_path / "a").touch()
    cache = ScanCache(ScanPolicy(ttl_ms=60_000))
    entered, go = threading.Event(), threading.Event()
    results: list[tuple[str, ...]] = []

    def slow() -> None:
        entered.set()
        go.wait(10)

    threads = [threading.Thread(target=lambda: results.append(cache.get_or_scan(tmp_path, checkpoint=slow).paths))]
    threads[0].start()
    entered.wait(10)
    threads += [threading.Thread(target=lambda: results.append(cache.get_or_scan(tmp_path).paths)) for _ in range(5)]
    for thread in threads[1:]:
        thread.start()
    time.sleep(0.05)
    go.set()
    for thread in threads:
        thread.join()
    assert results == [("a",)] * 6
    assert (cache.statistics.walks, cache.statistics.misses, cache.statistics.hits) == (1, 1, 5)


@pytest.mark.parametrize("how", ["invalidate", "after_write", "force_rescan"])
def test_a_change_during_a_walk_keeps_it_out(tmp_path: Path, how: str) -> None:
    """A walk that a change overtakes still answers its caller, and is not kept."""
    cache = ScanCache(ScanPolicy(ttl_ms=60_000))

    def change() -> None:
        if not (tmp_path / "a").exists():
            (tmp_path / "a").touch()
            getattr(cache, how)(tmp_path if how == "force_rescan" else tmp_path / "a")

    cache.get_or_scan(tmp_path, checkpoint=change)
    walks = cache.statistics.walks
    assert cache.get_or_scan(tmp_path).paths == ("a",)
    assert cache.statistics.walks - walks == (0 if how == "force_rescan" else 1)


def test_a_first_scanner_that_gives_up_hurts_nobody(tmp_path: Path) -> None:
    """When the one who walks is cancelled, another who waited walks himself; a real failure reaches all."""
    cache = ScanCache(ScanPolicy(ttl_ms=60_000))
    root = tmp_path / "root"
    root.mkdir()
    for end, expected in ((stop_when(lambda: True), ()), (root.rmdir, FileNotFoundError)):
        entered, go = threading.Event(), threading.Event()
        outcomes: list[object] = []

        def first(entered: threading.Event = entered, go: threading.Event = go, end: object = end) -> None:
            entered.set()
            go.wait(10)
            assert callable(end)
            end()

        def ask(outcomes: list[object] = outcomes, **checkpoint: object) -> None:
            try:
                outcomes.append(cache.get_or_scan(root, **checkpoint).paths)  # type: ignore[arg-type]
            except Exception as error:  # noqa: BLE001 (the test is about which it is)
                outcomes.append(type(error))

        cache.invalidate()
        walking = threading.Thread(target=ask, kwargs={"checkpoint": first})
        walking.start()
        entered.wait(10)
        waiting = threading.Thread(target=ask, kwargs={"checkpoint": lambda: None})
        waiting.start()
        time.sleep(0.05)
        go.set()
        walking.join()
        waiting.join()
        assert expected in outcomes
        assert len(outcomes) == 2


@pytest.mark.parametrize("ask", ["get_or_scan", "force_rescan"])
def test_who_is_interrupted_leaves_nobody_waiting(tmp_path: Path, ask: str) -> None:
    """After a Ctrl-C at the entry of any of the cache's functions the next who asks gets a right list, and soon."""
    interrupted = 0
    for step in range(1, 100):
        cache = ScanCache(ScanPolicy(ttl_ms=60_000))
        left = step

        def trace(frame: FrameType, event: str, arg: object) -> None:
            nonlocal left
            left -= frame.f_code.co_filename == cache_module.__file__
            if left == 0:
                raise KeyboardInterrupt

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            getattr(cache, ask)(tmp_path)
        except KeyboardInterrupt:
            interrupted += 1
        finally:
            sys.settrace(before)
        if left > 0:
            break
        (tmp_path / str(step)).touch()
        cache.after_write(tmp_path / str(step))
        # Whoever waited for a walk that nobody makes would look at his checkpoint, and give up.
        assert str(step) in cache.get_or_scan(tmp_path, checkpoint=stop_when(timeout_ms=5000)).paths
    assert interrupted > 3


def test_the_walk_of_one_who_vanished_is_made_by_the_next(tmp_path: Path) -> None:
    """Where who walks is interrupted before he could clear up, the one who waits makes the walk, and is kept."""
    started = threading.Event()

    def clock() -> float:
        if threading.current_thread() is not first:
            return time.monotonic()
        started.set()
        time.sleep(0.05)
        raise KeyboardInterrupt

    cache = ScanCache(ScanPolicy(ttl_ms=60_000), clock=clock)

    def vanish() -> None:
        with suppress(KeyboardInterrupt):
            cache.get_or_scan(tmp_path)

    first = threading.Thread(target=vanish)
    first.start()
    assert started.wait(10)
    assert not cache.get_or_scan(tmp_path, checkpoint=stop_when(timeout_ms=5000)).from_cache
    assert cache.get_or_scan(tmp_path).from_cache
    first.join()


def test_threads_that_ask_first_share_one_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache of the process is one, also for threads that all ask for it first."""
    monkeypatch.setattr(cache_module, "_shared", {})
    gate = threading.Barrier(8)
    got: list[ScanCache] = []

    def ask() -> None:
        gate.wait(10)
        got.append(shared_cache())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 8
    assert len(set(map(id, got))) == 1


def test_a_child_process_begins_empty(tmp_path: Path) -> None:
    """After a fork the child scans for itself, even if the lock was held then, and the parent keeps its lists."""
    script = (
        "import os, sys\n"
        "from editstream.scan import ScanCache\n"
        "cache = ScanCache()\n"
        "cache.get_or_scan(sys.argv[1])\n"
        "with cache._lock:\n"
        "    if (child := os.fork()) == 0: os._exit(cache.get_or_scan(sys.argv[1]).from_cache)\n"
        "print(os.waitpid(child, 0)[1], cache.get_or_scan(sys.argv[1]).from_cache)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    environment = os.environ | {"FS_SCAN_CACHE_TTL_MS": "60000"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=60)
    assert done.stdout == "0 True\n"


@pytest.mark.parametrize(
    ("value", "ttl"),
    [("", 1000), ("0", 0), (" 250 ", 250), ("007", 7), ("-1", 1000), ("1.5", 1000), ("1_000", 1000), ("1e3", 1000),
     ("soon", 1000), ("٣", 1000), ("9" * 5000, 1000), ("0x10", 1000)],
)  # fmt: skip
def test_nonsense_in_the_environment_falls_back(value: str, ttl: int) -> None:
    """A value that is no whole number of 0 or more means the default."""
    assert ScanPolicy.from_environment({"FS_SCAN_CACHE_TTL_MS": value}).ttl_ms == ttl


def test_each_variable_sets_its_limit_and_nonsense_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """The four variables set the four limits, and an unreadable one is reported one time, however often it is read."""
    environment = {
        "FS_SCAN_CACHE_TTL_MS": "1",
        "FS_SCAN_EMPTY_RECHECK_MS": "2",
        "FS_SCAN_CACHE_MAX_ENTRIES": "3",
        "FS_SCAN_CACHE_MAX_BYTES": "4",
    }
    assert ScanPolicy.from_environment(environment) == ScanPolicy(1, 2, 3, 4)
    assert ScanPolicy.from_environment({}) == ScanPolicy(1000, 200, 16, 64 * 1024 * 1024)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            ScanPolicy.from_environment({"FS_SCAN_EMPTY_RECHECK_MS": "said once"})
    assert [record.getMessage() for record in caplog.records] == [
        "FS_SCAN_EMPTY_RECHECK_MS='said once' is no whole number of 0 or more; using 200"
    ]


def test_the_policy_of_the_process_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment is read at the first use, and its policy is every cache's unless one is given."""
    process_policy.cache_clear()
    monkeypatch.setenv("FS_SCAN_CACHE_TTL_MS", "77")
    assert ScanCache().policy.ttl_ms == 77
    monkeypatch.setenv("FS_SCAN_CACHE_TTL_MS", "88")
    assert ScanCache().policy.ttl_ms == 77
    process_policy.cache_clear()
