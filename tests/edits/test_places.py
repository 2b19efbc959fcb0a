"""Where a block goes in the `safe` dialect: tiers, several hits, our own text, and nothing to do."""

from __future__ import annotations

from typing import Any

import pytest
from streams import block, diff
from test_tables import outcome, table


@table(
    ("a lone return ends no line", "a\rb\nc\n", block("b\n", "B\n"), "<not_found>"),
    ("a lone return is content", "a\rb\nc\n", block("a\rb\n", "B\n"), "B\nc\n"),
    ("form feed and friends", "a\x0bb\x0cc\x85d\u2028e\nf\n", block("f\n", "F\n"), "a\x0bb\x0cc\x85d\u2028e\nF\n"),
    ("byte order mark, first line", "\ufeffa\nb\n", block("a\n", "A\n"), "\ufeffA\nb\n"),
    ("byte order mark, first line gone", "\ufeffa\nb\n", block("a\n", ""), "\ufeffb\n"),
    ("byte order mark, text above", "\ufeffa\nb\n", block("a\n", "n\na\n"), "\ufeffn\na\nb\n"),
    ("byte order mark, all gone", "\ufeffa\n", block("a\n", ""), "\ufeff"),
    ("case counts", "abc\n", block("ABC\n", "x\n"), "<not_found>"),
    ("white space inside counts", "a  b\n", block("a b\n", "x\n"), "<not_found>"),
    ("part of a line does not", "foo(bar)\n", block("bar\n", "x\n"), "<not_found>"),
    ("first and last line alone do not", "a\nx\nc\n", block("a\ny\nc\n", "z\n"), "<not_found>"),
    ("longer than the file", "a\n", block("a\na\n", "z\n"), "<not_found>"),
)  # fmt: skip
def test_lines(original: str, stream: str, result: str) -> None:
    r"""Whole lines are matched, and only \n and \r\n end one."""
    assert outcome(original, stream).result == result


@pytest.mark.parametrize(
    ("tier", "original", "stream", "result"),
    [
        ("exact", "a\nb\n", block("b\n", "B\n"), "a\nB\n"),
        ("exact", "x \n", block("x \n", "x\n"), "x\n"),
        ("trailing_space", "a\nb \t\nc\n", block("a\nb\n", "A\nb\n"), "A\nb \t\nc\n"),
        ("trailing_space", "a\nb\n", block("b  \n", "B  \n"), "a\nB  \n"),
        ("trailing_space", "a\n  \nb\n", block("a\n\nb\n", "a\n\nB\n"), "a\n  \nB\n"),
        ("edge_blanks", "a\nb\nc\n", block("\n\nb\n\n\n", "\n\nB\n\n\n"), "a\nB\nc\n"),
        ("edge_blanks", "a\nb\nc\n", block("\nb\n", "B\n"), "a\nB\nc\n"),
        ("edge_blanks", "a\nb\nc\n", block("\nb\n", ""), "a\nc\n"),
        ("edge_blanks", "a\nb\nc\n", block("b\n\n", "B\n\n\n"), "a\nB\n\nc\n"),
        ("edge_blanks", "a\n\nb\nc\n", block("\n\nb\n", "\n\nB\n"), "a\n\nB\nc\n"),
        ("edge_blanks", "a\nb  \nc\n", block(" \nb\nc\n", " \nb\nC\n"), "a\nb  \nC\n"),
        ("indent", "a\n    b\n        c\n", block("b\n    c\n", "b\n    d\n    c\n"),
         "a\n    b\n        d\n        c\n"),
        ("indent", "a\nb\n  c\n", block("    b\n      c\n", "    b\n      d\n"), "a\nb\n  d\n"),
        ("indent", "\tb\n\t\tc\n", block("    b\n        c\n", "    b\n            d\n"), "\tb\n\t\t\td\n"),
        ("indent", "    b\n        c\n", block("\tb\n\t\tc\n", "\tb\n\t\t\td\n"), "    b\n            d\n"),
        ("indent", "\t\tb\n\t\t\tc\n", block("  b\n    c\n", "  B\n    c\n"), "\t\tB\n\t\t\tc\n"),
        ("indent", "  b  \n\n    c\n", block("b\n  \n  c\n", "b\n\n  C\n"), "  b  \n\n    C\n"),
        ("indent", "a\n    b\n", block("\nb\n", "\nB\n"), "a\n    B\n"),
        ("first_line_indent", "    b\n        c\n", block("b\n        c\n", "b\n        d\n        c\n"),
         "    b\n        d\n        c\n"),
        ("first_line_indent", "  b\n    c\n", block("b\n    c\n", "B\n"), "  B\n"),
        ("first_line_indent", "    b\n      c\n", block("b\n   c\n", "b\n     d\n   c\n"),
         "    b\n        d\n      c\n"),
        ("unicode", "a — b\nc\n", block("a - b\nc\n", "a - b\nC\n"), "a — b\nC\n"),
        ("unicode", "a\u00a0b\nc\n", block("a b\nc\n", "a b\nd e\n"), "a\u00a0b\nd e\n"),
        ("unicode", "a\u200bb\nc\n", block("ab\nc\n", "ab\nC\n"), "a\u200bb\nC\n"),
        ("unicode", "'a'\nc\n", block("‘a’\nc\n", "‘a’\n“C”\n"), "'a'\n“C”\n"),
        ("unicode", "cafe\u0301  \nc\n", block("caf\u00e9\nc\n", "caf\u00e9\nC\n"), "cafe\u0301  \nC\n"),
        ("entities", "a && b\nc\n", block("a &amp;&amp; b\n", "a || &quot;b&quot;\n"), 'a || "b"\nc\n'),
    ],
)  # fmt: skip
def test_tiers(tier: str, original: str, stream: str, result: str) -> None:
    """Each tier of the ladder allows its one difference, and writes the file's own form."""
    got = outcome(original, stream)
    assert (got.result, got.snapshot.blocks[0].tier) == (result, tier)


@table(
    ("three blank lines", "a\nb\n", block("\n\n\nb\n", "B\n"), "<not_found>"),
    ("never all", "a\nb\n", block("\n\n", "B\n"), "<not_found>"),
    ("an indent by line", "  a\n    b\n", block("a\nb\n", "a\nB\n"), "<not_found>"),
    ("two shifts", "    a\n    b\n", block("  a\n   b\n", "x\n"), "<not_found>"),
    ("a line that no map carries", "a\n  b\n", block("    a\n      b\n", "    a\n  x\n      b\n"), "<not_found>"),
    ("first line indented in REPLACE", "    b\n        c\n", block("b\n        c\n", "    b\n        C\n"),
     "<not_found>"),
    ("a later line without indent", "    b\n        c\n", block("b\n        c\n", "b\nd\n        c\n"), "<not_found>"),
    ("no later line with an indent", "    b\n        c\n", block("b\nc\n", "b\nC\n"), "<not_found>"),
    ("quotes and indent", "  “a”\n", block('"a"\n', "x\n"), "<not_found>"),
    ("exact twice, though looser tiers differ", "x\ny\nx\nx \n", block("x\n", "X\n"), "<ambiguous>"),
    ("loose twice", "x \ny\nx\t\n", block("x\n", "X\n"), "<ambiguous>"),
    ("indent twice", "  x\ny\n    x\n", block("x\n", "X\n"), "<ambiguous>"),
    ("overlapping hits", "x\nx\nx\ny\n", block("x\nx\n", "y\n"), "<ambiguous>"),
    ("a blank line of several", "a\n\nb\n\nc\n", block("\n", "x\n"), "<ambiguous>"),
)  # fmt: skip
def test_what_is_refused(original: str, stream: str, result: str) -> None:
    """A difference that no tier names is an error, and so is a place that is not the only one."""
    got = outcome(original, stream)
    assert (got.result, got.statuses) == (result, ["rejected"])


def test_maps_that_give_different_text_are_refused() -> None:
    """Where SEARCH fits at two ratios, a deeper new line has no one indent, and the block says so."""
    got = outcome("\t\t\t\tx\n", block("        x\n", "        x\n            y\n"))
    assert got.result == "<not_found>"
    assert "indent" in str(got.error)
    assert outcome("\t\t\t\tx\n", block("        x\n", "        y\n")).result == "\t\t\t\ty\n"


@table(
    ("replaced by an earlier block", "x\na\nx\n", diff(("x\na\n", "y\na\n"), ("x\n", "z\n")), "y\na\nz\n"),
    ("kept by an earlier block", "x\na\nx\n", diff(("x\na\n", "x\nA\n"), ("x\n", "z\n")), "<ambiguous>"),
    ("replaced by a later block", "x\na\nx\n", diff(("x\n", "X\n"), ("a\nx\n", "Q\n")), "X\nQ\n"),
    ("kept by a later block", "x\na\nx\n", diff(("x\n", "X\n"), ("a\nx\n", "A\nx\n")), "<ambiguous>"),
    ("between neighbours", "a\nx\nb\nx\n", diff(("a\n", "A\n"), ("x\n", "X\n"), ("b\n", "B\n")), "A\nX\nB\nx\n"),
    ("neighbours that descend", "a\nx\nb\nx\n", diff(("b\n", "B\n"), ("x\n", "X\n"), ("a\n", "A\n")), "<ambiguous>"),
    ("two between neighbours", "a\nx\nx\nb\n", diff(("a\n", "A\n"), ("x\n", "X\n"), ("b\n", "B\n")), "<ambiguous>"),
    ("none between neighbours", "x\na\nb\nx\n", diff(("a\n", "A\n"), ("x\n", "X\n"), ("b\n", "B\n")), "<ambiguous>"),
    ("a neighbour on one side", "a\nx\nb\nx\n", diff(("a\n", "A\n"), ("x\n", "X\n")), "<ambiguous>"),
    ("as many blocks as hits", "x\na\nx\n", diff(("x\n", "1\n"), ("x\n", "2\n")), "1\na\n2\n"),
    ("as many, with one between", "x\na\nx\n", diff(("x\n", "1\n"), ("a\n", "A\n"), ("x\n", "2\n")), "1\nA\n2\n"),
    ("fewer blocks than hits", "x\nx\nx\n", diff(("x\n", "1\n"), ("x\n", "2\n")), "<ambiguous>"),
    ("more blocks than hits", "x\na\nx\n", diff(("x\n", "1\n"), ("x\n", "2\n"), ("x\n", "3\n")), "<ambiguous>"),
    ("an exact hit of two loose ones", "x \na\nx\n", block("x\n", "X\n"), "x \na\nX\n"),
)  # fmt: skip
def test_several_hits(original: str, stream: str, result: str) -> None:
    """Order decides only between neighbours on both sides, or for as many equal blocks as places."""
    assert outcome(original, stream).result == result


def test_a_rejected_block_is_no_neighbour() -> None:
    """The neighbours are the nearest blocks that have a place in the original."""
    stream = diff(("a\n", "A\n"), ("x\n", "X\n"), ("zzz\n", "Z\n"), ("b\n", "B\n"))
    got = outcome("a\nx\nb\nx\n", stream, on_reject="apply_rest")
    assert (got.result, got.statuses) == ("A\nX\nB\nx\n", ["applied", "applied", "rejected", "applied"])


@table(
    ("the first", "x\na\nx\n", block("x\n", "X\n"), "X\na\nx\n"),
    ("the first after the block before", "x\na\nx\n", diff(("a\n", "A\n"), ("x\n", "X\n")), "x\nA\nX\n"),
    ("none after the block before", "x\nx\na\n", diff(("a\n", "A\n"), ("x\n", "X\n")), "X\nx\nA\n"),
)  # fmt: skip
def test_ambiguity_first(original: str, stream: str, result: str) -> None:
    """The first hit after the end of the block before, or else the first."""
    assert outcome(original, stream, ambiguity="first").result == result


def test_an_ambiguous_block_names_every_line() -> None:
    """The problem and the block tell all the places."""
    got = outcome("x\na\nx\nb\nx\n", block("x\n", "X\n"))
    problem, placed = got.snapshot.problems[0], got.snapshot.blocks[0]
    assert {candidate.line for candidate in problem.candidates} | set(placed.other_matches) == {1, 3, 5}
    assert all(str(line) in problem.message for line in (1, 3, 5))


@table(
    ("in what was written", "a\nb\nc\n", diff(("b\n", "1\n2\n3\n"), ("2\n", "x\ny\n")), "a\n1\nx\ny\n3\nc\n"),
    ("over the end of what was written", "a\nb\nc\n", diff(("b\n", "1\n2\n"), ("2\nc\n", "Z\n")), "a\n1\nZ\n"),
    ("over its beginning", "a\nb\nc\n", diff(("b\n", "1\n2\n"), ("a\n1\n", "Z\n")), "Z\n2\nc\n"),
    ("over a place where lines were deleted", "a\nb\nc\n", diff(("b\n", ""), ("a\nc\n", "Z\n")), "Z\n"),
    ("over two blocks", "a\nb\nc\n", diff(("a\n", "A\n"), ("c\n", "C\n"), ("A\nb\nC\n", "Z\n")), "Z\n"),
    ("lines that were kept", "i\nj\nk\n", diff(("i\nj\n", "i\nJ\n"), ("i\n", "n\ni\n")), "n\ni\nJ\nk\n"),
    ("looser text of ours", "a\nb\n", diff(("b\n", "one  \ntwo\n"), ("one\n", "1\n")), "a\n1\ntwo\n"),
    ("a blank line of ours", "a\nc\n", diff(("c\n", "\nd\n"), ("\n", "X\n")), "a\nX\nd\n"),
    ("a blank line of ours before a looser one", "a\n\nc\n", diff(("c\n", "  \nd\n"), ("  \n", "X\n")), "a\n\nX\nd\n"),
    ("over a blank line of ours", "a\nb\nc\n", diff(("c\n", "  \nd\n"), ("b\n  \n", "B\n")), "a\nB\nd\n"),
    ("text beside what was written", "a\nb\n", diff(("a\n", "a\nx\n"), ("a\n", "a\ny\n")), "a\ny\nx\nb\n"),
    ("and back again", "a\nb\n", diff(("b\n", "B\n"), ("B\n", "b\n")), "a\nb\n"),
    ("the original is asked first", "two\nb\n", diff(("b\n", "two\n"), ("two\n", "2\n")), "2\ntwo\n"),
    ("three deep", "a\n", diff(("a\n", "b\n"), ("b\n", "c\n"), ("c\n", "d\n")), "d\n"),
    ("twice in what was written", "a\nb\n", diff(("b\n", "n\nn\n"), ("n\n", "m\n")), "<ambiguous>"),
    ("lines that were replaced", "a\nb\nc\n", diff(("a\nb\n", "W\n"), ("b\nc\n", "Y\n")), "<overlap>"),
    ("the same lines, another way", "a\nb\n", diff(("b\n", "1\n"), ("b\n", "2\n")), "<overlap>"),
    ("a new file, then an edit of it", "", diff(("", "x\ny\n"), ("y\n", "z\n")), "x\nz\n"),
)  # fmt: skip
def test_our_own_text(original: str, stream: str, result: str) -> None:
    """A block that overlaps an earlier one is matched in the text as edited so far, or is an overlap."""
    assert outcome(original, stream).result == result


def test_an_ambiguous_place_in_our_text_has_lines_of_our_text() -> None:
    """The line numbers are those of the edited text."""
    got = outcome("a\nb\n", diff(("a\n", "0\n1\na\n"), ("b\n", "n\nn\n"), ("n\n", "m\n")))
    assert got.result == "<ambiguous>"
    assert all(str(line) in str(got.error) for line in (4, 5))


@pytest.mark.parametrize(
    ("original", "stream", "statuses"),
    [
        ("a\nb\n", block("b\n", "b\n"), ["unchanged"]),
        ("b\na\nb\n", block("b\n", "b\n"), ["unchanged"]),
        (
            "def f():\n    return 2\n",
            block("def f():\n    return 1\n", "def f():\n    return 2\n"),
            ["already_applied"],
        ),
    ],
)
def test_nothing_to_do(original: str, stream: str, statuses: list[str]) -> None:
    """It is a success that says so, without an edit and without a place."""
    got = outcome(original, stream)
    assert (got.result, got.statuses) == (original, statuses)
    assert (got.snapshot.match_indices, got.snapshot.edits) == ((), ())


@table(
    ("SEARCH equals REPLACE and is not there", "a\n", block("b\n", "b\n"), "<not_found>"),
    ("REPLACE is there twice", "f\n2\nf\n2\n", block("f\n1\n", "f\n2\n"), "<not_found>"),
    ("REPLACE is one line", "f\n2\n", block("1\n", "2\n"), "<not_found>"),
    ("REPLACE has one line that is not blank", "2\n\n", block("1\n\n", "2\n\n"), "<not_found>"),
    ("nothing is shared", "p\nq\n", block("1\n2\n", "p\nq\n"), "<not_found>"),
    ("REPLACE is not there", "f\n3\n", block("f\n1\n", "f\n2\n"), "<not_found>"),
)  # fmt: skip
def test_no_sign_that_it_was_done(original: str, stream: str, result: str) -> None:
    """A REPLACE that may be there by chance is no reason to call the edit made."""
    assert outcome(original, stream).result == result


@pytest.mark.parametrize("times", [2, 3])
def test_the_same_block_again_is_already_applied(times: int) -> None:
    """A block sent again does nothing more."""
    got = outcome("a\nb\n", block("a\n", "a\nn\n") * times)
    assert (got.result, got.statuses) == ("a\nn\nb\n", ["applied"] + ["already_applied"] * (times - 1))


@pytest.mark.parametrize(
    ("original", "stream", "result"),
    [
        ("", block("", "x\ny\n"), "x\ny\n"),
        ("", block("\n", "x\n"), "x\n"),
        ("", block("  \n\n", "x\n"), "x\n"),
        ("a\n", block("", "x\n"), "<empty_search>"),
        ("\n", block("", "x\n"), "<empty_search>"),
        ("\n", block("\n", "x\n"), "x\n"),
        ("", block("x\n", "y\n"), "<not_found>"),
    ],
)
def test_empty_search(original: str, stream: str, result: str) -> None:
    """An empty SEARCH makes a new file, and is an error in a file that has text."""
    assert outcome(original, stream).result == result


@table(
    ("one for one", "a\r\nb\nc\r\n", block("a\nb\n", "X\nY\n"), "X\r\nY\nc\r\n"),
    ("further ones take the last", "a\r\nb\nc\r\n", block("b\n", "X\nY\nZ\n"), "a\r\nX\nY\nZ\nc\r\n"),
    ("fewer", "a\r\nb\nc\r\n", block("a\nb\n", "X\n"), "X\r\nc\r\n"),
    ("between kept lines", "k\nx\r\ny\nl\r\n", block("k\nx\ny\nl\n", "k\nP\nQ\nR\nl\n"), "k\nP\r\nQ\nR\nl\r\n"),
    ("two gaps", "x\r\nk\ny\r\n", block("x\nk\ny\n", "P\nk\nQ\n"), "P\r\nk\nQ\r\n"),
    ("nothing replaced: the line before", "a\r\nb\n", block("a\nb\n", "a\nN\nb\n"), "a\r\nN\r\nb\n"),
    ("nothing replaced: the line before the span", "a\r\nb\n", block("b\n", "N\nb\n"), "a\r\nN\r\nb\n"),
    ("nothing replaced: the line after", "a\r\nb\n", block("a\n", "N\na\n"), "N\r\na\r\nb\n"),
    ("no end at all", "a", block("a\n", "a\nb\n"), "a\nb"),
    ("no end at all, text above", "a", block("a\n", "n\na\n"), "n\na"),
    ("no end at all, replaced", "a", block("a\n", "x\ny\n"), "x\ny"),
    ("the last line grows", "a\nb", block("b\n", "x\ny\n"), "a\nx\ny"),
    ("the last line grows, CRLF", "a\r\nb", block("b\n", "x\ny\n"), "a\r\nx\r\ny"),
    ("the last line gets a successor", "a\r\nb", block("b\n", "b\nc\n"), "a\r\nb\r\nc"),
    ("the last line goes, its span stays", "a\nb", block("a\nb\n", "a\n"), "a"),
    ("the last line goes with its span", "a\r\nb", block("b\n", ""), "a\r\n"),
    ("all goes", "a", block("a\n", ""), ""),
    ("the last line is kept", "a\nb", block("a\nb\n", "A\nb\n"), "A\nb"),
    ("text above the last line", "a\nb", block("b\n", "n\nb\n"), "a\nn\nb"),
    ("a blank last line", "a\n\n", block("a\n", "A\n"), "A\n\n"),
    ("a lone return before the end", "a\r\r\nb\n", block("b\n", "B\n"), "a\r\r\nB\n"),
    ("the file is one CRLF line", "a\r\n", block("a\n", "x\ny\n"), "x\r\ny\r\n"),
)  # fmt: skip
def test_line_ends(original: str, stream: str, result: str) -> None:
    """A new line takes the end of the line it replaces, and all other lines keep theirs."""
    assert outcome(original, stream).result == result


@pytest.mark.parametrize("options", [{}, {"on_reject": "apply_rest"}])
def test_places_are_told_in_the_order_of_the_blocks(options: dict[str, Any]) -> None:
    """Match positions are those of placed blocks; one in our own text has the start of the block that wrote it."""
    stream = diff(("d\n", "D\n"), ("b\n", "1\n2\n"), ("2\n", "3\n"), ("e\n", "e\n"))
    snapshot = outcome("a\nb\nc\nd\ne\n", stream, **options).snapshot
    assert (snapshot.match_indices, snapshot.match_lines) == ((6, 2, 2), (4, 2, 2))
    assert [block.status for block in snapshot.blocks] == ["applied", "applied", "applied", "unchanged"]
    assert (snapshot.blocks[0].span, snapshot.blocks[0].lines) == ((6, 8), (4, 5))
    assert [(block.index, block.line) for block in snapshot.blocks] == [(0, 1), (1, 6), (2, 12), (3, 17)]


def test_positions_count_code_points() -> None:
    """A character outside the basic plane is one, and the byte order mark is one."""
    snapshot = outcome("\ufeff😀\nb\n", block("b\n", "B\n")).snapshot
    assert snapshot.match_indices == (3,)
    assert snapshot.blocks[0].span == (3, 5)
