"""Turns in Markdown: what is given when, and what holds for all of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_chats import Edit
from markdown_turns import BLOCK, OPEN, edits_in, read
from reactivex import operators as ops
from reactivex.subject import Subject
from turn_strategies import block_texts, fed, is_beginning, joined, line, pieces, reasons, texts

from editstream.operators import NOTHING, End
from editstream.operators.formats.deltas import Delta, Text
from editstream.operators.formats.file_edits import EditBegan, EditEnded, EditText, FormatEvent, Misread
from editstream.operators.formats.markdown import MARKER_LIMIT, Markdown, markdown

# What is given when --------------------------------------------------------------------------------------------------


def given_for(text: str) -> list[str]:
    """The new text of the edit for each character after its divider."""
    machine = Markdown()
    tuple(machine.feed(Text("a.py\n```\n<<<<<<< SEARCH\n=======\n")))
    out = list[str]()
    for char in text:
        events = list(machine.feed(Text(char)))
        assert all(isinstance(event, EditText) for event in events)
        out.append("".join(event.text for event in events if isinstance(event, EditText)))
    return out


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("abc\n", ["a", "b", "c", "\n"]),
        ("  ab", ["", "", "  a", "b"]),
        ("\n", ["\n"]),
        ("<<a", ["", "", "<<a"]),
        ("<<<<<<< HEAD", [*[""] * 8, "<<<<<<< H", "E", "A", "D"]),
        ("<<<<<<< SEARCHx", [*[""] * 14, "<<<<<<< SEARCHx"]),
        ("- a", ["", "- ", "a"]),
        ("===\n", ["", "", "", "===\n"]),
        (">>>>>>> R", [*[""] * 7, ">>>>>>> ", "R"]),
        ("```p", ["", "", "", "```p"]),
        ("``` \n", [*[""] * 5]),
        ("~~~\n", ["", "", "", "~~~\n"]),
        ("``\n", ["", "", "``\n"]),
    ],
)
def test_text_is_given_once_it_can_only_be_text(text: str, given: list[str]) -> None:
    """A line waits while it may be a marker or a fence, and no longer."""
    assert given_for(text) == given


@pytest.mark.parametrize("text", [" ", "=", "`", "<<< ", "x"])
def test_a_line_is_not_held_without_a_bound(text: str) -> None:
    """However long a line of marker characters or spaces is, only its beginning waits."""
    count = MARKER_LIMIT + 50
    held = Markdown()
    whole = "a.py\n```\n<<<<<<< SEARCH\n=======\n" + text * count
    events = joined(fed(held, texts(whole), None))
    assert events == [EditBegan(0, "a.py", "blocks"), EditText(0, whole.removeprefix("a.py\n```\n"))]
    read(f"{whole}\n>>>>>>> REPLACE\n```\n")


def test_an_edit_begins_with_its_opener_line() -> None:
    """The edit is there as soon as its opener is whole, before any line of the block."""
    machine = Markdown()
    assert list(machine.feed(Text("a.py\n```\n<<<<<<< SEARCH"))) == []
    assert list(machine.feed(Text("\n"))) == [EditBegan(0, "a.py", "blocks"), EditText(0, "<<<<<<< SEARCH\n")]


@pytest.mark.parametrize(
    ("text", "ends_as_the_turn"),
    [
        (f"a.py\n```\n{BLOCK}```\n", False),
        (f"a.py\n```\n{BLOCK}", True),
        (f"a.py\n```\n{OPEN}", True),
        (f"a.py\n{BLOCK}", False),
        (f"a.py\n{OPEN}", True),
        (f"a.py\n```\n{OPEN}```\nb", True),
    ],
)
def test_an_open_edit_ends_as_the_turn_does(text: str, ends_as_the_turn: bool) -> None:
    """A turn that is cut off cuts off the edit whose fence or block is open, and no other."""
    *_, ended, end = fed(Markdown(), [Text(text)], "truncated")
    assert ended == EditEnded(0, "truncated" if ends_as_the_turn else "complete")
    assert end == End("truncated")
    assert fed(Markdown(), [Text(text)], "complete")[-2:] == [EditEnded(0), End()]


def test_nothing_in_doubt_is_given_when_the_turn_is_cut_off() -> None:
    """What could have become an end of the edit, or a marker, is not shown as text of it."""
    for rest in ("```\nb.py\n", "<<<<<<< SEA", "```"):
        events = fed(Markdown(), [Text(f"a.py\n```\n{OPEN}{rest}")], "cancelled")
        assert edits_in(events) == [Edit("a.py", OPEN)]


def test_the_operator_gives_what_the_machine_gives() -> None:
    """Through Rx, a turn gives the same events, and ends with its end."""
    source, given = Subject[Delta](), list[FormatEvent]()
    source.pipe(markdown(), ops.do_action(given.append)).subscribe()
    for delta in texts(["a.py\n", BLOCK]):
        source.on_next(delta)
    source.on_completed()
    assert given == fed(Markdown(), texts(["a.py\n", BLOCK]))
    assert Markdown().peek(NOTHING) is NOTHING


def test_what_is_said_of_a_line_comes_after_the_text_before_it() -> None:
    """Between two blocks, a line that was meant as an opener is said in its place, however the turn is cut."""
    text = f"```a.py\n{BLOCK}<<<<<<<SEARCH\n{BLOCK}```\n"
    kinds = [type(event) for event in read(text)]
    assert kinds == [EditBegan, EditText, Misread, EditText, EditEnded, End]


# Properties ----------------------------------------------------------------------------------------------------------

adverse_line = st.one_of(
    st.sampled_from(
        (
            "<<<<<<< SEARCH", "------- SEARCH", "  <<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "+++++++ REPLACE",
            "```", "````", "~~~", "```python", "  ```", "a.py", "`b.py`", "", "", "some words", "<<<<<<<SEARCH",
            "```c.py",
        )
    ),
    line,
)  # fmt: skip
adverse_turns = st.tuples(st.lists(adverse_line, max_size=40).map("\n".join), st.sampled_from(("", "\n"))).map("".join)


@settings(max_examples=300)
@given(st.data())
def test_any_cut_gives_the_same(data: st.DataObject) -> None:
    """However a turn is cut, its events are the same."""
    text, reason = data.draw(adverse_turns), data.draw(reasons)
    whole = fed(Markdown(), [Text(text)], reason)
    edits_in(whole)
    assert joined(fed(Markdown(), texts(data.draw(pieces(text))), reason)) == joined(whole)


@settings(max_examples=300)
@given(st.data())
def test_nothing_that_was_given_is_taken_back(data: st.DataObject) -> None:
    """What a beginning of a turn gives is the beginning of what the turn gives, also where it is cut off there."""
    text = data.draw(adverse_turns)
    beginning = text[: data.draw(st.integers(0, len(text)))]
    whole = fed(Markdown(), [Text(text)])
    assert is_beginning(fed(Markdown(), [Text(beginning)], None), whole)
    cut, full = edits_in(fed(Markdown(), [Text(beginning)], "truncated")), edits_in(whole)
    assert [edit.path for edit in cut] == [edit.path for edit in full[: len(cut)]]
    assert all(edit.text.startswith(part.text) for part, edit in zip(cut, full, strict=False))


@st.composite
def turns(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """Edits, and a turn that is written with them."""
    out, edits = list[str](), list[Edit]()
    for _ in range(draw(st.integers(1, 4))):
        blocks = draw(block_texts())
        places = ("above", "inside", "info", "no fence", *(("missing",) if edits else ()))
        place = draw(st.sampled_from(places))
        path = (
            edits[-1].path
            if place == "missing"
            else draw(st.sampled_from(("a.py", "src/b.ts", ".env", "x/y", "w\\c.h")))
        )
        edits.append(Edit(path, blocks))
        between = draw(st.sampled_from(("", "\n", "\n\n")))
        blocks = blocks.replace("REPLACE\n------- SEARCH", f"REPLACE\n{between}------- SEARCH")
        name = draw(st.sampled_from(("{}\n", "`{}`\n\n", "**{}**:\n", "# {}\n"))).format(path)
        out.append(draw(st.sampled_from(("Some words.\n", "\nMore words, then.\n\n"))))
        if place == "no fence":
            out += [name, blocks, "And so on.\n"]
            continue
        fence = draw(st.sampled_from("`~")) * draw(st.integers(3, 6))
        indent, info = draw(st.sampled_from(("", "  ", "\t"))), draw(st.sampled_from(("", "python", "c++")))
        info = f"{info or 'text'} {path}" if place == "info" else info
        out += [name if place == "above" else "", f"{indent}{fence}{info}\n", name if place == "inside" else "", blocks]
        out.append(f"{indent}{fence}\n")
    return "".join(out), edits


@settings(max_examples=200)
@given(st.data())
def test_edits_come_out_of_the_turn_that_they_were_written_into(data: st.DataObject) -> None:
    """Random edits, written with random fences and names and cut anywhere, come out as they were."""
    text, edits = data.draw(turns())
    events = fed(Markdown(), texts(data.draw(pieces(text))))
    assert edits_in(events) == edits
    assert not [event for event in events if isinstance(event, Misread)]
