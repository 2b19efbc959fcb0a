"""The tiers one by one: what each finds, and that it finds every hit, against plain scans."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream.operators import Document, Hit, LineTier, safe_ladder
from editstream.operators.document import HITS_LIMIT, Lines, TooManyHits
from editstream.operators.folds import TYPOGRAPHIC, loosest, plain_unicode, without_end_space, without_indent
from editstream.operators.indentation import Misfit
from editstream.operators.tiers import (
    CursorTier,
    anchors,
    exact_from_cursor,
    exact_from_start,
    trimmed_lines,
)

LADDER = {tier.name: tier for tier in safe_ladder}
line = st.sampled_from(("a", "a ", " a", "\ta", "  a", "b", "b\t", "“b”", '"b"', "", " ", "&lt;", "<", "é", "e\u0301"))
lines = st.lists(line, max_size=10)
few = st.lists(line, min_size=1, max_size=4)


def spots(tier: str, text: list[str], search: list[str]) -> list[tuple[int, int]]:
    return [(hit.start, hit.stop) for hit in LADDER[tier].find(Lines(text), search)]


def test_the_ladder_goes_down_in_this_order() -> None:
    """The tiers of ``safe`` are these, from the strictest down, and those that change lines have an adapter."""
    assert [(tier.name, tier.adapter is not None) for tier in safe_ladder] == [
        ("exact", False),
        ("trailing_space", False),
        ("edge_blanks", False),
        ("indent", True),
        ("first_line_indent", True),
        ("unicode", False),
        ("entities", True),
    ]


@given(lines, few, st.sampled_from([("exact", str), ("trailing_space", without_end_space), ("unicode", plain_unicode)]))
def test_folding_tiers_are_plain_scans(
    text: list[str], search: list[str], how: tuple[str, Callable[[str], str]]
) -> None:
    """A tier that folds lines finds every place where the folded lines are the same, overlaps included."""
    name, fold = how
    folded, wanted = [fold(each) for each in text], [fold(each) for each in search]
    places = [at for at in range(len(text) - len(search) + 1) if folded[at : at + len(search)] == wanted]
    assert spots(name, text, search) == [(at, at + len(search)) for at in places]


@given(lines, few, st.sampled_from(safe_ladder))
def test_a_hit_of_any_tier_has_the_same_lines_under_all_folds(
    text: list[str], search: list[str], tier: LineTier
) -> None:
    """No tier takes lines for the same that differ in more than white space, typography or one layer of entities."""
    for hit in tier.find(Lines(text), search):
        inner = search[hit.top : len(search) - hit.bottom]
        assert len(inner) == hit.stop - hit.start > 0
        decoded = [each.replace("&lt;", "<") if tier.name == "entities" else each for each in inner]
        assert [loosest(each) for each in text[hit.start : hit.stop]] == [loosest(each) for each in decoded]
        assert all(not each.strip(" \t") for each in [*search[: hit.top], *search[len(search) - hit.bottom :]])
        assert max(hit.top, hit.bottom) <= 2


@given(lines, few)
def test_a_looser_tier_finds_what_a_stricter_one_finds(text: list[str], search: list[str]) -> None:
    """Every hit of ``exact`` is one of ``trailing_space``, and every hit of that is one of ``unicode``."""
    exact, trailing, folded = (set(spots(name, text, search)) for name in ("exact", "trailing_space", "unicode"))
    assert exact <= trailing <= folded


@pytest.mark.parametrize(
    ("search", "text", "hits"),
    [
        (["", "a"], ["x", "a"], [Hit(1, 2, 1, 0)]),
        (["a", "", " "], ["a", "x"], [Hit(0, 1, 0, 2)]),
        (["", "a", ""], ["a", "", "x", "a"], [Hit(0, 2, 1, 0)]),
        (["", "a", ""], ["x", "a"], [Hit(1, 2, 1, 1)]),
        (["", "", "", "a"], ["x", "a"], []),
        (["", "", "", "a"], ["x", "", "a"], [Hit(1, 3, 2, 0)]),
        (["", ""], ["a"], []),
        (["", ""], [""], [Hit(0, 1, 0, 1)]),
        (["a"], ["a"], []),
        (["", "a"], ["", "a"], [Hit(1, 2, 1, 0)]),
        (["", "a "], ["a", "b", "a\t"], [Hit(0, 1, 1, 0), Hit(2, 3, 1, 0)]),
        (["", "a", ""], ["x", "a", "", "y", "", "a", "z"], [Hit(1, 3, 1, 0), Hit(4, 6, 0, 1)]),
    ],
)
def test_edge_blanks(search: list[str], text: list[str], hits: list[Hit]) -> None:
    """Blank lines are left out at the edges, fewest first, at most two at each, and never all of SEARCH."""
    assert LADDER["edge_blanks"].find(Lines(text), search) == hits


@pytest.mark.parametrize(
    ("search", "text", "found"),
    [
        (["a", "  b"], ["  a", "    b"], [0]),
        (["    a", "        b"], ["\ta", "\t\tb"], [0]),
        (["\ta", "\t\tb"], ["  a", "    b"], [0]),
        (["\ta", "\t\tb"], ["  a", "   b"], [0]),
        (["\ta", "\t\tb"], ["  a", "  b"], []),
        (["a", "  b"], ["  a", "  b"], []),
        (["a", " b"], ["    a", "     b ", "a", " b"], [0, 2]),
        (["a", "", "b"], ["  a", " \t", "  b"], [0]),
        (["  a"], [" a", "a", "\ta"], [0, 1, 2]),
        ([" a", "\tb"], ["a", "b", "  c"], [0]),
        ([" a", "\tb"], ["a", "b", "\tc"], [0]),
        ([" a", "\tb"], ["a", "b"], []),
        ([" a", "\t\tb"], ["a", "b"], []),
    ],
)
def test_indent(search: list[str], text: list[str], found: list[int]) -> None:
    """One map carries the indent of every line that is not blank, or the place is no hit."""
    assert [at for at, _ in spots("indent", text, search)] == found


@pytest.mark.parametrize(
    ("search", "text", "found"),
    [
        (["a", "    b"], ["  a", "    b"], [0]),
        (["a", "\tb", "\t\tc"], ["  a", "    b", "      c"], [0]),
        (["a", "\tb", "\t\tc"], ["  a", "    b", "    c"], []),
        (["a", "\tb", "\t\tc"], ["  a", "  b", "    c"], [0]),
        (["a", "    b"], ["a", "    b"], []),
        (["a", "b"], ["  a", "  b"], []),
        ([" a", "    b"], ["  a", "    b"], []),
        (["a"], ["  a"], []),
        (["a", "", "  b"], ["  a", "", "  b"], [0]),
        (["", "a", "    b"], ["  a", "    b"], [0]),
    ],
)
def test_first_line_indent(search: list[str], text: list[str], found: list[int]) -> None:
    """SEARCH's first line has lost its indent, the file's has one, and all later lines have one in both."""
    assert [at for at, _ in spots("first_line_indent", text, search)] == found


@pytest.mark.parametrize("char", sorted(TYPOGRAPHIC), ids=hex)
def test_typography(char: int) -> None:
    """Each typographic character is found by its plain form, and the other way round."""
    fancy, plain = f"x{chr(char)}y", f"x{TYPOGRAPHIC[char] or ''}y"
    assert spots("unicode", [fancy], [plain]) == spots("unicode", [plain], [fancy]) == [(0, 1)]
    assert spots("trailing_space", [fancy], [plain]) == []


@pytest.mark.parametrize(
    ("ours", "theirs"), [("A", "a"), ("x  y", "x y"), ("x", "x y"), ("ﬁ", "fi"), ("…", "..."), ("а", "a")]
)
def test_never(ours: str, theirs: str) -> None:
    """No tier folds case, white space inside a line, parts of lines, ligatures or letters of other scripts."""
    assert [tier.name for tier in safe_ladder if tier.find(Lines([theirs]), [ours])] == []


@pytest.mark.parametrize(
    ("search", "text", "found"),
    [
        (["a &lt; b"], ["a < b "], [0]),
        (["a &lt; b"], ["a < b", "a < b"], []),
        (["a &lt; b", "x & y"], ["a < b", "x & y"], []),
        (["a < b"], ["a < b"], []),
        (["&amp;lt;"], ["&lt;"], [0]),
        (["&nbsp;&lt;"], ["&nbsp;<"], []),
    ],
)
def test_entities_tier(search: list[str], text: list[str], found: list[int]) -> None:
    """Encoded text is decoded once, where nothing bare speaks against it and it is there exactly once."""
    assert [at for at, _ in spots("entities", text, search)] == found


def test_the_entities_adapter() -> None:
    """New lines are decoded as SEARCH was, and a bare sign in them is a misfit."""
    adapter = LADDER["entities"].adapter
    assert adapter is not None
    adapt = adapter(["&lt;"], ["<"], Lines(["<"]))
    assert adapt("&gt;&amp;gt;", 0) == ">&gt;"
    with pytest.raises(Misfit, match="never encoded"):
        adapt("a > b", 0)


def test_loosest_is_all_folds() -> None:
    """White space at both ends and typography are gone."""
    assert loosest(" \t“é” \t") == loosest('"e\u0301"') == '"é"'
    assert (without_indent(" a\t"), without_end_space(" a\t")) == ("a", " a")


# Cline's tiers ----------------------------------------------------------------------------------------------------

pieces = st.lists(st.sampled_from(("a", " a", "b", "b ", "", "\r")), max_size=8)


def trimmed_scan(
    text: str, search: list[str], cursor: int, *, same: Callable[[list[str]], bool]
) -> tuple[int, int] | None:
    """Cline's loop over lines: the first place from the cursor on, as offsets, one for each line feed."""
    parts, start = text.split("\n"), 0
    for at in range(len(parts)):
        if start >= cursor and at + len(search) <= len(parts) and same(parts[at : at + len(search)]):
            return start, start + sum(len(part) + 1 for part in parts[at : at + len(search)])
        start += len(parts[at]) + 1
    return None


@given(pieces, pieces, st.integers(0, 12))
def test_trimmed_lines_is_a_plain_loop(text: list[str], search: list[str], cursor: int) -> None:
    """The first lines from the cursor on that are the same trimmed are found as a loop over the lines finds them."""
    wanted, file = [each.strip() for each in search], "\n".join(text)
    naive = trimmed_scan(file, search, cursor, same=lambda found: [each.strip() for each in found] == wanted)
    assert trimmed_lines(Document(file), search, cursor) == (naive if search else None)


@given(pieces, pieces, st.integers(0, 12))
def test_anchors_is_a_plain_loop(text: list[str], search: list[str], cursor: int) -> None:
    """The first and last line, trimmed, so many lines apart, are found as a loop over the lines finds them."""
    file = "\n".join(text)
    naive = None
    if len(search) >= 2:
        top, bottom = search[0].strip(), search[-1].strip()
        naive = trimmed_scan(
            file, search, cursor, same=lambda found: (found[0].strip(), found[-1].strip()) == (top, bottom)
        )
    assert anchors(Document(file), search, cursor) == naive


@pytest.mark.parametrize(
    ("tier", "cursor", "span"),
    [(exact_from_cursor, 0, (0, 2)), (exact_from_cursor, 1, (4, 6)), (exact_from_cursor, 5, None),
     (exact_from_start, 5, (0, 2))],
)  # fmt: skip
def test_exact_text(tier: CursorTier, cursor: int, span: tuple[int, int] | None) -> None:
    """Plain text is found at or after the cursor, or in the whole file."""
    assert tier(Document("a\nb\na\n"), ["a"], cursor) == span


def test_exact_text_may_begin_inside_a_line() -> None:
    """Cline searches text and not lines."""
    assert exact_from_cursor(Document("xa\nb\n"), ["a", "b"], 0) == (1, 5)


def test_too_many_hits() -> None:
    """A tier that folds tells no more than a thousand hits apart, and the entities tier then finds none."""
    often = Lines(["  a < b"] * (HITS_LIMIT + 1))
    for name, search in (
        ("exact", "  a < b"),
        ("trailing_space", "  a < b "),
        ("indent", "a < b"),
        ("unicode", "  a < b"),
    ):
        with pytest.raises(TooManyHits):
            LADDER[name].find(often, [search])
    assert LADDER["entities"].find(often, ["  a &lt; b"]) == []
    assert len(LADDER["indent"].find(Lines(often.lines[1:]), ["a < b"])) == HITS_LIMIT
