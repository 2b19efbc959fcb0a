"""The formats by their names: for each, the machine that reads a turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias, get_args

from editstream.operators.formats.deltas import Delta
from editstream.operators.formats.file_edits import FormatEvent
from editstream.operators.machine import Machine
from editstream.prompts.formats import FormatName

from .files import Files

MakeReader: TypeAlias = Callable[[], Machine[Delta, FormatEvent]]


def reader_of(format_: FormatName | MakeReader, path: str | None, files: Files) -> MakeReader:
    """What makes the machine of a format, anew for each turn.

    Raises:
        ValueError: there is no such format, or it is for one file and no path is given, or the other way round.
    """
    if callable(format_):
        return format_
    if format_ not in get_args(FormatName):
        names = ", ".join(get_args(FormatName))
        raise ValueError(
            f"unknown format {format_!r}: use one of {names}, or a function that makes the machine of your own"
        )
    if (path is None) == (format_ == "diff"):
        raise ValueError("a bare diff names no file: give its path, and only there (format='diff', path='a.py')")
    return _named(format_, path or "", files)


def _named(format_: FormatName, path: str, files: Files) -> MakeReader:
    # A session reads one format: the others' machines are not imported.
    match format_:
        case "cline":
            from editstream.operators.formats.cline_xml import ClineXml

            return ClineXml
        case "tools" | "text_editor":
            from editstream.operators.formats.tool_calls import ToolCalls

            return ToolCalls
        case "patch":
            from editstream.operators.formats.apply_patch import ApplyPatch

            return ApplyPatch
        case "markdown":
            from editstream.operators.formats.markdown import Markdown

            return partial(Markdown, known=files.has)
        case "diff":
            from editstream.operators.formats.bare_diff import BareDiff

            return partial(BareDiff, path)
