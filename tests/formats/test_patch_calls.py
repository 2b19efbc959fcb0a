"""Patches of OpenAI's ``apply_patch`` in calls: fields, operations, custom tools, faults and ends."""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import Any

import pytest
from patch_turns import PATCH, called, calls, ends, misread, sections
from turn_strategies import fed, is_beginning, joined, sized, texts

from editstream.operators import End
from editstream.operators.events import Reason
from editstream.operators.formats.apply_patch import TOOLS, ApplyPatch
from editstream.operators.formats.deltas import Delta, ToolArguments, ToolCall, ToolDone
from editstream.operators.formats.file_edits import EditBegan, EditEnded, EditText, FormatEvent, Misread

# In calls -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["input", "patch", "command"])
@pytest.mark.parametrize(
    "patch", [PATCH, f"apply_patch <<'EOF'\n{PATCH}\nEOF\n", PATCH.removeprefix("*** Begin Patch\n")]
)
@pytest.mark.parametrize("is_done", [True, False])
def test_a_patch_in_a_field(field: str, patch: str, is_done: bool) -> None:
    """The patch may be in any of these fields, and each edit has the call's id."""
    assert called({"why": ["x", {"input": 1}], field: patch}, is_done=is_done) == sections("c0")


def test_a_patch_as_the_input_of_a_custom_tool() -> None:
    """The input of a custom tool is the patch."""
    assert called(PATCH, is_json=False) == sections("c0")


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"type": "update_file", "path": " a ", "diff": "@@\n-a\n+b"}, ("hunks", "@@\n-a\n+b")),
        ({"type": "create_file", "path": "a", "diff": "+a\n+b"}, ("create", "a\nb\n")),
        ({"type": "create_file", "path": "a", "diff": ""}, ("create", "")),
        ({"type": "delete_file", "path": "a"}, ("delete", "")),
        ({"type": "delete_file", "path": "a", "diff": None}, ("delete", "")),
        ({"type": "delete_file", "path": "a", "diff": ""}, ("delete", "")),
    ],
)  # fmt: skip
def test_an_operation(operation: dict[str, Any], expected: tuple[Any, str]) -> None:
    """OpenAI's own tool gives one section, whatever the order of its fields."""
    names, (kind, text) = list(operation), expected
    whole = [EditBegan(0, "a", kind, "c0"), *([EditText(0, text)] if text else []), EditEnded(0)]
    for order in (names, names[::-1], [*names[1:], names[0]]):
        assert called({name: operation[name] for name in order}) == whole


def test_an_operation_streams() -> None:
    """Its text is given as it comes, and what comes before its type and path is given with them."""
    for text, early in (('{"type": "update_file", "path": "a", "diff": "-', "-"), ('{"path": "a", "diff": "-', "")):
        machine = ApplyPatch()
        given = fed(machine, [ToolCall("c", "apply_patch"), ToolArguments("c", text)], None)
        assert "".join(event.text for event in given if isinstance(event, EditText)) == early
        given = list(machine.feed(ToolArguments("c", 'x", "type": "update_file"}' if not early else "x")))
        assert "".join(event.text for event in given if isinstance(event, EditText)) == ("x" if early else "-x")


def test_calls_that_overlap() -> None:
    """Calls are read each by itself, and so is the text, though their pieces alternate."""
    deltas = calls({"input": PATCH}, {"patch": PATCH}, {"type": "delete_file", "path": "z"}, size=5)
    deltas = [delta for pair in zip_longest(deltas, texts(sized(PATCH, 3))) for delta in pair if delta is not None]
    given = fed(ApplyPatch(), deltas)
    numbers = [event.edit for event in given if isinstance(event, EditBegan)]
    assert numbers == list(range(10))
    for call in ("c0", "c1", None):
        edits = [event.edit for event in given if isinstance(event, EditBegan) and event.call == call]
        own = [event for event in given if getattr(event, "edit", None) in edits]
        expected = [type(event)(edits[event.edit], *_rest(event)) for event in sections(call)]  # type: ignore[union-attr]
        assert joined(own) == expected


def _rest(event: FormatEvent) -> list[Any]:
    return [getattr(event, name) for name in type(event).__slots__ if name != "edit"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_the_names_of_the_tool(name: str) -> None:
    """These names are the tool's, others are not; names of one's own take their place."""
    deltas: list[Delta] = [ToolCall("c", name), ToolArguments("c", json.dumps({"input": PATCH})), ToolDone("c")]
    assert joined(fed(ApplyPatch(), deltas)) == [*sections("c"), End()]
    assert fed(ApplyPatch({"patch"}), deltas) == [End()]
    mine = [ToolCall("c", "patch"), *deltas[1:]]
    assert fed(ApplyPatch(), mine) == [End()]
    assert joined(fed(ApplyPatch({"patch"}), mine)) == [*sections("c"), End()]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", "has no input"), ("{}", "has no input"), ({"path": "a", "type": "delete_file", "input": ""}, ""),
        ({"input": ""}, "no section"), ({"input": "hello"}, "no section"),
        ({"input": None}, "has no input"), ({"input": 1}, "input must be a string"),
        ({"command": ["apply_patch", "x"]}, "command must be a string"), ({"type": {}}, "type must be a string"),
        ({"input": "", "patch": ""}, "both input and patch"), ({"diff": "", "input": ""}, "both diff and input"),
        ({"path": "a", "diff": ""}, "has no type"), ({"type": "update_file", "diff": ""}, "has no path"),
        ({"diff": ""}, "has no type and no path"), ({"type": "x", "path": "a"}, "type must be one of"),
        ({"type": "update_file", "path": "", "diff": ""}, "has no path"),
        ({"type": "update_file", "path": "a\nb", "diff": ""}, "control character"),
        ({"type": "update_file", "path": "a" * 5_000, "diff": ""}, "more than 4,096"),
        ("[]", "cannot be read"), ('{"input": "a"', "cannot be read"), ('{"input": "\\x', "cannot be read"),
    ],
)  # fmt: skip
def test_a_call_that_is_no_patch(arguments: str | dict[str, Any], expected: str) -> None:
    """A call that gives no edit says why, with its id."""
    given = called(arguments)
    if not expected:
        assert [type(event) for event in given] == [EditBegan, EditEnded]
        return
    said = misread(given)
    assert expected in said.message
    assert said.call == "c0"
    assert said.reason == ("truncated" if arguments == '{"input": "a"' else "complete")


def test_an_operation_without_its_diff() -> None:
    """An operation that has begun and has no diff in the end is not to be trusted."""
    for kind in ("update_file", "create_file"):
        assert ends(called({"type": kind, "path": "a"})) == [("complete", True)]


def test_json_that_breaks_in_an_edit() -> None:
    """Invalid JSON ends the edit that is open with a fault, and nothing more of the call is read."""
    given = called('{"input": "*** Update File: a\\n-a\\q\\n*** Delete File: b\\n*** End Patch"}')
    assert given[:2] == [EditBegan(0, "a", "hunks", "c0"), EditText(0, "-a")]
    assert ends(given) == [("complete", True)]


@pytest.mark.parametrize("body", ["Update File: a\n@@\n-a\n+b", "Add File: a\n+a", "Delete File: a"])
@pytest.mark.parametrize("reason", ["complete", "truncated", "cancelled"])
def test_a_whole_call_without_the_end_of_its_patch(body: str, reason: Reason) -> None:
    """A call whose arguments are whole is complete, however the turn ends."""
    patch = f"*** Begin Patch\n*** {body}"
    assert ends(called({"input": patch}, reason, is_done=False)) == [("complete", False)]
    assert ends(called({"input": patch}, reason)) == [("complete", False)]
    assert ends(called(patch, reason, is_json=False)) == [("complete", False)]


@pytest.mark.parametrize(("reason", "expected"), [("complete", "truncated"), ("truncated",) * 2, ("cancelled",) * 2])
@pytest.mark.parametrize("is_json", [True, False])
def test_a_call_that_is_cut_off(reason: Reason, expected: Reason, is_json: bool) -> None:
    """A call that is cut off anywhere gives the sections that are whole, and is never complete."""
    whole = json.dumps({"input": PATCH}) if is_json else PATCH
    for size in range(1, len(whole)):
        given = called(whole[:size], reason, is_json=is_json, is_done=False)
        assert given
        broken = [event for event in given if isinstance(event, EditEnded | Misread) and event.reason != "complete"]
        if len(broken) == 0:
            assert given == sections("c0")  # cut after *** End Patch
            assert size >= len(whole) - 2
        else:
            assert [event.reason for event in broken] == [expected]
            assert is_beginning(given[: given.index(broken[0])], sections("c0"))


def test_two_calls_of_one_id() -> None:
    """Neither of two calls with one id is read further, and both are told."""
    deltas = [*calls({"input": PATCH}, size=60, is_done=False)[:2], *calls({"input": PATCH})]
    *_, first, second, end = fed(ApplyPatch(), deltas)
    assert "same id" in misread([second]).message
    assert ends([first]) == [("complete", True)]
    assert end == End()
    other = [ToolCall("c0", "bash"), ToolCall("c0", "bash"), ToolCall("c0", "apply_patch")]
    assert "same id" in misread(fed(ApplyPatch(), other)[:-1]).message
