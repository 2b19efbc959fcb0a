"""Anthropic's text editor tool: a call is read by its command."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from turn_strategies import fed, joined, pieces, reasons

from editstream.operators import End
from editstream.operators.events import Reason
from editstream.operators.formats.deltas import Delta, ToolArguments, ToolCall, ToolDone
from editstream.operators.formats.file_edits import (
    Asked,
    EditBegan,
    EditEnded,
    EditText,
    FormatEvent,
    Misread,
    NewText,
    OldText,
    PairBegan,
    PairEnded,
)
from editstream.operators.formats.text_editor import EDITORS
from editstream.operators.formats.tool_calls import ToolCalls

TOOL = "str_replace_based_edit_tool"
PAIRS = EditBegan(0, "/a.py", "pairs", "c")
EDITS = {
    "create": (
        {"command": "create", "path": "/a.py", "file_text": "x\n"},
        [EditBegan(0, "/a.py", "create", "c"), EditText(0, "x\n"), EditEnded(0)],
    ),
    "create an empty file": (
        {"command": "create", "path": "/a.py", "file_text": ""},
        [EditBegan(0, "/a.py", "create", "c"), EditEnded(0)],
    ),
    "replace": (
        {"command": "str_replace", "path": "/a.py", "old_str": "x", "new_str": "y"},
        [PAIRS, PairBegan(0), OldText(0, "x"), NewText(0, "y"), PairEnded(0), EditEnded(0)],
    ),
    "take away": (
        {"command": "str_replace", "path": "/a.py", "old_str": "x"},
        [PAIRS, PairBegan(0), OldText(0, "x"), PairEnded(0), EditEnded(0)],
    ),
    "insert": (
        {"command": "insert", "path": "/a.py", "insert_line": 3, "insert_text": "y\n"},
        [PAIRS, PairBegan(0, after=3), NewText(0, "y\n"), PairEnded(0), EditEnded(0)],
    ),
    "insert as older models do": (
        {"command": "insert", "path": "/a.py", "insert_line": 0, "new_str": "y\n"},
        [PAIRS, PairBegan(0, after=0), NewText(0, "y\n"), PairEnded(0), EditEnded(0)],
    ),
    "insert, with what is for replacing": (
        {"command": "insert", "path": "/a.py", "insert_line": 1, "insert_text": "y", "replace_all": True},
        [PAIRS, PairBegan(0, after=1), NewText(0, "y"), PairEnded(0), EditEnded(0)],
    ),
    "insert, with a null": (
        {"command": "insert", "path": "/a.py", "insert_line": 1, "new_str": None, "insert_text": "y"},
        [PAIRS, PairBegan(0, after=1), NewText(0, "y"), PairEnded(0), EditEnded(0)],
    ),
}
ASKED = {
    "view": ({"command": "view", "path": "/a.py"}, Asked("view", "/a.py", "c")),
    "view a folder": ({"command": "view", "path": "/"}, Asked("view", "/", "c")),
    "view lines": ({"command": "view", "path": "/a.py", "view_range": [2, 9]}, Asked("view", "/a.py", "c", 2, 9)),
    "view a line": ({"command": "view", "path": "/a.py", "view_range": [2, 2]}, Asked("view", "/a.py", "c", 2, 2)),
    "view to the end": ({"command": "view", "path": "/a.py", "view_range": [2, -1]}, Asked("view", "/a.py", "c", 2)),
    "view, with a null": ({"command": "view", "path": "/a.py", "view_range": None}, Asked("view", "/a.py", "c")),
    "undo": ({"command": "undo_edit", "path": "/a.py"}, Asked("undo", "/a.py", "c")),
}


def deltas(fields: Mapping[str, Any] | str, tool: str = TOOL, *, one_by_one: bool = False) -> list[Delta]:
    text = fields if isinstance(fields, str) else json.dumps(fields)
    return [
        ToolCall("c", tool),
        *(ToolArguments("c", part) for part in (text if one_by_one else [text])),
        ToolDone("c"),
    ]


def read(fields: Mapping[str, Any], tool: str = TOOL) -> list[FormatEvent]:
    """What a call gives, which must be the same in one piece and character by character, without the turn's end."""
    whole = joined(fed(ToolCalls(), deltas(fields, tool)))
    assert joined(fed(ToolCalls(), deltas(fields, tool, one_by_one=True))) == whole
    assert whole.pop() == End()
    return whole


def fault(fields: Mapping[str, Any], tool: str = TOOL) -> str:
    """The message for the model of a call that is no edit."""
    last = read(fields, tool)[-1]
    message = last.message if isinstance(last, Misread) else last.fault if isinstance(last, EditEnded) else None
    assert message is not None
    return message


def in_any_order(fields: dict[str, Any]) -> list[dict[str, Any]]:
    return [{name: fields[name] for name in order} for order in permutations(fields)]


@pytest.mark.parametrize("tool", sorted(EDITORS))
@pytest.mark.parametrize(("fields", "events"), EDITS.values(), ids=EDITS)
def test_commands_that_edit(fields: dict[str, Any], events: list[FormatEvent], tool: str) -> None:
    """A command that edits is that edit, whatever the order of the fields and the name of the tool."""
    for ordered in in_any_order(fields):
        assert read(ordered, tool) == events


@pytest.mark.parametrize(("fields", "asked"), ASKED.values(), ids=ASKED)
def test_commands_that_ask(fields: dict[str, Any], asked: Asked) -> None:
    """A command that edits nothing is a question, and no more, whatever the order of the fields."""
    for ordered in in_any_order(fields):
        assert read(ordered) == [asked]


@pytest.mark.parametrize(("fields", "asked"), ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("reason", ["complete", "truncated", "cancelled"])
def test_a_question_that_is_cut_off(fields: dict[str, Any], asked: Asked, reason: Reason) -> None:
    """A question is asked when its call is whole, and is misread if that is cut off anywhere."""
    text = json.dumps(fields)
    for size in range(len(text) + 1):
        first, _ = fed(ToolCalls(), deltas(text[:size])[:-1], reason)
        assert isinstance(first, Misread) == (size < len(text))
        assert isinstance(first, Misread) or first == asked


GROWING = {
    "a command first": ('{"command": "create", "path": "a", "file_text": "x', ["EditBegan", "EditText"]),
    "a command after the path": ('{"path": "a", "command": "create", "file_text": "x', ["EditBegan", "EditText"]),
    "no command yet": ('{"path": "a", "old_str": "x", "new_str": "y"', []),
    "a command at last": (
        '{"path": "a", "old_str": "x", "new_str": "y", "command": "str_replace"',
        ["EditBegan", "PairBegan", "OldText", "NewText"],
    ),
    "an insertion without its line": ('{"command": "insert", "path": "a", "insert_text": "x', ["EditBegan"]),
    "an insertion with its line": (
        '{"command": "insert", "path": "a", "insert_line": 1, "insert_text": "x',
        ["EditBegan", "PairBegan", "NewText"],
    ),
    "a question": ('{"command": "view", "path": "a", "view_range": [1, 2]', []),
}


@pytest.mark.parametrize(("text", "expected"), GROWING.values(), ids=GROWING)
def test_text_is_given_as_soon_as_its_command_is_known(text: str, expected: list[str]) -> None:
    """A call of this tool waits for its command, and an insertion for its line; then text goes through."""
    assert [type(event).__name__ for event in fed(ToolCalls(), deltas(text)[:-1], None)] == expected


FAULTS = {
    "no command": ({"path": "a"}, "names no command: give one of view, create"),
    "no command that there is": ({"command": "delete", "path": "a"}, "command must be one of view, create"),
    "no command but a number": ({"command": 1, "path": "a"}, "command must be a string"),
    "no path": ({"command": "view"}, "names no file"),
    "no text": ({"command": "create", "path": "a"}, "file_text is missing"),
    "no old text": ({"command": "str_replace", "path": "a"}, "old_str is missing"),
    "a new text alone": ({"command": "str_replace", "path": "a", "new_str": "x"}, "old_str is missing"),
    "no line": ({"command": "insert", "path": "a", "insert_text": "x"}, "insert_line is missing"),
    "nothing to insert": ({"command": "insert", "path": "a", "insert_line": 1}, "insert_text is missing"),
    "both texts": ({"command": "insert", "path": "a", "insert_line": 1, "insert_text": "", "new_str": ""}, "both"),
    "a line below 0": ({"command": "insert", "path": "a", "insert_line": -1, "insert_text": ""}, "insert_line must be"),
    "a line in words": ({"command": "insert", "path": "a", "insert_line": "1", "insert_text": ""}, "insert_line must"),
    "half a line": ({"command": "insert", "path": "a", "insert_line": 1.5, "insert_text": ""}, "insert_line must be"),
    "true as a line": ({"command": "insert", "path": "a", "insert_line": True, "insert_text": ""}, "insert_line must"),
    "lines in a string": ({"command": "view", "path": "a", "view_range": "[1, 2]"}, "view_range must be two line"),
    "one number": ({"command": "view", "path": "a", "view_range": 3}, "view_range must be two line numbers"),
    "an object": ({"command": "view", "path": "a", "view_range": {"a": 1}}, "view_range must be two line numbers"),
    "a list in the list": ({"command": "view", "path": "a", "view_range": [[1], 2]}, "view_range[0] must be a line"),
    "a string in the list": ({"command": "view", "path": "a", "view_range": [1, "2"]}, "view_range[1] must be a line"),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "message"), FAULTS.values(), ids=FAULTS)
def test_calls_that_are_no_command(fields: dict[str, Any], message: str) -> None:
    """What is wrong with a command is said once, with the names of the fields, whatever their order."""
    for ordered in in_any_order(fields):
        assert message in fault(ordered)


@pytest.mark.parametrize(
    "lines", [[], [1], [1, 2, 3], [1, 2, 3, 4], [0, 1], [-1, 1], [1, 0], [3, 2], [-1, -1], [1, -2], [1.0, 2], [True, 2],
              [1, True], [None, 2], [1, None]],
)  # fmt: skip
def test_lines_that_are_none(lines: list[Any]) -> None:
    """A range is two line numbers from 1, in order, or one and -1; anything else is a fault that says so."""
    assert "view_range must be two line numbers" in fault({"command": "view", "path": "a", "view_range": lines})


def test_fields_of_other_commands() -> None:
    """A command says what is meant: fields that belong to another one count for nothing."""
    others = {"file_text": "", "old_str": "", "view_range": [], "insert_line": 0}
    assert read({"path": "/a.py", **others, "command": "undo_edit"}) == [Asked("undo", "/a.py", "c")]
    fields, events = EDITS["replace"]
    assert read({**others, **fields}) == events
    fields, events = EDITS["create"]
    assert read({**others, **fields}) == events


def test_a_call_without_its_command() -> None:
    """A call of this tool that never names its command is read as a call of any other tool, once it is whole."""
    assert read({"path": "/a.py", "old_str": "x"}) == EDITS["take away"][1]
    assert read({"path": "/a.py", "insert_text": "y\n", "insert_line": 3}) == EDITS["insert"][1]
    content = [EditBegan(0, "/a.py", "content", "c"), EditText(0, "x"), EditEnded(0)]
    assert read({"path": "/a.py", "file_text": "x"}) == content
    assert "both file_text and old_str" in fault({"path": "a", "file_text": "x", "old_str": "y"})


def test_commands_of_other_tools() -> None:
    """Another tool's command counts if it comes before the edit or agrees with it, and is another field if unknown."""
    for fields, events in EDITS.values():
        assert read(fields, "edit") == events
    fields, events = EDITS["replace"]
    assert read(dict(reversed(fields.items())), "edit") == events
    assert read({**fields, "command": "make test"}, "edit") == events
    assert "put command first" in fault({"path": "a", "file_text": "x", "command": "create"}, "edit")
    assert "put command first" in fault({"path": "a", "old_str": "x", "command": "view"}, "edit")
    assert read({"path": "/a.py", "command": "view"}, "edit") == [Asked("view", "/a.py", "c")]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
calls = st.one_of(
    st.builds(dict, command=st.just("create"), path=st.just("a"), file_text=texts),
    st.builds(dict, command=st.just("str_replace"), path=st.just("a"), old_str=texts, new_str=texts),
    st.builds(dict, command=st.just("insert"), path=st.just("a"), insert_line=st.integers(0, 99), insert_text=texts),
    st.builds(dict, command=st.just("view"), path=st.just("a"), view_range=st.tuples(st.just(1), st.integers(1, 99))),
)


def event_of(fields: dict[str, Any]) -> list[FormatEvent]:
    """What a command must give."""

    def some(event: FormatEvent, text: str) -> list[FormatEvent]:
        return [event] if text else []

    match fields:
        case {"view_range": (first, last)}:
            return [Asked("view", "a", "c", first, last)]
        case {"file_text": text}:
            return [EditBegan(0, "a", "create", "c"), *some(EditText(0, text), text), EditEnded(0)]
        case {"old_str": old, "new_str": new}:
            inner = [PairBegan(0), *some(OldText(0, old), old), *some(NewText(0, new), new)]
        case {"insert_line": line, "insert_text": text}:
            inner = [PairBegan(0, after=line), *some(NewText(0, text), text)]
        case _:
            raise AssertionError(fields)
    return [EditBegan(0, "a", "pairs", "c"), *inner, PairEnded(0), EditEnded(0)]


@given(st.data(), calls, reasons)
def test_what_was_written_is_read(data: st.DataObject, fields: dict[str, Any], reason: Reason) -> None:
    """Any command, with its fields in any order, comes out of any pieces as it was, with or without its own end."""
    text = json.dumps({name: fields[name] for name in data.draw(st.permutations(list(fields)))})
    parts = [ToolArguments("c", part) for part in data.draw(pieces(text))]
    turn: list[Delta] = [ToolCall("c", TOOL), *parts, *data.draw(st.sampled_from(([ToolDone("c")], [])))]
    assert joined(fed(ToolCalls(), turn, reason)) == [*event_of(fields), End(reason)]
