"""What a long chat in Markdown costs: time in proportion to its length, and memory that does not follow it.

    python tests/bench/markdown.py [--quick] [--rounds N]

Prints one table: what was measured, against what, the ratio (median of several interleaved rounds) and its bound.
Exit status 1 if a bound is missed. `--quick` measures less, and allows three times as much where time is measured.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "formats"))

from markdown_chats import chat
from table import Row, clock, medians, print_table
from turn_strategies import fed, joined, sized, texts

from editstream.operators.formats.deltas import Text
from editstream.operators.formats.file_edits import EditBegan
from editstream.operators.formats.markdown import Markdown

DELTA = 5  # code points
SIZE, QUICK_SIZE = 4_000_000, 400_000
PARTS = 10  # chats that the long one is cut into
WHOLE = 15  # how many times what a character costs in one piece it may cost in pieces of 5: there are that many calls


def cut(text: str) -> list[str]:
    """The same text as ten chats: what is in them is no different, only their length."""
    return sized(text, len(text) // PARTS + 1)


def character_time(chats: list[list[Text]], size: int) -> float:
    """Seconds per character, the events thrown away."""

    def work() -> None:
        for deltas in chats:
            machine = Markdown()
            for delta in deltas:
                machine.feed(delta)
            machine.close("complete")

    return clock(work) / size


def peak(text: str) -> int:
    """Bytes taken at most, the events thrown away."""
    machine = Markdown()
    tracemalloc.start()
    for at in range(0, len(text), DELTA):
        machine.feed(Text(text[at : at + DELTA]))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def nano(seconds: float) -> str:
    return f"{seconds * 1e9:.0f} ns"


def time_rows(text: str, rounds: int) -> Iterator[Row]:
    """A character costs the same, however long the chat."""
    parts = cut(text)
    chats = ([texts(sized(text, DELTA))], [texts(sized(part, DELTA)) for part in parts])
    in_one = ([[Text(text)]], [[Text(part)] for part in parts])
    works: list[Callable[[], float]] = [partial(character_time, cuts, len(text)) for cuts in (*chats, *in_one)]
    pieces, pieces_short, whole, whole_short = medians(rounds, works)
    short = f"{len(parts[0]) / 1e6:.2g} MB"
    yield Row(
        f"a character, pieces of {DELTA}", nano(pieces), f"{short} {nano(pieces_short)}", pieces / pieces_short, 1.3
    )
    yield Row("a character, one piece", nano(whole), f"{short} {nano(whole_short)}", whole / whole_short, 1.3)
    yield Row(f"pieces of {DELTA} for one piece", nano(pieces), f"one piece {nano(whole)}", pieces / whole, WHOLE)


def memory_rows(text: str) -> Iterator[Row]:
    """Memory is bounded by a line and what is in doubt."""
    most, part = peak(text), max(map(peak, cut(text)))
    short = f"{len(text) / PARTS / 1e6:.2g} MB {part / 1024:.0f} KiB"
    yield Row("memory at most", f"{most / 1024:.0f} KiB", short, most / part, 1.2, timed=False)


def check(text: str) -> None:
    """The chat has hundreds of edits, and they are the same however it is cut."""
    whole, pieces = fed(Markdown(), [Text(text)]), fed(Markdown(), texts(sized(text, DELTA)))
    count = sum(isinstance(event, EditBegan) for event in whole)
    assert joined(pieces) == joined(whole)
    print(f"{len(text) / 1e6:.1f} MB, {count} edits, the same in pieces of {DELTA} as in one")


def rows(quick: bool, rounds: int) -> Iterator[Row]:
    text, _ = chat(QUICK_SIZE if quick else SIZE)
    check(text)
    yield from time_rows(text, rounds)
    yield from memory_rows(text)


if __name__ == "__main__":
    sys.exit(print_table(__doc__, rows))
