r"""Cline's tools as XML in a model's text: ``<replace_in_file>`` and ``<write_to_file>``, with prose around them.

::

    <replace_in_file>            <write_to_file>
    <path>src/a.py</path>        <path>src/a.py</path>
    <diff>                       <content>
    ------- SEARCH …             the whole file
    </diff>                      </content>
    </replace_in_file>           </write_to_file>

``<apply_diff>``, as Roo has it, is read as ``<replace_in_file>``. It looks like XML and is none: nothing is escaped,
a file's text may hold any tag, and where it ends has to be decided while it streams::

    line_start -tool's tag-> between -<path>-> path_text -</path>-> between
     |      ^                 |   ^-----<line_count>-> passed_over ---'
     v      |                 +-<diff>-> line_end -> text -</diff>-> after_text -next tag-> between
    rest_of_line              |                       ^-- anything else --'
                              +-tool's close tag-> line_start

- A tool's tag counts at the beginning of a line, after white space or nothing, and right after the close tag of another
  tool. Elsewhere it is prose, and so are tools that are not known here.
- ``<thinking>`` counts in the same places; up to ``</thinking>``, or else to the end of the turn, nothing is a tool.
- Inside a tool its parameters come in any order, and what is between them is passed over, tags of tools as well. So are
  ``<line_count>`` and ``<task_progress>``. An edit begins when its path is known and its text has begun; text that
  comes before the path waits.
- The close tag of a text counts only if, after white space, the tag of another parameter or the close tag of the tool
  follows. Otherwise it was text: a file that shows ``</content>`` is written whole. A text with the very sequence, say
  ``</content>``, line end, ``</write_to_file>``, ends at its first; no reader that does not wait for the end of the
  turn could tell, and one that does would take two tools for one.
- The line end right after the opening tag, LF or CRLF, is the tag's. The one before the close tag is the text's. Cline
  drops both, and a file loses its last line end; here, ``<content>a</content>`` is how a file without one is written.
- A path is what stands between its tags without white space around it; entities in it stay as they are.
- A tool that lacks its path or its text at its close tag, has one of them twice, or a path that is none, is not to be
  trusted: a ``Misread``, or the edit's ``EditEnded`` with a fault if it has begun. The rest of the tool is passed over.

A turn that ends inside a tool ends the edit. If its text was closed, and only the tool was not, the reason is that of
the turn; if not, it is never ``complete``, whatever the turn says, for half a file must not be written. What might have
become the close tag is then dropped. A tool whose edit has not begun is a ``Misread`` with such a reason.

Only that is held back: the beginning of a tag that would count, or a close tag with the white space after it. All else
is given as it comes, as slices, and what came before is not read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from editstream.operators.events import End, Reason
from editstream.operators.formats.deltas import Delta, Text
from editstream.operators.formats.file_edits import EditBegan, EditEnded, EditText, FormatEvent, Kind, Misread
from editstream.operators.lines import STREAM_LIMIT
from editstream.operators.machine import Unfinished, as_operator

if TYPE_CHECKING:
    from reactivex import Observable

TOOL_LIMIT = 2_000
"""Tools of one turn. A model's longest turn has room for few more, and each is a file to be opened."""

PATH_LIMIT = 4_096
"""Code points between ``<path>`` and ``</path>``: what Linux takes for a path."""

SPACE_LIMIT = 1_000
"""Code points of white space between the close tag of a text and the next tag; with more, it was no close tag."""

_SPACE = re.compile(r"[ \t\r\n]*")
_NO_PATH = re.compile(r"[\r\n\0]")

_TEXTS: dict[str, tuple[str, Kind]] = {
    "<replace_in_file>": ("<diff>", "blocks"),
    "<apply_diff>": ("<diff>", "blocks"),
    "<write_to_file>": ("<content>", "content"),
}
_THINKING = "<thinking>"
_IN_PROSE = (*_TEXTS, _THINKING)
_PASSED_OVER = ("<line_count>", "<task_progress>")
_LONGEST = len("</replace_in_file>")


class ClineXml:
    """The machine that reads Cline's tools in the text of a turn; it has no use for tool calls."""

    def __init__(self) -> None:
        # Reads on at an offset of the text, before its end, and gives the next one: the same if it needs more text.
        self._state: Callable[[str, int], int] = self._line_start
        self._held = ""
        self._given: list[FormatEvent] = []
        self._tool: _Tool | None = None
        self._tools = 0
        self._edits = 0

    def feed(self, delta: Delta) -> Sequence[FormatEvent]:
        """Take a delta; give what its text adds to the edits."""
        if not isinstance(delta, Text):
            return ()
        text = self._held + delta.text
        at, size = 0, len(text)
        while at < size and (following := self._read(text, at)) != at:
            at = following
        self._held = text[at:]
        given = tuple(self._given)
        self._given.clear()
        return given

    def peek(self, unfinished: Unfinished[FormatEvent]) -> Unfinished[FormatEvent]:
        """Pass on what another stage left unfinished: here all that is given is final."""
        return unfinished

    def close(self, reason: Reason) -> Iterable[FormatEvent]:
        """End the edit that is open, then give the end."""
        return (*(self._tool.cut_off(reason) if self._tool else ()), End(reason))

    def _read(self, text: str, at: int) -> int:
        tool = self._tool
        if tool is None:
            return self._state(text, at)
        at = tool.state(text, at)
        if tool.over:
            self._edits += tool.began
            self._tool, self._state = None, self._line_start
        return at

    def _line_start(self, text: str, at: int) -> int:
        if (end := _space_end(text, at)) > at:
            return end
        tag = _tag_at(text, at, _IN_PROSE)
        if tag is None:
            return at
        if not tag:
            self._state = self._rest_of_line
            return self._rest_of_line(text, at)
        if tag == _THINKING:
            self._state = self._thinking
        else:
            self._open(tag)
        return at + len(tag)

    def _rest_of_line(self, text: str, at: int) -> int:
        end = text.find("\n", at)
        if end < 0:
            return len(text)
        self._state = self._line_start
        return end + 1

    def _thinking(self, text: str, at: int) -> int:
        end, after = _until(_close_tag(_THINKING), text, at)
        if after > end:
            self._state = self._line_start
        return after

    def _rest_of_turn(self, text: str, at: int) -> int:
        return len(text)

    def _open(self, tag: str) -> None:
        self._tools += 1
        if self._tools <= TOOL_LIMIT:
            self._tool = _Tool(tag, self._edits, self._given)
            return
        message = f"The turn has more than {TOOL_LIMIT:,} edits; the rest was not read. Send it in another turn."
        self._given.append(Misread(message))
        self._state = self._rest_of_turn


class _Tool:
    """What reads a tool from its tag to its close tag, and what is known of it. ``edit`` is the number it would get."""

    def __init__(self, tag: str, edit: int, given: list[FormatEvent]) -> None:
        self.state: Callable[[str, int], int] = self._between
        self.began = False  # its edit has
        self.over = False
        self._given = given
        self._edit = edit
        self._refused = False
        self._tag = tag
        self._kind: Kind
        self._text_tag, self._kind = _TEXTS[tag]
        self._close = _close_tag(tag)
        self._after_text_tags = ("<path>", *_PASSED_OVER, self._close)
        self._tags = (self._text_tag, *self._after_text_tags)
        self._seen: set[str] = set()
        self._awaited = ""  # the close tag of the parameter that is read
        self._raw_path = ""
        self._path: str | None = None
        self._closing = ""  # a close tag of the text that may count, with the white space after it
        self._whole = False  # the text is
        # Text that waits for the path, as UTF-8: of small pieces, a list would take many times their size.
        self._waiting = bytearray()
        self._waiting_size = 0  # in code points

    def cut_off(self, reason: Reason) -> Iterable[FormatEvent]:
        """What is to be said of a turn that ends in the tool."""
        if self._refused:
            return ()
        cut: Reason = "truncated" if reason == "complete" else reason
        if self.began:
            return (EditEnded(self._edit, reason if self._whole or self._closing else cut),)
        return (Misread(f"{self._tag} is cut off: {self._lacks}. {self._advice}", reason=cut),)

    # States -----------------------------------------------------------------------------------------------------------

    def _between(self, text: str, at: int) -> int:
        start = text.find("<", at)
        if start < 0:
            return len(text)
        tag = _tag_at(text, start, self._tags)
        if tag is None:
            return start
        if not tag:
            return start + 1
        if tag == self._close:
            self._finish()
        else:
            self._enter(tag)
        return start + len(tag)

    def _path_text(self, text: str, at: int) -> int:
        end, after = _until(self._awaited, text, at)
        self._raw_path = (self._raw_path + text[at:end])[: PATH_LIMIT + 1]
        if after > end:
            self._name_file()
            self.state = self._between
        return after

    def _passed_over(self, text: str, at: int) -> int:
        end, after = _until(self._awaited, text, at)
        if after > end:
            self.state = self._between
        return after

    def _line_end(self, text: str, at: int) -> int:
        if text.startswith("\r", at) and at + 1 == len(text):
            return at
        self.state = self._text
        size = 2 if text.startswith("\r\n", at) else text.startswith("\n", at)
        return self._text(text, at + size)

    def _text(self, text: str, at: int) -> int:
        end, after = _until(self._awaited, text, at)
        self._say(text[at:end])
        if after > end:
            self._closing = self._awaited
            self.state = self._after_text
        return after

    def _after_text(self, text: str, at: int) -> int:
        if (end := _space_end(text, at)) > at:
            self._closing += text[at:end]
            if len(self._closing) - len(self._awaited) > SPACE_LIMIT:
                self._reopen()
            return end
        tag = _tag_at(text, at, self._after_text_tags)
        if tag is None:
            return at
        if not tag:
            self._reopen()
            return self._text(text, at)
        self._whole = True
        self.state = self._between
        return self._between(text, at)

    # What follows from them -------------------------------------------------------------------------------------------

    def _enter(self, tag: str) -> None:
        self._awaited = _close_tag(tag)
        if tag in _PASSED_OVER:
            self.state = self._passed_over
            return
        if tag in self._seen:
            self._refuse(f"{self._tag} has {tag} twice")
        self._seen.add(tag)
        self.state = self._path_text if tag == "<path>" else self._line_end
        self._begin()

    def _name_file(self) -> None:
        path = self._raw_path.strip()
        if len(self._raw_path) > PATH_LIMIT:
            self._refuse(f"The <path> of {self._tag} has more than {PATH_LIMIT:,} characters")
        elif not path:
            self._refuse(f"The <path> of {self._tag} is empty")
        elif _NO_PATH.search(path):
            self._refuse(f"The <path> of {self._tag} has a line end or a NUL in it")
        else:
            self._path = path
            self._begin()

    def _begin(self) -> None:
        """Begin the edit once all that it takes is known, with the text that has waited for it."""
        if self._refused or self.began or self._path is None or self._text_tag not in self._seen:
            return
        self.began = True
        self._given.append(EditBegan(self._edit, self._path, self._kind))
        self._say(self._waiting.decode("utf-8", "surrogatepass"))
        self._waiting.clear()

    def _say(self, text: str) -> None:
        if self._refused or not text:
            return
        if self.began:
            self._given.append(EditText(self._edit, text))
            return
        self._waiting_size += len(text)
        if self._waiting_size <= STREAM_LIMIT:
            self._waiting += text.encode("utf-8", "surrogatepass")
        else:
            self._refuse(f"{self._tag} has more than {STREAM_LIMIT:,} characters before its <path>, which is too large")

    def _reopen(self) -> None:
        """Take back that the text was closed: the tag was text, and so is the white space after it."""
        self._say(self._closing)
        self._closing = ""
        self.state = self._text

    def _finish(self) -> None:
        self.over = True
        if self.began and not self._refused:
            self._given.append(EditEnded(self._edit))
        else:
            self._refuse(f"{self._tag} is closed, but {self._lacks}")

    def _refuse(self, what: str) -> None:
        """Say, once, that the tool is not to be trusted and why; nothing more of it is given."""
        if self._refused:
            return
        self._refused = True
        self._waiting.clear()
        message = f"{what}. {self._advice}"
        self._given.append(EditEnded(self._edit, fault=message) if self.began else Misread(message))

    @property
    def _lacks(self) -> str:
        """What keeps the edit from having begun."""
        missing = ["<path>"] * (self._path is None) + [self._text_tag] * (self._text_tag not in self._seen)
        return f"it has no {' and no '.join(missing)}"

    @property
    def _advice(self) -> str:
        return f"Send {self._tag} again with one <path>, one {self._text_tag} and their close tags."


def _close_tag(tag: str) -> str:
    return f"</{tag[1:]}"


def _space_end(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _tag_at(text: str, at: int, tags: Sequence[str]) -> str | None:
    """Which of the tags is here; an empty one if none is, and None if more of the text is needed to know."""
    rest = text[at : at + _LONGEST]
    for tag in tags:
        if rest.startswith(tag):
            return tag
    return None if any(tag.startswith(rest) for tag in tags) else ""


def _until(tag: str, text: str, at: int) -> tuple[int, int]:
    """The end of what stands before a tag, and where to read on: behind the tag, or at what may still become it.

    A tag has its only ``<`` at its beginning, so that no earlier place than the last ``<`` has to be looked at.
    """
    found = text.find(tag, at)
    if found >= 0:
        return found, found + len(tag)
    start = text.rfind("<", max(at, len(text) - len(tag) + 1))
    end = start if start >= 0 and tag.startswith(text[start:]) else len(text)
    return end, end


def cline_xml() -> Callable[[Observable[Delta]], Observable[FormatEvent]]:
    """Operator: the text of a turn to the edits of its files.

    ::

        --Text("<write_to_file><path>a</path>")--Text("<content>b</cont")--Text("ent></write_to_file>")--|
        -----------------------------------------EditBegan-EditText("b")---EditEnded---------------------End|
    """
    return as_operator(ClineXml)
