"""Draws the README's picture of the live view: the demo recording at one moment, as an SVG.

Run it after a change of the view::

    python tests/live/make_picture.py
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console

from editstream import FileEditor
from editstream.live.frame import Scene, frame
from editstream.recording import demo_recording

PICTURE = Path(__file__).parents[2] / ".github" / "live-view.svg"
COLUMNS, ROWS = 100, 30
# The second block is open, and a good part of its REPLACE has come.
MOMENT = 745


def picture() -> str:
    """The SVG text."""
    recording = demo_recording()
    file = recording.header.files[0]
    editor = FileEditor(file.content)
    scene = Scene(file.path, editor.feed(recording.text[:MOMENT]), MOMENT)
    console = Console(
        file=io.StringIO(), force_terminal=True, color_system="truecolor", width=COLUMNS, height=ROWS, record=True
    )
    for line in frame(scene, COLUMNS, ROWS):
        console.print(line)
    svg = console.export_svg(title="my-agent | editstream preview runner.py", unique_id="live-view")
    # The fonts that rich would have the reader's browser fetch are left out; any monospaced one will do.
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    return "".join(f"{line.rstrip()}\n" for line in svg.splitlines())


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
