"""A model's turns: several files, several tool calls, one workspace, one answer for the model each."""

from __future__ import annotations

from .answer import Answer, ToolResult
from .approval import Approve, Decision, Proposal
from .options import SessionOptions
from .outcomes import FileSnapshot, Outcome
from .recorded import SessionRecording, read_session
from .recorder import SessionRecorder
from .replaying import Difference, SessionReplay, replay_session
from .session import EditSession
from .witness import Fact, Witness

__all__ = [
    "Answer",
    "Approve",
    "Decision",
    "Difference",
    "EditSession",
    "Fact",
    "FileSnapshot",
    "Outcome",
    "Proposal",
    "SessionOptions",
    "SessionRecorder",
    "SessionRecording",
    "SessionReplay",
    "ToolResult",
    "Witness",
    "read_session",
    "replay_session",
]
