"""The fields by which tools name a file and its edit, whatever the tool is called, and what has come of them.

Agents call the same things by many names. Each name has one role here; the roles that come make the shape of the edit.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from editstream.operators.formats.json_strings import Path, field_name
from editstream.operators.lines import PACK

Role: TypeAlias = Literal[
    "path",
    "diff",
    "content",
    "old",
    "new",
    "everywhere",
    "edits",
    "command",
    "view_range",
    "insert_line",
    "item",
    "line",
]
"""What a field means; ``item`` is an item of ``edits``, ``line`` one of ``view_range``."""

SIDES = (
    ("old_string", "new_string"), ("old_str", "new_str"), ("oldString", "newString"), ("old_text", "new_text"),
    ("oldText", "newText"), ("old", "new"), ("search", "replace"),
)  # fmt: skip
"""How tools call the two sides of a pair."""

NAMES: dict[Role, tuple[str, ...]] = {
    "path": ("path", "file_path", "filePath", "filename", "target_file", "absolute_path"),
    "diff": ("diff", "diff_content", "blocks"),
    "content": ("content", "contents", "file_text", "new_content"),
    "old": tuple(old for old, _ in SIDES),
    "new": (*(new for _, new in SIDES), "insert_text"),
    "everywhere": ("replace_all", "replaceAll"),
    "edits": ("edits", "replacements", "changes"),
    "command": ("command",),
    "view_range": ("view_range",),
    "insert_line": ("insert_line",),
}
"""The names of each role."""

BLOCKS_IN_CONTENT = frozenset(("search_replace", "search_and_replace", "replace_in_file", "apply_diff"))
"""Tools that make no whole files: what they call content are blocks, and in the file they would do harm."""

TEXTS = frozenset[Role](("path", "diff", "content", "old", "new", "everywhere", "command"))
"""The roles whose value may be a string."""

_ROLES: dict[str, Role] = {name: role for role, names in NAMES.items() for name in names}
_ITEM_ROLES: dict[Role, Role] = {"edits": "item", "view_range": "line"}
_IN_ITEM: tuple[Role, ...] = ("path", "old", "new", "everywhere")
_MUST: dict[Role, str] = {
    "everywhere": "true or false",
    "edits": "a list of objects, each with old_string and new_string",
    "item": "an object with old_string and new_string",
    "view_range": "two line numbers, as in [1, 50]",
    "line": "a line number",
    "insert_line": "the number of the line to insert after, 0 for the top of the file",
}

IN_EDITS = tuple(
    pattern
    for name in NAMES["edits"]
    for pattern in (name, f"{name}[]", *(f"{name}[].{inner}" for role in _IN_ITEM for inner in NAMES[role]))
)
"""The list of edits and what is read of its items, as ``JsonStrings`` takes it."""

PATTERNS = (*_ROLES, "view_range[]", *IN_EDITS)
"""All fields that are read, as ``JsonStrings`` takes them."""


class Fault(Exception):
    """Raised inside the reader of a call at the first thing that makes it no edit; its text is for the model."""


def role_of(path: Path) -> Role:
    """What the field at a path means; the path is one that ``PATTERNS`` chose."""
    last = path[-1]
    return _ROLES[last] if isinstance(last, str) else _ITEM_ROLES[role_of(path[:-1])]


def wrong_type(path: Path) -> Fault:
    """The fault of a field whose value is of a type that it cannot have."""
    return Fault(f"{field_name(path)} must be {_MUST.get(role_of(path), 'a string')}")


class Field:
    """What came of one field. Its text is held, in pieces, until it may flow; ``value`` is that of a number or bool."""

    __slots__ = ("_packed", "_pieces", "flows", "path", "role", "value", "whole")

    def __init__(self, path: Path) -> None:
        self.path = path
        self.role: Role = role_of(path)
        self.whole = False
        self.flows = False
        self.value = 0
        self._pieces: list[str] = []
        self._packed: list[str] = []  # of so many pieces each, so that small ones do not cost a list slot each

    @property
    def name(self) -> str:
        """The field as one writes it, fit to be shown."""
        return field_name(self.path)

    @property
    def text(self) -> str:
        """What is held."""
        return "".join([*self._packed, *self._pieces])

    def set(self, value: int) -> None:
        """The field is whole, and no text."""
        self.value, self.whole = value, True

    def hold(self, text: str) -> None:
        """Keep a piece."""
        self._pieces.append(text)
        if len(self._pieces) == PACK:
            self._packed.append("".join(self._pieces))
            self._pieces.clear()

    def let_flow(self) -> str:
        """Hold nothing from now on; give what was held."""
        text, self.flows = self.text, True
        self._pieces.clear()
        self._packed.clear()
        return text


class Fields(dict[Role, Field]):
    """The fields of one object, by their roles; ``whole`` once it has ended."""

    __slots__ = ("whole",)

    def __init__(self) -> None:
        super().__init__()
        self.whole = False

    def add(self, path: Path) -> Field:
        """A field begins. Raises Fault if it is there already, under whatever name."""
        field = Field(path)
        if (known := self.setdefault(field.role, field)) is not field:
            raise Fault(f"it gives both {known.name} and {field.name}: send one of them")
        return field


def old_name(new: Path) -> str:
    """What the old side of a pair is called where the new one is called so."""
    *before, last = new
    return field_name((*before, next((old for old, new in SIDES if new == last), SIDES[0][0])))
