"""OpenAI Chat Completions, and what has its shape: LiteLLM, and most servers that call themselves compatible."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from editstream.operators.formats.deltas import Delta

from .iteration import Deltas, Stream
from .translator import PieceTranslator, expect, get, sequence, string


class OpenAIChat(PieceTranslator):
    """Chunks of Chat Completions to deltas; of several choices the first one counts.

    The last chunk may have no choices, only the usage. Calls have an index and no end of their own.
    """

    COMPLETE: ClassVar = frozenset({"stop", "tool_calls"})

    def _translate(self, event: object) -> Iterator[Delta]:
        if get(event, "error"):
            self._finish("error")
            return
        expect(event, "choices")
        for choice in sequence(event, "choices"):
            if not get(choice, "index"):
                yield from self._choice(choice)

    def _choice(self, choice: object) -> Iterator[Delta]:
        delta = get(choice, "delta")
        yield from self._content(get(delta, "content"))
        yield from self._text(string(delta, "refusal"))
        for call in sequence(delta, "tool_calls"):
            function = get(call, "function")
            yield from self._piece(
                get(call, "index"), string(call, "id"), string(function, "name"), string(function, "arguments")
            )
        if reason := string(choice, "finish_reason"):
            self._end_calls()
            self._finish(reason)


class LiteLLMChat(OpenAIChat):
    """Chunks of LiteLLM to deltas.

    LiteLLM ends a stream that broke off with a chunk of its own, which says ``stop``. Only its stream object knows
    whether the provider said so; a bare list of chunks is taken at its word.
    """

    def ended(self, stream: object) -> None:
        """Look whether the provider itself gave a finish reason."""
        names = "received_finish_reason", "intermittent_finish_reason"
        if any(hasattr(stream, name) for name in names) and not any(get(stream, name) for name in names):
            self._finish("none")


def openai_chat(stream: Stream) -> Deltas:
    """The deltas of ``client.chat.completions.create(stream=True, …)``, sync or async."""
    return Deltas(stream, OpenAIChat)


def litellm_chat(stream: Stream) -> Deltas:
    """The deltas of ``litellm.completion(stream=True, …)``, or by ``async for`` of ``acompletion``."""
    return Deltas(stream, LiteLLMChat)
