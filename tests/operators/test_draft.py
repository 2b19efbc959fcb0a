"""The text as edited so far, against a plain list of lines that is edited in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream.operators import Document, Splice
from editstream.operators.alignment import align
from editstream.operators.draft import Draft, Place, Written, compose
from editstream.operators.surroundings import Surroundings

ends = st.sampled_from(("\n", "\r\n"))
texts = st.sampled_from("abc")
new_lines = st.lists(texts, max_size=4)


@dataclass(frozen=True)
class Model:
    """The naive text: for each line its text, its end, and the line of the original that it keeps, or -1."""

    lines: list[tuple[str, str, int]]

    def text(self) -> str:
        return "".join(text + end for text, end, _ in self.lines)


def patched(original: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """A text with sorted edits that do not overlap."""
    parts, at = list[str](), 0
    for start, stop, text in edits:
        assert at <= start <= stop
        parts += (original[at:start], text)
        at = stop
    return "".join([*parts, original[at:]])


def applied(document: Document, splices: Sequence[Splice]) -> str:
    return patched(document.text, [(splice.start, splice.end, splice.text) for splice in splices])


@st.composite
def files(draw: st.DrawFn) -> Document:
    """A file of one to ten lines with either line end, some with a byte order mark, some with an open end."""
    text = "".join(line + draw(ends) for line in draw(st.lists(texts, min_size=1, max_size=10)))
    return Document(draw(st.sampled_from(("", "\ufeff"))) + (text if draw(st.booleans()) else text.rstrip("\r\n")))


# Line ends --------------------------------------------------------------------------------------------------------


def ends_by_the_rule(old: list[str], before: str | None, after: str | None, kept: Sequence[int]) -> list[str]:
    """The line ends of the new lines, written down from the rule: ``old`` are the ends of the lines taken away."""
    bare = (old[-2] if len(old) > 1 else before) or "\n"  # a last line without an end that gets a successor
    made = list[str]()
    for at, line in enumerate(kept):
        if line >= 0:
            made.append(old[line] or bare)
            continue
        above = max((line for line in kept[:at] if line >= 0), default=-1)
        below = min((line for line in kept[at:] if line >= 0), default=len(old))
        nth = at - max((n for n in range(at) if kept[n] >= 0), default=-1) - 1
        replaced = old[above + 1 : below]
        if replaced:
            made.append(replaced[min(nth, len(replaced) - 1)] or bare)
        elif above >= 0:
            made.append(old[above] or bare)
        elif before:
            made.append(before)
        else:
            following = old[below] or bare if below < len(old) else after
            made.append(following or "\n")
    if made and old and not old[-1]:
        made[-1] = ""
    return made


@given(files(), st.data())
def test_compose_follows_the_rule_of_line_ends(document: Document, data: st.DataObject) -> None:
    """Kept lines keep text, origin and end, and new ones get the ends that the rule gives them."""
    count = len(document.lines)
    start = data.draw(st.integers(0, count))
    stop = data.draw(st.integers(start, count))
    draft = Draft(document)
    place = draft.place_in_original(start, stop)
    new = data.draw(new_lines)
    kept = align(document.lines[start:stop], new)
    lines = compose(place, kept, new, 7)
    assert [line.text for line in lines] == new
    assert [(line.origin, line.block) for line in lines] == [(start + at, -1) if at >= 0 else (-1, 7) for at in kept]
    before = document.end(start - 1) if start else None
    after = document.end(stop) if stop < count else None
    old = [document.end(at) for at in range(start, stop)]
    assert [line.end for line in lines] == ends_by_the_rule(old, before, after, kept)


@pytest.mark.parametrize(
    ("file", "span", "new", "made"),
    [
        ("a\r\nb\nc\r\n", (0, 3), "xyz", "x\r\ny\nz\r\n"),
        ("a\r\nb\nc\r\n", (1, 2), "xyz", "a\r\nx\ny\nz\nc\r\n"),
        ("a\r\nb\n", (0, 2), "axb", "a\r\nx\r\nb\n"),
        ("a\r\nb\n", (0, 1), "xa", "x\r\na\r\nb\n"),
        ("a\nb", (1, 2), "xy", "a\nx\ny"),
        ("a\r\nb", (1, 2), "bx", "a\r\nb\r\nx"),
        ("b", (0, 1), "bx", "b\nx"),
        ("a\nb", (1, 2), "", "a\n"),
        ("a\r\nb", (0, 2), "b", "b"),
        ("", (0, 0), "xy", "x\ny\n"),
    ],
)
def test_line_ends_by_example(file: str, span: tuple[int, int], new: str, made: str) -> None:
    """New lines take the ends of what they replace, and an open end of the file stays open."""
    document = Document(file)
    draft = Draft(document)
    place = draft.place_in_original(*span)
    lines = compose(place, align(document.lines[slice(*span)], new), list(new), 0)
    assert applied(document, draft.edited(place, lines, 0).arrangement.splices) == made


# Edits ------------------------------------------------------------------------------------------------------------


def edit(draft: Draft, model: Model, span: tuple[int, int], new: list[str], block: int) -> tuple[Draft, Model]:
    """Replace lines of the edited text, in the draft through the place it gives and in the model as a list."""
    start, stop = span
    place = place_of(draft, model, start, stop)
    old = model.lines[start:stop]
    kept = align([text for text, _, _ in old], new)
    if place.blocks:
        before = model.lines[start - 1][1] if start else None
        after = model.lines[stop][1] if stop < len(model.lines) else None
    else:  # the file's own text has its own neighbours, so that the order of blocks makes no difference
        document = draft.document
        before = document.end(place.start - 1) if place.start else None
        after = document.end(place.stop) if place.stop < len(document.lines) else None
    made = ends_by_the_rule([end for _, end, _ in old], before, after, kept)
    lines = compose(place, kept, new, block)
    put = [(text, end, old[at][2] if at >= 0 else -1) for text, end, at in zip(new, made, kept, strict=True)]
    return draft.edited(place, lines, block), Model([*model.lines[:start], *put, *model.lines[stop:]])


def place_of(draft: Draft, model: Model, start: int, stop: int) -> Place:
    """The place of lines of the edited text; ``Surroundings`` with room for everything is that whole text."""
    everything = Surroundings(draft, range(len(draft.regions)), len(draft.document.lines) + 1)
    touched = everything.touched(start, stop) if draft.regions else set[int]()
    if not touched:
        first = model.lines[start][2]
        return draft.place_in_original(first, first + stop - start)
    assert list(everything.lines) == [text for text, _, _ in model.lines]
    hit = everything.hit(start, stop, touched)
    assert hit.line == start
    return hit.place


@given(files(), st.lists(st.tuples(st.integers(0, 30), st.integers(1, 4), new_lines), max_size=6))
def test_edits_are_those_of_a_plain_list(document: Document, edits: list[tuple[int, int, list[str]]]) -> None:
    """Whatever lines of the edited text are replaced, ours or the file's, the draft comes to what a list comes to."""
    draft = Draft(document)
    model = Model([(line, document.end(at), at) for at, line in enumerate(document.lines)])
    for block, (at, size, new) in enumerate(edits):
        if not model.lines:
            break
        start = at % len(model.lines)
        draft, model = edit(draft, model, (start, min(start + size, len(model.lines))), new, block)
        holds(draft, model)


def holds(draft: Draft, model: Model) -> None:
    """The draft says in all its ways what the model says."""
    document, splices = draft.document, draft.arrangement.splices
    assert applied(document, splices) == document.text[: document.start] + model.text()
    assert patched(document.text, [run for splice in splices for run in splice.runs]) == applied(document, splices)
    assert tuple(region.start for region in draft.regions) == draft.starts
    assert all(a.stop <= b.start for a, b in zip(draft.regions, draft.regions[1:], strict=False))
    kept = {origin for _, _, origin in model.lines}
    for line in range(len(document.lines)):
        assert draft.has_gone(line, line + 1) is (line not in kept)
        covering = [at for at, region in enumerate(draft.regions) if region.start <= line < region.stop]
        assert list(draft.overlapped(line, line + 1)) == covering


@given(files(), st.lists(st.tuples(st.integers(0, 9), st.integers(1, 3), new_lines), max_size=4))
def test_disjoint_edits_may_come_in_any_order(document: Document, edits: list[tuple[int, int, list[str]]]) -> None:
    """Edits of different lines of the original give one text, whatever their order."""
    chosen = list[tuple[int, int, list[str]]]()
    for at, size, new in edits:
        start = at % len(document.lines)
        stop = min(start + size, len(document.lines))
        if all(stop <= other or start >= end for other, end, _ in chosen):
            chosen.append((start, stop, new))
    results = set[str]()
    for order in (chosen, chosen[::-1], sorted(chosen)):
        draft = Draft(document)
        for block, (start, stop, new) in enumerate(order):
            place = draft.place_in_original(start, stop)
            lines = compose(place, [-1] * len(new), new, block)
            before = draft
            draft = draft.edited(place, lines, block)
            assert before.without(place) is before.arrangement
        results.add(applied(document, draft.arrangement.splices))
    assert len(results) == 1


def replaced(draft: Draft, start: int, stop: int, new: str, block: int) -> Draft:
    """The draft with untouched lines replaced as a whole."""
    place = draft.place_in_original(start, stop)
    return draft.edited(place, compose(place, [-1] * len(new), list(new), block), block)


def test_runs_are_the_lines_that_differ() -> None:
    """An edit's runs leave out kept lines, and a kept line whose end changed is in them."""
    document = Document("a\nb\nc\nd")
    draft = Draft(document)
    place = draft.place_in_original(0, 4)
    lines = compose(place, [0, -1, 2, 3, -1], list("aBcdE"), 0)
    (splice,) = draft.edited(place, lines, 0).arrangement.splices
    assert splice.runs == ((2, 4, "B\n"), (6, 7, "d\nE"))


def test_surroundings_hold_some_lines_around_each_region() -> None:
    """What blocks wrote is searched with a margin of the file's lines, far stretches apart, near ones joined."""
    draft = Draft(Document("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"))
    for block, (line, new) in enumerate(((1, "X"), (3, "Y"), (8, "Z"))):
        draft = replaced(draft, line, line + 1, new, block)
    everything = Surroundings(draft, range(3), 1)
    assert "".join(everything.lines) == "aXcYe\nhZj"
    assert "".join(Surroundings(draft, [0], 1).lines) == "aXc"
    assert "".join(Surroundings(draft, [0], 2).lines) == "aXcYef"
    assert everything.touched(0, 1) == set()
    assert everything.touched(1, 4) == {0, 1}


def test_a_hit_may_span_a_deletion_but_not_stand_beside_it() -> None:
    """Lines around deleted ones touch the deletion only if there are some on both sides of it."""
    draft = replaced(Draft(Document("a\nb\nc\nd\n")), 1, 2, "", 0)
    text = Surroundings(draft, [0], 2)
    assert "".join(text.lines) == "acd"
    assert [text.touched(*span) for span in ((0, 2), (0, 1), (1, 3))] == [{0}, set(), set()]
    place = text.hit(0, 2, {0}).place
    assert (place.start, place.stop, place.blocks) == (0, 3, (0,))


def test_regions_remember_their_blocks() -> None:
    """A region that was made from an earlier one belongs to both blocks, and to no other."""
    draft = replaced(Draft(Document("a\nb\nc\n")), 1, 2, "XY", 0)
    text = Surroundings(draft, [0], 3)
    place = text.hit(2, 3, {0}).place
    assert ([line.text for line in place.head], [line.text for line in place.old]) == (["X"], ["Y"])
    draft = draft.edited(place, (Written("Z", "\n", -1, 1),), 1)
    region = draft.region_of(0)
    assert region is draft.region_of(1)
    assert region is not None
    assert [line.text for line in region.lines] == ["X", "Z"]
    assert draft.region_of(2) is None
    assert draft.lines_added_before(1) == 1


def test_a_draft_is_never_changed() -> None:
    """An edit gives a new draft and leaves the old one as it was."""
    first = replaced(Draft(Document("a\nb\nc\n")), 0, 1, "X", 0)
    splices, regions = first.arrangement.splices, first.regions
    replaced(first, 2, 3, "Y", 1)
    assert (first.arrangement.splices, first.regions) == (splices, regions)
