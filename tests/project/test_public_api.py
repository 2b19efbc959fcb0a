"""The public names: all there, all typed, all used by one typed user."""

from __future__ import annotations

import ast
import importlib
import inspect
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
USER = Path(__file__).parent / "public_api.py"


def imported_by_the_user(*modules: str) -> set[str]:
    tree = ast.parse(USER.read_text(encoding="utf-8"))
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in froms if node.module in modules for alias in node.names}


@pytest.mark.parametrize("module", ["editstream", "editstream.prompts", "editstream.session"])
def test_the_typed_user_uses_every_public_name(module: str) -> None:
    """The typed user imports all that a package says is public, there or from ``editstream``, and nothing else."""
    public = set(importlib.import_module(module).__all__)
    assert imported_by_the_user(module) <= public <= imported_by_the_user("editstream", module)


@pytest.mark.parametrize(
    "module",
    [
        "editstream",
        "editstream.live",
        "editstream.operators",
        "editstream.prompts",
        "editstream.recording",
        "editstream.scan",
        "editstream.session",
        "editstream.sources",
        "editstream.workspace",
    ],
)
def test_every_public_name_is_there_and_documented(module: str) -> None:
    """Each name in a package's ``__all__`` exists, stands in ``dir()``, and has a docstring, but for constants."""
    package = importlib.import_module(module)
    assert set(package.__all__) <= set(dir(package))
    named = {name: getattr(package, name) for name in package.__all__}
    said = {name: value.__doc__ for name, value in named.items() if inspect.isclass(value) or inspect.isroutine(value)}
    assert [name for name, docstring in said.items() if not docstring] == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    """Asking the package for a name it does not have is an AttributeError that names it."""
    with pytest.raises(AttributeError, match="no_such_name"):
        importlib.import_module("editstream").no_such_name  # noqa: B018


def test_the_typed_user_runs() -> None:
    """What the typed user does with the public names gives what it asserts."""
    runpy.run_path(str(USER), run_name="__main__")


def test_the_typed_user_passes_mypy() -> None:
    """A user who checks with ``mypy --strict`` gets the types that the documentation promises."""
    words = [sys.executable, "-m", "mypy", "--strict", str(USER)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
