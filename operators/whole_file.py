"""A whole file, written anew: lines to edits of the old content.

The new text is one block. While it streams, a cursor goes down the old lines. A new line that is the old one at the
cursor is kept, and the cursor moves on; any other begins a run of new lines, which stand before the old lines that are
not reached yet: nothing goes before it is known to be gone. The run ends at a line that is in the file at or after the
cursor, and tells something: not blank, and at most ``NEAR`` lines on; or further on, once in the file, and after the
same line there as here. Then the run takes the place of the old lines that were passed over. After ``RUNS_LIMIT`` runs
the next one stays open, so that what each run costs is bounded. A line is looked at once, and a line's fate depends on
those before it alone. All lines are kept to the end: ``STREAM_LIMIT`` and ``LINES_LIMIT`` bound them.

At the end all new lines are aligned with all old ones, so that the edits are small, whatever was shown on the way (the
alignment takes at most some 50 µs a line, where nothing but its tables helps). Then:

- A kept line keeps its bytes, and a new one gets its line end as in a block (``draft``). A ``\\r`` before the model's
  ``\\n`` says nothing, but in a new or empty file, where lines are as they were sent.
- A byte order mark stays, and is not written twice.
- A final line end is written if the model wrote it. If it did not, which models forget, the file keeps the one it has;
  one without, or a new one, ends as the text does.
- A cut-off text is never applied: its block is rejected as ``truncated``.

A fence around all of the text is not content. It opens in the first line, and its closer is the last line that is not
blank, with none before it; an inner fence with an info string (or, bare, an indent) opens a level that a bare one
closes. In a Markdown file the info string must be ``markdown`` or ``md``, since a fence may be all that the file holds.
The opener, and a line that may be the closer, are held back; where text follows the closer, all that was shown is taken
back and shown with its fences.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from .alignment import align
from .document import BOM, LINES_LIMIT, Document
from .draft import Draft, Written, compose, splice_of
from .events import (
    Arrangement,
    Block,
    BlockChanged,
    BlockStatus,
    End,
    Line,
    LineFinisher,
    Reason,
    Relocated,
    ReplaceTail,
    Splice,
    Tail,
    TooLarge,
    ViewEvent,
    ViewTailEvent,
    Writing,
    Wrote,
)
from .folds import is_blank
from .machine import NOTHING, Unfinished, as_operator
from .messages import problem

if TYPE_CHECKING:
    from reactivex import Observable

NEAR = 3
"""Lines after the cursor among which any line that is not blank ends a run. A ``}`` further on may be another one."""

RUNS_LIMIT = 1_000
"""Runs that are shown each in its place. Each makes every later snapshot a little larger."""

LONGEST_FENCE = 256
"""Code points of a line that may be a fence: a longer one is content, and is not held back."""

_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<rule>`{3,}|~{3,})(?P<info>[^`]*)")
_PERHAPS_A_FENCE = re.compile(r"`{1,2}|~{1,2}")
_OF_MARKDOWN = frozenset({"markdown", "md"})
_WHY = {"truncated": "the stream was cut off", "cancelled": "the stream was cancelled"}


class WholeFile:
    """The machine that turns the lines of a new text into edits of a document.

    ``markdown`` says that the file is a Markdown file, where a fence is more often content.
    """

    def __init__(self, document: Document, *, markdown: bool = False) -> None:
        self._document = document
        self._fence = _Fence(markdown=markdown)
        self._live = _Live(document)
        self._lines: list[str] = []
        self._ended = False
        self._begun = False
        self._stopped = document.too_large is not None

    def feed(self, item: Line | TooLarge) -> Iterator[ViewEvent]:
        """Take a line; give what it means for the file."""
        if self._stopped:
            return
        if len(self._lines) >= LINES_LIMIT and isinstance(item, Line) and (item.text or item.ended):
            item = TooLarge(item.number, f"the edit has more than {LINES_LIMIT:,} lines.")
        if isinstance(item, TooLarge):
            self._stopped = True
            yield item
            yield BlockChanged(Block(0, 1, "rejected"))
            return
        yield from self._begin()
        yield from self._line(item)

    def peek(self, unfinished: Unfinished[Tail]) -> Unfinished[ViewTailEvent]:
        """Say what the unfinished line would mean: nothing, while it may be a fence."""
        if self._stopped or not unfinished or not unfinished[0].size or self._fence.holds(unfinished[0]):
            return NOTHING
        shown = ReplaceTail(unfinished[0])
        return Unfinished((shown,) if self._begun else (*self._beginning(), shown))

    def close(self, reason: Reason) -> Iterator[ViewEvent]:
        """Settle the block: applied only if the text is whole."""
        if not self._stopped:
            yield from self._begin()
            yield from self._settled() if reason == "complete" else self._rejected(reason)
        yield End(reason)

    # While it streams ------------------------------------------------------------------------------------------------

    def _begin(self) -> Iterable[ViewEvent]:
        if self._begun:
            return ()
        self._begun = True
        return self._beginning()

    def _beginning(self) -> tuple[ViewEvent, ...]:
        return self._changed("replacing"), self._live.writing()

    def _line(self, line: Line) -> Iterator[ViewEvent]:
        text = self._cleaned(line)
        self._ended = line.ended or not text
        if not text and not line.ended:
            return  # the stream ended with a line end: there is no further line
        self._lines.append(text)
        meant = self._fence.take(text)
        if meant == "content":
            yield self._live.line(text)
        elif meant == "all content":
            self._live = _Live(self._document)
            yield Relocated(0)
            yield self._live.writing()
            yield from map(self._live.line, self._lines)

    def _cleaned(self, line: Line) -> str:
        """A line without what says nothing: the end of it that is the file's affair, and a mark the file has."""
        text = line.text
        if not self._lines and self._document.start:
            text = text.removeprefix(BOM)
        return text.removesuffix("\r") if line.ended and self._document.lines else text

    def _changed(self, status: BlockStatus) -> BlockChanged:
        document = self._document
        span, lines = (document.start, len(document.text)), (1, len(document.lines) + 1)
        match = None if status == "unchanged" else document.start
        return BlockChanged(Block(0, 1, status, span=span, lines=lines), match=match)

    # At the end ------------------------------------------------------------------------------------------------------

    def _settled(self) -> Iterator[ViewEvent]:
        document = self._document
        if self._fence.is_open:
            yield Relocated(0)
        splice = splice_of(document, 0, len(document.lines), self._written(), 0)
        yield Arrangement((splice,) if splice.runs else ())
        yield self._changed("applied" if splice.runs else "unchanged")

    def _rejected(self, reason: Reason) -> Iterator[ViewEvent]:
        said = problem("truncated", f"{_WHY[reason]} before the file was whole.", block=0, line=1)
        yield BlockChanged(Block(0, 1, "rejected"), said)

    def _written(self) -> tuple[Written, ...]:
        """The lines of the new file."""
        document, content = self._document, self._fence.content(self._lines)
        place = Draft(document).place_in_original(0, len(document.lines))
        lines = compose(place, align(document.lines, content), content, 0)
        if not lines:
            return ()
        *before, last = lines
        if self._ended or len(content) < len(self._lines):
            end = last.end or (before[-1].end if before else "\n")
        else:
            end = last.end if document.lines else ""
        return (*before, replace(last, end=end))


class _Live:
    """The new lines as they are shown while they come: the cursor in the old lines, and the runs before it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._cursor = 0
        self._run: list[str] = []
        self._last: str | None = None
        self._splices: tuple[Splice, ...] = ()
        self._finish = self._finisher()

    def line(self, text: str) -> Writing | Wrote:
        """Take a new line, and give what shows it."""
        shown = self._shown(text)
        self._last = text
        return shown

    def _shown(self, text: str) -> Writing | Wrote:
        old = self._document.lines
        if not self._run and self._cursor < len(old) and text == old[self._cursor]:
            return self._kept(self._cursor)
        if (place := self._reached(text)) is not None:
            self._end_run(place)
            return self._kept(place)
        if not self._run:
            self._finish = replace(self._finish, old="")
        self._run.append(text)
        return Wrote(text + self._finish.end, self._finish)

    def writing(self) -> Writing:
        """What comes next goes before the line at the cursor."""
        document, cursor = self._document, self._cursor
        at = document.offset(cursor)
        # What follows the file's last line gives it the line end that it had not.
        bare = 0 < cursor == len(document.lines) and not document.end(cursor - 1)
        head = self._finish.end if bare else ""
        return Writing(0, at, at, Arrangement(self._splices), self._finish, head=head)

    def _kept(self, place: int) -> Writing:
        self._cursor = place + 1
        self._finish = self._finisher()
        return self.writing()

    def _reached(self, text: str) -> int | None:
        """The old line, from 0, that this new one ends a run at."""
        if len(self._splices) >= RUNS_LIMIT or is_blank(text):
            return None
        places = self._document.index().places(text)
        nth = bisect_left(places, self._cursor)
        if nth == len(places):
            return None
        place = places[nth]
        if place - self._cursor <= NEAR:
            return place
        return place if len(places) == 1 and self._last == self._document.lines[place - 1] else None

    def _end_run(self, place: int) -> None:
        """Put the run in the place of the old lines before this one, but for those that it ends with too."""
        document, run = self._document, self._run
        while run and place > self._cursor and run[-1] == document.lines[place - 1]:
            run.pop()
            place -= 1
        start, end = document.offset(self._cursor), document.offset(place)
        text = "".join([line + self._finish.end for line in run])
        self._splices += (Splice(start, end, text, 0, ((start, end, text),)),)
        self._run = []

    def _finisher(self) -> _Finisher:
        document, cursor = self._document, self._cursor
        count = len(document.lines)
        ends = (document.end(line) for line in (cursor - 1, cursor - 2, cursor) if 0 <= line < count)
        end = next(filter(None, ends), "\n")
        return _Finisher(end, document.lines[cursor] if cursor < count else "", bool(count))


@dataclass(frozen=True, slots=True)
class _Finisher(LineFinisher):
    """Shows an unfinished line with the line end it would get, but while it may become the ``old`` line below it."""

    end: str
    old: str
    cleans: bool

    def __call__(self, text: str) -> str:
        """The unfinished line as it would stand in the file."""
        text = text.removesuffix("\r") if self.cleans else text
        return "" if self.old.startswith(text) else text + self.end


class _Fence:
    """Whether a fence stands around all lines, told line by line."""

    def __init__(self, *, markdown: bool) -> None:
        self._markdown = markdown
        self._state: Literal["first line", "none", "inside", "closed"] = "first line"
        self._levels: list[str] = []
        self._count = 0

    @property
    def is_open(self) -> bool:
        """Whether it was opened, and is not closed."""
        return self._state == "inside"

    def content(self, lines: Sequence[str]) -> Sequence[str]:
        """The lines that are content, now that all have come."""
        return lines[1 : self._count] if self._state == "closed" else lines

    def take(self, line: str) -> Literal["content", "held", "all content"]:
        """Say what a line is; ``all content`` says it of those before it too."""
        match self._state:
            case "first line":
                self._state = "inside" if self._opens(line) else "none"
                return "held" if self.is_open else "content"
            case "inside":
                self._count += 1
                self._nest(line)
                self._state = "inside" if self._levels else "closed"
                return "content" if self._levels else "held"
            case "closed" if not line.strip():
                return "held"
            case "closed":
                self._state = "none"
                return "all content"
            case _:
                return "content"

    def holds(self, tail: Tail) -> bool:
        """Whether an unfinished line may still be a fence around all, or stands where nothing but blanks may."""
        if self._state == "closed":
            return True
        if self._state == "none" or tail.size > LONGEST_FENCE or tail.first not in ("`", "~"):
            return False
        if self._state == "first line":
            return bool(_PERHAPS_A_FENCE.fullmatch(tail.text) or _fence(tail.text))
        return len(self._levels) == 1 and not tail.text.rstrip().strip(self._levels[0][0])

    def _opens(self, line: str) -> bool:
        fence = _fence(line)
        if fence is None or fence["indent"]:
            return False
        if self._markdown and fence["info"].strip().lower() not in _OF_MARKDOWN:
            return False
        self._levels.append(fence["rule"])
        return True

    def _nest(self, line: str) -> None:
        """Go a level deeper, or out of one."""
        fence = _fence(line)
        if fence is None:
            return
        if fence["info"].strip() or (fence["indent"] and len(self._levels) == 1):
            self._levels.append(fence["rule"])
        elif fence["rule"].startswith(self._levels[-1]):
            self._levels.pop()


def _fence(line: str) -> re.Match[str] | None:
    return _FENCE.fullmatch(line) if len(line) <= LONGEST_FENCE else None


def whole_file(
    document: Document, *, markdown: bool = False
) -> Callable[
    [Observable[Line | TooLarge | Unfinished[Tail] | End]], Observable[ViewEvent | Unfinished[ViewTailEvent]]
]:
    """Operator: the lines of a whole new file to edits of the old one.

    ::

        --Line("a")----------Line("B")--End|                  the file: "a", "b"
        --replacing-Writing--Wrote------Arrangement-applied--|
    """
    return as_operator(lambda: WholeFile(document, markdown=markdown))
