"""Old and new text that are not whole lines: where the old text is, in or across lines, and what takes its place.

Whole lines come first: exactly one place where the old text is some lines of the original, that no block has replaced,
is that place. Then exact text inside lines, which has to be in the text as edited so far only once; or once in the
original, in lines that are still as they were: then the other hits are what blocks wrote, which the model has not seen.
Text that the original does not have may be whole lines of what blocks wrote, if only once. Only if it is nowhere, the
ladder is gone down. Line ends are not compared; but the last line of a file, if it has none, is only then a hit of old
text with a line end if that text is nowhere else.

A text hit is an edit of the lines that it lies in, which become what stands before it, the new text, and what stands
after it; those of them that stay the same keep their bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .document import HITS_LIMIT, Document
from .draft import Draft
from .edited_text import EditedText, JoinedLines
from .placing import Found, Inside, Lost, Several, Verdict, locate
from .tiers import Hit, LineTier, exact

TEXT_TIER = LineTier("text", exact)
"""Names the rule by which text inside lines was found."""


@dataclass(frozen=True, slots=True)
class OldSide:
    """What is looked for: the text, and the same as ``lines``.

    The lines are without a last line end where the new text has one too or is empty. ``whole`` says that it may be
    whole lines, ``ended`` that both texts have a line end at their end.
    """

    text: str
    lines: tuple[str, ...]
    whole: bool = True
    ended: bool = False


def read_sides(old: Sequence[str], new: Sequence[str] | None) -> tuple[OldSide, tuple[str, ...]]:
    """What is looked for and the lines to put there, of the items between the line ends of both texts.

    While the new text is not known, it is taken to end as the old one does.
    """
    text, put = "\n".join(old), tuple(new or ("",))
    if not text:
        return OldSide("", ()), tuple(new or ())
    drops = not old[-1] and (new is None or not put[-1])
    lines = tuple(old[:-1] if drops else old)
    old_text = OldSide(text, lines, whole=drops or bool(old[-1]), ended=drops and (new is None or len(put) > 1))
    return old_text, put[:-1] if drops else put


class TextPlaces:
    """Finds old texts in the file as edited so far; keeps that text for the next one."""

    def __init__(self, document: Document) -> None:
        self._joined = JoinedLines(document)
        self._last: EditedText | None = None

    def edited(self, draft: Draft) -> EditedText:
        """The text of a draft."""
        if self._last is None or self._last.draft is not draft:
            self._last = EditedText(draft, self._joined, self._last)
        return self._last

    def locate(self, draft: Draft, ladder: Sequence[LineTier], old: OldSide) -> Verdict:
        """Where an old text that is not empty goes."""
        edited, size = self.edited(draft), len(old.lines)
        lines = edited.find_lines(old.lines, HITS_LIMIT + 1) if old.whole else []
        texts = edited.find(old.text, HITS_LIMIT + 1)
        if texts and lines and edited.start_of(lines[-1]) + len(old.text) > edited.limit:
            lines.pop()  # the last line, without the line end that the old text has
        if len(lines) > HITS_LIMIT:
            return Lost("ambiguous", many=True)
        kept = [origin for first in lines if (origin := edited.origin(first, first + size)) is not None]
        if len(kept) == 1:
            first = next(first for first in lines if edited.origin(first, first + size) is not None)
            return Found(edited.place(first, first + size), ladder[0])
        if len(kept) > 1 and len(texts) <= len(lines):
            return Several(tuple(Hit(origin, origin + size) for origin in kept), ladder[0], draft)
        if len(texts) > HITS_LIMIT:
            return Lost("ambiguous", many=True)
        places = {*texts, *map(edited.start_of, lines)}
        if not places:
            return locate(draft, ladder, old.lines) if old.whole else Lost("not_found")
        found = None if kept else self._only_one(edited, ladder[0], old, lines, texts)
        return found or Lost("ambiguous", tuple(map(edited.line_at, sorted(places))), times=len(places))

    def _only_one(
        self, edited: EditedText, tier: LineTier, old: OldSide, lines: Sequence[int], texts: Sequence[int]
    ) -> Found | None:
        """The one place that is meant of those of the text, and of whole lines of what blocks wrote."""
        seen = self._joined.count(old.text)
        if len(lines) == 1 and (not seen or not texts or texts == [edited.start_of(lines[0])]):
            return Found(edited.place(lines[0], lines[0] + len(old.lines)), tier)
        meant = texts
        if len(texts) > 1 or lines:
            meant = [at for at in texts if edited.origin(*_lines_of_text(edited, at, old)) is not None]
        if len(meant) != 1 or (meant is not texts and seen != 1):
            return None
        place = edited.place(*_lines_of_text(edited, meant[0], old))
        return Found(place, TEXT_TIER, inside=_inside(edited, meant[0], old))

    def left_outside(self, draft: Draft, block: int, old: OldSide) -> bool | None:
        """Whether the text is anywhere but in what a block wrote or kept; None if it is nowhere."""
        edited = self.edited(draft)
        hits = edited.find(old.text, HITS_LIMIT)
        spans = (_lines_of_text(edited, at, old) for at in hits)
        return any(block not in edited.blocks(*span) for span in spans) if hits else None


def _lines_of_text(edited: EditedText, at: int, old: OldSide) -> tuple[int, int]:
    """The lines that a text found at an offset lies in; a line end that both sides have is no part of it."""
    return edited.line_at(at), edited.line_at(at + len(old.text) - old.ended) + 1


def _inside(edited: EditedText, at: int, old: OldSide) -> Inside:
    """What stands around a text found at an offset, in the lines that it lies in."""
    end = at + len(old.text) - old.ended
    start, stop = edited.text.rindex("\n", 0, at) + 1, edited.text.index("\n", min(end, len(edited.text) - 1))
    return Inside(edited.text[start:at], edited.text[end:stop], to_end=end == len(edited.text))
