"""Dialects as values: a marker grammar, a ladder of search tiers, and a few policies that the operators follow.

``v1`` and ``v2`` are the two algorithms of Cline 4.0.10 (``constructNewFileContentV1`` and its ``V2`` class), to the
letter; ``safe`` is ours. A dialect has no code of its own: what differs is which values the same operators read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from .tiers import (
    CursorTier,
    LineTier,
    anchors,
    exact_from_cursor,
    exact_from_start,
    safe_ladder,
    trimmed_lines,
)

DialectName: TypeAlias = Literal["v1", "v2", "safe"]

CANONICAL_MARKERS = frozenset({"------- SEARCH", "=======", "+++++++ REPLACE"})
"""The markers as prompts show them."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """How lines are read as markers.

    ``order`` says which sequences are blocks: ``lenient`` takes any marker at any time, ``strict`` only opener,
    divider, closer with no text between blocks, ``nested`` reads markers by the indent and length of their opener.
    ``whole`` are the unfinished lines that count as whole markers, or None for all that match.
    """

    order: Literal["lenient", "strict", "nested"]
    opener: re.Pattern[str]
    divider: re.Pattern[str]
    closer: re.Pattern[str]
    whole: frozenset[str] | None = None

    def is_marker(self, text: str) -> bool:
        """Whether a line is one of the three markers."""
        return any(marker.fullmatch(text) for marker in (self.opener, self.divider, self.closer))


@dataclass(frozen=True, slots=True)
class Dialect:
    """The values that the stages follow.

    ``empty_search``: a SEARCH without a line, in a file that has some, is refused or stands for the whole file.
    ``unclosed``: a REPLACE that the stream ends in is applied, refused, or applied when it looks whole.
    ``hold_back``: a block above an earlier one waits for the end. ``logs``: ``new_content`` grows as a log of the new
    file. ``reports_matches``: whether ``match_indices`` is filled.
    """

    name: DialectName
    grammar: Grammar
    search: Literal["cursor", "ladder"]
    cursor_tiers: tuple[CursorTier, ...] = ()
    line_tiers: tuple[LineTier, ...] = ()
    empty_search: Literal["refuse", "whole_file"] = "refuse"
    unclosed: Literal["apply", "refuse", "repair"] = "repair"
    hold_back: bool = False
    logs: bool = False
    reports_matches: bool = True


_CLINE_MARKERS = (
    re.compile(r"(?:-{3,}|<{3,}) SEARCH>?"),
    re.compile(r"={3,}"),
    re.compile(r"(?:\+{3,}|>{3,}) REPLACE>?"),
)

V1 = Dialect(
    "v1",
    Grammar("lenient", *_CLINE_MARKERS),
    search="cursor",
    cursor_tiers=(exact_from_cursor, trimmed_lines, anchors, exact_from_start),
    unclosed="apply",
    hold_back=True,
    logs=True,
)
V2 = Dialect(
    "v2",
    Grammar("strict", *_CLINE_MARKERS, whole=CANONICAL_MARKERS),
    search="cursor",
    cursor_tiers=(exact_from_cursor, trimmed_lines, anchors),
    empty_search="whole_file",
    unclosed="refuse",
    logs=True,
    reports_matches=False,
)
SAFE = Dialect(
    "safe",
    Grammar(
        "nested",
        re.compile(r"(?P<indent>[ \t]*)(?P<rule>-{3,}|<{3,}) SEARCH>?\s*"),
        re.compile(r"(?P<indent>[ \t]*)(?P<rule>={3,})\s*"),
        re.compile(r"(?P<indent>[ \t]*)(?P<rule>\+{3,}|>{3,}) REPLACE>?\s*"),
    ),
    search="ladder",
    line_tiers=safe_ladder,
)

DIALECTS: Mapping[str, Dialect] = MappingProxyType({dialect.name: dialect for dialect in (V1, V2, SAFE)})


def dialect_named(name: str | Dialect) -> Dialect:
    """The dialect of a name.

    Raises:
        ValueError: no dialect has this name.
    """
    if isinstance(name, Dialect):
        return name
    try:
        return DIALECTS[name]
    except KeyError:
        raise ValueError(f"unknown dialect {name!r}: use one of {', '.join(DIALECTS)}") from None
