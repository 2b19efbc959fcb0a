"""The contract of an adapter, and what all of them share: a turn's open calls and why it ended.

An adapter is a machine from an SDK's events to neutral deltas. It never imports the SDK: it looks at fields, by which
an object and a plain dict of the same shape (an event as JSON) are the same, and never at classes, since an SDK may
deliver an event that it does not know yet under the class of another one.

    feed(event)     gives the deltas of one event; an event that means nothing here gives none.
    ended(stream)   looks at the stream itself after its last event, where an SDK keeps the finish reason there.
    close(reason)   gives the rest, with an ``End`` last. "complete" says that the source ended by itself.

Two rules keep a cut turn from passing as whole. Each adapter lists the finish reasons by which a model says that it is
done; any other, and none at all, is "truncated". And the end of a call is held back until the model goes on or is
done, because a token limit inside a call's arguments comes after the event that ends the call::

    events   call  {"path":  "a.p   (call ends)     max_tokens
    deltas   ToolCall  ToolArguments  -             End("truncated")          no ToolDone: the call was cut off

What a model thinks (reasoning, thinking blocks) is no part of its answer and gives nothing, nor do tools that the
provider runs itself. A refusal is text.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from itertools import chain, count
from typing import Any, ClassVar, cast

from editstream.operators.events import End, Reason
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone


def get(event: object, name: str) -> Any:
    """A field of an SDK's object or of a plain dict; None where it is missing."""
    if isinstance(event, dict):
        return cast("dict[str, Any]", event).get(name)
    return getattr(event, name, None)


def string(event: object, name: str) -> str:
    """A field that holds text, "" where it is missing or null; raises TypeError where it holds something else."""
    value = get(event, name)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise TypeError(f"{name!r} is of type {type(value).__name__}, where this SDK gives a string")


def sequence(event: object, name: str) -> Sequence[Any]:
    """A field that holds a list, empty where it is missing or null; raises TypeError where it holds something else."""
    value = get(event, name)
    if value is None:
        return ()
    if isinstance(value, list | tuple):
        return cast("Sequence[Any]", value)
    raise TypeError(f"{name!r} is of type {type(value).__name__}, where this SDK gives a list")


def expect(event: object, name: str) -> Any:
    """A field without which this is no event of the SDK at all; raises TypeError then."""
    fields: Any = event
    if name in fields if isinstance(event, dict) else hasattr(event, name):
        return get(fields, name)
    raise TypeError(f"an event of type {type(fields).__name__} without {name!r}: is this another SDK's stream?")


class Translator(ABC):
    """One turn of a model, from an SDK's events to neutral deltas; see the top of this module."""

    COMPLETE: ClassVar[frozenset[str]]
    """The finish reasons by which the model itself says that it is done."""

    def __init__(self) -> None:
        self._reason: Reason | None = None
        self._open: dict[Hashable, tuple[str, str]] = {}  # a call's key in the SDK: its id here, and there
        self._bare: dict[Hashable, str] = {}  # open calls that no piece has come for, and what stands for no piece
        self._held: list[Delta] = []
        self._ids: set[str] = set()

    def feed(self, event: object) -> Sequence[Delta]:
        """Give the deltas of an SDK's event.

        Raises:
            TypeError: the event is not of the SDK's shape.
            ValueError: a piece is of no call that has begun, or a call comes in a way that is not read here.
        """
        return list(self._translate(event))

    def ended(self, stream: object) -> None:  # noqa: B027 - most SDKs say it in an event
        """Look at the stream itself after its last event, where an SDK keeps there why it ended."""

    def close(self, reason: Reason = "complete") -> Sequence[Delta]:
        """Give the rest and an ``End``: the given reason, but "truncated" for a source that ended without a finish."""
        if reason == "complete":
            reason = self._reason or "truncated"
        return [*(self._held if reason == "complete" else ()), End(reason)]

    @abstractmethod
    def _translate(self, event: object) -> Iterator[Delta]: ...

    def _finish(self, reason: str) -> None:
        """Note a finish reason; what was truncated once stays so, and the end of its last call never comes."""
        if reason in self.COMPLETE and self._reason != "truncated":
            self._reason = "complete"
        else:
            self._reason = "truncated"
            self._held.clear()

    def _text(self, text: str) -> Iterator[Delta]:
        if text:
            yield from self._release()
            yield Text(text)

    def _content(self, content: object) -> Iterator[Delta]:
        """Text, or a list of blocks of which some are text."""
        blocks = cast("list[object]", content) if isinstance(content, list) else [content]
        for block in blocks:
            if isinstance(block, str):
                yield from self._text(block)
            elif get(block, "type") == "text":
                yield from self._text(string(block, "text"))

    def _begin(self, key: Hashable, given_id: str, name: str, *, is_json: bool = True) -> Iterator[Delta]:
        """A call begins; it gets an id of its own where the SDK gives none, or gives one twice."""
        yield from self._release()
        names = chain([given_id], (f"{given_id or 'call'}_{number}" for number in count(len(self._ids) + 1)))
        own = next(each for each in names if each and each not in self._ids)
        self._ids.add(own)
        self._open[key] = own, given_id
        self._bare[key] = "{}" if is_json else ""
        yield ToolCall(own, name, is_json)

    def _arguments(self, key: Hashable, text: str) -> Iterator[Delta]:
        """A piece of a call's arguments; a call that was never begun here is none of ours."""
        if text and key in self._open:
            self._bare.pop(key, None)
            yield ToolArguments(self._open[key][0], text)

    def _done(self, key: Hashable, whole: str = "", rest: str = "") -> None:
        """A call ends, as ``whole`` if no piece of it has come, else with ``rest``; both are held back."""
        if key not in self._open:
            return
        own, _ = self._open.pop(key)
        bare = self._bare.pop(key, None)
        if last := rest if bare is None else whole or bare:
            self._held.append(ToolArguments(own, last))
        self._held.append(ToolDone(own))

    def _release(self) -> Iterator[Delta]:
        """The model went on: the calls that ended before are whole."""
        yield from self._held
        self._held.clear()

    def _whole(self, given_id: str, name: str, arguments: object) -> Iterator[Delta]:
        """A call whose arguments the provider has parsed: nothing of it can be cut off."""
        key = object()
        yield from self._begin(key, given_id, name)
        self._done(key, json.dumps(arguments or {}))
        yield from self._release()


class PieceTranslator(Translator):
    """For SDKs that give calls as pieces with an index and no end: a call ends where another begins, or the turn."""

    def _piece(self, index: Hashable, given_id: str, name: str, arguments: str) -> Iterator[Delta]:
        """A piece of a call. One with a name begins a call, unless it repeats the id of the call at its index.

        Some providers give every call the same index, some no index and whole calls, some a new id with every piece.
        """
        known = index is not None and index in self._open
        if name and not (known and given_id in {"", self._open[index][1]}):
            self._end_calls()
            yield from self._begin(index, given_id, name)
        elif arguments and index not in self._open:
            raise ValueError(f"a piece of call {index!r}, which has not begun or ended when another one began")
        yield from self._arguments(index, arguments)

    def _end_calls(self) -> None:
        for key in list(self._open):
            self._done(key)
