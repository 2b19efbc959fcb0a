"""What the edit engine costs, as ratios that hold on any machine.

    python tests/bench/edits.py [--quick] [--rounds N]

Prints one table: what was measured, against what, the ratio (median of several interleaved rounds) and its bound.
Exit status 1 if a bound is missed. `--quick` measures less, and allows three times as much where time is measured.
"""

from __future__ import annotations

import difflib
import gc
import sys
import time
import tracemalloc
from collections import deque
from collections.abc import Iterator
from functools import partial
from statistics import median
from typing import Literal

from reactivex.subject import Subject
from table import Row, clock, medians, micro, milli, print_table

from editstream import EditError, End, FileEditor, Snapshot, apply_edits

Dialect = Literal["safe", "v1", "v2"]
DIALECTS: tuple[Dialect, ...] = ("safe", "v1", "v2")
CHUNK = 4  # code points
FILE_LINES, BLOCKS, FEW = 5_000, 200, 10
REPARSE = 224e-6  # seconds a chunk: re-parsing the whole diff in compiled JavaScript, where LOOP takes 19 ms
LOOP = 19e-3  # seconds for a million steps of an empty for loop on that machine
MEGABYTE = 1 << 20


# ---- what is fed ---------------------------------------------------------------------------------------------------


def file_lines(count: int) -> list[str]:
    """Lines of 40 characters, each of them unique."""
    return [f"    value_{n:06} = compute(index={n:06})\n" for n in range(count)]


def blocks(lines: list[str], count: int) -> list[str]:
    """Blocks of some 700 characters, in the order of the file, evenly spread."""
    step, out = len(lines) // count, list[str]()
    for number in range(count):
        at = number * step
        search, new = (
            "".join(lines[at : at + 8]),
            [line.replace("compute", "derived") for line in lines[at + 2 : at + 6]],
        )
        replace = "".join([*lines[at : at + 2], *new, *lines[at + 6 : at + 8]])
        out.append(f"------- SEARCH\n{search}=======\n{replace}+++++++ REPLACE\n")
    return out


def chunked(text: str) -> list[str]:
    return [text[at : at + CHUNK] for at in range(0, len(text), CHUNK)]


# ---- time per chunk ------------------------------------------------------------------------------------------------


def editor_time(original: str, diff: list[str], dialect: Dialect) -> float:
    """Seconds per chunk, a snapshot each; the first block warms up."""
    editor = FileEditor(original, dialect=dialect)
    editor.feed(diff[0])
    chunks = chunked("".join(diff[1:]))

    def work() -> None:
        for chunk in chunks:
            editor.feed(chunk)

    return clock(work) / len(chunks)


def rx_time(original: str, diff: list[str], dialect: Dialect) -> float:
    """As `editor_time`, through `apply_edits`."""
    source, errors = Subject[str | End](), list[Exception]()
    latest = deque[Snapshot](maxlen=1)
    subscription = source.pipe(apply_edits(original, dialect=dialect)).subscribe(latest.append, errors.append)
    source.on_next(diff[0])
    chunks = chunked("".join(diff[1:]))

    def work() -> None:
        for chunk in chunks:
            source.on_next(chunk)

    seconds = clock(work) / len(chunks)
    subscription.dispose()
    assert latest
    assert not errors
    return seconds


def loop_time() -> float:
    def work() -> None:
        for _ in range(1_000_000):
            pass

    return clock(work)


def per_chunk(rounds: int) -> Iterator[Row]:
    """Flat in the length of the diff, and far from parsing it again."""
    lines = file_lines(FILE_LINES)
    original, many, few = "".join(lines), blocks(lines, BLOCKS), blocks(lines, FEW)
    ways = [(how, dialect) for dialect in DIALECTS for how in (editor_time, rx_time)]
    works = [lambda how=how, d=d, diff=diff: how(original, diff, d) for how, d in ways for diff in (many, few)]
    loop, *times = medians(rounds, [loop_time, *works])
    yardstick = REPARSE * loop / LOOP
    for number, (how, dialect) in enumerate(ways):
        name = f"{dialect}, {'apply_edits' if how is rx_time else 'FileEditor'}"
        long, short = times[2 * number : 2 * number + 2]
        yield Row(f"{name}: {BLOCKS} blocks", micro(long), f"{FEW} blocks {micro(short)}", long / short, 1.3)
        yield Row(f"{name}: speed", micro(long), f"re-parsing {micro(yardstick)}", yardstick / long, 20, most=False)


def reading_times(original: str, diff: list[str], dialect: Dialect) -> tuple[float, float]:
    """Seconds to read the full content after a chunk that changed it, and to copy the file, in turns."""
    editor, reads, copies, seen = FileEditor(original, dialect=dialect), list[float](), list[float](), original
    for number, chunk in enumerate(chunked("".join(diff))):
        snapshot, at = editor.feed(chunk), number * CHUNK % len(original)
        begun = time.perf_counter()
        text = snapshot.full_content
        read = time.perf_counter()
        _copy = original[:at] + chunk + original[at:]
        copied = time.perf_counter()
        if text != seen:
            reads.append(read - begun)
            copies.append(copied - read)
        seen = text
    return median(reads), median(copies)


def reading(rounds: int) -> Iterator[Row]:
    """The full content at every chunk, against a copy of the file."""
    lines = file_lines(FILE_LINES)
    original, diff = "".join(lines), blocks(lines, BLOCKS)
    for dialect in DIALECTS:
        for name, part in ((f"{FEW} blocks", diff[:FEW]), (f"{BLOCKS} blocks", diff)):
            taken = [reading_times(original, part, dialect) for _ in range(rounds)]
            read, copied = (median(times) for times in zip(*taken, strict=True))
            title = f"{dialect}: reading full_content, {name}"
            yield Row(title, micro(read), f"a copy {micro(copied)}", read / copied, 1.5)


# ---- a search that misses ------------------------------------------------------------------------------------------


def miss_time(original: str, search: list[str]) -> float:
    """Seconds from the file to the message of a block that is not there."""
    diff = f"------- SEARCH\n{''.join(search)}=======\nx\n+++++++ REPLACE\n"
    said = list[str]()

    def work() -> None:
        editor = FileEditor(original)
        editor.feed(diff)
        try:
            editor.close()
        except EditError as error:
            said.append(str(error))

    seconds = clock(work)
    assert said, "the search was found"
    return seconds


def diff_time(lines: list[str], changed: list[str]) -> float:
    return clock(lambda: list(difflib.unified_diff(lines, changed)))


def misses(rounds: int) -> Iterator[Row]:
    """A search of 200 lines in 12,500, against a diff of two such files that differ in 200 lines."""
    unique = file_lines(12_500)
    common = [line if n % 5 else "    }\n" if n % 2 else "\n" for n, line in enumerate(unique)]
    wide = ["word " * 60 + line for line in unique]
    for kind, lines in (("unique lines", unique), ("common lines", common), ("long lines", wide)):
        changed = [line.replace("compute", "derived") if n % 62 == 0 else line for n, line in enumerate(lines)]
        part = lines[6_000:6_200]
        searches = {
            "one line differs": [*part[:150], "not there\n", *part[151:]],
            "every other differs": [line if n % 2 else f"other {n}\n" for n, line in enumerate(part)],
            "nothing is there": [f"other {n} (nothing like the file)\n" for n in range(200)],
            "all are similar": [line.replace("compute", "computed") for line in part],
        }
        works = [partial(miss_time, "".join(lines), search) for search in searches.values()]
        diffed, *times = medians(rounds, [partial(diff_time, lines, changed), *works])
        for name, taken in zip(searches, times, strict=True):
            yield Row(f"miss, {name}, {kind}", milli(taken), f"difflib {milli(diffed)}", taken / diffed, 2)


# ---- memory --------------------------------------------------------------------------------------------------------


def kept_bytes(size: int, dialect: Dialect, blocks_fed: int) -> float:
    """Bytes that each kept snapshot adds, for a file of `size` lines."""
    lines = file_lines(size)
    original, chunks = "".join(lines), chunked("".join(blocks(lines[:FILE_LINES], FEW)[:blocks_fed]))

    def held(keep: bool) -> int:
        editor, kept = FileEditor(original, dialect=dialect), list[Snapshot]()
        gc.collect()
        tracemalloc.start()
        for chunk in chunks:
            snapshot = editor.feed(chunk)
            if keep:
                kept.append(snapshot)
        gc.collect()
        used, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return used

    return (held(True) - held(False)) / len(chunks)


def memory(blocks_fed: int) -> Iterator[Row]:
    """What a kept snapshot holds does not grow with the file."""
    for dialect in DIALECTS:
        small, large = (kept_bytes(size, dialect, blocks_fed) for size in (FILE_LINES, 10 * FILE_LINES))
        yield Row(
            f"{dialect}: bytes per kept snapshot",
            f"2 MB {large:.0f}",
            f"200 KB {small:.0f}",
            large / small,
            1.1,
            timed=False,
        )
        yield Row(f"{dialect}: bytes per kept snapshot", f"200 KB {small:.0f}", "1 KB", small / 1024, 1, timed=False)


# ---- long lines ----------------------------------------------------------------------------------------------------


def line_time(text: str, dialect: Dialect, start: str, patience: float) -> float:
    """Seconds per chunk for text inside a block; gives up, with what it took so far, once that is past patience."""
    editor, chunks = FileEditor("b\n", dialect=dialect), chunked(text)
    editor.feed(start)
    gc.collect()
    begun, step = time.perf_counter(), 50_000
    for at in range(0, len(chunks), step):
        for chunk in chunks[at : at + step]:
            editor.feed(chunk)
        spent = time.perf_counter() - begun
        if spent > patience * (at + step):
            return spent / min(at + step, len(chunks))
    return (time.perf_counter() - begun) / len(chunks)


def long_lines(rounds: int, size: int) -> Iterator[Row]:
    """A line of `size` characters costs per chunk what short ones do."""
    replace, search = "------- SEARCH\nb\n=======\n", "------- SEARCH\n"
    signs = {"x": "x", "=": "=", "spaces": " ", "+": "+"}
    for dialect in DIALECTS:
        for part, start in (("REPLACE", replace), ("SEARCH", search)):
            text = ("x" * 39 + "\n") * 10_000
            short = median(line_time(text, dialect, start, 1) for _ in range(rounds))
            for name, sign in signs.items() if dialect == "safe" and part == "REPLACE" else [("x", "x")]:
                taken = line_time(sign * size, dialect, start, 20 * short)
                title = f"{dialect}: {size / MEGABYTE:.0f} MB of {name} in {part}"
                yield Row(title, micro(taken), f"short lines {micro(short)}", taken / short, 1.3)


def rows(quick: bool, rounds: int) -> Iterator[Row]:
    yield from per_chunk(rounds)
    yield from reading(rounds)
    yield from misses(rounds)
    yield from memory(2 if quick else FEW)
    yield from long_lines(rounds, (1 if quick else 10) * MEGABYTE)


if __name__ == "__main__":
    sys.exit(print_table(__doc__, rows))
