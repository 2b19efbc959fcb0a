"""Edits that overlap: calls of several files mixed in any order, and turns cut anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session_turns import NAMING, call, edit_in, on_disk, pair

from editstream import EditSession, Workspace
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall
from editstream.operators.formats.file_edits import EditBegan
from editstream.operators.formats.tool_calls import ToolCalls
from editstream.prompts import FormatName
from editstream.session import Answer

FILES = {"a.py": "one\ntwo\nthree\n", "b.py": "one\ntwo\n", "c/d.py": "two\n"}
NUMBERS = {"one": "uno", "two": "dos", "three": "tres", "uno": "eins", "dos": "zwei", "nowhere": "x"}

edits = st.tuples(st.sampled_from([*FILES, "./a.py", "new.py"]), st.sampled_from(sorted(NUMBERS)), st.booleans())


def filled(root: Path) -> Workspace:
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(text.encode())
    return Workspace(root)


def calls_of(wanted: Sequence[tuple[str, str, bool]]) -> list[list[Delta]]:
    """A call for each: an exchange of two words, or a file written as a whole."""
    return [
        list(call(str(n), "write_file", {"path": path, "content": f"{old}\ntwo\n"}, size=9))
        if whole
        else list(pair(str(n), path, old, NUMBERS[old], size=9))
        for n, (path, old, whole) in enumerate(wanted)
    ]


@st.composite
def mixed(draw: st.DrawFn, streams: list[list[Delta]]) -> list[Delta]:
    """The deltas of all, each stream in its own order."""
    order = draw(st.permutations([n for n, stream in enumerate(streams) for _ in stream]))
    rest = [iter(stream) for stream in streams]
    return [next(rest[n]) for n in order]


def run(root: Path, deltas: Iterable[Delta], format_: FormatName = "tools") -> tuple[dict[str, str], Answer]:
    workspace = filled(root)
    with EditSession(workspace, format=format_, approve=True, mistakes_allowed=1_000) as session:
        for _ in session.run(deltas):
            pass
    assert session.answer is not None
    return on_disk(workspace), session.answer


def head_of(stream: Sequence[Delta]) -> int:
    """How many deltas of a call it takes until its edit begins."""
    machine = ToolCalls()
    return next(
        at for at, delta in enumerate(stream, 1) if any(isinstance(event, EditBegan) for event in machine.feed(delta))
    )


@settings(max_examples=60)
@given(wanted=st.lists(edits, min_size=1, max_size=5), data=st.data())
def test_calls_that_overlap_do_as_one_after_the_other(
    tmp_path_factory: pytest.TempPathFactory, wanted: list[tuple[str, str, bool]], data: st.DataObject
) -> None:
    """Calls for files, some for the same one, mixed in any way, leave what they leave one by one, and are told so."""
    streams = calls_of(wanted)
    # Which of two edits of a file is the first is told by which began first: they begin in order, all else is in any.
    heads = [head_of(stream) for stream in streams]
    turn = [delta for stream, head in zip(streams, heads, strict=True) for delta in stream[:head]]
    turn += data.draw(mixed([stream[head:] for stream, head in zip(streams, heads, strict=True)]))
    one_by_one, answer = run(tmp_path_factory.mktemp("one"), [delta for stream in streams for delta in stream])
    files, overlapping = run(tmp_path_factory.mktemp("mixed"), turn)
    assert files == one_by_one
    assert [(result.call, result.text) for result in overlapping.results] == [
        (result.call, result.text) for result in answer.results
    ]
    assert [result.call for result in answer.results] == [str(n) for n in range(len(streams))]


def regrouped(deltas: Iterable[Delta]) -> list[Delta]:
    """Neighbouring pieces of one text as one."""
    out: list[Delta] = []
    for delta in deltas:
        match out[-1] if out else None, delta:
            case (Text(before), Text(text)):
                out[-1] = Text(before + text)
            case (ToolArguments(id_, before), ToolArguments(other, text)) if id_ == other:
                out[-1] = ToolArguments(id_, before + text)
            case _:
                out.append(delta)
    return out


def cut(deltas: Iterable[Delta], sizes: Sequence[int]) -> list[Delta]:
    """The same in pieces of these sizes, again and again."""
    out: list[Delta] = []
    step = 0
    for delta in regrouped(deltas):
        if not isinstance(delta, Text | ToolArguments):
            out.append(delta)
            continue
        at = 0
        while at < len(delta.text):
            piece = delta.text[at : at + sizes[step % len(sizes)]]
            out.append(Text(piece) if isinstance(delta, Text) else ToolArguments(delta.id, piece))
            at, step = at + len(piece), step + 1
    return out


@settings(max_examples=60)
@given(
    format_=st.sampled_from(NAMING),
    wanted=st.lists(edits, min_size=1, max_size=3, unique_by=lambda edit: edit[0]),
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=5),
)
def test_any_split_of_a_turn_is_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    format_: FormatName,
    wanted: list[tuple[str, str, bool]],
    sizes: list[int],
) -> None:
    """However the deltas are cut: the same files, and the same answer to the letter."""
    turn: list[Delta] = []
    for n, (path, old, _) in enumerate(wanted):
        one = edit_in(format_, path, old, NUMBERS[old])
        turn += [renumbered(delta, str(n)) for delta in one]
    whole = run(tmp_path_factory.mktemp("whole"), regrouped(turn), format_)
    split = run(tmp_path_factory.mktemp("split"), cut(turn, sizes), format_)
    assert split[0] == whole[0]
    assert split[1].text == whole[1].text
    assert split[1].results == whole[1].results


def renumbered(delta: Delta, id_: str) -> Delta:
    """A delta of a call with another id."""
    match delta:
        case ToolCall(_, name):
            return ToolCall(id_, name)
        case ToolArguments(_, text):
            return ToolArguments(id_, text)
        case Text():
            return delta
        case _:
            return type(delta)(id_)  # type: ignore[arg-type]


def test_an_edit_that_waits_begins_on_what_the_first_one_left(tmp_path: Path) -> None:
    """Nothing of it is shown before that, and then all of it, on the new text."""
    first, second = list(pair("1", "a.py", "one", "uno", size=9)), list(pair("2", "a.py", "uno", "eins", size=9))
    third = list(pair("3", "b.py", "one", "ein", size=9))
    with EditSession(filled(tmp_path), format="tools", approve=True) as session:
        turn = [*first[:-1], *second, *third, first[-1]]
        seen = [(item.path, item.edit, item.snapshot.original) for item in session.run(turn)]
    assert {(path, original) for path, edit, original in seen if edit == 1} == {("a.py", "uno\ntwo\nthree\n")}
    numbers = [edit for _, edit, _ in seen]
    assert numbers.index(1) > max(at for at, edit in enumerate(numbers) if edit in (0, 2))


@pytest.mark.parametrize("agreed", ["first", "second"])
def test_of_two_edits_of_a_file_either_may_be_declined(tmp_path: Path, agreed: str) -> None:
    """The second begins on what is in the file then, whatever became of the first."""
    turn = [*pair("1", "a.py", "one", "first"), *pair("2", "a.py", "two", "second")]
    workspace = filled(tmp_path)
    session = EditSession(workspace, format="tools", approve=lambda proposal: agreed in proposal.snapshot.new_content)
    for _ in session.run(turn):
        pass
    expected = "first\ntwo\nthree\n" if agreed == "first" else "one\nsecond\nthree\n"
    if agreed == "first":  # the second proposal shows the first edit, too: it is in the file
        expected = "first\nsecond\nthree\n"
    assert on_disk(workspace)["a.py"] == expected
