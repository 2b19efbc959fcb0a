"""Helpers for the tests of the edit engine: write a diff, cut it, run it, and compare what came out."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from editstream import EditError, FileEditor, Snapshot

PLACED = frozenset({"located", "replacing", "applied", "repaired"})


def block(search: str, replace: str) -> str:
    """One block with the canonical markers; both sides are whole lines, or empty."""
    return f"------- SEARCH\n{search}=======\n{replace}+++++++ REPLACE\n"


def diff(*blocks: tuple[str, str]) -> str:
    """Blocks one after another."""
    return "".join(block(search, replace) for search, replace in blocks)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to: the last snapshot, and the error that `close` raised, if any."""

    snapshot: Snapshot
    error: EditError | None

    @property
    def kinds(self) -> list[str]:
        return [problem.kind for problem in self.snapshot.problems]

    @property
    def statuses(self) -> list[str]:
        return [block.status for block in self.snapshot.blocks]

    @property
    def result(self) -> str:
        """The new file, or the kind of the first problem in angle brackets."""
        return f"<{self.error.problems[0].kind}>" if self.error else self.snapshot.new_content


def run(original: str, stream: str | Iterable[str], close: str = "complete", **options: Any) -> Outcome:
    """Feed a stream, whole or in chunks, and close it."""
    editor = FileEditor(original, **options)
    for chunk in [stream] if isinstance(stream, str) else stream:
        editor.feed(chunk)
    try:
        editor.close(close)  # type: ignore[arg-type]
    except EditError as error:
        return Outcome(editor.snapshot, error)
    return Outcome(editor.snapshot, None)


def finished(editor: FileEditor, close: str = "complete") -> Snapshot:
    """The last snapshot of an editor, which is closed here, whatever that leads to."""
    with suppress(EditError):
        editor.close(close)  # type: ignore[arg-type]
    return editor.snapshot


def prefix_state(original: str, prefix: str, **options: Any) -> dict[str, object]:
    """The state after a prefix that was fed at once."""
    return state(FileEditor(original, **options).feed(prefix))


def state(snapshot: Snapshot) -> dict[str, object]:
    """Everything a snapshot says, as plain values."""
    return {
        "new_content": snapshot.new_content,
        "full_content": snapshot.full_content,
        "match_indices": tuple(snapshot.match_indices),
        "match_lines": tuple(snapshot.match_lines),
        "problems": [(p.kind, p.block, p.line, p.message, p.candidates, p.provisional) for p in snapshot.problems],
        "blocks": list(snapshot.blocks),
        "candidates": tuple(snapshot.candidates),
        "edits": list(snapshot.edits),
        "is_final": snapshot.is_final,
        "full_position": snapshot.full_position,
    }


def cut(text: str, seed: int, low: int = 1, high: int = 9) -> list[str]:
    """The text in chunks of `low` to `high` characters, the same way for the same seed."""
    rng, chunks, at = random.Random(seed), [], 0
    while at < len(text):
        size = rng.randint(low, high)
        chunks.append(text[at : at + size])
        at += size
    return chunks


def pieces(text: str, places: Sequence[int]) -> list[str]:
    """The text cut at the given places."""
    marks = [0, *sorted({place for place in places if 0 < place < len(text)}), len(text)]
    return [text[start:end] for start, end in pairwise(marks)]


def patched(original: str, edits: Iterable[Any]) -> str:
    """The original with sorted, disjoint text edits applied to it."""
    parts, at = [], 0
    for edit in edits:
        assert at <= edit.start <= edit.end, "edits are sorted and do not overlap"
        parts += [original[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, original[at:]])
