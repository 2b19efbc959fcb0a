"""The rules of the `safe` dialect, clause by clause, as tables: a file, a diff, and what must come of it."""

from __future__ import annotations

from typing import Any

import pytest
from streams import Outcome, block, cut, diff, run

from editstream import FileEditor


def outcome(original: str, stream: str, close: str = "complete", **options: Any) -> Outcome:
    """The outcome of a stream, which must be the same whole and in small chunks."""
    whole, parts = run(original, stream, close, **options), run(original, cut(stream, 7, 1, 5), close, **options)
    assert (whole.result, whole.statuses, whole.kinds) == (parts.result, parts.statuses, parts.kinds)
    return whole


def table(*rows: tuple[str, str, str, str]) -> pytest.MarkDecorator:
    """Rows of name, file, diff and result: the new file, or the kind of the problem in angle brackets."""
    return pytest.mark.parametrize(
        ("original", "stream", "result"), [pytest.param(*row, id=name) for name, *row in rows]
    )


B = "------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n"
AB = "a\nb\n"


@table(
    ("two dashes are prose", AB, "-- SEARCH\nb\n==\nB\n", AB),
    ("an angle after the word", AB, "------- SEARCH>\nb\n=======\nB\n+++++++ REPLACE>\n", "a\nB\n"),
    ("white space after a marker", AB, "------- SEARCH \t\nb\n=======\t\nB\n+++++++ REPLACE  \n", "a\nB\n"),
    ("the two styles mixed", AB, "------- SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n", "a\nB\n"),
    ("a closer of another length", AB, "--- SEARCH\nb\n===\nB\n+++++++++ REPLACE\n", "a\nB\n"),
    ("many signs", AB, f"{'<' * 40} SEARCH\nb\n{'=' * 40}\nB\n{'>' * 40} REPLACE\n", "a\nB\n"),
    ("a rule in prose", AB, f"Heading\n=======\n---\n+++\n{B}", "a\nB\n"),
    ("a block indented with a tab", AB, "\t------- SEARCH\n\tb\n\t=======\n\tB\n\n\t\tC\n\t+++++++ REPLACE\n",
     "a\nB\n\n\tC\n"),
    ("a rule at another indent is content", AB, "  ------- SEARCH\nb\n  =======\n=======\nB\n  +++++++ REPLACE\n",
     "a\n=======\nB\n"),
    ("an indent that SEARCH lacks stays", AB, "  ------- SEARCH\nb\n  =======\n  B\n  +++++++ REPLACE\n", "a\n  B\n"),
    ("an indented marker in a plain block is content", AB,
     "------- SEARCH\nb\n=======\n  +++++++ REPLACE\n+++++++ REPLACE\n", "a\n  +++++++ REPLACE\n"),
    ("CRLF in the diff", AB, B.replace("\n", "\r\n"), "a\nB\n"),
    ("one return is dropped", "a\nb\r\r\n", "------- SEARCH\r\nb\r\r\n=======\r\nB\r\n+++++++ REPLACE\r\n", "a\nB\r\n"),
    ("a near marker in REPLACE is content", AB, block("b\n", "------- search\n"), "a\n------- search\n"),
    ("a fence in REPLACE is content", AB, block("b\n", "```\nB\n```\n"), "a\n```\nB\n```\n"),
)  # fmt: skip
def test_markers(original: str, stream: str, result: str) -> None:
    """A marker is three or more signs, the word in capitals, an optional angle, and white space."""
    assert outcome(original, stream).result == result


@pytest.mark.parametrize(
    "stray",
    ["------- search", "-------SEARCH", "------- SEARCH:", "------- SEARCH >", "<<< Search.", "  <<<<<<< search",
     "+++++++ replace", ">>>>>>>REPLACE", ">>> Replace..", "+++++++ REPLACE", ">>>>>>> REPLACE"],
)  # fmt: skip
def test_a_near_marker_outside_a_block_is_malformed(stray: str) -> None:
    """What was meant as a marker is said, with its line, and never passed over."""
    got = outcome(AB, f"Now:\n{stray}\n{B}")
    assert [(p.kind, p.line) for p in got.snapshot.problems] == [("malformed", 2)]
    assert got.error is not None


@pytest.mark.parametrize(
    "prose", ["------- SEARCH the file", "SEARCH", "--- a/b.py", "+++ REPLACED", "<<<<<<< HEAD", "======="]
)
def test_prose_outside_a_block_is_passed_over(prose: str) -> None:
    """A line that is no marker and no near marker is prose."""
    assert outcome(AB, f"{prose}\n{B}{prose}\n").result == "a\nB\n"


@table(
    ("the longer SEARCH that is there", "a\n=======\nb\n=======\nc\nz\n",
     block("a\n=======\nb\n=======\nc\n", "N\n"), "N\nz\n"),
    ("stops at the first that is not", "A\nT\nx\n", block("T\n", "no\n=======\nN\n=======\nM\n"),
     "A\nno\n=======\nN\n=======\nM\nx\n"),
    ("a later one that is there after one that is not", "T\n=======\nx\n=======\ny\n", block("T\n", "q\n=======\n"),
     "q\n=======\n=======\nx\n=======\ny\n"),
    ("SEARCH is a rule", "=======\nx\n", block("=======\n", "N\n"), "N\nx\n"),
    ("SEARCH begins with a rule", "=======\nx\ny\n", block("=======\nx\n", "N\n"), "N\ny\n"),
    ("a rule at the end of SEARCH", "x\n=======\ny\n", block("x\n=======\n", "N\n"), "N\ny\n"),
    ("a looser hit counts", "  T\n  =\n=======\nb\n", block("  T\n  =   \n=======\nb\n", "N\n"), "N\n"),
    ("no divider of the right length", AB, "------- SEARCH\nb\n=====\nB\n+++++++ REPLACE\n", "a\nB\n"),
    ("of another length, SEARCH not there", AB, "------- SEARCH\nzzz\n=====\nB\n+++++++ REPLACE\n", "<not_found>"),
    ("of another length, the longest that is there", "a\n====\nb\nc\n",
     "------- SEARCH\na\n====\nb\n=====\nN\n+++++++ REPLACE\n", "N\nc\n"),
    ("two signs are no divider", AB, "------- SEARCH\nb\n==\nB\n+++++++ REPLACE\n", "<malformed>"),
    ("another length in SEARCH", "a\n===\nb\n", block("a\n===\nb\n", "N\n"), "N\n"),
    ("another length, no closer", AB, "------- SEARCH\nb\n=====\nB\n", "<malformed>"),
    ("the divider is as long as its opener", "a\n=======\nb\n", "--- SEARCH\na\n=======\nb\n===\nN\n+++ REPLACE\n",
     "N\n"),
)  # fmt: skip
def test_divider_or_content(original: str, stream: str, result: str) -> None:
    """The divider is as long as the opener; of several readings the longest SEARCH in a row that has a hit is taken."""
    assert outcome(original, stream).result == result


OPEN = "------- SEARCH\nb\n=======\n"


@table(
    ("written so far", AB, OPEN + "B\n", "a\nB\n"),
    ("an unfinished line", AB, OPEN + "B1\nB2", "a\nB1\nB2\n"),
    ("a cut closer", AB, OPEN + "B\n+++++++ RE", "a\nB\n"),
    ("a cut closer, signs alone", AB, OPEN + "B\n>>>", "a\nB\n"),
    ("a cut closer with its space", AB, OPEN + "B\n+++ ", "a\nB\n"),
    ("two signs are content", AB, OPEN + "B\n++", "a\nB\n++\n"),
    ("a bullet is content", AB, OPEN + "B\n-", "a\nB\n-\n"),
    ("signs with text are content", AB, OPEN + "B\n+++x", "a\nB\n+++x\n"),
    ("nothing written", AB, OPEN, "<malformed>"),
    ("nothing but a cut closer", AB, OPEN + "+++++", "<malformed>"),
    ("blank lines alone", AB, OPEN + "\n  \n", "<malformed>"),
    ("a fence", AB, OPEN + "B\n```\n", "<malformed>"),
    ("a line like a marker", AB, OPEN + "B\n>>>>>>> HEAD\n", "<malformed>"),
    ("a near marker", AB, OPEN + "B\n+++++++ replace\n", "<malformed>"),
    ("an indented closer with an angle", AB, OPEN + "B\n  +++++++ REPLACE>\n", "<malformed>"),
    ("an indented block", AB, "------- SEARCH\na\n=======\nA\n  ------- SEARCH>\n  b\n  =======\n  B\n  +++ REPLACE>\n",
     "<malformed>"),
    ("a cut opener", AB, OPEN + "B\n------- SEAR", "<malformed>"),
    ("an opener after blank lines", AB, OPEN + "\n" + block("a\n", "A\n"), "<malformed>"),
    ("an opener after text", AB, OPEN + "B\n" + block("a\n", "A\n"), "A\nB\n"),
    ("SEARCH cut", AB, "------- SEARCH\nb", "<malformed>"),
    ("an opener alone", AB, "------- SEARCH", "<malformed>"),
)  # fmt: skip
def test_a_block_without_its_closer(original: str, stream: str, result: str) -> None:
    """It is applied as repaired, unless nothing was written or prose may have got in."""
    got = outcome(original, stream)
    assert got.result == result
    assert got.error or "repaired" in got.statuses


@table(
    ("an opener in SEARCH", "a\nb\nc\n", "------- SEARCH\na\n------- SEARCH\nc\n=======\nC\n+++++++ REPLACE\n",
     "a\nb\nC\n"),
    ("a closer without divider", "a\nb\nc\n", "------- SEARCH\na\n+++++++ REPLACE\n" + block("c\n", "C\n"),
     "a\nb\nC\n"),
    ("a closer outside", "a\nb\nc\n", block("c\n", "C\n") + "+++++++ REPLACE\n", "a\nb\nC\n"),
    ("SEARCH cut by the end", "a\nb\nc\n", block("c\n", "C\n") + "------- SEARCH\na\n", "a\nb\nC\n"),
)  # fmt: skip
def test_malformed_is_said_and_the_rest_goes_on(original: str, stream: str, result: str) -> None:
    """What is out of turn is one problem, for the block that it spoils, and the next block is read afresh."""
    assert outcome(original, stream).result == "<malformed>"
    rest = outcome(original, stream, on_reject="apply_rest")
    assert (rest.result, rest.kinds) == (result, ["malformed"])


@pytest.mark.parametrize("reason", ["truncated", "cancelled"])
@pytest.mark.parametrize(
    "tail", ["------- SEARCH\n", "------- SEARCH\na", OPEN, OPEN + "B\n", OPEN + "B1\nB2", OPEN + "B\n++++"]
)
def test_an_open_block_of_a_cut_stream_is_truncated(reason: str, tail: str) -> None:
    """Only the open block is rejected; the ones before it keep their state."""
    stream = block("c\n", "C\n") + tail
    got = outcome("a\nb\nc\n", stream, reason)
    assert (got.result, got.statuses, got.kinds) == ("<truncated>", ["applied", "rejected"], ["truncated"])
    assert outcome("a\nb\nc\n", stream, reason, on_reject="apply_rest").result == "a\nb\nC\n"


@pytest.mark.parametrize("reason", ["truncated", "cancelled"])
def test_a_cut_stream_without_an_open_block_is_no_error(reason: str) -> None:
    """When all blocks are closed, how the stream ended does not matter."""
    assert outcome(AB, B + "And so", reason).result == "a\nB\n"


@table(
    ("a bare sign in REPLACE", "a < b\n", block("a &lt; b\n", "a <= b\n"), "<not_found>"),
    ("a bare sign in SEARCH", "a < b & c\n", block("a &lt; b & c\n", "x\n"), "<not_found>"),
    ("another entity counts as bare", "a < b &nbsp;\n", block("a &lt; b &nbsp;\n", "x\n"), "<not_found>"),
    ("decoded, it is there twice", "a < b\nx\na < b\n", block("a &lt; b\n", "x\n"), "<not_found>"),
    ("one layer", "a &lt; b\n", block("a &amp;lt; b\n", "a &amp;amp; b\n"), "a &amp; b\n"),
    ("each of the six", "<>&\"''\n", block("&lt;&gt;&amp;&quot;&apos;&#39;\n", "&#39;&apos;&quot;&amp;&gt;&lt;\n"),
     "''\"&><\n"),
    ("block by block", "a < b\n&lt;\n", diff(("a &lt; b\n", "a &gt; b\n"), ("&lt;\n", "&gt;\n")), "a > b\n&gt;\n"),
    ("white space at the end", "a < b  \nc\n", block("a &lt; b\n", "a &gt; b\n"), "a > b\nc\n"),
    ("a kept line keeps its bytes", "a < b  \nc\n", block("a &lt; b\nc\n", "a &lt; b\nC\n"), "a < b  \nC\n"),
    ("raw text first", "a &lt; b\na < b\n", block("a &lt; b\n", "&lt;\n"), "&lt;\na < b\n"),
)  # fmt: skip
def test_entities(original: str, stream: str, result: str) -> None:
    """Both sides are decoded by one layer, only where the raw text is not there and nothing speaks against it."""
    assert outcome(original, stream).result == result


LESS = block("a &lt; b\n", "a &gt; b\n")


@pytest.mark.parametrize(
    ("options", "result"),
    [({"entities": "auto"}, "a > b\n"), ({"entities": "never"}, "<not_found>"), ({"entities": "always"}, "a > b\n"),
     ({"dialect": "v1"}, "<not_found>"), ({"dialect": "v2"}, "<not_found>"),
     ({"dialect": "v1", "entities": "always"}, "a > b\n"), ({"dialect": "v2", "entities": "always"}, "a > b\n")],
)  # fmt: skip
def test_entity_modes(options: dict[str, Any], result: str) -> None:
    """`always` decodes before reading, `never` not at all, which is what v1 and v2 do by default."""
    assert outcome("a < b\n", LESS, **options).result == result


def test_always_decodes_markers_too() -> None:
    """The whole diff is decoded before it is read."""
    stream = "&lt;&lt;&lt; SEARCH\nb\n===\n&lt;B&gt;\n&gt;&gt;&gt; REPLACE\n"
    assert outcome(AB, stream, entities="always").result == "a\n<B>\n"
    assert outcome("a &lt; b\n", LESS, entities="always").result == "<not_found>"


def test_a_stream_without_blocks_is_no_error() -> None:
    """The file stays as it is and no block is reported."""
    got = outcome(AB, "I would not change it.\n")
    assert (got.result, got.snapshot.blocks, got.snapshot.edits) == (AB, (), ())


def test_every_rejected_block_is_named_in_order() -> None:
    """Nothing is applied by default, and the error lists all that is wrong."""
    stream = diff(("zzz\n", "Z\n"), ("a\n", "A\n"), ("\n\n", "Y\n"), ("yyy\n", "Y\n"))
    got = outcome(AB, stream)
    assert got.error is not None
    assert [(p.block, p.line) for p in got.error.problems] == [(0, 1), (2, 11), (3, 17)]
    assert got.statuses == ["rejected", "applied", "rejected", "rejected"]
    rest = outcome(AB, stream, on_reject="apply_rest")
    assert (rest.result, [p.block for p in rest.snapshot.problems]) == ("A\nb\n", [0, 2, 3])


def test_the_editor_keeps_the_final_snapshot_after_an_error() -> None:
    """After `close` has raised, the last snapshot is final and carries the problems."""
    editor = FileEditor(AB)
    editor.feed(block("zzz\n", "Z\n"))
    with pytest.raises(ValueError, match="zzz") as caught:
        editor.close()
    assert editor.snapshot.is_final
    assert editor.snapshot.problems == caught.value.problems  # type: ignore[attr-defined]
