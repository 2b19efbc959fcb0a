"""The recorded streams: the same bytes every time, realistic, and edited as was worked out by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from editstream import EditError, End, FileEditor, Snapshot, apply_edits
from editstream.recording import Recording, TextDelta, content_hash, demo_recording, read_recording, replay

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "expected.json").read_text(encoding="ascii"))
CASES = [(name, dialect) for name, fixture in EXPECTED.items() for dialect in fixture["dialects"]]
CUTS = ("recorded", "whole", "characters")
KEPT = 150
"""How many snapshots of a stream are read when they come, and again when all is over."""


def recording_of(name: str) -> Recording:
    return demo_recording() if name == "demo" else read_recording(FIXTURES / f"{name}.jsonl")


def recut(recording: Recording, cut: str) -> Recording:
    """The same stream in other chunks: as recorded, all of it as one, or one for each character."""
    if cut == "recorded":
        return recording
    chunks = [recording.text] if cut == "whole" else list(recording.text)
    return replace(recording, deltas=tuple(TextDelta(0, chunk) for chunk in chunks))


def seen(snapshot: Snapshot) -> tuple[Any, ...]:
    """All that a snapshot says."""
    return (
        snapshot.new_content,
        snapshot.full_content,
        snapshot.match_indices,
        snapshot.match_lines,
        snapshot.blocks,
        snapshot.problems,
        snapshot.candidates,
        snapshot.edits,
        snapshot.is_final,
    )


def fed(recording: Recording, dialect: Any) -> Iterator[Snapshot]:
    """The snapshots of a plain FileEditor."""
    editor = FileEditor(recording.header.files[0].content, dialect, on_reject="apply_rest")
    for _, item in recording.timeline():
        yield editor.close(item.reason) if isinstance(item, End) else editor.feed(item)


def replayed(recording: Recording, dialect: Any) -> list[Snapshot]:
    """The snapshots of a replay through the operator; the first kept ones are held against a second look at the end."""
    original = recording.header.files[0].content
    snapshots: list[Snapshot] = []
    looks: list[tuple[Snapshot, tuple[Any, ...]]] = []
    errors: list[Exception] = []
    step = len(recording.deltas) // KEPT + 1

    def keep(snapshot: Snapshot) -> None:
        if len(snapshots) % step == 0:
            looks.append((snapshot, seen(snapshot)))
        snapshots.append(snapshot)

    replay(recording, speed=None).pipe(apply_edits(original, dialect, on_reject="apply_rest")).subscribe(
        keep, errors.append
    )
    assert errors == []
    assert [seen(snapshot) == look for snapshot, look in looks] == [True] * len(looks)
    return snapshots


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize(("name", "dialect"), CASES)
def test_a_replay_ends_as_expected(name: str, dialect: Any, cut: str) -> None:
    """Replayed in any chunks through apply_edits, a fixture gives the expected file and blocks; kept snapshots stay."""
    recording = recut(recording_of(name), cut)
    expected = EXPECTED[name]["dialects"][dialect]
    snapshots = replayed(recording, dialect)
    last = snapshots[-1]
    assert len(snapshots) == len(recording.deltas) + 1
    assert [snapshot.is_final for snapshot in snapshots] == [False] * len(recording.deltas) + [True]
    if "content" in expected:
        assert last.full_content == expected["content"]
    assert content_hash(last.full_content) == content_hash(last.new_content) == expected["sha256"]
    for block, wanted in zip(last.blocks, expected["blocks"], strict=True):
        assert block.status == wanted["status"]
        assert block.tier == wanted.get("tier", block.tier)
    assert list(last.match_lines) == expected.get("match_lines", list(last.match_lines))


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize(("name", "dialect"), CASES)
def test_a_file_editor_says_the_same(name: str, dialect: Any, cut: str) -> None:
    """Without Rx and in any chunks, the last snapshot says exactly what that of the replay as recorded says."""
    recording = recording_of(name)
    *_, last = fed(recut(recording, cut), dialect)
    assert seen(last) == seen(replayed(recording, dialect)[-1])


@pytest.mark.parametrize(("name", "dialect"), CASES)
def test_rejected_blocks_are_named(name: str, dialect: Any) -> None:
    """By default a fixture with rejected blocks raises EditError, naming each with its line and what to know of it."""
    recording = recording_of(name)
    expected = EXPECTED[name]["dialects"][dialect]["problems"]
    original = recording.header.files[0].content
    editor = FileEditor(original, dialect)
    editor.feed(recording.text)
    if not expected:
        assert editor.close(recording.end.reason).problems == ()
        return
    with pytest.raises(EditError) as caught:
        editor.close(recording.end.reason)
    assert [(each.kind, each.block, each.line) for each in caught.value.problems] == [
        (each["kind"], each["block"], each["line"]) for each in expected
    ]
    for problem, wanted in zip(caught.value.problems, expected, strict=True):
        assert [text for text in wanted["says"] if text not in problem.message] == []
        assert {candidate.line for candidate in problem.candidates} >= set(wanted["candidates"])
        assert editor.snapshot.blocks[wanted["block"]].other_matches == tuple(wanted["matches"])
    assert original not in str(caught.value)


def test_the_script_makes_the_same_bytes(tmp_path: Path) -> None:
    """Running make_fixtures.py gives every fixture, the expected results and the demo byte for byte."""
    demo = tmp_path / "demo" / "demo.jsonl"
    demo.parent.mkdir()
    subprocess.run([sys.executable, ROOT / "tests/recording/make_fixtures.py", tmp_path, demo], check=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert made == {path.name: path.read_bytes() for path in FIXTURES.iterdir() if path.suffix != ".txt"}
    assert demo.read_bytes() == (ROOT / "pipeline/recording/demo.jsonl").read_bytes()


@pytest.mark.parametrize("name", EXPECTED)
def test_a_fixture_is_like_a_models_stream(name: str) -> None:
    """Chunks have 1 to 12 characters, the first comes after a wait, then 20 to 60 a second, several of them at once."""
    recording = recording_of(name)
    sizes = [len(delta.text) for delta in recording.deltas if isinstance(delta, TextDelta)]
    times = [delta.at for delta in recording.deltas]
    assert 1 <= min(sizes) <= max(sizes) <= 12
    assert times[0] >= 300
    assert 20 <= len(times) / (times[-1] - times[0]) * 1000 <= 60
    assert len(set(times)) < 0.8 * len(times)


def test_there_is_a_fixture_for_each_expectation() -> None:
    """Every fixture has its expected results, every expectation its fixture, and there are at least ten."""
    names = {path.stem for path in FIXTURES.glob("*.jsonl")}
    assert names == set(EXPECTED) - {"demo"}
    assert len(names) >= 10


def test_the_large_file_is_large() -> None:
    """The large fixture edits a file of 5,000 lines and about 200 KB in twelve blocks."""
    content = recording_of("large_file").header.files[0].content
    assert content.count("\n") == 5000
    assert 190_000 < len(content) < 210_000
    assert len(EXPECTED["large_file"]["dialects"]["safe"]["blocks"]) == 12


def test_the_demo_is_worth_watching() -> None:
    """The demo takes 11 to 13 seconds and edits about 120 lines that are still Python afterwards."""
    recording = demo_recording()
    original = recording.header.files[0].content
    assert 11_000 <= recording.end.at <= 13_000
    assert 110 <= original.count("\n") <= 130
    for content in (original, EXPECTED["demo"]["dialects"]["safe"]["content"]):
        compile(content, "runner.py", "exec")
