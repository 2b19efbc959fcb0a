"""The messages of the next request: what the model said, and what it is answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream import EditSession, End, Workspace
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.prompts.formats import ProviderName
from editstream.session import Answer
from editstream.session.conversation import PIECES_HELD, SaidTurn

GOOD = {"path": "a.py", "old_string": "one", "new_string": "ONE"}
BAD = {"path": "a.py", "old_string": "none", "new_string": ""}


def call(id_: str, arguments: str, name: str = "edit_file") -> list[Delta]:
    return [ToolCall(id_, name), *(ToolArguments(id_, char) for char in arguments), ToolDone(id_)]


def session_after(folder: Path, deltas: list[Delta], format_: Any = "tools") -> EditSession:
    (folder / "a.py").write_text("one\ntwo\n")
    session = EditSession(Workspace(folder), format=format_, approve=True, mistakes_allowed=1)
    list(session.run(deltas))
    return session


@pytest.fixture
def session(tmp_path: Path) -> EditSession:
    """After a turn of text and two calls, one of them wrong, which is one mistake more than allowed."""
    deltas = [Text("I ed"), Text("it."), *call("1", json.dumps(GOOD)), Text("\n"), *call("2", json.dumps(BAD))]
    return session_after(tmp_path, deltas)


def said(answer: Answer | None) -> tuple[str, str, str]:
    """The texts of both results, and the remark that the limit is reached."""
    assert answer is not None
    first, second = answer.results
    assert (first.text, first.is_error, second.is_error) == ("a.py: changed.", False, True)
    assert answer.remarks.startswith("Mistake 1 in a row. Stop,")
    return first.text, second.text, answer.remarks


def test_messages_for_anthropic(session: EditSession) -> None:
    """Content blocks: text and calls of the assistant, then all results in one message, remarks last."""
    good, bad, remarks = said(session.answer)
    assert session.messages("anthropic") == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I edit."},
                {"type": "tool_use", "id": "1", "name": "edit_file", "input": GOOD},
                {"type": "tool_use", "id": "2", "name": "edit_file", "input": BAD},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": good, "is_error": False},
                {"type": "tool_result", "tool_use_id": "2", "content": bad, "is_error": True},
                {"type": "text", "text": remarks},
            ],
        },
    ]


@pytest.mark.parametrize("sdk", ["openai", "litellm", "langchain"])
def test_messages_for_chat(session: EditSession, sdk: ProviderName) -> None:
    """The chat's messages: calls with their arguments as text, a message for each result, and one for the remarks."""
    good, bad, remarks = said(session.answer)
    success, error = ({"status": "success"}, {"status": "error"}) if sdk == "langchain" else ({}, {})
    calls = [
        {"id": id_, "type": "function", "function": {"name": "edit_file", "arguments": json.dumps(arguments)}}
        for id_, arguments in (("1", GOOD), ("2", BAD))
    ]
    assert session.messages(sdk) == [
        {"role": "assistant", "content": "I edit.\n", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "1", "content": good, **success},
        {"role": "tool", "tool_call_id": "2", "content": bad, **error},
        {"role": "user", "content": remarks},
    ]


def test_messages_for_responses(session: EditSession) -> None:
    """Items: text, each call and each result one of its own."""
    good, bad, remarks = said(session.answer)
    assert session.messages("openai-responses") == [
        {"role": "assistant", "content": "I edit."},
        {"type": "function_call", "call_id": "1", "name": "edit_file", "arguments": json.dumps(GOOD)},
        {"type": "function_call", "call_id": "2", "name": "edit_file", "arguments": json.dumps(BAD)},
        {"type": "function_call_output", "call_id": "1", "output": good},
        {"type": "function_call_output", "call_id": "2", "output": bad},
        {"role": "user", "content": remarks},
    ]


def test_messages_for_google(session: EditSession) -> None:
    """Parts of a content of the model and of one of the user's."""
    good, bad, remarks = said(session.answer)
    assert session.messages("google-genai") == [
        {
            "role": "model",
            "parts": [
                {"text": "I edit."},
                {
                    "function_call": {"id": "1", "name": "edit_file", "args": GOOD},
                    "thought_signature": "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
                },
                {"function_call": {"id": "2", "name": "edit_file", "args": BAD}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"function_response": {"id": "1", "name": "edit_file", "response": {"output": good}}},
                {"function_response": {"id": "2", "name": "edit_file", "response": {"error": bad}}},
                {"text": remarks},
            ],
        },
    ]


def test_messages_for_ollama(session: EditSession) -> None:
    """Calls and results without ids, by the name of the tool."""
    good, bad, remarks = said(session.answer)
    assert session.messages("ollama") == [
        {
            "role": "assistant",
            "content": "I edit.\n",
            "tool_calls": [
                {"function": {"name": "edit_file", "arguments": GOOD}},
                {"function": {"name": "edit_file", "arguments": BAD}},
            ],
        },
        {"role": "tool", "tool_name": "edit_file", "content": good},
        {"role": "tool", "tool_name": "edit_file", "content": bad},
        {"role": "user", "content": remarks},
    ]


def test_messages_for_pydantic_ai(session: EditSession) -> None:
    """A response and a request, of parts."""
    good, bad, remarks = said(session.answer)
    response, request = session.messages("pydantic-ai")
    assert [part["part_kind"] for part in response["parts"]] == ["text", "tool-call", "tool-call"]
    assert request["parts"] == [
        {"part_kind": "tool-return", "tool_name": "edit_file", "content": good, "tool_call_id": "1"},
        {"part_kind": "tool-return", "tool_name": "edit_file", "content": bad, "tool_call_id": "2"},
        {"part_kind": "user-prompt", "content": remarks},
    ]


OPERATION = {"type": "update_file", "path": "a.py", "diff": "@@\n-one\n+ONE\n"}
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+ONE\n*** End Patch\n"


@pytest.mark.parametrize(
    ("deltas", "kinds"),
    [
        (call("1", json.dumps(OPERATION), "apply_patch"), ["apply_patch_call", "apply_patch_call_output"]),
        (call("1", json.dumps({"input": PATCH}), "apply_patch"), ["function_call", "function_call_output"]),
        (
            [ToolCall("1", "apply_patch", is_json=False), ToolArguments("1", PATCH), ToolDone("1")],
            ["custom_tool_call", "custom_tool_call_output"],
        ),
    ],
)
def test_a_patch_is_answered_as_it_was_called(tmp_path: Path, deltas: list[Delta], kinds: list[str]) -> None:
    """The built-in tool of OpenAI Responses, a function and a custom tool have items of their own each."""
    session = session_after(tmp_path, deltas, "patch")
    assert (tmp_path / "a.py").read_text() == "ONE\ntwo\n"
    assert [item["type"] for item in session.messages("openai-responses")] == kinds


@pytest.mark.parametrize("sdk", get_args(ProviderName))
def test_a_turn_without_calls_is_answered_by_the_user(tmp_path: Path, sdk: ProviderName) -> None:
    """A text that edits is answered by one message with the whole answer."""
    text = "------- SEARCH\none\n=======\nONE\n+++++++ REPLACE\n"
    (tmp_path / "a.py").write_text("one\n")
    session = EditSession(Workspace(tmp_path), format="diff", path="a.py", approve=True)
    list(session.run([Text(text)]))
    assistant, user = session.messages(sdk)
    assert text in json.loads(json.dumps(list(strings(assistant))))
    assert "a.py: changed.\n\nNothing is left to repair." in strings(user)
    assert session.answer is not None
    assert session.answer.messages(sdk) == [user]


def strings(node: Any) -> list[str]:
    """Every string in a message."""
    if isinstance(node, str):
        return [node]
    values = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return [text for value in values for text in strings(value)]


@pytest.mark.parametrize("sdk", get_args(ProviderName))
def test_a_turn_that_says_nothing_adds_nothing(tmp_path: Path, sdk: ProviderName) -> None:
    """Neither an empty turn nor an empty answer is a message."""
    assert session_after(tmp_path, [Text(" \n")]).messages(sdk) == []


def test_a_call_that_was_cut_off_is_still_a_call(tmp_path: Path) -> None:
    """Arguments that are no JSON object become an empty one, and the call has its result, an error."""
    session = session_after(tmp_path, [ToolCall("1", "edit_file"), ToolArguments("1", '{"path": "a'), End("truncated")])
    assistant, user = session.messages("anthropic")
    assert assistant["content"] == [{"type": "tool_use", "id": "1", "name": "edit_file", "input": {}}]
    assert [(each["tool_use_id"], each["is_error"]) for each in user["content"] if "is_error" in each] == [("1", True)]


def test_each_turn_has_its_own_messages(tmp_path: Path) -> None:
    """What was said in the turn before is not said again."""
    session = session_after(tmp_path, [Text("First."), *call("1", json.dumps(GOOD))])
    list(session.run([Text("Second.")]))
    assert session.messages("openai") == [{"role": "assistant", "content": "Second."}]


def test_what_has_no_messages(tmp_path: Path) -> None:
    """There are none before a turn has ended, and none for an SDK that nobody knows."""
    session = EditSession(Workspace(tmp_path), format="tools", approve=True)
    with pytest.raises(ValueError, match="has not ended"):
        session.messages("openai")
    session.feed(Text("x"))
    with pytest.raises(ValueError, match="has not ended"):
        session.messages("openai")
    session.close()
    with pytest.raises(ValueError, match="no SDK of the name 'gpt': choose one of anthropic"):
        session.messages("gpt")  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.sampled_from("tab"), st.text(max_size=3)), max_size=3 * PIECES_HELD))
def test_the_turn_is_kept_as_it_was_said(pieces: list[tuple[str, str]]) -> None:
    """Texts and arguments in any pieces, of calls that overlap, are held whole and in order."""
    turn = SaidTurn()
    for id_ in "ab":
        turn.add(ToolCall(id_, "tool", is_json=False))
    for kind, text in pieces:
        turn.add(Text(text) if kind == "t" else ToolArguments(kind, text))
    assert turn.text == "".join(text for kind, text in pieces if kind == "t")
    assert [call.arguments for call in turn.calls] == [
        "".join(text for kind, text in pieces if kind == id_) for id_ in "ab"
    ]
