"""Files under a root: safe paths, text kept byte for byte, atomic writes, and an event for each."""

from .errors import FileTooLarge, StaleFile, UnsafePath, UnsupportedText, WorkspaceError
from .events import WriteEvent, WriteEvents, WriteKind
from .text_files import MAX_FILE_BYTES, TextFile
from .workspace import Workspace

__all__ = [
    "MAX_FILE_BYTES",
    "FileTooLarge",
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
