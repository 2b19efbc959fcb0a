"""Places in the file that look like a SEARCH that was not found: for the message only, never for an edit.

Every line of SEARCH that the file has votes for the place where the block would begin; where no line is the same, its
longest words vote instead. The work is bounded: common lines do not vote, and only so many lines and words are asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from .document import Document
from .folds import squeezed, without_end_space
from .problems import Candidate

MOST_CANDIDATES = 3
_COMMON = 50
_COMMON_WORD = 8
_STARTS_COMPARED = 10
_CHARACTERS_COMPARED = 120
_LINES_ASKED = 400
_WORDS_ASKED = 40
_CHARACTERS_SCANNED = 16 * 1024 * 1024
_WORD = re.compile(r"\w{3,}")


def similar_places(document: Document, search: Sequence[str]) -> tuple[Candidate, ...]:
    """The best candidates for a SEARCH, most similar first; at most ``MOST_CANDIDATES``."""
    asked = search[:_LINES_ASKED]
    votes = _votes_of_lines(document, asked) or _votes_of_words(document, asked)
    likeness = {start: _likeness(document, asked, start) for start, _ in votes.most_common(_STARTS_COMPARED)}
    ranked = sorted(likeness, key=lambda start: (-likeness[start], -votes[start], start))
    chosen: list[int] = []
    for start in ranked:
        near = any(abs(start - other) <= 2 for other in chosen)
        if not near and likeness[start] > likeness[ranked[0]] / 2 and len(chosen) < MOST_CANDIDATES:
            chosen.append(start)
    return tuple(_candidate(document, search, max(0, start)) for start in chosen)


def _beginning(line: str) -> str:
    """The beginning of a line, without white space: enough to tell by whether two lines are alike."""
    return squeezed(line[:_CHARACTERS_COMPARED])


def _votes_of_lines(document: Document, search: Sequence[str]) -> Counter[int]:
    index, votes = document.index(_beginning), Counter[int]()
    for at, line in enumerate(search):
        key = _beginning(line)
        places = index.places(key) if key else ()
        if len(places) <= _COMMON:
            for place in places:
                votes[place - at] += len(key)
    return votes


def _votes_of_words(document: Document, search: Sequence[str]) -> Counter[int]:
    """Rare words vote; common ones only where there is no other."""
    words = {word: at for at, line in reversed(list(enumerate(search))) for word in _WORD.findall(line[:1000])}
    rare, common = Counter[int](), Counter[int]()
    most = min(_WORDS_ASKED, 1 + _CHARACTERS_SCANNED // (len(document.text) + 1))
    for word in sorted(words, key=lambda word: (-len(word), word))[:most]:
        lines = _lines_with(document, word)
        for line in lines:
            (rare if len(lines) < _COMMON_WORD else common)[line - words[word]] += 1
    return rare or common


def _lines_with(document: Document, word: str) -> list[int]:
    lines: list[int] = []
    found = document.text.find(word)
    while found >= 0 and len(lines) < _COMMON_WORD:
        lines.append(document.line_at(found))
        found = document.text.find(word, found + len(word))
    return lines


def _likeness(document: Document, search: Sequence[str], start: int) -> float:
    """How many lines are the same but for white space, and how like the first other one is (between 0 and 1)."""
    lines, same, like = document.lines, 0, 0.0
    for at, line in enumerate(search):
        theirs = lines[start + at] if 0 <= start + at < len(lines) else ""
        if _beginning(line) == _beginning(theirs):
            same += 1
        elif not like:
            like = SequenceMatcher(None, line[:_CHARACTERS_COMPARED], theirs[:_CHARACTERS_COMPARED]).ratio()
    return same + like


def _candidate(document: Document, search: Sequence[str], start: int) -> Candidate:
    lines = document.lines
    last = min(start + len(search), len(lines))
    for at, line in enumerate(search):
        found = lines[start + at] if start + at < len(lines) else None
        if found is None or without_end_space(found) != without_end_space(line):
            return Candidate(start + 1, last, start + at + 1, line, found)
    return Candidate(start + 1, last)
