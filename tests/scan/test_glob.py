"""Globbing real trees, with and without the cache."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editstream.scan import ScanCache, ScanPolicy, glob, shared_cache, walker
from editstream.workspace import Workspace

NAMES = st.sampled_from(["a", "b", "ab", "a.py", "b.py", "c.txt"])
TREES = st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), min_size=1, max_size=10)
PATTERNS = st.lists(st.sampled_from(["a", "*", "**", "*.py", "?", "[ab]", "a*", "?.py"]), min_size=1, max_size=4).map(
    "/".join
)


def plant(root: Path, paths: list[str]) -> None:
    for path in paths:
        place = root / path
        if place.exists() or any(parent.is_file() for parent in place.parents):
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()


@settings(max_examples=60)
@given(tree=TREES, pattern=PATTERNS.filter(lambda pattern: "**/**" not in pattern and not pattern.endswith("**")))
def test_a_glob_finds_what_pathlib_finds(
    tmp_path_factory: pytest.TempPathFactory, tree: list[str], pattern: str
) -> None:
    """On random trees a pattern finds the entries that pathlib finds."""
    root = tmp_path_factory.mktemp("globbed")
    plant(root, tree)
    anywhere = pattern if "/" in pattern else f"**/{pattern}"
    expected = sorted({path.relative_to(root).as_posix() for path in root.glob(anywhere)} - {"."})
    assert list(glob(pattern, root).paths) == expected
    shallow = sorted({path.relative_to(root).as_posix() for path in root.glob(pattern)} - {"."})
    assert list(glob(pattern, root, recursive=False).paths) == shallow


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    plant(
        tmp_path,
        [
            "a.py",
            "src/b.py",
            "src/deep/c.py",
            ".hidden/d.py",
            "out/e.py",
            "node_modules/p/f.py",
            "src/node_modules/g.py",
        ],
    )
    (tmp_path / ".gitignore").write_text("out\n")
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "dir.py").mkdir()
    return tmp_path


DEFAULT = ("a.py", "dir.py", "link.py", "src/b.py", "src/deep/c.py")


@pytest.mark.parametrize("cache", [False, True])
@pytest.mark.parametrize(
    ("pattern", "options", "found"),
    [
        ("*.py", {}, DEFAULT),
        ("*.py", {"hidden": True}, (".hidden/d.py", *DEFAULT)),
        ("*.py", {"gitignore": False}, ("a.py", "dir.py", "link.py", "out/e.py", "src/b.py", "src/deep/c.py")),
        ("*.py", {"node_modules": True},
         ("a.py", "dir.py", "link.py", "node_modules/p/f.py", "src/b.py", "src/deep/c.py", "src/node_modules/g.py")),
        ("node_modules/**/*.py", {}, ("node_modules/p/f.py",)),
        ("node_modules/**/*.py", {"node_modules": False}, ()),
        ("**/node_modules/", {}, ("node_modules", "src/node_modules")),
        ("*.py", {"recursive": False}, ("a.py", "dir.py", "link.py")),
        ("*/*.py", {"recursive": False}, ("src/b.py",)),
        ("*.py", {"file_type": "file"}, ("a.py", "src/b.py", "src/deep/c.py")),
        ("*.py", {"file_type": "dir"}, ("dir.py",)),
        ("*.py", {"file_type": "symlink"}, ("link.py",)),
        ("*.py/", {}, ("dir.py",)),
        ("*.py", {"limit": 2}, ("a.py", "dir.py")),
        ("*.py", {"limit": 0}, ()),
        ("src/{b,deep/c}.py", {}, ("src/b.py", "src/deep/c.py")),
        ("nothing", {}, ()),
    ],
)  # fmt: skip
def test_defaults_and_options(
    tree: Path, cache: bool, pattern: str, options: dict[str, object], found: tuple[str, ...]
) -> None:
    """Each option does what it says and the defaults are those of the contract, with and without the cache."""
    kept = ScanCache(ScanPolicy()) if cache else False
    for _ in range(2):
        result = glob(pattern, tree, cache=kept, **options)  # type: ignore[arg-type]
        assert result.paths == found
        assert len(result.kinds) == len(found)
        assert result.total == (len(DEFAULT) if "limit" in options else len(found))


def test_newest_first(tree: Path) -> None:
    """Sorted by time, the newest come first, before the limit is applied, and equal times go by path."""
    for at, path in enumerate(["src/b.py", "a.py", "dir.py", "link.py", "src/deep/c.py"]):
        os.utime(tree / path, (at // 2, at // 2), follow_symlinks=False)
    expected = ("src/deep/c.py", "dir.py", "link.py", "a.py", "src/b.py")
    assert glob("*.py", tree, newest_first=True).paths == expected
    assert glob("*.py", tree, newest_first=True, limit=2).paths == expected[:2]


def test_a_negative_limit_is_an_error(tree: Path) -> None:
    """A limit below 0 raises ValueError."""
    with pytest.raises(ValueError, match="limit is -1"):
        glob("*", tree, limit=-1)


def test_without_the_cache_nothing_is_kept(tree: Path) -> None:
    """By default a glob scans anew each time, and leaves the cache of the process alone."""
    shared_cache().invalidate()
    before = shared_cache().statistics
    assert glob("new", tree).paths == ()
    (tree / "new").touch()
    assert glob("new", tree).paths == ("new",)
    assert shared_cache().statistics == before


def test_the_cache_of_the_process(tree: Path) -> None:
    """With cache=True globs share one cache, whatever their patterns."""
    shared_cache().invalidate()
    walks = shared_cache().statistics.walks
    for pattern in ("*.py", "src/**", "a.py"):
        glob(pattern, tree, cache=True)
    assert shared_cache().statistics.walks == walks + 1


@pytest.mark.parametrize(("age_ms", "found"), [(0, ()), (200, ()), (201, ("new",)), (999, ("new",))])
def test_an_empty_result_is_checked_again(tree: Path, age_ms: int, found: tuple[str, ...]) -> None:
    """Nothing found in a cached scan older than the threshold is looked up once more, on a new scan that is kept."""
    now = [0.0]
    cache = ScanCache(ScanPolicy(), clock=lambda: now[0])
    glob("new", tree, cache=cache)
    (tree / "new").touch()
    now[0] = age_ms / 1000
    assert glob("new", tree, cache=cache).paths == found
    assert glob("new", tree, cache=cache).paths == found
    assert cache.statistics.walks == (2 if found else 1)


def test_what_was_found_is_not_checked_again(tree: Path) -> None:
    """A result that is not empty comes from the cache for as long as the scan is kept."""
    now = [0.0]
    cache = ScanCache(ScanPolicy(), clock=lambda: now[0])
    for ms in (0, 500, 999):
        now[0] = ms / 1000
        assert glob("*.py", tree, cache=cache).paths == DEFAULT
    assert cache.statistics.walks == 1


@pytest.mark.parametrize("cache", [False, True])
def test_rules_that_hide_everything_are_dropped(tree: Path, cache: bool) -> None:
    """Where ignore rules hide every file the default glob looks without them and says so; asked to obey, it obeys."""
    (tree / ".gitignore").write_text("*\n")
    kept = ScanCache(ScanPolicy()) if cache else False
    result = glob("out/*.py", tree, cache=kept)
    assert (result.paths, result.rules_dropped) == (("out/e.py",), True)
    obedient = glob("out/*.py", tree, gitignore=True, cache=kept)
    assert (obedient.paths, obedient.rules_dropped) == ((), False)
    assert not glob("nothing", tree, cache=kept).rules_dropped


def test_without_recursion_the_walk_is_no_deeper_than_the_pattern(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern for the root alone does not read the folders below it."""
    monkeypatch.setattr(walker, "MAX_ENTRIES", 5)  # the root has five entries to show: more would be an error
    assert glob("*.py", tree, recursive=False, gitignore=True).paths == ("a.py", "dir.py", "link.py")


def test_what_models_are_kept_out_of_is_left_out(tree: Path) -> None:
    """Agent ignore files hide what they name, also in a cached answer after they changed, unless the caller says no."""
    workspace, cache = Workspace(tree), ScanCache()
    cache.follow(workspace.events)

    def found() -> list[str]:
        paths = list(glob("*.py", tree, cache=cache).paths)
        assert list(glob("*.py", tree).paths) == paths
        return paths

    assert found() == ["a.py", "dir.py", "link.py", "src/b.py", "src/deep/c.py"]
    workspace.write_text(".cursorignore", "deep/\na.py\n")
    assert found() == ["dir.py", "link.py", "src/b.py"]
    workspace.write_text("src/.clineignore", "*\n")
    assert found() == ["dir.py", "link.py"]
    assert glob("*.py", tree, agent_ignore=False).total == 5
    workspace.delete(".cursorignore")
    assert found() == ["a.py", "dir.py", "link.py"]


def test_a_link_for_an_ignore_file_keeps_no_old_answer(tree: Path) -> None:
    """Where an ignore file is a link, what is at its end is read, and a change of it counts in a cached answer."""
    workspace, cache = Workspace(tree), ScanCache()
    cache.follow(workspace.events)
    (tree / "src" / ".clineignore").symlink_to("../rules.txt")

    def found() -> list[str]:
        result = glob("*.py", tree, cache=cache)
        assert glob("*.py", tree).paths == result.paths
        assert glob("*.py", tree).faults == result.faults
        return [*result.paths, *result.faults]

    assert found() == ["a.py", "dir.py", "link.py", "'src/.clineignore' cannot be read"]
    workspace.write_text("rules.txt", "")
    assert len(found()) == 5
    workspace.write_text("rules.txt", "b.py\n")
    assert found() == ["a.py", "dir.py", "link.py", "src/deep/c.py"]
    workspace.write_text("rules.txt", "deep/\n")
    assert found() == ["a.py", "dir.py", "link.py", "src/b.py"]
    assert cache.statistics.hits == 0
    workspace.delete("src/.clineignore")
    assert len(found()) == 5
    workspace.write_text("new.py", "")
    assert len(found()) == 6
    assert cache.statistics.hits == 1


def test_a_link_out_of_the_root_keeps_no_old_answer(tree: Path) -> None:
    """The file at the end of such a link may lie outside of what is listed."""
    workspace, cache = Workspace(tree), ScanCache()
    cache.follow(workspace.events)
    workspace.write_text("rules.txt", "b.py\n")
    (tree / "src" / ".clineignore").symlink_to("../rules.txt")
    assert glob("*.py", tree / "src", cache=cache).paths == ("deep/c.py",)
    workspace.write_text("rules.txt", "deep/\n")
    assert glob("*.py", tree / "src", cache=cache).paths == ("b.py",)


def test_an_ignore_file_that_went_with_its_folder_is_named_no_more(tree: Path) -> None:
    """What is wrong with an ignore file is forgotten when the folder is gone that it closed."""
    cache = ScanCache()
    (tree / "src" / ".clineignore").write_text("/\n")
    assert len(glob("*.py", tree, cache=cache).faults) == 1
    shutil.rmtree(tree / "src")
    cache.after_delete(tree / "src")
    assert glob("*.py", tree, cache=cache).faults == ()


def test_an_ignore_file_in_doubt_is_named(tree: Path) -> None:
    """A folder that an ignore file closes because it cannot be understood is left out, and the answer says why."""
    workspace, cache = Workspace(tree), ScanCache()
    cache.follow(workspace.events)
    workspace.write_text("src/.clineignore", "x\n./a\n")
    for _ in range(2):
        result = glob("*.py", tree, cache=cache)
        assert result.paths == ("a.py", "dir.py", "link.py")
        assert result.faults == ("'src/.clineignore' has a line 2 that is no pattern",)
    assert result.from_cache
    assert glob("*.py", tree, agent_ignore=False).faults == ()
    workspace.write_text("src/.clineignore", "x\n")
    assert glob("*.py", tree, cache=cache).faults == ()
    workspace.write_text(".cursorignore", "/\n")
    assert glob("*.py", tree / "src").total == 2  # a root that is no repository asks nothing of the folder above it
    result = glob("*.py", tree)
    assert (result.paths, result.faults) == ((), ("'.cursorignore' has a line 1 that is no pattern",))


@settings(max_examples=60)
@given(
    tree=TREES,
    rules=st.dictionaries(
        st.sampled_from([".cursorignore", ".clineignore", "a/.cursorignore", "a/b/.editstreamignore"]),
        st.lists(
            st.sampled_from(["a", "/b", "a/b", "!a.py", "*.py", "**/ab", "b/", "!*", "?", "[ab]/", "a/**"]), max_size=3
        ),
        max_size=3,
    ),
)
def test_a_glob_shows_what_a_model_may_name(
    tmp_path_factory: pytest.TempPathFactory, tree: list[str], rules: dict[str, list[str]]
) -> None:
    """On random trees and rules a glob lists exactly the files that a session would let a model touch."""
    root = tmp_path_factory.mktemp("closed")
    plant(root, tree)
    for name, lines in rules.items():
        if (root / name).parent.is_dir():
            (root / name).write_text("".join(f"{line}\n" for line in lines))
    workspace = Workspace(root)
    files = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    shown = glob("**", root, file_type="file").paths
    assert list(shown) == [path for path in files if workspace.has_file(path)]


def test_rules_for_agents_are_not_dropped_where_they_hide_every_file(tree: Path) -> None:
    """A search that sets git's rules aside keeps to those for agents."""
    (tree / ".gitignore").write_text("*\n")
    (tree / ".editstreamignore").write_text("src/\n")
    result = glob("*.py", tree)
    assert result.rules_dropped
    assert result.paths == ("a.py", "dir.py", "link.py", "out/e.py")
