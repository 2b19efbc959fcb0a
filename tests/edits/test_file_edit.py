"""One edit of a turn by itself: its options, its kinds, and the edit that takes another one back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream.edits.file_edit import EditOptions, FileEdit, replaced_by, unit_of

TEXTS = st.text("ab\n\r é😀", max_size=40)


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("dialect", "unknown dialect 'other': use one of v1, v2, safe"),
        ("ambiguity", "ambiguity is 'other': use one of error, first"),
        ("on_reject", "on_reject is 'other': use one of abort, apply_rest"),
        ("entities", "entities is 'other': use one of auto, always, never"),
    ],
)
def test_an_option_has_no_other_value(option: str, says: str) -> None:
    """What is no value of an option is refused, as by FileEditor, and not taken for one of them."""
    options: dict[str, Any] = {option: "other"}
    with pytest.raises(ValueError, match=says):
        EditOptions(**options)


@given(before=TEXTS, after=TEXTS)
def test_a_replaced_text_is_the_other_one(before: str, after: str) -> None:
    """The snapshot of an edit that takes another back holds the text of then, and edits that lead to it."""
    snapshot = replaced_by(before, after)
    assert (snapshot.original, snapshot.new_content, snapshot.is_final, snapshot.problems) == (before, after, True, ())
    made, end = "", 0
    for edit in snapshot.edits:
        made += before[end : edit.start] + edit.text
        end = edit.end
    assert made + before[end:] == after


@pytest.mark.parametrize("reason", ["complete", "truncated", "cancelled"])
def test_an_edit_that_aborts_leaves_the_file(reason: Any) -> None:
    """With "abort" a rejected block raises nothing here: the last snapshot says what is wrong and edits nothing."""
    edit = FileEdit("one\ntwo\n", "blocks", EditOptions(on_reject="abort"))
    edit.feed("------- SEARCH\none\n=======\n1\n+++++++ REPLACE\n------- SEARCH\nthree\n=======\n3\n+++++++ REPLACE\n")
    last = edit.close(reason)
    assert (last.new_content, last.edits, last is edit.snapshot) == ("one\ntwo\n", (), True)
    assert last.problems


def test_what_the_parts_of_an_edit_are_called() -> None:
    """The model hears of its edit in the words of its format."""
    assert [unit_of(kind) for kind in ("blocks", "hunks", "pairs", "content")] == ["Block", "Hunk", "Edit", "Block"]
