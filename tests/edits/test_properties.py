"""What holds for every file and every stream, in each dialect."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dialect, diffs, diffs_or_hostile, hostile, originals, originals_or_hostile
from streams import Outcome, block, cut, finished, patched, pieces, prefix_state, run, state

from editstream import EditError, FileEditor, Snapshot, construct_new_file_content

REASONS = ("complete", "truncated", "cancelled")
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"ambiguity": "first"},
    {"on_reject": "apply_rest"},
    {"entities": "always"},
    {"entities": "never"},
    {"ambiguity": "first", "on_reject": "apply_rest"},
)

options = st.sampled_from(OPTIONS)
reason = st.sampled_from(REASONS)
version: st.SearchStrategy[Literal["v1", "v2"]] = st.sampled_from(("v1", "v2"))
setting = st.builds(lambda dialect, options: {"dialect": dialect, **options}, dialect, options)


def told(outcome: Outcome) -> tuple[dict[str, object], object, str]:
    """All that a run says: the last snapshot, the error's problems and its text."""
    return state(outcome.snapshot), outcome.error and outcome.error.problems, str(outcome.error)


@given(originals(), diffs_or_hostile, setting, reason, st.lists(st.integers(1, 400), max_size=12))
def test_any_split_gives_the_same_end(
    original: str, diff: str, setting: dict[str, Any], reason: str, places: list[int]
) -> None:
    """The last snapshot and the error depend on the stream, not on how it was cut."""
    whole = told(run(original, diff, reason, **setting))
    assert told(run(original, pieces(diff, places), reason, **setting)) == whole
    assert told(run(original, list(diff), reason, **setting)) == whole


@given(originals(), diffs_or_hostile, setting, st.integers(0, 2**20))
def test_a_snapshot_depends_on_the_prefix_alone(original: str, diff: str, setting: dict[str, Any], seed: int) -> None:
    """After each chunk the snapshot says what it would say if the prefix had come at once."""
    editor, seen = FileEditor(original, **setting), ""
    for chunk in cut(diff, seed, 1, 12):
        seen += chunk
        assert state(editor.feed(chunk)) == prefix_state(original, seen, **setting)


@settings(max_examples=60)
@given(originals(), diffs_or_hostile, setting)
def test_a_kept_snapshot_never_changes(original: str, diff: str, setting: dict[str, Any]) -> None:
    """What a snapshot says while the stream runs, it still says after the end, read for the first time or again."""
    editor, twin = (FileEditor(original, **setting) for _ in range(2))
    kept = list[tuple[Snapshot, dict[str, object]]]()
    for char in diff:
        kept.append((twin.feed(char), state(editor.feed(char))))
    finished(editor)
    finished(twin)
    assert [state(snapshot) for snapshot, _ in kept] == [then for _, then in kept]


def test_thousands_of_kept_snapshots_never_change() -> None:
    """A long stream, a snapshot at every two characters, all kept and compared at the end."""
    original = "".join(f"line {n}\n" for n in range(300))
    diff = "".join(block(f"line {n}\n", f"line {n}\nnew {n}\n") for n in range(299, 0, -3))
    editor, twin = FileEditor(original), FileEditor(original)
    chunks = cut(diff, 5, 1, 2)
    kept = [(editor.feed(chunk), state(twin.feed(chunk))) for chunk in chunks]
    editor.close()
    assert len(kept) > 3000
    assert [n for n, (snapshot, then) in enumerate(kept) if state(snapshot) != then] == []


@given(originals_or_hostile, diffs_or_hostile, options)
def test_bytes_outside_the_placed_spans_never_change(original: str, diff: str, options: dict[str, Any]) -> None:
    """Every edit lies in the span of a block that has a place, so that all other text stands as it did."""
    editor = FileEditor(original, **options)
    for chunk in cut(diff, 1, 1, 15):
        stays_outside(original, editor.feed(chunk))
    stays_outside(original, finished(editor))


def stays_outside(original: str, snapshot: Snapshot) -> None:
    spans = [block.span for block in snapshot.blocks if block.span and block.status != "rejected"]
    for edit in snapshot.edits:
        covered = {at for start, end in spans for at in range(start, end + 1)}
        assert {*range(edit.start, edit.end + 1)} <= covered, (edit, spans)
    assert snapshot.full_content.startswith(original[: min((start for start, _ in spans), default=None)])
    last = max((end for _, end in spans), default=0)
    assert snapshot.full_content.endswith(original[last:])


@given(originals_or_hostile, diffs_or_hostile, setting, reason)
def test_edits_lead_from_the_original_to_the_full_content(
    original: str, diff: str, setting: dict[str, Any], reason: str
) -> None:
    """The edits of each snapshot, sorted and disjoint, are all of the difference."""
    editor = FileEditor(original, **setting)
    for chunk in cut(diff, 2, 1, 15):
        snapshot = editor.feed(chunk)
        assert patched(original, snapshot.edits) == snapshot.full_content
    last = finished(editor, reason)
    assert patched(original, last.edits) == last.full_content


@given(originals(), diffs_or_hostile, options)
def test_new_content_is_a_beginning_of_the_full_content(original: str, diff: str, options: dict[str, Any]) -> None:
    """While the stream runs, new content is the file up to a place; at the end it is the file."""
    editor = FileEditor(original, **options)
    for chunk in cut(diff, 3, 1, 15):
        snapshot = editor.feed(chunk)
        assert snapshot.full_content.startswith(snapshot.new_content)
        assert not snapshot.is_final
    last = finished(editor)
    assert last.is_final
    assert last.new_content == last.full_content


@given(originals(), diffs_or_hostile, options, reason)
def test_a_rejected_block_and_a_final_problem_go_together(
    original: str, diff: str, options: dict[str, Any], reason: str
) -> None:
    """At the end no problem is provisional, and each rejected block has exactly one."""
    outcome = run(original, diff, reason, **options)
    problems = outcome.snapshot.problems
    assert not any(problem.provisional for problem in problems)
    rejected = [block.index for block in outcome.snapshot.blocks if block.status == "rejected"]
    assert sorted({p.block for p in problems if p.block is not None}) == rejected
    assert (outcome.error is not None) == (bool(problems) and options.get("on_reject") != "apply_rest")
    if outcome.error:
        assert outcome.error.problems == problems
        assert [p.line for p in problems] == sorted(p.line for p in problems)


@given(originals_or_hostile, st.one_of(hostile(), diffs()), setting, reason, st.integers(0, 2**20))
def test_nothing_but_an_edit_error_comes_out(
    original: str, diff: str, setting: dict[str, Any], reason: str, seed: int
) -> None:
    """Whatever the file and the stream hold, the editor answers, and its error is an EditError with a message."""
    outcome = run(original, cut(diff, seed, 1, 20), reason, **setting)
    assert outcome.error is None or str(outcome.error)
    state(outcome.snapshot)


@given(originals_or_hostile, diffs_or_hostile, st.booleans(), version)
def test_the_whole_text_function_raises_nothing_else(
    original: str, diff: str, is_final: bool, version: Literal["v1", "v2"]
) -> None:
    """`construct_new_file_content` gives a text or an EditError."""
    with suppress(EditError):
        assert isinstance(construct_new_file_content(diff, original, is_final, version).new_content, str)


@given(originals(), diffs_or_hostile)
def test_apply_rest_keeps_what_abort_would_have_applied(original: str, diff: str) -> None:
    """Blocks and problems are the same; with an error, nothing at all is applied."""
    abort, rest = run(original, diff), run(original, diff, on_reject="apply_rest")
    assert rest.error is None
    for key in ("blocks", "problems") if abort.error else state(rest.snapshot):
        assert state(abort.snapshot)[key] == state(rest.snapshot)[key]
    assert abort.error is None or abort.snapshot.full_content == original


@pytest.mark.parametrize(
    "wrong", [{"dialect": "v3"}, {"ambiguity": "last"}, {"on_reject": "ignore"}, {"entities": "html"}]
)
def test_a_wrong_option_is_a_usage_error(wrong: dict[str, Any]) -> None:
    """An option that does not exist is refused when the editor is made, by name."""
    with pytest.raises((ValueError, TypeError), match=next(iter(wrong.values()))) as caught:
        FileEditor("a\n", **wrong)
    assert not isinstance(caught.value, EditError)


def test_a_wrong_version_is_a_value_error() -> None:
    """Only the versions v1 and v2 exist."""
    with pytest.raises(ValueError, match="v3") as caught:
        construct_new_file_content("", "", True, "v3")  # type: ignore[arg-type]
    assert not isinstance(caught.value, EditError)


def test_a_wrong_reason_is_a_value_error() -> None:
    """A stream ends as complete, truncated or cancelled."""
    with pytest.raises(ValueError, match="finished") as caught:
        FileEditor("a\n").close("finished")  # type: ignore[arg-type]
    assert not isinstance(caught.value, EditError)


@pytest.mark.parametrize("wrong", [b"a\n", None, 3])
def test_text_that_is_no_text_is_a_type_error(wrong: Any) -> None:
    """Bytes and other things are refused, as a file and as a chunk."""
    with pytest.raises(TypeError):
        FileEditor(wrong)
    with pytest.raises(TypeError):
        FileEditor("a\n").feed(wrong)


@pytest.mark.parametrize("reject", [False, True])
def test_a_closed_editor_says_so(reject: bool) -> None:
    """Feeding or closing after the end is a clear error, and the last snapshot stays."""
    editor = FileEditor("a\n")
    editor.feed(block("zzz\n" if reject else "a\n", "b\n"))
    if reject:
        with pytest.raises(EditError):
            editor.close()
    else:
        editor.close()
    last = editor.snapshot
    with pytest.raises((ValueError, RuntimeError), match="close") as fed:
        editor.feed("x")
    with pytest.raises((ValueError, RuntimeError), match="close") as closed:
        editor.close()
    assert not isinstance(fed.value, EditError)
    assert not isinstance(closed.value, EditError)
    assert editor.snapshot is last
    assert last.is_final
