"""Errors as a user meets them: a message that says what to do."""

from __future__ import annotations

import os
import sys

from .exit_codes import ExitCode
from .output import complain


def report(error: BaseException, code: ExitCode) -> None:
    """Say on standard error why the command ends; nothing where only a reader of standard output has gone."""
    if code is ExitCode.BROKEN_PIPE:
        # Without this the interpreter would complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    elif code is ExitCode.INTERRUPTED:
        complain("editstream: interrupted")
    else:
        complain(f"editstream: {message_of(error)}")


def message_of(error: BaseException) -> str:
    """What is wrong and what to do, also for an error whose own text does not say it."""
    if isinstance(error, UnicodeDecodeError):
        return f"the input is not UTF-8 (it holds the byte {error.object[error.start]:#04x}); convert it to UTF-8"
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.strerror}: {error.filename!r}; check the path and its permissions"
    return str(error)
