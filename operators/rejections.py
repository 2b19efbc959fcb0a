"""What is said of a block that has no place, or more than one, or whose lines do not fit the one it has."""

from __future__ import annotations

from collections.abc import Sequence

from .document import HITS_LIMIT, Document
from .events import BlockChanged, BlockStatus
from .indentation import Misfit
from .messages import clipped, line_numbers, problem, visible
from .placing import Found, Lost, Several, shown
from .problems import Candidate, Problem


def lost_problem(lost: Lost, block: int, line: int, search: Sequence[str], document: Document | None = None) -> Problem:
    """Why a search has no place; with a document, also what in it is similar."""
    if lost.kind == "overlap":
        earlier = ", ".join(str(index + 1) for index in lost.blocks)
        what = f"an earlier block of this edit (block {earlier}) has changed the lines that it looks for."
        return problem("overlap", what, block=block, line=line, search=search)
    if lost.many:
        what = f"its SEARCH text is in the file more than {HITS_LIMIT:,} times."
        return problem("ambiguous", what, block=block, line=line, search=search)
    if lost.kind == "ambiguous":
        what = f"earlier blocks wrote its SEARCH text at lines {line_numbers(lost.lines)} of the edited file."
        return problem("ambiguous", what, block=block, line=line, search=search)
    if not search:
        return problem("empty_search", "its SEARCH is empty and the file is not.", block=block, line=line)
    what = "its SEARCH text is not in the file."
    return problem("not_found", what, block=block, line=line, search=search, document=document)


def several_hits(
    index: int, line: int, search: Sequence[str], several: Several, status: BlockStatus = "pending"
) -> BlockChanged:
    """A block with several hits: pending, with the problem that it becomes if nothing settles it."""
    lines = line_numbers([hit.start for hit in several.hits])
    what = f"its SEARCH text is in the file {len(several.hits)} times: at lines {lines}."
    said = problem("ambiguous", what, block=index, line=line, search=search)
    return BlockChanged(shown(several.draft.document, index, line, status, several), said)


def cannot_be_carried(
    misfit: Misfit, block: int, line: int, search: Sequence[str], found: Found | None = None
) -> Problem:
    """A block with a place, whose REPLACE cannot be put into the form that the file has there."""
    spot = found.place if found is not None else None
    where = (Candidate(spot.start + 1, spot.stop),) if spot is not None and not spot.blocks else ()
    what = f"{misfit}:\n    {visible(clipped(misfit.line))}"
    return problem("not_found", what, block=block, line=line, search=search, candidates=where)
