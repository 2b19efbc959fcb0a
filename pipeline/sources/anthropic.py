"""Anthropic Messages: the raw events of ``create(stream=True)``, and those of the ``stream()`` helper.

Prefer the raw events. The helper parses a tool's input again with every piece (its cost grows with the square of the
length), raises ValueError at the first piece that is not valid JSON, and its snapshot of the input leaves out a string
that is still open, which is the text one wants to see grow. It yields the raw events as well, and only those are read
here, so both give the same deltas.

Set ``"eager_input_streaming": True`` on each tool: without it the API checks the arguments first, and they arrive
whole. With it they may be cut off or invalid, which the formats of editstream expect. A stream that breaks off has no
``content_block_stop`` for its last block.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import ClassVar

from editstream.operators.formats.deltas import Delta

from .iteration import Deltas, Stream
from .translator import Translator, expect, get, string


class AnthropicMessages(Translator):
    """Events of Anthropic Messages to deltas; ``pause_turn`` and ``refusal`` end a turn that is not whole."""

    COMPLETE: ClassVar = frozenset({"end_turn", "stop_sequence", "tool_use"})

    def _translate(self, event: object) -> Iterator[Delta]:
        index = get(event, "index")
        match expect(event, "type"):
            case "content_block_start":
                yield from self._start(index, get(event, "content_block"))
            case "content_block_delta":
                delta = get(event, "delta")
                match get(delta, "type"):
                    case "text_delta":
                        yield from self._text(string(delta, "text"))
                    case "input_json_delta":
                        yield from self._arguments(index, string(delta, "partial_json"))
                    case _:
                        pass
            case "content_block_stop":
                self._done(index)
            case "message_delta":
                if reason := string(get(event, "delta"), "stop_reason"):
                    self._finish(reason)
            case "error":
                self._finish("error")
            case _:
                pass

    def _start(self, index: int, block: object) -> Iterator[Delta]:
        match get(block, "type"):
            case "text":
                yield from self._text(string(block, "text"))
            case "tool_use":
                yield from self._begin(index, string(block, "id"), string(block, "name"))
                if whole := get(block, "input"):  # empty at the API itself; proxies have been seen to give all of it
                    yield from self._arguments(index, json.dumps(whole))
            case _:
                pass


def anthropic_messages(stream: Stream) -> Deltas:
    """The deltas of ``client.messages.create(stream=True, …)`` or ``messages.stream(…)``, sync, async, or beta."""
    return Deltas(stream, AnthropicMessages)
