"""What a character of a whole-file write costs in a large file, against a small one.

    python tests/bench/whole_file.py [--quick] [--rounds N]

Prints one table: what was measured, against what, the ratio (median of several interleaved rounds) and its bound.
Exit status 1 if a bound is missed. `--quick` measures less, and allows three times as much where time is measured.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial

from edits import chunked, file_lines
from table import Row, clock, medians, micro, print_table

from editstream.operators import SAFE, Chain, Document, Lines, Snapshots
from editstream.operators.whole_file import WholeFile

SMALL, LARGE = 2_000, 20_000  # lines
BOUND = 1.5  # how many times as much a character may cost in the large file


def same(lines: list[str]) -> list[str]:
    return lines


def tenth_changed(lines: list[str]) -> list[str]:
    """Every tenth line changed: in the large file more runs than are shown each in its place."""
    return [line if n % 10 else "#" + line for n, line in enumerate(lines)]


def tenth_added(lines: list[str]) -> list[str]:
    return [line if n % 10 else "# new\n" + line for n, line in enumerate(lines)]


def second_half(lines: list[str]) -> list[str]:
    return lines[len(lines) // 2 :]


def all_new(lines: list[str]) -> list[str]:
    return ["#" + line for line in lines]


def fenced(lines: list[str]) -> list[str]:
    """Text after the closer: all that was shown is taken back, and shown again."""
    return ["```py\n", *lines, "```\n", "So it is.\n"]


def one_line(lines: list[str]) -> list[str]:
    return [line.rstrip("\n") for line in lines]


WRITES: tuple[Callable[[list[str]], list[str]], ...] = (
    same,
    tenth_changed,
    tenth_added,
    second_half,
    all_new,
    fenced,
    one_line,
)


def write_time(count: int, times: int, write: Callable[[list[str]], list[str]]) -> float:
    """Seconds per character of a write in small pieces, from the first piece to the last snapshot."""
    lines = file_lines(count)
    original, pieces = "".join(lines), chunked("".join(write(lines)))

    def work() -> None:
        for _ in range(times):
            document = Document(original)
            machine = Chain((Lines(), WholeFile(document), Snapshots(document, SAFE)))
            for piece in pieces:
                for _ in machine.feed(piece):
                    pass
            for _ in machine.close("complete"):
                pass

    return clock(work) / sum(map(len, pieces)) / times


def rows(quick: bool, rounds: int) -> Iterator[Row]:
    """A character costs the same, however large the file."""
    large = LARGE // 4 if quick else LARGE
    for write in WRITES:
        works = [partial(write_time, SMALL, large // SMALL, write), partial(write_time, large, 1, write)]
        small, big = medians(rounds, list(works))
        name = write.__name__.replace("_", " ")
        yield Row(f"{name}: {large:,} lines", micro(big), f"{SMALL:,} lines {micro(small)}", big / small, BOUND)


if __name__ == "__main__":
    sys.exit(print_table(__doc__, rows))
