"""The tools of a format as an SDK's request takes them: JSON schemas made from the models of ``tool_models``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast, get_args

from .formats import EDITOR_NAME, FormatName, ProviderName

if TYPE_CHECKING:
    from pydantic import BaseModel

Json: TypeAlias = dict[str, Any]

NATIVE: Mapping[tuple[FormatName, ProviderName], Json] = {
    ("text_editor", "anthropic"): {"type": "text_editor_20250728", "name": EDITOR_NAME},
    ("patch", "openai-responses"): {"type": "apply_patch"},
}
"""Tools that a provider has itself and its models were trained on; there is no schema to send."""

_TEXT_ONLY: frozenset[FormatName] = frozenset(("cline", "markdown", "diff"))
_LEFT_OUT = frozenset(("title", "default", "$defs"))


def tools(format: FormatName, provider: ProviderName) -> list[Json]:  # noqa: A002 - the word that users look for
    """The tools of a format, for the ``tools`` of a request.

    The list is made anew, so that it may be changed. For ``"pydantic-ai"`` each item holds the arguments of a
    ``ToolDefinition``; for all others it is sent as it is. Where the provider has the format's tool itself, it is that
    one: Anthropic's text editor, and ``apply_patch`` of OpenAI Responses, which needs no ``prompt`` either.

    Raises:
        ValueError: there is no such format or provider, or the format has no tools: its edits are text.
    """
    if format not in get_args(FormatName):
        raise ValueError(f"unknown format {format!r}: use one of {', '.join(get_args(FormatName))}")
    if provider not in get_args(ProviderName):
        raise ValueError(f"unknown provider {provider!r}: use one of {', '.join(get_args(ProviderName))}")
    if format in _TEXT_ONLY:
        raise ValueError(f"the format {format!r} has no tools: the model writes its edits as text, see the prompt")
    if native := NATIVE.get((format, provider)):
        return [dict(native)]
    made = [_tool(model, provider, strict=format != "text_editor") for model in _models(format)]
    return [{"function_declarations": made}] if provider == "google-genai" else made


def _models(format: FormatName) -> tuple[type[BaseModel], ...]:  # noqa: A002 - as above
    from . import tool_models  # here, because pydantic is slow to import

    match format:
        case "tools":
            return (tool_models.EditFile, tool_models.WriteFile)
        case "text_editor":
            return (tool_models.TextEditor,)
        case _:
            return (tool_models.ApplyPatch,)


def _tool(model: type[BaseModel], provider: ProviderName, *, strict: bool) -> Json:
    """One tool in a provider's shape. ``strict``: none of its fields is for some calls only."""
    full = model.model_json_schema()
    name: str = full["title"]
    schema = cast(Json, _plain(full, full.get("$defs", {})))
    said = {"name": name, "description": schema.pop("description")}
    match provider:
        case "anthropic":
            # Without it, the arguments of a call arrive whole, when the model has written them.
            return {**said, "input_schema": schema, "eager_input_streaming": True}
        case "google-genai" | "pydantic-ai":
            return {**said, "parameters_json_schema": schema}
        case "openai-responses":
            return {"type": "function", **said, "parameters": _all_required(schema, strict), "strict": strict}
        case "openai":
            function = {**said, "parameters": _all_required(schema, strict), "strict": strict}
            return {"type": "function", "function": function}
        case "litellm" | "langchain" | "ollama":
            # What is behind these is any model: strict mode is OpenAI's.
            return {"type": "function", "function": {**said, "parameters": schema}}


def _plain(node: Any, definitions: Mapping[str, Any]) -> Any:
    """A schema without titles and defaults, and with definitions in the place of references to them."""
    if not isinstance(node, dict):
        return node
    known = cast(Json, node)
    if "$ref" in known:
        return _plain(definitions[known["$ref"].rpartition("/")[2]], definitions)
    return {key: _plain(value, definitions) for key, value in known.items() if key not in _LEFT_OUT}


def _all_required(node: Any, strict: bool) -> Any:
    """A schema as OpenAI's strict mode wants it, where each object has all of its fields."""
    if not strict or not isinstance(node, dict):
        return node
    made = {key: _all_required(value, strict) for key, value in cast(Json, node).items()}
    return {**made, "required": list(made["properties"])} if "properties" in made else made
