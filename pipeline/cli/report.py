"""Errors as a user meets them: a message that says what to do."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator

from .exit_codes import ExitCode, exit_code_of
from .output import complain, say_json


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
    if isinstance(error, OSError) and error.strerror:
        named = error.filename is not None
        return f"{error.strerror}: {error.filename!r}; check the path and its permissions" if named else error.strerror
    return str(error)


@contextlib.contextmanager
def failure_as_json(path: str, as_json: bool) -> Generator[None]:
    """With ``--json``, an error that ends the command is an object too."""
    try:
        yield
    except Exception as error:
        if as_json and (code := exit_code_of(error)) is not None:
            how = {"reason": code.name.lower(), "message": message_of(error)}
            say_json({"path": path, "written": False, **how, "blocks": (), "problems": ()})
        raise
