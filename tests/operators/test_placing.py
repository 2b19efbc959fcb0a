"""Where a SEARCH goes in the file as edited so far."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream.operators import Document, Hit, safe_ladder
from editstream.operators.document import HITS_LIMIT
from editstream.operators.draft import Draft, compose
from editstream.operators.placing import Found, Lost, Several, locate, locate_hit, open_hits, shown

EXACT = safe_ladder[0]


def file(lines: str) -> Draft:
    """An untouched file of one-letter lines."""
    return Draft(Document("".join(f"{line}\n" for line in lines)))


def edited(draft: Draft, start: int, stop: int, new: str, kept: list[int] | None = None, block: int = 0) -> Draft:
    """The draft with untouched lines replaced, all of them unless it is said which are kept."""
    place = draft.place_in_original(start, stop)
    return draft.edited(place, compose(place, kept or [-1] * len(new), list(new), block), block)


def said(draft: Draft, search: str) -> object:
    """A verdict in short: the place in the original and the blocks in it, the lines of several hits, or the loss."""
    match locate(draft, safe_ladder, list(search)):
        case Found(place, tier):
            return (tier.name, place.start, place.stop, place.blocks)
        case Several(hits):
            return [hit.start for hit in hits]
        case Lost(kind, lines):
            return (kind, *lines)


@pytest.mark.parametrize(
    ("search", "verdict"),
    [
        ("b", ("exact", 1, 2, ())),
        ("bc", ("exact", 1, 3, ())),
        ("x", ("not_found",)),
        ("a", [0, 3]),
        ("ab", ("exact", 0, 2, ())),
    ],
)
def test_in_an_untouched_file(search: str, verdict: object) -> None:
    """One hit is a place, several are left open, none is a loss."""
    assert said(file("abcad"), search) == verdict


def test_the_ladder_is_gone_down_only_on_no_hit() -> None:
    """A stricter hit hides looser ones, however many these are."""
    draft = Draft(Document("a \na\na \n"))
    verdict = locate(draft, safe_ladder, ["a"])
    assert isinstance(verdict, Found)
    assert (verdict.tier.name, verdict.place.start) == ("exact", 1)


@pytest.mark.parametrize(
    ("search", "verdict"),
    [
        ("X", ("exact", 1, 2, (0,))),
        ("Xc", ("exact", 1, 3, (0,))),
        ("aX", ("exact", 0, 2, (0,))),
        ("b", ("overlap",)),
        ("ab", ("overlap",)),
        ("a", ("exact", 0, 1, ())),
        ("aXcd", ("exact", 0, 4, (0,))),
        ("Z", ("not_found",)),
    ],
)
def test_beside_and_in_our_own_text(search: str, verdict: object) -> None:
    """What a block wrote is found, what it replaced is an overlap, what it did not touch is the file's."""
    assert said(edited(file("abcd"), 1, 2, "X"), search) == verdict


def test_several_hits_lose_those_on_replaced_lines() -> None:
    """Of several hits in the original, those on lines that were replaced are no places any more."""
    assert said(edited(file("abab"), 0, 1, "X"), "a") == ("exact", 2, 3, ())
    assert said(edited(file("ababa"), 0, 1, "X"), "a") == [2, 4]


def test_a_hit_on_kept_lines_is_looked_for_in_the_edited_text() -> None:
    """Lines that a block kept are a place in the edited text, which is that block's too."""
    draft = edited(file("abc"), 0, 2, "aX", [0, -1])
    assert said(draft, "a") == ("exact", 0, 2, (0,))
    assert said(draft, "aX") == ("exact", 0, 2, (0,))


def test_several_in_our_own_text_are_ambiguous_by_the_edited_lines() -> None:
    """Several hits in what blocks wrote are named by their lines in the edited text."""
    assert said(edited(file("abc"), 1, 2, "XYX"), "X") == ("ambiguous", 1, 3)


def test_a_replaced_hit_never_slips_to_one_elsewhere() -> None:
    """A SEARCH whose only hit was replaced does not take a looser one in the file."""
    draft = edited(Draft(Document("a\nb\na \n")), 0, 1, "X")
    assert said(draft, "a") == ("overlap",)


def test_the_span_of_a_deletion_is_ours() -> None:
    """Lines that are neighbours only since a block deleted what was between them are found as that block's."""
    assert said(edited(file("abcd"), 1, 3, ""), "ad") == ("exact", 0, 4, (0,))


def test_blank_edges_may_be_left_out_in_our_own_text() -> None:
    """A blank line at the edge of SEARCH that nobody has is left out in what blocks wrote as in the file."""
    verdict = locate(edited(file("ab"), 1, 2, "NM"), safe_ladder, ["", "N"])
    assert isinstance(verdict, Found)
    assert (verdict.tier.name, verdict.top, verdict.place.blocks) == ("edge_blanks", 1, (0,))


@given(
    st.text("abX", min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(1, 3), st.text("abX", max_size=3)), min_size=1, max_size=3),
    st.lists(st.sampled_from(("a", "b", "X", "a ", " X", "")), min_size=1, max_size=3),
)
def test_asking_our_own_text_only_where_it_can_be_changes_nothing(
    lines: str, changes: list[tuple[int, int, str]], search: list[str]
) -> None:
    """The regions that a draft names for a SEARCH are all that it can be found in."""
    draft = file(lines)
    for block, (at, size, new) in enumerate(changes):
        start = at % len(lines)
        stop = min(start + size, len(lines))
        if not draft.overlapped(start, stop):
            draft = edited(draft, start, stop, new, block=block)
    verdict = locate(draft, safe_ladder, search)
    always = locate(Talkative(draft.document, draft.regions, draft.starts, draft.arrangement), safe_ladder, search)
    assert plain(verdict) == plain(always)


class Talkative(Draft):
    """A draft that has its own text asked for every SEARCH."""

    def regions_for(self, search: object) -> list[int]:
        return list(range(len(self.regions)))


def plain(verdict: object) -> object:
    """A verdict without the draft it was given on."""
    return (verdict.hits, verdict.tier) if isinstance(verdict, Several) else verdict


def test_more_hits_than_can_be_told_apart() -> None:
    """A SEARCH that is there too often is ambiguous, in the file and in what blocks wrote."""
    often = "a" * (HITS_LIMIT + 1)
    assert locate(file(often), safe_ladder, ["a"]) == Lost("ambiguous", tuple(range(HITS_LIMIT)), many=True)
    ours = locate(edited(file("abc"), 1, 2, "X" * (HITS_LIMIT + 1)), safe_ladder, ["X"])
    assert isinstance(ours, Lost)
    assert (ours.kind, ours.many) == ("ambiguous", True)
    assert said(file("b" + often), "b") == ("exact", 0, 1, ())


def test_one_hit_is_placed_in_the_file_or_in_our_text() -> None:
    """A chosen hit is a place of the original, or where blocks have a part in it, one of the edited text."""
    draft = edited(file("abab"), 1, 2, "b", [0])
    free = locate_hit(draft, safe_ladder, ["b"], EXACT, Hit(3, 4))
    ours = locate_hit(draft, safe_ladder, ["b"], EXACT, Hit(1, 2))
    assert isinstance(free, Found)
    assert isinstance(ours, Found)
    assert [(each.place.start, each.place.blocks) for each in (free, ours)] == [(3, ()), (1, (0,))]
    assert open_hits(edited(file("abab"), 0, 1, "X"), [Hit(0, 1), Hit(2, 3)]) == (Hit(2, 3),)


def test_blocks_as_users_see_them() -> None:
    """A place is shown in code points and in lines from 1, several hits by their lines, a loss by nothing."""
    draft = file("abca")
    document = draft.document
    found = shown(document, 2, 9, "applied", locate(draft, safe_ladder, ["b", "c"]))
    assert (found.index, found.line, found.status, found.tier) == (2, 9, "applied", "exact")
    assert (found.span, found.lines, found.other_matches) == ((2, 6), (2, 4), ())
    several = shown(document, 0, 1, "pending", locate(draft, safe_ladder, ["a"]))
    assert (several.span, several.lines, several.other_matches) == (None, None, (1, 4))
    lost = shown(document, 0, 1, "rejected", locate(draft, safe_ladder, ["x"]))
    assert (lost.span, lost.tier, lost.other_matches) == (None, None, ())


def test_a_kept_hit_among_a_thousand_of_ours() -> None:
    """A chosen hit on kept lines that a block has repeated a thousand times is ambiguous."""
    draft = edited(file("abc"), 1, 2, "b" * (HITS_LIMIT + 1), [0, *[-1] * HITS_LIMIT])
    lost = locate_hit(draft, safe_ladder, ["b"], EXACT, Hit(1, 2))
    assert isinstance(lost, Lost)
    assert (lost.kind, lost.many) == ("ambiguous", True)
