"""pydantic-ai: the events of one model response, whichever provider is behind it.

The first text and the first arguments of a part are in its start event. A part that was cut off has an end event like
any other. The finish reason is on the stream, not in an event; in a file of events, put the ``ModelResponse`` last.

For a provider of OpenAI's shape, pydantic-ai makes up the reason ``stop`` where the stream broke off. The provider's
own word for the reason, in ``provider_details``, is missing then, so a reason without one counts for nothing, but for
a provider whose word is never kept. Test models give no reason: their turns are truncated.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import ClassVar

from editstream.operators.formats.deltas import Delta

from .iteration import Deltas, Stream
from .translator import Translator, expect, get, string

_WORD_NOT_KEPT = frozenset({"xai"})


class PydanticAI(Translator):
    """Events of pydantic-ai to deltas; events about running tools mean nothing here."""

    COMPLETE: ClassVar = frozenset({"stop", "tool_call"})

    def _translate(self, event: object) -> Iterator[Delta]:
        if get(event, "kind") == "response":
            self.ended(event)
            return
        index = get(event, "index")
        match expect(event, "event_kind"):
            case "part_start":
                yield from self._start(index, get(event, "part"))
            case "part_delta":
                delta = get(event, "delta")
                match get(delta, "part_delta_kind"):
                    case "text":
                        yield from self._text(string(delta, "content_delta"))
                    case "tool_call":
                        yield from self._pieces(index, get(delta, "args_delta"))
                    case _:
                        pass
            case "part_end":
                arguments = get(get(event, "part"), "args")
                self._done(index, arguments if isinstance(arguments, str) else json.dumps(arguments or {}))
            case _:
                pass

    def _start(self, index: int, part: object) -> Iterator[Delta]:
        match get(part, "part_kind"):
            case "text":
                yield from self._text(string(part, "content"))
            case "tool-call":
                yield from self._begin(index, string(part, "tool_call_id"), string(part, "tool_name"))
                yield from self._pieces(index, get(part, "args"))
            case _:
                pass

    def _pieces(self, index: int, arguments: object) -> Iterator[Delta]:
        if isinstance(arguments, str):  # parsed arguments are merged piece by piece; the end event has all of them
            yield from self._arguments(index, arguments)

    def ended(self, stream: object) -> None:
        """Take the finish reason from the stream (or the agent's stream, by its response)."""
        response = get(stream, "response") or stream
        given = get(get(response, "provider_details"), "finish_reason")
        if given or get(response, "provider_name") in _WORD_NOT_KEPT:
            self._finish(string(response, "finish_reason"))


def pydantic_ai_events(stream: Stream) -> Deltas:
    """The deltas of one model response.

    That is the stream of ``model_request_stream(…)``, of ``model_request_stream_sync(…)``, or of ``node.stream(ctx)``
    where an agent's run is iterated.
    """
    return Deltas(stream, PydanticAI)
