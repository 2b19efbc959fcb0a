"""What reaches a terminal: nothing that it would obey, and nothing that a reader could not see."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream.live import printable

JOINERS = "\u200c\u200d"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b]0;title\x07", "␛[31mred␛]0;title␇"),
        ("a\x00b\tc\r\n\x7f", "a␀b␉c␍␊␡"),
        ("\x9b31m\x85", "\\x9b31m\\x85"),
        ("\u202eevil\u2066\u200f", "\\u202eevil\\u2066\\u200f"),
        ("a\u2028b\ufeff\u200b", "a\\u2028b\\ufeff\\u200b"),
        ("\U000e0041\udc80", "\\U000e0041\\udc80"),
        ("naïve 寬 👩\u200d💻 ﷽", "naïve 寬 👩\u200d💻 ﷽"),
    ],
)
def test_dangerous_characters_are_shown(text: str, shown: str) -> None:
    """A control, format or surrogate character becomes visible text, and anything else stays as it is."""
    assert printable(text) == shown


def test_kept_characters_pass() -> None:
    """The characters named in ``keep`` pass, and no other with them."""
    assert printable("a\tb\nc\x1b", keep="\n\t") == "a\tb\nc␛"


@given(st.text(st.characters(), max_size=60))
def test_nothing_a_terminal_obeys_is_left(text: str) -> None:
    """No text, however odd, leaves a character that is a control, a line end or an invisible reordering one."""
    for char in printable(text):
        if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}:
            pytest.fail(f"{char!a} is left")
        if unicodedata.bidirectional(char) in {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI", "BN"}:
            assert char in JOINERS or unicodedata.category(char) != "Cf"


@given(st.text(max_size=60))
def test_printable_text_stays(text: str) -> None:
    """What was made printable once is printed as it is."""
    assert printable(printable(text)) == printable(text)
