"""What is said of a block that has no place, or more than one, or whose lines do not fit the one it has."""

from __future__ import annotations

from collections.abc import Sequence

from .document import HITS_LIMIT, Document
from .events import BlockChanged, BlockStatus
from .indentation import Misfit
from .messages import BLOCKS, Terms, clipped, line_numbers, problem, visible
from .placing import Found, Lost, Several, shown
from .problems import Candidate, Problem


def lost_problem(
    lost: Lost,
    block: int,
    line: int,
    search: Sequence[str],
    document: Document | None = None,
    terms: Terms = BLOCKS,
) -> Problem:
    """Why a search has no place; with a document, also what in it is similar."""
    if not search and lost.kind == "not_found" and not lost.note:
        return problem("empty_search", terms.empty, block=block, line=line, terms=terms)
    what = _reason(lost, terms)
    similar_in = document if lost.kind == "not_found" and not lost.note else None
    return problem(lost.kind, what, block=block, line=line, search=search, document=similar_in, terms=terms)


def _reason(lost: Lost, terms: Terms) -> str:
    one = terms.block.lower()
    if lost.note:
        return lost.note
    if lost.kind == "overlap":
        earlier = ", ".join(str(index + 1) for index in lost.blocks)
        return f"an earlier {one} of this {terms.whole} ({one} {earlier}) has changed the lines that it looks for."
    if lost.many:
        return f"its {terms.text} is in the file more than {HITS_LIMIT:,} times."
    if lost.times:
        return f"its {terms.text} is in the file {lost.times} times: at lines {line_numbers(lost.lines)}."
    if lost.kind == "ambiguous":
        return f"earlier {one}s wrote its {terms.text} at lines {line_numbers(lost.lines)} of the edited file."
    return f"its {terms.text} is not in the file."


def several_hits(
    index: int,
    line: int,
    search: Sequence[str],
    several: Several,
    status: BlockStatus = "pending",
    terms: Terms = BLOCKS,
) -> BlockChanged:
    """A block with several hits: pending, with the problem that it becomes if nothing settles it."""
    lines = line_numbers([hit.start for hit in several.hits])
    what = f"its {terms.text} is in the file {len(several.hits)} times: at lines {lines}."
    said = problem("ambiguous", what, block=index, line=line, search=search, terms=terms)
    return BlockChanged(shown(several.draft.document, index, line, status, several), said)


def cannot_be_carried(
    misfit: Misfit,
    block: int,
    line: int,
    search: Sequence[str],
    found: Found | None = None,
    terms: Terms = BLOCKS,
) -> Problem:
    """A block with a place, whose REPLACE cannot be put into the form that the file has there."""
    spot = found.place if found is not None else None
    where = (Candidate(spot.start + 1, spot.stop),) if spot is not None and not spot.blocks else ()
    what = f"{terms.reworded(str(misfit))}:\n    {visible(clipped(misfit.line))}"
    return problem("not_found", what, block=block, line=line, search=search, candidates=where, terms=terms)
