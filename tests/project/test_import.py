"""What importing the package costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROBE = "import sys, {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"


def loaded_by(module: str) -> set[str]:
    """The top-level modules in a new interpreter that has imported ``module``; ``-I`` keeps this folder out of it."""
    words = [sys.executable, "-I", "-W", "error", "-c", PROBE.format(module=module)]
    return set(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_loads_no_dependency() -> None:
    """In a new interpreter ``import editstream`` loads none of its dependencies and no event loop."""
    heavy = {"asyncio", "click", "pathspec", "pydantic", "reactivex", "rich"}
    assert loaded_by("editstream") & heavy == set()


def test_the_probe_sees_a_dependency() -> None:
    """The probe that finds nothing above does find a dependency where one is imported."""
    assert "pydantic" in loaded_by("pydantic")


@pytest.mark.parametrize("module", ["editstream.scan", "editstream.workspace", "editstream.recording"])
def test_parts_without_a_screen_load_no_rich(module: str) -> None:
    """The parts that draw nothing load neither rich nor click."""
    assert loaded_by(module) & {"rich", "click"} == set()
