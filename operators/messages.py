"""What a rejected block is told: messages for the model that has to repair its edit.

Each names the block by its number and line in the stream, says what was looked for and where the file comes closest,
shows the first line that differs with its white space visible, and ends with what to do. The whole file is never in
it, and no control character either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from .document import Document
from .problems import Candidate, Problem, ProblemKind
from .similar import similar_places

LINES_SHOWN = 6
WIDTH_SHOWN = 160
LINE_NUMBERS_SHOWN = 100

REPAIRS_WITH_CANDIDATES = 20
"""Blocks of one stream whose message names similar places. Looking for them costs what a search does; nobody repairs
more at once."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What the parts of an edit are called to the model that wrote it, and what it is told to do.

    ``block`` is one change and ``whole`` all of them; ``numbered`` says that the model can count the lines of the
    whole. ``search`` is the side that is looked for and ``text`` what stands there, ``label`` the same before a line of
    it, ``replace`` the other side. ``empty`` and ``undivided`` say what is wrong with a change that has no lines to be
    found, or only one side; ``advice`` says for each kind of problem what to do.
    """

    block: str
    whole: str
    search: str
    text: str
    label: str
    replace: str
    empty: str
    undivided: str
    advice: Mapping[ProblemKind, str] = field(repr=False)
    numbered: bool = True

    def subject(self, block: int | None, line: int) -> str:
        """What a message is about: a change by its number, from 0, and its line of the whole, from 1."""
        if block is None:
            return f"Line {line} of the {self.whole}" if self.numbered else f"The {self.whole}"
        return f"{self.block} {block + 1}" + (f" (line {line} of the {self.whole})" if self.numbered else "")

    def reworded(self, text: str) -> str:
        """A text of ours that speaks of SEARCH and REPLACE, in these terms."""
        return text.replace("SEARCH", self.search).replace("REPLACE", self.replace)


BLOCKS = Terms(
    block="Block",
    whole="edit",
    search="SEARCH",
    text="SEARCH text",
    label="SEARCH",
    replace="REPLACE",
    empty="its SEARCH is empty and the file is not.",
    undivided="it has no line of = between SEARCH and REPLACE.",
    advice=MappingProxyType(
        {
            "not_found": "Read that part of the file again and copy SEARCH from it, whole lines, exactly as they are.",
            "ambiguous": "Add lines before or after to SEARCH until it is in the file only once.",
            "overlap": "Write one block for these lines, with SEARCH as the file has it and all changes in REPLACE.",
            "empty_search": "Put the lines to be replaced into SEARCH; to insert, put the line before into both sides.",
            "malformed": "Write each block as ------- SEARCH, lines, =======, lines, +++++++ REPLACE, a marker to a "
            "line.",
            "truncated": "Send this block again, whole.",
            "unterminated": "Send this block again and close it with +++++++ REPLACE.",
            "out_of_order": "Send the blocks in the order of the file.",
            "too_large": "Split the edit into several, or write the whole file.",
        }
    ),
)
"""For SEARCH/REPLACE blocks."""

PAIRS = Terms(
    block="Edit",
    whole="call",
    search="old_string",
    text="old_string",
    label="old_string",
    replace="new_string",
    empty="its old_string is empty and the file is not.",
    undivided="it has no new_string.",
    advice=MappingProxyType(
        {
            "not_found": "Read that part of the file again and copy old_string from it, exactly as it is.",
            "ambiguous": "Add text before or after to old_string until it is in the file only once.",
            "overlap": "Make one edit of this text, with old_string as the file has it and all changes in new_string.",
            "empty_search": "Put the text to be replaced into old_string; to insert, put the line before into both.",
            "malformed": "Send old_string and new_string, each of them a string.",
            "truncated": "Send this edit again, whole.",
            "unterminated": "Send this edit again, whole.",
            "out_of_order": "Send the edits in the order of the file.",
            "too_large": "Split the call into several, or write the whole file.",
        }
    ),
    numbered=False,
)
"""For pairs of old and new text."""

HUNKS = Terms(
    block="Hunk",
    whole="patch",
    search="what the hunk removes or keeps",
    text="text (context and - lines)",
    label="hunk",
    replace="what the hunk puts there",
    empty="it has no context and - lines, and the file is not empty.",
    undivided="it has a line that begins with neither a space, + nor -.",
    advice=MappingProxyType(
        {
            "not_found": "Read that part of the file again and copy the context and - lines from it, exactly as they "
            "are.",
            "ambiguous": "Add context lines, or an @@ line that stands before them, until only one place is meant.",
            "overlap": "Write one hunk for these lines, with its context and - lines as the file has them.",
            "empty_search": "Add context lines, or an @@ line, that say where the + lines go.",
            "malformed": "Begin each hunk with @@, and each line in it with a space, - or +.",
            "truncated": "Send this hunk again, whole.",
            "unterminated": "Send this hunk again, whole.",
            "out_of_order": "Send the hunks in the order of the file.",
            "too_large": "Split the patch into several, or write the whole file.",
        }
    ),
)
"""For the hunks of a V4A patch."""


def visible(line: str) -> str:
    """A line with its white space and control characters made visible, so that two versions can be told apart."""
    shown = line.replace("\t", "\u2192").replace(" ", "\u00b7")
    return "".join([char if char.isprintable() else _escaped(char) for char in shown])


def printable(line: str) -> str:
    """A line with control characters made visible, and spaces and tabs as they are."""
    return "".join([char if char.isprintable() or char == "\t" else _escaped(char) for char in line])


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


def clipped(line: str, around: int = 0) -> str:
    """At most ``WIDTH_SHOWN`` code points of a line, with a place that matters among them."""
    start = max(0, min(around - WIDTH_SHOWN // 2, len(line) - WIDTH_SHOWN))
    end = start + WIDTH_SHOWN
    return ("\u2026" if start else "") + line[start:end] + ("\u2026" if end < len(line) else "")


def problem(
    kind: ProblemKind,
    what: str,
    *,
    block: int | None,
    line: int,
    search: Sequence[str] = (),
    document: Document | None = None,
    candidates: tuple[Candidate, ...] = (),
    terms: Terms = BLOCKS,
) -> Problem:
    """A problem with its message. With a document, the places most similar to ``search`` are looked up and shown."""
    candidates = similar_places(document, search) if document is not None else candidates
    parts = [f"{terms.subject(block, line)} was not applied: {what}"]
    if search:
        parts += _looked_for(search)
    parts += [text for candidate in candidates for text in _shown(candidate, terms)]
    parts.append(terms.advice[kind])
    return Problem(kind, block, line, "\n".join(parts), candidates)


def line_numbers(lines: Sequence[int]) -> str:
    """Line numbers, given from 0, as a reader counts them."""
    shown = ", ".join(str(line + 1) for line in lines[:LINE_NUMBERS_SHOWN])
    return shown + (f" and {len(lines) - LINE_NUMBERS_SHOWN} more" if len(lines) > LINE_NUMBERS_SHOWN else "")


def _looked_for(search: Sequence[str]) -> list[str]:
    count = len(search)
    parts = [f"It looked for {'this line' if count == 1 else f'these {count} lines'}:"]
    parts += ["    " + printable(clipped(line)) for line in search[:LINES_SHOWN]]
    if count > LINES_SHOWN:
        parts.append(f"    ({count - LINES_SHOWN} more)")
    return parts


def _shown(candidate: Candidate, terms: Terms) -> list[str]:
    where = (
        f"line {candidate.line}"
        if candidate.line >= candidate.last_line
        else f"lines {candidate.line}-{candidate.last_line}"
    )
    if candidate.wanted is None:
        return [f"The same but for white space: {where} of the file."]
    if candidate.found is None:
        return [f"Similar: {where} of the file, where the file ends before {terms.search} does."]
    differs = _first_difference(candidate.wanted, candidate.found)
    return [
        f"Similar: {where} of the file. They first differ at line {candidate.differs_at} (\u00b7 space, \u2192 tab):",
        f"    {terms.label}: " + visible(clipped(candidate.wanted, differs)),
        "    file: ".ljust(len(terms.label) + 6) + visible(clipped(candidate.found, differs)),
    ]


def _first_difference(ours: str, theirs: str) -> int:
    for at, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if a != b:
            return at
    return min(len(ours), len(theirs))
