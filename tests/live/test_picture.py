"""The README's picture."""

from __future__ import annotations

import re
import runpy
from pathlib import Path


def test_the_picture_shows_the_view_as_it_is() -> None:
    """The words in the committed picture are those that the view shows today at that moment of the demo."""
    made = runpy.run_path(str(Path(__file__).parent / "make_picture.py"))
    wanted = re.findall(r"<text[^>]*>(.*?)</text>", made["picture"]())
    assert len(wanted) > 100
    assert re.findall(r"<text[^>]*>(.*?)</text>", made["PICTURE"].read_text(encoding="utf-8")) == wanted


def test_the_picture_fetches_nothing() -> None:
    """The picture needs no font or other thing from elsewhere."""
    made = runpy.run_path(str(Path(__file__).parent / "make_picture.py"))
    svg = made["picture"]().replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "http" not in re.sub(r"<!--.*?-->", "", svg)
