"""LangChain: the message chunks of a chat model's ``stream``, and a handler for its callbacks."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from editstream.operators.events import Reason
from editstream.operators.formats.deltas import Delta

from .iteration import Deltas, Stream
from .translator import PieceTranslator, expect, get, sequence, string


class LangChainChunks(PieceTranslator):
    """Message chunks of LangChain to deltas; text may be a string or a list of blocks.

    The finish reason has each provider's own name and words.
    """

    COMPLETE: ClassVar = frozenset({"stop", "STOP", "tool_calls", "end_turn", "stop_sequence", "tool_use", "completed"})
    _REASONS: ClassVar = ("finish_reason", "stop_reason", "done_reason", "status")

    def _translate(self, event: object) -> Iterator[Delta]:
        yield from self._content(expect(event, "content"))
        for call in sequence(event, "tool_call_chunks"):
            yield from self._piece(get(call, "index"), string(call, "id"), string(call, "name"), string(call, "args"))
        metadata = get(event, "response_metadata")
        for reason in filter(None, (string(metadata, name) for name in self._REASONS)):
            self._end_calls()
            self._finish(reason)


class LangChainCallbacks:
    """What a LangChain handler does for editstream: hands the deltas of a model call, as they come, to ``consume``.

    Make one with ``langchain_handler``. An exception of ``consume`` stops the model's call.
    """

    raise_error = True
    run_inline = True  # in order, and before the model goes on

    def __init__(self, consume: Callable[[Delta], object]) -> None:
        self._consume = consume
        self._translator = LangChainChunks()

    def on_chat_model_start(self, *_args: Any, **_fields: Any) -> None:
        """A turn begins."""
        self._translator = LangChainChunks()

    def on_llm_new_token(self, token: Any, *, chunk: Any = None, **_fields: Any) -> None:
        """A chunk of the answer has come."""
        for delta in self._translator.feed(expect(chunk, "message")):
            self._consume(delta)

    def on_llm_end(self, response: Any, **_fields: Any) -> None:
        """The answer has ended by itself."""
        self._close("complete")

    def on_llm_error(self, error: BaseException, **_fields: Any) -> None:
        """The call has failed; its caller gets the error."""
        self._close("truncated")

    def _close(self, reason: Reason) -> None:
        for delta in self._translator.close(reason):
            self._consume(delta)


def langchain_chunks(stream: Stream) -> Deltas:
    """The deltas of a chat model's ``stream(…)`` or ``astream(…)``."""
    return Deltas(stream, LangChainChunks)


def langchain_handler(consume: Callable[[Delta], object]) -> Any:
    """A callback handler that hands each delta to ``consume``; it serves one model call at a time.

    Pass it as ``config={"callbacks": [handler]}`` to a model that was made with ``streaming=True``, or to ``stream``.
    Raises ImportError without langchain-core.
    """
    base = importlib.import_module("langchain_core.callbacks").BaseCallbackHandler
    return type("EditstreamHandler", (LangChainCallbacks, base), {})(consume)
