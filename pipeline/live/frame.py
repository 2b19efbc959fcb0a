"""One frame of the live view: the window on the file, the list of blocks, the problems and the progress.

A frame is a list of lines that are never wider than the terminal nor more than it has rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from . import wording
from .highlight import highlighted
from .printable import printable
from .window import Row, window

if TYPE_CHECKING:
    from editstream import Block, Snapshot

STATUS_STYLES = {
    "searching": "yellow",
    "pending": "yellow",
    "located": "cyan",
    "replacing": "cyan",
    "applied": "green",
    "repaired": "green",
    "already_applied": "green",
    "unchanged": "green",
    "rejected": "bold red",
}
SIGN_STYLES = {" ": "dim", "-": "bold red", "+": "bold green"}
# Of 256 colours a dark red and a dark green are the nearest; the 16 have only shades too bright to read on.
SHADES = {" ": "", "-": "white on #48191b", "+": "white on #14361c"}
# A block's list and its problems may take this part of the screen; the window on the file has the rest.
LIST_SHARE = 4
PROBLEM_SHARE = 6
# Cells before a row's text, besides the digits of its numbers: a mark, a sign, and a space after each number and sign.
MARGIN = 5
# From this height on, a line between the file and the rest is no waste of a row.
RULED = 12


@dataclass(frozen=True, slots=True)
class Scene:
    """What a frame shows: the file's name, the latest snapshot, and how many characters have come.

    ``shaded``: whether the background of changed rows may be coloured.
    """

    path: str
    snapshot: Snapshot
    received: int | None
    shaded: bool = True


def frame(scene: Scene, width: int, height: int) -> list[Text]:
    """The lines of a frame, exactly ``height`` of them, at most ``width`` cells wide."""
    problems = problem_lines(scene.snapshot, height // PROBLEM_SHARE)
    blocks = block_lines(scene.snapshot, height // LIST_SHARE)
    below = [Text("─" * width, style="dim")] if height >= RULED else []
    below += [*blocks, *problems, Text(f" {wording.totals(scene.snapshot, scene.received)}", style="bold")]
    room = max(height - len(below) - 1, 0)
    file = window_lines(scene, width, room)
    file += [Text()] * (room - len(file))
    lines = [_header(scene), *file, *below]
    for line in lines:
        line.no_wrap = True
        line.truncate(width, overflow="ellipsis")
    return lines[-height:] if height > 0 else []


def _header(scene: Scene) -> Text:
    header = Text(f" {printable(scene.path)} ", style="bold reverse")
    return Text.assemble(header, f" {wording.activity(scene.snapshot)}")


def window_lines(scene: Scene, width: int, height: int) -> list[Text]:
    """The rows of the file around the edit, with a mark, both line numbers and a sign before each."""
    if height < 1:
        return []
    rows = window(scene.snapshot, height)
    digits = len(str(max((number for row in rows for number in (row.old, row.new) if number), default=1)))
    texts = highlighted(rows, scene.path, width)
    room = width - 2 * digits - MARGIN
    texts = [_end_of(text, room) if row.newest else text for row, text in zip(rows, texts, strict=True)]
    lines = [_row_line(scene, row, text, digits) for row, text in zip(rows, texts, strict=True)]
    for row, line in zip(rows, lines, strict=True):
        if row.sign != " ":
            line.truncate(width, overflow="ellipsis", pad=True)
    return lines


def _end_of(text: Text, room: int) -> Text:
    """The end of a line that is wider than ``room`` cells, so that what is being written is seen."""
    if text.cell_len <= room or room < 2:
        return text
    kept, cells = len(text), 1  # the ellipsis takes a cell
    for char in reversed(text.plain):
        cells += cell_len(char)
        if cells > room:
            break
        kept -= 1
    return Text("…").append_text(text[kept:])


def _row_line(scene: Scene, row: Row, text: Text, digits: int) -> Text:
    numbers = f"{row.old or '':>{digits}} {row.new or '':>{digits}} {row.sign} "
    line = Text(style=SHADES[row.sign] if scene.shaded else "")
    line.append(_mark(scene.snapshot, row), style="bold yellow")
    return line.append(numbers, style=SIGN_STYLES[row.sign]).append_text(text)


def _mark(snapshot: Snapshot, row: Row) -> str:
    """``?`` on a line where the search may end, a bar on the lines of the block that is open."""
    if row.old is None:
        return " "
    if row.old in snapshot.candidates:
        return "?"
    block = snapshot.blocks[-1] if snapshot.blocks else None
    if block is None or block.lines is None or block.status in wording.SETTLED:
        return " "
    first, after_last = block.lines
    return "▌" if first <= row.old < after_last else " "


def block_lines(snapshot: Snapshot, room: int) -> list[Text]:
    """The latest blocks, one on a line, and a line that counts those there is no room for."""
    blocks = snapshot.blocks
    if len(blocks) <= room:
        return [block_line(block) for block in blocks]
    shown = max(room - 1, 0)
    earlier = Text(f" … {wording.counted(len(blocks) - shown, 'earlier block')}", style="dim")
    return [earlier, *(block_line(block) for block in blocks[len(blocks) - shown :])][:room]


def block_line(block: Block) -> Text:
    """A block's number, status, place and tier."""
    line = Text(f" {block.index + 1:>3} ").append(f"{wording.status(block):<16}", style=STATUS_STYLES[block.status])
    line.append(f"{wording.place(block.lines):<20}").append(wording.tier(block), style="dim")
    if block.other_matches:
        fits = "also at" if block.lines else "fits at"
        line.append(f" {fits} {wording.one_of(block.other_matches[:8])}", style="yellow")
    line.rstrip()
    return line


def problem_lines(snapshot: Snapshot, room: int) -> list[Text]:
    """The latest firm problems, one on a line."""
    problems = wording.firm_problems(snapshot)
    latest = problems[max(len(problems) - room, 0) :]
    return [Text(f"     {wording.problem_line(problem)}", style="red") for problem in latest]
