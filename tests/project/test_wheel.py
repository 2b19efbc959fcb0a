"""What is in the distribution."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = "import sys; from setuptools import build_meta; getattr(build_meta, 'build_' + sys.argv[1])(sys.argv[2])"


def build(kind: str, source: Path, into: Path) -> Path:
    """Have the project's own back end build an ``sdist`` or a ``wheel`` from a folder of sources."""
    into.mkdir()
    words = [sys.executable, "-c", BUILD, kind, str(into)]
    done = subprocess.run(words, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = into.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel made from the source distribution, made from a copy of the sources alone."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in ("pipeline", "operators"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    sdist = build("sdist", source, folder / "sdist")
    with tarfile.open(sdist) as packed:
        packed.extractall(folder / "unpacked", filter="data")
    return build("wheel", next((folder / "unpacked").iterdir()), folder / "wheel")


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    """The wheel holds the package's files under their installed names, py.typed and the demo too, and no others."""
    expected = set()
    for folder, prefix in (("pipeline", "editstream"), ("operators", "editstream/operators")):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                expected.add(f"{prefix}/{path.relative_to(ROOT / folder).as_posix()}")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == expected
    assert {"editstream/py.typed", "editstream/recording/demo.jsonl"} <= held


def test_the_wheel_names_its_licence_command_and_needs(wheel: Path) -> None:
    """The metadata gives the licence with its text, the console script, and the five dependencies outside extras."""
    packed = zipfile.ZipFile(wheel)
    (info,) = {name.partition("/")[0] for name in packed.namelist() if ".dist-info/" in name}
    metadata = Parser().parsestr(packed.read(f"{info}/METADATA").decode())
    needs = [need for need in metadata.get_all("Requires-Dist", []) if "extra ==" not in need]
    assert metadata["License-Expression"] == "Apache-2.0"
    assert f"{info}/licenses/LICENSE" in packed.namelist()
    assert "editstream = editstream.cli:main" in packed.read(f"{info}/entry_points.txt").decode()
    assert len(needs) == 5
    assert {"all", "dev"} <= set(metadata.get_all("Provides-Extra", []))


def test_the_unpacked_wheel_imports(wheel: Path, tmp_path: Path) -> None:
    """The package imports from the wheel's own files, with nothing of the checkout in sight."""
    zipfile.ZipFile(wheel).extractall(tmp_path)
    probe = "import sys; sys.path.insert(0, sys.argv[1]); import editstream.cli; print(editstream.__file__)"
    words = [sys.executable, "-I", "-W", "error", "-c", probe, str(tmp_path)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).is_relative_to(tmp_path)
