r"""A turn in Markdown: SEARCH/REPLACE blocks in fences, each with the name of its file near it.

Whole lines are read; where the reader is decides what a line means::

                    opener            fence                   closer    other line
    outside         begin, in block   open or close a fence   .         .
    between blocks  in block          close the fence, end    .         .          (an edit without a fence: end)
    in block        in block          in doubt                between   text

An opener outside starts an edit; one between blocks goes on with it, if no other name stands before it. The edit ends
with its fence, and without a fence at the first line after a block that is neither blank nor an opener. Its text is
the lines of its blocks; what stands between them is left out. Blocks are told by the grammar of ``safe``, whose reader
gets them: only lines at the opener's indent are markers inside.

The name is looked for inside the fence, in its info string, and above it, in the ``LOOK_BEHIND`` lines before each; of
these, the last that is neither blank nor a fence counts (``file_names``). Without a name it is the file of the edit
before.

**In doubt.** A fence inside a block is content, as a Markdown file has them. But a model may forget the closer, and
then the fence's end, and the next file's edit, must not become part of the block. Now a further opener ends the block
in any reading. So a bare fence at the indent of the block's own that could close it, and that closes no fence with an
info string which the block itself opened, is held with the lines after it. If an opener comes first, and the lines
before it lead there from the fence (there is a fence between, or a name), or if the turn ends with blank lines alone
after the fence, the edit ended before it, and what was held is read again as outside. If a closer, the divider, or
another opener comes first, or more than ``HELD_LINES``, all that was held is text. An opener in an open block with a
fence before it that has a name begins the edit of that file, also where nothing is held any more; the block that was
left open then holds a fence, which its reader refuses. An opener alone is the next block of the same file.

Of an unfinished line inside a block, nothing is given while it may still be an opener or a fence, or is white space or
marker characters alone; all other text is given as it arrives. So what is held is a line, the look-behind, and the
lines in doubt. A line that is longer than ``LINE_LIMIT`` is never held, and is no more than text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from editstream.operators.dialect import SAFE
from editstream.operators.events import End, Reason
from editstream.operators.machine import Unfinished, as_operator
from editstream.operators.messages import clipped, printable

from .deltas import Delta, Text
from .fences import Fence, Fences, fence_in
from .file_edits import EditBegan, EditEnded, EditText, FormatEvent, Misread
from .file_names import LINE_LIMIT, Known
from .lines_before import LOOK_BEHIND, around_fence, lead_into_fence, lead_to_name, name_before

if TYPE_CHECKING:
    from reactivex import Observable

EDIT_LIMIT = 2_000
"""Edits of a turn, and openers that are none. A model's longest turn has room for few more."""

HELD_LINES = 12
"""Lines held while it is in doubt whether a fence is content: from one edit's end to the next edit's opener there are
a few lines of prose, a name and a fence."""

MARKER_LIMIT = 1_000
"""Code points of a marker or a fence with its line end; real ones have some twenty."""

_STARTS = frozenset("-<=+>`~")
_NEAR_OPENER = re.compile(r"\s*(?:<{3,}\s*(?i:search)\b.*|-{3,}\s*SEARCH[>:.]*)\s*")
_SEARCH = r"(?:S(?:E(?:A(?:R(?:C(?:H(?:>?\s*)?)?)?)?)?)?)?"
_WAITS = re.compile(rf"\s*|[ \t]*(?:(?:-+|<+)|(?:-{{3,}}|<{{3,}}) {_SEARCH}|=+\s*|\++|>+|`+[ \t\r]*|~+[ \t\r]*)")

_NO_NAME = (
    "These blocks were not applied: there is no file name. "
    "Put it on the line before the fence, alone, as in src/main.py, and send them again."
)
_TOO_MANY = f"The rest was not read: a turn has at most {EDIT_LIMIT:,} edits. Send the rest in another turn."

_LONG_LINE = "(a long line)\n"

_Token = Literal["opener", "divider", "closer", "fence", "text"]


@dataclass(slots=True)
class _Block:
    """The block that is open. ``inner`` is the fence with an info string that its own text opened."""

    indent: str
    rule: int
    fence: Fence | None
    divided: bool = False
    inner: Fence | None = None


class Markdown:
    """The machine of Markdown turns. ``known`` says whether a path is a file of the chat; such names are preferred."""

    def __init__(self, known: Known | None = None) -> None:
        self._known = known
        self._given: list[FormatEvent] = []
        self._new: list[str] = []  # text of the edit that is open, not given yet
        self._pieces: list[str] = []  # of the unfinished line
        self._size = 0
        self._passing = False  # the unfinished line is text, and was given as far as it came
        self._fences = Fences()
        self._recent = deque[str](maxlen=LOOK_BEHIND)
        self._edits = 0
        self._misread = 0
        self._edit: int | None = None
        self._path: str | None = None
        self._fence: Fence | None = None  # that the open edit is in
        self._block: _Block | None = None
        self._held: list[str] = []
        self._stopped = False

    def feed(self, delta: Delta) -> Iterable[FormatEvent]:
        """Take a piece of the turn; give what it adds to its edits."""
        if isinstance(delta, Text) and not self._stopped:
            self._read(delta.text)
        return self._take()

    def peek(self, unfinished: Unfinished[FormatEvent]) -> Unfinished[FormatEvent]:
        """Pass on what another stage left unfinished: here all that is given is final."""
        return unfinished

    def close(self, reason: Reason) -> Iterable[FormatEvent]:
        """End the turn. What the last line and the lines in doubt mean is known if it is complete, and only then."""
        if reason == "complete":
            if self._size:
                self._end_line("")
            self._end_doubt()
        is_whole = self._fence is None and self._block is None
        self._end_edit("complete" if is_whole else reason)
        return (*self._take(), End(reason))

    def _take(self) -> Iterable[FormatEvent]:
        self._flush()
        given, self._given = self._given, []
        return given

    def _flush(self) -> None:
        if self._new and self._edit is not None:
            self._given.append(EditText(self._edit, "".join(self._new)))
        self._new.clear()

    # Lines ------------------------------------------------------------------------------------------------------------

    def _read(self, text: str) -> None:
        start, end = 0, text.find("\n")
        while end >= 0 and not self._stopped:
            if self._size:
                self._grow(text[start:end])
                self._end_line("\n")
            else:
                self._line(text[start : end + 1])
            start, end = end + 1, text.find("\n", end + 1)
        if start < len(text):
            self._grow(text[start:])

    def _grow(self, piece: str) -> None:
        """Take more of the unfinished line, and give it if it can only be text."""
        self._size += len(piece)
        is_long = self._size > LINE_LIMIT
        if self._passing:
            self._new.append(piece)
        elif self._block is not None:
            self._grow_unsure(piece, is_long=is_long)
            return
        if is_long:
            self._pieces.clear()
        else:
            self._pieces.append(piece)

    def _grow_unsure(self, piece: str, *, is_long: bool) -> None:
        self._pieces.append(piece)
        if is_long:
            self._release()
        if self._held or (self._size <= MARKER_LIMIT and _WAITS.fullmatch("".join(self._pieces))):
            return
        self._passing = True
        self._new.extend(self._pieces)
        if is_long:
            self._pieces.clear()

    def _end_line(self, line_end: str) -> None:
        if self._size > LINE_LIMIT:
            self._long_line("", line_end)
        else:
            line = "".join(self._pieces) + line_end
            self._short_line(line, len(line) - len(line_end) if self._passing else 0)
        self._pieces.clear()
        self._size, self._passing = 0, False

    def _line(self, line: str) -> None:
        if len(line) > LINE_LIMIT + 1:
            self._long_line(line[:-1], "\n")
        else:
            self._short_line(line, 0)

    def _long_line(self, text: str, line_end: str) -> None:
        if self._block is None:
            self._outside(_LONG_LINE)
            return
        self._release()
        self._new.extend((text, line_end))
        self._recent.append(_LONG_LINE)

    def _short_line(self, line: str, given: int) -> None:
        if self._block is None:
            self._outside(line)
        elif self._held:
            self._in_doubt(self._block, line)
        else:
            self._inside(self._block, line, given)

    def _token(self, line: str, block: _Block) -> _Token:
        bare = line.lstrip(" \t")
        if bare[:1] not in _STARTS or len(line) > MARKER_LIMIT:
            return "text"
        if fence_in(line):
            return "fence"
        if line[: len(line) - len(bare)] != block.indent:
            return "text"
        if SAFE.grammar.opener.fullmatch(line):
            return "opener"
        if SAFE.grammar.closer.fullmatch(line):
            return "closer"
        divider = None if block.divided else SAFE.grammar.divider.fullmatch(line)
        return "divider" if divider and len(divider["rule"]) == block.rule else "text"

    # Inside a block ---------------------------------------------------------------------------------------------------

    def _inside(self, block: _Block, line: str, given: int = 0) -> None:
        token = self._token(line, block)
        if token == "opener":
            self._opener_inside(block, line)
            return
        if token == "fence" and self._may_end(block, line):
            self._held.append(line)
            return
        self._text(block, line, given)
        if token == "divider":
            block.divided, block.inner = True, None
        elif token == "closer":
            self._block = None
            self._recent.clear()

    def _text(self, block: _Block, line: str, given: int = 0) -> None:
        self._new.append(line[given:])
        self._recent.append(line)
        if fence := fence_in(line):
            if block.inner and fence.closes(block.inner):
                block.inner = None
            elif fence.info and block.inner is None:
                block.inner = fence

    @staticmethod
    def _may_end(block: _Block, line: str) -> bool:
        """Whether a fence could be the end of the edit."""
        fence = fence_in(line)
        if fence is None or block.fence is None or block.inner is not None:
            return False
        return fence.closes(block.fence) and fence.indent == block.fence.indent

    def _opener_inside(self, block: _Block, line: str) -> None:
        """A block was not closed: another file's edit follows if a fence and a name stand before its opener."""
        before = list(self._recent)
        above, fence, inside = around_fence(before)
        if fence is None or not name_before(inside, fence, self._known):
            self._new.append(line)
            self._begin_block(line, block.fence)
            return
        self._leave_block()
        self._recent.extend(above)
        self._read_outside([*before[len(above) :], line])

    def _leave_block(self) -> None:
        """The edit ended, though its block was not closed."""
        self._block = None
        self._recent.clear()
        self._fences.leave()
        self._end_edit("complete")

    # In doubt ---------------------------------------------------------------------------------------------------------

    def _in_doubt(self, block: _Block, line: str) -> None:
        token = self._token(line, block)
        end = self._end_before_opener(block) if token == "opener" else None
        if end is not None:
            self._cut(block, end, line)
        elif token in ("opener", "closer", "divider"):
            self._release()
            self._inside(block, line)
        else:
            self._held.append(line)
            if len(self._held) > HELD_LINES:
                self._doubt_anew(block)

    def _release(self) -> None:
        """All that is held is text."""
        held, self._held = self._held, []
        if self._block is not None:
            for line in held:
                self._text(self._block, line)

    def _doubt_anew(self, block: _Block) -> None:
        """The first line that is held is text; another fence after it may be the end."""
        first, *rest = self._held
        self._held = []
        self._text(block, first)
        for line in rest:
            if self._held:
                self._held.append(line)
            else:
                self._inside(block, line)

    def _ends(self, block: _Block) -> list[int]:
        return [at for at, line in enumerate(self._held) if self._may_end(block, line)]

    def _end_before_opener(self, block: _Block) -> int | None:
        """Which fence is the end: the last one from which the lines lead to another edit."""
        for leads in (lead_into_fence, lead_to_name):
            for end in reversed(self._ends(block)):
                if leads(self._held[end + 1 :], self._known):
                    return end
        return None

    def _cut(self, block: _Block, end: int, line: str) -> None:
        """The edit ended before a line that is held; those after it, and then another line, are outside."""
        held, self._held = self._held, []
        for text in held[:end]:
            self._text(block, text)
        self._leave_block()
        self._read_outside([*held[end + 1 :], line])

    def _end_doubt(self) -> None:
        """The turn is complete, and the block open."""
        block = self._block
        if block is None or not self._held:
            return
        end = self._ends(block)[-1]
        if any(line.strip() for line in self._held[end + 1 :]):
            self._release()
        else:
            self._cut(block, end, "\n")

    # Outside ----------------------------------------------------------------------------------------------------------

    def _read_outside(self, lines: list[str]) -> None:
        for line in lines:
            self._outside(line)

    def _outside(self, line: str) -> None:
        if self._stopped:
            return
        starts = line.lstrip()[:1] in _STARTS and len(line) <= MARKER_LIMIT
        if starts and SAFE.grammar.opener.fullmatch(line):
            self._open(line)
            return
        if self._edit is not None and self._fence is None and line.strip():
            self._end_edit("complete")
        fence = fence_in(line) if starts else None
        if fence is not None:
            self._read_fence(fence, line)
            return
        if starts and _NEAR_OPENER.fullmatch(line):
            shown = printable(clipped(line.strip()))
            self._say(f"The line {shown} is no marker: put <<<<<<< SEARCH alone on its line and send the block again.")
        self._recent.append(line)

    def _read_fence(self, fence: Fence, line: str) -> None:
        if self._edit is not None and self._fence is not None:
            if not fence.closes(self._fence):
                self._fences.leave()  # its end was forgotten
            self._end_edit("complete")
        if self._fences.read(fence):
            fence.above = tuple(self._recent)
            self._recent.clear()
        else:
            self._recent.append(line)

    def _open(self, line: str) -> None:
        """An opener: go on with the edit, or begin another."""
        fence = self._fences.innermost
        new_fence = fence if fence and not fence.used else None
        name = name_before(list(self._recent), new_fence, self._known)
        if self._edit is None or name not in (None, self._path):
            self._end_edit("complete")
            self._begin_edit(name, fence)
        if self._stopped:
            return
        if fence:
            fence.used = True
        self._new.append(line)
        self._begin_block(line, fence)

    def _begin_edit(self, name: str | None, fence: Fence | None) -> None:
        path = name or self._path
        if path is None:
            if fence is None or not fence.used:
                self._say(_NO_NAME)
        elif self._edits == EDIT_LIMIT:
            self._given.append(Misread(_TOO_MANY))
            self._stopped = True
        else:
            self._edit, self._path, self._fence = self._edits, path, fence
            self._edits += 1
            self._given.append(EditBegan(self._edit, path, "blocks"))

    def _begin_block(self, line: str, fence: Fence | None) -> None:
        opener = SAFE.grammar.opener.fullmatch(line)
        if opener is not None:
            self._block = _Block(opener["indent"], len(opener["rule"]), fence)
        self._recent.clear()

    def _end_edit(self, reason: Reason) -> None:
        self._flush()
        if self._edit is not None:
            self._given.append(EditEnded(self._edit, reason))
        self._edit, self._fence = None, None

    def _say(self, message: str) -> None:
        self._misread += 1
        if self._misread <= EDIT_LIMIT:
            self._flush()
            self._given.append(Misread(message))


def markdown(known: Known | None = None) -> Callable[[Observable[Delta]], Observable[FormatEvent]]:
    """Operator: a turn in Markdown to edits of single files.

    ::

        --Text("a.py\\n```\\n<<<<<<< SEARCH\\n")------------Text("x = 1\\n")-----Text("…```\\n")---|
        --EditBegan("a.py")-EditText("<<<<<<< SEARCH\\n")---EditText("x = 1\\n")-EditEnded-------End|
    """
    return as_operator(lambda: Markdown(known))
