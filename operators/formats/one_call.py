"""One tool call that edits a file: the fields of its arguments, in any order, to an edit whose text comes in order.

::

    waiting -path and shape known-> text    of diff or content, as it comes
                                 -> pair    old text, then new text; ended with the call, as replace_all may come last
                                 -> edits   the same for each item; ended with the item
                                 -> asking  to view or to undo: said when the call is whole

The shape is known by the first field that edits, or by ``command`` where there is one. What comes before its turn (text
before the path, a new text before the old one) is held in pieces and given once; what is held is bounded, as the
arguments are, by ``STREAM_LIMIT``. A call ends in exactly one ``EditEnded``, ``Misread`` or ``Asked``. The first fault
ends it, and the rest of its arguments is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from editstream.operators.events import End, Reason
from editstream.operators.formats.call_arguments import CallArguments
from editstream.operators.formats.file_edits import (
    Asked,
    EditBegan,
    EditEnded,
    EditText,
    FormatEvent,
    Kind,
    Misread,
    NewText,
    OldText,
    PairBegan,
    PairEnded,
)
from editstream.operators.formats.json_strings import Broken, JsonEvent, StringEnded, StringText
from editstream.operators.formats.list_in_string import ListInString
from editstream.operators.formats.text_editor import COMMANDS, EDITORS, Shape, view
from editstream.operators.formats.tool_fields import BLOCKS_IN_CONTENT, Fault, Field, Fields, Role, old_name
from editstream.operators.messages import printable

_SHAPES: dict[Role, Shape] = {"diff": "diff", "content": "content", "old": "pair", "edits": "edits"}
"""What a field makes of a call without a command."""

_ALONE: dict[Role, Role] = {"diff": "diff", "content": "content", "old": "old", "new": "old", "edits": "edits"}
"""The fields that edit. Those with different values here exclude each other."""

_KINDS: dict[Shape, Kind] = {
    "diff": "blocks", "content": "content", "create": "create", "pair": "pairs", "insert": "pairs", "edits": "pairs",
}  # fmt: skip
_PIECES: dict[Role, Callable[[int, str], FormatEvent]] = {
    "diff": EditText, "content": EditText, "old": OldText, "new": NewText,
}  # fmt: skip
_NO_EDIT = "it names no edit: give diff, or content, or old_string and new_string, or edits"
_NO_COMMAND = f"it names no command: give one of {', '.join(COMMANDS)}"


class OneCall:
    """The reader of one call.

    Args:
        id: of the call.
        tool: the name of the tool.
        numbers: gives the number of the next edit of the turn.
    """

    def __init__(self, id: str, tool: str, numbers: Iterator[int]) -> None:  # noqa: A002 - as ToolCall has it
        self._id = id
        self._tool = tool
        self._numbers = numbers
        self._json = ListInString()
        self._read = CallArguments()
        self._top = self._read.top
        self._command: Shape | None = None
        self._waits_for_command = tool in EDITORS
        self._shape: Shape | None = None
        self._edit = -1  # its number, once it has begun
        self._cut: Reason = "truncated"
        self._given: list[FormatEvent] = []
        self.is_over = False

    def feed(self, piece: str) -> Sequence[FormatEvent]:
        """Take a piece of the arguments."""
        return () if self.is_over else self._take(self._json.feed(piece))

    def close(self, reason: Reason) -> Sequence[FormatEvent]:
        """End the arguments. The reason is the turn's, or ``complete``; it counts where they are not whole."""
        if self.is_over:
            return ()
        self._cut = "truncated" if reason == "complete" else reason
        return self._take(self._json.close(reason))

    def fail(self, what: str) -> Sequence[FormatEvent]:
        """End the call with a fault, unless it is over."""
        if not self.is_over:
            self._end(f"The call of {printable(self._tool)} was not understood: {what}. Correct it and send it again.")
        given, self._given = self._given, []
        return given

    def _take(self, events: Iterable[JsonEvent]) -> Sequence[FormatEvent]:
        try:
            for event in events:
                if not self.is_over:
                    self._take_one(event)
        except Fault as fault:
            return self.fail(str(fault))
        given, self._given = self._given, []
        return given

    def _take_one(self, event: JsonEvent) -> None:
        match event:
            case StringText(text=text) if (field := self._read.text) is not None:
                self._text(field, text)
            case Broken(kind=kind, message=message):
                self._end(message, self._cut if kind == "truncated" else "complete")
            case End():
                self._finish()
            case _:
                self._read.take(event)
                if isinstance(event, StringEnded) and event.path == ("command",):
                    self._take_command(self._top["command"].text)
                self._advance()

    def _text(self, field: Field, text: str) -> None:
        if field.flows:
            self._given.append(_PIECES[field.role](self._edit, text))
        else:
            field.hold(text)

    # Where the call is ------------------------------------------------------------------------------------------------

    def _take_command(self, command: str) -> None:
        shape = COMMANDS.get(command)
        if shape is None and self._waits_for_command:
            raise Fault(f"command must be one of {', '.join(COMMANDS)}")
        if shape is not None and self._shape not in (None, shape):
            raise Fault(f"command {command} does not go with the fields before it: put command first")
        self._command = shape  # None: of another tool, which means something else by it

    def _advance(self) -> None:
        """Give what can be given by now."""
        if self._command is None and not self._waits_for_command:
            self._check_alone()
        self._shape = self._shape or self._begin()
        match self._shape:
            case "diff":
                self._flow(self._top.get("diff"))
            case "content" | "create":
                self._flow(self._top.get("content"))
            case "pair":
                self._pair(self._top)
            case "insert":
                self._insertion()
            case "edits":
                self._pairs()
            case _:
                pass

    def _check_alone(self) -> None:
        several = {_ALONE[role]: field.name for role, field in self._top.items() if role in _ALONE}
        if len(several) > 1:
            raise Fault(f"it gives both {' and '.join([*several.values()][:2])}: send one of them")

    def _begin(self) -> Shape | None:
        """The shape, and the beginning of the edit, once both shape and path are known."""
        path, shape = self._top.get("path"), self._known_shape()
        if path is None or not path.whole or shape is None:
            return None
        if shape in _KINDS:
            is_blocks = shape == "content" and self._tool in BLOCKS_IN_CONTENT
            self._edit = next(self._numbers)
            self._given.append(EditBegan(self._edit, path.text, "blocks" if is_blocks else _KINDS[shape], self._id))
        return shape

    def _known_shape(self) -> Shape | None:
        if self._command is not None or self._waits_for_command:
            return self._command
        shapes: list[Shape] = [_SHAPES[role] for role in self._top if role in _SHAPES]
        if "edits" in self._top and not self._read.pairs:
            return None  # an empty list begins no edit
        if not shapes and self._top.whole and self._top.keys() >= {"insert_line", "new"}:
            return "insert"  # an old text could have followed until now
        return shapes[0] if shapes else None

    # What follows -----------------------------------------------------------------------------------------------------

    def _flow(self, field: Field | None) -> None:
        """Give what is held of a text whose turn it is, and from now on what comes of it."""
        if field is not None and not field.flows and (text := field.let_flow()):
            self._given.append(_PIECES[field.role](self._edit, text))

    def _pair(self, fields: Fields) -> None:
        old = fields.get("old")
        if old is None:
            return
        if not old.flows:
            self._given.append(PairBegan(self._edit))
            self._flow(old)
        if old.whole:
            self._flow(fields.get("new"))

    def _insertion(self) -> None:
        line, new = self._top.get("insert_line"), self._top.get("new")
        if line is not None and new is not None and not new.flows:
            self._given.append(PairBegan(self._edit, after=line.value))
            self._flow(new)

    def _pairs(self) -> None:
        items = self._read.items
        while items:
            self._pair(items[0])
            if not items[0].whole:
                return
            self._end_pair(items.popleft())

    def _end_pair(self, fields: Fields) -> None:
        everywhere = fields.get("everywhere")
        self._given.append(PairEnded(self._edit, everywhere is not None and bool(everywhere.value)))

    # How it ends ------------------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        """The arguments are whole: give the rest."""
        self._top.whole, self._waits_for_command = True, False
        self._advance()
        if (path := self._top.get("path")) is None:
            raise Fault("it names no file: give path, or what the tool calls it, as file_path")
        if self._shape == "view":
            lines = self._read.lines if "view_range" in self._top else None
            self._over(view(path.text, self._id, lines))
        elif self._shape == "undo":
            self._over(Asked("undo", path.text, self._id))
        else:
            self._check_whole()
            if self._shape == "pair":
                self._end_pair(self._top)
            elif self._shape == "insert":
                self._given.append(PairEnded(self._edit))
            self._over(EditEnded(self._edit))

    def _check_whole(self) -> None:
        """Whether all that the shape needs is there."""
        new = self._top.get("new")
        match self._shape:
            case "create" if "content" not in self._top:
                raise Fault("file_text is missing")
            case "insert" if "insert_line" not in self._top:
                raise Fault("insert_line is missing")
            case "insert" if new is None:
                raise Fault("insert_text is missing")
            case None if "edits" in self._top:
                raise Fault("edits is empty, so there are no edits")
            case "pair" | None if new is not None and "old" not in self._top:
                raise Fault(f"{old_name(new.path)} is missing")
            case "pair" if "old" not in self._top:
                raise Fault("old_str is missing")
            case None:
                raise Fault(_NO_COMMAND if self._tool in EDITORS else _NO_EDIT)
            case _:
                pass

    def _end(self, message: str, reason: Reason = "complete") -> None:
        """End the call before it is whole: for a fault, or because the rest is missing."""
        if self._edit < 0:
            self._over(Misread(message, self._id, reason))
        else:
            self._over(EditEnded(self._edit, reason, message if reason == "complete" else None))

    def _over(self, event: FormatEvent) -> None:
        self._given.append(event)
        self.is_over = True
