"""Huge inputs get an answer or a clear `too_large`, in bounded time and memory.

Each case runs in a process of its own, whose peak memory is read at the end. The wall bounds are there to catch a
hang or a quadratic, not to measure: tests/bench does that.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

WALL = 120  # seconds: a case takes a few, a quadratic one takes hours
MEGABYTE = 1 << 20

PRELUDE = """
import json, resource, sys, time
from editstream import EditError, FileEditor

def report(editor, **more):
    try:
        editor.close()
    except EditError as error:
        text = str(error)
    else:
        text = ""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    last = editor.snapshot
    print(json.dumps({
        "peak": peak, "kinds": sorted({problem.kind for problem in last.problems}), "message": len(text),
        "blocks": len(last.blocks), "statuses": sorted({block.status for block in last.blocks}),
        "length": len(last.full_content), "edits": len(last.edits), **more,
    }))
"""


def measured(script: str) -> dict[str, object]:
    """What a script reports, run in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=WALL,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def answered(got: dict[str, object], peak: int) -> None:
    """The work stayed within a bound of memory, and its message, if any, within a few kilobytes a block."""
    assert int(str(got["peak"])) < peak, got
    assert int(str(got["message"])) < 100_000 or int(str(got["message"])) < 5000 * int(str(got["blocks"])), got


@pytest.mark.parametrize(
    ("lines", "width", "search", "answers"),
    [
        (600_000, 80, "line 400000 ", ["applied"]),
        (600_000, 80, "nothing like a line ", ["not_found"]),
        (2_000_000, 20, "line 400000 ", ["applied", "too_large"]),
        (2, 25_000_000, "line 1 ", ["applied", "too_large"]),
    ],
)
def test_a_file_of_50_megabytes(lines: int, width: int, search: str, answers: list[str]) -> None:
    """An edit of a huge file is made, or refused with a reason, whether its lines are many or long."""
    got = measured(f"""
        original = "".join(f"line {{n}} ".ljust({width}, "x") + "\\n" for n in range({lines}))
        assert len(original) >= 42_000_000
        editor = FileEditor(original)
        for chunk in ("------- SEARCH\\n", "{search}".ljust({width}, "x"), "\\n=======\\nnew\\n+++++++ REPLACE\\n"):
            editor.feed(chunk)
        report(editor)
    """)
    answered(got, 1500 * MEGABYTE)
    assert {*got["statuses"], *got["kinds"]} & {*answers}, got  # type: ignore[misc]


@pytest.mark.parametrize("part", ["REPLACE", "SEARCH", "prose"])
def test_a_diff_of_a_million_lines(part: str) -> None:
    """A million lines of one block, or of none, come to an end."""
    got = measured(f"""
        editor = FileEditor("a\\nb\\n")
        start = {{"REPLACE": "------- SEARCH\\nb\\n=======\\n", "SEARCH": "------- SEARCH\\n", "prose": ""}}["{part}"]
        editor.feed(start)
        chunk = "".join(f"a line of the diff {{n}}\\n" for n in range(1000))
        for _ in range(1000):
            editor.feed(chunk)
        if "{part}" != "prose":
            editor.feed("=======\\nx\\n+++++++ REPLACE\\n" if "{part}" == "SEARCH" else "+++++++ REPLACE\\n")
        report(editor)
    """)
    answered(got, 1500 * MEGABYTE)
    assert got["kinds"] in ([], ["too_large"], ["not_found"]), got


def test_a_hundred_thousand_unclosed_openers() -> None:
    """Each is malformed, or they are too many; the message does not explode."""
    got = measured("""
        editor = FileEditor("a\\nb\\n" * 100)
        for _ in range(100_000):
            editor.feed("------- SEARCH\\na\\n")
        report(editor)
    """)
    answered(got, 1000 * MEGABYTE)
    assert got["kinds"] in (["malformed"], ["malformed", "too_large"], ["too_large"]), got
    assert int(str(got["message"])) < 50_000_000


def test_a_hundred_thousand_small_blocks() -> None:
    """Every line of a long file edited by its own block: all applied, or too many."""
    got = measured("""
        count = 100_000
        editor = FileEditor("".join(f"line {n}\\n" for n in range(count)))
        for n in range(count):
            editor.feed(f"------- SEARCH\\nline {n}\\n=======\\nnew {n}\\n+++++++ REPLACE\\n")
        report(editor)
    """)
    answered(got, 1500 * MEGABYTE)
    assert got["statuses"] == ["applied"] or "too_large" in got["kinds"], got  # type: ignore[operator]


def test_many_dividers() -> None:
    """Ten thousand lines that may each be the divider do not try ten thousand searches of the whole."""
    got = measured("""
        editor = FileEditor("=======\\n" * 10_000 + "end\\n")
        editor.feed("------- SEARCH\\n")
        for _ in range(5_000):
            editor.feed("=======\\n")
        editor.feed("x\\n+++++++ REPLACE\\n")
        report(editor)
    """)
    answered(got, 800 * MEGABYTE)


@pytest.mark.parametrize(
    "line", ["'=' * SIZE", "' ' * SIZE", "'\\t' * SIZE", "'------- SEARCH' * (SIZE // 14)", "'&amp;' * (SIZE // 5)"]
)
def test_very_long_lines(line: str) -> None:
    """Lines of five megabytes, in the file and in each part of the diff, in chunks and whole."""
    got = measured(f"""
        SIZE = 5_000_000
        line = {line}
        editor = FileEditor(line + "x\\n" + "b\\n")
        for part in ("------- SEARCH\\n", line, "x\\nb\\n", "=======\\n", line, "y\\n", "+++++++ REPLACE\\n", line):
            for at in range(0, len(part), 50_000):
                editor.feed(part[at : at + 50_000])
        report(editor)
    """)
    answered(got, 1000 * MEGABYTE)


def test_equal_lines_do_not_make_the_search_quadratic() -> None:
    """A SEARCH of 5,000 equal lines in a file of 50,000 such lines is refused as ambiguous in bounded time."""
    got = measured("""
        editor = FileEditor("x\\n" * 50_000 + "end\\n")
        editor.feed("------- SEARCH\\n" + "x\\n" * 5_000 + "=======\\ny\\n+++++++ REPLACE\\n")
        report(editor)
    """)
    answered(got, 800 * MEGABYTE)
    assert got["kinds"] in (["ambiguous"], ["too_large"]), got


def test_nearly_equal_lines_do_not_make_the_search_quadratic() -> None:
    """A SEARCH whose last line alone is missing, among equal lines, is refused in bounded time."""
    got = measured("""
        editor = FileEditor("    x\\n" * 50_000 + "end\\n")
        editor.feed("------- SEARCH\\n" + "  x\\n" * 5_000 + "  z\\n=======\\ny\\n+++++++ REPLACE\\n")
        report(editor)
    """)
    answered(got, 800 * MEGABYTE)
    assert got["kinds"] in (["not_found"], ["too_large"]), got


def test_a_large_block_is_aligned_in_bounded_time() -> None:
    """Twenty thousand lines replaced by twenty thousand others, half of them kept in another order."""
    got = measured("""
        lines = [f"line {n % 3000}\\n" for n in range(20_000)]
        editor = FileEditor("".join(lines))
        moved = lines[1::2] + lines[::2]
        editor.feed("------- SEARCH\\n" + "".join(lines) + "=======\\n" + "".join(moved) + "+++++++ REPLACE\\n")
        report(editor)
    """)
    answered(got, 1000 * MEGABYTE)
    assert got["statuses"] == ["applied"] or got["kinds"] == ["too_large"], got


def test_deep_indents() -> None:
    """A file whose lines go a thousand levels deep is mapped like any other."""
    got = measured("""
        lines = ["\\t" * n + f"x{n}\\n" for n in range(1000)]
        spaces = ["    " * n + f"x{n}\\n" for n in range(1000)]
        editor = FileEditor("".join(lines))
        new = "    " * 999 + "y\\n"
        editor.feed("------- SEARCH\\n" + "".join(spaces) + "=======\\n" + "".join(spaces) + new + "+++++++ REPLACE\\n")
        report(editor)
    """)
    answered(got, 500 * MEGABYTE)
    assert got["statuses"] == ["applied"], got
