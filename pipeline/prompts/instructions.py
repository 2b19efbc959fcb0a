"""What a model is told in words: how to answer in a format, with the format's examples in the text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from .examples import EXAMPLES, Example
from .formats import FormatName

_BLOCKS = """\
Rules for blocks:
- SEARCH holds whole lines, character by character as they are in the file now: the same indent, nothing left out.
- These lines must be in the file exactly once. If they are there more often, add lines before or after them, to SEARCH
  and to REPLACE alike, until they are there once.
- REPLACE holds the lines that take their place. Leave it empty to delete them.
- Write only what changes, with a line or two around it: several small blocks rather than a large one, in the order of
  the file. To move lines, delete them in one block and put them in by another.
- Each marker stands alone on its line."""

_AGAIN = """\
You are then told what was applied. What was rejected comes back with the reason: correct it and send nothing else. The
rest is in the file by then: do not send it again, and take the file as it is now."""

_NO_DELETE = "Files cannot be deleted or moved this way. If one has to be, say so."

_CLINE = """\
Edit files by writing these tools into your answer, as they stand here. Text may stand before and after a tool. Begin
each tool on a line of its own, and escape nothing: < and & are written as they are.

replace_in_file changes places in a file, by SEARCH/REPLACE blocks in its diff. Use it for a file that exists.

write_to_file writes a whole file from its content, with nothing left out and no code fence around it. Use it for a new
file, or where most of a file changes. The line end after <content> is not part of the file; the one before </content>
is.

A path is relative to the root of the project. Name each file once, with all its blocks, and use as many tools as there
are files. {no_delete}

{blocks}

{again}

{examples}"""

_MARKDOWN = """\
Edit files by SEARCH/REPLACE blocks in Markdown. For each file write its path, relative to the root of the project and
alone on a line; on the next line open a code fence; inside it write all blocks for this file; then close the fence.
Text may stand before and after. Put everything that is to change into blocks: code outside them changes nothing.

A new file is one block whose SEARCH has no lines. {no_delete}

{blocks}
- If the lines hold a code fence themselves, use a longer one around the blocks: ```` or more.

{again}

{examples}"""

_DIFF = """\
Change the file that you were given by SEARCH/REPLACE blocks. Write nothing else: no file name, no code fence, and not
the whole file. If the file is empty or new, its content is one block whose SEARCH has no lines.

{blocks}

{again}

{examples}"""

_PATCH = """\
Edit files by a patch: as the input of the tool apply_patch if you have it, or else as text in your answer, its first
and last line alone on their lines. One patch may hold several files, each with a header line:

*** Update File: path    changes a file that exists, by the hunks that follow
*** Move to: path        right after an update's header: the file gets this path as well
*** Add File: path       a new file: each of its lines follows, with + before it
*** Delete File: path    the file goes; nothing follows

Rules for hunks:
- Each begins with a line @@, or @@ and a line of the file that stands above the place, as the head of a function or
  class, to say which of several places is meant. Two such lines, the outer one first, narrow it further.
- Then come whole lines of the file with a space before them where they stay, - where they go, and + where they are new.
  Lines that stay or go are written character by character as they are in the file now, with nothing left out.
- Give about three lines that stay before and after a change, or fewer where that leaves no doubt. The lines that stay
  and go must be in the file once below the @@ line: if they are not, add lines or an @@ line.
- Hunks come in the order of the file. A last line *** End of File says that a hunk ends where the file ends.
- Paths are relative to the root of the project. Line numbers have no place in a patch.

{again}

{examples}"""

_TOOLS = """\
Edit files with two tools. Give path first; it is relative to the root of the project.

edit_file changes places in a file that exists: edits is a list of old_string, the text to find, and new_string, the
text that takes its place. Put all edits of a file into one call.

write_file writes a whole file from content, with nothing left out. Use it for a new file, or where most of a file
changes. {no_delete}

Rules for edits:
- old_string is text of the file, character by character as it is now: the same indent, nothing left out. Take whole
  lines where you can.
- It must be in the file exactly once. If it is there more often, add lines before or after it, to new_string as well,
  until it is there once. If each place is meant, set replace_all to true.
- Write only what changes, with a line or two around it: several small edits rather than a large one, in the order of
  the file. An empty new_string deletes.

{again}

{examples}"""

_TEXT_EDITOR = """\
View and edit files with the tool str_replace_based_edit_tool. Give command first, then path, which is relative to the
root of the project.

view shows a file with line numbers, or what is in a folder. View a file before you change it; the numbers and the tab
after them are not part of it. view_range gives the first and the last line to show; -1 stands for the end.

str_replace changes one place in a file that exists: new_str takes the place of old_str. old_str is text of the file,
character by character as it is now, and must be there exactly once: if it is not, add lines before or after it, to
new_str as well. Take whole lines where you can, and only what changes. An empty new_str deletes.

insert puts insert_text after the line insert_line, or at the top for 0. End the text with a line end.

create writes a new file from file_text. A file that exists is not created again: change it with str_replace.

One call is one change; make as many as you need. {no_delete}

{again}

{examples}"""

_TEXTS: Mapping[FormatName, str] = {
    "cline": _CLINE,
    "tools": _TOOLS,
    "text_editor": _TEXT_EDITOR,
    "patch": _PATCH,
    "markdown": _MARKDOWN,
    "diff": _DIFF,
}


def prompt(format: FormatName) -> str:  # noqa: A002 - the word that users look for
    """The instructions that make a model answer in a format: part of a system prompt, in plain text, some 60 lines.

    Each example in them is parsed and applied by a test. The tools that go with them are given by ``tools``.

    Raises:
        ValueError: there is no such format.
    """
    if format not in _TEXTS:
        raise ValueError(f"unknown format {format!r}: use one of {', '.join(get_args(FormatName))}")
    examples = "\n".join(map(_shown, EXAMPLES[format]))
    return _TEXTS[format].format(blocks=_BLOCKS, again=_AGAIN, no_delete=_NO_DELETE, examples=examples)


def _shown(example: Example) -> str:
    return f"Example. {example.task}\n\n{example.shown}"
