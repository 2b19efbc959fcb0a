"""One table of ratios: its rows, how time is taken for them, and the command line that the benchmarks share."""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median

SLACK = 3  # how much more time --quick allows: it runs in the test suite, on any machine, beside anything


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table; `most` says whether the bound is an upper one."""

    name: str
    measured: str
    against: str
    ratio: float
    bound: float
    most: bool = True
    timed: bool = True

    def holds(self, slack: float) -> bool:
        slack = slack if self.timed else 1
        return self.ratio <= self.bound * slack if self.most else self.ratio >= self.bound / slack


def clock(work: Callable[[], object]) -> float:
    """Seconds that some work takes, with the garbage of the work before cleared away."""
    gc.collect()
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def medians(rounds: int, works: list[Callable[[], float]]) -> list[float]:
    """The median of each measurement, taken in turns so that a slow moment of the machine falls on all."""
    taken = [[work() for work in works] for _ in range(rounds)]
    return [median(times) for times in zip(*taken, strict=True)]


def micro(seconds: float) -> str:
    return f"{seconds * 1e6:.2f} µs"


def milli(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms"


def print_table(about: str | None, rows: Callable[[bool, int], Iterable[Row]]) -> int:
    """Run a benchmark as its command line asks, each row printed when it is there; the exit status.

    `about` is its help; `rows` takes whether to measure less, and the rounds for each median.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="measure less, with wide bounds on time")
    parser.add_argument("--rounds", type=int, help="rounds for each median (default: 5, quick: 1)")
    options = parser.parse_args()
    missed, headed = 0, False
    for row in rows(options.quick, options.rounds or (1 if options.quick else 5)):
        if not headed:  # below what the benchmark says before its first row
            print(f"{'measured':52}{'':>16}{'against':>36}{'ratio':>9}  bound")
            headed = True
        holds = row.holds(SLACK if options.quick else 1)
        missed += not holds
        bound = f"{'≤' if row.most else '≥'} {row.bound:g}{'' if holds else '  MISSED'}"
        print(f"{row.name:52}{row.measured:>16}{row.against:>36}{row.ratio:9.2f}  {bound}", flush=True)
    return 1 if missed else 0
