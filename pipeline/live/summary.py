"""What the live view leaves behind: a short list of the blocks, and counts."""

from __future__ import annotations

from typing import TextIO

from rich.text import Text

from editstream.edits.changes import lines_of, replaced, segments

from . import wording
from .frame import Scene, block_line
from .printable import printable
from .terminal import console_for, terminal_size

# More blocks than this are counted, not listed; rejected ones are listed first.
LISTED = 10


def summary(scene: Scene) -> list[Text]:
    """The lines of the summary: the file with its counts, then the blocks, rejected ones always among them."""
    snapshot = scene.snapshot
    added, removed = _changed_lines(scene)
    head = Text.assemble(
        (printable(scene.path), "bold"),
        f": {wording.totals(snapshot, scene.received)}; ",
        (f"+{added:,}", "green"),
        " ",
        (f"-{removed:,}", "red"),
        " lines",
    )
    listed = sorted(snapshot.blocks, key=lambda block: (block.status != "rejected", block.index))[:LISTED]
    lines = [head, *(block_line(block) for block in sorted(listed, key=lambda block: block.index))]
    if len(snapshot.blocks) > len(listed):
        lines.append(Text(f"   … and {wording.counted(len(snapshot.blocks) - len(listed), 'more block')}", style="dim"))
    for line in lines:
        line.no_wrap = True
    return lines


def _changed_lines(scene: Scene) -> tuple[int, int]:
    """How many lines the edits put there, and how many they took away."""
    lines = lines_of(scene.snapshot.original)
    changed = [replaced(lines, segment) for segment in segments(lines, scene.snapshot.edits) if segment.edits]
    return sum(len(added) for _, added in changed), sum(len(removed) for removed, _ in changed)


def write_summary(scene: Scene, file: TextIO) -> None:
    """Write the summary to ``file``: in colour, and no wider than it is, on a terminal; as plain lines elsewhere."""
    if not file.isatty():
        file.writelines(f"{line.plain}\n" for line in summary(scene))
        file.flush()
        return
    console = console_for(file)
    console.size = terminal_size(file)
    for line in summary(scene):
        console.print(line, overflow="ellipsis", crop=True)
