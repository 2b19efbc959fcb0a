"""Record the session of two_turns.jsonl, the same bytes every time: two turns, a rejection, a no, and a repair.

`python tests/session/make_recording.py [FILE]` writes it.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from session_turns import call, pieces

from editstream import EditSession, Workspace
from editstream.operators.formats.deltas import Delta
from editstream.session import Decision, Proposal, SessionRecorder

FILES = {
    "src/shop.py": 'import os\n\n\ndef total(prices):\n    return sum(prices)\n\n\nprint("Total: " + str(total([])))\n',
    "src/stock.py": "LEFT = 3\n",
    "limits.ini": "[server]\ntimeout = 30\n\n[client]\ntimeout = 30\n",
}
CREATED = "2026-01-01T00:00:00+00:00"


def first_turn() -> Iterator[Delta]:
    """Two calls that are right, one that is half right, one that the user does not want, and text around them."""
    yield from pieces("I drop the import, use an f-string and add notes.\n")
    edits = [
        {"old_string": "import os\n\n\n", "new_string": ""},
        {"old_string": 'print("Sum: " + total([]))', "new_string": 'print(f"Total: {total([])}")'},
    ]
    yield from call("call_1", "edit_file", {"path": "src/shop.py", "edits": edits})
    yield from call("call_2", "write_file", {"path": "docs/notes.md", "content": "# Notes\n\nPrices are in cents. ☂\n"})
    yield from call("call_3", "edit_file", {"path": "src/stock.py", "old_string": "3", "new_string": "4"})
    fields = {"path": "limits.ini", "old_string": "[client]\ntimeout = 30", "new_string": "[client]\ntimeout = 60"}
    yield from call("call_4", "edit_file", fields)


def second_turn() -> Iterator[Delta]:
    """What was rejected, repaired, and a second edit of a file."""
    fields = {
        "path": "src/shop.py",
        "old_string": 'print("Total: " + str(total([])))',
        "new_string": 'print(f"Total: {total([])}")',
    }
    yield from call("call_5", "edit_file", fields)
    yield from call("call_6", "edit_file", {"path": "docs/notes.md", "old_string": " ☂", "new_string": ""})


def approve(proposal: Proposal) -> Decision:
    """Yes to all but one."""
    return proposal.path != "src/stock.py" or "Leave the stock as it is."


def recorded() -> bytes:
    """The recording, as if it had been made at ``CREATED``, with 7 ms between any two lines."""
    file = io.BytesIO()
    ticks = count()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(folder)
        for path, text in FILES.items():
            workspace.write_text(path, text)
        recorder = SessionRecorder(file, clock=lambda: next(ticks) * 0.007)
        with EditSession(workspace, format="tools", approve=approve, witness=recorder) as session:
            for turn in (first_turn(), second_turn()):
                list(session.run(turn))
    header, _, rest = file.getvalue().partition(b"\n")
    return json.dumps({**json.loads(header), "created": CREATED}).encode() + b"\n" + rest


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("two_turns.jsonl")
    place.write_bytes(recorded())
