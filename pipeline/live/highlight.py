"""Syntax colours for the rows of a window: the lines before and those after the edit, each read as one text.

Only the window is highlighted, so what began above it (a long string, a comment) is not known. That is the price of a
cost per frame that does not depend on the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.syntax import Syntax
from rich.text import Text

from .printable import printable

if TYPE_CHECKING:
    from .window import Row

TAB_SIZE = 4


@lru_cache(maxsize=8)
def syntax_for(path: str) -> Syntax:
    """The colours for a file of this name; none for a name that says nothing."""
    return Syntax("", Syntax.guess_lexer(path, code=" "), theme="ansi_dark")


def row_text(row: Row, width: int) -> str:
    """A row's line, printable, with tabs as spaces and without its end; cut not far beyond ``width`` cells.

    Of the line that is being written it is the end that stays, since the newest text is there.
    """
    text = row.text.removesuffix("\n").removesuffix("\r")
    text = text[-4 * width :] if row.newest else text[: 4 * width]
    return printable(text, keep="\t").expandtabs(TAB_SIZE)


def highlighted(rows: Sequence[Row], path: str, width: int) -> list[Text]:
    """The rows' lines in the colours of the language that ``path`` names, in the order of the rows.

    White space at the end of a changed line is shown as dots: it may be all that changed.
    """
    texts = [row_text(row, width) for row in rows]
    result = [Text(text) for text in texts]
    for sign in "-+":
        side = [index for index, row in enumerate(rows) if row.sign in (" ", sign)]
        code = "\n".join(texts[index] for index in side)
        coloured = syntax_for(path).highlight(code).split("\n", allow_blank=True)
        for index, line in zip(side, coloured, strict=False):
            if line.plain == texts[index]:
                result[index] = line
    return [line if row.sign == " " else _with_dots(line) for row, line in zip(rows, result, strict=True)]


def _with_dots(line: Text) -> Text:
    bare = line.plain.rstrip(" ")
    dots = "·" * (len(line) - len(bare))
    return line[: len(bare)].append(dots, style="dim") if dots else line
