"""A patch, calls that hold patches, and what they give."""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import Any

from turn_strategies import fed, joined, sized

from editstream.operators import End
from editstream.operators.events import Reason
from editstream.operators.formats.apply_patch import ApplyPatch
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.operators.formats.file_edits import EditBegan, EditEnded, EditText, FormatEvent, Misread, MovedTo

PATCH = """*** Begin Patch
*** Update File: src/a.py
*** Move to: src/b.py
@@ class A
 x
-y
+z
*** End of File
*** Add File: new.py
+one
+
+two
*** Delete File: gone.py
*** End Patch"""


def sections(call: str | None = None, start: int = 0) -> list[FormatEvent]:
    """What ``PATCH`` gives."""
    return [
        EditBegan(start, "src/a.py", "hunks", call), MovedTo(start, "src/b.py"),
        EditText(start, "@@ class A\n x\n-y\n+z\n*** End of File\n"), EditEnded(start),
        EditBegan(start + 1, "new.py", "create", call), EditText(start + 1, "one\n\ntwo\n"), EditEnded(start + 1),
        EditBegan(start + 2, "gone.py", "delete", call), EditEnded(start + 2),
    ]  # fmt: skip


def said(text: str, reason: Reason = "complete") -> list[FormatEvent]:
    """What a turn of this text gives, without its end."""
    *given, end = joined(fed(ApplyPatch(), [Text(text)], reason))
    assert end == End(reason)
    return given


def calls(*arguments: str | dict[str, Any], is_json: bool = True, size: int = 9, is_done: bool = True) -> list[Delta]:
    """Calls of the tool, by the ids c0, c1 and so on, whose pieces alternate."""
    wholes = [text if isinstance(text, str) else json.dumps(text) for text in arguments]
    rounds = zip_longest(*(sized(text, size) for text in wholes))
    return [
        *(ToolCall(f"c{at}", "apply_patch", is_json) for at, _ in enumerate(wholes)),
        *(ToolArguments(f"c{at}", piece) for pieces in rounds for at, piece in enumerate(pieces) if piece),
        *(ToolDone(f"c{at}") for at, _ in enumerate(wholes) if is_done),
    ]


def called(
    arguments: str | dict[str, Any], reason: Reason = "complete", *, is_json: bool = True, is_done: bool = True
) -> list[FormatEvent]:
    """What one call gives, without the turn's end."""
    return joined(fed(ApplyPatch(), calls(arguments, is_json=is_json, is_done=is_done), reason))[:-1]


def ends(events: list[FormatEvent]) -> list[tuple[str, bool]]:
    """How edits end: the reasons, and whether there is a fault."""
    return [(event.reason, event.fault is not None) for event in events if isinstance(event, EditEnded)]


def misread(events: list[FormatEvent]) -> Misread:
    """The only event, which is of something that is no edit."""
    (event,) = events
    assert isinstance(event, Misread)
    assert event.message.isprintable()
    return event
