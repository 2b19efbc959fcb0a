"""The names of the formats, and of the providers whose APIs take tool schemas."""

from __future__ import annotations

from typing import Literal, TypeAlias

FormatName: TypeAlias = Literal["cline", "tools", "text_editor", "patch", "markdown", "diff"]
"""How a turn names files and edits."""
