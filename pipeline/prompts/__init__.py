"""What the model is told: instructions and tool schemas for each format."""

from __future__ import annotations

from .formats import FormatName, ProviderName
from .instructions import prompt
from .tool_schemas import tools

__all__ = ["FormatName", "ProviderName", "prompt", "tools"]
