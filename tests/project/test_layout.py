"""The shape of the code: what is packaged, who may import whom, and how long things may be."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(path for folder in ("pipeline", "operators") for path in (ROOT / folder).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
SOURCES = [*MODULES, *(ROOT / "tests").rglob("*.py")]

# What each part of the pipeline may import besides itself; "" is the package's own modules, the public names.
MAY_IMPORT = {
    "workspace": set[str](),
    "edits": {"workspace"},
    "recording": {"workspace"},
    "scan": {"workspace"},
    "sources": {"recording"},
    "prompts": set(),
    "session": {"edits", "prompts", "recording", "workspace"},
    "": {"edits", "prompts", "session", "workspace"},
    "live": {"", "edits", "session", "workspace"},
    "cli": {"", "edits", "live", "prompts", "recording", "scan", "session", "sources", "workspace"},
}
# A stage is a machine: nothing in it reaches a file, a clock, a thread, a process or the network.
WORLD = {
    "asyncio", "concurrent", "datetime", "glob", "io", "multiprocessing", "os", "pathlib", "queue", "random", "select",
    "shutil", "signal", "socket", "ssl", "subprocess", "tempfile", "threading", "time", "urllib", "click", "pathspec",
    "pydantic", "rich",
}  # fmt: skip
# One paragraph that ends in a full stop, with no other before a capital letter.
SENTENCE = re.compile(r"(?:(?!\n\n|[.!?]\s+[A-Z]).)+[.]", re.DOTALL)


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def installed_name(path: Path) -> str:
    """``pipeline/scan/cache.py`` as ``editstream.scan.cache``; a package as itself."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = ("editstream", *(parts[1:] if parts[0] == "pipeline" else parts))
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_names(path: Path) -> Iterator[str]:
    """Every module that a file imports, anywhere in it, by its absolute name."""
    package = installed_name(path).split(".")
    if path.name != "__init__.py":
        package.pop()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def part(name: str) -> str:
    """The part of the pipeline that an installed name belongs to."""
    first = name.split(".")[1]
    return first if (ROOT / "pipeline" / first).is_dir() else ""


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_package_folder_is_listed() -> None:
    """The packages named in pyproject.toml are exactly the folders that hold an ``__init__.py``."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted(installed_name(path) for path in MODULES if path.name == "__init__.py")


def test_every_module_is_in_a_package() -> None:
    """No module lies in a folder that is no package, where the wheel would leave it out."""
    assert [label(path) for path in MODULES if not (path.parent / "__init__.py").exists()] == []


@pytest.mark.parametrize("path", [p for p in MODULES if p.is_relative_to(ROOT / "operators")], ids=label)
def test_operators_touch_nothing_outside(path: Path) -> None:
    """A stage imports neither the pipeline nor anything with which one reaches the world."""
    names = set(imported_names(path))
    assert [n for n in names if re.match(r"editstream(?!\.operators\b)|pipeline\b", n) and n != "editstream"] == []
    assert "editstream" not in names
    assert {name.split(".")[0] for name in names} & WORLD == set()


@pytest.mark.parametrize("path", [p for p in MODULES if p.is_relative_to(ROOT / "pipeline")], ids=label)
def test_imports_run_one_way(path: Path) -> None:
    """Inside the pipeline the command line imports the parts, the parts the workspace, and nothing the other way."""
    own = part(installed_name(path) + ".")
    inside = {name for name in imported_names(path) if re.match(r"editstream\.(?!operators\b)", name)}
    assert [name for name in sorted(inside) if part(name) not in {own, *MAY_IMPORT[own]}] == []


@pytest.mark.parametrize("path", SOURCES, ids=label)
def test_files_are_short_and_say_what_they_are(path: Path) -> None:
    """Every file has a docstring and at most 500 lines, no function over 60, and says of nothing that it is undone."""
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(tree(path))
    assert len(text.splitlines()) <= 500
    assert [f.name for f in functions(path) if (f.end_lineno or 0) - f.lineno + 1 > 60] == []
    assert re.findall(r"\b(?:TOD[O]|FIXM[E]|XX[X]|NotImplementedErro[r])\b", text) == []


@pytest.mark.parametrize("path", TESTS, ids=label)
def test_each_test_states_its_property(path: Path) -> None:
    """Every test function has a docstring, and the docstring is one sentence."""
    tests = [f for f in functions(path) if f.name.startswith("test")]
    assert tests
    assert [f.name for f in tests if not SENTENCE.fullmatch(ast.get_docstring(f) or "")] == []


def test_names_of_test_files_are_unique() -> None:
    """No two test files share a name, so that a report says which one it means."""
    names = [path.name for path in TESTS]
    assert sorted(set(names)) == sorted(names)
