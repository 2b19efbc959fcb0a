"""A turn and its answer as messages, held to the types that the SDKs declare for their requests."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
from pydantic import ConfigDict, TypeAdapter, ValidationError

from editstream import EditSession, Workspace
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.prompts import FormatName, ProviderName

GOOD = {"path": "a.py", "edits": [{"old_string": "one\n", "new_string": "ONE\n"}]}
BAD = {"path": "a.py", "edits": [{"old_string": "none\n", "new_string": ""}]}
OPERATION = {"type": "update_file", "path": "a.py", "diff": "@@\n-one\n+ONE\n"}
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-none\n+ONE\n*** End Patch\n"

DECLARED = {
    "anthropic": ("anthropic.types", "MessageParam"),
    "google-genai": ("google.genai.types", "Content"),
    "ollama": ("ollama", "Message"),
    "openai": ("openai.types.chat", "ChatCompletionMessageParam"),
    "openai-responses": ("openai.types.responses", "ResponseInputItemParam"),
    "pydantic-ai": ("pydantic_ai", "ModelMessage"),
}
"""Where an SDK has the type of a message; LangChain has none for plain dicts, LiteLLM has OpenAI's."""


def call(id_: str, name: str, arguments: str, *, is_json: bool = True) -> list[Delta]:
    return [ToolCall(id_, name, is_json), ToolArguments(id_, arguments), ToolDone(id_)]


CALLS = [*call("1", "edit_file", json.dumps(GOOD)), *call("2", "edit_file", json.dumps(BAD))]
PATCHES = [*call("1", "apply_patch", json.dumps(OPERATION)), *call("2", "apply_patch", PATCH, is_json=False)]


@pytest.mark.parametrize(
    ("sdk", "format_", "calls"),
    [*((sdk, "tools", CALLS) for sdk in DECLARED), ("openai-responses", "patch", PATCHES)],
)
@pytest.mark.filterwarnings("ignore")
def test_messages_are_what_the_sdk_declares(
    tmp_path: Path, sdk: ProviderName, format_: FormatName, calls: list[Delta]
) -> None:
    """Text, calls, results and remarks fit the SDK's own type, without a field that it does not know."""
    module, name = DECLARED[sdk]
    pytest.importorskip(module, reason=f"{module} is missing: install the extra sdk-tests")
    declared = getattr(import_module(module), name)
    is_model = isinstance(declared, type) and hasattr(declared, "model_config")
    adapter = TypeAdapter(declared, config=None if is_model or sdk == "pydantic-ai" else ConfigDict(extra="forbid"))
    (tmp_path / "a.py").write_text("one\n")
    session = EditSession(Workspace(tmp_path), format=format_, approve=True, mistakes_allowed=1)
    list(session.run([Text("I edit."), *calls]))
    assert session.answer is not None
    assert [result.is_error for result in session.answer.results] == [False, True]
    assert session.answer.remarks
    for message in session.messages(sdk):
        adapter.validate_python(message)
        with pytest.raises(ValidationError):
            adapter.validate_python({**message, "role": 1, "kind": 1, "type": 1})
