"""A long chat in Markdown, as Aider keeps them: all its edits come out, in small pieces as in one."""

import subprocess
import sys
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest
from markdown_chats import Edit, chat
from turn_strategies import fed, joined, sized, texts

from editstream.operators.formats.deltas import Text
from editstream.operators.formats.file_edits import EditBegan, EditText, FormatEvent, Misread
from editstream.operators.formats.markdown import Markdown

BENCH = Path(__file__).parents[1] / "bench" / "markdown.py"
SIZE = 300_000  # code points


def edits_in(events: Sequence[FormatEvent]) -> list[Edit]:
    """The edits that events are about, in the order they begin."""
    parts: dict[int, tuple[str, list[str]]] = {}
    for event in events:
        if isinstance(event, EditBegan):
            parts[event.edit] = (event.path, [])
        elif isinstance(event, EditText):
            parts[event.edit][1].append(event.text)
    return [Edit(path, "".join(pieces)) for path, pieces in parts.values()]


@pytest.mark.parametrize("seed", range(4))
def test_each_edit_of_a_chat_comes_out_as_it_was_made(seed: int) -> None:
    """A chat with everything odd in it gives the path and the text of each edit, in pieces of 5 as in one piece."""
    text, made = chat(SIZE // 2, seed)
    whole = fed(Markdown(), [Text(text)])
    assert edits_in(whole) == made
    assert not [event for event in whole if isinstance(event, Misread)]
    assert joined(fed(Markdown(), texts(sized(text, 5)))) == joined(whole)


def peak(text: str) -> int:
    """Bytes that reading a text in pieces of 5 takes at most, its events thrown away."""
    machine = Markdown()
    tracemalloc.start()
    try:
        for at in range(0, len(text), 5):
            machine.feed(Text(text[at : at + 5]))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_chat() -> None:
    """A chat ten times as long takes as much memory, which is less than a tenth of it."""
    long, short = peak(chat(SIZE)[0]), peak(chat(SIZE // 10)[0])
    assert long < short * 1.5
    assert long < SIZE // 2


def test_memory_does_not_grow_with_a_block() -> None:
    """Of a block that is a hundred times as long no more is held: its lines are given as they come."""

    def long(lines: int) -> str:
        block = "<<<<<<< SEARCH\n" + "old = 1\n" * lines + "=======\n" + "new = 1\n" * lines + ">>>>>>> REPLACE\n"
        return f"a.py\n```\n{block}```\n"

    assert peak(long(20_000)) < peak(long(200)) * 1.5


def test_the_cost_of_a_character_is_the_same_in_a_long_chat() -> None:
    """A quick round of the benchmark: time within three times its bounds."""
    done = subprocess.run([sys.executable, BENCH, "--quick"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "a character" in done.stdout
