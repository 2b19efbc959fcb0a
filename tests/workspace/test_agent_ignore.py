"""Agent ignore files: what a model is kept out of, by which line, and that doubt forbids."""

from __future__ import annotations

import errno
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editstream.workspace import AGENT_RULES, AgentIgnore, IgnoredPath, IgnoreRule, UnsafePath, Workspace
from editstream.workspace.agent_ignore import MAX_BYTES, MAX_SHOWN, NOT_READ

RULES = "# secrets\n\nsecrets/\n*.pem\n!public.pem\n/build/*.log\ndocs/**/draft\n"


def lay_out(root: Path, files: Mapping[str, str]) -> AgentIgnore:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    return AgentIgnore(os.path.realpath(root))


def line_for(root: Path, ignore: AgentIgnore, path: str) -> tuple[str, int] | None:
    rule = ignore.rule_for(path)
    return None if rule is None else (os.path.relpath(rule.file, os.path.realpath(root)), rule.line)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", None),
        ("secrets/key", 3),
        ("lib/secrets/deep/key", 3),
        ("secrets", None),  # a file of that name
        ("key.pem", 4),
        ("lib/key.pem", 4),
        ("public.pem", None),
        ("secrets/public.pem", 3),  # what lies in an ignored folder cannot be taken out
        ("build/x.log", 6),
        ("lib/build/x.log", None),
        ("docs/a/b/draft", 7),
        ("docs/draft/page.md", 7),
    ],
)
@pytest.mark.parametrize("name", AGENT_RULES)
def test_the_line_that_forbids(name: str, path: str, line: int | None, tmp_path: Path) -> None:
    """A path is forbidden by the line that git would ignore it by, in each of the three files."""
    ignore = lay_out(tmp_path, {name: RULES})
    assert line_for(tmp_path, ignore, path) == (None if line is None else (name, line))


@pytest.mark.parametrize(
    ("files", "path", "expected"),
    [
        ({".cursorignore": "*.key\n", "lib/.cursorignore": "!*.key\n"}, "lib/a.key", None),
        ({".cursorignore": "*.key\n", "lib/.clineignore": "!*.key\n"}, "lib/a.key", (".cursorignore", 1)),
        ({"lib/.cursorignore": "/a\n"}, "lib/a", ("lib/.cursorignore", 1)),
        ({"lib/.cursorignore": "/a\n"}, "a", None),
        ({".cursorignore": "lib/\n", "lib/.cursorignore": "!a\n"}, "lib/a", (".cursorignore", 1)),
        ({".cursorignore": "\ufeffa\r\nb\r\n"}, "a", (".cursorignore", 1)),
        ({".cursorignore": "a\r\nb\r\n"}, "b", (".cursorignore", 2)),
        ({".cursorignore": "é*\n"}, "lib/école.txt", (".cursorignore", 1)),
        ({".cursorignore": ""}, "a", None),
        ({".cursorignore": "a[0-\n"}, "b", (".cursorignore", 1)),
        ({".cursorignore": "x\n*[ab]*[ab]*[ab]*[ab]*\n"}, "b", (".cursorignore", 2)),
        ({"lib/.cursorignore": "a[0-\n"}, "b", None),
        ({".cursorignore": "#" * (MAX_BYTES + 1)}, "b", (".cursorignore", NOT_READ)),
        ({".cursorignore/x": ""}, "b", (".cursorignore", NOT_READ)),
        ({".cursorignore": "x\n./a\n"}, "b", (".cursorignore", 2)),
        ({".cursorignore": "../a\n"}, "b", (".cursorignore", 1)),
        ({".cursorignore": "a//b\n"}, "b", (".cursorignore", 1)),
        ({".cursorignore": "a//\n"}, "b", (".cursorignore", 1)),
        ({".cursorignore": "x\n\n/\n"}, "b", (".cursorignore", 3)),
        ({".cursorignore": "x\n!\n"}, "b", (".cursorignore", 2)),
        ({".cursorignore": "x\ry\r"}, "b", (".cursorignore", 1)),
        ({".cursorignore": "x\n  \ny\r"}, "b", None),
        ({}, ".cursorignore", (".cursorignore", NOT_READ)),
        ({}, ".Cursor\u200bIgnore. ", (".Cursor\u200bIgnore. ", NOT_READ)),
        ({}, "lib/.ClineIgnore", ("lib/.ClineIgnore", NOT_READ)),
    ],
)
def test_files_in_folders_and_doubt(
    files: Mapping[str, str], path: str, expected: tuple[str, int] | None, tmp_path: Path
) -> None:
    """The nearest file of a kind decides, each kind by itself; what cannot be understood, and the files, are closed."""
    ignore = lay_out(tmp_path, files)
    assert line_for(tmp_path, ignore, path) == expected


def test_rules_above_the_root_count_as_far_as_the_repository(tmp_path: Path) -> None:
    """A workspace inside a repository is bound by the files between the two, and by none above the repository."""
    lay_out(tmp_path, {".cursorignore": "b\n", "repo/.git/config": "", "repo/.cursorignore": "a\n", "repo/lib/x": ""})
    workspace = Workspace(tmp_path / "repo" / "lib")
    assert workspace.allowed("b") == "b"
    with pytest.raises(IgnoredPath, match=re.escape("'a' is off limits by line 1 of '../.cursorignore', 'a'")):
        workspace.allowed("a")


def test_a_change_of_the_rules_counts_at_once(tmp_path: Path) -> None:
    """The files are read at each question."""
    ignore = lay_out(tmp_path, {".cursorignore": "a\n"})
    assert ignore.rule_for("a") == IgnoreRule(str(tmp_path.resolve() / ".cursorignore"), 1, "a")
    (tmp_path / ".cursorignore").write_text("b\n")
    assert ignore.rule_for("a") is None


@pytest.mark.parametrize(
    ("rule", "encoding"),
    [("keys/", "utf-16"), ("keys/", "utf-16-le"), ("keys/", "utf-32-be"), ("schlüssel/", "latin-1")],
)
def test_a_file_in_another_encoding_closes_its_folder(rule: str, encoding: str, tmp_path: Path) -> None:
    """Rules that could not match the names on disk, since they are no UTF-8, close all there is."""
    lay_out(tmp_path, {"lib/a": "", "a": ""})
    (tmp_path / "lib" / ".clineignore").write_bytes(f"{rule}\n".encode(encoding))
    workspace = Workspace(tmp_path)
    assert workspace.allowed("a") == "a"
    with pytest.raises(IgnoredPath) as caught:
        workspace.allowed("lib/a")
    said = "'lib/a' is off limits as long as 'lib/.clineignore' is no text in UTF-8; ask the user to mend that file"
    assert str(caught.value) == said


def test_a_refusal_is_short_and_can_be_shown(tmp_path: Path) -> None:
    """The line that forbids is repeated without control characters and cut where it is long."""
    lay_out(tmp_path, {".cursorignore": "*\x1b*\nb" + "*" * 5_000 + "\n"})
    workspace = Workspace(tmp_path)
    with pytest.raises(IgnoredPath) as caught:
        workspace.allowed("b")
    shown = "'b" + "*" * (MAX_SHOWN - 1) + "'…"
    assert str(caught.value) == f"'b' is off limits by line 2 of '.cursorignore', {shown}; leave it alone"
    with pytest.raises(IgnoredPath, match=re.escape(r"line 1 of '.cursorignore', '*\x1b*'; leave")):
        workspace.refuse_ignored("a\x1b")


def test_a_file_that_is_a_link_is_read(tmp_path: Path) -> None:
    """Two tools may share one file of rules; the refusal names the link."""
    lay_out(tmp_path, {".cursorignore": "secret\n"})
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / ".clineignore").symlink_to("../.cursorignore")
    lay_out(tmp_path, {".cursorignore": "a\n"})
    assert line_for(tmp_path, AgentIgnore(os.path.realpath(tmp_path)), "lib/a") == (".cursorignore", 1)
    lay_out(tmp_path, {".cursorignore": "!a\n", "rules": "a\n"})
    (tmp_path / "lib" / ".clineignore").unlink()
    (tmp_path / "lib" / ".clineignore").symlink_to("../rules")
    assert line_for(tmp_path, AgentIgnore(os.path.realpath(tmp_path)), "lib/a") == ("lib/.clineignore", 1)


def test_too_many_open_files_are_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What says nothing about an ignore file is passed on, as neither yes nor no."""
    workspace = Workspace(tmp_path)

    def refuse(*_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "open", refuse)
    for asked in (workspace.allowed, workspace.has_file, workspace.refuse_ignored):
        with pytest.raises(OSError, match="Too many"):
            asked("a")


def test_a_file_that_may_not_be_read_closes_its_folder(tmp_path: Path) -> None:
    """A link that leads nowhere stands for rules that cannot be read."""
    lay_out(tmp_path, {"lib/a": "", "a": ""})
    (tmp_path / "lib" / ".cursorignore").symlink_to("gone")
    workspace = Workspace(tmp_path)
    assert workspace.allowed("a") == "a"
    with pytest.raises(IgnoredPath, match=r"'lib/a' is off limits as long as 'lib/\.cursorignore' cannot be read"):
        workspace.allowed("lib/a")


def test_a_pipe_by_the_name_of_the_file_does_not_hold(tmp_path: Path) -> None:
    """What is no regular file closes its folder, and nobody waits for it."""
    os.mkfifo(tmp_path / ".cursorignore")
    assert AgentIgnore(os.path.realpath(tmp_path)).rule_for("a") is not None


def test_a_link_is_judged_by_both_its_names(tmp_path: Path) -> None:
    """A link to what is closed is closed, and so is a closed link to what is open."""
    lay_out(tmp_path, {".cursorignore": "secret\nalias\n", "secret": "", "open": ""})
    for link, target in (("way", "secret"), ("alias", "open"), ("good", "open")):
        (tmp_path / link).symlink_to(target)
    workspace = Workspace(tmp_path)
    assert workspace.allowed("./good") == "open"
    for path, line in (("way", 1), ("alias", 2)):
        with pytest.raises(IgnoredPath, match=f"line {line} of"):
            workspace.allowed(path)
    assert [workspace.has_file(path) for path in ("open", "good", "way", "alias", "gone", "../x", "")] == [
        *(True, True, False, False, False, False, False)
    ]


def test_a_path_that_is_no_place_is_said_first(tmp_path: Path) -> None:
    """A path out of the root is refused as that."""
    with pytest.raises(UnsafePath):
        Workspace(tmp_path).allowed("../a")


def test_a_program_of_ones_own_is_not_kept_out(tmp_path: Path) -> None:
    """What the workspace itself reads and writes is its caller's affair."""
    workspace = Workspace(tmp_path)
    workspace.write_text(".cursorignore", "a\n")
    workspace.write_text("a", "text")
    assert workspace.read("a").text == "text"


def test_another_case_is_the_same_file_where_the_file_system_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a name exists under another spelling only, the rules are asked about that on disk and the one written."""
    ignore = lay_out(tmp_path, {".cursorignore": "secret\nKEYS\n", "secret": "", "keys": ""})
    assert [ignore.rule_for(path) for path in ("SECRET", "keys")] == [None, None]
    exists = os.path.lexists
    monkeypatch.setattr(os.path, "lexists", lambda path: exists(path) or str(path).endswith(("/SECRET", "/KEYS")))
    for path in ("SECRET", "Secret", "KEYS", "keys"):
        assert (ignore.rule_for(path) is None) == (path in ("Secret", "keys"))


names = st.sampled_from(["a", "b", "ab", "foo", "x.log"])
segments = st.sampled_from(["a", "b", "foo", "*", "**", "?", "*.log", "[ab]", "[!a]", "a*", "fo\\o"])
rules = st.builds(
    lambda sign, lead, parts, end: sign + lead + "/".join(parts) + end,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "/", "**/"]),
    st.lists(segments, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose `.gitignore` is filled anew by each example."""
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


@settings(max_examples=60, deadline=None)
@given(st.lists(rules, min_size=1, max_size=5), st.lists(st.lists(names, min_size=1, max_size=3), min_size=1))
def test_git_is_the_judge(repository: Path, lines: list[str], paths: list[list[str]]) -> None:
    """A path is forbidden exactly where git ignores it by the same lines."""
    for name in (".gitignore", ".cursorignore"):
        (repository / name).write_text("".join(line + "\n" for line in lines))
    asked = list(dict.fromkeys("/".join(path) for path in paths))
    done = subprocess.run(
        ["git", "-c", f"core.excludesFile={os.devnull}", "check-ignore", "--no-index", "--stdin"],
        input="\n".join(asked),
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    ignore = AgentIgnore(os.path.realpath(repository))
    assert [path for path in asked if ignore.rule_for(path)] == done.stdout.splitlines()
