"""Old and new text that are not whole lines: where the old text is, in or across lines, and what takes its place.

Whole lines come first: exactly one place where the old text is some lines of the file is that place. Then exact text
inside lines, which has to be in the file only once. Only if it is nowhere, the ladder is gone down. Each time, the
lines of the original that no block has replaced are asked first, then what blocks wrote. Line ends are not compared.

A text hit is an edit of the lines that it lies in, which become what stands before it, the new text, and what stands
after it; those of them that stay the same keep their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .document import HITS_LIMIT, Document
from .draft import Draft
from .edited_text import EditedText, JoinedLines
from .placing import Found, Inside, Lost, Several, Verdict, locate
from .tiers import Hit, LineTier, exact

TEXT_TIER = LineTier("text", exact)
"""Names the rule by which text inside lines was found."""


@dataclass(frozen=True, slots=True)
class OldText:
    """What is looked for: the text, and the same as ``lines``.

    The lines are without a last line end where the new text has one too or is empty. ``whole`` says that it may be
    whole lines, ``ended`` that both texts have a line end at their end.
    """

    text: str
    lines: tuple[str, ...]
    whole: bool = True
    ended: bool = False


def read_sides(old: Sequence[str], new: Sequence[str] | None) -> tuple[OldText, tuple[str, ...]]:
    """What is looked for and the lines to put there, of the items between the line ends of both texts.

    While the new text is not known, it is taken to end as the old one does.
    """
    text, put = "\n".join(old), tuple(new or ("",))
    if not text:
        return OldText("", ()), tuple(new or ())
    drops = not old[-1] and (new is None or not put[-1])
    lines = tuple(old[:-1] if drops else old)
    old_text = OldText(text, lines, whole=drops or bool(old[-1]), ended=drops and (new is None or len(put) > 1))
    return old_text, put[:-1] if drops else put


@dataclass(frozen=True, slots=True)
class _Occurrence:
    """Lines ``[first, stop)`` of the edited text that a hit lies in; ``origin`` as in ``EditedText.origin``."""

    first: int
    stop: int
    origin: int | None
    inside: Inside | None = None


class TextPlaces:
    """Finds old texts in the file as edited so far; keeps that text for the next one."""

    def __init__(self, document: Document) -> None:
        self._joined = JoinedLines(document)
        self._last: tuple[Draft, EditedText] | None = None

    def edited(self, draft: Draft) -> EditedText:
        """The text of a draft."""
        if self._last is None or self._last[0] is not draft:
            self._last = (draft, EditedText(draft, self._joined))
        return self._last[1]

    def locate(self, draft: Draft, ladder: Sequence[LineTier], old: OldText) -> Verdict:
        """Where an old text that is not empty goes."""
        edited = self.edited(draft)
        whole = list(_whole_lines(edited, old))
        texts = edited.find(old.text, HITS_LIMIT + 1)
        if chosen := _only_one(whole):
            return Found(edited.place(chosen.first, chosen.stop), ladder[0])
        if max(len(texts), len(whole)) > HITS_LIMIT:
            return Lost("ambiguous", many=True)
        original = [hit for hit in whole if hit.origin is not None]
        if len(original) > 1 and len(texts) <= len(whole):
            hits = tuple(Hit(hit.origin or 0, (hit.origin or 0) + len(old.lines)) for hit in original)
            return Several(hits, ladder[0], draft)
        inside = [_inside(edited, at, old) for at in texts]
        if chosen := _only_one(inside):
            return Found(edited.place(chosen.first, chosen.stop), TEXT_TIER, inside=chosen.inside)
        if found := inside or whole:
            return Lost("ambiguous", _lines_of(found), times=len(found))
        return locate(draft, ladder, old.lines) if old.whole else Lost("not_found")

    def left_outside(self, draft: Draft, block: int, old: OldText) -> bool | None:
        """Whether the text is anywhere but in what a block wrote or kept; None if it is nowhere."""
        edited = self.edited(draft)
        hits = [_inside(edited, at, old) for at in edited.find(old.text, HITS_LIMIT)]
        places = (edited.place(hit.first, hit.stop) for hit in hits)
        return any(block not in place.blocks for place in places) if hits else None


def _whole_lines(edited: EditedText, old: OldText) -> Iterator[_Occurrence]:
    if not old.whole:
        return
    for first in edited.find_lines(old.lines, HITS_LIMIT + 1):
        stop = first + len(old.lines)
        yield _Occurrence(first, stop, edited.origin(first, stop))


def _inside(edited: EditedText, at: int, old: OldText) -> _Occurrence:
    """The lines that a text found at an offset lies in; a line end that both sides have is no part of it."""
    end = at + len(old.text) - old.ended
    first, last = edited.line_at(at), edited.line_at(end)
    start, stop = edited.start_of(first), edited.text.index("\n", min(end, len(edited.text) - 1))
    inside = Inside(edited.text[start:at], edited.text[end:stop], to_end=end == len(edited.text))
    return _Occurrence(first, last + 1, edited.origin(first, last + 1), inside)


def _only_one(hits: Sequence[_Occurrence]) -> _Occurrence | None:
    """The only hit in the original, or, where there is none, the only one in what blocks wrote."""
    original = [hit for hit in hits if hit.origin is not None]
    among = original or hits
    return among[0] if len(among) == 1 else None


def _lines_of(hits: Sequence[_Occurrence]) -> tuple[int, ...]:
    """Lines of the original where all hits are there, else of the edited text."""
    origins = [hit.origin for hit in hits if hit.origin is not None]
    return tuple(origins) if len(origins) == len(hits) else tuple(hit.first for hit in hits)
