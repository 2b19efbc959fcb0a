"""`editstream apply`: read a diff, show what it does, ask, write."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import click

from . import approval
from .chunks import diff_chunks
from .editing import Result, run
from .exit_codes import ExitCode
from .options import CODES, EditOptions, Target, dialect_option, edit_options, open_target, root_option
from .output import complain, say, say_diff, say_json
from .report import failure_as_json

if TYPE_CHECKING:
    from editstream.operators.dialect import DialectName


@dataclass(frozen=True, slots=True)
class Manner:
    """How to go about it: without asking, without writing, for a program that reads JSON."""

    yes: bool
    dry_run: bool
    as_json: bool

    def say(self, text: str) -> None:
        """Write a line for a person."""
        if not self.as_json:
            say(text)


@click.command("apply", epilog=CODES)
@click.argument("path", metavar="FILE")
@click.argument("diff", required=False)
@click.option("-y", "--yes", is_flag=True, help="Write without asking.")
@click.option("-n", "--dry-run", is_flag=True, help="Print a unified diff; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object about what was done.")
@dialect_option
@edit_options
@root_option
def apply_command(
    *,
    path: str,
    diff: str | None,
    yes: bool,
    dry_run: bool,
    as_json: bool,
    dialect: DialectName,
    root: str,
    **options: Unpack[EditOptions],
) -> None:
    """Apply the SEARCH/REPLACE blocks of DIFF to FILE.

    DIFF is a file, or standard input if it is left out or "-". A FILE that does
    not exist is created. The change is shown, and written when you say so, or at
    once with --yes. A rejected edit writes nothing; the message that tells the
    model how to repair it goes to standard error.

    \b
    Examples:
      editstream apply src/app.py answer.txt
      my-agent | editstream apply src/app.py
      editstream apply src/app.py answer.txt --dry-run | git apply
    """
    manner = Manner(yes, dry_run, as_json)
    if not (yes or dry_run or approval.is_there()):
        raise click.UsageError("there is no terminal to ask on; pass --yes to write, or --dry-run to see the diff")
    with failure_as_json(path, as_json):
        target = open_target(root, path)
        view = None
        if diff in (None, "-") and not (dry_run or as_json):
            from editstream.live import LiveView

            view = LiveView(target.path, animated=not sys.stdin.isatty())
        result = run(target.file, diff_chunks(diff), dialect, options, view)
        if view is None and not (dry_run or as_json):
            _say_summary(result)
        reason = _carry_out(target, result, manner)
    if as_json:
        say_json(result.as_json(reason, written=reason == "applied", with_diff=dry_run))
    if result.complaint:
        complain(result.complaint)
    sys.exit(ExitCode.REJECTED if reason == "declined" else result.exit_code)


def _carry_out(target: Target, result: Result, manner: Manner) -> str:
    """Show, ask and write as far as the result and the manner allow; how far that was."""
    from editstream.workspace.text_files import encode

    if result.verdict == "ready":
        encode(target.file, result.snapshot.new_content)  # nobody is shown, or asked about, what cannot be written
    if manner.dry_run:
        if not manner.as_json:
            say_diff(result.diff(), target.file.encoding)
        return "dry_run" if result.verdict == "ready" else result.verdict
    if result.verdict != "ready":
        manner.say(f"{target.path}: nothing written ({result.verdict.replace('_', ' ')})")
        return result.verdict
    if not manner.yes and not _approved(result):
        manner.say(f"{target.path}: nothing written (declined)")
        return "declined"
    event = target.workspace.write_text(target.path, result.snapshot.new_content, expected=target.file)
    manner.say(f"{event.path}: {event.kind}")
    return "applied"


def _approved(result: Result) -> bool:
    """Show the change, on standard output if that is a terminal, and ask."""
    shown = result.diff()
    if sys.stdout.isatty():
        say_diff(shown, result.file.encoding)
        shown = ""
    return approval.ask(f"{'Write' if result.file.exists else 'Create'} {result.file.path}?", shown)


def _say_summary(result: Result) -> None:
    from editstream.live import Scene, write_summary

    write_summary(Scene(result.file.path, result.snapshot, result.received), sys.stdout)
