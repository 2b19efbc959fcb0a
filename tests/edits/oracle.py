"""What the `safe` ladder does with one block, written out plainly: slow, short, and easy to hold against the rules.

Nothing is indexed and nothing is remembered; every place of the file is tried on every tier. Where the rules leave
two readings open (which of several indent maps; whether a kept line is one that is equal or one that is equal once
folded), `contents` holds the answer of each, and a test accepts any of them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

FOLDED = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "\u00a0": " ", "\u200b": ""})
ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&#39;": "'", "&amp;": "&"}

Same = Callable[[str, str], bool]
Map = Callable[[str], str | None]


class Hit(NamedTuple):
    """A place: its first line and the one after its last, from 0, and how many blank lines of SEARCH were left out."""

    start: int
    stop: int
    top: int = 0
    bottom: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The tier that answered (None: no hit), its hits, and every content that a unique hit may lead to."""

    tier: str | None
    hits: list[Hit]
    contents: set[str | None]


def lines_of(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The byte order mark or nothing, and (line, end) pairs."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = list[tuple[str, str]]()
    for line in split(text[len(mark) :]):
        end = "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""
        lines.append((line[: len(line) - len(end)], end))
    return mark, lines


def split(text: str) -> list[str]:
    *whole, last = text.split("\n")
    return [line + "\n" for line in whole] + ([last] if last else [])


# ---- tiers ---------------------------------------------------------------------------------------------------------


def rstrip(text: str) -> str:
    return text.rstrip(" \t")


def typeset(text: str) -> str:
    return rstrip(unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).translate(FOLDED)))


def decoded(text: str) -> str:
    """One layer of entities taken off."""
    out, at = "", 0
    while at < len(text):
        name = next((name for name in ENTITIES if text.startswith(name, at)), None)
        out += ENTITIES[name] if name else text[at]
        at += len(name) if name else 1
    return out


def bare(text: str) -> bool:
    """Whether a text has a `<`, `>` or `&` that is no entity of the list."""
    for name in ENTITIES:
        text = text.replace(name, "")
    return any(char in text for char in "<>&")


def places(file: Sequence[str], search: Sequence[str], same: Same) -> list[Hit]:
    size = len(search)
    return [
        Hit(at, at + size)
        for at in range(len(file) - size + 1)
        if all(same(want, have) for want, have in zip(search, file[at : at + size], strict=True))
    ]


def same(want: str, have: str) -> bool:
    return rstrip(want) == rstrip(have)


def without_edges(search: Sequence[str], fewest: int) -> Iterator[list[tuple[int, int]]]:
    """How many blank lines to leave out at either edge, in groups of the same number in all."""
    top = next((n for n, text in enumerate(search) if rstrip(text)), len(search))
    bottom = next((n for n, text in enumerate(reversed(search)) if rstrip(text)), len(search))
    for total in range(fewest, 5):
        ways = [(t, total - t) for t in range(3) if 0 <= total - t <= 2]
        yield [(t, b) for t, b in ways if t <= top and b <= bottom and t + b < len(search)]


def edged(search: Sequence[str], fewest: int, find: Callable[[Sequence[str]], list[Hit]]) -> list[Hit]:
    """The hits of SEARCH with the fewest blank lines left out at its edges."""
    for ways in without_edges(search, fewest):
        hits = [Hit(hit.start, hit.stop, t, b) for t, b in ways for hit in find(search[t : len(search) - b])]
        if hits:
            return hits
    return []


def indent_of(text: str) -> str:
    return text[: len(text) - len(text.lstrip(" \t"))]


def exchanges() -> Iterator[tuple[str, str, str]]:
    """Indents as they are, with tabs for spaces, with spaces for tabs: what, for what, and what none of may be left."""
    yield "\t", "\t", "none"
    for ratio in range(1, 9):
        yield "\t", " " * ratio, "\t"
        yield " " * ratio, "\t", " "


def shifted(indent: str, taken: str, added: str) -> str | None:
    """An indent with one prefix taken from it, or added to it; one of the two is empty."""
    return added + indent.removeprefix(taken) if indent.startswith(taken) else None


def carried(indent: str, exchange: tuple[str, str, str], shift: Map, known: dict[str, str]) -> str | None:
    """The indent of a new line: as that of a line of SEARCH with the same, or by the map."""
    what, by, left = exchange
    made = indent.replace(what, by)
    return known[indent] if indent in known else None if left in made else shift(made)


def maps(pairs: Sequence[tuple[str, str]]) -> list[Map]:
    """Every map of indents that turns the first of each pair into the second."""
    found = list[Map]()
    for what, by, left in exchanges():
        changed = [(old.replace(what, by), new) for old, new in pairs]
        first, new = changed[0]
        more = len(new) - len(first)
        if first.endswith(new) or new.endswith(first):
            shift = partial(shifted, taken=first[: max(0, -more)], added=new[: max(0, more)])
            if all(shift(old) == new for old, new in changed):
                found.append(partial(carried, exchange=(what, by, left), shift=shift, known=dict(pairs)))
    return found


def fitting(file: Sequence[str], search: Sequence[str], first_alone: bool) -> list[tuple[list[Map], list[Map]]]:
    """The maps for the first line and for the rest, where the texts are the same but for the indents; else nothing."""
    pairs = list[tuple[str, str]]()
    for want, have in zip(search, file, strict=True):
        if rstrip(want.lstrip(" \t")) != rstrip(have.lstrip(" \t")):
            return []
        if rstrip(want):
            pairs.append((indent_of(want), indent_of(have)))
    if not pairs:
        return []
    if not first_alone:
        return [(m, m)] if (m := maps(pairs)) else []
    deeper = len(pairs) > 1 and all(old for old, _ in pairs[1:])
    if not rstrip(search[0]) or pairs[0][0] or not pairs[0][1] or not deeper:
        return []
    return [([lambda _: pairs[0][1]], rest)] if (rest := maps(pairs[1:])) else []


def reindented(file: Sequence[str], search: Sequence[str], first_alone: bool) -> list[Hit]:
    size = len(search)
    starts = range(len(file) - size + 1)
    return [Hit(at, at + size) for at in starts if fitting(file[at : at + size], search, first_alone)]


def ladder(file: list[str], search: list[str], replace: list[str]) -> Iterator[tuple[str, list[Hit]]]:
    yield "exact", places(file, search, lambda want, have: want == have)
    yield "trailing_space", places(file, search, same)
    yield "edge_blanks", edged(search, 1, lambda part: places(file, part, same))
    yield "indent", edged(search, 0, lambda part: reindented(file, part, False))
    yield "first_line_indent", edged(search, 0, lambda part: reindented(file, part, True))
    yield "unicode", places(file, search, lambda want, have: typeset(want) == typeset(have))
    if not any(map(bare, search + replace)):
        hits = places(file, [decoded(text) for text in search], same)
        yield "entities", hits if len(hits) == 1 else []


# ---- the answer ----------------------------------------------------------------------------------------------------


def answer(original: str, search: list[str], replace: list[str]) -> Answer:
    """What one block does to a file: SEARCH and REPLACE are lines without ends."""
    mark, lines = lines_of(original)
    file = [text for text, _ in lines]
    for tier, hits in ladder(file, search, replace):
        if len(hits) == 1:
            return Answer(
                tier,
                hits,
                {None if text is None else mark + text for text in written(lines, tier, hits[0], search, replace)},
            )
        if hits:
            return Answer(tier, hits, set())
    return Answer(None, [], set())


def written(
    lines: list[tuple[str, str]], tier: str, hit: Hit, search: list[str], replace: list[str]
) -> set[str | None]:
    """The file after a unique hit, for every reading; None where the block is rejected."""
    search = search[hit.top : len(search) - hit.bottom]
    top, bottom = hit.top, hit.bottom
    while top and replace and not rstrip(replace[0]):
        top, replace = top - 1, replace[1:]
    while bottom and replace and not rstrip(replace[-1]):
        bottom, replace = bottom - 1, replace[:-1]
    file = [text for text, _ in lines[hit.start : hit.stop]]
    raw = kept(search, replace)
    if tier == "entities":
        search, replace = [decoded(text) for text in search], [decoded(text) for text in replace]
    ways, alone = list[tuple[Map, Map]](), tier == "first_line_indent"
    if tier in ("indent", "first_line_indent"):
        firsts, rests = fitting(file, search, alone)[0]
        ways = [(f, r) for f in firsts for r in rests] if alone else [(m, m) for m in rests]
    fold: Callable[[str], str] = str if tier == "exact" else typeset if tier == "unicode" else rstrip
    keeps = [raw, kept([fold(text) for text in search], [fold(text) for text in replace])]
    return {
        None if version is None else spliced(lines, hit, keep, version)
        for keep in keeps
        for version in ([mapped(replace, keep, f, r, alone) for f, r in ways] if ways else [replace])
    }


def mapped(replace: list[str], keep: dict[int, int], first: Map, rest: Map, alone: bool) -> list[str] | None:
    """The new lines of REPLACE with the file's indents, or None if one of them has none; kept lines as they are."""
    out = list[str]()
    for number, text in enumerate(replace):
        indent, head = indent_of(text), alone and number == 0
        if not rstrip(text) or number in keep:
            out.append(text)
            continue
        new = (first if head else rest)(indent)
        if new is None or (head and indent) or (alone and not head and not indent):
            return None
        out.append(new + text[len(indent) :])
    return out


def kept(search: Sequence[str], replace: Sequence[str]) -> dict[int, int]:
    """Which line of SEARCH each line of REPLACE is: common beginning, common end, then a longest common subsequence."""
    top = 0
    while top < min(len(search), len(replace)) and search[top] == replace[top]:
        top += 1
    end = 0
    while end < min(len(search), len(replace)) - top and search[-1 - end] == replace[-1 - end]:
        end += 1
    pairs = {n: n for n in range(top)} | {len(replace) - 1 - n: len(search) - 1 - n for n in range(end)}
    olds, news = search[top : len(search) - end], replace[top : len(replace) - end]
    size = [[0] * (len(news) + 1) for _ in range(len(olds) + 1)]
    for i in reversed(range(len(olds))):
        for j in reversed(range(len(news))):
            size[i][j] = 1 + size[i + 1][j + 1] if olds[i] == news[j] else max(size[i + 1][j], size[i][j + 1])
    i = j = 0
    while i < len(olds) and j < len(news):
        if olds[i] == news[j]:
            pairs[top + j] = top + i
            i, j = i + 1, j + 1
        elif size[i][j + 1] >= size[i + 1][j]:
            j += 1
        else:
            i += 1
    return pairs


def spliced(lines: list[tuple[str, str]], hit: Hit, keep: dict[int, int], replace: list[str]) -> str:
    """The file with a hit replaced, line ends by the rules for writing."""

    def end_of(at: int) -> str:
        return lines[at][1] or (lines[at - 1][1] if at else "\n")

    out, at, new = list[tuple[str, str]](), hit.start, 0
    for number, text in enumerate(replace):
        if number in keep:
            at, new = hit.start + keep[number] + 1, 0
            out.append((lines[at - 1][0], end_of(at - 1)))
            continue
        stop = min((hit.start + keep[later] for later in keep if later > number), default=hit.stop)
        after = 0 if at == 0 else at - 1
        out.append((text, end_of(min(at + new, stop - 1)) if at < stop else end_of(after) if lines else "\n"))
        new += 1
    if out and lines and hit.stop == len(lines) and not lines[-1][1]:
        out[-1] = (out[-1][0], "")
    return "".join(text + end for text, end in lines[: hit.start] + out + lines[hit.stop :])
