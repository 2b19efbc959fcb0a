r"""The text of V4A patches to edits: sections of files between ``*** Begin Patch`` and ``*** End Patch``.

::

    prose -*** Begin Patch-> patch -header of a section-> section -header-> the next one
      ^                        |                             |
      +------- *** End Patch --+-----------------------------+

- A marker is a line of its own, at the very beginning of the line; white space at its end says nothing. What is outside
  a patch is prose: fences, the line of a heredoc, anything. There may be several patches.
- Models leave ``*** Begin Patch`` out: the header of a section begins a patch as well. If it stands in a fence, that
  ends the patch too; of a patch with its ``*** Begin Patch``, a fence is a line like any other.
- ``*** Update File:`` is an edit of hunks. Its text is all that follows, as it is, after a ``*** Move to:``, which
  counts directly after the header only.
- ``*** Add File:`` is a new file: its lines without their ``+``, each with its line end, also the last one.
- ``*** Delete File:`` has no lines; removed ones are passed over.
- Empty lines before the next marker say nothing. Any other line in an added or deleted file is a fault, as is a path
  that is none; the rest of such a section is not read. A line before the first section is a ``Misread`` of its own.

A section is whole when the next marker comes. The one that the text ends in is whole only if the text is known to be
whole without ``*** End Patch``, as a tool call's is; else its end may be missing, and it counts as truncated even if
the turn is complete.

Only the beginning of a marker is held, and the path behind it; all else is given as it comes, as slices, and each
character is looked at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from editstream.operators.events import Reason
from editstream.operators.formats.fences import Fence, fence_in
from editstream.operators.formats.file_edits import (
    EditBegan,
    EditEnded,
    EditText,
    FormatEvent,
    Kind,
    Misread,
    MovedTo,
)
from editstream.operators.formats.file_names import NAME_LIMIT
from editstream.operators.messages import clipped, printable

SECTION_LIMIT = 2_000
"""Sections of one turn. A model's longest turn has room for few more, and each is a file to be opened."""

UPDATE, ADD, DELETE = "*** Update File:", "*** Add File:", "*** Delete File:"
_BEGIN, _END, _MOVE, _END_OF_FILE = "*** Begin Patch", "*** End Patch", "*** Move to:", "*** End of File"
_SECTIONS: dict[str, Kind] = {UPDATE: "hunks", ADD: "create", DELETE: "delete"}
_FENCES = ("```", "~~~")
_WITH_PATH = (*_SECTIONS, _MOVE)
_MARKERS = (*_WITH_PATH, _BEGIN, _END, _END_OF_FILE, *_FENCES)
_LONGEST = max(map(len, _MARKERS))
_LINE_LIMIT = _LONGEST + NAME_LIMIT + 200  # white space around a path

_SIGNS: dict[Kind, str] = {"create": "+", "delete": "-"}
_ADVICE = "Send the patch again: *** Begin Patch, sections that begin with *** Update File: and a path, *** End Patch."
_TOO_MANY = (
    f"The turn has more than {SECTION_LIMIT:,} sections of files; the rest was not read. Send it in another turn."
)

_BEFORE_MARKER = re.compile(r"\n(?=[*`~])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def path_fault(path: str) -> str | None:
    """What is wrong with a path, white space around it left out; None if nothing is."""
    if not path:
        return "has no path"
    if len(path) > NAME_LIMIT:
        return f"has a path of more than {NAME_LIMIT:,} characters"
    return "has a control character in its path" if _CONTROL.search(path) else None


class Budget:
    """What all patches of a turn share: the numbers of their edits, and how many sections there may be."""

    def __init__(self) -> None:
        self._edits = 0
        self._sections = 0

    def number(self) -> int:
        """The number of the next edit."""
        self._edits += 1
        return self._edits - 1

    def section(self) -> int:
        """Count a section; give by how many there are too many."""
        self._sections += 1
        return max(0, self._sections - SECTION_LIMIT)


@dataclass(slots=True)
class _Section:
    """The section that is read; ``edit`` is None if it is no edit, or no longer one."""

    header: str
    kind: Kind
    edit: int | None = None
    has_gap: bool = False  # an empty line came


class PatchText:
    """What reads one text with patches in it.

    Args:
        budget: of the turn.
        call: the id of the tool call that the text came by.
    """

    def __init__(self, budget: Budget, call: str | None = None) -> None:
        self.is_answered = False  # whether an edit has begun, or something else was said
        self._budget = budget
        self._call = call
        # Reads on at an offset of the text, before its end, and gives the next one: the same if it needs more text.
        self._state: Callable[[str, int], int] = self._line_start
        self._held = ""
        self._marker = ""
        self._line = ""  # the one that begins with the marker, as far as it has come
        self._previous = ""  # the marker of the line before
        self._fence: Fence | None = None  # the one that is open
        self._section: _Section | None = None
        self._in_patch = False
        self._has_begin = False
        self._is_empty = False  # of a patch with its beginning: nothing came yet
        self._in_line = False  # an added one is not ended
        self._new: list[str] = []  # text of the edit from this piece
        self._given: list[FormatEvent] = []

    def feed(self, piece: str) -> Sequence[FormatEvent]:
        """Take a piece of the text; give what it adds to the edits."""
        text = self._held + piece
        at, size = 0, len(text)
        while at < size and (following := self._state(text, at)) != at:
            at = following
        self._held = text[at:]
        return self._all_given()

    def close(self, reason: Reason, *, is_whole: bool = False) -> Sequence[FormatEvent]:
        """End the text. ``is_whole``: nothing of it is missing, whether or not its last patch says so."""
        cut: Reason = "truncated" if reason == "complete" else reason
        if self._state == self._marked_line and (is_whole or self._marker not in _WITH_PATH):
            self._end_line("")
        elif self._state == self._marked_line and self._marker in _SECTIONS:
            self._end_section()
            self._is_empty = False
            self._misread(f"The patch is cut off in the line {self._marker}", cut)
        elif is_whole and self._held:
            self._foreign(self._held)
        if is_whole:
            self._end_patch()
        elif self._in_patch:
            self._end_section(cut)
            if self._is_empty:
                self._misread("The patch is cut off before its first section", cut)
        return self._all_given()

    def fail(self, message: str) -> Sequence[FormatEvent]:
        """Give up the text, with the edit that is open if there is one."""
        if not self._refuse(message):
            self._give(Misread(message, self._call))
        return self._all_given()

    # States -----------------------------------------------------------------------------------------------------------

    def _line_start(self, text: str, at: int) -> int:
        marker = _marker_at(text, at)
        if marker is None:
            return at
        if marker:
            self._marker = self._line = marker
            self._state = self._marked_line
            return at + len(marker)
        self._previous = ""
        if (signed := self._signed) is not None and (read := self._sign(signed, text[at])):
            return at + read
        if self._is_empty and text[at].isspace():
            return at + 1
        self._complain_outside()
        self._state = self._flow
        return self._flow(text, at)

    def _marked_line(self, text: str, at: int) -> int:
        end = text.find("\n", at)
        stop = len(text) if end < 0 else end
        kept = _LINE_LIMIT + 1 - len(self._line) if self._marker in _WITH_PATH else stop
        self._line += text[at : min(stop, at + kept)]
        if end >= 0:
            self._state = self._line_start
            self._end_line("\n")
            return end + 1
        if not self._may_be_marker:
            self._state = self._flow
            self._foreign(self._line)
        return stop

    def _flow(self, text: str, at: int) -> int:
        """Give what belongs to hunks, and pass over what belongs to nothing, up to what may be a marker."""
        found = _BEFORE_MARKER.search(text, at)
        end = found.end() if found else len(text)
        if self._section is not None:
            self._say(text[at:end])
        if text[end - 1] == "\n":
            self._state = self._line_start
        return end

    def _signed_line(self, text: str, at: int) -> int:
        end = text.find("\n", at) + 1 or len(text)
        if self._in_line:
            self._say(text[at:end])
        if text[end - 1] == "\n":
            self._state = self._line_start
            self._in_line = False
        return end

    # Lines ------------------------------------------------------------------------------------------------------------

    @property
    def _signed(self) -> _Section | None:
        """The section, if all its lines begin with the same sign."""
        section = self._section
        return section if section is not None and section.edit is not None and section.kind in _SIGNS else None

    @property
    def _may_be_marker(self) -> bool:
        """Whether the line may be a marker, as far as it has come."""
        if self._marker in _WITH_PATH:
            return True
        return len(self._line) <= _LINE_LIMIT and (self._marker in _FENCES or self._line.rstrip() == self._marker)

    def _sign(self, section: _Section, char: str) -> int:
        """Read the first character of a line of an added or deleted file; give how many were read."""
        if char in "\r\n":
            section.has_gap = section.has_gap or char == "\n"
            return 1
        if char != _SIGNS[section.kind] or section.has_gap:
            self._wrong_line(section)
            return 0
        self._state = self._signed_line
        self._in_line = section.kind == "create"
        return 1

    def _wrong_line(self, section: _Section) -> None:
        must = "begin with +" if section.kind == "create" else "be left out"
        self._refuse(f"A line under {printable(section.header)} is none of its lines: all of them must {must}.")

    def _complain_outside(self) -> None:
        """Say, once, that something stands before the first section."""
        if self._is_empty:
            self._is_empty = False
            self._misread("The patch has lines before its first section")

    def _foreign(self, line: str) -> None:
        """Take a line that began like a marker as what it is where it stands."""
        if (signed := self._signed) is not None:
            self._wrong_line(signed)
        elif self._section is not None:
            self._say(line)
        else:
            self._complain_outside()

    def _end_line(self, end: str) -> None:
        line, marker = self._line, self._marker
        previous, self._previous = self._previous, marker
        if marker in _SECTIONS:
            self._begin_section(line)
        elif marker == _MOVE and previous == UPDATE and self._section is not None:
            self._move(self._section, line)
        elif not self._may_be_marker or marker == _MOVE:
            self._foreign(line + end)
        elif marker in _FENCES:
            self._fence_line(line, end)
        elif marker == _END_OF_FILE:
            if self._signed is None:
                self._foreign(line + end)
        else:
            self._end_patch()
            self._in_patch = self._has_begin = self._is_empty = marker == _BEGIN

    def _fence_line(self, line: str, end: str) -> None:
        fence = fence_in(line)
        closes = fence is not None and self._fence is not None and fence.closes(self._fence)
        if self._in_patch and not (closes and not self._has_begin):
            self._foreign(line + end)
        elif closes:
            self._end_patch()
            self._fence = None
        else:
            self._fence = self._fence or fence

    # Patches and sections ---------------------------------------------------------------------------------------------

    def _end_patch(self) -> None:
        self._end_section()
        if self._is_empty:
            self._misread("The patch has no section of a file")
        self._in_patch = self._has_begin = self._is_empty = False

    def _begin_section(self, header: str) -> None:
        self._end_section()
        marker = self._marker
        self._in_patch, self._is_empty = True, False
        self._section = section = _Section(clipped(header.rstrip()), _SECTIONS[marker])
        if excess := self._budget.section():
            if excess == 1 or (self._call is not None and not self.is_answered):
                self._give(Misread(_TOO_MANY, self._call))
            return
        path = header[len(marker) :].strip()
        if (fault := path_fault(path)) is not None:
            self._misread(f"A section of the patch {fault}: {marker}")
            return
        section.edit = self._budget.number()
        self._give(EditBegan(section.edit, path, section.kind, self._call))

    def _move(self, section: _Section, line: str) -> None:
        path = line[len(_MOVE) :].strip()
        if section.edit is None:
            return
        if (fault := path_fault(path)) is not None:
            self._refuse(f"The line {_MOVE} under {printable(section.header)} {fault}. Send the section again.")
        else:
            self._give(MovedTo(section.edit, path))

    def _end_section(self, reason: Reason = "complete") -> None:
        section = self._section
        if section is not None and section.edit is not None:
            if self._in_line and reason == "complete":
                self._say("\n")
            self._give(EditEnded(section.edit, reason))
        self._section, self._in_line = None, False

    # What is given ----------------------------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        if self._section is not None and self._section.edit is not None:
            self._new.append(text)

    def _refuse(self, fault: str) -> bool:
        """End the edit that is open as not to be trusted; say whether there was one."""
        section = self._section
        if section is None or section.edit is None:
            return False
        self._give(EditEnded(section.edit, fault=fault))
        section.edit = None
        self._in_line = False
        return True

    def _misread(self, what: str, reason: Reason = "complete") -> None:
        self._give(Misread(f"{what}. {_ADVICE}", self._call, reason))

    def _give(self, event: FormatEvent) -> None:
        self._flush()
        self._given.append(event)
        self.is_answered = True

    def _flush(self) -> None:
        """Give the text of the edit that is open as one piece."""
        if self._new and self._section is not None and self._section.edit is not None:
            self._given.append(EditText(self._section.edit, "".join(self._new)))
        self._new.clear()

    def _all_given(self) -> Sequence[FormatEvent]:
        self._flush()
        given, self._given = tuple(self._given), []
        return given


def _marker_at(text: str, at: int) -> str | None:
    """Which marker begins here; an empty one if none does, and None if more of the text is needed to know."""
    rest = text[at : at + _LONGEST]
    for marker in _MARKERS:
        if rest.startswith(marker):
            return marker
    return None if any(marker.startswith(rest) for marker in _MARKERS) else ""
