"""Sources: what an SDK yields, as neutral deltas, without importing the SDK.

    for delta in anthropic_messages(client.messages.create(stream=True, ...)):
        session.feed(delta)

Each function takes the SDK's stream, or any iterable of its events as objects or plain dicts, and is iterated by
``for`` or ``async for``, as that stream is. For callbacks there is the translator itself: ``feed(event)`` for each
event, then ``close()``, or ``close("truncated")`` where the source has failed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .anthropic import AnthropicMessages, anthropic_messages
from .iteration import Deltas, Stream
from .langchain import LangChainChunks, langchain_chunks, langchain_handler
from .openai_chat import LiteLLMChat, OpenAIChat, litellm_chat, openai_chat
from .openai_responses import OpenAIResponses, openai_responses
from .plain import PlainText, Recorded, plain_text, recorded
from .pydantic_ai import PydanticAI, pydantic_ai_events
from .translator import Translator
from .whole_calls import GoogleGenAI, OllamaChat, google_genai, ollama_chat

TRANSLATORS: Final[Mapping[str, type[Translator]]] = {
    "anthropic": AnthropicMessages,
    "google-genai": GoogleGenAI,
    "langchain": LangChainChunks,
    "litellm": LiteLLMChat,
    "ollama": OllamaChat,
    "openai": OpenAIChat,
    "openai-responses": OpenAIResponses,
    "pydantic-ai": PydanticAI,
    "recording": Recorded,
    "text": PlainText,
}
"""The translators by the name of their SDK, as a command line names it."""


def deltas(stream: Stream, sdk: str) -> Deltas:
    """The deltas of a stream of the SDK with this name, as ``TRANSLATORS`` has it.

    Raises:
        ValueError: there is no SDK of this name.
    """
    if sdk not in TRANSLATORS:
        raise ValueError(f"no SDK of the name {sdk!r}: choose one of {', '.join(TRANSLATORS)}")
    return Deltas(stream, TRANSLATORS[sdk])


__all__ = [
    "TRANSLATORS",
    "AnthropicMessages",
    "Deltas",
    "GoogleGenAI",
    "LangChainChunks",
    "LiteLLMChat",
    "OllamaChat",
    "OpenAIChat",
    "OpenAIResponses",
    "PlainText",
    "PydanticAI",
    "Recorded",
    "Stream",
    "Translator",
    "anthropic_messages",
    "deltas",
    "google_genai",
    "langchain_chunks",
    "langchain_handler",
    "litellm_chat",
    "ollama_chat",
    "openai_chat",
    "openai_responses",
    "plain_text",
    "pydantic_ai_events",
    "recorded",
]
