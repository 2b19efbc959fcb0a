"""Marker detection: lines to block events, by a dialect's grammar.

Each order of reading is a small table of what a line means in a state (rows: where the reader is, columns: what the
line is; ``.`` passes over).

    lenient (v1)    opener              divider                closer           other line
    outside         open                open, divide           stray            .
    in SEARCH       open (drops it)     divide                 close            search line
    in REPLACE      open (drops it)     divide again           close            replace line

    strict (v2)     opener              divider                closer           other line
    outside         open, if no text    stray                  stray            text, if not blank
    in SEARCH       stray               divide                 stray            search line
    in REPLACE      stray               stray                  close            replace line
    A stray marker ends the reading.

    nested (safe)   opener              divider                closer           other line
    outside         open                .                      stray            stray if nearly a marker
    in SEARCH       close, open         divide, if as long     close            search line
    in REPLACE      close, open         replace line (rule)    close            replace line
    Inside a block, only lines at its indent are markers.

Whether a later divider is the real one depends on what is in the file, so ``nested`` only marks such lines with
``rule`` and leaves the reading to the search stage.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias

from .dialect import Grammar
from .document import trim
from .events import (
    BlockEvent,
    BlockTailEvent,
    Closed,
    Divided,
    End,
    Held,
    Line,
    Opened,
    Reason,
    ReplaceLine,
    ReplaceTail,
    SearchLine,
    SearchTail,
    Stray,
    Tail,
    TailItem,
    TooLarge,
)
from .machine import NOTHING, Unfinished, as_operator
from .partial_markers import LONGEST_MARKER, MARKER_STARTS

if TYPE_CHECKING:
    from reactivex import Observable

BLOCK_LIMIT = 2_000
"""Blocks of one stream, and stray markers. A model's longest turn, 128,000 tokens, has room for few more, and each
makes every later snapshot a little larger."""

NEAR_MARKER = re.compile(r"\s*(?:[-<]{3,}\s*SEARCH|[+>]{3,}\s*REPLACE)\s*[>:.]*", re.IGNORECASE)
"""A line, without white space at its end, that was meant as a marker: never passed over, and no content of a block that
was not closed."""
_CUT_CLOSER = re.compile(r"(?:\+{3,}|>{3,})(?: (?:R(?:E(?:P(?:L(?:A(?:C)?)?)?)?)?)?)?")

Where: TypeAlias = Literal["outside", "search", "replace"]
Token: TypeAlias = Literal["opener", "divider", "closer", "text"]


class Markers:
    """The machine of marker detection, for one grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._where: Where = "outside"
        self._blocks = 0
        self._strays = 0
        self._line = 0
        self._indent = ""
        self._rule = 0
        self._text_between = False
        self._stopped = False

    def feed(self, item: Line | TooLarge) -> Iterable[BlockEvent]:
        """Take a line; give the block events it means."""
        if self._stopped:
            return ()
        if isinstance(item, TooLarge):
            self._stopped = True
            return (item,)
        self._line = item.number
        match self._grammar.order:
            case "lenient":
                return self._lenient(item)
            case "strict":
                return self._strict(item)
            case "nested":
                return self._nested(item)

    def peek(self, unfinished: Unfinished[TailItem]) -> Unfinished[BlockTailEvent]:
        """Say what the unfinished line would mean if it ended here."""
        if not unfinished or self._stopped:
            return NOTHING
        item = unfinished[0]
        if isinstance(item, Tail):
            return self._tail(item)
        if isinstance(item, Held):
            return NOTHING if self._may_become_marker(item.tail.text) else self._tail(item.tail)
        return self._marker_to_be(item)

    def close(self, reason: Reason) -> Iterable[BlockEvent]:
        """Close the block that the stream ends in, if there is one."""
        if self._where != "outside" and not self._stopped:
            yield Closed(self._line, by=reason)
        yield End(reason)

    def _tail(self, tail: Tail) -> Unfinished[BlockTailEvent]:
        if self._where == "replace":
            return Unfinished((ReplaceTail(tail),))
        if self._where == "search":
            return Unfinished((SearchTail(tail),))
        if self._grammar.order == "nested" and self._looks_near(tail):
            return self._marker_to_be(Line(tail.text, tail.number))
        return NOTHING

    def _looks_near(self, tail: Tail) -> bool:
        first = tail.first
        return (
            bool(first)
            and (first in MARKER_STARTS or first.isspace())
            and tail.size <= LONGEST_MARKER
            and NEAR_MARKER.fullmatch(tail.text.rstrip()) is not None
        )

    def _marker_to_be(self, line: Line) -> Unfinished[BlockTailEvent]:
        if self._grammar.order == "nested" and self._where != "outside":
            rule = self._grammar.divider.fullmatch(line.text)
            if rule and rule["indent"] == self._indent and len(rule["rule"]) < self._rule:
                return NOTHING  # it may still grow into the divider
        twin = copy.copy(self)
        events = tuple(twin.feed(line))
        if len(events) == 1 and isinstance(events[0], SearchLine | ReplaceLine) and not events[0].rule:
            return self._tail(Tail([line.text], line.number, len(line.text)))
        return Unfinished(events)

    def _may_become_marker(self, text: str) -> bool:
        text = text.removesuffix("\r")
        bare = text.lstrip(" \t")
        if self._where == "outside":
            return True
        return text[: len(text) - len(bare)] == self._indent if bare else self._indent.startswith(text)

    def _token(self, text: str) -> Token:
        if not text or text[0] not in MARKER_STARTS:
            return "text"
        if self._grammar.opener.fullmatch(text):
            return "opener"
        if self._grammar.divider.fullmatch(text):
            return "divider"
        return "closer" if self._grammar.closer.fullmatch(text) else "text"

    def _open(self, line: Line) -> Iterable[BlockEvent]:
        if self._blocks >= BLOCK_LIMIT:
            yield self._too_many(line)
            return
        self._where = "search"
        self._blocks += 1
        yield Opened(self._blocks - 1, line.number, self._indent)

    def _too_many(self, line: Line) -> TooLarge:
        self._stopped = True
        return TooLarge(line.number, f"the edit has more than {BLOCK_LIMIT:,} blocks.")

    def _stray(self, line: Line, message: str) -> Iterable[BlockEvent]:
        self._strays += 1
        yield self._too_many(line) if self._strays > BLOCK_LIMIT else Stray(line.number, message)

    def _content(self, line: Line, text: str, *, rule: bool = False) -> Iterable[BlockEvent]:
        if self._where == "search":
            yield SearchLine(text, line.number, rule)
        elif self._where == "replace":
            yield ReplaceLine(text, line.number, rule)

    # The three orders of reading -------------------------------------------------------------------------------------

    def _lenient(self, line: Line) -> Iterable[BlockEvent]:
        token = self._token(line.text)
        if token == "text":
            yield from self._content(line, line.text)
        elif token == "opener":
            yield from self._open(line)
        elif token == "divider":
            if self._where == "outside":
                yield from self._open(line)
            self._where = "replace"
            yield Divided(line.number, line.text)
        elif self._where == "outside":
            yield from self._stray(line, "a closing marker without a block before it")
        else:
            self._where = "outside"
            yield Closed(line.number)

    def _strict(self, line: Line) -> Iterable[BlockEvent]:
        token = self._token(line.text)
        if token == "text":
            if self._where == "outside":
                self._text_between = self._text_between or bool(trim(line.text))
            yield from self._content(line, line.text)
        elif token == "opener" and self._where == "outside" and not self._text_between:
            yield from self._open(line)
        elif token == "divider" and self._where == "search":
            self._where = "replace"
            yield Divided(line.number, line.text)
        elif token == "closer" and self._where == "replace":
            self._where = "outside"
            yield Closed(line.number)
        else:
            self._stopped = True
            why = "with text before it" if self._text_between else "out of turn"
            yield Stray(line.number, f"the marker {line.text[:80]!r} stands {why}")

    def _nested(self, line: Line) -> Iterable[BlockEvent]:
        text = line.text.removesuffix("\r")
        if not text and not line.ended:
            return  # the stream ended with a line end: there is no further line
        bare = text.lstrip(" \t")
        indent = text[: len(text) - len(bare)]
        if self._where == "outside":
            yield from self._nested_outside(line, text, bare, indent)
            return
        if not bare or bare[0] not in MARKER_STARTS or indent != self._indent:
            yield from self._content(line, text)
        elif not line.ended and _CUT_CLOSER.fullmatch(bare):
            return  # a closer that the end of the stream cut short is no content
        else:
            yield from self._nested_inside(line, text, bare)

    def _nested_outside(self, line: Line, text: str, bare: str, indent: str) -> Iterable[BlockEvent]:
        if not bare or bare.lstrip()[:1] not in MARKER_STARTS:
            return
        if opener := self._grammar.opener.fullmatch(text):
            self._indent, self._rule = indent, len(opener["rule"])
            yield from self._open(line)
        elif self._grammar.closer.fullmatch(text):
            yield from self._stray(line, "a closing marker without a block before it")
        elif NEAR_MARKER.fullmatch(text.rstrip()):
            yield from self._stray(line, f"the line {text.strip()[:80]!r} looks like a marker and is none")

    def _nested_inside(self, line: Line, text: str, bare: str) -> Iterable[BlockEvent]:
        if opener := self._grammar.opener.fullmatch(text):
            self._rule = len(opener["rule"])
            yield Closed(line.number, by="opener")
            yield from self._open(line)
        elif self._grammar.closer.fullmatch(text):
            self._where = "outside"
            yield Closed(line.number)
        elif divider := self._grammar.divider.fullmatch(text):
            as_long = len(divider["rule"]) == self._rule
            if as_long and self._where == "search":
                self._where = "replace"
                yield Divided(line.number, text)
            else:
                yield from self._content(line, text, rule=as_long or self._where == "search")
        else:
            yield from self._content(line, text)


def markers(
    grammar: Grammar,
) -> Callable[
    [Observable[Line | TooLarge | Unfinished[TailItem] | End]], Observable[BlockEvent | Unfinished[BlockTailEvent]]
]:
    """Operator: lines to block events.

    ::

        --Line("--- SEARCH")-Line("a")------Line("===")-Line("b")-------Line("+++ REPLACE")-|
        --Opened-------------SearchLine("a")-Divided-----ReplaceLine("b")-Closed-------------End|
    """
    return as_operator(lambda: Markers(grammar))
