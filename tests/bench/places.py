"""What it costs to place edits by what their format says: text inside lines, every hit of it, scopes, a line near.

    python tests/bench/places.py [--quick] [--rounds N]

Prints one table: what was measured, against what, the ratio (median of several interleaved rounds) and its bound.
Exit status 1 if a bound is missed. `--quick` measures less, and allows three times as much where time is measured.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from edits import FILE_LINES, file_lines
from table import Row, clock, medians, micro, milli, print_table

from editstream.operators import (
    SAFE,
    Chain,
    Closed,
    Divided,
    Document,
    LadderSearch,
    Opened,
    OutOfOrder,
    Placing,
    ReplaceLine,
    SearchLine,
    Snapshot,
    Snapshots,
    Where,
)

EDITS = 200
OLD, NEW = "derived", "compute"
TEXT = Where(as_text=True)
EVERY = Where(as_text=True, everywhere=True)


def edit(search: Sequence[str], replace: Sequence[str], where: Where | None, index: int) -> list[Any]:
    """The events of one edit."""
    placing = [] if where is None else [Placing(where)]
    searched = [SearchLine(line, 1) for line in search]
    replaced = [ReplaceLine(line, 1) for line in replace]
    return [Opened(index, 1), *placing, *searched, Divided(1, ""), *replaced, Closed(1)]


def edit_time(file: str, events: Sequence[Any], expected: str) -> float:
    """Seconds from the file to its new text."""
    last: list[Snapshot] = []

    def work() -> None:
        document = Document(file)
        ladder = SAFE.line_tiers
        machine = Chain((LadderSearch(document, ladder), OutOfOrder(ladder), Snapshots(document, SAFE)))
        for event in events:
            for _ in machine.feed(event):
                pass
        last.extend(machine.close("complete"))
        assert last[-1].full_content == expected

    return clock(work)


def replace_time(file: str) -> float:
    return clock(lambda: file.replace(OLD, NEW))


def every_hit(rounds: int, quick: bool) -> Iterator[Row]:
    """Every hit in a large file, against `str.replace` and a block that changes one line there; and hit by hit."""
    count = FILE_LINES if quick else 10 * FILE_LINES
    sparse, dense = [each_nth(file_lines(count), nth) for nth in (1_000, 1)]
    few = each_nth(file_lines(count // 10), 1)
    first = sparse[0].rstrip("\n")
    block = edit([first], [first.replace(OLD, NEW)], None, 0)
    pair = edit([OLD], [NEW], EVERY, 0)
    files = ["".join(lines) for lines in (sparse, dense, few)]
    works = [partial(edit_time, file, pair, file.replace(OLD, NEW)) for file in files]
    works += [
        partial(edit_time, files[0], block, files[0].replace(OLD, NEW, 1)),
        partial(replace_time, files[0]),
    ]
    one_in_thousand, each, each_of_few, one_block, replaced = medians(rounds, list(works))
    yield Row(
        f"{count // 1_000} hits in {count:,} lines",
        milli(one_in_thousand),
        f"str.replace, a block {milli(replaced + one_block)}",
        one_in_thousand / (replaced + one_block),
        1.5,
    )
    hit, hit_of_few = each / count, each_of_few * 10 / count
    name = f"a hit of {count:,}"
    yield Row(name, micro(hit), f"of {count // 10:,} {micro(hit_of_few)}", hit / hit_of_few, 1.5)


def each_nth(lines: Sequence[str], nth: int) -> list[str]:
    """Lines of which each n-th has the old text."""
    return [line if at % nth else line.replace(NEW, OLD) for at, line in enumerate(lines)]


def placed(rounds: int) -> Iterator[Row]:
    """Some hundred edits of a file, by what is said of their places, against blocks of which nothing is said."""
    lines = [line.rstrip("\n").replace(NEW, OLD) for line in file_lines(FILE_LINES)]
    at = range(5, FILE_LINES, FILE_LINES // EDITS)
    changed = [line.replace(OLD, NEW) if n in at else line for n, line in enumerate(lines)]

    def blocks(where: Callable[[int], Where | None]) -> list[Any]:
        made = (edit(lines[n - 1 : n + 2], changed[n - 1 : n + 2], where(n), i) for i, n in enumerate(at))
        return [event for events in made for event in events]

    def texts(where: Where) -> list[Any]:
        made = (edit([lines[n][4:30]], [changed[n][4:30]], where, i) for i, n in enumerate(at))
        return [event for events in made for event in events]

    ways: list[tuple[str, float, list[Any]]] = [
        ("blocks", 1, blocks(lambda _: None)),
        ("near a line", 1.3, blocks(lambda n: Where(near=n + 1))),
        ("below a scope", 1.5, blocks(lambda n: Where(scopes=(lines[n - 3],)))),
        (
            "below two, one of them begun",
            2.5,
            blocks(lambda n: Where(scopes=(lines[n - 4], lines[n - 3].strip()[:12]))),
        ),
        ("pairs of lines", 3, blocks(lambda _: TEXT)),
        ("pairs of text inside lines", 4, texts(TEXT)),
        ("pairs for every hit", 6, texts(EVERY)),
    ]
    file, expected = ("".join(line + "\n" for line in each) for each in (lines, changed))
    plain, *times = medians(rounds, [partial(edit_time, file, events, expected) for _, _, events in ways])
    for (name, bound, _), taken in zip(ways[1:], times, strict=True):
        yield Row(name, micro(taken / EDITS), f"blocks {micro(plain / EDITS)}", taken / plain, bound)


def rows(quick: bool, rounds: int) -> Iterator[Row]:
    yield from every_hit(rounds, quick)
    yield from placed(rounds)


if __name__ == "__main__":
    sys.exit(print_table(__doc__, rows))
