"""The answer for the model, call by call: each call that was meant for the session has one result."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest
from session_turns import block, call, editor, on_disk, pair, pieces

from editstream import EditSession, End, Workspace
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.session import Answer
from editstream.session.answer import CANCELLED, CUT_OFF, STANDING


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("one\ntwo\n")
    return Workspace(tmp_path)


def answered(session: EditSession, deltas: Iterable[Delta]) -> Answer:
    for _ in session.run(deltas):
        pass
    assert session.answer is not None
    return session.answer


UNKNOWN = {"file_path": 3, "nested": {"x": [1, None]}}


@pytest.mark.parametrize(
    ("deltas", "why"),
    [
        (call("1", "edit_file", '{"path": "a.py", "old_string"'), "before it is whole"),
        (call("1", "edit_file", '{"path": "a.py", "old_string": one}'), "JSON"),
        (call("1", "edit_file", "nonsense"), "JSON"),
        (call("1", "edit_file", "{}"), "path"),
        (call("1", "edit_file", UNKNOWN), "path"),
        (call("1", "edit_file", {"path": "a.py"}), "no edit"),
        (call("1", "edit_file", {"path": "a.py", "edits": []}), "empty"),
        (call("1", "edit_file", {"path": "a.py", "old_string": "one", "new_string": "x", "diff": "y"}), "both"),
        ([ToolCall("1", "edit_file"), ToolDone("1")], "names no file"),
        ([ToolCall("1", "edit_file", is_json=False), ToolArguments("1", "x"), ToolDone("1")], "JSON object"),
        (editor("1", "frobnicate", "a.py"), "command"),
        (editor("1", "view", "no.py"), "no such file"),
        (editor("1", "view", "../.."), ".."),
        (editor("1", "undo_edit", "a.py"), "no edit of this file"),
    ],
)
def test_a_call_that_edits_nothing_has_its_result(workspace: Workspace, deltas: Iterable[Delta], why: str) -> None:
    """Whatever is wrong with a call, it is answered, once, as an error that says what."""
    before = on_disk(workspace)
    with EditSession(workspace, format="tools", approve=True) as session:
        answer = answered(session, deltas)
    assert [(result.call, result.is_error) for result in answer.results] == [("1", True)]
    assert why in answer.results[0].text
    assert answer.mistakes == 1
    assert on_disk(workspace) == before


def test_other_tools_are_the_agents(workspace: Workspace) -> None:
    """A call of a tool that edits no file has no result here, and costs no mistake."""
    with EditSession(workspace, format="tools", approve=True) as session:
        answer = answered(session, [*call("1", "run_tests", UNKNOWN), *pair("2", "a.py", "one", "ONE")])
    assert [result.call for result in answer.results] == ["2"]
    assert not answer.mistakes


def test_results_come_in_the_order_of_the_calls(workspace: Workspace) -> None:
    """Not in the order in which the edits were done with."""
    first = list(pair("1", "a.py", "one", "ONE"))
    with EditSession(workspace, format="tools", approve=True) as session:
        answer = answered(session, [*first[:-1], *pair("2", "b.py", "one", "ONE"), first[-1]])
    assert [outcome.path for outcome in answer.outcomes] == ["b.py", "a.py"]
    assert [result.call for result in answer.results] == ["1", "2"]


@pytest.mark.parametrize("id_", ["", "1", "\x1b[31m"])
def test_an_id_that_comes_twice(workspace: Workspace, id_: str) -> None:
    """Two calls of one id, as of an SDK that gives none, cannot be told apart: both are refused, in one result."""
    turn = [ToolCall(id_, "edit_file"), *pair(id_, "a.py", "one", "ONE")]
    with EditSession(workspace, format="tools", approve=True) as session:
        answer = answered(session, turn)
    assert [(result.call, result.is_error) for result in answer.results] == [(id_, True)]
    assert answer.results[0].text.count("same id") == 2
    assert on_disk(workspace)["a.py"] == "one\ntwo\n"


def test_a_call_without_an_id_is_a_call(workspace: Workspace) -> None:
    """An empty id is an id."""
    with EditSession(workspace, format="tools", approve=True) as session:
        answer = answered(session, pair("", "a.py", "one", "ONE"))
    assert [(result.call, result.is_error) for result in answer.results] == [("", False)]


def test_pieces_of_calls_that_never_began_are_nothing(workspace: Workspace) -> None:
    """Arguments and ends without a beginning do no harm."""
    with EditSession(workspace, format="tools", approve=True) as session:
        answer = answered(session, [ToolArguments("9", '{"path": "a.py"}'), ToolDone("9"), ToolDone("8")])
    assert (answer.text, answer.results) == ("", ())


def test_a_turn_without_a_delta_is_a_turn(workspace: Workspace) -> None:
    """Its answer is empty: what was said of the turn before is not said again."""
    with EditSession(workspace, format="tools", approve=True) as session:
        assert answered(session, pair("1", "a.py", "nowhere", "x")).needs_repair
        empty = answered(session, [])
        assert (empty.text, empty.outcomes, empty.needs_repair) == ("", (), False)
        assert empty.mistakes == 1


def test_the_limit_is_said_where_it_is_reached(workspace: Workspace) -> None:
    """A turn of talk alone after that is answered with nothing, though the count stands."""
    with EditSession(workspace, format="tools", approve=True, mistakes_allowed=1) as session:
        reached = answered(session, pair("1", "a.py", "nowhere", "x"))
        assert "Mistake 1 in a row. Stop," in reached.text
        talk = answered(session, [Text("Shall I look elsewhere?"), End()])
        looks = answered(session, editor("2", "view", "a.py"))
        mended = answered(session, pair("3", "a.py", "one", "ONE"))
    assert (talk.text, talk.limit_reached) == ("", True)
    assert looks.text == "     1\tone\n     2\ttwo"
    assert (mended.mistakes, mended.limit_reached) == (0, False)


@pytest.mark.parametrize(
    ("last", "said", "mistakes"),
    [
        (pair("1", "a.py", "one", "ONE"), f"a.py: changed.\n\n{CUT_OFF} {STANDING}", 0),
        (pair("1", "a.py", "one", "one"), f"a.py: nothing to do, the file is already as you want it.\n\n{CUT_OFF}", 0),
        ([Text("First I")], CUT_OFF, 1),
        ([], CUT_OFF, 1),
        (editor("1", "view", "a.py"), f"     1\tone\n     2\ttwo\n\n{CUT_OFF}", 1),
    ],
    ids=["written", "unchanged", "talk", "nothing", "view"],
)
def test_a_turn_that_was_cut_off_is_to_go_on(
    workspace: Workspace, last: Iterable[Delta], said: str, mistakes: int
) -> None:
    """Whole edits are applied and said to be, and nothing is claimed of what the model had still to say."""
    with EditSession(workspace, format="tools", approve=True, mistakes_allowed=2) as session:
        answer = answered(session, [*last, End("truncated")])
        assert (answer.text, answer.reason, answer.needs_repair) == (said, "truncated", True)
        assert [result.text for result in answer.results] == [said.split("\n\n", maxsplit=1)[0]] * bool(answer.results)
        assert answer.remarks == said.rsplit("\n\n", maxsplit=1)[-1]
        assert (answer.mistakes, answer.limit_reached) == (mistakes, False)
        *_, message = session.messages("anthropic")
        assert message["content"][-1] == {"type": "text", "text": answer.remarks}
        again = answered(session, [End("truncated")])
        assert (again.mistakes, again.limit_reached) == (mistakes + 1, mistakes == 1)


def test_a_turn_that_was_cancelled_has_nothing_left_to_repair_either(workspace: Workspace) -> None:
    """What was done before is said, and that the turn ended there."""
    with EditSession(workspace, format="tools", approve=True) as session:
        for delta in pair("1", "a.py", "one", "ONE"):
            session.feed(delta)
        answer = session.close("cancelled")
        assert (answer.text, answer.reason) == (f"a.py: changed.\n\n{CANCELLED}", "cancelled")
        assert not answer.needs_repair


def test_there_is_no_other_reason(workspace: Workspace) -> None:
    """A word of an SDK does not pass as complete, and the turn is still there."""
    session = EditSession(workspace, format="tools", approve=True)
    for delta in list(pair("1", "a.py", "one", "ONE"))[:-2]:
        session.feed(delta)
    with pytest.raises(ValueError, match="unknown reason 'max_tokens': use one of complete, truncated, cancelled"):
        session.close("max_tokens")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown reason"):
        asyncio.run(session.aclose("stop"))  # type: ignore[arg-type]
    assert session.close("truncated").results[0].is_error


def test_turns_follow_each_other(workspace: Workspace) -> None:
    """An edit that was rejected, repaired in the next turn, and nothing of one turn in the answer to the other."""
    with EditSession(workspace, format="diff", path="a.py", approve=True) as session:
        first = answered(session, pieces(block("one\n", "uno\n") + block("nowhere\n", "x\n")))
        assert "do not send it again" in first.text
        assert first.mistakes == 0  # something of it was written
        second = answered(session, pieces(block("two\n", "dos\n")))
    assert second.text == "a.py: changed.\n\nNothing is left to repair."
    assert on_disk(workspace)["a.py"] == "uno\ndos\n"


def test_words_of_the_user_reach_the_model_as_they_are(workspace: Workspace) -> None:
    """They are for the model, in its call's result."""
    words = "no: use\n  tabs — ☂"
    with EditSession(workspace, format="tools", approve=lambda _: words) as session:
        answer = answered(session, pair("1", "a.py", "one", "ONE"))
    assert answer.results[0].text.endswith(f"They say: {words}")
    assert answer.outcomes[0].words == words
    assert answer.mistakes == 0
