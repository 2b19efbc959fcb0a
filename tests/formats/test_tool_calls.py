"""Native tool calls: fields of any tool, in any order, to edits of files."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from tool_turns import call, ends, fault, pairs_edit, read, text_edit
from turn_strategies import fed, joined

from editstream.operators.formats.call_arguments import PAIRS_LIMIT
from editstream.operators.formats.file_edits import (
    EditBegan,
    EditEnded,
    EditText,
    FormatEvent,
    Kind,
    NewText,
    OldText,
    PairBegan,
    PairEnded,
)
from editstream.operators.formats.tool_calls import ToolCalls
from editstream.operators.formats.tool_fields import NAMES, SIDES

# Shapes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES["path"])
def test_names_of_the_path(name: str) -> None:
    """The file may be named by each of the names that tools have for it."""
    assert read({name: "src/a.py", "content": "x"}) == text_edit("content", "src/a.py", "x")


@pytest.mark.parametrize(("kind", "role"), [("blocks", "diff"), ("content", "content")])
@pytest.mark.parametrize("text", ["", "a\nb\n", "é😀\u2028\x00"])
def test_names_of_the_text(kind: Kind, role: Any, text: str) -> None:
    """A diff is an edit made of blocks, and content is the whole file, by each of their names, empty or not."""
    for name in NAMES[role]:
        assert read({"path": "a", name: text}) == text_edit(kind, "a", text)


@pytest.mark.parametrize(("old", "new"), SIDES)
def test_names_of_a_pair(old: str, new: str) -> None:
    """An old and a new text are a pair by each of their names, at the top and in each list of edits."""
    assert read({"path": "a", old: "x", new: "y"}) == pairs_edit("a", ("x", "y", False))
    for name in NAMES["edits"]:
        items = [{old: "x", new: "y"}, {old: "z", new: ""}]
        assert read({"path": "a", name: items}) == pairs_edit("a", ("x", "y", False), ("z", "", False))


@pytest.mark.parametrize("name", NAMES["everywhere"])
@pytest.mark.parametrize(
    ("value", "everywhere"),
    [(True, True), (False, False), (None, False), ("true", True), ("false", False), ("True", True), (" FALSE ", False)],
)
def test_each_place(name: str, value: object, everywhere: bool) -> None:
    """A pair is meant for each place if it says so, as a bool or a word, for itself or for one pair of several."""
    pair = {"old_string": "x", "new_string": "y", name: value}
    assert read({"path": "a", **pair}) == pairs_edit("a", ("x", "y", everywhere))
    two = [{"old_string": "w"}, pair]
    assert read({"path": "a", "edits": two}) == pairs_edit("a", ("w", "", False), ("x", "y", everywhere))


def test_a_new_text_that_is_missing() -> None:
    """A pair without a new text takes the old one away."""
    for pair in ({"old_string": "x"}, {"old_string": "x", "new_string": None}):
        assert read({"path": "a", **pair}) == pairs_edit("a", ("x", "", False))
        assert read({"path": "a", "edits": [pair]}) == pairs_edit("a", ("x", "", False))


def test_fields_that_are_not_ours() -> None:
    """Fields of other names count for nothing, whatever they hold, and so do those that are null."""
    others = {"explanation": "x", "edit": {"diff": "y"}, "line_count": 3, "options": [{"path": "b"}], "old": None}
    nulls = {"diff": None, "edits": None, "command": None, "view_range": None, "insert_line": None, "file_path": None}
    assert read({**others, "path": "a", **nulls, "content": "z"}) == text_edit("content", "a", "z")


ORDERS = {
    "diff": ({"path": "a", "diff": "x", "other": "y"}, text_edit("blocks", "a", "x")),
    "content": ({"path": "a", "content": "x", "other": 1}, text_edit("content", "a", "x")),
    "pair": (
        {"path": "a", "old_string": "x", "new_string": "y", "replace_all": True},
        pairs_edit("a", ("x", "y", True)),
    ),
    "edits": ({"path": "a", "edits": [{"old": "x", "new": "y"}, {"new": "z", "old": "y"}], "other": []},
              pairs_edit("a", ("x", "y", False), ("y", "z", False))),
    "edits in a string": ({"path": "a", "edits": '[{"old": "x", "new": "\\u00e9"}, {"new": "z", "old": "y"}]'},
                          pairs_edit("a", ("x", "é", False), ("y", "z", False))),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "expected"), ORDERS.values(), ids=ORDERS)
def test_fields_in_any_order(fields: dict[str, Any], expected: list[FormatEvent]) -> None:
    """Whatever the order of a call's fields, the edit is the same."""
    for order in permutations(fields):
        assert read({name: fields[name] for name in order}) == expected


def test_fields_of_an_item_in_any_order() -> None:
    """Whatever the order of the fields of an item, the pair is the same, and ends with the item."""
    pair = {"old_string": "x", "new_string": "y", "replace_all": True}
    for order in permutations(pair):
        items = [{name: pair[name] for name in order}, {"old_string": "z"}]
        assert read({"edits": items, "path": "a"}) == pairs_edit("a", ("x", "y", True), ("z", "", False))
        assert read({"path": "a", "edits": items}) == pairs_edit("a", ("x", "y", True), ("z", "", False))


# While it streams -----------------------------------------------------------------------------------------------------

BEGAN = EditBegan(0, "a", "pairs", "c")
GROWING = {
    "content flows": ('{"path": "a", "content": "xy', [EditBegan(0, "a", "content", "c"), EditText(0, "xy")]),
    "an escape waits": ('{"path": "a", "diff": "x\\', [EditBegan(0, "a", "blocks", "c"), EditText(0, "x")]),
    "without its path it is held": ('{"content": "xy", "path": "a', []),
    "with its path it is given": (
        '{"content": "xy", "path": "a"', [EditBegan(0, "a", "content", "c"), EditText(0, "xy")],
    ),
    "an old text flows": ('{"path": "a", "old": "x', [BEGAN, PairBegan(0), OldText(0, "x")]),
    "a new text flows": (
        '{"path": "a", "old": "x", "new": "y', [BEGAN, PairBegan(0), OldText(0, "x"), NewText(0, "y")],
    ),
    "a new text waits": ('{"path": "a", "new": "y", "replace_all": true', []),
    "a new text waits until the old is whole": (
        '{"path": "a", "new": "y", "old": "x', [BEGAN, PairBegan(0), OldText(0, "x")],
    ),
    "the old is whole": (
        '{"path": "a", "new": "y", "old": "x"', [BEGAN, PairBegan(0), OldText(0, "x"), NewText(0, "y")],
    ),
    "a pair of several flows": ('{"path": "a", "edits": [{"old": "x', [BEGAN, PairBegan(0), OldText(0, "x")]),
    "a pair of several has ended": (
        '{"path": "a", "edits": [{"old": "x"}', [BEGAN, PairBegan(0), OldText(0, "x"), PairEnded(0)],
    ),
    "several wait for their path": ('{"edits": [{"old": "x"}, {"old": "y"}], "path": "a', []),
    "several in a string flow": ('{"path": "a", "edits": "[{\\"old\\": \\"x', [BEGAN, PairBegan(0), OldText(0, "x")]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), GROWING.values(), ids=GROWING)
def test_text_is_given_as_soon_as_its_place_is_known(text: str, expected: list[FormatEvent]) -> None:
    """What can be understood of a call has been given, and nothing that could still be wrong."""
    for cuts in (1, len(text)):
        assert joined(fed(ToolCalls(), call(text, cuts=cuts)[:-1], None)) == expected


def test_each_character_is_given_by_itself() -> None:
    """A text whose turn it is goes through in the pieces in which it came."""
    events = fed(ToolCalls(), call({"path": "a", "content": "x = 1"}, cuts=1))
    assert [event.text for event in events if isinstance(event, EditText)] == list("x = 1")


# Faults ---------------------------------------------------------------------------------------------------------------

ONE_OF_THEM = "send one of them"
FAULTS = {
    "nothing": ({}, "names no file"),
    "no file": ({"content": "x"}, "names no file"),
    "no file but null": ({"path": None, "diff": "x"}, "names no file"),
    "an empty path": ({"path": "", "diff": "x"}, "path is empty"),
    "a blank path": ({"file_path": " \n", "diff": "x"}, "file_path is empty"),
    "a path that is a number": ({"path": 1, "diff": "x"}, "path must be a string"),
    "a path that is a list": ({"path": ["a"], "diff": "x"}, "path must be a string"),
    "a path that is an object": ({"path": {"path": "a"}, "diff": "x"}, "path must be a string"),
    "two paths": ({"path": "a", "file_path": "a", "diff": "x"}, "both path and file_path"),
    "no edit": ({"path": "a"}, "names no edit: give diff, or content, or old_string and new_string, or edits"),
    "no edit but null": ({"path": "a", "diff": None, "replace_all": True}, "names no edit"),
    "no edit but another field": ({"path": "a", "code_edit": "x"}, "names no edit"),
    "diff and content": ({"path": "a", "diff": "x", "content": "y"}, "both diff and content"),
    "content and a pair": ({"path": "a", "content": "", "old_str": "y"}, "both content and old_str"),
    "a new text and a diff": ({"path": "a", "newText": "", "diff": "y"}, "both newText and diff"),
    "a pair and edits": ({"path": "a", "old_string": "x", "edits": []}, "both old_string and edits"),
    "diff twice": ({"path": "a", "diff": "x", "diff_content": "x"}, "both diff and diff_content"),
    "content twice": ({"path": "a", "content": "x", "file_text": "x"}, "both content and file_text"),
    "an old text twice": ({"path": "a", "old_string": "x", "search": "x"}, "both old_string and search"),
    "replace_all twice": ({"path": "a", "replace_all": True, "replaceAll": True}, "both replace_all and replaceAll"),
    "edits twice": ({"path": "a", "edits": [], "changes": []}, "both edits and changes"),
    "a number as content": ({"path": "a", "content": 5}, "content must be a string"),
    "an object as content": ({"path": "a", "content": {"a": 1}}, "content must be a string"),
    "a list as diff": ({"path": "a", "diff": ["x"]}, "diff must be a string"),
    "true as an old text": ({"path": "a", "old_string": True}, "old_string must be a string"),
    "a word for replace_all": ({"path": "a", "old": "x", "replace_all": "yes"}, "replace_all must be true or false"),
    "a number for replace_all": ({"path": "a", "old": "x", "replace_all": 1}, "replace_all must be true or false"),
    "a list for replace_all": ({"path": "a", "old": "x", "replaceAll": []}, "replaceAll must be true or false"),
    "no old text": ({"path": "a", "new_string": "x"}, "old_string is missing"),
    "no old text by another name": ({"path": "a", "replace": "x"}, "search is missing"),
    "no old text but null": ({"path": "a", "old_str": None, "new_str": "x"}, "old_str is missing"),
    "no edits": ({"path": "a", "edits": []}, "there are no edits"),
    "no edits in a string": ({"path": "a", "edits": "[]"}, "there are no edits"),
    "an object as edits": ({"path": "a", "edits": {"old": "x"}}, "edits must be a list of objects"),
    "a number as edits": ({"path": "a", "changes": 3}, "changes must be a list of objects"),
    "a string as edits": ({"path": "a", "edits": "x for y"}, "edits is a string, and what it holds is no list"),
    "half a list in a string": ({"path": "a", "edits": '[{"old": "x"'}, "edits is a string, and what it holds"),
    "more than a list in a string": ({"path": "a", "edits": '[{"old": "x"}] y'}, "edits is a string, and what it"),
    "a string in a string": ({"path": "a", "edits": '"[]"'}, "edits must be a list of objects"),
    "an object in a string": ({"path": "a", "edits": "{}"}, "edits must be a list of objects"),
    "a string as an edit": ({"path": "a", "edits": ["x"]}, "edits[0] must be an object"),
    "null as an edit": ({"path": "a", "edits": [{"old": "x"}, None]}, "edits[1] must be an object"),
    "a list as an edit": ({"path": "a", "edits": [[]]}, "edits[0] must be an object"),
    "an empty edit": ({"path": "a", "edits": [{}]}, "edits[0].old_string is missing"),
    "an edit without an old text": ({"path": "a", "edits": [{"newText": ""}]}, "edits[0].oldText is missing"),
    "an edit with an old text twice": ({"path": "a", "edits": [{"old": "", "search": ""}]}, "edits[0].search"),
    "an edit with its own path": ({"path": "a", "edits": [{"path": "b", "old": "x"}]}, "edits[0].path is not read"),
    "a number in an edit": ({"path": "a", "edits": [{"old": 1}]}, "edits[0].old must be a string"),
    "a word in an edit": ({"path": "a", "edits": [{"old": "", "replace_all": ""}]}, "edits[0].replace_all must be"),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "message"), FAULTS.values(), ids=FAULTS)
def test_calls_that_are_no_edits(fields: dict[str, Any], message: str) -> None:
    """What is wrong is said once, for the model, with the names of the fields, whatever their order."""
    assert message in fault(read(fields))
    other_order = fault(read(dict(reversed(fields.items()))))
    assert message in other_order or ("both" in message and "both" in other_order)


def test_nothing_follows_a_fault() -> None:
    """After a fault the rest of the call is not read, in the same piece or another."""
    text = '{"path": "a", "content": "x", "diff": "y", "file_path": "b", "edits": [1'
    began, piece, end = read(text)
    assert (began, piece) == (EditBegan(0, "a", "content", "c"), EditText(0, "x"))
    assert isinstance(end, EditEnded)
    assert "both content and diff" in (end.fault or "")
    assert end.reason == "complete"


def test_a_list_in_a_string_that_is_none() -> None:
    """A string that holds no list ends the call there, also if the rest of it comes in the same piece."""
    for text in ('{"edits": "[]x", "path": "a"}', '{"edits": "[{\\"old\\": \\"x\\"}", "path": "a"}'):
        assert "edits is a string" in fault(read(text))


BROKEN = {
    "no JSON": ("path: a", False),
    "a list": ("[1]", False),
    "an escape": ('{"path": "a\\x"}', False),
    "an escape in the text": ('{"path": "a", "content": "x\\x"}', True),
    "text after it": ('{"path": "a", "content": "x"} Done.', True),
    "a repeated field": ('{"path": "a", "content": "x", "content": "x"}', True),
    "no quotes": ('{"path": "a", "content": x}', False),
}


@pytest.mark.parametrize(("text", "has_begun"), BROKEN.values(), ids=BROKEN)
def test_json_that_is_none(text: str, has_begun: bool) -> None:
    """Malformed JSON is a fault of the edit if that has begun, and else a misread call, with the place of the error."""
    events = read(text)
    assert "The JSON of the arguments cannot be read at character" in fault(events)
    assert isinstance(events[0], EditBegan) == has_begun


def test_the_number_of_pairs_has_a_bound() -> None:
    """A call may have so many edits and not one more, whether they are held or given."""
    items = [{"old": ""}] * PAIRS_LIMIT
    for order in (("path", "edits"), ("edits", "path")):
        for more in (0, 1):
            fields: dict[str, Any] = {"path": "a", "edits": [*items, *items[:more]]}
            events = fed(ToolCalls(), call({name: fields[name] for name in order}))[:-1]
            assert ("more than 10,000 edits" in fault(events)) if more else (ends(events) == [EditEnded(0)])
