"""Asking about the edits of a turn on a real terminal: each key, what is shown, and that nothing is written before."""

from __future__ import annotations

import re
from typing import Any

import pytest

from editstream.prompts.examples import EXAMPLES

CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]")
HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\x08\x7f\x1b[?1049l"
KEYS = " [y,n,a,d,q,?] "
MARKDOWN = ("session", "--format", "markdown")
BEFORE = {"a.txt": "one\ntwo\n", "b.txt": "three\nfour\n", "c.txt": "five\n"}


def block(path: str, search: str, replace: str) -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n```\n\n"


TURN = block("a.txt", "one", "ONE") + block("b.txt", "three", "THREE") + block("c.txt", "five", "FIVE")


def lay_out(place: Any, files: dict[str, str] = BEFORE) -> None:
    for name, text in files.items():
        (place.folder / name).parent.mkdir(exist_ok=True)
        (place.folder / name).write_text(text)


def started(place: Any, turn: str, *args: str, size: tuple[int, int] = (80, 24)) -> Any:
    """The command on a terminal, with the turn on a pipe."""
    terminal = place.on_terminal(*args, piped=True, size=size)
    terminal.pipe(turn)
    terminal.end_pipe()
    return terminal


def answer(terminal: Any, question: str, keys: str) -> None:
    terminal.wait_for(question + KEYS)
    terminal.type(keys)


@pytest.mark.parametrize(
    ("keys", "written", "told"),
    [
        (("y", "yes", "Y"), "abc", ""),
        (("n", "y", "no"), "b", "a.txt: the user declined this edit; nothing was written.\n"),
        (("n use pathlib instead", "y", "y"), "bc", "They say: use pathlib instead\n"),
        (("No, it is fine", "y", "y"), "bc", "They say: it is fine\n"),
        (("a",), "abc", ""),
        (("n", "all"), "bc", ""),
        (("q",), "", "c.txt: the user declined"),
        (("y", "quit"), "a", "b.txt: the user declined"),
        (("y", "\x04"), "a", "c.txt: the user declined"),
    ],
)
def test_each_key(place: Any, keys: tuple[str, ...], written: str, told: str) -> None:
    """Each key does what it says, for one file or all that follow, and the model hears of it; 0 if all was done."""
    lay_out(place)
    terminal = started(place, TURN, *MARKDOWN)
    for name, key in zip(BEFORE, keys, strict=False):
        answer(terminal, f"Change {name} (+1 -1 lines)?", key if key == "\x04" else f"{key}\n")
    assert terminal.wait() == (0 if written == "abc" else 1)
    for name, text in BEFORE.items():
        first = text.partition("\n")[0]
        assert (place.folder / name).read_text() == (text.replace(first, first.upper()) if name[0] in written else text)
    assert terminal.text.count(KEYS) == len(keys)
    assert told in terminal.text


def test_nothing_is_written_before_the_answer(place: Any) -> None:
    """At each question its own file is as it was, and the ones before it are as they were answered."""
    lay_out(place)
    terminal = started(place, TURN, *MARKDOWN)
    seen: list[str] = []
    for name in BEFORE:
        terminal.wait_for(f"Change {name} (+1 -1 lines)?{KEYS}")
        seen.append("".join((place.folder / each).read_text() for each in BEFORE))
        terminal.type("y\n")
    assert terminal.wait() == 0
    assert seen == [
        "one\ntwo\nthree\nfour\nfive\n", "ONE\ntwo\nthree\nfour\nfive\n", "ONE\ntwo\nTHREE\nfour\nfive\n",
    ]  # fmt: skip


def test_what_is_no_key_explains_the_keys(place: Any) -> None:
    """A question mark, or what means nothing, explains the keys; an empty line does not; each is asked again."""
    lay_out(place)
    terminal = started(place, block("c.txt", "five", "FIVE"), *MARKDOWN)
    explained = [terminal.wait_for(KEYS)]
    for count, keys in enumerate(["?", "yy", "", "nope"], 2):
        terminal.type(f"{keys}\n")
        terminal.wait_for(KEYS, count)
        explained.append(terminal.text.count("a - yes, and the same for all that follows\n"))
    terminal.type("y\n")
    assert terminal.wait() == 0
    assert explained == [None, 1, 2, 2, 3]


def test_a_diff_that_fits_is_shown_at_once(place: Any) -> None:
    """A short diff stands above the question, in colour, and `d` shows it again."""
    lay_out(place)
    terminal = started(place, block("c.txt", "five", "FIVE"), *MARKDOWN)
    terminal.wait_for(KEYS)
    shown = terminal.raw.rpartition(terminal.NORMAL)[2]
    for line in ("\x1b[1m--- a/c.txt\x1b[0m", "\x1b[31m-five\x1b[0m", "\x1b[32m+FIVE\x1b[0m"):
        assert line in shown
    terminal.type("d\n")
    terminal.wait_for(KEYS, 2)
    assert terminal.text.count("--- a/c.txt\n+++ b/c.txt\n@@ -1,1 +1,1 @@\n-five\n+FIVE\n") == 2
    terminal.type("n\n")
    assert terminal.wait() == 1


@pytest.mark.parametrize("text", ["line\n" * 20, "word " * 400 + "\n"], ids=["lines", "long-line"])
def test_a_diff_that_does_not_fit_is_shown_when_asked_for(place: Any, text: str) -> None:
    """A diff that would push the rest off the screen is counted in the question, and `d` shows all of it."""
    turn = f"new.txt\n```\n<<<<<<< SEARCH\n=======\n{text}>>>>>>> REPLACE\n```\n"
    lines = text.count("\n")
    terminal = started(place, turn, *MARKDOWN)
    terminal.wait_for(f"Create new.txt (+{lines} -0 lines)?{KEYS}")
    assert "+++ b/new.txt" not in terminal.text
    terminal.type("d\n")
    terminal.wait_for(KEYS, 2)
    added = "".join(f"+{line}\n" for line in text.splitlines())
    assert f"--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,{lines} @@\n{added}" in terminal.text
    terminal.type("y\n")
    assert (terminal.wait(), (place.folder / "new.txt").read_text()) == (0, text)


def test_creating_moving_and_deleting_are_named(place: Any) -> None:
    """The question says what would happen to the file; a file that is declined is where it was."""
    example = EXAMPLES["patch"][2]
    lay_out(place, dict(example.before))
    terminal = started(place, str(example.turn), "session", "--format", "patch")
    answer(terminal, "Create docs/notes.md (+3 -0 lines)?", "y\n")
    answer(terminal, "Move limits.ini to etc/limits.ini (+1 -1 lines)?", "y\n")
    # Its text came in one piece with the others', so it has no count of its own.
    terminal.wait_for("old.txt: 1 of 1 block done; +0 -1 lines\n")
    answer(terminal, "+++ /dev/null\n@@ -1,1 +0,0 @@\n-Of no use.\nDelete old.txt (+0 -1 lines)?", "n\n")
    assert terminal.wait() == 1
    assert (place.folder / "old.txt").read_text() == example.before["old.txt"]
    assert not (place.folder / "limits.ini").exists()
    for name, text in example.after.items():
        assert (place.folder / name).read_text() == text


def test_a_move_alone_changes_no_line(place: Any) -> None:
    """A file that is moved and not changed has no diff, and `d` says so."""
    lay_out(place)
    turn = "*** Begin Patch\n*** Update File: c.txt\n*** Move to: d.txt\n*** End Patch\n"
    terminal = started(place, turn, "session", "--format", "patch")
    answer(terminal, "Move c.txt to d.txt?", "d\n")
    answer(terminal, "(no line of the file changes)\nMove c.txt to d.txt?", "y\n")
    assert (terminal.wait(), (place.folder / "d.txt").read_text()) == (0, BEFORE["c.txt"])


def test_asking_by_block(place: Any) -> None:
    """With --by block each block is asked about with its own lines, and one that is declined is left out."""
    lay_out(place)
    turn = block("b.txt", "three", "THREE").replace(">>>>>>> REPLACE\n", ">>>>>>> REPLACE\n{}", 1)
    turn = turn.format("<<<<<<< SEARCH\nfour\n=======\n4\nIV\n>>>>>>> REPLACE\n")
    terminal = started(place, turn, *MARKDOWN, "--by", "block")
    answer(terminal, "-three\n+THREE\n four\nChange b.txt, block 1 of 2 (+1 -1 lines)?", "n keep it small\n")
    answer(terminal, " three\n-four\n+4\n+IV\nChange b.txt, block 2 of 2 (+2 -1 lines)?", "y\n")
    assert (terminal.wait(), (place.folder / "b.txt").read_text()) == (1, "three\n4\nIV\n")
    assert "Block 1 the user declined. They say: keep it small" in terminal.text


def test_what_was_typed_before_a_question_is_no_answer(place: Any) -> None:
    """A yes that was typed while the turn still came, or before the next question, approves nothing."""
    lay_out(place)
    terminal = place.on_terminal(*MARKDOWN, piped=True)
    terminal.pipe(TURN[:30])
    terminal.wait_for("a.txt")
    terminal.type("a\n")
    terminal.wait_for("a\n")  # the terminal itself shows what is typed, once it has it
    terminal.pipe(TURN[30:])
    terminal.end_pipe()
    for name in BEFORE:
        answer(terminal, f"Change {name} (+1 -1 lines)?", "n\na\n")
    assert terminal.wait() == 1
    assert {name: (place.folder / name).read_text() for name in BEFORE} == BEFORE


def test_a_turn_that_is_pasted_is_no_answer(place: Any) -> None:
    """A turn that is typed on the terminal is read to its end before anything is asked."""
    lay_out(place)
    terminal = place.on_terminal(*MARKDOWN)
    terminal.wait_for("Reading from the terminal; end with Ctrl-D.")
    terminal.type(f"{TURN}y\n\x04")
    for name in BEFORE:
        answer(terminal, f"Change {name} (+1 -1 lines)?", "n\n" if name == "b.txt" else "y\n")
    assert terminal.wait() == 1
    assert [(place.folder / name).read_text() for name in BEFORE] == ["ONE\ntwo\n", "three\nfour\n", "FIVE\n"]


def test_a_file_that_changed_while_it_was_asked_is_not_overwritten(place: Any) -> None:
    """What somebody else wrote between the reading and the yes stays, and the model is told."""
    lay_out(place)
    terminal = started(place, block("c.txt", "five", "FIVE"), *MARKDOWN)
    terminal.wait_for(KEYS)
    (place.folder / "c.txt").write_text("theirs\n")
    terminal.type("y\n")
    assert (terminal.wait(), (place.folder / "c.txt").read_text()) == (1, "theirs\n")
    assert "c.txt: not done: " in terminal.text


def test_an_interrupt_at_the_question_leaves_what_was_not_answered(place: Any) -> None:
    """Ctrl-C at the second question ends with 130: the first file is written, the others never are, and it says so."""
    lay_out(place)
    terminal = started(place, TURN, *MARKDOWN)
    answer(terminal, "Change a.txt (+1 -1 lines)?", "y\n")
    answer(terminal, "Change b.txt (+1 -1 lines)?", "\x03")
    assert terminal.wait() == 130
    assert [(place.folder / name).read_text() for name in BEFORE] == ["ONE\ntwo\n", "three\nfour\n", "five\n"]
    told = "a.txt: changed.\n\nb.txt: the turn was cancelled before this edit was written; the file is as it was.\n"
    assert f"^C\n{told}" in terminal.text
    assert terminal.text.endswith("\neditstream: interrupted\n")


@pytest.mark.parametrize("how", ["ctrl-c", "SIGTERM"])
def test_an_end_from_outside_puts_the_terminal_back(place: Any, how: str) -> None:
    """In the middle of a file's edit, Ctrl-C and SIGTERM leave every file whole and the terminal as it was."""
    lay_out(place)
    terminal = place.on_terminal(*MARKDOWN, "--yes", piped=True)
    terminal.pipe(TURN[: TURN.index(">>>>>>> REPLACE", len(TURN) // 2)])
    terminal.wait_for(" b.txt  block 1 replacing line 1")
    assert terminal.break_off(how) == (130 if how == "ctrl-c" else 143)
    assert [(place.folder / name).read_text() for name in BEFORE] == ["ONE\ntwo\n", "three\nfour\n", "five\n"]


def test_each_file_is_shown_live_while_it_streams(place: Any) -> None:
    """Each file is on the screen, with its block, before its edit is whole; its summary is left behind."""
    lay_out(place)
    terminal = place.on_terminal(*MARKDOWN, "--yes", piped=True)
    for part, name in zip(TURN.split(">>>>>>> REPLACE"), BEFORE, strict=False):
        terminal.pipe(part)
        terminal.wait_for(f" {name}  block 1 replacing line 1")
        terminal.pipe(">>>>>>> REPLACE")
    terminal.pipe("\n```\n")
    terminal.end_pipe()
    assert terminal.wait() == 0
    left = CODES.sub("", "".join(part.partition(terminal.NORMAL)[2] for part in terminal.raw.split(terminal.ALTERNATE)))
    assert re.findall(r"^(\S+): \d+ characters, 1 of 1 block done; \+1 -1 lines", left, re.MULTILINE) == list(BEFORE)


def test_nothing_hostile_reaches_the_terminal(place: Any) -> None:
    """Paths, the diff, the words for the model and its answer show control characters, and never send them."""
    name = "a\u200bb.txt"
    lay_out(place, {name: f"one {HOSTILE}\ntwo\n"})
    edits = {name: ("two", f"TWO {HOSTILE}"), "../\x1b[31m.txt": ("x", "y"), "greet.py": (f"lost {HOSTILE}", "x")}
    turn = "".join(
        f"<replace_in_file>\n<path>{path}</path>\n<diff>\n"
        f"------- SEARCH\n{search}\n=======\n{replace}\n+++++++ REPLACE\n</diff>\n</replace_in_file>\n"
        for path, (search, replace) in edits.items()
    )
    terminal = started(place, turn, "session", "--format", "cline")
    answer(terminal, "Change a\\u200bb.txt (+1 -1 lines)?", "d\n")
    terminal.wait_for(KEYS, 2)
    assert terminal.text.count("+TWO ␛[2J␛]0;owned␇") == 2
    terminal.type("n \x1b[31mred\n")
    assert terminal.wait() == 1
    assert UNSAFE.findall(terminal.text) == []
    assert terminal.raw.count(terminal.NORMAL) == terminal.raw.count(terminal.ALTERNATE)
    assert "They say: ␛[31mred" in terminal.text
