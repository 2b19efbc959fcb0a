"""The tool schemas in the requests of each SDK's own client, to the loopback server, and held to its declared types."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import pytest
from clients import (
    ASK,
    CHAT,
    CLAUDE,
    CLIENTS,
    google_client,
    langchain_anthropic,
    langchain_openai,
    litellm_request,
    pydantic_openai,
)
from loopback import Loopback
from pydantic import ConfigDict, TypeAdapter, ValidationError
from turns import TURN

from editstream.prompts import FormatName, ProviderName, tools
from editstream.prompts.examples import EXAMPLES, Call

# What the SDKs have to say about each other and leave open is theirs.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("leftovers")]

WITH_TOOLS: tuple[FormatName, ...] = ("tools", "text_editor", "patch")
Json = dict[str, Any]


def ask_anthropic(url: str, given: list[Json]) -> None:
    import anthropic

    with (
        anthropic.Anthropic(base_url=url, api_key="none", max_retries=0) as client,
        client.messages.create(stream=True, **CLAUDE, tools=given) as stream,
    ):
        list(stream)


def ask_openai(url: str, given: list[Json]) -> None:
    import openai

    with (
        openai.OpenAI(base_url=url, api_key="none", max_retries=0) as client,
        client.chat.completions.create(stream=True, **CHAT, tools=given) as stream,
    ):
        list(stream)


def ask_responses(url: str, given: list[Json]) -> None:
    import openai

    with (
        openai.OpenAI(base_url=url, api_key="none", max_retries=0) as client,
        client.responses.create(stream=True, model="gpt-4o", input="Edit.", tools=given) as stream,
    ):
        list(stream)


def ask_litellm(url: str, given: list[Json]) -> None:
    import litellm

    list(litellm.completion(**litellm_request("openai/gpt-4o", url) | {"tools": given}))


def ask_litellm_claude(url: str, given: list[Json]) -> None:
    import litellm

    list(litellm.completion(**litellm_request("anthropic/claude-x", url) | {"tools": given}))


def ask_langchain(url: str, given: list[Json]) -> None:
    list(langchain_openai(url).bind_tools(given).stream("Edit."))


def ask_langchain_claude(url: str, given: list[Json]) -> None:
    list(langchain_anthropic(url).bind_tools(given).stream("Edit."))


def ask_pydantic_ai(url: str, given: list[Json]) -> None:
    from pydantic_ai import ModelRequest
    from pydantic_ai.direct import model_request_stream_sync
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    asked = ModelRequestParameters(function_tools=[ToolDefinition(**tool) for tool in given])
    request = [ModelRequest.user_text_prompt("Edit.")]
    with model_request_stream_sync(pydantic_openai(url), request, model_request_parameters=asked) as stream:
        list(stream)


def ask_google(url: str, given: list[Json]) -> None:
    with google_client(url) as client:
        stream = client.models.generate_content_stream(model="gemini", contents="Edit.", config={"tools": given})
        list(stream)


def ask_ollama(url: str, given: list[Json]) -> None:
    import ollama

    with ollama.Client(host=url) as client:
        list(client.chat("llama", ASK, stream=True, tools=given))


def of_claude(body: Json) -> list[Json]:
    return [tool["input_schema"] for tool in body["tools"]]


def of_chat(body: Json) -> list[Json]:
    return [tool["function"]["parameters"] for tool in body["tools"]]


def of_google(body: Json) -> list[Json]:
    (tool,) = body["tools"]
    return [declared["parameters_json_schema"] for declared in tool["functionDeclarations"]]


def unchanged(schema: Json) -> Json:
    return schema


def as_ollama_has_it(schema: Json) -> Json:
    """A schema without what the SDK has no fields for."""
    kept = ("type", "items", "description", "enum")
    fields = {name: {key: field[key] for key in kept if key in field} for name, field in schema["properties"].items()}
    return {"type": "object", "required": schema["required"], "properties": fields}


@dataclass(frozen=True)
class Sender:
    """A way to send tools: whose shape they have, the client whose answer is played, and what the SDK makes of them.

    ``schemas`` are those in the request's body; None where the body has the tools as they were given.
    """

    provider: ProviderName
    client: str
    send: Callable[[str, list[Json]], None]
    schemas: Callable[[Json], list[Json]] | None = None
    made_of: Callable[[Json], Json] = unchanged


SENDERS = {
    "anthropic": Sender("anthropic", "anthropic", ask_anthropic),
    "openai": Sender("openai", "openai", ask_openai),
    "openai-responses": Sender("openai-responses", "openai-responses", ask_responses),
    "litellm-openai": Sender("litellm", "litellm-openai", ask_litellm),
    "litellm-anthropic": Sender("litellm", "litellm-anthropic", ask_litellm_claude, of_claude),
    "langchain-openai": Sender("langchain", "langchain-openai", ask_langchain),
    "langchain-anthropic": Sender("langchain", "langchain-anthropic", ask_langchain_claude, of_claude),
    "langchain-claude-tools": Sender("anthropic", "langchain-anthropic", ask_langchain_claude),
    "pydantic-ai": Sender("pydantic-ai", "pydantic-ai-openai", ask_pydantic_ai, of_chat),
    "google-genai": Sender("google-genai", "google-genai", ask_google, of_google),
    "ollama": Sender("ollama", "ollama", ask_ollama, of_chat, as_ollama_has_it),
}


@pytest.fixture(params=SENDERS)
def sender(request: pytest.FixtureRequest) -> Sender:
    chosen: Sender = SENDERS[request.param]
    needs = CLIENTS[chosen.client].needs
    pytest.importorskip(needs, reason=f"{needs} is missing: install the extra sdk-tests")
    return chosen


@pytest.mark.parametrize("format_", WITH_TOOLS)
def test_tools_arrive_as_they_are_documented(server: Loopback, sender: Sender, format_: FormatName) -> None:
    """The request that a client makes has the tools as they were given, or each schema whole in the SDK's own shape."""
    given = tools(format_, sender.provider)
    server.answer = CLIENTS[sender.client].answer(TURN)
    sender.send(server.url, given)
    body: Json = json.loads(server.asked)
    if sender.schemas is None:
        assert json.dumps(body["tools"], sort_keys=True) == json.dumps(given, sort_keys=True)
        return
    wanted = [sender.made_of(tool["parameters_json_schema"]) for tool in tools(format_, "pydantic-ai")]
    arrived = sender.schemas(body)
    assert arrived == wanted
    # Models follow the order of the fields, which == does not look at.
    assert [list(schema["properties"]) for schema in arrived] == [list(schema["properties"]) for schema in wanted]


@pytest.mark.parametrize(
    ("format_", "provider"), [(f, p) for f in WITH_TOOLS for p in ("anthropic", "openai-responses")]
)
def test_tools_are_what_the_sdk_declares(format_: FormatName, provider: ProviderName) -> None:
    """Tools fit the types that the SDK declares for its requests, without a field that these do not know."""
    if provider == "anthropic":
        declared = pytest.importorskip("anthropic.types").ToolUnionParam
    else:
        declared = pytest.importorskip("openai.types.responses").ToolParam
    adapter = TypeAdapter(declared, config=ConfigDict(extra="forbid"))
    for tool in tools(format_, provider):
        adapter.validate_python(tool)
        with pytest.raises(ValidationError):
            adapter.validate_python({**tool, "no_such_field": 1})


@pytest.mark.parametrize("format_", ["tools", "text_editor"])
def test_schemas_are_json_schemas_that_the_examples_fit(format_: FormatName) -> None:
    """Each schema is a valid JSON schema by the specification, and the arguments of each example are valid for it."""
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema comes with LiteLLM: install the extra sdk-tests")
    schemas = {tool["name"]: tool["parameters_json_schema"] for tool in tools(format_, "pydantic-ai")}
    calls = [call for example in EXAMPLES[format_] for call in example.turn if isinstance(call, Call)]
    assert {call.tool for call in calls} == set(schemas)
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    for call in calls:
        jsonschema.validate(call.arguments, schemas[call.tool])
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**call.arguments, "path": 1}, schemas[call.tool])


def test_every_provider_is_sent_to() -> None:
    """Tools of each provider's shape are sent by a client of that name."""
    assert {sender.provider for sender in SENDERS.values()} == set(get_args(ProviderName))
