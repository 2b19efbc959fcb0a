"""The arguments of a tool call that edits, as far as they have come: fields by what they mean, in checked types."""

from __future__ import annotations

from collections import deque

from editstream.operators.formats.json_strings import (
    ContainerStarted,
    ItemEnded,
    JsonEvent,
    Path,
    PlainValue,
    StringEnded,
    StringStarted,
    field_name,
)
from editstream.operators.formats.tool_fields import TEXTS, Fault, Field, Fields, old_name, role_of, wrong_type

PAIRS_LIMIT = 10_000
"""Items of ``edits`` in one call. Each costs some hundred bytes while it waits for the path, however short it is."""


class CallArguments:
    """Takes what ``JsonStrings`` gives of a call. Each field may raise ``Fault``.

    ``top`` are the fields of the call, ``items`` those of its edits that wait and of the one that is open, ``pairs``
    how many edits there were so far, ``lines`` the first three numbers of ``view_range``, ``text`` the string that is
    open.
    """

    def __init__(self) -> None:
        self.top = Fields()
        self.items = deque[Fields]()
        self.pairs = 0
        self.lines: list[object] = []
        self.text: Field | None = None

    def take(self, event: JsonEvent) -> None:
        """Take all but a text, which the field that is open is for."""
        match event:
            case StringStarted(path=path):
                if role_of(path) not in TEXTS:
                    raise wrong_type(path)
                self.text = self._add(path)
            case StringEnded() if (ended := self.text) is not None:
                self._text_ended(ended)
            case PlainValue(path=path, value=value):
                self._plain_value(path, value)
            case ContainerStarted(path=path, is_array=is_array):
                self._container_began(path, is_array=is_array)
            case ItemEnded(path=path) if role_of(path) == "item":
                self._item_ended(path)
            case _:
                pass

    def _add(self, path: Path) -> Field:
        if len(path) == 1:
            return self.top.add(path)
        if role_of(path) == "path":
            raise Fault(
                f"{field_name(path)} is not read: send one call for each file, with its path outside of the list"
            )
        return self.items[-1].add(path)

    def _text_ended(self, ended: Field) -> None:
        self.text = None
        ended.whole = True
        if ended.role == "path" and not ended.text.strip():
            raise Fault(f"{ended.name} is empty")
        if ended.role == "everywhere":
            word = ended.text.strip().lower()
            if word not in ("true", "false"):
                raise wrong_type(ended.path)
            ended.value = int(word == "true")

    def _plain_value(self, path: Path, value: float | bool | None) -> None:
        role = role_of(path)
        if role == "line":
            self.lines = [*self.lines, value][:3]
        elif role == "everywhere" and isinstance(value, bool):
            self._add(path).set(int(value))
        elif role == "insert_line" and isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            self._add(path).set(value)
        elif value is not None or role == "item":  # null is as if the field were missing
            raise wrong_type(path)

    def _container_began(self, path: Path, *, is_array: bool) -> None:
        match role_of(path):
            case "edits" | "view_range" if is_array:
                self._add(path)
            case "item" if not is_array:
                if self.pairs == PAIRS_LIMIT:
                    raise Fault(f"it has more than {PAIRS_LIMIT:,} edits")
                self.pairs += 1
                self.items.append(Fields())
            case _:
                raise wrong_type(path)

    def _item_ended(self, path: Path) -> None:
        item = self.items[-1]
        item.whole = True
        if "old" not in item:
            new = item.get("new")
            raise Fault(f"{old_name(new.path if new else (*path, 'new_string'))} is missing")
