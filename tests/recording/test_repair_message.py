"""The message that a rejected edit sends back to the model, held word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from editstream import EditError, FileEditor
from editstream.recording import read_recording

FIXTURES = Path(__file__).parents[2] / "fixtures"


def test_the_repair_message_of_the_rejected_recording() -> None:
    """It names the block, what it looked for, where the file comes closest and differs, and what to do."""
    recording = read_recording(FIXTURES / "rejected.jsonl")
    editor = FileEditor(recording.header.files[0].content)
    editor.feed(recording.text)
    with pytest.raises(EditError) as rejected:
        editor.close(recording.end.reason)
    assert str(rejected.value) + "\n" == (FIXTURES / "rejected.message.txt").read_text(encoding="utf-8")
