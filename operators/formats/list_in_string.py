"""The arguments of a call whose list of edits may also come as a string that holds the list, as some models send it."""

from __future__ import annotations

from collections.abc import Iterable

from editstream.operators.events import Reason
from editstream.operators.formats.json_strings import (
    Broken,
    JsonEvent,
    JsonStrings,
    StringEnded,
    StringStarted,
    StringText,
)
from editstream.operators.formats.tool_fields import IN_EDITS, PATTERNS, role_of


class ListInString:
    """``JsonStrings`` for the fields of tools, which reads such a string as if it were the list."""

    def __init__(self) -> None:
        self._json = JsonStrings(*PATTERNS)
        self._list: JsonStrings | None = None  # reads the string that is open
        self._name = ""

    def feed(self, piece: str) -> Iterable[JsonEvent]:
        """Take a piece of the arguments; give what it adds to the fields."""
        return [out for event in self._json.feed(piece) for out in self._read(event)]

    def close(self, reason: Reason) -> Iterable[JsonEvent]:
        """End the arguments."""
        return self._json.close(reason)

    def _read(self, event: JsonEvent) -> Iterable[JsonEvent]:
        match event:
            case StringStarted(path=path) if role_of(path) == "edits":
                self._list, self._name = JsonStrings(*IN_EDITS), str(path[0])
                return self._inside(self._list.feed(f'{{"{self._name}":'))
            case StringText(text=text) if self._list is not None:
                return self._inside(self._list.feed(text))
            case StringEnded() if self._list is not None:
                ended, self._list = self._list, None
                *rest, _ = (*ended.feed("}"), *ended.close("complete"))
                return self._inside(rest)
            case _:
                return (event,)

    def _inside(self, events: Iterable[JsonEvent]) -> Iterable[JsonEvent]:
        """What the string gave. An error in it is one of the whole call, and no cut, since the string was whole."""
        for event in events:
            if isinstance(event, Broken):
                message = f"{self._name} is a string, and what it holds is no list of edits. Send a list, not a string."
                event = Broken("malformed", event.offset, message)  # noqa: PLW2901 - one event for one event
            yield event
