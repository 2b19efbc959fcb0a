"""`editstream record`: pass a stream on, and keep it with its times and the file it edits."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from pathlib import Path
from typing import cast

import click

from .chunks import stdin_chunks
from .options import CODES, dialect_option, open_target, root_option
from .output import write


@click.command("record", epilog=CODES)
@click.argument("path", metavar="FILE")
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), help="Where to write the recording.")
@dialect_option
@root_option
def record_command(path: str, output: str, dialect: str, root: str) -> None:
    """Record the stream on standard input with FILE as it is now.

    The stream is passed on to standard output as it comes. The recording holds
    FILE's content: replay it, or send it as a bug report that runs.

    \b
    Examples:
      my-agent | editstream record src/app.py -o turn.jsonl
      my-agent | editstream record src/app.py -o turn.jsonl | my-editor
    """
    from editstream.recording import record

    target = open_target(root, path)
    if Path(output).resolve() == Path(target.workspace.root, target.path).resolve():
        raise click.UsageError(f"the recording would replace {path!r} itself; give --output another name")
    items = record(stdin_chunks(), output, files={target.path: target.file.text}, dialect=dialect)
    with contextlib.closing(cast("Generator[str, None, None]", items)) as stream:
        for chunk in stream:
            write(chunk)
