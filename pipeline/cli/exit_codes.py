"""The exit codes, and which error ends with which: the one table of them."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a command's end says; 2 is also what click uses for its own usage errors."""

    DONE = 0
    REJECTED = 1
    USAGE = 2
    REFUSED = 3
    IO = 4
    INTERRUPTED = 130
    BROKEN_PIPE = 141


def exit_code_of(error: BaseException) -> ExitCode | None:
    """The code that an error ends the command with; None for one that is a bug of ours."""
    if isinstance(error, BrokenPipeError):
        return ExitCode.BROKEN_PIPE
    if isinstance(error, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    if isinstance(error, OSError | UnicodeError):
        return ExitCode.IO
    return _code_of_ours(error)


def _code_of_ours(error: BaseException) -> ExitCode | None:
    """As above, for the errors of the parts, which are imported only when there is an error to judge."""
    from editstream.recording import RecordingError
    from editstream.scan import ScanError
    from editstream.workspace import IgnoredPath, StaleFile, UnsafePath, WorkspaceError

    if isinstance(error, UnsafePath | StaleFile | IgnoredPath):
        return ExitCode.REFUSED
    return ExitCode.IO if isinstance(error, WorkspaceError | RecordingError | ScanError) else None
