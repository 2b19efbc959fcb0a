"""Several hits: a block is placed among them only for a reason that the rules name, and wherever one holds.

Each check starts from what the engine did with a small random edit and asks, hit by hit, whether the rules allow it.
The blocks write lines that nobody searches for, so that only the file itself can be hit.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from oracle import kept
from streams import diff, run

from editstream import Snapshot


@dataclass(frozen=True, slots=True)
class Asked:
    """One block of the diff: what it searches for and where that is in the file, by first lines from 0."""

    search: list[str]
    replace: list[str]
    hits: list[int]

    def lines(self, at: int) -> set[int]:
        """The lines of a hit."""
        return {*range(at, at + len(self.search))}

    def gone(self, at: int) -> set[int]:
        """The lines of a hit that the block does not keep."""
        keeps = {at + line for line in kept(self.search, self.replace).values()}
        return self.lines(at) - keeps


def random_edit(rng: random.Random) -> tuple[list[str], list[Asked]]:
    file = [rng.choice("aabbcde") for _ in range(rng.randint(2, 9))]
    blocks = list[Asked]()
    for number in range(rng.randint(1, 4)):
        at = rng.randrange(len(file))
        search = file[at : at + rng.choice((1, 1, 1, 2, 3))]
        replace = [text for text in search if rng.random() < 0.4]
        replace.insert(rng.randint(0, len(replace)), f"new {number}")
        size = len(search)
        blocks.append(Asked(search, replace, [n for n in range(len(file) - size + 1) if file[n : n + size] == search]))
        if rng.random() < 0.2:
            blocks.append(Asked(search, [*replace, f"more {number}"], blocks[-1].hits))
    return file, blocks


def places_of(snapshot: Snapshot) -> list[int | None]:
    """The line (from 0) where each block was placed in the file, None where it was not."""
    return [block.lines[0] - 1 if block.lines and block.status == "applied" else None for block in snapshot.blocks]


def replaced(blocks: Sequence[Asked], places: Sequence[int | None], numbers: Iterable[int]) -> set[int]:
    """The lines of the file that some of the blocks replaced."""
    return set[int]().union(*(blocks[n].gone(at) for n in numbers if (at := places[n]) is not None))


def off(block: Asked, lines: set[int]) -> list[int]:
    """The hits of a block that are on none of these lines."""
    return [at for at in block.hits if not block.lines(at) & lines]


def between(blocks: Sequence[Asked], places: Sequence[int | None], number: int, hits: Sequence[int]) -> list[int]:
    """The hits between the nearest placed blocks before and after this one, where these ascend; else none."""
    before = next(((n, at) for n in reversed(range(number)) if (at := places[n]) is not None), None)
    after = next(((n, at) for n in range(number + 1, len(blocks)) if (at := places[n]) is not None), None)
    if before is None or after is None or before[1] >= after[1]:
        return []
    top, size = before[1] + len(blocks[before[0]].search), len(blocks[number].search)
    return [at for at in hits if top <= at and at + size <= after[1]]


def reasons(blocks: Sequence[Asked], places: Sequence[int | None], number: int) -> set[int]:
    """The places that some rule gives the block, all others being where they are."""
    block, everyone = blocks[number], range(len(blocks))
    group = [n for n in everyone if blocks[n].search == block.search]
    early, late = off(block, replaced(blocks, places, everyone[:number])), {*everyone} - {number}
    open_hits, outside = (
        off(block, replaced(blocks, places, late)),
        off(block, replaced(blocks, places, late - {*group})),
    )
    found = {hits[0] for hits in (early, open_hits) if len(hits) == 1}
    found |= {*inside} if len(inside := between(blocks, places, number, open_hits)) == 1 else set()
    return found | {hits[group.index(number)] for hits in (block.hits, outside) if len(hits) == len(group)}


def outcomes(seeds: range) -> Iterator[tuple[int, list[Asked], list[int | None], Snapshot]]:
    """What became of the edits of these seeds, without those where a block lies in lines that another kept."""
    for seed in seeds:
        file, blocks = random_edit(random.Random(seed))
        got = run("\n".join([*file, ""]), diff(*map(sides, blocks)), on_reject="apply_rest").snapshot
        places = places_of(got)
        spans = [block.lines(at) for block, at in zip(blocks, places, strict=True) if at is not None]
        if sum(map(len, spans)) == len(set[int]().union(*spans)):
            yield seed, blocks, places, got


def test_a_block_is_placed_for_a_reason() -> None:
    """Among several hits, the one taken is the only one left, between its neighbours, or its turn in a group."""
    wrong = [
        (seed, blocks, places, number)
        for seed, blocks, places, _ in outcomes(range(6000))
        for number, at in enumerate(places)
        if at is not None and len(blocks[number].hits) > 1 and at not in reasons(blocks, places, number)
    ]
    assert wrong == []


def test_a_block_with_a_reason_is_placed() -> None:
    """No block is called ambiguous that has one hit left, or one between its neighbours, and no equal beside it."""
    wrong = list[object]()
    for seed, blocks, places, got in outcomes(range(6000)):
        # What waited itself is left out: a later block searches as if it had not written.
        sure = [at if len(block.hits) == 1 else None for block, at in zip(blocks, places, strict=True)]
        for number in [p.block for p in got.problems if p.kind == "ambiguous" and p.block is not None]:
            equal = [block for block in blocks if block.search == blocks[number].search]
            hits = off(blocks[number], replaced(blocks, sure, range(len(blocks))))
            taken = set[int]().union(*(block.lines(at) for block in blocks for at in block.hits if block not in equal))
            alone = len(hits) == 1 and not blocks[number].lines(hits[0]) & taken
            inside = [between(blocks, known, number, hits) for known in (sure, places)]
            if len(equal) == 1 and (alone or (inside[0] == inside[1] and len(inside[0]) == 1)):
                wrong.append((seed, blocks, places, number))
    assert wrong == []


def sides(block: Asked) -> tuple[str, str]:
    """Both sides as text."""
    return "".join(text + "\n" for text in block.search), "".join(text + "\n" for text in block.replace)
