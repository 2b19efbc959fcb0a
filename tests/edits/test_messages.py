"""The message of an EditError: what a model needs to repair its edit, and no more."""

from __future__ import annotations

import pytest
from streams import block, diff, run

FILE = "def f(x):\n    y = x + 1\n    return y\n\n\ndef g(x):\n    return x\n"


def message(original: str, stream: str, close: str = "complete") -> str:
    error = run(original, stream, close).error
    assert error is not None
    return str(error)


def test_it_names_the_block_its_line_and_what_was_looked_for() -> None:
    """The second block, at line 6 of the stream, with the first line of its SEARCH."""
    text = message(
        FILE, diff(("    return x\n", "    return 2\n"), ("    y = x + 2\n    return y\n", "    return 0\n"))
    )
    assert "2" in text
    assert "line 6" in text
    assert "y = x + 2" in text


def test_it_shows_the_best_candidate_and_where_it_differs() -> None:
    """The file's line number, the file's version and the SEARCH's version of the first line that differs."""
    text = message(FILE, block("def f(x):\n    y = x + 2\n    return y\n", "pass\n"))
    assert "2" in text
    assert "y = x + 1" in text or "y·=·x·+·1" in text
    assert "y = x + 2" in text or "y·=·x·+·2" in text


def test_candidates_carry_the_difference() -> None:
    """The problem holds the same facts as data: the lines of the place and both versions."""
    outcome = run(FILE, block("def f(x):\n    y = x + 2\n    return y\n", "pass\n"))
    best = outcome.snapshot.problems[0].candidates[0]
    assert (best.line, best.last_line, best.differs_at) == (1, 3, 2)
    assert (best.wanted, best.found) == ("    y = x + 2", "    y = x + 1")


@pytest.mark.parametrize(
    ("original", "search"),
    [
        ("\tfoo()\n  bar()\n", "  foo()\n\tbar()\n"),
        ("a\u00a0 b\n", "a b\n"),
        ("a  b c\n", "a b c\n"),
        ("a\u200bb c\n", "a b c\n"),
    ],
)
def test_white_space_that_differs_is_visible(original: str, search: str) -> None:
    """Two lines that look the same on a screen are told apart in the message."""
    text = message(original, block(search, "x\n"))
    shown = [line for line in text.splitlines() if "b" in line or "foo" in line]
    assert any(char in text for char in "·→␣⇥") or "\\t" in text or "\\u" in text or "\\x" in text
    assert len({*shown}) == len(shown) > 1


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        (block("zzz\n", "Z\n"), ("search", "file")),
        (block("x = 1\n", "Z\n"), ("1", "3", "lines")),
        (block("", "Z\n"), ("search",)),
        (diff(("a\n", "Q\n"), ("a\n", "R\n")), ("block 1",)),
        ("------- SEARCH\na\n+++++++ REPLACE\n", ("=======",)),
        ("------- SEARCH\na\n", ("=======",)),
        ("------- search\n", ("SEARCH",)),
        ("+++++++ REPLACE\n", ("REPLACE",)),
    ],
)
def test_it_says_what_to_do(stream: str, said: tuple[str, ...]) -> None:
    """Each kind of problem comes with advice of more than a few words."""
    text = message("x = 1\na\nx = 1\n", stream)
    assert all(word.lower() in text.lower() for word in said), text
    assert len(text.split()) >= 8


def test_a_truncated_block_says_to_send_it_again() -> None:
    """The stream was cut, so the block has to come again."""
    text = message("a\n", "------- SEARCH\na\n=======\nA\n", "truncated")
    assert "again" in text.lower() or "resend" in text.lower() or "repeat" in text.lower()


def test_too_large_names_its_bound() -> None:
    """A file past the documented bound is refused with the bound and a way out, in a line or two."""
    text = message("x\n" * 1_000_001, block("x\n", "y\n"))
    assert "1,000,000 lines" in text
    assert len(text) < 400


def test_every_rejected_block_has_its_part() -> None:
    """Two bad blocks of three are both there, the good one is not."""
    text = message("a\nb\n", diff(("yyy\n", "1\n"), ("a\n", "fine\n"), ("zzz\n", "2\n")))
    assert "yyy" in text
    assert "zzz" in text
    assert "fine" not in text


@pytest.mark.parametrize(
    "search", ["line 2500 of teh file\n", "".join(f"line {n} of thee file\n" for n in range(2000, 2200))]
)
def test_it_never_holds_the_whole_file(search: str) -> None:
    """A file of 5,000 lines gives a message of a few kilobytes, however long the SEARCH is."""
    text = message("".join(f"line {n} of the file\n" for n in range(5000)), block(search, "x\n"))
    assert len(text) < 4000
    assert "20" in text or "2501" in text


def test_a_long_line_is_shortened() -> None:
    """A minified line is shown around the place where it differs, not in full."""
    line = "var a=1;" * 20_000
    text = message(f"{line}x\n", block(f"{line}y\n", "z\n"))
    assert len(text) < 4000


def test_many_rejected_blocks_stay_within_bounds() -> None:
    """Twenty rejected blocks cost twenty parts of bounded size."""
    stream = diff(*((f"zzz {n}\n" * 50, "x\n") for n in range(20)))
    assert len(message("".join(f"zz {n}\n" for n in range(2000)), stream)) < 20 * 3000


@pytest.mark.parametrize(
    "nasty", ["\x1b[31mred\x1b[0m", "a\x00b", "\x07bell", "a\rb", "\x9bcsi", "\u202eabc", "\ufeffb", "x\ud800"]
)
def test_control_characters_are_visible(nasty: str) -> None:
    """Neither the diff nor the file can send a control character through the message to a terminal."""
    text = message(f"{nasty} 1\n{nasty} 2\nplain\n", block(f"{nasty} 3\nplain\n", "x\n"))
    assert not {char for char in text if not char.isprintable()} - {"\n"}
    text.encode("utf-8")


def test_ambiguous_places_in_great_number_are_summed_up() -> None:
    """Thousands of places are not thousands of lines of message."""
    text = message("x\n" * 5000, block("x\n", "y\n"))
    assert len(text) < 40_000
    assert "1,000" in text or "5,000" in text


def test_line_numbers_are_right_far_down() -> None:
    """The candidate's line number is that of the file, from 1."""
    lines = [f"value_{n} = compute({n})\n" for n in range(5000)]
    outcome = run("".join(lines), block("value_3210 = compute(3210, 1)\n" + lines[3211], "x\n"))
    assert outcome.snapshot.problems[0].candidates[0].line == 3211
    assert "3211" in str(outcome.error)
