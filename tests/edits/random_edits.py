"""Random changes of random files, written as diffs with random allowed damage, and the file each must give.

A case is made from one seed: a file, one to four changes of disjoint line spans, the file they lead to by the rules
for writing, and a diff whose SEARCH sides are damaged only in ways that a tier of the `safe` ladder undoes. The new
file is known from the construction; no search is needed to say what is right. Two conditions keep the construction
honest. A SEARCH is damaged only if it is *loosely unique*: with every white space, quote, dash and entity folded
away it stands in one place, whatever subset of the other blocks has been applied. And a damaged block writes no new
line that equals a line of its SEARCH but for what the damage blurs, since such a line counts as kept.

`Case.expected` is None where the only right answer is an error. `Case.decided` says that each block has one place and
is whole, so that an error can only be for indents that do not say how deep a new line goes; `Case.certain`, that there
is no such doubt either, and an error is wrong.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, repeat

from random_files import (
    Change,
    Line,
    old_texts,
    random_change,
    random_changes,
    random_file,
    random_line,
    rebuilt,
    text_of,
)

from editstream import EditError, FileEditor

FOLDS = str.maketrans("‘’‚“”„–—−\u2010\u2011", "'''\"\"\"-----", "\u200b\u200c\u200d\ufeff")
CURLY = str.maketrans({'"': "“", "'": "’", "-": "–"})
ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&#39;": "'", "&amp;": "&"}
MARKER_LIKE = re.compile(r"\s*[-<+>=]{3,}\s*[A-Z]{2,}\s*$|\s*(```|~~~)")


@dataclass(slots=True)
class Sides:
    """A block on its way into the diff: both sides as they will be written, and the damage done to them."""

    search: list[str]
    replace: list[str]
    damage: list[str]


@dataclass(frozen=True, slots=True)
class Case:
    seed: int
    original: str
    diff: str
    expected: str | None
    decided: bool
    certain: bool
    damage: tuple[str, ...]


# ---- damage --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 16)
def loosest(text: str) -> str:
    """A line with everything folded away that any tier ignores, and more."""
    for _ in range(3):
        for entity, char in ENTITIES.items():
            text = text.replace(entity, char)
    return "".join(unicodedata.normalize("NFKC", text).translate(FOLDS).split())


@lru_cache(maxsize=1 << 16)
def level(text: str) -> str:
    """As `loosest`, but with the indent, and white space inside the line."""
    for entity, char in ENTITIES.items():
        text = text.replace(entity, char)
    return unicodedata.normalize("NFKC", text).translate(FOLDS).rstrip(" \t")


def core(texts: Sequence[str]) -> str:
    """A SEARCH by its loosest keys, without blank lines at its edges, framed for a search in `page`."""
    return "\n" + "\n".join(map(loosest, texts)).strip("\n") + "\n"


def count(page: str, part: str) -> int:
    """How often a framed part stands in a page: 0, 1 or 2 for more."""
    first = page.find(part)
    return 0 if first < 0 else 1 if page.find(part, first + 1) < 0 else 2


def pages(lines: list[Line], changes: Sequence[Change], but: Change) -> list[str]:
    """The file by its loosest keys, with every subset of the other changes made."""
    others = [change for change in changes if change is not but]
    subsets = [subset for size in range(len(others) + 1) for subset in combinations(others, size)]
    return [page_of(rebuilt(lines, subset)) for subset in subsets]


def page_of(lines: Sequence[Line]) -> str:
    """Lines by their loosest keys, framed."""
    return framed_text([loosest(line.text) for line in lines])


def blurred(old: Sequence[str], change: Change) -> bool:
    """Whether damage could blur a line into another, or leave a doubt about which lines are kept."""
    exact = {level(text): text for text in old}
    moved = any(line.keep is None and level(line.text) in exact for line in change.put)
    return moved or any(exact[level(text)] != text for text in old)


def trailing(rng: random.Random, sides: Sides, change: Change, lines: list[Line]) -> bool:
    for i, text in enumerate(sides.search):
        if rng.random() < 0.6:
            sides.search[i] = text.rstrip(" \t") + rng.choice(("", " ", "   ", "\t"))
    return keep_damaged(rng, sides, change, lines)


def keep_damaged(rng: random.Random, sides: Sides, change: Change, lines: list[Line]) -> bool:
    """Write the kept lines of REPLACE as SEARCH has them now, or as the file has them where no doubt comes of it."""
    old = old_texts(lines, change)
    plain = len(set(old)) == len(old) and len({line.end for line in lines if line.end}) == 1
    for i, line in enumerate(change.put):
        if line.keep is not None and not (plain and rng.random() < 0.3):
            sides.replace[i] = sides.search[line.keep]
    return True


def edge_blanks(rng: random.Random, sides: Sides, change: Change, _lines: list[Line]) -> bool:
    """Up to two blank lines more at either edge, on both sides."""
    top, bottom = rng.choice(((1, 0), (2, 0), (0, 1), (0, 2), (1, 1), (2, 2)))
    for edge, kept in ((0, 0), (-1, change.stop - change.start - 1)):
        blank = not loosest(sides.search[edge]) or (sides.replace and not loosest(sides.replace[edge]))
        if (top, bottom)[edge] and blank and (not change.put or change.put[edge].keep != kept):
            return False
    above, below = ([rng.choice(("", "", "  ")) for _ in range(count)] for count in (top, bottom))
    sides.search = [*above, *sides.search, *below]
    sides.replace = [*above, *sides.replace, *below]
    return True


def lone_blanks(rng: random.Random, sides: Sides, _change: Change, _lines: list[Line]) -> bool:
    """Blank lines around SEARCH alone, where REPLACE has none at its edges."""
    edges = (sides.search[0], sides.search[-1], *sides.replace[:1], *sides.replace[-1:])
    top, bottom = rng.choice(((1, 0), (2, 0), (0, 1), (0, 2), (1, 1), (2, 2)))
    sides.search = ["", "  "][:top] + sides.search + [""] * bottom
    return all(text.strip() for text in edges)


def indent_shift(rng: random.Random, sides: Sides, _change: Change, _lines: list[Line]) -> bool:
    """One prefix added to every line that is not blank, or taken from it."""
    full = [text for text in (*sides.search, *sides.replace) if text.strip(" \t")]
    common = indent_of(full[0])
    while any(not text.startswith(common) for text in full):
        common = common[:-1]
    if common and rng.random() < 0.6:
        taken = rng.randint(1, len(common))
        return each(sides, lambda text: text[taken:])
    prefix = (common[:1] or rng.choice((" ", "\t"))) * rng.randint(1, 8)
    return each(sides, lambda text: prefix + text)


def tab_ratio(rng: random.Random, sides: Sides, change: Change, lines: list[Line]) -> bool:
    """Every indent written with tabs for spaces, or spaces for tabs, at one ratio, where the file shows which."""
    indents = [indent_of(text) for text in (*sides.search, *sides.replace) if text.strip(" \t")]
    ratio, tabs = rng.choice((2, 4, 8)), any("\t" in indent for indent in indents)
    mapped = all(set(indent) <= {"\t"} if tabs else len(indent) % ratio == 0 for indent in indents)
    if not mapped or not any(map(indent_of, filter(str.strip, old_texts(lines, change)))):
        return False

    def exchanged(text: str) -> str:
        size = len(indent_of(text))
        return (" " * ratio * size if tabs else "\t" * (size // ratio)) + text[size:]

    return each(sides, exchanged)


def each(sides: Sides, change: Callable[[str], str]) -> bool:
    """Change every line that is not blank, on both sides."""
    sides.search = [change(text) if text.strip(" \t") else text for text in sides.search]
    sides.replace = [change(text) if text.strip(" \t") else text for text in sides.replace]
    return True


def first_line_indent(_rng: random.Random, sides: Sides, change: Change, _lines: list[Line]) -> bool:
    """The first line loses its indent on both sides, as when a model starts to quote after it."""
    first, *rest = sides.search
    indent = indent_of(first)
    later = [text for text in (*rest, *sides.replace[1:]) if text.strip(" \t")]
    if not indent or not first.strip(" \t") or not any(text.strip(" \t") for text in rest):
        return False
    if any(text[0] not in " \t" for text in later) or any(line.keep == 0 for line in change.put[1:]):
        return False
    if sides.replace:
        body = sides.replace[0].lstrip(" \t")
        if not body or sides.replace[0] != indent + body or change.put[0].keep not in (0, None):
            return False
        sides.replace[0] = body
    sides.search[0] = first[len(indent) :]
    return True


def typography(rng: random.Random, sides: Sides, change: Change, lines: list[Line]) -> bool:
    """Quotes, dashes, odd spaces and composed letters written another way, in SEARCH and in what REPLACE keeps."""
    ways: tuple[Callable[[str], str], ...] = (
        lambda text: text.translate(FOLDS).replace("\u00a0", " "),
        lambda text: text.translate(CURLY),
        lambda text: unicodedata.normalize("NFD", text),
    )
    for i, text in enumerate(sides.search):
        sides.search[i] = rng.choice(ways)(text) if loosest(text) and not set(text.strip()) <= {"=", "-"} else text
    return keep_damaged(rng, sides, change, lines)


def encoded(rng: random.Random, sides: Sides, _change: Change, _lines: list[Line]) -> bool:
    """Both sides with one layer of entities."""
    table: dict[str, str | int | None] = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
    if rng.random() < 0.5:
        table |= {'"': "&quot;", "'": rng.choice(("&apos;", "&#39;"))}
    before = sides.search
    sides.search = [text.translate(str.maketrans(table)) for text in sides.search]
    sides.replace = [text.translate(str.maketrans(table)) for text in sides.replace]
    return sides.search != before


def corrupted(rng: random.Random, sides: Sides, _change: Change, _lines: list[Line]) -> bool:
    """A line of SEARCH with something else in it, or lost: what no tier may find."""
    at = rng.randrange(len(sides.search))
    sides.search[at] += f"#{rng.randrange(10**9)}"
    return True


def indent_of(text: str) -> str:
    return text[: len(text) - len(text.lstrip(" \t"))]


Damage = Callable[[random.Random, Sides, Change, list[Line]], bool]
LADDER: tuple[tuple[Damage, ...], ...] = (
    (trailing,), (trailing,), (edge_blanks,), (lone_blanks,), (trailing, edge_blanks), (indent_shift,),
    (indent_shift, edge_blanks), (trailing, indent_shift), (tab_ratio,), (indent_shift, tab_ratio),
    (first_line_indent,), (typography,), (encoded,),
)  # fmt: skip
BEYOND: tuple[tuple[Damage, ...], ...] = (
    (typography, indent_shift), (encoded, edge_blanks), (typography, encoded), (encoded, indent_shift), (corrupted,),
)  # fmt: skip
LOOSE = frozenset({"indent_shift", "tab_ratio", "first_line_indent"})  # where several maps fit, an error is right


def room_needed(recipe: Sequence[Damage], change: Change) -> bool:
    """Whether a blank line of the file must not take the place of one that was added to SEARCH."""
    loses = not change.put or any(line.keep is None and not line.text.strip() for line in change.put)
    return lone_blanks in recipe or (edge_blanks in recipe and loses)


def blank_beside(page: str, part: str) -> bool:
    """Whether a blank line stands before or after the one place of a part in a page."""
    start = page.find(part)
    end = start + len(part)
    return (start > 0 and page[start - 1] == "\n") or page[end : end + 1] == "\n"


def damaged(rng: random.Random, lines: list[Line], change: Change, texts: Sequence[str]) -> Sides:
    """Both sides of a block, with damage that the ladder undoes, now and then with more, or with none."""
    old = old_texts(lines, change)
    sides, clean = (Sides(list(old), [line.text for line in change.put], []) for _ in range(2))
    if rng.random() < 0.35 or not any(map(loosest, old)) or blurred(old, change):
        return clean
    recipe = rng.choice(BEYOND if (beyond := rng.random() < 0.06) else LADDER)
    if not all(step(rng, sides, change, lines) for step in recipe) or sides.search == old:
        return clean
    lost = corrupted in recipe
    there = {count(page, core(sides.search)) for page in texts}
    again = beyond and any(count(page, core(sides.replace)) for page in texts)
    crowded = room_needed(recipe, change) and any(map(blank_beside, texts, repeat(core(sides.search))))
    if there != ({0} if lost else {1}) or again or crowded:
        return clean
    sides.damage = [step.__name__ for step in recipe] + ["beyond"] * (beyond and not lost)
    return sides


# ---- the diff ------------------------------------------------------------------------------------------------------


def equals(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where lines of `=` that could be dividers are, and how long."""
    for at, text in enumerate(lines):
        if len(bare := text.strip(" \t")) >= 3 and set(bare) == {"="}:
            yield at, len(bare)


def divider_length(rng: random.Random, sides: Sides, texts: Sequence[str]) -> int:
    """A length for the markers: that of `=` lines in the content too, where re-reading must still end right."""
    size, rule = rng.choice((3, 5, 7, 7, 7, 7)), [*equals(sides.search), *equals(sides.replace)]
    dividers = [at for at, long in equals(sides.replace) if long == size]
    longer = [core([*sides.search, "=" * size, *sides.replace[:at]]) for at in dividers]
    guessed = rule and {"corrupted", "beyond", "encoded"} & set(sides.damage)
    doubt = guessed or any(count(page, part) for page in texts for part in longer)
    return size if not doubt else next(n for n in range(7, 99) if all(n != long for _, long in rule))


def framed(rng: random.Random, sides: Sides, size: int, last: bool) -> list[str]:
    """A block's lines, with its markers written in one of the allowed ways."""
    space = rng.choice(("", "", "", " ", "\t "))
    left, right = rng.choice(("-+", "-+", "<>", "->"))
    opener = left * size + " SEARCH" + rng.choice(("", "", "", ">")) + space
    closer = right * rng.choice((size, size, 3)) + " REPLACE" + rng.choice(("", "", "", ">")) + space
    rule = [*equals(sides.search), *equals(sides.replace)]
    divider = size
    if not rule and rng.random() < 0.05:
        divider += 1
        sides.damage.append("divider_length")
    body = [*sides.search, "=" * divider + space, *sides.replace]
    if divider == size and rng.random() < 0.07 and not ({"corrupted", "beyond"} & set(sides.damage)):
        sides.damage.append("missing_closer")
        if last and rng.random() < 0.4:
            return [opener, *body, rng.choice(("+++", "+++++++ REPL", ">>>>>>> "))]
        return [opener, *body]
    return indented(rng, sides, [opener, *body, closer])


def indented(rng: random.Random, sides: Sides, lines: list[str]) -> list[str]:
    """Now and then the whole block under one more indent, or its markers only."""
    if rng.random() > 0.06:
        return lines
    sides.damage.append("indented_block")
    indent = rng.choice(("  ", "    ", "\t"))
    if any(text.strip(" \t") and not text.startswith(indent) for text in sides.search) and rng.random() < 0.3:
        middle = 1 + len(sides.search)
        return [indent + text if at in (0, middle, len(lines) - 1) else text for at, text in enumerate(lines)]
    return [indent + text if text else text for text in lines]


def attempt(rng: random.Random, seed: int) -> Case | None:
    mark, lines = random_file(rng)
    changes = random_changes(rng, lines)
    if not changes:
        return None
    texts = [pages(lines, changes, change) for change in changes]
    sides = [damaged(rng, lines, change, text) for change, text in zip(changes, texts, strict=True)]
    order = list(range(len(changes)))
    parts = [core(old_texts(lines, change)) for change in changes]
    unique = all(count(page, part) == 1 for part, text in zip(parts, texts, strict=True) for page in text)
    if shuffled := unique and len(order) > 1 and rng.random() < 0.3:
        rng.shuffle(order)
    stream, crlf = streamed(rng, [(sides[at], texts[at]) for at in order])
    damage = [name for side in sides for name in side.damage] + ["shuffled"] * shuffled + ["crlf_diff"] * crlf
    only = all(only_place(lines, change) for change in changes) and not {"beyond", "corrupted"} & set(damage)
    decided = only and all(map(closes, sides)) and not {"missing_closer", "indented_block"} <= set(damage)
    # The file's blank line that an added one falls on may be a line that another block replaced.
    certain = decided and not LOOSE & set(damage) and not ("edge_blanks" in damage and len(changes) > 1)
    expected = None if "corrupted" in damage else mark + text_of(rebuilt(lines, changes))
    return Case(seed, mark + text_of(lines), stream, expected, decided, certain, tuple(damage) or ("none",))


def sequel(rng: random.Random, seed: int) -> Case | None:
    """Changes of what earlier blocks wrote: each is made in the text as edited so far, near the one before."""
    mark, first = random_file(rng)
    lines, at, blocks = first, rng.randrange(len(first)), list[tuple[Sides, list[str]]]()
    for _ in range(rng.randint(2, 3)):
        start = max(0, min(len(lines) - 1, at - rng.randint(-1, 3)))
        stop = start + rng.randint(1, 5)
        change = random_change(rng, lines, start, stop) if stop <= len(lines) else None
        if not change or not only_place(lines, change) or len({line.end for line in lines if line.end}) > 1:
            return None
        texts = pages(lines, [], change)
        sides = damaged(rng, lines, change, texts)
        known = any((sides.search, sides.replace) == (other.search, other.replace) for other, _ in blocks)
        if known or (sides.damage and count(page_of(first), core(sides.search))):
            return None
        blocks.append((sides, [*texts, page_of(first)]))
        lines, at = rebuilt(lines, [change]), start
    stream, _ = streamed(rng, blocks)
    damage = [name for sides, _ in blocks for name in sides.damage]
    places = [count(raw_page(first), framed_text(sides.search)) for sides, _ in blocks]
    decided = max(places) < 2 and not {"beyond", "corrupted", "missing_closer"} & set(damage)
    # A later SEARCH that the file has too may be one that an earlier block replaced, while its copy is another's.
    certain = decided and not any(places[1:]) and not LOOSE & set(damage)
    expected = None if "corrupted" in damage else mark + text_of(lines)
    return Case(seed, mark + text_of(first), stream, expected, decided, certain, (*damage, "own_text"))


def streamed(rng: random.Random, blocks: Sequence[tuple[Sides, list[str]]]) -> tuple[str, bool]:
    """The diff, with prose between the blocks now and then, and whether its lines end in CRLF."""
    end, out, closed = rng.choice(("\n", "\n", "\n", "\r\n")), list[str](), True
    for number, (sides, texts) in enumerate(blocks):
        if closed and rng.random() < 0.2:
            out.append(rng.choice(("Now this:", "", "- done", "```")))
        out += framed(rng, sides, divider_length(rng, sides, texts), number == len(blocks) - 1)
        closed = "missing_closer" not in sides.damage
    cut = re.fullmatch(r"[+>]{3,}( R?E?P?L?)?", out[-1]) is not None
    return end.join(out) + ("" if cut or (out[-1] and rng.random() < 0.2) else end), end == "\r\n"


def only_place(lines: list[Line], change: Change) -> bool:
    """Whether the true lines of a SEARCH stand in one place of the file."""
    return count(raw_page(lines), framed_text(old_texts(lines, change))) == 1


def raw_page(lines: Sequence[Line]) -> str:
    """Lines as they are, framed."""
    return framed_text([line.text for line in lines])


def framed_text(texts: Sequence[str]) -> str:
    return "\n" + "\n".join(texts) + "\n"


def closes(sides: Sides) -> bool:
    """Whether a block, should its closer be missing, is applied all the same."""
    written = any(text.strip() for text in sides.replace) and not any(MARKER_LIKE.match(text) for text in sides.replace)
    return written or "missing_closer" not in sides.damage


def created(rng: random.Random, seed: int) -> Case:
    """A new file, from a SEARCH without text."""
    texts = [random_line(rng, "", 900) for _ in range(rng.randint(1, 9))]
    sides = Sides([""] * rng.randrange(3), texts, ["created"])
    stream = "\n".join(framed(rng, sides, 6, False)) + "\n"
    return Case(seed, "", stream, "\n".join(texts) + "\n", closes(sides), closes(sides), tuple(sides.damage))


def make(seed: int) -> Case:
    """The case of a seed."""
    rng = random.Random(seed)
    if rng.random() < 0.01:
        return created(rng, seed)
    kind = sequel if rng.random() < 0.15 else attempt
    while not (case := kind(rng, seed)):
        pass
    return case


def verdict(case: Case) -> str:
    """`right`, `error` (allowed), `refused` (an error where there is no room for one) or `wrong`."""
    editor, rng = FileEditor(case.original), random.Random(case.seed)
    step = len(case.diff) if case.seed % 8 else rng.randint(1, 30)
    try:
        for at in range(0, len(case.diff), step):
            editor.feed(case.diff[at : at + step])
        final = editor.close()
    except EditError:
        return "refused" if case.certain else "error"
    return "right" if final.new_content == case.expected else "wrong"
