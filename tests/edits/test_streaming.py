"""What a snapshot of the `safe` dialect says while the stream runs."""

from __future__ import annotations

import pytest
from streams import block

from editstream import FileEditor, Snapshot

FILE = "a\nb\nc\nd\ne\n"
OPEN = "------- SEARCH\nb\n=======\n"


def after(stream: str, original: str = FILE, dialect: str = "safe") -> Snapshot:
    """The snapshot after a stream that came character by character."""
    editor = FileEditor(original, dialect)  # type: ignore[arg-type]
    for char in stream:
        editor.feed(char)
    return editor.snapshot


@pytest.mark.parametrize(
    ("stream", "full", "new"),
    [
        ("", FILE, ""),
        ("Sure.\n", FILE, ""),
        ("------- SEARCH\nb\n", FILE, ""),
        (OPEN + "B\n", "a\nB\nc\nd\ne\n", "a\nB\n"),
        (OPEN + "B\n+++", "a\nB\nc\nd\ne\n", "a\nB\n"),
        (OPEN + "B\n++++++ REPL", "a\nB\nc\nd\ne\n", "a\nB\n"),
        (OPEN + "B\n+x\n", "a\nB\n+x\nc\nd\ne\n", "a\nB\n+x\n"),
        (block("b\n", "B\n"), "a\nB\nc\nd\ne\n", "a\nB\n"),
        (block("b\n", ""), "a\nc\nd\ne\n", "a\n"),
        (block("d\n", "D\n"), "a\nb\nc\nD\ne\n", "a\nb\nc\nD\n"),
        (block("d\n", "D\n") + block("b\n", "1\n2\n"), "a\n1\n2\nc\nD\ne\n", "a\n1\n2\nc\nD\n"),
        (block("b\n", "B\n") + block("zzz\n", "Z\n"), "a\nB\nc\nd\ne\n", "a\nB\n"),
    ],
)
def test_contents(stream: str, full: str, new: str) -> None:
    """New content goes to the end of the placed block furthest down, full content to the end of the file."""
    snapshot = after(stream)
    assert (snapshot.full_content, snapshot.new_content) == (full, new)


def test_the_unfinished_line_shows() -> None:
    """A line that is still growing is in the file already, unless it may become a marker."""
    assert "B1\nB2" in after(OPEN + "B1\nB2").full_content
    assert "B1\n+B2" in after(OPEN + "B1\n+B2").full_content
    assert after(OPEN + "B1\n++").full_content == after(OPEN + "B1\n").full_content


def test_statuses_go_one_way() -> None:
    """A block is searched for, located, replaced and applied, in that order."""
    editor, seen = FileEditor(FILE), list[str]()
    for char in block("b\n", "B1\nB2\n"):
        blocks = editor.feed(char).blocks
        if blocks and seen[-1:] != [blocks[0].status]:
            seen.append(blocks[0].status)
    assert seen == [status for status in ("searching", "located", "replacing", "applied") if status in seen]
    assert {"searching", "replacing", "applied"} <= {*seen}


def test_a_pending_block_is_nowhere_yet() -> None:
    """With two places left it writes nothing and reports none, and names both; at the end order decides."""
    original = "a\nx\nb\nx\nc\n"
    snapshot = after(block("a\n", "A\n") + block("x\n", "X\n"), original)
    assert [block.status for block in snapshot.blocks] == ["applied", "pending"]
    assert (snapshot.full_content, snapshot.match_indices) == ("A\nx\nb\nx\nc\n", (0,))
    assert [(problem.kind, problem.provisional) for problem in snapshot.problems] == [("ambiguous", True)]
    assert {2, 4} <= {*snapshot.blocks[1].other_matches}
    editor = FileEditor(original)
    editor.feed(block("a\n", "A\n") + block("x\n", "X\n") + block("b\n", "B\n"))
    final = editor.close()
    assert (final.new_content, final.match_indices, final.problems) == ("A\nX\nB\nx\nc\n", (0, 2, 4), ())
    assert [block.status for block in final.blocks] == ["applied"] * 3


def test_hits_on_replaced_lines_are_left_out_at_once() -> None:
    """A block with one place left after an earlier block has it before the stream ends."""
    snapshot = after(block("x\na\n", "y\na\n") + block("x\n", "z\n"), "x\na\nx\n")
    assert (snapshot.full_content, snapshot.problems) == ("y\na\nz\n", ())


@pytest.mark.parametrize(
    ("search", "kind"), [("zzz\n", "not_found"), ("zzz\ny\n", "not_found"), ("b\n", "overlap"), ("b\nc\n", "overlap")]
)
def test_a_problem_is_provisional_until_the_block_closes(search: str, kind: str) -> None:
    """`not_found` and `overlap` may be undone by a later divider, and by nothing once the closer is there."""
    earlier = block("b\n", "W\n") if kind == "overlap" else ""
    whole = earlier + block(search, "Y\n")
    before = after(whole[: whole.rindex("+++++++")])
    assert [(problem.kind, problem.provisional) for problem in before.problems] == [(kind, True)]
    closed = after(whole)
    assert [(problem.kind, problem.provisional) for problem in closed.problems] == [(kind, False)]
    assert closed.blocks[-1].status == "rejected"


@pytest.mark.parametrize(
    ("dialect", "line", "kind"),
    [
        ("v1", "------- SEARCH\nzzz\n=======", "not_found"),
        ("v2", "------- SEARCH\nzzz\n=======", "not_found"),
        ("v2", "prose\n------- SEARCH", "malformed"),
        ("safe", "------- search", "malformed"),
        ("safe", "+++++++ REPLACE", "malformed"),
    ],
)
def test_a_problem_of_the_unfinished_line_is_provisional(dialect: str, line: str, kind: str) -> None:
    """More text may make the line another one; its end settles it."""
    for ending, problems in (("", [(kind, True)]), (" x", []), ("\n", [(kind, False)])):
        snapshot = after(line + ending, dialect=dialect)
        assert [(problem.kind, problem.provisional) for problem in snapshot.problems] == problems


def test_a_block_that_loses_its_place_takes_everything_back() -> None:
    """A new line that no indent map carries undoes what the lines before it had shown."""
    original, stream = "    b\n        c\n", "------- SEARCH\nb\n        c\n=======\nb\n"
    shown = after(stream, original)
    assert (shown.match_indices, shown.blocks[0].status) == ((0,), "replacing")
    lost = after(stream + "d\n", original)
    assert (lost.full_content, lost.match_indices, lost.edits) == (original, (), ())
    assert [(problem.kind, problem.provisional) for problem in lost.problems] == [("not_found", True)]


def test_an_ambiguous_block_is_provisional_until_the_end() -> None:
    """Later blocks may still decide where it goes."""
    snapshot = after(block("x\n", "X\n"), "x\ny\nx\n")
    assert [(problem.kind, problem.provisional) for problem in snapshot.problems] == [("ambiguous", True)]
    assert snapshot.blocks[0].status == "pending"


@pytest.mark.parametrize(
    ("search", "places"),
    [
        ("x\n", (1, 3, 5)),
        ("x\na\n", (1, 5)),
        ("x\na\nx\n", (1,)),
        ("x\na\ny\n", (5,)),
        ("a\n", (2, 6)),
        ("zzz\n", ()),
        ("x\nx\n", ()),
    ],
)
def test_the_lines_seen_narrow_the_candidates(search: str, places: tuple[int, ...]) -> None:
    """While SEARCH streams, the snapshot names the lines where it may begin."""
    assert after(f"------- SEARCH\n{search}", "x\na\nx\nb\nx\na\ny\n").candidates == places


def test_at_most_eight_candidates_are_named() -> None:
    """A line that is everywhere gives the first eight places."""
    assert after("------- SEARCH\nx\n", "x\n" * 40).candidates == tuple(range(1, 9))


def test_candidates_are_there_before_the_divider_and_not_after() -> None:
    """They are for a SEARCH that is not settled."""
    assert after("------- SEARCH\nb\n").candidates == (2,)
    assert after(block("b\n", "B\n")).candidates == ()
    assert after("").candidates == ()


def test_the_newest_text_has_a_place_in_the_full_content() -> None:
    """While a placed block is open, a view can go to the end of what it has written."""
    snapshot = after(OPEN + "B1\nB2\n")
    assert snapshot.full_position is not None
    assert snapshot.full_content[: snapshot.full_position].rstrip("\n") == "a\nB1\nB2"
    assert after("------- SEARCH\nb\n").full_position is None
    assert after(block("b\n", "B\n")).full_position is None


def test_a_divider_that_becomes_content_takes_its_block_along() -> None:
    """When a longer SEARCH takes over, the block moves, and what it wrote by mistake is taken back."""
    original = "T\nq\nT\n=======\nx\n"
    stream = "------- SEARCH\nT\n=======\nx\n"
    assert after(stream, "T\n=======\nx\n").full_content == "x\n=======\nx\n"
    whole = after(stream + "=======\nN\n+++++++ REPLACE\n", original)
    assert (whole.full_content, whole.match_lines) == ("T\nq\nN\n", (3,))


@pytest.mark.parametrize("width", ["code_points", "utf-16"])
def test_edits_have_lines_and_columns_for_an_editor(width: str) -> None:
    """A text edit tells its place as lines and columns from 0, in code points or in UTF-16 units."""
    snapshot = after(block("😀b\n", "😀B\n"), "a\n😀b\nc\n")
    (edit,) = snapshot.edits
    (line, column), (last_line, last_column) = edit.position("a\n😀b\nc\n", width)  # type: ignore[arg-type]
    assert 1 <= line <= last_line <= 2
    text = ["a\n", "😀b\n", "c\n"]

    def offset(line: int, column: int) -> int:
        units = (
            text[line].encode("utf-16-le")[: 2 * column].decode("utf-16-le")
            if width == "utf-16"
            else text[line][:column]
        )
        return sum(map(len, text[:line])) + len(units)

    assert (offset(line, column), offset(last_line, last_column)) == (edit.start, edit.end)
    assert edit.block == 0


def test_edits_are_minimal() -> None:
    """Lines that a block keeps are in no edit."""
    snapshot = after(block("a\nb\nc\nd\n", "a\nb\nC\nd\n"))
    assert sum(edit.end - edit.start + len(edit.text) for edit in snapshot.edits) <= len("c\n" + "C\n")
