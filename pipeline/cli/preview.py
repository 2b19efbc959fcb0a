"""`editstream preview`: show an edit while it streams; write nothing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Unpack

import click

from .chunks import diff_chunks
from .editing import run
from .options import CODES, EditOptions, dialect_option, edit_options, open_target, root_option
from .output import complain, say_json
from .report import failure_as_json

if TYPE_CHECKING:
    from editstream.operators.dialect import DialectName


@click.command("preview", epilog=CODES)
@click.argument("path", metavar="FILE")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end, with the diff.")
@dialect_option
@edit_options
@root_option
def preview_command(path: str, as_json: bool, dialect: DialectName, root: str, **options: Unpack[EditOptions]) -> None:
    """Show what standard input does to FILE while it arrives.

    Nothing is written to FILE. On a terminal the edit is shown live; elsewhere
    each event is one line.

    \b
    Examples:
      my-agent | editstream preview src/app.py
      my-agent | tee answer.txt | editstream preview src/app.py
      editstream preview src/app.py --json < answer.txt
    """
    from editstream.live import LiveView

    with failure_as_json(path, as_json):
        target = open_target(root, path)
        # Who types the diff sees it on the screen already.
        view = None if as_json else LiveView(target.path, animated=not sys.stdin.isatty())
        result = run(target.file, diff_chunks(None), dialect, options, view)
    if as_json:
        say_json(result.as_json(result.verdict, with_diff=True))
    if result.complaint:
        complain(result.complaint)
    sys.exit(result.exit_code)
