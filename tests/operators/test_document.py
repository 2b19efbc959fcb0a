"""The original file and its line indexes, against plain scans."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream.operators import Document
from editstream.operators.document import HITS_LIMIT, LineIndex, TooManyHits, trim

module = import_module("editstream.operators.document")

texts = st.text("ab \t\r\n\x0c\u2028", max_size=30)
keys = st.lists(st.sampled_from("abc"), max_size=14)


def scan(lines: list[str], wanted: list[str], start: int = 0) -> list[int]:
    """Every place of some lines in others, overlaps included."""
    last = len(lines) - len(wanted)
    return [at for at in range(start, last + 1) if lines[at : at + len(wanted)] == wanted] if wanted else []


@given(st.sampled_from(("", "\ufeff")), texts)
def test_lines_and_ends_make_the_text(mark: str, text: str) -> None:
    """The byte order mark, and each line with its end, are the whole text, and each line begins at its offset."""
    document = Document(mark + text)
    count = len(document.lines)
    assert document.text == mark + "".join(line + document.end(at) for at, line in enumerate(document.lines))
    for at, line in enumerate(document.lines):
        assert document.text.startswith(line + document.end(at), document.offset(at))
    assert document.offset(count) == len(document.text)


@pytest.mark.parametrize(
    ("text", "lines", "ends"),
    [
        ("", [], []),
        ("\n", [""], ["\n"]),
        ("a", ["a"], [""]),
        ("a\r\nb\n\r\nc", ["a", "b", "", "c"], ["\r\n", "\n", "\r\n", ""]),
        ("a\r", ["a\r"], [""]),
        ("a\rb\r\r\n", ["a\rb\r"], ["\r\n"]),
        ("a\x0cb\x85c\u2028d\n", ["a\x0cb\x85c\u2028d"], ["\n"]),
        ("\ufeffa\n\ufeffb", ["a", "\ufeffb"], ["\n", ""]),
        ("\ufeff", [], []),
    ],
)
def test_what_ends_a_line(text: str, lines: list[str], ends: list[str]) -> None:
    """A line ends at a line feed, with or without one return before it, and at nothing else."""
    document = Document(text)
    assert (list(document.lines), [document.end(at) for at in range(len(lines))]) == (lines, ends)


@given(st.sampled_from(("", "\ufeff")), texts)
def test_the_line_at_an_offset(mark: str, text: str) -> None:
    """An offset lies in the last line that begins at or before it."""
    document = Document(mark + text)
    for offset in range(len(document.text) + 1):
        starts = [at for at in range(len(document.lines)) if document.offset(at) <= offset]
        assert document.line_at(offset) == (starts[-1] if starts else 0)


@given(texts)
def test_pieces_are_the_text_cut_at_line_feeds(text: str) -> None:
    """Cline's lines are the text split at every line feed, the empty one after the last included."""
    document = Document(text)
    assert document.pieces.lines == text.split("\n")
    for at, piece in enumerate(document.pieces.lines):
        assert text.startswith(piece, document.piece_starts[at])
    assert len(document.piece_starts) == len(document.pieces.lines) + 1


@given(keys, st.lists(st.sampled_from("abcd"), max_size=4), st.integers(0, 9), st.integers(1, 9))
def test_the_first_few(lines: list[str], wanted: list[str], start: int, most: int) -> None:
    """The first places from a line on are those of a plain scan, no more than asked for."""
    assert LineIndex(lines, None).first_few(wanted, most, start) == scan(lines, wanted, start)[:most]


@given(keys, st.lists(st.sampled_from("abcd"), max_size=4))
def test_find_is_a_plain_scan(lines: list[str], wanted: list[str]) -> None:
    """Every place is found, overlaps included, in order; no line at all is found nowhere."""
    assert LineIndex(lines, None).find(wanted) == scan(lines, wanted)


@given(keys, st.lists(st.sampled_from("abcd"), max_size=4), st.integers(0, 15))
def test_the_first_place_from_a_line_on(lines: list[str], wanted: list[str], start: int) -> None:
    """The first place at or after a line is the first of a plain scan from there."""
    assert LineIndex(lines, None).first(wanted, start) == next(iter(scan(lines, wanted, start)), -1)


@given(keys, st.sampled_from("abcd"), st.sampled_from("abcd"), st.integers(1, 5), st.integers(0, 15))
def test_the_first_frame(lines: list[str], top: str, bottom: str, size: int, start: int) -> None:
    """The first stretch of a size with a first and a last line is the first of a plain scan."""
    places = [at for at in range(start, len(lines) - size + 1) if (lines[at], lines[at + size - 1]) == (top, bottom)]
    assert LineIndex(lines, None).first_framed(top, bottom, size, start) == next(iter(places), -1)


@pytest.mark.parametrize(("lines", "at"), [("aab", 1), ("aaab", 2), ("axaab", 3), ("aaa", -1)])
def test_a_frame_after_tops_in_a_row(lines: str, at: int) -> None:
    """A top that follows another one at once is tried as well."""
    assert LineIndex(lines, None).first_framed("a", "b", 2, 0) == at


@given(keys, st.sampled_from("abcd"))
def test_single_lines(lines: list[str], key: str) -> None:
    """Where a line stands, and whether it does at all, are what a plain scan says."""
    index = LineIndex(lines, None)
    assert list(index.places(key)) == scan(lines, [key])


@given(st.lists(st.text("aA \t", max_size=3), max_size=10), st.lists(st.text("aA \t", max_size=3), max_size=2))
def test_a_fold_is_applied_to_the_lines(lines: list[str], wanted: list[str]) -> None:
    """An index under a fold finds what a scan of the folded lines finds."""
    folded = [line.strip() for line in wanted]
    assert LineIndex(lines, str.strip).find(folded) == scan([line.strip() for line in lines], folded)


def test_an_index_is_made_once() -> None:
    """The index of a fold is the same object each time, and another fold has another."""
    document = Document("a\nb\n")
    assert document.index(trim) is document.index(trim)
    assert document.index() is not document.index(trim)


def test_hits_are_bounded() -> None:
    """A line may stand there so many times, and once more is too many, told with the first of them."""
    assert LineIndex(["a"] * HITS_LIMIT, None).find(["a"]) == list(range(HITS_LIMIT))
    with pytest.raises(TooManyHits, match="more than 1000 hits") as many:
        LineIndex(["a"] * (HITS_LIMIT + 1), None).find(["a"])
    assert many.value.lines == tuple(range(HITS_LIMIT))


def test_many_distinct_lines() -> None:
    """Lines whose code points would be surrogates are told apart like any others."""
    lines = [str(number) for number in range(60_000)]
    index = LineIndex(lines, None)
    assert [index.find([str(number), str(number + 1)]) for number in (0, 0xD800, 0xDFFF)] == [[0], [0xD800], [0xDFFF]]
    assert index.find(["55296", "55298"]) == []


def test_large_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of the limit may be edited, one code point more is refused with the limit in the message."""
    monkeypatch.setattr(module, "FILE_LIMIT", 1234)
    assert Document("x" * 1234).too_large is None
    assert "1,234" in (Document("x" * 1235).too_large or "")
    monkeypatch.setattr(module, "LINES_LIMIT", 1_001)
    assert Document("\n" * 1001).too_large is None
    refused = Document("\n" * 1002)
    assert "1,001" in (refused.too_large or "")
    assert list(refused.lines) == []


@pytest.mark.parametrize(
    "char", ["\t", "\v", "\f", " ", "\xa0", "\u1680", "\u2003", "\u2028", "\u3000", "\ufeff", "\r"]
)
def test_trim_takes(char: str) -> None:
    """``trim`` takes off what ECMAScript counts as white space or the end of a line."""
    assert trim(f"{char}a{char}b{char}{char}") == f"a{char}b"


@pytest.mark.parametrize("char", ["\x1c", "\x1f", "\x85", "\u200b", "\u180e", "\x00"])
def test_trim_leaves(char: str) -> None:
    """``trim`` leaves what Python strips and ECMAScript does not."""
    assert trim(f"{char}a{char}") == f"{char}a{char}"


def test_how_a_file_is_indented() -> None:
    """A file says whether any line of it begins with a tab, and whether any begins with a space."""
    files = [Document(text) for text in ("a\n", " a\n", "a\n\ta\n", "\t\n a")]
    assert [(file.indents_with_tabs, file.indents_with_spaces) for file in files] == [
        (False, False),
        (False, True),
        (True, False),
        (True, True),
    ]
