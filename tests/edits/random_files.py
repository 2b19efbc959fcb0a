"""Random files, random changes of them, and the file that a change leads to by the rules for writing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

TEMPLATES = (
    "x{0} = call(x{1})", 'print("x{0}")', "if x{0} < y && z > {1}:", "return x{0}", "}}", "pass", "",
    "# “note {0}” — it’s", "<p id='x{0}'>a &amp; b</p>", "café{0} = naïve", "=======", "=====", "--- c{0}", "> q",
    "<<<<<<< HEAD", "say('x{0}' - 1)", "a\u00a0b{0}", "y{0}\u200b = 1", "end", "end",
)  # fmt: skip


class Line(NamedTuple):
    """A line of the file: its text, and its end, which is empty only for a last line without a newline."""

    text: str
    end: str


class Put(NamedTuple):
    """A line of REPLACE: its text, and the line of SEARCH (from 0) that it keeps, or None for a new line."""

    text: str
    keep: int | None


class Change(NamedTuple):
    """Lines `start` to `stop` of the file become `put`."""

    start: int
    stop: int
    put: tuple[Put, ...]


# ---- the file ------------------------------------------------------------------------------------------------------


def random_file(rng: random.Random) -> tuple[str, list[Line]]:
    """A byte order mark or nothing, and some lines with repeated parts, loose white space and odd line ends."""
    unit, depth, texts = rng.choice(("    ", "  ", "\t")), 0, list[str]()
    spread, loose = rng.choice((3, 30, 900)), rng.random() < 0.3
    for _ in range(rng.randint(1, rng.choice((4, 16, 40)))):
        depth = max(0, min(4, depth + rng.choice((-1, 0, 0, 1))))
        space = rng.choice((" ", "  ", "\t")) if loose and rng.random() < 0.2 else ""
        texts.append(random_line(rng, unit * depth, spread) + space)
    if rng.random() < 0.3:
        at, to = rng.randrange(len(texts)), rng.randrange(len(texts) + 1)
        texts[to:to] = texts[at : at + rng.randint(1, 6)]
    ends = rng.choice((("\n",), ("\n",), ("\n",), ("\r\n",), ("\n", "\r\n")))
    lines = [Line(text, rng.choice(ends)) for text in texts]
    if rng.random() < 0.25 and lines[-1].text:
        lines[-1] = Line(lines[-1].text, "")
    return ("\ufeff" if rng.random() < 0.08 else ""), lines


def random_line(rng: random.Random, indent: str, spread: int) -> str:
    text = rng.choice(TEMPLATES).format(rng.randrange(spread), rng.randrange(3))
    return indent + text if text and text[0] not in "=<" else text


# ---- the changes ---------------------------------------------------------------------------------------------------


def random_changes(rng: random.Random, lines: list[Line]) -> list[Change]:
    """Up to four changes of disjoint spans, from the top; none where the file's line ends would leave a doubt."""
    mixed, changes, at = len({line.end for line in lines if line.end}) > 1, list[Change](), 0
    for _ in range(rng.randint(1, 4)):
        start = at + rng.randrange(max(1, min(12, len(lines) - at)))
        stop = start + rng.randint(1, 6)
        if stop > len(lines):
            break
        change = random_change(rng, lines, start, stop)
        if change and not (mixed and doubtful(lines, change)):
            changes.append(change)
            at = stop + (1 if mixed else rng.choice((0, 1, 1)))
    return changes


def random_change(rng: random.Random, lines: list[Line], start: int, stop: int) -> Change | None:
    size = stop - start
    before = rng.randint(0, min(2, size))
    after = rng.randint(0, min(2, size - before))
    put = [Put(lines[start + i].text, i) for i in range(before)]
    for i in range(before, size - after):
        text = lines[start + i].text
        put += rng.choice(([], [Put(text, i)], [new_line(rng, lines, text)], [new_line(rng, lines, text)]))
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        put.insert(rng.randint(before, len(put)), new_line(rng, lines, lines[start].text))
    put += [Put(lines[start + i].text, i) for i in range(size - after, size)]
    same = [line.text for line in put] == [line.text for line in lines[start:stop]]
    return None if same else Change(start, stop, tuple(put))


def new_line(rng: random.Random, lines: list[Line], near: str) -> Put:
    """A line to write: fresh, or made from one of the file in a way that is easy to lose."""
    indent = near[: len(near) - len(near.lstrip(" \t"))]
    pick = rng.random()
    if pick < 0.5:
        return Put(indent + f"new{rng.randrange(10**6)} < {rng.choice(TEMPLATES[:3]).format(1, 2)}", None)
    if pick < 0.65:
        return Put(f"{near.rstrip()}{rng.randrange(10**6)}", None)
    if pick < 0.75:
        return Put(rng.choice(("    ", "\t", "  ")) + near, None)
    if pick < 0.85:
        return Put(rng.choice(("", "", "  ")), None)
    return Put(rng.choice(lines).text, None) if pick < 0.95 else Put(near + " ", None)


def doubtful(lines: list[Line], change: Change) -> bool:
    """Whether which lines are kept could be read in two ways, which shows where line ends differ."""
    old = old_texts(lines, change)
    return len(set(old)) < len(old) or any(line.keep is None and line.text in old for line in change.put)


def old_texts(lines: Sequence[Line], change: Change) -> list[str]:
    """The lines that a change replaces, without their ends."""
    return [line.text for line in lines[change.start : change.stop]]


# ---- the new file --------------------------------------------------------------------------------------------------


def written(lines: list[Line], change: Change) -> list[Line]:
    """The lines that a change leaves in place of its span, with their ends, by the rules for writing."""
    out, at, new = list[Line](), change.start, 0
    for number, line in enumerate(change.put):
        if line.keep is not None:
            at, new = change.start + line.keep + 1, 0
            out.append(Line(line.text, end_of(lines, at - 1)))
            continue
        stop = next((change.start + put.keep for put in change.put[number:] if put.keep is not None), change.stop)
        out.append(Line(line.text, new_end(lines, range(at, stop), new)))
        new += 1
    if out and not lines[change.stop - 1].end:
        out[-1] = Line(out[-1].text, "")
    return out


def new_end(lines: list[Line], replaced: range, number: int) -> str:
    if replaced:
        return end_of(lines, replaced[min(number, len(replaced) - 1)])
    return end_of(lines, replaced.start - 1 if replaced.start else 0)


def end_of(lines: list[Line], at: int) -> str:
    """A line's end; where the last line has none, the end of the line before it."""
    if at < len(lines) and lines[at].end:
        return lines[at].end
    return lines[at - 1].end if 0 < at <= len(lines) else "\n"


def rebuilt(lines: list[Line], changes: Sequence[Change]) -> list[Line]:
    """The file's lines with the changes made, which are disjoint and in the order of the file."""
    out, at = list[Line](), 0
    for change in changes:
        out += [*lines[at : change.start], *written(lines, change)]
        at = change.stop
    return out + lines[at:]


def text_of(lines: Sequence[Line]) -> str:
    """Lines as one text."""
    return "".join(line.text + line.end for line in lines)
