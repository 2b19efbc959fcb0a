"""What a rejected block is told: messages for the model that has to repair its edit.

Each names the block by its number and line in the stream, says what was looked for and where the file comes closest,
shows the first line that differs with its white space visible, and ends with what to do. The whole file is never in
it, and no control character either.
"""

from __future__ import annotations

from collections.abc import Sequence

from .document import Document
from .problems import Candidate, Problem, ProblemKind
from .similar import similar_places

LINES_SHOWN = 6
WIDTH_SHOWN = 160
LINE_NUMBERS_SHOWN = 100

REPAIRS_WITH_CANDIDATES = 20
"""Blocks of one stream whose message names similar places. Looking for them costs what a search does; nobody repairs
more at once."""

_ADVICE: dict[ProblemKind, str] = {
    "not_found": "Read that part of the file again and copy SEARCH from it, whole lines, exactly as they are.",
    "ambiguous": "Add lines before or after to SEARCH until it is in the file only once.",
    "overlap": "Write one block for these lines, with SEARCH as the file has it and all changes in REPLACE.",
    "empty_search": "Put the lines to be replaced into SEARCH; to insert, put the line before into both sides.",
    "malformed": "Write each block as ------- SEARCH, lines, =======, lines, +++++++ REPLACE, a marker to a line.",
    "truncated": "Send this block again, whole.",
    "unterminated": "Send this block again and close it with +++++++ REPLACE.",
    "out_of_order": "Send the blocks in the order of the file.",
    "too_large": "Split the edit into several, or write the whole file.",
}


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
) -> Problem:
    """A problem with its message. With a document, the places most similar to ``search`` are looked up and shown."""
    candidates = similar_places(document, search) if document is not None else candidates
    subject = f"Block {block + 1} (line {line} of the edit)" if block is not None else f"Line {line} of the edit"
    parts = [f"{subject} was not applied: {what}"]
    if search:
        parts += _looked_for(search)
    parts += [text for candidate in candidates for text in _shown(candidate)]
    parts.append(_ADVICE[kind])
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


def _shown(candidate: Candidate) -> list[str]:
    where = (
        f"line {candidate.line}"
        if candidate.line >= candidate.last_line
        else f"lines {candidate.line}-{candidate.last_line}"
    )
    if candidate.wanted is None:
        return [f"The same but for white space: {where} of the file."]
    if candidate.found is None:
        return [f"Similar: {where} of the file, where the file ends before SEARCH does."]
    differs = _first_difference(candidate.wanted, candidate.found)
    return [
        f"Similar: {where} of the file. They first differ at line {candidate.differs_at} (\u00b7 space, \u2192 tab):",
        "    SEARCH: " + visible(clipped(candidate.wanted, differs)),
        "    file:   " + visible(clipped(candidate.found, differs)),
    ]


def _first_difference(ours: str, theirs: str) -> int:
    for at, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if a != b:
            return at
    return min(len(ours), len(theirs))
