"""Turns of native tool calls: cut off, overlapping, of other tools; any call in any pieces."""

from __future__ import annotations

import json
import random
import re
import tracemalloc
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
import reactivex as rx
from hypothesis import given
from hypothesis import strategies as st
from tool_turns import CONTENT, Pair, call, deltas_of, ends, fault, pairs_edit, read, text_edit
from turn_strategies import fed, file_texts, is_beginning, joined, paths, pieces, reasons, sized

from editstream.operators import NOTHING, End
from editstream.operators.events import Reason
from editstream.operators.formats import tool_calls as module
from editstream.operators.formats.deltas import Text, ToolArguments, ToolCall, ToolDone
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
from editstream.operators.formats.tool_fields import BLOCKS_IN_CONTENT, NAMES, SIDES

COMMANDS = ("view", "create", "str_replace", "insert", "undo_edit")
randoms = st.integers(0, 1 << 32).map(random.Random)


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
    """Each tool that is known to edit is read by its fields; what one that replaces calls content is made of blocks."""
    kind: Kind = "blocks" if tool in BLOCKS_IN_CONTENT else "content"
    assert read(CONTENT, tool) == text_edit(kind, "a.py", "x = 1\n")


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


def test_a_second_call_of_the_id_of_a_fault() -> None:
    """A call that had a fault is over, and a second one of its id does not end it again."""
    events = fed(ToolCalls(), [ToolCall("c", "edit"), ToolArguments("c", "x"), *call(CONTENT)])
    assert [SAME in event.message for event in events if isinstance(event, Misread)] == [False, True]
    assert len(events) == 3


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
