"""What the tests of tool calls share: calls as deltas, and the edits that they must come to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from turn_strategies import fed, joined, sized

from editstream.operators import End
from editstream.operators.formats.deltas import Delta, ToolArguments, ToolCall, ToolDone
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
from editstream.operators.formats.tool_calls import ToolCalls

Pair = tuple[str, str, bool]
CONTENT = '{"path": "a.py", "content": "x = 1\\n"}'


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
