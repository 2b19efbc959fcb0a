"""How each command ends: its exit code, what it wrote, and where it says why."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

APPLY = ("apply", "greet.py", "edit.diff", "--yes")
CASES = [
    (APPLY, 0, ""),
    (("apply", "greet.py", "edit.diff", "--dry-run"), 0, ""),
    (("apply", "greet.py", "-", "--yes"), 1, "no SEARCH/REPLACE block"),
    (("apply", "greet.py", "lost.diff", "--yes"), 1, "Block 1 (line 1 of the edit) was not applied"),
    (("apply", "greet.py", "lost.diff", "--dry-run"), 1, "Block 1 (line 1 of the edit) was not applied"),
    (("apply", "greet.py", "lost.diff", "--yes", "--on-reject", "apply_rest"), 1, "Block 1"),
    (("apply", "gree.py", "edit.diff", "--yes"), 1, "'gree.py' does not exist"),
    (("apply", "greet.py", "edit.diff"), 2, "--yes"),
    (("apply",), 2, "FILE"),
    (("apply", "greet.py", "edit.diff", "--dialect", "v9"), 2, "'v9'"),
    (("nothing",), 2, "No such command"),
    (("record", "greet.py", "-o", "greet.py"), 2, "would replace"),
    (("replay", "edit.diff", "--speed", "0"), 2, "--speed"),
    (("replay", "edit.diff", "--speed", "nan"), 2, "--speed"),
    (("apply", "../greet.py", "edit.diff", "--yes"), 3, "--root"),
    (("apply", "/etc/passwd", "edit.diff", "--yes"), 3, "--root"),
    (("apply", ".git/config", "edit.diff", "--yes"), 3, ".git"),
    (("apply", "out/greet.py", "edit.diff", "--yes"), 3, "link"),
    (("preview", "../greet.py"), 3, "--root"),
    (("record", "../greet.py", "-o", "x"), 3, "--root"),
    (("apply", "greet.py", "missing.diff", "--yes"), 4, "missing.diff"),
    (("apply", "greet.py", "", "--yes"), 4, "No such file or directory: ''"),
    (("apply", "greet.py", "latin.diff", "--yes"), 4, "UTF-8"),
    (("apply", "greet.py", "nul.diff", "--dry-run"), 4, "NUL"),
    (("apply", "binary", "edit.diff", "--yes"), 4, "binary"),
    (("apply", "greet.py", "edit.diff", "--yes", "--root", "nowhere"), 4, "nowhere"),
    (("replay", "missing.jsonl"), 4, "missing.jsonl"),
    (("replay", "edit.diff"), 4, "line 1"),
    (("record", "greet.py", "-o", "no/such/folder"), 4, "no/such/folder"),
    (("glob", "*", "nowhere"), 4, "nowhere"),
]


@pytest.mark.parametrize(("args", "code", "said"), CASES, ids=[" ".join(args) for args, _, _ in CASES])
def test_exit_codes(place: Any, args: tuple[str, ...], code: int, said: str) -> None:
    """A command ends with the code of the table, says why on standard error, and writes only if it says so."""
    (place.folder / "latin.diff").write_bytes("------- SEARCH\né\n".encode("latin-1"))
    (place.folder / "binary").write_bytes(b"\x00\x01")
    (place.folder / "nul.diff").write_text(place.edit.replace("Hello, {", "\0{"))
    (place.folder / "out").symlink_to(place.folder.parent)
    (place.folder.parent / "greet.py").write_text(place.greeting)
    done = place.run(*args)
    assert (done.returncode, bool(done.stderr)) == (code, bool(said))
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert place.file.read_text() == (place.edited if args == APPLY else place.greeting)


def test_a_write_that_the_system_refuses_is_an_io_error(place: Any) -> None:
    """Where no byte may be written to a file the command ends with 4, and leaves the file and nothing beside it."""
    limited = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", sys.executable, "-m", "editstream.cli", *APPLY]
    done = subprocess.run(limited, cwd=place.folder, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr, bool(done.stderr)) == (4, False, True)
    assert place.file.read_text() == place.greeting
    assert sorted(path.name for path in place.folder.iterdir()) == ["edit.diff", "greet.py", "lost.diff"]


@pytest.mark.parametrize(
    ("args", "code", "reason"),
    [
        (("apply", "greet.py", "edit.diff", "--yes"), 0, "applied"),
        (("apply", "greet.py", "edit.diff", "--dry-run"), 0, "dry_run"),
        (("apply", "greet.py", "lost.diff", "--yes"), 1, "rejected"),
        (("apply", "greet.py", "-", "--yes"), 1, "no_blocks"),
        (("apply", "../x", "edit.diff", "--yes"), 3, "refused"),
        (("apply", "greet.py", "missing", "--yes"), 4, "io"),
    ],
)
def test_json_is_one_object_however_it_ends(place: Any, args: tuple[str, ...], code: int, reason: str) -> None:
    """With --json standard output is one object with the path, the blocks, the problems, and how it ended."""
    done = place.run(*args, "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == code
    assert (answer["reason"], answer["written"]) == (reason, reason == "applied")
    assert answer["path"] == args[1]
    assert [block["status"] for block in answer["blocks"]] == {
        "applied": ["applied"],
        "dry_run": ["applied"],
        "rejected": ["rejected"],
    }.get(reason, [])
    assert [problem["kind"] for problem in answer["problems"]] == (["not_found"] if reason == "rejected" else [])


def test_an_edit_that_is_there_already_is_a_success(place: Any) -> None:
    """Applying the same diff twice writes once and ends with 0 both times."""
    (place.folder / "two.diff").write_text("------- SEARCH\nx = 1\ny = 2\n=======\nx = 3\ny = 2\n+++++++ REPLACE\n")
    (place.folder / "two.py").write_text("x = 1\ny = 2\n")
    first, second = (place.run("apply", "two.py", "two.diff", "--yes") for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0)
    assert "two.py: modified" in first.stdout
    assert "two.py: nothing written (unchanged)" in second.stdout


def test_preview_json_is_an_object_for_an_error_too(place: Any) -> None:
    """A file that cannot be previewed is one object on standard output as well."""
    answer = json.loads(place.run("preview", "../x", "--json").stdout)
    assert (answer["path"], answer["reason"], answer["written"]) == ("../x", "refused", False)


@pytest.mark.parametrize(
    ("closed", "args", "code"),
    [
        ("<&-", APPLY, 0),
        ("<&-", ("apply", "greet.py", "edit.diff"), 2),
        ("<&-", ("apply", "greet.py", "--dry-run"), 1),
        ("<&-", ("preview", "greet.py"), 1),
        ("<&-", ("record", "greet.py", "-o", "turn.jsonl"), 0),
        (">&-", APPLY, 0),
        (">&-", ("glob", "*"), 0),
        (">&-", ("preview", "greet.py"), 1),
        ("2>&-", ("apply", "greet.py", "lost.diff", "--yes"), 1),
        ("<&- >&- 2>&-", APPLY, 0),
    ],
)
def test_a_standard_stream_may_be_closed(place: Any, closed: str, args: tuple[str, ...], code: int) -> None:
    """Without a standard stream the command does what it would with an empty one, and writes nothing else's bytes."""
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "editstream.cli", *args]
    done = subprocess.run(
        shell, cwd=place.folder, stdin=subprocess.DEVNULL, capture_output=True, start_new_session=True, check=False
    )
    assert (done.returncode, b"Traceback" in done.stderr) == (code, False)
    assert place.file.read_text() == (place.edited if args == APPLY else place.greeting)


def test_a_full_disk_is_said_in_words(place: Any) -> None:
    """An error of the system that names no file is told without its number."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    command = [sys.executable, "-m", "editstream.cli", "apply", "greet.py", "edit.diff", "--dry-run"]
    with full.open("wb") as out:
        done = subprocess.run(command, cwd=place.folder, stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (4, "editstream: No space left on device\n")


def test_stdout_closed_early_is_quiet(place: Any) -> None:
    """A reader that goes away ends the command without a word."""
    process = place.start("record", "greet.py", "-o", "turn.jsonl")
    process.stdout.close()
    process.stdin.write(b"more\n")
    process.stdin.flush()
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (141, b"")
    assert '"cancelled"' in Path(place.folder, "turn.jsonl").read_text().splitlines()[-1]
