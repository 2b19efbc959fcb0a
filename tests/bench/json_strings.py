"""What a growing string in a tool's arguments costs, against parsing them anew at each delta.

    python tests/bench/json_strings.py [--quick] [--rounds N]

Prints one table: what was measured, against what, the ratio (median of several interleaved rounds) and its bound.
Exit status 1 if a bound is missed. `--quick` measures less, and allows three times as much where time is measured.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial

import jiter
from reactivex.subject import Subject
from table import Row, clock, medians, micro, print_table

from editstream.operators import End
from editstream.operators.formats.json_strings import JsonEvent, JsonStrings, json_strings

DELTA = 7  # code points
SIZE = 200_000  # code points of JSON
PREFIXES = 100  # places where the text is parsed anew
CODE = "    value = compute(index)\n"
CONTENTS = {"code": CODE, "all escapes": "\u4e2d\u6587", "pairs": "😀", "one line": CODE.strip()}
# How many times cheaper than parsing anew: a delta at the end, the mean, and the mean through the operator. One line
# without an escape is copied by jiter at the memory's speed.
LEAST, LEAST_OF_ONE_LINE = (30, 15, 5), (8, 5, 1.5)


def arguments(content: str, size: int) -> str:
    """The arguments of a whole-file write, `size` code points of JSON or a little more."""
    return json.dumps({"path": "src/a.py", "content": content * (size // (len(json.dumps(content)) - 2))})


def deltas(text: str) -> list[str]:
    return [text[at : at + DELTA] for at in range(0, len(text), DELTA)]


def machine_time(pieces: list[str], times: int) -> float:
    """Seconds per delta, the events thrown away."""

    def work() -> None:
        for _ in range(times):
            machine = JsonStrings("path", "content")
            for piece in pieces:
                machine.feed(piece)

    return clock(work) / len(pieces) / times


def operator_time(pieces: list[str]) -> float:
    """As `machine_time`, through the operator."""
    source, failed, given = Subject[str | End](), list[Exception](), list[JsonEvent]()
    source.pipe(json_strings("path", "content")).subscribe(given.append, failed.append)

    def work() -> None:
        for piece in pieces:
            source.on_next(piece)

    seconds = clock(work) / len(pieces)
    assert given
    assert not failed
    return seconds


def parse_time(text: str, places: list[int]) -> float:
    """Seconds to parse what has come so far, the open string with it; joining the pieces is not counted."""
    prefixes = [text[:place].encode() for place in places]

    def work() -> None:
        for prefix in prefixes:
            jiter.from_json(prefix, partial_mode="trailing-strings")

    return clock(work) / len(prefixes)


def speed(rounds: int) -> Iterator[Row]:
    """A delta costs a small part of what parsing costs, over the whole stream and at its end."""
    for name, content in CONTENTS.items():
        text = arguments(content, SIZE)
        pieces = deltas(text)
        # Cut where an escape is not: after a multiple of the content, from the front of the string.
        unit, start = len(json.dumps(content)) - 2, text.index("content") + 11
        all_over = [start + unit * (n * (SIZE - start) // unit // PREFIXES) for n in range(1, PREFIXES)]
        end = all_over[-1:] * PREFIXES
        works: list[Callable[[], float]] = [
            partial(machine_time, pieces, 1),
            partial(operator_time, pieces),
            partial(parse_time, text, all_over),
            partial(parse_time, text, end),
        ]
        machine, operator, mean, last = medians(rounds, works)
        rows = (
            ("a delta at 200 KB", machine, last),
            ("mean of 200 KB", machine, mean),
            ("mean, operator", operator, mean),
        )
        for (what, ours, theirs), least in zip(rows, LEAST_OF_ONE_LINE if name == "one line" else LEAST, strict=True):
            yield Row(f"{name}: {what}", micro(ours), f"jiter {micro(theirs)}", theirs / ours, least, most=False)


def flatness(rounds: int, quick: bool) -> Iterator[Row]:
    """A delta costs the same, however much came before."""
    sizes = [SIZE // 10, SIZE, SIZE if quick else SIZE * 10]
    for name, content in CONTENTS.items():
        works = [partial(machine_time, deltas(arguments(content, size)), sizes[-1] // size) for size in sizes]
        short, middle, long = medians(rounds, list(works))
        yield Row(f"{name}: 200 KB", micro(middle), f"20 KB {micro(short)}", middle / short, 1.3)
        yield Row(f"{name}: {sizes[-1] / 1e6:g} MB", micro(long), f"20 KB {micro(short)}", long / short, 1.3)


def rows(quick: bool, rounds: int) -> Iterator[Row]:
    yield from speed(rounds)
    yield from flatness(rounds, quick)


if __name__ == "__main__":
    sys.exit(print_table(__doc__, rows))
