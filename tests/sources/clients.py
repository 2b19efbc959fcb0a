"""The real clients of each SDK, talking to the loopback server: how one asks, and what the server says then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import turns
from loopback import Answer
from turns import Event, Events, Turn

from editstream import sources
from editstream.operators.formats.deltas import Delta

ASK = [{"role": "user", "content": "Edit."}]
TOOLS = [
    {"type": "function", "function": {"name": name, "description": "Edit.", "parameters": {"type": "object"}}}
    for name in ("replace_in_file", "write_to_file")
]


@dataclass(frozen=True)
class Client:
    """One way to ask a model: the modules it needs, the API's events and their wire format, sync and async use.

    ``whole`` is true where calls come parsed; ``error`` is an error event in the middle of the stream.
    """

    needs: str
    events: Events
    wire: Callable[[Any], tuple[bytes, ...]]
    error: Event
    sync: Callable[[str], Iterator[Delta]] | None
    asynchronous: Callable[[str], AsyncIterator[Delta]] | None
    whole: bool = False
    content_type: str = "text/event-stream"

    def answer(self, turn: Turn, size: int = 7, *, also: tuple[Event, ...] = (), **fields: Any) -> Answer:
        return Answer(self.wire([*self.events(turn, size), *also]), self.content_type, **fields)

    def read(self, url: str, mode: str) -> tuple[list[Delta], Exception | None]:
        """All deltas of one request, and the exception that ended it."""
        given: list[Delta] = []
        try:
            if mode == "sync":
                assert self.sync is not None
                given.extend(self.sync(url))
            else:
                asyncio.run(self._read(url, given))
        except Exception as error:  # noqa: BLE001 - whatever the SDK raises is looked at by the test
            return turns.joined(given), error
        return turns.joined(given), None

    async def _read(self, url: str, given: list[Delta]) -> None:
        assert self.asynchronous is not None
        async for delta in self.asynchronous(url):
            given.append(delta)  # noqa: PERF401 - what came before an exception is kept


def named(events: Any) -> tuple[bytes, ...]:
    return turns.sse(events, named=True)


def done(events: Any) -> tuple[bytes, ...]:
    return turns.sse(events, last="[DONE]" if any(_finishes(event) for event in events) else None)


def _finishes(event: Event) -> bool:
    return any(choice["finish_reason"] for choice in event.get("choices", ()))


# Anthropic ------------------------------------------------------------------------------------------------------------

CLAUDE: dict[str, Any] = {"model": "claude-x", "max_tokens": 99, "messages": ASK}


def anthropic_sync(url: str) -> Iterator[Delta]:
    import anthropic

    with (
        anthropic.Anthropic(base_url=url, api_key="none", max_retries=0) as client,
        client.messages.create(stream=True, **CLAUDE) as stream,
    ):
        yield from sources.anthropic_messages(stream)


async def anthropic_async(url: str) -> AsyncIterator[Delta]:
    import anthropic

    async with (
        anthropic.AsyncAnthropic(base_url=url, api_key="none", max_retries=0) as client,
        await client.messages.create(stream=True, **CLAUDE) as stream,
    ):
        async for delta in sources.anthropic_messages(stream):
            yield delta


def anthropic_helper_sync(url: str) -> Iterator[Delta]:
    import anthropic

    with (
        anthropic.Anthropic(base_url=url, api_key="none", max_retries=0) as client,
        client.messages.stream(**CLAUDE) as stream,
    ):
        yield from sources.anthropic_messages(stream)


async def anthropic_helper_async(url: str) -> AsyncIterator[Delta]:
    import anthropic

    async with (
        anthropic.AsyncAnthropic(base_url=url, api_key="none", max_retries=0) as client,
        client.messages.stream(**CLAUDE) as stream,
    ):
        async for delta in sources.anthropic_messages(stream):
            yield delta


ANTHROPIC_ERROR = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


def anthropic_client(needs: str, sync: Any, asynchronous: Any) -> Client:
    return Client(needs, turns.anthropic_events, named, ANTHROPIC_ERROR, sync, asynchronous)


# OpenAI ---------------------------------------------------------------------------------------------------------------

CHAT: dict[str, Any] = {"model": "gpt-4o", "messages": ASK, "stream_options": {"include_usage": True}}


def chat_sync(url: str) -> Iterator[Delta]:
    import openai

    with (
        openai.OpenAI(base_url=url, api_key="none", max_retries=0) as client,
        client.chat.completions.create(stream=True, **CHAT) as stream,
    ):
        yield from sources.openai_chat(stream)


async def chat_async(url: str) -> AsyncIterator[Delta]:
    import openai

    async with (
        openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client,
        await client.chat.completions.create(stream=True, **CHAT) as stream,
    ):
        async for delta in sources.openai_chat(stream):
            yield delta


def responses_sync(url: str) -> Iterator[Delta]:
    import openai

    with (
        openai.OpenAI(base_url=url, api_key="none", max_retries=0) as client,
        client.responses.create(stream=True, model="gpt-4o", input="Edit.") as stream,
    ):
        yield from sources.openai_responses(stream)


async def responses_async(url: str) -> AsyncIterator[Delta]:
    import openai

    async with (
        openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client,
        await client.responses.create(stream=True, model="gpt-4o", input="Edit.") as stream,
    ):
        async for delta in sources.openai_responses(stream):
            yield delta


CHAT_ERROR = {"error": {"message": "The server had an error", "type": "server_error", "code": None}}
RESPONSES_ERROR = turns.response_event(
    "failed", response=turns.response("failed", error={"code": "server_error", "message": "The server had an error"})
)


def chat_client(needs: str, sync: Any, asynchronous: Any) -> Client:
    return Client(needs, turns.chat_events, done, CHAT_ERROR, sync, asynchronous)


def responses_client(needs: str, sync: Any, asynchronous: Any) -> Client:
    return Client(needs, turns.responses_events, named, RESPONSES_ERROR, sync, asynchronous)


# LiteLLM --------------------------------------------------------------------------------------------------------------


def litellm_request(model: str, url: str) -> dict[str, Any]:
    return {
        "model": model, "messages": ASK, "tools": TOOLS, "stream": True, "api_base": url, "api_key": "none",
        "num_retries": 0, "max_retries": 0,
    }  # fmt: skip


def litellm_sync(model: str) -> Callable[[str], Iterator[Delta]]:
    def read(url: str) -> Iterator[Delta]:
        import litellm

        yield from sources.litellm_chat(litellm.completion(**litellm_request(model, url)))

    return read


def litellm_async(model: str) -> Callable[[str], AsyncIterator[Delta]]:
    async def read(url: str) -> AsyncIterator[Delta]:
        import litellm

        async for delta in sources.litellm_chat(await litellm.acompletion(**litellm_request(model, url))):
            yield delta

    return read


# LangChain ------------------------------------------------------------------------------------------------------------


def langchain_openai(url: str, **options: Any) -> Any:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model="gpt-4o", base_url=url, api_key="none", max_retries=0, **options)


def langchain_responses(url: str, **options: Any) -> Any:
    return langchain_openai(url, use_responses_api=True, **options)


def langchain_anthropic(url: str, **options: Any) -> Any:
    from langchain_anthropic import ChatAnthropic

    return ChatAnthropic(model_name="claude-x", base_url=url, api_key="none", max_retries=0, **options)


def langchain_sync(model: Callable[[str], Any]) -> Callable[[str], Iterator[Delta]]:
    return lambda url: iter(sources.langchain_chunks(model(url).stream("Edit.")))


def langchain_async(model: Callable[[str], Any]) -> Callable[[str], AsyncIterator[Delta]]:
    return lambda url: aiter(sources.langchain_chunks(model(url).astream("Edit.")))


# pydantic-ai ----------------------------------------------------------------------------------------------------------


def pydantic_openai(url: str) -> Any:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    return OpenAIChatModel("gpt-4o", provider=OpenAIProvider(openai_client=client))


def pydantic_anthropic(url: str) -> Any:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(base_url=url, api_key="none", max_retries=0)
    return AnthropicModel("claude-x", provider=AnthropicProvider(anthropic_client=client))


def pydantic_sync(model: Callable[[str], Any]) -> Callable[[str], Iterator[Delta]]:
    def read(url: str) -> Iterator[Delta]:
        from pydantic_ai import ModelRequest
        from pydantic_ai.direct import model_request_stream_sync

        with model_request_stream_sync(model(url), [ModelRequest.user_text_prompt("Edit.")]) as stream:
            yield from sources.pydantic_ai_events(stream)

    return read


def pydantic_async(model: Callable[[str], Any]) -> Callable[[str], AsyncIterator[Delta]]:
    async def read(url: str) -> AsyncIterator[Delta]:
        from pydantic_ai import ModelRequest
        from pydantic_ai.direct import model_request_stream

        async with model_request_stream(model(url), [ModelRequest.user_text_prompt("Edit.")]) as stream:
            async for delta in sources.pydantic_ai_events(stream):
                yield delta

    return read


# google-genai and Ollama ----------------------------------------------------------------------------------------------


def google_client(url: str) -> Any:
    from google import genai

    return genai.Client(api_key="none", vertexai=False, http_options={"base_url": url})


def google_sync(url: str) -> Iterator[Delta]:
    with google_client(url) as client:
        yield from sources.google_genai(client.models.generate_content_stream(model="gemini", contents="Edit."))


async def google_async(url: str) -> AsyncIterator[Delta]:
    async with google_client(url).aio as client:
        stream = await client.models.generate_content_stream(model="gemini", contents="Edit.")
        async for delta in sources.google_genai(stream):
            yield delta


def ollama_sync(url: str) -> Iterator[Delta]:
    import ollama

    with ollama.Client(host=url) as client:
        yield from sources.ollama_chat(client.chat("llama", ASK, stream=True))


async def ollama_async(url: str) -> AsyncIterator[Delta]:
    import ollama

    async with ollama.AsyncClient(host=url) as client:
        async for delta in sources.ollama_chat(await client.chat("llama", ASK, stream=True)):
            yield delta


GOOGLE_ERROR = {"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}}

CLIENTS = {
    "anthropic": anthropic_client("anthropic", anthropic_sync, anthropic_async),
    "anthropic-helper": anthropic_client("anthropic", anthropic_helper_sync, anthropic_helper_async),
    "openai": chat_client("openai", chat_sync, chat_async),
    "openai-responses": responses_client("openai", responses_sync, responses_async),
    "litellm-openai": chat_client("litellm", litellm_sync("openai/gpt-4o"), litellm_async("openai/gpt-4o")),
    "litellm-anthropic": anthropic_client(
        "litellm", litellm_sync("anthropic/claude-x"), litellm_async("anthropic/claude-x")
    ),
    "langchain-openai": chat_client(
        "langchain_openai", langchain_sync(langchain_openai), langchain_async(langchain_openai)
    ),
    "langchain-responses": responses_client(
        "langchain_openai", langchain_sync(langchain_responses), langchain_async(langchain_responses)
    ),
    "langchain-anthropic": anthropic_client(
        "langchain_anthropic", langchain_sync(langchain_anthropic), langchain_async(langchain_anthropic)
    ),
    "pydantic-ai-openai": chat_client("pydantic_ai", pydantic_sync(pydantic_openai), pydantic_async(pydantic_openai)),
    "pydantic-ai-anthropic": anthropic_client(
        "pydantic_ai", pydantic_sync(pydantic_anthropic), pydantic_async(pydantic_anthropic)
    ),
    "google-genai": Client(
        "google.genai", turns.google_events, turns.sse, GOOGLE_ERROR, google_sync, google_async, whole=True
    ),
    "ollama": Client(
        "ollama", turns.ollama_events, turns.ndjson, {"error": "out of memory"}, ollama_sync, ollama_async,
        whole=True, content_type="application/x-ndjson",
    ),
}  # fmt: skip
