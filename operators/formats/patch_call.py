"""One call of ``apply_patch``: its patch, or the operation on one file that it asks for.

Agents declare the tool in three ways, and all three are read::

    input is plain text                          the patch
    {"input": "*** Begin Patch…"}                the patch; also as patch, or as command
    {"type": "update_file", "path": …, "diff": …}   OpenAI's own: a section, whose header is its type and path

The fields of an operation come in any order: a diff that comes before its type and path waits. A call whose arguments
are whole is whole, with ``*** End Patch`` or without. Each call gives an ``EditEnded`` or a ``Misread``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from editstream.operators.events import End, Reason
from editstream.operators.formats.deltas import ToolCall
from editstream.operators.formats.file_edits import FormatEvent, Misread
from editstream.operators.formats.file_names import NAME_LIMIT
from editstream.operators.formats.json_strings import (
    Broken,
    ContainerStarted,
    JsonEvent,
    JsonStrings,
    PlainValue,
    StringEnded,
    StringStarted,
    StringText,
)
from editstream.operators.formats.patch_text import ADD, DELETE, UPDATE, Budget, PatchText, path_fault
from editstream.operators.formats.tool_fields import Fault
from editstream.operators.messages import printable

_PATCHES = ("input", "patch", "command")
_TEXTS = (*_PATCHES, "diff")
_NAMES = ("type", "path")
_HEADERS = {"update_file": UPDATE, "create_file": ADD, "delete_file": DELETE}
_ADVICE = "Send the patch as one string, input, or an operation on one file as type, path and diff."


class PatchCall:
    """The reader of one call.

    Args:
        call: the call.
        budget: of the turn.
    """

    def __init__(self, call: ToolCall, budget: Budget) -> None:
        self._call = call
        self._patch = PatchText(budget, call.id)
        self._json = JsonStrings(*_TEXTS, *_NAMES) if call.is_json else None
        self._text = ""  # the field that has the patch or the diff
        self._early = bytearray()  # of a diff whose header is not known, as UTF-8
        self._names: dict[str, str] = {}  # type and path, as far as they have come
        self._whole: set[str] = set()  # which of them are
        self._is_open = False  # the section of an operation
        self._is_over = False

    def feed(self, piece: str) -> Sequence[FormatEvent]:
        """Take a piece of the arguments."""
        if self._is_over:
            return ()
        return self._patch.feed(piece) if self._json is None else self._read(self._json.feed(piece))

    def close(self, reason: Reason, *, is_done: bool) -> Sequence[FormatEvent]:
        """End the arguments. ``is_done``: the source said that they are whole; else the turn ends, with ``reason``."""
        if self._is_over:
            return ()
        if self._json is None:
            return self._end("complete" if is_done else _cut(reason), "its input is cut off")
        return self._read(self._json.close(reason), reason)

    def fail(self, what: str) -> Sequence[FormatEvent]:
        """End the call with a fault, unless it is over."""
        if self._is_over:
            return ()
        self._is_over = True
        return self._patch.fail(self._message(what))

    def _read(self, events: Iterable[JsonEvent], reason: Reason = "complete") -> Sequence[FormatEvent]:
        given: list[FormatEvent] = []
        try:
            for event in events:
                given += self._take(event, reason)
        except Fault as fault:
            given += self.fail(str(fault))
        return given

    def _take(self, event: JsonEvent, reason: Reason) -> Sequence[FormatEvent]:
        match event:
            case StringStarted(path=(str(name), *_)):
                self._begin(name)
            case StringText(path=(str(name), *_), text=text):
                return self._add(name, text)
            case StringEnded(path=(str(name), *_)) if name in _NAMES:
                self._whole.add(name)
                return self._open_section()
            case PlainValue(path=(str(name), *_), value=value) if value is not None:
                raise Fault(f"{name} must be a string")
            case ContainerStarted(path=(str(name), *_)):
                raise Fault(f"{name} must be a string")
            case Broken(kind="truncated", message=message):
                return self._end(_cut(reason), message)
            case Broken(message=message):
                raise Fault(message)
            case End() if not self._is_over:
                return self._finish()
            case _:
                pass
        return ()

    def _begin(self, name: str) -> None:
        if name in _NAMES:
            self._names[name] = ""
            return
        if self._text:
            raise Fault(f"it gives both {self._text} and {name}: send one of them")
        self._text = name

    def _add(self, name: str, text: str) -> Sequence[FormatEvent]:
        if name in _NAMES:
            self._names[name] = (self._names[name] + text)[: NAME_LIMIT + 200]
        elif name in _PATCHES or self._is_open:
            return self._patch.feed(text)
        else:
            self._early += text.encode()
        return ()

    def _open_section(self) -> Sequence[FormatEvent]:
        """Begin the section of an operation once its type and path are known, with what waits of its diff."""
        if len(self._whole) < len(_NAMES) or self._text in _PATCHES:
            return ()
        header, path = _HEADERS.get(self._names["type"]), self._names["path"].strip()
        if header is None:
            raise Fault(f"type must be one of {', '.join(_HEADERS)}")
        if (fault := path_fault(path)) is not None:
            raise Fault(f"it {fault}")
        self._is_open = True
        early, self._early = self._early.decode(), bytearray()
        return (*self._patch.feed(f"{header} {path}\n"), *self._patch.feed(early))

    def _finish(self) -> Sequence[FormatEvent]:
        if self._text not in _PATCHES and (missing := self._missing):
            raise Fault(f"it has no {missing}")
        return self._end("complete", "it has no section of a file")

    @property
    def _missing(self) -> str:
        """What an operation lacks, or a call that has nothing."""
        if not self._text and not self._names:
            return "input"
        if absent := [name for name in _NAMES if name not in self._whole]:
            return " and no ".join(absent)
        return "" if self._text or self._names["type"] == "delete_file" else "diff"

    def _end(self, reason: Reason, what: str) -> Sequence[FormatEvent]:
        self._is_over = True
        given = self._patch.close(reason, is_whole=reason == "complete")
        if self._patch.is_answered:
            return given
        return (*given, Misread(self._message(what), self._call.id, reason))

    def _message(self, what: str) -> str:
        return f"The call of {printable(self._call.name)} is no patch: {what.rstrip('.')}. {_ADVICE}"


def _cut(reason: Reason) -> Reason:
    return "truncated" if reason == "complete" else reason
