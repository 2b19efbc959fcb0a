"""`editstream apply` with pipes: what it writes, what it shows, and diffs that other tools can apply."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest


def block(search: str, replace: str) -> str:
    return f"------- SEARCH\n{search}=======\n{replace}+++++++ REPLACE\n"


def test_an_applied_edit_is_written_and_told(place: Any) -> None:
    """With --yes the file is written, and standard output says what was done, without escape codes."""
    done = place.run("apply", "greet.py", "edit.diff", "--yes", FORCE_COLOR="1")
    assert place.file.read_text() == place.edited
    assert done.stdout.splitlines() == [
        f"greet.py: {len(place.edit)} characters, 1 of 1 block done; +1 -1 lines",
        "   1 applied         line 2              exact",
        "greet.py: modified",
    ]


def test_the_diff_may_come_on_standard_input(place: Any) -> None:
    """Without DIFF, and with "-", the diff is read from standard input."""
    for args in (("apply", "greet.py", "--yes"), ("apply", "greet.py", "-", "--yes")):
        place.file.write_text(place.greeting)
        assert place.run(*args, stdin=place.edit).returncode == 0
        assert place.file.read_text() == place.edited


def test_a_missing_file_is_created(place: Any) -> None:
    """A FILE that does not exist is made, with its folders."""
    done = place.run("apply", "new/dir/notes.md", "--yes", stdin=block("", "# Notes\n"))
    assert (done.returncode, (place.folder / "new/dir/notes.md").read_text()) == (0, "# Notes\n")
    assert "new/dir/notes.md: created" in done.stdout


def test_the_root_may_be_elsewhere(place: Any) -> None:
    """With --root FILE is below that folder, and may be given with its whole path."""
    (place.folder / "sub").mkdir()
    for name in ("a.py", str(place.folder / "a.py")):
        (place.folder / "a.py").write_text(place.greeting)
        done = place.run("apply", name, "edit.diff", "--yes", "--root", str(place.folder))
        assert (done.returncode, (place.folder / "a.py").read_text()) == (0, place.edited)


def test_the_message_for_the_model_is_on_standard_error(place: Any) -> None:
    """A rejected edit prints the error's own text, nothing else, on standard error."""
    from editstream import EditError, FileEditor

    editor = FileEditor(place.greeting)
    editor.feed(place.lost)
    with pytest.raises(EditError) as caught:
        editor.close()
    assert place.run("apply", "greet.py", "lost.diff", "--yes").stderr == f"{caught.value}\n"


def test_the_rest_may_be_applied(place: Any) -> None:
    """With --on-reject apply_rest the good blocks are written, and the problems told."""
    done = place.run("apply", "greet.py", "--yes", "--on-reject", "apply_rest", stdin=place.edit + place.lost)
    assert (done.returncode, place.file.read_text()) == (0, place.edited)
    assert done.stderr.startswith("Block 2 (line 6 of the edit) was not applied")
    assert done.stderr.endswith("\n\nThe other blocks fit: send only the rejected ones again, repaired.\n")
    assert "Nothing was applied" not in done.stderr


def test_ambiguity_may_take_the_first(place: Any) -> None:
    """With --ambiguity first a block that fits twice takes the first place."""
    (place.folder / "a.txt").write_text("x\ny\nx\n")
    refused = place.run("apply", "a.txt", "--yes", stdin=block("x\n", "z\n"))
    taken = place.run("apply", "a.txt", "--yes", "--ambiguity", "first", stdin=block("x\n", "z\n"))
    assert (refused.returncode, taken.returncode) == (1, 0)
    assert (place.folder / "a.txt").read_text() == "z\ny\nx\n"


DIFFS = [
    ("a\nb\nc\n", block("b\n", "B\nb2\n")),
    ("a\nb", block("b\n", "B\n")),
    ("a\nb", block("a\n", "A\n")),
    ("a\nb", block("b\n", "b\nc\n")),
    ("a\r\nb\r\nc\r\n", block("b\n", "x\ny\n")),
    ("".join(f"{n}\n" for n in range(60)), block("3\n", "three\n") + block("50\n51\n", "") + block("9\n", "9\n9b\n")),
    ("", block("", "new\nfile\n")),
    ("a\n\x0cb\u2028\nc\n", block("c\n", "d\n")),
]


@pytest.mark.parametrize(("original", "diff"), DIFFS)
def test_a_dry_run_is_a_diff_that_git_applies(place: Any, original: str, diff: str) -> None:
    """What --dry-run prints, git apply turns into the very file that --yes writes; the run itself writes nothing."""
    name = "a file.txt"
    file = place.folder / name
    file.write_bytes(original.encode())
    dry = place.run("apply", name, "--dry-run", stdin=diff)
    assert (dry.returncode, dry.stderr, file.read_bytes()) == (0, "", original.encode())
    subprocess.run(["git", "init", "-q"], cwd=place.folder, check=True)
    subprocess.run(["git", "apply", "--whitespace=nowarn"], input=dry.stdout.encode(), cwd=place.folder, check=True)
    by_git = file.read_bytes()
    file.write_bytes(original.encode())
    place.run("apply", name, "--yes", stdin=diff)
    assert by_git == file.read_bytes() != original.encode()


def test_a_dry_run_of_a_new_file_is_compared_with_nothing(place: Any) -> None:
    """The diff of a file that does not exist creates it."""
    dry = place.run("apply", "new.txt", "--dry-run", stdin=block("", "one\ntwo\n"))
    assert dry.stdout == "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"


def test_a_diff_keeps_the_encoding_of_its_file(place: Any) -> None:
    """The dry run of a file with a byte order mark or control characters is exact where a program reads it."""
    (place.folder / "a.txt").write_bytes("\ufeffa\x1b[31m\nb\n".encode())
    dry = place.run("apply", "a.txt", "--dry-run", stdin=block("b\n", "\x1b[0mB\n"))
    assert dry.stdout == "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n a\x1b[31m\n-b\n+\x1b[0mB\n"


def test_json_has_the_diff_of_a_dry_run(place: Any) -> None:
    """--dry-run --json puts the diff and each block's place into the object."""
    answer = json.loads(place.run("apply", "greet.py", "edit.diff", "--dry-run", "--json").stdout)
    assert answer["diff"].startswith("--- a/greet.py\n+++ b/greet.py\n@@ -1,5 +1,5 @@\n")
    assert (answer["blocks"][0]["lines"], answer["blocks"][0]["tier"]) == ([2, 3], "exact")
