"""What the tests of formats share: turns cut anywhere, events as one reads them, and random paths, files and blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hypothesis import strategies as st

from editstream.operators import Machine
from editstream.operators.events import Reason
from editstream.operators.formats.deltas import Delta, Text
from editstream.operators.formats.file_edits import EditText, FormatEvent, NewText, OldText

ADVERSE = "<>/`-=+*@#~\"'\\ \t\n\r\x00\x1b\u2028\ufeffé😀"
"""Characters that a format, a line or a terminal could trip over."""

LINES = (
    "", "", "a", "  b", "\tc", "x = 1", "# x", "```", "````py", "~~~", "@@", "@@ def a():", "*** End Patch", "+a", "-a",
    "<a>", "</a>", "<path>", "</path>", "<diff>", "</diff>", "<content>", "</content>", "</conten", "<write_to_file>",
    "</write_to_file>", "</replace_in_file>", "<thinking>", "é😀",
)  # fmt: skip
"""Lines of files; few, so that they repeat."""

reasons: st.SearchStrategy[Reason] = st.sampled_from(("complete", "truncated", "cancelled"))

paths = st.one_of(
    st.sampled_from(("a.py", "src/a.py", "./b c.md", "d/é.txt", "x&amp;y", "<a>.ts")),
    st.text("ab/. -_é", min_size=1, max_size=12).filter(lambda path: path == path.strip()),
)
"""Paths as a model writes them, without white space around."""

line = st.one_of(st.sampled_from(LINES), st.text(ADVERSE.replace("\n", "").replace("\r", "") + "ab", max_size=8))


@st.composite
def file_texts(draw: st.DrawFn) -> str:
    """The text of a small file, with or without a last line end, in LF or CRLF."""
    end = draw(st.sampled_from(("\n", "\n", "\r\n")))
    text = "".join(text + end for text in draw(st.lists(line, max_size=6)))
    return text.removesuffix(end) if draw(st.booleans()) else text


@st.composite
def block_texts(draw: st.DrawFn) -> str:
    """A few SEARCH/REPLACE blocks, each with its markers on lines of their own, ending with a line end."""
    out = list[str]()
    for _ in range(draw(st.integers(1, 3))):
        old, new = draw(st.lists(line, min_size=1, max_size=4)), draw(st.lists(line, max_size=4))
        out += ["------- SEARCH", *old, "=======", *new, "+++++++ REPLACE"]
    return "\n".join(out) + "\n"


def pieces(text: str) -> st.SearchStrategy[list[str]]:
    """A text in pieces, cut anywhere, some of them empty; each character by itself now and then."""
    cuts = st.lists(st.integers(0, len(text)), max_size=12).map(sorted)
    return st.one_of(cuts.map(lambda at: split(text, at)), st.integers(1, 7).map(lambda size: sized(text, size)))


def split(text: str, cuts: Sequence[int]) -> list[str]:
    """A text cut at these offsets, which are in order."""
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def sized(text: str, size: int) -> list[str]:
    """A text in pieces of so many characters, the last one with what is left."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def texts(pieces: Iterable[str]) -> list[Text]:
    """Pieces as what a model says."""
    return [Text(piece) for piece in pieces]


def fed(
    machine: Machine[Delta, FormatEvent], deltas: Iterable[Delta], reason: Reason | None = "complete"
) -> list[FormatEvent]:
    """All that a machine gives for deltas; without a reason, the turn is left open."""
    events = [event for delta in deltas for event in machine.feed(delta)]
    return [*events, *(machine.close(reason) if reason else ())]


def joined(events: Iterable[FormatEvent]) -> list[FormatEvent]:
    """Events with each run of text of the same edit, side and kind as one."""
    out = list[FormatEvent]()
    for event in events:
        last = out[-1] if out else None
        if (
            isinstance(event, EditText | OldText | NewText)
            and isinstance(last, EditText | OldText | NewText)
            and (type(event), event.edit) == (type(last), last.edit)
        ):
            out[-1] = replace(last, text=last.text + event.text)
        else:
            out.append(event)
    return out


def is_beginning(events: Iterable[FormatEvent], whole: Iterable[FormatEvent]) -> bool:
    """Whether what was given so far is the beginning of what is given in the end: nothing was taken back."""
    first, all_of_it = joined(events), joined(whole)
    if not first:
        return True
    *before, last = first
    if len(first) > len(all_of_it) or before != all_of_it[: len(before)]:
        return False
    following = all_of_it[len(before)]
    if isinstance(last, EditText | OldText | NewText) and type(following) is type(last):
        return replace(following, text=following.text[: len(last.text)]) == last
    return following == last
