"""The three dialects as values: what each policy comes to."""

from __future__ import annotations

import pytest
from stages import fed, upto

from editstream.operators import DIALECTS, SAFE, V1, V2, Document, dialect_named


@pytest.mark.parametrize(
    ("text", "v1", "safe"),
    [("--- SEARCH", True, True), ("-- SEARCH", False, False), ("<<< SEARCH>", True, True), ("-<- SEARCH", False, False),
     ("--- search", False, False), ("--- SEARCH ", False, True), ("  --- SEARCH", False, True), ("===", True, True),
     ("== =", False, False), ("+++ REPLACE>", True, True), (">>> REPLACE>>", False, False),
     ("+++ REPLACE\t", False, True), ("", False, False), ("--- REPLACE", False, False)],
)  # fmt: skip
def test_markers_of_a_grammar(text: str, v1: bool, safe: bool) -> None:
    """A line is a marker as the dialect's patterns say, of which ``v1`` and ``v2`` have the same."""
    assert [dialect.grammar.is_marker(text) for dialect in (V1, V2, SAFE)] == [v1, v1, safe]


def test_dialects_by_name() -> None:
    """A name gives its dialect, a dialect gives itself, and any other name is a ``ValueError`` that lists them."""
    assert [dialect_named(name) for name in DIALECTS] == [V1, V2, SAFE]
    assert dialect_named(V2) is V2
    with pytest.raises(ValueError, match="unknown dialect 'v3': use one of v1, v2, safe"):
        dialect_named("v3")


OPEN = "------- SEARCH\nb\n=======\nB\n"
BACKWARDS = f"{OPEN}+++++++ REPLACE\n------- SEARCH\na\n=======\nA\n+++++++ REPLACE\n"


@pytest.mark.parametrize(
    ("policy", "file", "stream", "v1", "v2", "safe"),
    [
        ("empty_search", "a\n", "------- SEARCH\n=======\nN\n+++++++ REPLACE\n", "empty_search", "N\n", "empty_search"),
        ("empty_search", "", "------- SEARCH\n=======\nN\n+++++++ REPLACE\n", "N\n", "N\n", "N\n"),
        ("empty_search", "", "------- SEARCH\n \n \n=======\nN\n+++++++ REPLACE\n", "not_found", "not_found", "N\n"),
        ("unclosed", "a\nb\n", OPEN[:-1], "a\nB\n", "unterminated", "a\nB\n"),
        ("unclosed", "a\nb\n", OPEN + "```", "a\nB\n```\n", "unterminated", "malformed"),
        ("hold_back", "a\nb\n", BACKWARDS, "A\nB\n", "not_found", "A\nB\n"),
        ("several hits", "b\nb\n", OPEN + "+++++++ REPLACE\n", "B\nb\n", "B\nb\n", "ambiguous"),
        ("prose", "a\nb\n", f"Now:\n{OPEN}+++++++ REPLACE\n", "a\nB\n", "malformed", "a\nB\n"),
        ("grammar", "a\nb\n", "  " + OPEN.replace("\n", "\n  ") + "+++++++ REPLACE\n", "a\nb\n", "a\nb\n", "a\nB\n"),
    ],
)  # fmt: skip
def test_policies(policy: str, file: str, stream: str, v1: str, v2: str, safe: str) -> None:
    """For each policy, a stream comes to a file or to the kind of a problem, as the dialect's value says."""
    came_to = list[str]()
    for name in DIALECTS:
        last = fed(upto("snapshots", Document(file), name), [stream])[-1]
        came_to.append(last.problems[0].kind if last.problems else last.new_content)
    assert came_to == [v1, v2, safe], policy


@pytest.mark.parametrize(("name", "matches"), [("v1", (2,)), ("v2", ()), ("safe", (2,))])
def test_reported_matches(name: str, matches: tuple[int, ...]) -> None:
    """``v2`` reports no match positions, the others where a block begins."""
    last = fed(upto("snapshots", Document("a\nb\n"), name), [OPEN + "+++++++ REPLACE\n"])[-1]
    assert last.match_indices == matches
