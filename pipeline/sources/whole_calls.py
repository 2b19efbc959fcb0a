"""google-genai and Ollama: text in pieces, tool calls whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from editstream.operators.formats.deltas import Delta

from .iteration import Deltas, Stream
from .translator import Translator, expect, get, sequence, string


class GoogleGenAI(Translator):
    """Responses of google-genai to deltas; of several candidates the first one counts."""

    COMPLETE: ClassVar = frozenset({"STOP"})

    def _translate(self, event: object) -> Iterator[Delta]:
        expect(event, "candidates")
        for candidate in sequence(event, "candidates")[:1]:
            for part in sequence(get(candidate, "content"), "parts"):
                if not get(part, "thought"):
                    yield from self._text(string(part, "text"))
                if call := get(part, "function_call"):
                    yield from self._call(call)
            if reason := string(candidate, "finish_reason"):
                self._finish(str(getattr(reason, "value", reason)))

    def _call(self, call: object) -> Iterator[Delta]:
        if get(call, "partial_args") or get(call, "will_continue"):
            raise ValueError("arguments in parts by JSON path are not read: leave out stream_function_call_arguments")
        yield from self._whole(string(call, "id"), string(call, "name"), get(call, "args"))


class OllamaChat(Translator):
    """Chunks of Ollama's chat to deltas; it gives calls without an id, so they get one here."""

    COMPLETE: ClassVar = frozenset({"stop"})

    def _translate(self, event: object) -> Iterator[Delta]:
        if get(event, "error"):
            self._finish("error")
            return
        message = expect(event, "message")
        yield from self._text(string(message, "content"))
        for call in sequence(message, "tool_calls"):
            function = get(call, "function")
            yield from self._whole(string(call, "id"), string(function, "name"), get(function, "arguments"))
        if get(event, "done"):
            self._finish(string(event, "done_reason"))


def google_genai(stream: Stream) -> Deltas:
    """The deltas of ``client.models.generate_content_stream(…)``, or of the awaited one of ``client.aio``."""
    return Deltas(stream, GoogleGenAI)


def ollama_chat(stream: Stream) -> Deltas:
    """The deltas of ``client.chat(stream=True, …)``, or of the awaited one of ``AsyncClient``."""
    return Deltas(stream, OllamaChat)
