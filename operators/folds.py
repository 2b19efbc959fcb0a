"""Folds: what of a line is left out of a comparison. They never reach what is written."""

from __future__ import annotations

import unicodedata

MOST_EDGE_BLANKS = 2
"""Blank lines at either edge of SEARCH that a tier may leave out."""

TYPOGRAPHIC = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u02bc"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-"),
    **dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " "),
    **dict.fromkeys([0xAD, 0x180E, *range(0x200B, 0x2010), 0x2060, 0xFE0E, 0xFE0F, 0xFEFF], None),
}
"""What the ``unicode`` tier folds: quotes, dashes and odd spaces to plain ones, zero-width characters to nothing."""


def is_blank(line: str) -> bool:
    """Whether a line has nothing but spaces and tabs."""
    return not line.strip(" \t")


def without_end_space(line: str) -> str:
    """The fold of ``trailing_space``: a line without spaces and tabs at its end."""
    return line.rstrip(" \t")


def without_indent(line: str) -> str:
    """A line without spaces and tabs at either end."""
    return line.strip(" \t")


def plain_unicode(line: str) -> str:
    """The fold of ``unicode``: NFC, typographic characters plain, no spaces and tabs at the end."""
    if not line.isascii():
        line = unicodedata.normalize("NFC", line).translate(TYPOGRAPHIC)
    return line.rstrip(" \t")


def squeezed(line: str) -> str:
    """A line without any white space: for finding what looks alike, never for an edit."""
    return "".join((line if line.isascii() else plain_unicode(line)).split())


def loosest(line: str) -> str:
    """A line under all folds at once: lines that any tier takes for the same are the same here."""
    return plain_unicode(line).strip(" \t")
