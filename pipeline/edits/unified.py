"""A snapshot's edits as a unified diff, made from the edits, so that no search for differences is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from .changes import Lines, lines_of, replaced, segments

if TYPE_CHECKING:
    from editstream.operators.snapshot import TextEdit

CONTEXT = 3


@dataclass(frozen=True, slots=True)
class _Change:
    old: range
    new_first: int
    added: list[str]


def unified_diff(
    path: str, original: str, edits: Sequence[TextEdit], *, is_new: bool = False, is_gone: bool = False
) -> str:
    """The diff that turns ``original`` into the edited text, for `git apply` or `patch -p1`; empty for no change.

    ``path`` is relative, with ``/``; a file that ``is_new``, or ``is_gone`` then, is compared with nothing.
    """
    lines = lines_of(original)
    hunks = [_hunk(lines, group) for group in _near(_changes(lines, edits))]
    if not hunks:
        return ""
    # A tab ends a name that holds a space, for git and patch alike.
    end = "\t\n" if " " in path else "\n"
    before = "/dev/null\n" if is_new else f"a/{path}{end}"
    after = "/dev/null\n" if is_gone else f"b/{path}{end}"
    return "".join(chain((f"--- {before}+++ {after}",), *hunks))


def _changes(lines: Lines, edits: Sequence[TextEdit]) -> Iterator[_Change]:
    shift = 0
    for segment in segments(lines, edits):
        if segment.edits:
            old, added = replaced(lines, segment)
            if old or added:
                yield _Change(old, old.start + shift, added)
            shift += len(added) - len(old)


def _near(changes: Iterator[_Change]) -> Iterator[list[_Change]]:
    """The changes in groups, each with too few lines between them to end the context of one and begin the next's."""
    group: list[_Change] = []
    for change in changes:
        if group and change.old.start - group[-1].old.stop > 2 * CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(lines: Lines, group: list[_Change]) -> Iterator[str]:
    first = max(group[0].old.start - CONTEXT, 0)
    last = min(group[-1].old.stop + CONTEXT, lines.count)
    grown = sum(len(change.added) - len(change.old) for change in group)
    new_first = group[0].new_first - (group[0].old.start - first)
    yield f"@@ -{_range(first, last - first)} +{_range(new_first, last - first + grown)} @@\n"
    kept = first
    for change in group:
        yield from (_line(" ", lines[line]) for line in range(kept, change.old.start))
        yield from (_line("-", lines[line]) for line in change.old)
        yield from (_line("+", text) for text in change.added)
        kept = change.old.stop
    yield from (_line(" ", lines[line]) for line in range(kept, last))


def _range(first: int, count: int) -> str:
    """A hunk's place, from 1; an empty one names the line before it."""
    return f"{first + 1 if count else first},{count}"


def _line(sign: str, text: str) -> str:
    return f"{sign}{text}" if text.endswith("\n") else f"{sign}{text}\n\\ No newline at end of file\n"
