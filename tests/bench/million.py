"""Random edits of random files, a million of them: each gives exactly its change, or an error.

    python tests/bench/million.py [--count N] [--seed S] [--jobs J]

Prints how many came out wrong or were refused without a reason (both must be 0), the errors by kind of damage, among
all cases and among those where each block has one place and is whole, and the rate. Exit status 1 if one was wrong or
refused; its seed is printed, and `random_edits.make(seed)` gives it back.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from functools import partial
from multiprocessing import Pool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "edits"))

from random_edits import make, verdict

FOUND = ("right", "error", "refused", "wrong")
BATCH = 500  # cases per job: enough to keep the workers busy, few enough to see progress


def batch(start: int, end: int) -> tuple[Counter[tuple[str, str]], list[tuple[int, str]]]:
    """Verdicts by kind of damage for a range of seeds, and the seeds that failed."""
    seen, failed = Counter[tuple[str, str]](), list[tuple[int, str]]()
    for seed in range(start, min(start + BATCH, end)):
        case = make(seed)
        found = verdict(case)
        seen.update((kind, found) for kind in {*case.damage, "all"})
        if case.decided:
            seen.update((kind, f"decided {found}") for kind in {*case.damage, "all"})
        if found in {"wrong", "refused"}:
            failed.append((seed, found))
    return seen, failed


def share(seen: Counter[tuple[str, str]], kind: str, part: str) -> str:
    """How many cases of a kind there were, how many of them errors, and the share of these."""
    cases = sum(seen[kind, part + found] for found in FOUND)
    errors = seen[kind, part + "error"] + seen[kind, part + "refused"]
    return f"{cases:10}{errors:10}{errors / max(cases, 1):9.2%}"


def report(seen: Counter[tuple[str, str]], seconds: float) -> None:
    print(f"\n{'damage':18}{'cases':>10}{'errors':>10}{'share':>9}{'one place':>12}{'errors':>10}{'share':>9}")
    for kind in sorted({kind for kind, _ in seen}, key=lambda kind: (kind != "all", kind)):
        print(f"{kind:18}{share(seen, kind, '')}  {share(seen, kind, 'decided ')}")
    total = sum(seen["all", found] for found in FOUND)
    print(f"\n{total} edits in {seconds:.0f} s, {total / seconds:.0f} a second")
    print(f"wrong {seen['all', 'wrong']}, refused without a reason {seen['all', 'refused']}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000_000, help="how many edits (default: a million)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    options = parser.parse_args()
    begun, seen, failures = time.perf_counter(), Counter[tuple[str, str]](), 0
    end = options.seed + options.count
    with Pool(options.jobs) as pool:
        for found, failed in pool.imap_unordered(partial(batch, end=end), range(options.seed, end, BATCH)):
            seen += found
            if sys.stderr.isatty():
                print(f"{sum(seen['all', name] for name in FOUND)} of {options.count}", end="\r", file=sys.stderr)
            failures += len(failed)
            for seed, name in failed[: max(0, 20 - failures + len(failed))]:
                print(f"seed {seed}: {name}", flush=True)
    report(seen, time.perf_counter() - begun)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
