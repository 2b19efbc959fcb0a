"""The real clients in an agent's loop: how each asks with all messages so far, and what its request says then."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from clients import (
    ASK,
    CHAT,
    CLAUDE,
    google_client,
    langchain_anthropic,
    langchain_openai,
    litellm_request,
    pydantic_anthropic,
    pydantic_openai,
)

from editstream.prompts import ProviderName, tools

Json: TypeAlias = dict[str, Any]
Said: TypeAlias = tuple[Any, ...]
"""``("call", id, name, arguments)`` or ``("result", id, text, whether it is marked as an error)``."""


@dataclass(frozen=True)
class Agent:
    """A client, by its name in ``CLIENTS``: the first messages, how it asks, and what is in the request's body.

    ``marks`` is true where the SDK passes on that a result is an error.
    """

    sdk: ProviderName
    client: str
    first: list[Json]
    ask: Callable[[str, list[Json]], AbstractContextManager[Any]]
    said: Callable[[Json], Iterator[Said]]
    marks: bool = False


def ask_anthropic(url: str, messages: list[Json]) -> AbstractContextManager[Any]:
    import anthropic

    client = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)
    given = tools("tools", "anthropic")
    return client.messages.create(**{**CLAUDE, "messages": messages}, stream=True, tools=given)


def ask_openai(url: str, messages: list[Json]) -> AbstractContextManager[Any]:
    import openai

    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    given = tools("tools", "openai")
    return client.chat.completions.create(**{**CHAT, "messages": messages}, stream=True, tools=given)


def ask_responses(url: str, messages: list[Json]) -> AbstractContextManager[Any]:
    import openai

    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    given = tools("tools", "openai-responses")
    return client.responses.create(model="gpt-4o", input=messages, stream=True, tools=given)


def ask_litellm(model: str) -> Callable[[str, list[Json]], AbstractContextManager[Any]]:
    @contextmanager
    def ask(url: str, messages: list[Json]) -> Iterator[Any]:
        import litellm

        request = {"messages": messages, "tools": tools("tools", "litellm")}
        yield litellm.completion(**litellm_request(model, url) | request)

    return ask


def ask_langchain(model: Callable[[str], Any]) -> Callable[[str, list[Json]], AbstractContextManager[Any]]:
    def ask(url: str, messages: list[Json]) -> AbstractContextManager[Any]:
        return closing(model(url).bind_tools(tools("tools", "langchain")).stream(messages))

    return ask


def ask_pydantic_ai(model: Callable[[str], Any]) -> Callable[[str, list[Json]], AbstractContextManager[Any]]:
    def ask(url: str, messages: list[Json]) -> AbstractContextManager[Any]:
        from pydantic_ai import ModelMessagesTypeAdapter, ToolDefinition
        from pydantic_ai.direct import model_request_stream_sync
        from pydantic_ai.models import ModelRequestParameters

        given = [ToolDefinition(**tool) for tool in tools("tools", "pydantic-ai")]
        return model_request_stream_sync(
            model(url),
            ModelMessagesTypeAdapter.validate_python(messages),
            model_request_parameters=ModelRequestParameters(function_tools=given),
        )

    return ask


@contextmanager
def ask_google(url: str, messages: list[Json]) -> Iterator[Any]:
    with google_client(url) as client:
        config = {"tools": tools("tools", "google-genai")}
        yield client.models.generate_content_stream(model="gemini", contents=messages, config=config)


@contextmanager
def ask_ollama(url: str, messages: list[Json]) -> Iterator[Any]:
    import ollama

    with ollama.Client(host=url) as client:
        yield client.chat("llama", messages, stream=True, tools=tools("tools", "ollama"))


def of_claude(body: Json) -> Iterator[Said]:
    for message in body["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else ():
            match block:
                case {"type": "tool_use", "id": id, "name": name, "input": arguments}:
                    yield "call", id, name, arguments
                case {"type": "tool_result", "tool_use_id": id, "content": content}:
                    text = content if isinstance(content, str) else "".join(part["text"] for part in content)
                    yield "result", id, text, bool(block.get("is_error"))


def of_chat(body: Json) -> Iterator[Said]:
    for message in body["messages"]:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            yield "call", call["id"], function["name"], json.loads(function["arguments"])
        if message["role"] == "tool":
            yield "result", message["tool_call_id"], message["content"], False


def of_responses(body: Json) -> Iterator[Said]:
    for item in body["input"]:
        match item:
            case {"type": "function_call", "call_id": id, "name": name, "arguments": arguments}:
                yield "call", id, name, json.loads(arguments)
            case {"type": "function_call_output", "call_id": id, "output": output}:
                yield "result", id, output, False


def of_google(body: Json) -> Iterator[Said]:
    for content in body["contents"]:
        for part in content["parts"]:
            match part:
                case {"functionCall": {"id": id, "name": name, "args": arguments}}:
                    yield "call", id, name, arguments
                case {"functionResponse": {"id": id, "response": response}}:
                    yield "result", id, next(iter(response.values())), "error" in response


def of_ollama(body: Json) -> Iterator[Said]:
    for message in body["messages"]:
        for call in message.get("tool_calls", ()):
            yield "call", None, call["function"]["name"], call["function"]["arguments"]
        if message["role"] == "tool":
            yield "result", None, message["content"], False


FIRST_OF_GOOGLE = [{"role": "user", "parts": [{"text": "Edit."}]}]
FIRST_OF_PYDANTIC = [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Edit."}]}]

AGENTS = {
    agent.client: agent
    for agent in (
        Agent("anthropic", "anthropic", ASK, ask_anthropic, of_claude, marks=True),
        Agent("openai", "openai", ASK, ask_openai, of_chat),
        Agent("openai-responses", "openai-responses", ASK, ask_responses, of_responses),
        Agent("litellm", "litellm-openai", ASK, ask_litellm("openai/gpt-4o"), of_chat),
        Agent("litellm", "litellm-anthropic", ASK, ask_litellm("anthropic/claude-x"), of_claude),
        Agent("langchain", "langchain-openai", ASK, ask_langchain(langchain_openai), of_chat),
        Agent("langchain", "langchain-anthropic", ASK, ask_langchain(langchain_anthropic), of_claude, marks=True),
        Agent("pydantic-ai", "pydantic-ai-openai", FIRST_OF_PYDANTIC, ask_pydantic_ai(pydantic_openai), of_chat),
        Agent(
            "pydantic-ai", "pydantic-ai-anthropic", FIRST_OF_PYDANTIC, ask_pydantic_ai(pydantic_anthropic), of_claude
        ),
        Agent("google-genai", "google-genai", FIRST_OF_GOOGLE, ask_google, of_google, marks=True),
        Agent("ollama", "ollama", ASK, ask_ollama, of_ollama),
    )
}
