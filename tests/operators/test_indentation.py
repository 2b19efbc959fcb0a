"""Maps between the indent of SEARCH and that of the file, and what they make of new lines."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from editstream.operators.document import Lines
from editstream.operators.indentation import (
    RATIOS,
    IndentMap,
    Misfit,
    first_line_adapter,
    fitting_maps,
    indent_adapter,
    indent_of,
    is_blank,
)

indents = st.text(" \t", max_size=8)
line = st.builds(lambda indent, rest: indent + rest, indents, st.sampled_from(("", "a", "b c")))
maps = st.one_of(
    st.builds(IndentMap, st.just("none"), st.just(1), add=indents),
    st.builds(IndentMap, st.just("none"), st.just(1), take=indents),
    st.builds(IndentMap, st.sampled_from(("to_tabs", "to_spaces")), st.sampled_from(RATIOS), add=indents),
    st.builds(IndentMap, st.sampled_from(("to_tabs", "to_spaces")), st.sampled_from(RATIOS), take=indents),
)


@given(st.lists(st.tuples(line, line), max_size=4))
def test_every_map_that_fits_carries_every_line(lines: list[tuple[str, str]]) -> None:
    """Each map carries the indent of each line of SEARCH that is not blank to that of the file's line."""
    search, found = [ours for ours, _ in lines], [theirs for _, theirs in lines]
    for fit in fitting_maps(search, found, Lines(found)):
        assert [fit(indent_of(a)) for a in search if not is_blank(a)] == [
            indent_of(b) for a, b in zip(search, found, strict=True) if not is_blank(a)
        ]


@given(st.lists(line, min_size=1, max_size=4), maps)
def test_what_a_map_made_is_found(search: list[str], made_by: IndentMap) -> None:
    """Lines that one map made of SEARCH have a map that fits, which gives the same for SEARCH's own indents."""
    carried = [made_by(indent_of(each)) for each in search]
    assume(None not in carried and any(not is_blank(each) for each in search))
    found = [(indent or "") + each.lstrip(" \t") for indent, each in zip(carried, search, strict=True)]
    assert fitting_maps(search, found, Lines(found))
    adapt = indent_adapter(search, found, Lines(found))
    assert [adapt(each, 0) for each in search if not is_blank(each)] == [
        new for each, new in zip(search, found, strict=True) if not is_blank(each)
    ]


def test_blank_lines_say_nothing() -> None:
    """Where SEARCH has blank lines only, no map is told from another, and none fits."""
    assert fitting_maps(["", "  "], ["\t", ""], Lines(["\t", ""])) == []
    assert fitting_maps([], [], Lines([])) == []


@pytest.mark.parametrize(
    ("fit", "indent", "carried"),
    [
        (IndentMap("none", 1, add="\t"), "  ", "\t  "),
        (IndentMap("none", 1, take="  "), "    ", "  "),
        (IndentMap("none", 1, take="  "), " ", None),
        (IndentMap("to_tabs", 4), "        ", "\t\t"),
        (IndentMap("to_tabs", 4), "      ", "\t  "),
        (IndentMap("to_tabs", 4, take="\t"), "        ", "\t"),
        (IndentMap("to_spaces", 2, add=" "), "\t\t", "     "),
    ],
)
def test_a_map(fit: IndentMap, indent: str, carried: str | None) -> None:
    """An indent is exchanged, then added to or taken from; what cannot be taken from is carried nowhere."""
    assert fit(indent) == carried


@pytest.mark.parametrize(
    ("fit", "indent", "left"),
    [
        (IndentMap("to_tabs", 4), "        ", False),
        (IndentMap("to_tabs", 4), "      ", True),
        (IndentMap("to_tabs", 4), "\t\t", False),
        (IndentMap("to_tabs", 4), "  \t", True),
        (IndentMap("to_spaces", 4), "   ", False),
        (IndentMap("none", 1), "   ", False),
    ],
)
def test_spaces_that_make_no_whole_tab(fit: IndentMap, indent: str, left: bool) -> None:
    """Only an exchange into tabs leaves spaces, where they are not a whole number of tabs."""
    assert fit.leaves_spaces(indent) is left


@pytest.mark.parametrize(
    ("search", "found", "new", "made"),
    [
        (["a", "  b"], ["  a", "    b"], "    c", "      c"),
        (["  a", "    b"], ["a", "  b"], "      c", "    c"),
        (["  a", "    b"], ["\ta", "\t\tb"], "      c", "\t\t\tc"),
        (["\ta"], ["    a"], "\tc", "    c"),
        (["    a"], ["\ta"], "    c", "\tc"),
        (["  a"], ["    a"], "", ""),
        (["  a"], ["    a"], " \t", " \t"),
    ],
)
def test_new_lines_are_carried_as_the_lines_of_search_were(
    search: list[str], found: list[str], new: str, made: str
) -> None:
    """A new line gets the file's indent for its own, and a blank one stays as it is."""
    assert indent_adapter(search, found, Lines(found))(new, 0) == made


@pytest.mark.parametrize(
    ("search", "found", "new"),
    [
        (["    a"], ["\ta"], "        c"),
        (["  a", "    b"], ["\ta", "\t\tb"], "   c"),
        (["    a"], ["  a"], "c"),
        (["\ta"], ["    a"], "\t\tc"),
    ],
)
def test_a_new_line_that_cannot_be_carried(search: list[str], found: list[str], new: str) -> None:
    """A line whose indent the maps disagree about, or none carries, is a misfit."""
    with pytest.raises(Misfit, match="how deep this line goes"):
        indent_adapter(search, found, Lines(found))(new, 0)


def test_the_first_line_goes_its_own_way() -> None:
    """The first line gets the file's indent of its line, the others are carried by the map of the rest."""
    adapt = first_line_adapter(["a", "  b"], ["    a", "      b"], Lines([]))
    assert [adapt("c", 0), adapt("  d", 1), adapt("", 2), adapt(" ", 0)] == ["    c", "      d", "", " "]


@pytest.mark.parametrize(("text", "index", "why"), [("  c", 0, "has lost its indentation"), ("c", 1, "no indentation")])
def test_first_line_misfits(text: str, index: int, why: str) -> None:
    """An indented first line, and a later one without indent, are misfits."""
    with pytest.raises(Misfit, match=why):
        first_line_adapter(["a", "  b"], ["    a", "      b"], Lines([]))(text, index)


@pytest.mark.parametrize(
    ("text", "indent", "blank"),
    [("", "", True), (" \t", " \t", True), (" a ", " ", False), ("\x0c", "", False)],
)
def test_indents_and_blank_lines(text: str, indent: str, blank: bool) -> None:
    """Spaces and tabs are an indent, and a line of nothing else is blank."""
    assert (indent_of(text), is_blank(text)) == (indent, blank)


def test_what_the_file_has_elsewhere_says_which_exchange_can_be_meant() -> None:
    """Where the lines found have no indent, spaces are exchanged for tabs only in a file that has tabs."""
    kinds = [
        {fit.exchange for fit in fitting_maps(["    a"], ["a"], Lines(["a", *others]))}
        for others in ([], ["\tb"], ["  b"], ["\tb", "  b"])
    ]
    assert kinds == [{"none"}, {"none", "to_tabs"}, {"none", "to_spaces"}, {"none", "to_tabs", "to_spaces"}]
