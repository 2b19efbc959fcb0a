"""Turns in Markdown: which edits they hold."""

from __future__ import annotations

import pytest
from markdown_chats import Edit
from markdown_turns import BLOCK, OPEN, edits_in, misread, read
from turn_strategies import fed

from editstream import EditError, FileEditor
from editstream.operators import End
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.operators.formats.file_edits import EditEnded, EditText, Misread
from editstream.operators.formats.file_names import NAME_LIMIT, file_name, names_in_info
from editstream.operators.formats.markdown import EDIT_LIMIT, HELD_LINES, Markdown

CREATED = "<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n"
INDENTED = "  <<< SEARCH\n  ===\n  >>> REPLACE\n"
MIXED = "------- SEARCH\nold\n=======\n+++++++ REPLACE\n"


# Where the edits are -------------------------------------------------------------------------------------------------

PLACES = {
    "name above": (f"Hi.\n\na.py\n```python\n{BLOCK}```\n", ("a.py", BLOCK)),
    "blank lines below the name": (f"a.py\n\n\n```\n{BLOCK}```\n", ("a.py", BLOCK)),
    "name too far above": (f"a.py\n```\n{BLOCK}```\nb.py\n\n\n\n```\n{MIXED}```\n", ("a.py", BLOCK), ("a.py", MIXED)),
    "only the last line": (f"a.py\n```\n{BLOCK}```\nb.py\nSo:\n```\n{BLOCK}```", ("a.py", BLOCK), ("a.py", BLOCK)),
    "name inside": (f"```python\na.py\n{BLOCK}```\n", ("a.py", BLOCK)),
    "name inside as a comment": (f"b.py\n```python\n# a.py\n\n{BLOCK}```\n", ("a.py", BLOCK)),
    "name in the info string": (f"```python a.py\n{BLOCK}```\n", ("a.py", BLOCK)),
    "the info string alone": (f"```src/a.py\n{BLOCK}```\n", ("src/a.py", BLOCK)),
    "name in a fence of its own": (f"```\na.py\n```\n```python\n{BLOCK}```\n", ("a.py", BLOCK)),
    "language that looks like a file": (f"a.vb\n```vb.net\n{BLOCK}```\n", ("a.vb", BLOCK)),
    "several blocks": (f"a.py\n```\n{BLOCK}\n{MIXED}{BLOCK}```\n", ("a.py", BLOCK + MIXED + BLOCK)),
    "prose between blocks": (f"a.py\n```\n{BLOCK}Then the rest.\n{MIXED}```\n", ("a.py", BLOCK + MIXED)),
    "several files": (f"```\na.py\n{BLOCK}b.py\n{MIXED}{BLOCK}```\n", ("a.py", BLOCK), ("b.py", MIXED + BLOCK)),
    "same name again": (f"```\na.py\n{BLOCK}a.py\n{MIXED}```\n", ("a.py", BLOCK + MIXED)),
    "name missing": (f"a.py\n```\n{BLOCK}```\nAnd:\n```\n{MIXED}```\n", ("a.py", BLOCK), ("a.py", MIXED)),
    "tildes": (f"a.py\n~~~~\n{BLOCK}~~~~~~\n", ("a.py", BLOCK)),
    "tildes with backticks in the info string": (f"~~~ `a.py`\n{BLOCK}~~~\n", ("a.py", BLOCK)),
    "indented fence": (f"a.py\n      ```\n{BLOCK}  ```\n", ("a.py", BLOCK)),
    "indented blocks": (f"a.py\n  ```\n{INDENTED}  ```", ("a.py", INDENTED)),
    "CRLF": (f"a.py\n```\n{BLOCK}```\n".replace("\n", "\r\n"), ("a.py", BLOCK.replace("\n", "\r\n"))),
    "no last line end": (f"a.py\n```\n{BLOCK}".removesuffix("\n"), ("a.py", BLOCK.removesuffix("\n"))),
    "nothing but an opener": ("a.py\n<<<<<<< SEARCH", ("a.py", "<<<<<<< SEARCH")),
    "no fence": (f"a.py\n{BLOCK}\n\n{MIXED}", ("a.py", BLOCK + MIXED)),
    "no fence, text between": (f"a.py\n{BLOCK}Then:\n{MIXED}", ("a.py", BLOCK), ("a.py", MIXED)),
    "no fence, another file": (f"a.py\n{BLOCK}\nb.py\n{MIXED}", ("a.py", BLOCK), ("b.py", MIXED)),
    "no fence, then a fence": (f"a.py\n{BLOCK}```\n{MIXED}```", ("a.py", BLOCK), ("a.py", MIXED)),
    "code passed over": (f"```bash\nmake a.py\n```\na.py\n```\n{BLOCK}```\n", ("a.py", BLOCK)),
    "code before the block": (f"a.py\n```\nx = 1\n{BLOCK}```\n", ("a.py", BLOCK)),
    "code on one line": (f"a.py\n```x = 1```\n\nb.py\n```\n{BLOCK}```\n", ("b.py", BLOCK)),
    "a fence around a fence": (
        f"````md\na.py\n```\n{BLOCK}```\n````\nb.py\n```\n{BLOCK}```\n", ("a.py", BLOCK), ("b.py", BLOCK),
    ),
    "a bare fence around a fence": (
        f"~~~~\na.py\n```\n{BLOCK}```\n~~~~\nb.py\n```\n{BLOCK}\nc.py\n{BLOCK}```\n",
        ("a.py", BLOCK), ("b.py", BLOCK), ("c.py", BLOCK),
    ),
    "a shorter fence between blocks": (f"a.py\n````\n{BLOCK}```\n{BLOCK}```\n````\n", ("a.py", BLOCK), ("a.py", BLOCK)),
    "the fence's end forgotten": (f"a.py\n```py\n{BLOCK}\nb.py\n```py\n{MIXED}```\n", ("a.py", BLOCK), ("b.py", MIXED)),
    "a code fence left open": (
        f"```py\nx = 1\n\na.py\n```\n{BLOCK}```\n\nb.py\n```\n{BLOCK}```\n", ("a.py", BLOCK), ("b.py", BLOCK),
    ),
    "fences in the block": (
        "a.md\n```\n<<<<<<< SEARCH\n```\n=======\n```py\nx\n```\n\n```\nb\n```\n>>>>>>> REPLACE\n```\n",
        ("a.md", "<<<<<<< SEARCH\n```\n=======\n```py\nx\n```\n\n```\nb\n```\n>>>>>>> REPLACE\n"),
    ),
    "a name and a fence in the block": (
        f"a.md\n```\n{OPEN}```\n\nb.py\n```py\nx\n>>>>>>> REPLACE\n```\n",
        ("a.md", f"{OPEN}```\n\nb.py\n```py\nx\n>>>>>>> REPLACE\n"),
    ),
    "an example at another indent in the block": (
        f"a.md\n```\n{OPEN}```\nb.py\n```\n  <<<<<<< SEARCH\n  =======\n  >>>>>>> REPLACE\n```\n>>>>>>> REPLACE\n```\n",
        ("a.md", f"{OPEN}```\nb.py\n```\n  <<<<<<< SEARCH\n  =======\n  >>>>>>> REPLACE\n```\n>>>>>>> REPLACE\n"),
    ),
    "a hint of Roo's": (
        "a.py\n```\n<<<<<<< SEARCH\n:start_line:3\n-------\nx\n=======\n>>>>>>> REPLACE\n```\n",
        ("a.py", "<<<<<<< SEARCH\n:start_line:3\n-------\nx\n=======\n>>>>>>> REPLACE\n"),
    ),
    "a new file": (f"a.py\n```\n{CREATED}```\n", ("a.py", CREATED)),
    "nothing": ("Just words, `code`.\n\n```python\nx = 1\n```\n",),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_edits_are_found_where_models_put_them(name: str) -> None:
    """Each way to name a file and to fence its blocks gives the same edits, whole or by characters."""
    text, *wanted = PLACES[name]
    events = read(text)
    assert edits_in(events) == [Edit(*edit) for edit in wanted]
    assert not [event for event in events if isinstance(event, Misread)]
    assert {event.reason for event in events if isinstance(event, EditEnded)} <= {"complete"}


# A closer that is missing --------------------------------------------------------------------------------------------

LONG_TALK = "Some words.\n" * (HELD_LINES + 1)
NEXT = f"b.py\n```py\n{BLOCK}```\n"
UNCLOSED = {
    "then the end": (f"a.py\n```\n{OPEN}```\n\n", ("a.py", OPEN)),
    "then the next edit": (f"a.py\n```\n{OPEN}```\n\nNow the other:\n\n{NEXT}", ("a.py", OPEN), ("b.py", BLOCK)),
    "then a bare fence": (f"a.py\n```\n{OPEN}```\n\nb.py\n```\n{BLOCK}```\n", ("a.py", OPEN), ("b.py", BLOCK)),
    "then the name inside": (f"a.py\n```\n{OPEN}```\n```\nb.py\n{BLOCK}```\n", ("a.py", OPEN), ("b.py", BLOCK)),
    "then no fence": (f"a.py\n```\n{OPEN}```\nb.py\n{BLOCK}", ("a.py", OPEN), ("b.py", BLOCK)),
    "then no name": (f"a.py\n```\n{OPEN}```\nAnd:\n```py\n{BLOCK}```\n", ("a.py", OPEN), ("a.py", BLOCK)),
    "in SEARCH": (f"a.py\n```\n<<<<<<< SEARCH\nold\n```\n{NEXT}", ("a.py", "<<<<<<< SEARCH\nold\n"), ("b.py", BLOCK)),
    "two in a row": (
        f"a.py\n```\n{OPEN}```\nb.py\n```py\n{OPEN}```\nc.py\n```py\n{BLOCK}```\n",
        ("a.py", OPEN), ("b.py", OPEN), ("c.py", BLOCK),
    ),
    "a fence of its own text closed": (
        f"a.md\n```\n{OPEN}```py\nx\n```\nmore\n```\n{NEXT}", ("a.md", f"{OPEN}```py\nx\n```\nmore\n"), ("b.py", BLOCK),
    ),
    "a bare fence in its text": (
        f"a.md\n```\n{OPEN}```\nx\n```\nmore\n```\n{NEXT}", ("a.md", f"{OPEN}```\nx\n```\nmore\n"), ("b.py", BLOCK),
    ),
    "text after the fence, then the end": (f"a.py\n```\n{OPEN}```\nDone.\n", ("a.py", f"{OPEN}```\nDone.\n")),
    "no end of the fence": (f"a.py\n```py\n{OPEN}\n{NEXT}", ("a.py", f"{OPEN}\nb.py\n```py\n"), ("b.py", BLOCK)),
    "much talk, then the next edit": (
        f"a.py\n```\n{OPEN}```\n{LONG_TALK}{NEXT}", ("a.py", f"{OPEN}```\n{LONG_TALK}b.py\n```py\n"), ("b.py", BLOCK),
    ),
    "then a bare fence and no name": (
        f"a.py\n```\n{OPEN}```\nAnd:\n```\n{BLOCK}```\n", ("a.py", f"{OPEN}```\nAnd:\n```\n{BLOCK}"),
    ),
    "bare fences in its text, then no fence": (
        f"a.md\n```\n{OPEN}```\nx\n```\nb.py\n{BLOCK}", ("a.md", f"{OPEN}```\nx\n"), ("b.py", BLOCK),
    ),
    "a fence, then an opener alone": (f"a.py\n```\n{OPEN}```\n{BLOCK}```\n", ("a.py", f"{OPEN}```\n{BLOCK}")),
    "an opener alone": (f"a.py\n```\n{OPEN}{BLOCK}```\n", ("a.py", OPEN + BLOCK)),
    "an opener after a name alone": (f"a.py\n```\n{OPEN}b.py\n{BLOCK}```\n", ("a.py", f"{OPEN}b.py\n{BLOCK}")),
}  # fmt: skip


@pytest.mark.parametrize("name", UNCLOSED)
def test_a_block_without_its_closer_does_not_swallow_the_next_edit(name: str) -> None:
    """The next file's edit is its own, and a fence that ended the edit is no text of the block."""
    text, *wanted = UNCLOSED[name]
    assert edits_in(read(text)) == [Edit(*edit) for edit in wanted]


@pytest.mark.parametrize(
    "name", ["text after the fence, then the end", "no end of the fence", "much talk, then the next edit"]
)
def test_an_open_block_that_holds_what_is_not_its_own_is_refused(name: str) -> None:
    """Where more than the block came into its text, the reader of blocks refuses it."""
    path, text = PLACES.get(name, UNCLOSED[name])[1]
    assert path == "a.py"
    editor = FileEditor("old\nrest\n")
    editor.feed(text)
    with pytest.raises(EditError):
        editor.close()


def test_an_open_block_without_its_fence_is_mended() -> None:
    """Where only the closer is missing, the reader of blocks applies what came."""
    editor = FileEditor("old\nrest\n")
    editor.feed(UNCLOSED["then the next edit"][1][1])
    assert editor.close().new_content == "new\nrest\n"


def test_a_fence_in_doubt_is_given_when_the_doubt_is_over() -> None:
    """What is held comes with the closer, and at the latest when more lines came than are held."""
    opened = fed(Markdown(), [Text(f"a.md\n```\n{OPEN}")], None)
    machine = Markdown()
    assert list(machine.feed(Text(f"a.md\n```\n{OPEN}```\nmore\n"))) == opened
    assert list(machine.feed(Text(">>>>>>> REPLACE\n"))) == [EditText(0, "```\nmore\n>>>>>>> REPLACE\n")]
    machine = Markdown()
    assert list(machine.feed(Text(f"a.md\n```\n{OPEN}```\n" + "more\n" * (HELD_LINES - 1)))) == opened
    assert list(machine.feed(Text("more\n"))) == [EditText(0, "```\n" + "more\n" * HELD_LINES)]


# Names ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("src/a.py", "src/a.py"),
        ("  `a.py`  ", "a.py"),
        ("**a.py**", "a.py"),
        ("**`a.py`**:", "a.py"),
        ("### `src/a.py`", "src/a.py"),
        ("# src/a.py", "src/a.py"),
        ("// src/a.ts", "src/a.ts"),
        ("/* a.css */", "a.css"),
        ("<!-- a.html -->", "a.html"),
        ("a.py:", "a.py"),
        ("src/a.py:10-20", "src/a.py"),
        ("File: src/a.py", "src/a.py"),
        ("**File path:** `a.py`", "a.py"),
        ("filename: run", "run"),
        ("1. `a.py` (new file)", "a.py"),
        ("- [a.py](src/a.py)", "a.py"),
        ("`my file.txt`", "my file.txt"),
        ("docs/my file.txt", "docs/my file.txt"),
        ("`Procfile.x y`", ""),
        ("Makefile", "Makefile"),
        ("`main`", "main"),
        (".gitignore", ".gitignore"),
        ("src\\win\\a.cs", "src\\win\\a.cs"),
        ("C:\\a.py", "C:\\a.py"),
        ("my\\_mod.py", "my_mod.py"),
        ("__init__.py", "__init__.py"),
        ("app/[id]/(x)/+page.svelte", "app/[id]/(x)/+page.svelte"),
        ("été/ü.py", "été/ü.py"),
        ("x" * (NAME_LIMIT - 3) + ".py", "x" * (NAME_LIMIT - 3) + ".py"),
        ("x" * (NAME_LIMIT - 2) + ".py", ""),
        ("x" * 100_000 + ".py", ""),
        ("main", ""),
        ("Then:", ""),
        ("Done.", ""),
        ("...", ""),
        ("1.2", ""),
        ("https://a.org/b.py", ""),
        ("src/", ""),
        ("Update src/a.py:", ""),
        ("src/a.py, src/b.py", ""),
        ("In `src/a.py`:", ""),
        ("*.py", ""),
        ("</div>", ""),
        ("#!/bin/sh", ""),
        ("x = a.b", ""),
        ("a\x00.py", "a\x00.py"),  # to be refused, not left out
        ("a\x1b[31m.py", "a\x1b[31m.py"),
        ("\u202ea.py", "\u202ea.py"),
        ("a\tb.py", ""),
        ("**", ""),
        ("", ""),
    ],
)
def test_a_line_is_a_name_if_it_looks_like_one(written: str, name: str) -> None:
    """The decoration of a name is dropped, and a line that is none is none."""
    assert file_name([written], None) == (name or None)


@pytest.mark.parametrize(
    ("info", "name"),
    [
        ("python src/a.py", "src/a.py"),
        ("python:a.py", "a.py"),
        ("src/a.py", "src/a.py"),
        ("a.py", "a.py"),
        ("C:\\a.py", "C:\\a.py"),
        ('python title="my a.py"', "my a.py"),
        ("jsx filename='a.jsx' lines", "a.jsx"),
        ("{.python file=a.py}", "a.py"),
        ("{.python}", None),
        ("python", None),
        ("c++", None),
        ("vb.net", None),
        ("py {1,3}", None),
        ("", None),
    ],
)
def test_an_info_string_may_hold_a_name(info: str, name: str | None) -> None:
    """A name is found behind the language, in a setting, or instead of the language."""
    sure, unsure = names_in_info(info)
    assert file_name([*sure, *unsure], None) == name


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (f"Update src/a.py:\n```\n{BLOCK}```", "src/a.py"),
        (f"In `run`, we do:\n```\n{BLOCK}```", "run"),
        (f"run\n```python\nself.x\n{BLOCK}```", "run"),
        (f"my notes.txt\n```\n{BLOCK}```", "my notes.txt"),
        (f"my\\_x.py\n```\n{BLOCK}```", "my\\_x.py"),
        (f"new.py\n```\n{BLOCK}```", "new.py"),
    ],
)
def test_a_name_that_the_chat_knows_is_preferred(text: str, path: str) -> None:
    """A known file is found where its looks alone are not enough, before a name that is not known."""
    chat = {"src/a.py", "run", "my notes.txt", "my\\_x.py"}
    assert edits_in(fed(Markdown(chat.__contains__), [Text(text)])) == [Edit(path, BLOCK)]


# What is no edit -----------------------------------------------------------------------------------------------------


def test_blocks_without_any_name_are_said_once_for_their_fence() -> None:
    """Without a name and without an edit before, the blocks of a fence are skipped, and one message says so."""
    events = read(f"Then:\n```\n{BLOCK}\n{BLOCK}```\na.py\n```\n{BLOCK}```\n```\n{MIXED}```")
    assert edits_in(events) == [Edit("a.py", BLOCK), Edit("a.py", MIXED)]
    messages = [event.message for event in events if isinstance(event, Misread)]
    assert len(messages) == 1
    assert "no file name" in messages[0]
    assert isinstance(events[0], Misread)


def test_a_name_in_a_fence_whose_blocks_were_skipped_begins_an_edit() -> None:
    """The next file in the same fence is an edit though the blocks before had no name."""
    events = read(f"```\n{BLOCK}a.py\n{MIXED}```")
    assert edits_in(events) == [Edit("a.py", MIXED)]


@pytest.mark.parametrize(
    "line",
    ["<<<<<<<SEARCH", "<<<<<<< search", "<<<<<<< SEARCH a.py", "-------SEARCH", "\u2003<<<<<<< SEARCH", "<<< SEARCH:"],
)
def test_a_line_that_was_meant_as_an_opener_is_said(line: str) -> None:
    """Nearly an opener is none, and no edit is dropped without a word."""
    [message] = misread(f"a.py\n```\n{line}\nx\n=======\n>>>>>>> REPLACE\n```")
    assert "SEARCH" in message
    assert message.isprintable()


@pytest.mark.parametrize("line", ["--- search results", "Search", "<search>", "-- SEARCH", "------- SEARCH the web"])
def test_a_line_of_prose_is_not_taken_for_an_opener(line: str) -> None:
    """Prose about a search is prose."""
    assert misread(f"a.py\n{line}\n") == []


def test_edits_have_a_bound() -> None:
    """After the last edit that a turn may have, one message follows and nothing more."""
    text = "".join(f"f{n}.py\n{BLOCK}\n" for n in range(EDIT_LIMIT + 3))
    events = fed(Markdown(), [Text(text), Text(text)])
    assert len(edits_in(events)) == EDIT_LIMIT
    assert [type(event) for event in events[-2:]] == [Misread, End]
    assert sum(isinstance(event, Misread) for event in events) == 1


def test_messages_have_a_bound() -> None:
    """However many lines are nearly openers, no more is said than a turn may have edits."""
    assert len(misread("<<<<<<<SEARCH\n" * (EDIT_LIMIT + 3))) == EDIT_LIMIT


def test_tool_calls_are_ignored() -> None:
    """Only text is read."""
    deltas: list[Delta] = [ToolCall("1", "edit"), Text("a.py\n"), ToolArguments("1", BLOCK), Text(BLOCK), ToolDone("1")]
    assert edits_in(fed(Markdown(), deltas)) == [Edit("a.py", BLOCK)]
