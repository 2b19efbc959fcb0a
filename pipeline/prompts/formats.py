"""The names of the formats, and of the SDKs that take tool schemas."""

from __future__ import annotations

from typing import Literal, TypeAlias

FormatName: TypeAlias = Literal["cline", "tools", "text_editor", "patch", "markdown", "diff"]
"""How a turn names files and edits."""

ProviderName: TypeAlias = Literal[
    "anthropic", "google-genai", "langchain", "litellm", "ollama", "openai", "openai-responses", "pydantic-ai"
]
"""Whose shape a tool schema has: the SDK's name, as ``editstream.sources`` has it."""

EDITOR_NAME = "str_replace_based_edit_tool"
"""What Anthropic calls its text editor tool."""
