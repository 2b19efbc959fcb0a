"""From token chunks to a written file that the next glob sees: the whole way, once."""

from __future__ import annotations

from pathlib import Path

from editstream import Snapshot, Workspace, WriteEvent, apply_edits
from editstream.recording import Recording, demo_recording, read_recording, replay
from editstream.scan import ScanCache, glob

FIXTURES = Path(__file__).parents[2] / "fixtures"


def last_snapshot(recording: Recording, original: str) -> Snapshot:
    """Replay a recording on a file's text."""
    seen = list[Snapshot]()
    errors = list[Exception]()
    replay(recording, speed=None).pipe(apply_edits(original)).subscribe(seen.append, errors.append)
    assert errors == []
    return seen[-1]


def approved(snapshot: Snapshot) -> bool:
    """Whether somebody who looks at the edit would take it: it is whole, and there is something in it."""
    return snapshot.is_final and not snapshot.problems and bool(snapshot.edits)


def test_a_replayed_edit_is_approved_written_told_and_seen_without_a_walk(tmp_path: Path) -> None:
    """Replay, approval, write, event, glob: the cache is right at once, and nothing was walked in between."""
    recording = demo_recording()
    named = recording.header.files[0]
    (tmp_path / named.path).write_text(named.content, encoding="utf-8", newline="")
    workspace, cache, told = Workspace(tmp_path), ScanCache(), list[WriteEvent]()
    workspace.events.subscribe(told.append)
    cache.follow(workspace.events)
    assert glob("**/*.py", tmp_path, cache=cache).paths == (named.path,)
    walks = cache.statistics.walks

    file = workspace.read(named.path)
    final = last_snapshot(recording, file.text)
    assert told == [], "nothing is written before it is approved"
    assert approved(final)
    workspace.write_text(named.path, final.new_content, expected=file)

    assert [(event.kind, event.path) for event in told] == [("modified", named.path)]
    assert (tmp_path / named.path).read_bytes().decode() == final.full_content
    seen = glob("**/*.py", tmp_path, cache=cache)
    assert (seen.paths, seen.from_cache) == ((named.path,), True)
    assert cache.statistics.walks == walks


def test_a_new_file_is_in_the_next_glob_without_a_walk(tmp_path: Path) -> None:
    """A file that an edit creates, in a folder that it creates, is listed at once, and nothing was walked."""
    recording = read_recording(FIXTURES / "new_file.jsonl")
    workspace, cache = Workspace(tmp_path), ScanCache()
    cache.follow(workspace.events)
    (tmp_path / "there.txt").write_text("there\n")
    assert glob("**", tmp_path, cache=cache, file_type="file").paths == ("there.txt",)
    walks = cache.statistics.walks

    path = "new/folder/" + Path(recording.header.files[0].path).name
    missing = workspace.read(path, missing_ok=True)
    final = last_snapshot(recording, missing.text)
    event = workspace.write_text(path, final.new_content, expected=missing)

    assert event.kind == "created"
    assert glob("**", tmp_path, cache=cache, file_type="file").paths == (path, "there.txt")
    assert cache.statistics.walks == walks
