"""The command group: what is imported first, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import io
import os
import signal
import sys
from types import FrameType
from typing import Any

import click

from .exit_codes import exit_code_of
from .options import CODES, HELP_WIDTH
from .report import report

COMMANDS = {
    "demo": "replay",
    "apply": "apply",
    "preview": "preview",
    "session": "session",
    "replay": "replay",
    "record": "record",
    "glob": "glob",
    "prompt": "prompt",
}


class Commands(click.Group):
    """Imports a command when it is named, and ends with the code that belongs to an error."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which one meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, from its module."""
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        command: click.Command = getattr(import_module(f".{COMMANDS[cmd_name]}", __package__), f"{cmd_name}_command")
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error that a user can meet becomes a message on standard error and an exit code."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (click.ClickException, click.exceptions.Exit):
            raise
        except (Exception, KeyboardInterrupt) as error:
            code = exit_code_of(error)
            if code is None:
                raise
            report(error, code)
            ctx.exit(code)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    no_args_is_help=False,
    context_settings={
        "terminal_width": HELP_WIDTH,
        "max_content_width": HELP_WIDTH,
        "help_option_names": ["-h", "--help"],
    },
    epilog=CODES,
)
@click.version_option(package_name="editstream", message="%(prog)s %(version)s")
@click.pass_context
def commands(ctx: click.Context) -> None:
    """Turn a model's stream of edits into written files.

    \b
    Examples:
      editstream demo
      editstream apply src/app.py answer.txt
      my-agent | editstream preview src/app.py
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """The entry point of the `editstream` script."""
    # A request to stop is an exception, so that the terminal is put back and nothing is left half done.
    signal.signal(signal.SIGTERM, _stop)
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that is not UTF-8
    commands(prog_name="editstream")


def _open_closed_streams() -> None:
    """Put the null device where the caller closed a standard stream, which Python then has as None.

    Without it the next file to be opened would also get the stream's number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open to the end


def _stop(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)
