"""Files under a root: safe paths, text kept byte for byte, atomic writes, and an event for each."""

from .agent_ignore import AGENT_RULES, AgentIgnore, IgnoreRule
from .errors import FileTooLarge, IgnoredPath, StaleFile, UnsafePath, UnsupportedText, WorkspaceError
from .events import WriteEvent, WriteEvents, WriteKind
from .text_files import MAX_FILE_BYTES, TextFile
from .workspace import Workspace

__all__ = [
    "AGENT_RULES",
    "MAX_FILE_BYTES",
    "AgentIgnore",
    "FileTooLarge",
    "IgnoreRule",
    "IgnoredPath",
    "StaleFile",
    "TextFile",
    "UnsafePath",
    "UnsupportedText",
    "Workspace",
    "WorkspaceError",
    "WriteEvent",
    "WriteEvents",
    "WriteKind",
]
