"""Hypothesis strategies for streams: plausible diffs of small files, and text that no model should ever send."""

from __future__ import annotations

from hypothesis import strategies as st

LINES = (
    "a", "b", "c", "  a", "    a", "\ta", "\t\tb", "a ", "b\t", "", "", "  ", "“a”", '"a"', "a &amp; b", "a & b", "<b>",
    "=======", "=====", "---", "+++", "> q", "- item", "<<<<<<< HEAD", "x = 1", "x = 1", "end",
)  # fmt: skip
MARKERS = (
    "------- SEARCH", "<<<<<<< SEARCH", "=======", "+++++++ REPLACE", ">>>>>>> REPLACE", "--- SEARCH>", "===",
    "+++ REPLACE", "  ------- SEARCH", "  =======", "  +++++++ REPLACE", "------- SEARCH  ", "======= \t",
)  # fmt: skip
HALVES = (
    "-------", "------- SEAR", "<<<<", "+++++++", "+++++++ REPL", ">>>", "==", "------- search", "+++ Replace.",
    "-------SEARCH", "------- SEARCH now", "========", "```", "~~~", "<<<<<<< HEAD", ">>>>>>> theirs", "### FOO",
)  # fmt: skip
NASTY = (
    "\x00", "\ufeff", "\ud800", "\udfff", "\u2028", "\x0c", "\x1b[31m", "\u202e", "\u200b", "é", "e\u0301", "&lt",
    "&amp;lt;",
    "\x85", "\r\r",
)  # fmt: skip

line = st.sampled_from(LINES)
lines = st.lists(line, max_size=8)
end = st.sampled_from(("\n", "\n", "\n", "\r\n"))
dialect = st.sampled_from(("safe", "v1", "v2"))


@st.composite
def originals(draw: st.DrawFn) -> str:
    """A small file: few kinds of lines, so that places repeat; mixed line ends; a byte order mark now and then."""
    text = "".join(text + draw(end) for text in draw(lines))
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    return draw(st.sampled_from(("", "", "", "\ufeff"))) + text


@st.composite
def diffs(draw: st.DrawFn) -> str:
    """A few blocks, most of them whole, written in one of the allowed ways, with prose or debris between them."""
    out = list[str]()
    for _ in range(draw(st.integers(0, 4))):
        size, left = draw(st.sampled_from((7, 7, 7, 3, 5))), draw(st.sampled_from("--<"))
        parts = [[left * size + " SEARCH"], draw(lines), ["=" * size], draw(lines), ["+" * size + " REPLACE"]]
        lost = draw(st.integers(0, 14))
        if lost < len(parts):
            parts[lost] = draw(st.lists(st.sampled_from(MARKERS + HALVES), max_size=1))
        out += [text for part in parts for text in part]
        out += draw(st.lists(st.sampled_from((*HALVES, "Now this.", "")), max_size=1))
    text = draw(end).join(out)
    return text + "\n" if draw(st.booleans()) else text


def hostile() -> st.SearchStrategy[str]:
    """Marker soup: markers, half markers, lines of the file, surrogates, NULs, carriage returns, in any order."""
    piece = st.one_of(
        st.sampled_from(MARKERS).map(lambda text: text + "\n"),
        st.sampled_from(MARKERS + HALVES + LINES + NASTY),
        st.sampled_from(("\n", "\n", "\r\n", "\r", " ", "\t" * 40, " " * 60)),
        st.text(max_size=4),
    )
    return st.lists(piece, max_size=40).map("".join)


originals_or_hostile = st.one_of(originals(), hostile())
diffs_or_hostile = st.one_of(diffs(), diffs(), hostile())
