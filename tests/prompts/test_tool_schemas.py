"""The tool schemas: each SDK's shape around one schema, which takes what the examples and the reader take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from editstream.operators.formats import text_editor, tool_calls, tool_fields
from editstream.prompts import FormatName, ProviderName, tool_models, tools
from editstream.prompts.examples import EXAMPLES, Call
from editstream.sources import TRANSLATORS

MODELS: dict[str, type[BaseModel]] = {
    str(model.model_config["title"]): model
    for model in (tool_models.EditFile, tool_models.WriteFile, tool_models.TextEditor, tool_models.ApplyPatch)
}
WITH_TOOLS: tuple[FormatName, ...] = ("tools", "text_editor", "patch")
NATIVE = {("text_editor", "anthropic"), ("patch", "openai-responses")}
OURS = [(f, p) for f in WITH_TOOLS for p in get_args(ProviderName) if (f, p) not in NATIVE]
CALLS = [call for turns in EXAMPLES.values() for e in turns if not isinstance(e.turn, str) for call in e.turn]


def parts(tool: dict[str, Any], provider: str) -> tuple[str, str, dict[str, Any]]:
    """A tool's name, what is said of it, and its schema."""
    inner = tool["function"] if provider in ("langchain", "litellm", "ollama", "openai") else tool
    key = next(key for key in ("input_schema", "parameters_json_schema", "parameters") if key in inner)
    return inner["name"], inner["description"], inner[key]


def made(format_: FormatName, provider: ProviderName) -> list[tuple[str, str, dict[str, Any]]]:
    given = tools(format_, provider)
    (flat,) = [g["function_declarations"] for g in given] if provider == "google-genai" else [given]
    return [parts(tool, provider) for tool in flat]


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """The schemas of objects in a schema, outermost first."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from objects(value)


def keys(schema: Any) -> Iterator[str]:
    """The keywords of a schema and those in it; names of fields are none."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            yield key
            for inner in value.values() if key == "properties" else (value,):
                yield from keys(inner)


def test_the_providers_are_the_sdks_that_are_read() -> None:
    """Tools have the shape of each SDK whose stream is read, by the same name."""
    assert set(get_args(ProviderName)) == set(TRANSLATORS) - {"recording", "text"}


def test_the_shapes_around_a_schema() -> None:
    """Each SDK's shape has the fields that its requests document, and streams arguments where that is a setting."""
    assert [list(tool) for tool in tools("patch", "anthropic")] == [
        ["name", "description", "input_schema", "eager_input_streaming"]
    ]
    assert tools("patch", "anthropic")[0]["eager_input_streaming"] is True
    (chat,) = tools("patch", "openai")
    assert (list(chat), chat["type"]) == (["type", "function"], "function")
    assert list(chat["function"]) == ["name", "description", "parameters", "strict"]
    for alias in "langchain", "litellm", "ollama":
        (aliased,) = tools("patch", alias)
        assert aliased == {**chat, "function": {k: v for k, v in chat["function"].items() if k != "strict"}}
    responses = tools("tools", "openai-responses")
    assert [list(tool) for tool in responses] == [["type", "name", "description", "parameters", "strict"]] * 2
    (google,) = tools("tools", "google-genai")
    assert google == {"function_declarations": tools("tools", "pydantic-ai")}
    assert [list(tool) for tool in tools("tools", "pydantic-ai")] == [
        ["name", "description", "parameters_json_schema"]
    ] * 2


def test_native_tools_are_named_by_their_type() -> None:
    """Anthropic's text editor and OpenAI's apply_patch are asked for as the provider's own tools."""
    assert tools("text_editor", "anthropic") == [
        {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}
    ]
    assert tools("patch", "openai-responses") == [{"type": "apply_patch"}]


@pytest.mark.parametrize(("format_", "provider"), OURS)
def test_schemas_are_plain_and_closed(format_: FormatName, provider: ProviderName) -> None:
    """A schema uses no reference, title, default or union, describes each field, and allows no other."""
    for _, description, schema in made(format_, provider):
        assert description
        allowed = "type description properties required additionalProperties items enum minItems maxItems minimum"
        assert set(keys(schema)) <= set(allowed.split())
        for found in objects(schema):
            assert found["additionalProperties"] is False
            assert set(found["required"]) <= set(found["properties"])
            assert all(field["description"] for field in found["properties"].values())


@pytest.mark.parametrize("provider", ["openai", "openai-responses"])
def test_strict_mode_has_all_fields_required(provider: ProviderName) -> None:
    """Where OpenAI is asked to be strict, each object requires all of its fields; the text editor's are not strict."""
    for format_ in ("tools", "patch", "text_editor"):
        if (format_, provider) in NATIVE:
            continue
        for tool in tools(format_, provider):
            strict = tool.get("function", tool)["strict"]
            assert strict is (format_ != "text_editor")
            for found in objects(parts(tool, provider)[2]):
                assert (found["required"] == list(found["properties"])) is strict


def test_fields_come_in_the_order_in_which_they_stream() -> None:
    """The path stands before what is written there, a command before all, and old text before new text."""
    edit, write = (schema["properties"] for _, _, schema in made("tools", "anthropic"))
    assert list(edit) == ["path", "edits"]
    assert list(edit["edits"]["items"]["properties"]) == ["old_string", "new_string", "replace_all"]
    assert list(write) == ["path", "content"]
    ((_, _, editor),) = made("text_editor", "openai")
    assert list(editor["properties"])[:2] == ["command", "path"]
    assert editor["required"] == ["command", "path"]


def test_the_reader_knows_every_tool_and_field() -> None:
    """Each tool is one whose calls are read, and each of its fields and commands one that the reader knows."""
    known = {name for names in tool_fields.NAMES.values() for name in names}
    for format_ in "tools", "text_editor":
        for name, _, schema in made(format_, "openai"):
            assert name in tool_calls.TOOLS
            assert {field for found in objects(schema) for field in found["properties"]} <= known
    ((_, _, editor),) = made("text_editor", "openai")
    assert set(editor["properties"]["command"]["enum"]) == set(text_editor.COMMANDS) - {"undo_edit"}


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.tool)
def test_examples_are_valid_calls(call: Call) -> None:
    """The arguments of each example are valid for its tool, with no value changed, and stop being so by a new field."""
    model = MODELS[call.tool]
    read = model.model_validate(call.arguments, strict=True)
    assert read.model_dump(exclude_unset=True) == call.arguments
    with pytest.raises(ValidationError):
        model.model_validate({**call.arguments, "other": 1})


def test_schemas_may_be_changed() -> None:
    """A caller who changes what he was given changes nothing for the next one."""
    for format_, provider in ("tools", "openai"), ("text_editor", "anthropic"):
        given = tools(format_, provider)
        given[0].clear()
        assert tools(format_, provider)[0] != {}


@pytest.mark.parametrize("format_", ["cline", "markdown", "diff"])
def test_formats_of_text_have_no_tools(format_: FormatName) -> None:
    """Asking for the tools of a format that is text is a ValueError that says so, not an empty list."""
    with pytest.raises(ValueError, match=f"the format '{format_}' has no tools"):
        tools(format_, "openai")


def test_unknown_names_are_refused() -> None:
    """A format or provider that does not exist is a ValueError that names those that do."""
    with pytest.raises(ValueError, match="unknown format 'xml': use one of cline, tools"):
        tools("xml", "openai")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown provider 'acme': use one of anthropic, google-genai"):
        tools("tools", "acme")  # type: ignore[arg-type]
