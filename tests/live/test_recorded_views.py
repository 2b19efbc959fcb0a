"""The view of every recorded stream, in every dialect."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from editstream import EditError, FileEditor, Snapshot
from editstream.edits.changes import split_lines
from editstream.live.frame import Scene, frame
from editstream.live.window import window
from editstream.operators.dialect import DialectName
from editstream.recording import Recording, read_recording

RECORDINGS = sorted((Path(__file__).parents[2] / "fixtures").glob("*.jsonl"))
LOOKS = 12


def looks(recording: Recording, dialect: DialectName) -> list[Snapshot]:
    """Some of the snapshots on the way, and the last one."""
    editor = FileEditor(recording.header.files[0].content, dialect)
    seen = [editor.snapshot]
    for _, item in recording.timeline():
        if isinstance(item, str):
            seen.append(editor.feed(item))
        else:
            with contextlib.suppress(EditError):
                editor.close(item.reason)
    return [*seen[:: len(seen) // LOOKS + 1], editor.snapshot]


def test_there_are_recordings() -> None:
    """The recorded streams are found."""
    assert len(RECORDINGS) >= 8


@pytest.mark.parametrize("dialect", ["safe", "v1", "v2"])
@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_recorded_streams_are_shown_as_they_are(path: Path, dialect: DialectName) -> None:
    """At every look the rows are lines of the file before or after the edit, with their numbers, and the frame fits."""
    recording = read_recording(path)
    for snapshot in looks(recording, dialect):
        old, new = split_lines(snapshot.original), split_lines(snapshot.full_content)
        for row in window(snapshot, 18):
            assert row.old is None or row.text == old[row.old - 1]
            assert row.new is None or row.text == new[row.new - 1]
        lines = frame(Scene(recording.header.files[0].path, snapshot, 0), 100, 24)
        assert len(lines) == 24
        assert max(line.cell_len for line in lines) <= 100
