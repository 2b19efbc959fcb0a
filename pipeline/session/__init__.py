"""A model's turns: several files, several tool calls, one workspace, one answer for the model each."""

from __future__ import annotations

from .answer import Answer, ToolResult
from .approval import Approve, Decision, Proposal
from .outcomes import FileSnapshot, Outcome
from .session import EditSession

__all__ = [
    "Answer",
    "Approve",
    "Decision",
    "EditSession",
    "FileSnapshot",
    "Outcome",
    "Proposal",
    "ToolResult",
]
