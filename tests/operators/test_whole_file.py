"""A whole file, written anew: what comes out at the end, what is shown on the way, and what is never applied."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reactivex.subject import Subject
from stages import cut, every_way, fed, names, peeking_changes_nothing, plain, tail

from editstream.operators import (
    NOTHING,
    SAFE,
    Block,
    BlockChanged,
    Chain,
    Document,
    EditError,
    End,
    Line,
    Lines,
    Relocated,
    ReplaceTail,
    Snapshot,
    Snapshots,
    TooLarge,
    Writing,
    snapshots,
)
from editstream.operators import lines as lines_operator
from editstream.operators.document import LINES_LIMIT
from editstream.operators.whole_file import LONGEST_FENCE, RUNS_LIMIT, WholeFile, whole_file

BOM = "\ufeff"
FILE = "a\nb\nc\nd\n"


def stages(original: str, *, markdown: bool = False, apply_rest: bool = True) -> Chain:
    """The stages from the chunks to the snapshots."""
    document = Document(original)
    machines = (Lines(), WholeFile(document, markdown=markdown), Snapshots(document, SAFE, apply_rest=apply_rest))
    return Chain(machines)


def last(original: str, text: str, reason: str = "complete", **options: bool) -> Snapshot:
    """The snapshot at the end of a text that came in one piece."""
    return fed(stages(original, **options), [text], reason)[-1]


def sofar(original: str, text: str, **options: bool) -> Snapshot:
    """The snapshot while the text has come so far."""
    return fed(stages(original, **options), [text], None)[-1]


def edited(snapshot: Snapshot) -> str:
    """The original after the edits of a snapshot."""
    pieces, at = list[str](), 0
    for edit in snapshot.edits:
        assert edit.start >= at
        pieces += (snapshot.original[at : edit.start], edit.text)
        at = edit.end
    return "".join([*pieces, snapshot.original[at:]])


# At the end ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("original", "text", "expected"),
    [
        ("", "a\nb\n", "a\nb\n"),
        ("", "a\nb", "a\nb"),
        ("", "a\r\nb\r\n", "a\r\nb\r\n"),
        ("", "a\r", "a\r"),
        ("", BOM + "a\n", BOM + "a\n"),
        ("", "", ""),
        ("", "\n", "\n"),
        (FILE, "", ""),
        (FILE, "\n", "\n"),
        (FILE, FILE, FILE),
        (FILE, "a\nB\nc\nd\n", "a\nB\nc\nd\n"),
        (FILE, "a\nB\nc\nd", "a\nB\nc\nd\n"),
        (FILE, "a\r\nB\r\n", "a\nB\n"),
        (FILE, "a\rb\nc\r", "a\rb\nc\r\n"),
        (FILE, BOM + "a\n", BOM + "a\n"),
        ("a\nb", "a\nB", "a\nB"),
        ("a\nb", "a\nb\n", "a\nb\n"),
        ("a\nb", "a\nb\nc", "a\nb\nc"),
        ("a\nb", "a\nb\nc\n", "a\nb\nc\n"),
        ("a\nb", "a", "a"),
        ("a", "b\n", "b\n"),
        ("a\r\nb\r\n", "a\nB\nc\n", "a\r\nB\r\nc\r\n"),
        ("a\r\nb\r\n", "a\nB", "a\r\nB\r\n"),
        ("a\r\nb", "a\nb\nc\n", "a\r\nb\r\nc\r\n"),
        ("a\r\nb", "x\ny\n", "x\r\ny\r\n"),
        ("a\nb\r\nc\n", "a\nB\nB2\nc\nd\n", "a\nB\r\nB2\r\nc\nd\n"),
        ("a\nb\r\nc\n", "x\na\nb\nc\n", "x\na\nb\r\nc\n"),
        ("a\r\r\nb\r", "a\r\r\nb\r", "a\r\r\nb\r"),
        (BOM + FILE, "a\nx\n", BOM + "a\nx\n"),
        (BOM + FILE, BOM + "a\nx\n", BOM + "a\nx\n"),
        (BOM + FILE, BOM, BOM),
        (BOM + FILE, "", BOM),
        (BOM, "a\r\n", BOM + "a\r\n"),
    ],
)
def test_the_new_file(original: str, text: str, expected: str) -> None:
    """The new file is the text, with the file's own line ends, byte order mark, and final line end."""
    snapshot = last(original, text)
    assert (snapshot.new_content, edited(snapshot)) == (expected, expected)
    assert [block.status for block in snapshot.blocks] == ["unchanged" if expected == original else "applied"]
    assert (snapshot.problems, snapshot.is_final) == ((), True)


def test_the_edits_are_small() -> None:
    """Only the lines that differ are edits, whatever was shown while the text came."""
    assert [(edit.start, edit.end, edit.text) for edit in last(FILE, "b\nx\nc\nd\ny\n").edits] == [
        (0, 2, ""),
        (4, 4, "x\n"),
        (8, 8, "y\n"),
    ]


def test_the_block() -> None:
    """The file is one block with the whole file as its place; an unchanged one reports no match."""
    place = {"span": (1, 5), "lines": (1, 3)}
    snapshot = last(BOM + "a\nb\n", "a\nB\n")
    assert snapshot.blocks == (Block(0, 1, "applied", **place),)  # type: ignore[arg-type]
    assert (snapshot.match_indices, snapshot.match_lines) == ((1,), (1,))
    snapshot = last(BOM + "a\nb\n", "a\nb\n")
    assert snapshot.blocks == (Block(0, 1, "unchanged", **place),)  # type: ignore[arg-type]
    assert snapshot.match_indices == ()


@pytest.mark.parametrize(("reason", "why"), [("truncated", "was cut off"), ("cancelled", "was cancelled")])
@pytest.mark.parametrize("text", ["", "a", "a\nx\n", FILE, "```\na\n```"])
def test_a_text_that_is_cut_off(reason: str, why: str, text: str) -> None:
    """A text that is not whole is never applied, not even where the good blocks of an edit would be."""
    snapshot = last(FILE, text, reason)
    assert (snapshot.new_content, snapshot.edits) == (FILE, ())
    assert [block.status for block in snapshot.blocks] == ["rejected"]
    assert [(said.kind, said.block, said.provisional) for said in snapshot.problems] == [("truncated", 0, False)]
    assert f"the stream {why} before the file was whole" in snapshot.problems[0].message
    with pytest.raises(EditError, match=why):
        last(FILE, text, reason, apply_rest=False)


# Fences --------------------------------------------------------------------------------------------------------------

A_FILE = "def a():\n    pass\n"
NESTED = "# T\n\n```sh\nls\n```\n\nEnd.\n"


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (f"```python\n{A_FILE}```", A_FILE),
        (f"```python\n{A_FILE}```\n", A_FILE),
        (f"```\n{A_FILE}```  \n\n \n", A_FILE),
        (f"~~~ py title='x'\n{A_FILE}~~~~\n", A_FILE),
        (f"````\n{A_FILE}```\n````\n", A_FILE + "```\n"),
        (f"```py\r\n{A_FILE}```\r\n", A_FILE),
        ("```\n```\n", ""),
        (f"```\n\n{A_FILE}\n```\n", f"\n{A_FILE}\n"),
        (f"```md\n{NESTED}```\n", NESTED),
        (f"```md\n{NESTED}{NESTED}```\n", NESTED * 2),
        ("```\n  ```\n  x\n  ```\n```\n", "  ```\n  x\n  ```\n"),
        ("````\n~~~sh\n```\n~~~\n````\n", "~~~sh\n```\n~~~\n"),
    ],
)
def test_a_fence_around_all(text: str, content: str) -> None:
    """A fence that opens in the first line, and closes in the last one that is not blank, is no content."""
    assert last("", text).new_content == content.replace("\r", "")


@pytest.mark.parametrize(
    "text",
    [
        f"```python\n{A_FILE}",
        f"```python\n{A_FILE}~~~\n",
        f"````\n{A_FILE}```\n",
        f"```\n{A_FILE}```\n\nIt is done.\n",
        f"```\n{A_FILE}```\n```\n{A_FILE}```\n",
        f"\n```\n{A_FILE}```\n",
        f" ```\n{A_FILE}```\n",
        f"x```\n{A_FILE}```\n",
        f"``\n{A_FILE}``\n",
        f"``` `py`\n{A_FILE}```\n",
        f"```{'x' * LONGEST_FENCE}\n{A_FILE}```\n",
        f"```md\n{NESTED}~~~sh\n```\n",
        "```\n",
    ],
)
def test_a_fence_that_is_content(text: str) -> None:
    """Any other fence is content, and nothing of the text is left out."""
    assert last("", text).new_content == text


@pytest.mark.parametrize("info", ["markdown", "md", " MD "])
def test_a_fence_around_markdown(info: str) -> None:
    """A Markdown file loses a fence that says it is Markdown."""
    assert last("", f"```{info}\n{NESTED}```\n", markdown=True).new_content == NESTED


@pytest.mark.parametrize("info", ["", "sh", "mdx", "markdown title"])
def test_a_fence_of_markdown(info: str) -> None:
    """A Markdown file keeps any other fence: it may be all that it holds."""
    text = f"```{info}\nls\n```\n"
    assert last("", text, markdown=True).new_content == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("~~~\n", ""),
        ("```py\nx", "x\n"),
        ("```py\nx\n", "x\n"),
        ("```py\nx\n`", "x\n"),
        ("```py\nx\n``` ", "x\n"),
        ("```py\nx\n```s", "x\n```s\n"),
        ("```py\nx\n```\n", "x\n"),
        ("```py\nx\n```\n\n \n", "x\n"),
        ("```py\nx\n```\n\ny", "x\n"),
        ("```py\nx\n```\n\ny\n", "```py\nx\n```\n\ny\n"),
        ("```py\nx\n```\n\ny\n```", "```py\nx\n```\n\ny\n```\n"),
        ("```py\n```md\n``", "```md\n``\n"),
    ],
)
def test_what_is_held_back(text: str, shown: str) -> None:
    """What may be the fence around all is not shown; what turns out to be content is shown at once, in its place."""
    snapshot = sofar("z\n", text)
    assert snapshot.full_content == edited(snapshot) == shown + "z\n"


def test_what_is_taken_back() -> None:
    """A reading that is given up is taken back by an event, and so is one that the end gives up."""
    chain = Chain((Lines(), WholeFile(Document(FILE))))
    assert names(fed(chain, ["```\na\n```\nb\n"], None))[-7:] == [
        "Relocated", "Writing", "Wrote", "Writing", "Wrote", "Writing", "Unfinished",
    ]  # fmt: skip
    chain = Chain((Lines(), WholeFile(Document(FILE))))
    assert names(fed(chain, ["```\na\n"])) == [
        "replacing", "Writing", "Writing", "Unfinished", "Relocated", "Arrangement", "applied", "End",
    ]  # fmt: skip
    chain = Chain((Lines(), WholeFile(Document(FILE))))
    assert Relocated(0) not in fed(chain, ["```\na\n```"])


# While it streams ----------------------------------------------------------------------------------------------------

LONG = "".join(f"line {n}\n{{\n}}\n" for n in range(9))


@pytest.mark.parametrize(
    ("original", "text", "full", "new"),
    [
        pytest.param(FILE, "a\n", FILE, "a\n", id="kept"),
        pytest.param(FILE, "a\nx\n", "a\nx\nb\nc\nd\n", "a\nx\n", id="a new line"),
        pytest.param(FILE, "a\nx\nc\n", "a\nx\nc\nd\n", "a\nx\nc\n", id="a replaced line"),
        pytest.param(FILE, "x\na\n", "x\n" + FILE, "x\na\n", id="an inserted line"),
        pytest.param(FILE, "d\n", "d\n", "d\n", id="lines left out"),
        pytest.param(FILE, "a\nx\ny\nz\nd\n", "a\nx\ny\nz\nd\n", "a\nx\ny\nz\nd\n", id="more lines for fewer"),
        pytest.param(FILE, FILE + "e\n", FILE + "e\n", FILE + "e\n", id="behind the last line"),
        pytest.param(FILE, FILE + "a\n", FILE + "a\n", FILE + "a\n", id="a line that was passed"),
        pytest.param("a\n\nb\n", "x\n\n", "x\n\na\n\nb\n", "x\n\n", id="a blank line tells nothing"),
        pytest.param("a\n\nb\n", "x\n\nb\n", "x\n\nb\n", "x\n\nb\n", id="a blank line before one that tells"),
        pytest.param(LONG, "x\n}\n", "x\n" + LONG[LONG.index("}") :], "x\n}\n", id="common, and near"),
        pytest.param("a\nb\nc\nd\n}\n", "x\n}\n", "x\n}\na\nb\nc\nd\n}\n", "x\n}\n", id="too far for one line"),
        pytest.param(LONG, "line 5\n", "line 5\n" + LONG, "line 5\n", id="once in the file, but alone"),
        pytest.param(LONG, "}\nline 5\n", LONG[LONG.index("}\nline 5") :], "}\nline 5\n", id="in turn, far on"),
        pytest.param(LONG, "line 5\n{\n", "line 5\n" + LONG[7:], "line 5\n{\n", id="in turn, but common"),
        pytest.param("a\nb", "a\nb\n", "a\nb\n", "a\nb\n", id="a last line that gets an end"),
        pytest.param("a\r\nb", "a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\r\nb\r\nc\r\n", id="behind it"),
        pytest.param("a\r\nb\r\n", "a\nx\r\n", "a\r\nx\r\nb\r\n", "a\r\nx\r\n", id="line ends"),
    ],
)
def test_lines_in_place(original: str, text: str, full: str, new: str) -> None:
    """New lines stand before the old ones that are not reached yet, and take the place of those passed over."""
    snapshot = sofar(original, text)
    assert (snapshot.full_content, snapshot.new_content) == (full, new)
    assert edited(snapshot) == full
    assert snapshot.full_position == len(new)


@pytest.mark.parametrize(
    ("original", "text", "full"),
    [
        ("abc\nd\n", "x\nab", "x\nab\nabc\nd\n"),
        ("abc\nd\n", "abc\nd", "abc\nd\n"),
        ("abc\ndef\n", "abc\nde", "abc\ndef\n"),
        ("abc\ndef\n", "abc\ndx", "abc\ndx\ndef\n"),
        ("abc\ndef\n", "abc\ndef\r", "abc\ndef\n"),
        ("abc\r\ndef\r\n", "abc\nx\r", "abc\r\nx\r\ndef\r\n"),
        ("abc\n", "abc\nx", "abc\nx\n"),
        ("", "a\nb\r", "a\nb\r\n"),
    ],
)
def test_an_unfinished_line(original: str, text: str, full: str) -> None:
    """An unfinished line is shown like a new one, unless it may become the old line at the cursor."""
    snapshot = sofar(original, text)
    assert (snapshot.full_content, edited(snapshot)) == (full, full)


def test_an_unfinished_first_line() -> None:
    """The first line begins the block while it is unfinished; a possible fence, and no text, begin nothing."""
    machine = WholeFile(Document(FILE))
    begun, writing, shown = machine.peek(tail("x"))
    assert isinstance(begun, BlockChanged)
    assert begun.block.status == "replacing"
    assert isinstance(writing, Writing)
    assert isinstance(shown, ReplaceTail)
    assert shown.tail.text == "x"
    for text in ("", "`", "~~", "```", "```py", "~~~ a b"):
        assert machine.peek(tail(text)) == NOTHING
    assert [len(machine.peek(tail(text))) for text in ("``a", "```a`", " ```", "`~")] == [3] * 4
    assert machine.peek(NOTHING) == NOTHING


def test_runs_are_bounded() -> None:
    """Beyond the limit a run stays open to the end, and the new file is right all the same."""
    old = [f"old {n // 2}\n" if n % 2 else f"kept {n}\n" for n in range(2 * RUNS_LIMIT + 20)]
    new = [line.replace("old", "new") for line in old]
    machine = stages("".join(old))
    snapshot = fed(machine, ["".join(new)], None)[-1]
    assert len(snapshot.edits) == RUNS_LIMIT + 1
    assert edited(snapshot) == snapshot.full_content == "".join(new + old[2 * RUNS_LIMIT + 1 :])
    final = list(machine.close("complete"))[-1]
    assert final.new_content == "".join(new)
    assert len(final.edits) == RUNS_LIMIT + 10


LINES = ("a", "b", "c", "d", "", "  ", "}", "```", "```md", "~~~", "a\r", "```` ", "  ```")


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A text of few kinds of lines, with either line end, now and then in a fence, with or without its end."""
    lines = draw(st.lists(st.sampled_from(LINES), max_size=10))
    if draw(st.integers(0, 2)) == 0:
        lines = ["```md", *lines, "```"]
    text = "".join(line + draw(st.sampled_from(("\n", "\n", "\r\n"))) for line in lines)
    text = text if draw(st.booleans()) else text.rstrip("\r\n")
    return draw(st.sampled_from(("", "", "", BOM))) + text


REASONS = st.sampled_from(("complete", "complete", "truncated", "cancelled"))


@given(original=texts(), text=texts(), markdown=st.booleans(), reason=REASONS)
@example(original="a", text="a\n", markdown=False, reason="complete")
def test_no_way_of_feeding_makes_a_difference(original: str, text: str, markdown: bool, reason: str) -> None:
    """The snapshot after a prefix depends on the prefix alone, and no cut changes the last one."""
    every_way(lambda: stages(original, markdown=markdown), text, reason)
    document = Document(original)
    every_way(lambda: Chain((Lines(), WholeFile(document, markdown=markdown))), text, reason)
    peeking_changes_nothing(Lines(), lambda: WholeFile(document, markdown=markdown), text, reason)


@given(original=texts(), text=texts(), seed=st.integers(0, 99))
def test_the_edits_make_the_full_content(original: str, text: str, seed: int) -> None:
    """At every snapshot, and when all are read at the end, the edits turn the original into what is shown."""
    snapshots = fed(stages(original), cut(text, seed))
    shown = [snapshot.full_content for snapshot in snapshots]
    assert shown == [edited(snapshot) for snapshot in snapshots]
    assert [len(snapshot.blocks) for snapshot in snapshots][-1] == 1


PLAIN = st.lists(st.text("ab {}\u2028\x0c", max_size=3), max_size=12).map(
    lambda lines: "".join(f"{x}\n" for x in lines)
)


@given(original=PLAIN, text=PLAIN, seed=st.integers(0, 99))
def test_plain_files(original: str, text: str, seed: int) -> None:
    """Where all lines end the same way, the new file is the text; at each of them, the lines so far are on top."""
    machine, come = stages(original), 0
    for piece in cut(text, seed):
        come += len(piece)
        lines = text[: text.rfind("\n", 0, come) + 1]
        assert next(iter(machine.feed(piece))).full_content.startswith(lines)
    assert list(machine.close("complete"))[-1].new_content == text


@given(original=texts(), mark=st.sampled_from(("", BOM)))
def test_the_same_file_again(original: str, mark: str) -> None:
    """A file that is written as it is is unchanged, whatever its line ends, unless it begins with a fence."""
    original = mark + "x\n" + original.removeprefix(BOM)
    snapshot = last(original, original)
    assert (snapshot.blocks[0].status, snapshot.edits, snapshot.new_content) == ("unchanged", (), original)


# Bounds --------------------------------------------------------------------------------------------------------------


def test_a_file_that_is_too_large() -> None:
    """A file beyond the limits is left alone, and the snapshots say why."""
    snapshot = last("\n" * (LINES_LIMIT + 1), "a\n")
    assert (snapshot.blocks, snapshot.edits) == ((), ())
    assert [said.kind for said in snapshot.problems] == ["too_large"]


def test_a_text_of_too_many_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text with more lines than a file may have is not applied, and what comes after is not read."""
    monkeypatch.setattr(import_module("editstream.operators.whole_file"), "LINES_LIMIT", 3)
    assert last(FILE, "a\nb\nc\n").new_content == "a\nb\nc\n"
    snapshot = last(FILE, "a\nb\nc\nx\ny\nz")
    assert (snapshot.full_content, snapshot.edits) == (FILE, ())
    assert [(said.kind, said.line) for said in snapshot.problems] == [("too_large", 4)]
    assert [block.status for block in snapshot.blocks] == ["rejected"]


def test_a_text_that_is_too_long() -> None:
    """What passes the bound of the stream ends the reading, and nothing is applied."""
    machine = WholeFile(Document(FILE))
    items = [Line("x", 1), TooLarge(2, "too long."), Line("y", 2), tail("z"), End()]
    assert plain(fed(machine, items, None)[-4:]) == plain(
        [TooLarge(2, "too long."), BlockChanged(Block(0, 1, "rejected")), NOTHING, End()]
    )


def test_no_text_at_all() -> None:
    """A text of which nothing came is an empty file, and has its block."""
    assert names(fed(WholeFile(Document(FILE)), [])) == ["replacing", "Writing", "Arrangement", "applied", "End"]


def test_the_operator() -> None:
    """The operators of all stages give what the machines give."""
    document, source = Document(FILE), Subject[Any]()
    given, failed = list[Snapshot](), list[Exception]()
    stream = source.pipe(lines_operator(), whole_file(document), snapshots(document, SAFE))
    stream.subscribe(given.append, failed.append)
    for piece in cut("a\nx\n", 1):
        source.on_next(piece)
    source.on_completed()
    assert failed == []
    assert plain(given) == plain(fed(stages(FILE), cut("a\nx\n", 1)))
