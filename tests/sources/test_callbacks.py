"""Ways into the SDKs beside a plain stream: LangChain's callbacks, an agent's run, events written down as JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import clients
import pytest
from clients import CLIENTS
from loopback import Loopback
from turns import LIMIT, STOPPED, TURN, Turn, joined

from editstream.operators.events import End
from editstream.operators.formats.deltas import Delta
from editstream.sources import anthropic_messages, deltas, langchain_handler, openai_chat, pydantic_ai_events

# What the SDKs have to say about each other and leave open is theirs.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("leftovers")]
TURNS = pytest.mark.parametrize(
    ("turn", "reason"), [(TURN, "complete"), (LIMIT, "truncated")], ids=["complete", "limit"]
)


def needs(module: str) -> Any:
    return pytest.importorskip(module, reason=f"{module} is missing: install the extra sdk-tests")


@TURNS
@pytest.mark.parametrize("name", ["langchain-openai", "langchain-responses", "langchain-anthropic"])
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_langchain_handler_gives_the_deltas(server: Loopback, name: str, mode: str, turn: Turn, reason: Any) -> None:
    """A callback handler on an invoked, streaming LangChain model is handed the same deltas as a stream gives."""
    needs(CLIENTS[name].needs)
    make: Callable[..., Any] = getattr(clients, name.replace("-", "_"))
    server.answer = CLIENTS[name].answer(turn)
    given: list[Delta] = []
    config = {"callbacks": [langchain_handler(given.append)]}
    model = make(server.url, streaming=True)
    for _ in range(2):  # a handler serves one turn after the other
        given.clear()
        if mode == "sync":
            model.invoke("Edit.", config=config)
        else:
            asyncio.run(model.ainvoke("Edit.", config=config))
        assert joined(given) == turn.deltas(reason, cut=reason == "truncated")


def test_a_langchain_handler_ends_a_failed_call_as_truncated(server: Loopback) -> None:
    """A LangChain call that fails in the middle hands over a truncated end, and its caller gets the error."""
    needs("langchain_openai")
    from openai import APIConnectionError

    server.answer = CLIENTS["langchain-openai"].answer(STOPPED, drop=True)
    given: list[Delta] = []
    model = clients.langchain_openai(server.url, streaming=True, callbacks=[langchain_handler(given.append)])
    with pytest.raises(APIConnectionError):
        model.invoke("Edit.")
    assert joined(given) == STOPPED.deltas("truncated", cut=True)


def test_an_exception_in_a_langchain_consumer_stops_the_call(server: Loopback) -> None:
    """What the consumer of a LangChain handler raises comes out of the model's call."""
    needs("langchain_openai")
    server.answer = CLIENTS["langchain-openai"].answer(TURN)

    def consume(delta: Delta) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        clients.langchain_openai(server.url, streaming=True).invoke(
            "Edit.", config={"callbacks": [langchain_handler(consume)]}
        )


@TURNS
@pytest.mark.parametrize("name", ["pydantic-ai-openai", "pydantic-ai-anthropic"])
def test_a_pydantic_ai_agent_gives_the_deltas(server: Loopback, name: str, turn: Turn, reason: Any) -> None:
    """The stream of a model node in an agent's run gives the deltas of that one response."""
    needs("pydantic_ai")
    from pydantic_ai import Agent

    make: Callable[[str], Any] = getattr(clients, name.replace("pydantic-ai-", "pydantic_"))
    server.answer = CLIENTS[name].answer(turn)

    async def read() -> list[Delta]:
        agent = Agent(make(server.url))
        async with agent.iter("Edit.") as run:
            async for node in run:
                if Agent.is_model_request_node(node):
                    async with node.stream(run.ctx) as stream:
                        return [delta async for delta in pydantic_ai_events(stream)]
        raise AssertionError("the agent asked no model")

    assert joined(asyncio.run(read())) == turn.deltas(reason, cut=reason == "truncated")


@TURNS
def test_events_of_anthropic_and_openai_as_json(server: Loopback, turn: Turn, reason: Any) -> None:
    """The SDK's own events, written down as JSON Lines and read again, give the same deltas as the objects."""
    anthropic, openai = needs("anthropic"), needs("openai")
    server.answer = CLIENTS["anthropic"].answer(turn)
    with anthropic.Anthropic(base_url=server.url, api_key="none", max_retries=0) as client:
        lines = [event.model_dump_json() for event in client.messages.create(stream=True, **clients.CLAUDE)]
    wanted = turn.deltas(reason, cut=reason == "truncated")
    assert joined(list(anthropic_messages(map(json.loads, lines)))) == wanted
    server.answer = CLIENTS["openai"].answer(turn)
    with openai.OpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
        lines = [event.model_dump_json() for event in client.chat.completions.create(stream=True, **clients.CHAT)]
    assert joined(list(openai_chat(map(json.loads, lines)))) == wanted


@TURNS
def test_events_of_the_other_sdks_as_json(server: Loopback, turn: Turn, reason: Any) -> None:
    """The events of LangChain, LiteLLM and pydantic-ai, written down as JSON, give the deltas of the objects."""
    for module in ("langchain_openai", "litellm", "pydantic_ai"):
        needs(module)
    import litellm
    from pydantic import TypeAdapter
    from pydantic_ai import ModelRequest
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import ModelResponse, ModelResponseStreamEvent

    server.answer = CLIENTS["openai"].answer(turn)
    lines = {"langchain": [c.model_dump_json() for c in clients.langchain_openai(server.url).stream("Edit.")]}
    chunks = litellm.completion(**clients.litellm_request("openai/gpt-4o", server.url))
    lines["litellm"] = [chunk.model_dump_json() for chunk in chunks]

    async def pydantic_ai() -> list[str]:
        model, ask = clients.pydantic_openai(server.url), [ModelRequest.user_text_prompt("Edit.")]
        async with model_request_stream(model, ask) as stream:
            kind = TypeAdapter[Any](ModelResponseStreamEvent)
            events = [kind.dump_json(event).decode() async for event in stream]
            return [*events, TypeAdapter(ModelResponse).dump_json(stream.get()).decode()]

    lines["pydantic-ai"] = asyncio.run(pydantic_ai())
    for sdk, texts in lines.items():
        given = joined(list(deltas(map(json.loads, texts), sdk)))
        assert given == turn.deltas(reason, cut=reason == "truncated"), sdk


@TURNS
def test_events_of_responses_google_and_ollama_as_json(server: Loopback, turn: Turn, reason: Any) -> None:
    """The events of OpenAI Responses, google-genai and Ollama, written down as JSON, give the deltas of the objects."""
    openai, ollama = needs("openai"), needs("ollama")
    needs("google.genai")
    lines: dict[str, list[str]] = {}
    server.answer = CLIENTS["openai-responses"].answer(turn)
    with openai.OpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
        events = client.responses.create(stream=True, model="gpt-4o", input="Edit.")
        lines["openai-responses"] = [event.model_dump_json() for event in events]
    server.answer = CLIENTS["google-genai"].answer(turn)
    with clients.google_client(server.url) as client:
        chunks = client.models.generate_content_stream(model="gemini", contents="Edit.")
        lines["google-genai"] = [chunk.model_dump_json() for chunk in chunks]
    server.answer = CLIENTS["ollama"].answer(turn)
    with ollama.Client(host=server.url) as client:
        lines["ollama"] = [chunk.model_dump_json() for chunk in client.chat("llama", clients.ASK, stream=True)]
    for sdk, texts in lines.items():
        wanted, error = CLIENTS[sdk].read(_answering(server, sdk, turn), "sync")
        assert error is None
        assert joined(list(deltas(map(json.loads, texts), sdk))) == wanted, sdk
        assert wanted[-1] == End(reason)


def _answering(server: Loopback, sdk: str, turn: Turn) -> str:
    server.answer = CLIENTS[sdk].answer(turn)
    return server.url
