"""Places in the file that look like a SEARCH that was not found: for the message only, never for an edit.

Every line of SEARCH that the file has votes for the place where the block would begin; where no line is the same, its
longest words vote instead. The work is bounded: common lines do not vote, and only so many lines and words are asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from .document import Document
from .folds import without_end_space, without_indent
from .problems import Candidate

MOST_CANDIDATES = 3
_COMMON = 50
_LINES_ASKED = 400
_WORDS_ASKED = 40
_WORD = re.compile(r"\w{4,}")


def similar_places(document: Document, search: Sequence[str]) -> tuple[Candidate, ...]:
    """The best candidates for a SEARCH, most similar first; at most ``MOST_CANDIDATES``."""
    asked = search[:_LINES_ASKED]
    votes = _votes_of_lines(document, asked) or _votes_of_words(document, asked)
    ranked = sorted(
        (start for start, _ in votes.most_common(20)),
        key=lambda start: (-_lines_in_common(document, asked, start), -votes[start], start),
    )
    chosen: list[int] = []
    for start in ranked:
        if all(abs(start - other) > 2 for other in chosen) and len(chosen) < MOST_CANDIDATES:
            chosen.append(start)
    return tuple(_candidate(document, search, max(0, start)) for start in chosen)


def _votes_of_lines(document: Document, search: Sequence[str]) -> Counter[int]:
    index, votes = document.index(without_indent), Counter[int]()
    for at, line in enumerate(search):
        key = without_indent(line)
        places = index.places(key) if key else ()
        if len(places) <= _COMMON:
            for place in places:
                votes[place - at] += len(key)
    return votes


def _votes_of_words(document: Document, search: Sequence[str]) -> Counter[int]:
    words = {word: at for at, line in reversed(list(enumerate(search))) for word in _WORD.findall(line[:1000])}
    votes = Counter[int]()
    for word in sorted(words, key=lambda word: (-len(word), word))[:_WORDS_ASKED]:
        found = document.text.find(word)
        for _ in range(_COMMON):
            if found < 0:
                break
            votes[document.line_at(found) - words[word]] += 1
            found = document.text.find(word, found + len(word))
    return votes


def _lines_in_common(document: Document, search: Sequence[str], start: int) -> int:
    lines = document.lines
    return sum(
        without_indent(line) == without_indent(lines[start + at])
        for at, line in enumerate(search)
        if 0 <= start + at < len(lines)
    )


def _candidate(document: Document, search: Sequence[str], start: int) -> Candidate:
    lines = document.lines
    last = min(start + len(search), len(lines))
    for at, line in enumerate(search):
        found = lines[start + at] if start + at < len(lines) else None
        if found is None or without_end_space(found) != without_end_space(line):
            return Candidate(start + 1, last, start + at + 1, line, found)
    return Candidate(start + 1, last)
