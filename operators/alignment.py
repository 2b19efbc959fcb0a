"""Which lines of REPLACE are lines of SEARCH.

By common beginning, common end, then the longest common subsequence of what is between, leftmost. A table of the
subsequence grows with the product of the two sides, so a large middle is first divided at the lines that are unique
on both sides (patience alignment), and again between them; a part that stays too large, or that is divided too often,
is taken as changed as a whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

TABLE_LIMIT = 250_000
"""Cells of one subsequence table: some 50 ms. Blocks of 500 changed lines on each side still get an exact answer."""

DIVISIONS_LIMIT = 32
"""Times that a part of a part is divided. Texts that people write need a few; each costs as much as all of the text."""


def align(search: Sequence[str], replace: Sequence[str]) -> list[int]:
    """For each line of ``replace``, the line of ``search`` (from 0) that it is, or -1."""
    kept = [-1] * len(replace)
    _align(search, replace, 0, len(search), 0, len(replace), kept, DIVISIONS_LIMIT)
    return kept


def _align(
    a: Sequence[str], b: Sequence[str], a0: int, a1: int, b0: int, b1: int, kept: list[int], divisions: int
) -> None:
    while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
        kept[b0] = a0
        a0, b0 = a0 + 1, b0 + 1
    while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
        a1, b1 = a1 - 1, b1 - 1
        kept[b1] = a1
    if a0 == a1 or b0 == b1:
        return
    if (a1 - a0) * (b1 - b0) <= TABLE_LIMIT:
        _subsequence(a, b, a0, a1, b0, b1, kept)
        return
    anchors = _unique_in_both(a, b, a0, a1, b0, b1) if divisions else []
    for a_end, b_end in [*anchors, (a1, b1)] if anchors else []:
        if a_end < a1:
            kept[b_end] = a_end
        _align(a, b, a0, a_end, b0, b_end, kept, divisions - 1)
        a0, b0 = a_end + 1, b_end + 1


def _subsequence(a: Sequence[str], b: Sequence[str], a0: int, a1: int, b0: int, b1: int, kept: list[int]) -> None:
    """The longest common subsequence, by a table of the lengths that remain from each pair on."""
    if set(a[a0:a1]).isdisjoint(b[b0:b1]):
        return
    width = b1 - b0
    table = [[0] * (width + 1)]
    for i in range(a1 - 1, a0 - 1, -1):
        below, row = table[-1], [0] * (width + 1)
        line = a[i]
        for j in range(width - 1, -1, -1):
            row[j] = below[j + 1] + 1 if line == b[b0 + j] else max(below[j], row[j + 1])
        table.append(row)
    table.reverse()
    i, j, at = 0, 0, b0
    while i < a1 - a0 and j < width:
        if a[a0 + i] == b[b0 + j]:
            # Leftmost on this side too: an equal line may have been passed over.
            at = next(line for line in range(at, b1) if b[line] == a[a0 + i])
            kept[at] = a0 + i
            i, j, at = i + 1, j + 1, at + 1
        elif table[i][j + 1] >= table[i + 1][j]:
            j += 1
        else:
            i += 1


def _unique_in_both(a: Sequence[str], b: Sequence[str], a0: int, a1: int, b0: int, b1: int) -> list[tuple[int, int]]:
    """Pairs of lines that are unique on both sides, the longest run of them that ascends on both."""
    in_a, in_b = _unique(a, a0, a1), _unique(b, b0, b1)
    pairs = [(at, in_b[line]) for line, at in in_a.items() if line in in_b]
    ends: list[int] = []
    ranked: list[int] = []
    back: list[int] = []
    for n, (_, at) in enumerate(pairs):
        rank = bisect_left(ends, at)
        back.append(ranked[rank - 1] if rank else -1)
        ends[rank : rank + 1] = [at]
        ranked[rank : rank + 1] = [n]
    run: list[tuple[int, int]] = []
    n = ranked[-1] if ranked else -1
    while n >= 0:
        run.append(pairs[n])
        n = back[n]
    return run[::-1]


def _unique(lines: Sequence[str], start: int, stop: int) -> dict[str, int]:
    seen: dict[str, int] = {}
    twice: set[str] = set()
    for at in range(start, stop):
        (twice.add(lines[at]) if lines[at] in seen else seen.__setitem__(lines[at], at))
    return {line: at for line, at in seen.items() if line not in twice}
