"""Native tool calls: fields of any tool, in any order and any pieces, to edits of files."""

from __future__ import annotations

import json
import random
import re
import tracemalloc
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
import reactivex as rx
from hypothesis import given
from hypothesis import strategies as st
from turn_strategies import fed, file_texts, is_beginning, joined, paths, pieces, reasons, sized

from editstream.operators import NOTHING, End
from editstream.operators.events import Reason
from editstream.operators.formats import tool_calls as module
from editstream.operators.formats.call_arguments import PAIRS_LIMIT
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.operators.formats.file_edits import (
    Asked,
    EditBegan,
    EditEnded,
    EditText,
    FormatEvent,
    Kind,
    Misread,
    NewText,
    OldText,
    PairBegan,
    PairEnded,
)
from editstream.operators.formats.tool_calls import CALLS_LIMIT, TOOLS, ToolCalls, tool_calls
from editstream.operators.formats.tool_fields import NAMES, SIDES

Pair = tuple[str, str, bool]
COMMANDS = ("view", "create", "str_replace", "insert", "undo_edit")
CONTENT = '{"path": "a.py", "content": "x = 1\\n"}'
randoms = st.integers(0, 1 << 32).map(random.Random)


def deltas_of(call: str, tool: str, parts: Iterable[str], *, done: bool) -> list[Delta]:
    return [ToolCall(call, tool), *(ToolArguments(call, part) for part in parts), *([ToolDone(call)] if done else [])]


def call(arguments: str | Mapping[str, Any], tool: str = "edit", of: str = "c", cuts: int = 1_000_000) -> list[Delta]:
    """A whole call, with its arguments in pieces of so many characters."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return deltas_of(of, tool, sized(text, cuts), done=True)


def read(arguments: str | Mapping[str, Any], tool: str = "edit") -> list[FormatEvent]:
    """What one call gives, which must be the same in one piece and character by character, without the turn's end."""
    whole = joined(fed(ToolCalls(), call(arguments, tool)))
    assert joined(fed(ToolCalls(), call(arguments, tool, cuts=1))) == whole
    assert whole.pop() == End()
    return whole


def text_edit(kind: Kind, path: str, text: str) -> list[FormatEvent]:
    return [EditBegan(0, path, kind, "c"), *([EditText(0, text)] if text else []), EditEnded(0)]


def pairs_edit(path: str, *pairs: Pair) -> list[FormatEvent]:
    given_pairs = list[FormatEvent]()
    for old, new, everywhere in pairs:
        given_pairs += [PairBegan(0), *([OldText(0, old)] if old else []), *([NewText(0, new)] if new else [])]
        given_pairs.append(PairEnded(0, everywhere))
    return [EditBegan(0, path, "pairs", "c"), *given_pairs, EditEnded(0)]


def ends(events: Iterable[FormatEvent]) -> list[FormatEvent]:
    """The events of which each call has just one."""
    return [event for event in events if isinstance(event, EditEnded | Misread | Asked)]


def fault(events: Sequence[FormatEvent]) -> str:
    """The message for the model of a call that has just one."""
    (end,) = ends(events)
    assert end == events[-1]
    message = end.message if isinstance(end, Misread) else end.fault if isinstance(end, EditEnded) else None
    assert message is not None
    assert message.isprintable()
    return message


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


# Cut off --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["complete", "truncated", "cancelled"])
@pytest.mark.parametrize(
    "text", [CONTENT, '{"content": "x = 1\\n", "path": "a.py"}', '{"path": "a", "edits": [{"old": "x"}]}']
)
def test_a_call_that_is_cut_off(text: str, reason: Reason) -> None:
    """A call without its end is cut off for the turn's reason, though never complete, unless its object is whole."""
    cut: Reason = "truncated" if reason == "complete" else reason
    for size in range(1, len(text)):
        *events, end = fed(ToolCalls(), call(text[:size])[:-1], reason)
        assert end == End(reason)
        (last,) = ends(events)
        begun = any(isinstance(event, EditBegan) for event in events)
        assert last == EditEnded(0, cut) if begun else isinstance(last, Misread) and last.reason == cut
    assert ends(fed(ToolCalls(), call(text)[:-1], reason)) == [EditEnded(0)]


def test_a_call_that_ends_before_it_is_whole() -> None:
    """A call that is said to have ended while its object is open was cut off, and the turn may be complete."""
    for size in range(1, len(CONTENT)):
        (last,) = ends(fed(ToolCalls(), call(CONTENT[:size])))
        assert isinstance(last, EditEnded | Misread)
        assert last.reason == "truncated"


def test_a_call_without_arguments() -> None:
    """No arguments are an empty object in a call that ended or a turn that is complete, and else what was cut off."""
    assert "names no file" in fault(read(""))
    assert "names no file" in fault(fed(ToolCalls(), [ToolCall("c", "edit")])[:-1])
    (misread,) = ends(fed(ToolCalls(), [ToolCall("c", "edit")], "cancelled"))
    assert isinstance(misread, Misread)
    assert misread.reason == "cancelled"


# The turn -------------------------------------------------------------------------------------------------------------


def test_what_is_no_event() -> None:
    """Prose, calls of other tools, and pieces of calls that never began give nothing."""
    deltas = [Text('{"path": "a"}'), *call(CONTENT, "bash"), *call(CONTENT, "apply_patch", "d"), *call(CONTENT)[1:]]
    assert fed(ToolCalls(), [*deltas, ToolArguments("e", CONTENT), ToolDone("e")]) == [End()]
    assert ToolCalls().peek(NOTHING) is NOTHING


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_each_tool_that_edits(tool: str) -> None:
    """Each tool that is known to edit files is read by its fields."""
    assert read(CONTENT, tool) == text_edit("content", "a.py", "x = 1\n")


def test_names_of_tools_may_be_given() -> None:
    """With names of its own, a turn has these tools and no others."""
    for names, expected in ((["save"], []), (("edit", "save"), text_edit("content", "a.py", "x = 1\n")), ((), [])):
        assert joined(fed(ToolCalls(names), call(CONTENT))) == [*expected, End()]


def test_input_that_is_no_json() -> None:
    """A tool of ours whose input is plain text is misread, once, and its input is not."""
    deltas = [ToolCall("c", "edit", is_json=False), *call(CONTENT)[1:]]
    assert "must be a JSON object" in fault(fed(ToolCalls(), deltas)[:-1])


def test_edits_are_counted_as_they_begin() -> None:
    """Edits of calls that overlap are counted in the order in which they begin, and end as their calls do."""
    late, early = '{"content": "x", "path": "a"}', '{"path": "b", "content": "y"}'
    deltas = [ToolCall("c", "edit"), ToolArguments("c", late[:20]), *call(early, of="d"), ToolArguments("c", late[20:])]
    assert fed(ToolCalls(), deltas) == [
        EditBegan(0, "b", "content", "d"), EditText(0, "y"), EditEnded(0),
        EditBegan(1, "a", "content", "c"), EditText(1, "x"), EditEnded(1), End(),
    ]  # fmt: skip


SAME = "another call of this turn has the same id"


def test_a_second_call_of_the_same_id() -> None:
    """A call whose id another has that is open is misread, and so is that one: neither gets what is the other's."""
    machine = ToolCalls()
    first = fed(machine, call(CONTENT)[:-1], None)
    second = fed(machine, call({"path": "b", "diff": "y"}))
    assert first == text_edit("content", "a.py", "x = 1\n")[:-1]
    (ended, misread) = ends(second)
    assert isinstance(ended, EditEnded)
    assert SAME in (ended.fault or "")
    assert isinstance(misread, Misread)
    assert SAME in misread.message
    assert second == [ended, misread, End()]


def test_a_second_call_after_the_first() -> None:
    """A call whose id is that of one that is over is misread, and the first stands."""
    events = joined(fed(ToolCalls(), [*call(CONTENT), *call(CONTENT)]))
    assert events[:3] == text_edit("content", "a.py", "x = 1\n")
    assert SAME in fault(events[3:-1])


def test_ids_of_other_tools_count_too() -> None:
    """Nor does a call get what was meant for another tool's call of the same id, and that one gives no event."""
    deltas = [ToolCall("c", "bash"), ToolCall("c", "edit"), *call(CONTENT)[1:]]
    assert SAME in fault(fed(ToolCalls(), deltas)[:-1])
    deltas = [ToolCall("c", "edit"), ToolCall("c", "bash"), *call(CONTENT)[1:]]
    assert SAME in fault(fed(ToolCalls(), deltas)[:-1])


def test_the_number_of_calls_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a turn with more calls than the bound, the first that does not fit is misread, once; the others are whole."""
    assert CALLS_LIMIT == 2_000
    monkeypatch.setattr(module, "CALLS_LIMIT", 3)
    names = ("edit", "bash", "edit", "bash", "edit", "edit", "bash")
    events = fed(ToolCalls(), [delta for at, name in enumerate(names) for delta in call(CONTENT, name, str(at))])
    first, second, misread = ends(events)
    assert (first, second) == (EditEnded(0), EditEnded(1))
    assert isinstance(misread, Misread)
    assert (misread.call, "may have 3 calls" in misread.message) == ("4", True)


def test_the_operator() -> None:
    """The operator gives what the machine gives, anew for each subscription, and takes names of tools."""
    source = rx.from_iterable([*call(CONTENT, "save"), End("cancelled")])
    for _ in range(2):
        events = list[FormatEvent]()
        source.pipe(tool_calls(["save"])).subscribe(events.append, on_error=pytest.fail)
        assert joined(events) == [*text_edit("content", "a.py", "x = 1\n"), End("cancelled")]


# Any call, any cut ----------------------------------------------------------------------------------------------------

FIELD_NAMES = [name for names in NAMES.values() for name in names]
short = st.sampled_from(("", "a", "x\n", "é😀", "true", "[]", *COMMANDS))
plain = st.one_of(st.none(), st.booleans(), st.integers(-2, 3), st.floats(allow_nan=False), short)
some_items = st.lists(
    st.one_of(
        plain, st.dictionaries(st.sampled_from(FIELD_NAMES), plain, max_size=3), st.builds(dict, old=short, new=short)
    ),
    max_size=3,
)
some_values = st.one_of(plain, some_items, some_items.map(json.dumps), st.dictionaries(short, short, max_size=1))
likely = st.fixed_dictionaries(
    {},
    optional={
        "path": st.just("a"),
        "command": st.sampled_from(COMMANDS),
        "content": short,
        "old_str": short,
        "new_str": short,
        "edits": st.lists(st.builds(dict, old=short, new=short), max_size=3),
        "insert_line": st.integers(0, 2),
        "view_range": st.lists(st.integers(-1, 3), max_size=3),
        "replace_all": st.booleans(),
    },
)
some_fields = st.one_of(likely, st.dictionaries(st.sampled_from(FIELD_NAMES), some_values, max_size=5))
some_tools = st.sampled_from(("edit", "str_replace_based_edit_tool"))


@st.composite
def arguments(draw: st.DrawFn) -> str:
    """The arguments of a call, of which some make sense and some are damaged or cut."""
    fields = draw(some_fields)
    text = json.dumps(
        {name: fields[name] for name in draw(st.permutations(list(fields)))}, ensure_ascii=draw(st.booleans())
    )
    at = draw(st.integers(0, len(text)))
    damages = (text, text, text, text[:at], text[:at] + draw(st.sampled_from(('"', "}", "x", "\\"))) + text[at:])
    return draw(st.sampled_from(damages))


def assert_in_order(events: Sequence[FormatEvent]) -> None:
    """The events of one call are an edit as the contract has it: its parts in order, and one end, which is last."""
    assert ends(events) == [events[-1]]
    if not isinstance(events[-1], EditEnded):
        assert len(events) == 1
        return
    began, *parts, end = events
    assert isinstance(began, EditBegan)
    if began.kind != "pairs":
        assert all(isinstance(part, EditText) for part in parts)
        return
    letters = {PairBegan: "b", OldText: "o", NewText: "n", PairEnded: "e"}
    written = "".join(letters[type(part)] for part in joined(parts))
    assert re.fullmatch("(bo?n?e)+" if end == EditEnded(0) else "(bo?n?e)*(bo?n?)?", written)


@given(st.data(), arguments(), some_tools, st.booleans(), reasons)
def test_any_call_ends_once_whatever_its_cuts(
    data: st.DataObject, text: str, tool: str, done: bool, reason: Reason
) -> None:
    """Any arguments, right or wrong, whole or not, give one end after parts in order, and the same for any cut."""
    whole = joined(fed(ToolCalls(), deltas_of("c", tool, [text], done=done), reason))
    assert whole[-1] == End(reason)
    assert_in_order(whole[:-1])
    parts = data.draw(pieces(text))
    assert joined(fed(ToolCalls(), deltas_of("c", tool, parts, done=done), reason)) == whole
    before = fed(ToolCalls(), deltas_of("c", tool, [text[: len(text) // 2]], done=False), None)
    assert is_beginning(before, whole)


def by_call(events: Iterable[FormatEvent]) -> dict[str, list[FormatEvent]]:
    """The events of each call, with its edit, if it is one, counted from 0."""
    calls, found = dict[int, str](), dict[str, list[FormatEvent]]()
    for event in events:
        if isinstance(event, EditBegan):
            assert event.edit == len(calls)
            calls[event.edit] = event.call or ""
        if isinstance(event, Misread | Asked):
            found.setdefault(event.call or "", []).append(event)
        elif not isinstance(event, End):
            found.setdefault(calls[event.edit], []).append(replace(event, edit=0))
    return {call: joined(parts) for call, parts in found.items()}


@given(st.lists(st.tuples(arguments(), some_tools, st.booleans()), max_size=4), randoms)
def test_calls_that_overlap_are_not_mixed_up(calls: list[tuple[str, str, bool]], rng: random.Random) -> None:
    """Calls whose pieces come in any order among each other give, each, what they give one after the other."""
    rows = [deltas_of(str(at), tool, sized(text, 3), done=done) for at, (text, tool, done) in enumerate(calls)]
    one_after_the_other = by_call(fed(ToolCalls(), [delta for row in rows for delta in row]))
    order = [at for at, row in enumerate(rows) for _ in row]
    rng.shuffle(order)
    left = [iter(row) for row in rows]
    overlapping = fed(ToolCalls(), [next(left[at]) for at in order])
    assert by_call(overlapping) == one_after_the_other
    assert len(one_after_the_other) == len(calls)


# Round trip -----------------------------------------------------------------------------------------------------------


@st.composite
def edits(draw: st.DrawFn) -> tuple[dict[str, Any], list[FormatEvent]]:
    """The fields of an edit, in any names, and its events."""
    path, kind = draw(paths), draw(st.sampled_from(("blocks", "content", "pair", "pairs")))
    fields: dict[str, Any] = {draw(st.sampled_from(NAMES["path"])): path}
    if kind in ("blocks", "content"):
        text = draw(file_texts())
        fields[draw(st.sampled_from(NAMES["diff" if kind == "blocks" else "content"]))] = text
        return fields, text_edit("blocks" if kind == "blocks" else "content", path, text)
    pairs = draw(st.lists(st.tuples(file_texts(), file_texts(), st.booleans()), min_size=1, max_size=3))
    if kind == "pair":
        return {**fields, **draw(written_pair(pairs[0]))}, pairs_edit(path, pairs[0])
    items = [draw(written_pair(pair)) for pair in pairs]
    fields[draw(st.sampled_from(NAMES["edits"]))] = json.dumps(items) if draw(st.booleans()) else items
    return fields, pairs_edit(path, *pairs)


@st.composite
def written_pair(draw: st.DrawFn, pair: Pair) -> dict[str, Any]:
    old, new = draw(st.sampled_from(SIDES))
    fields: dict[str, Any] = {old: pair[0], new: pair[1]}
    if pair[2] or draw(st.booleans()):
        fields[draw(st.sampled_from(NAMES["everywhere"]))] = draw(st.sampled_from((pair[2], str(pair[2]))))
    return {name: fields[name] for name in draw(st.permutations(list(fields)))}


@given(st.data(), edits(), st.booleans(), st.sampled_from((None, 1, "\t")))
def test_what_was_written_is_read(
    data: st.DataObject, edit: tuple[dict[str, Any], list[FormatEvent]], ascii_only: bool, indent: int | str | None
) -> None:
    """Any edit, written as JSON with its fields in any order, comes out of any pieces as that edit."""
    fields, expected = edit
    shuffled = {name: fields[name] for name in data.draw(st.permutations(list(fields)))}
    text = json.dumps(shuffled, ensure_ascii=ascii_only, indent=indent)
    parts = data.draw(pieces(text))
    assert joined(fed(ToolCalls(), deltas_of("c", "edit", parts, done=True))) == [*expected, End()]


def test_what_is_held_costs_little_more_than_its_text() -> None:
    """A text that waits for its path, in single characters, is held in a few times its own size."""
    size = 400_000
    machine = ToolCalls()
    for delta in [ToolCall("c", "edit"), ToolArguments("c", '{"content": "')]:
        machine.feed(delta)
    tracemalloc.start()
    for _ in range(size):
        machine.feed(ToolArguments("c", "x"))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 10 * size
    assert joined(machine.feed(ToolArguments("c", '", "path": "a"'))) == [
        EditBegan(0, "a", "content", "c"), EditText(0, "x" * size),
    ]  # fmt: skip
