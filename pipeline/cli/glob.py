"""`editstream glob`: the paths below a folder that match a pattern."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from editstream.live.printable import printable

from .options import CODES
from .output import complain, say, say_json, write

if TYPE_CHECKING:
    from editstream.scan import GlobResult, Kind


@click.command("glob", epilog=CODES)
@click.argument("pattern")
@click.argument("root", default=".", type=click.Path(file_okay=False))
@click.option("--hidden", is_flag=True, help="Also names that begin with a dot.")
@click.option("--no-gitignore", is_flag=True, help="Also what git ignores.")
@click.option("--no-agent-ignore", is_flag=True, help="Also what .cursorignore and the like keep from models.")
@click.option("--type", "kind", type=click.Choice(("file", "dir", "symlink")), help="Only entries of this kind.")
@click.option("--newest", is_flag=True, help="Sort by time, newest first; by path otherwise.")
@click.option("--limit", type=click.IntRange(min=0), help="At most this many paths.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("-0", "nul", is_flag=True, help="End each path with NUL, for xargs -0.")
def glob_command(
    *,
    pattern: str,
    root: str,
    hidden: bool,
    no_gitignore: bool,
    no_agent_ignore: bool,
    kind: Kind | None,
    newest: bool,
    limit: int | None,
    as_json: bool,
    nul: bool,
) -> None:
    """List what matches PATTERN below ROOT.

    ROOT is the current folder by default. "*" stays within a folder, "**"
    crosses folders, {a,b} and [a-z] work. A pattern without "/" matches at any
    depth.

    \b
    Examples:
      editstream glob "*.py"
      editstream glob "src/**/*.{ts,tsx}" --newest --limit 20
      editstream glob "*.md" docs -0 | xargs -0 wc -l
    """
    from editstream.scan import InvalidPattern, glob

    try:
        result = glob(
            pattern,
            root,
            hidden=hidden,
            gitignore=False if no_gitignore else None,
            agent_ignore=not no_agent_ignore,
            file_type=kind,
            newest_first=newest,
            limit=limit,
        )
    except InvalidPattern as error:
        raise click.UsageError(str(error)) from None
    if as_json:
        say_json(asdict(result))
        return
    _say_paths(result, end="\0" if nul else "\n")
    _say_notes(result)


def _say_paths(result: GlobResult, end: str) -> None:
    """The paths as they are for a program; on a terminal one a line, whatever is in them."""
    if sys.stdout.isatty():
        for path in result.paths:
            say(printable(path))
    else:
        write("".join(f"{path}{end}" for path in result.paths))


def _say_notes(result: GlobResult) -> None:
    """What the list does not show, on standard error."""
    if len(result.paths) < result.total:
        complain(f"editstream: {len(result.paths):,} of {result.total:,} matches; raise --limit to see more")
    if result.skipped:
        complain(f"editstream: {result.skipped:,} folders could not be read")
    for fault in result.faults:
        complain(f"editstream: {fault}, so all below its folder is left out; --no-agent-ignore lists it")
    if result.rules_dropped:
        complain("editstream: git ignores every file here, so its rules were left aside")
