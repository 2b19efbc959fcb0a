"""The whole loop with each SDK's real client: turn, rejection, repair, done; the server sees what the model is told."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from agents import AGENTS, Agent, Said
from clients import CLIENTS
from loopback import Loopback
from turns import Call, Turn

from editstream import EditSession, Workspace, tools
from editstream.prompts import ProviderName
from editstream.session import Answer, Proposal
from editstream.sources import deltas

# What the SDKs have to say about each other and leave open is theirs.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("leftovers")]


def edit(id_: str, path: str, *pairs: tuple[str, str]) -> Call:
    edits = [{"old_string": old, "new_string": new} for old, new in pairs]
    return Call(id_, "edit_file", json.dumps({"path": path, "edits": edits}))


# Of the first file two places, one of them wrong; of the second one place; then what was wrong, put right; then words.
EDITS = (
    edit("call_1", "a.py", ("one\n", "ONE\n"), ("three\n", "THREE\n")),
    edit("call_2", "b.py", ("bé \U0001f600\n", '"b"\\\n')),
)
REPAIR = edit("call_3", "a.py", ("two\n", "TWO\n"))
TURNS = Turn("I edit two files.\n", EDITS), Turn("I repair it.\n", (REPAIR,)), Turn("Done.", ())


@pytest.fixture(params=AGENTS)
def agent(request: pytest.FixtureRequest) -> Agent:
    chosen: Agent = AGENTS[request.param]
    needs = CLIENTS[chosen.client].needs
    pytest.importorskip(needs, reason=f"{needs} is missing: install the extra sdk-tests")
    return chosen


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("one\ntwo\n")
    (tmp_path / "b.py").write_text("bé \U0001f600\n")
    return tmp_path


def looped(agent: Agent, url: str, session: EditSession) -> list[Answer]:
    """The answers to all turns, up to one without an edit."""
    messages = list(agent.first)
    answers: list[Answer] = []
    while not answers or (answers[-1].text and len(answers) < len(TURNS)):
        with agent.ask(url, messages) as stream:
            for _ in session.run(deltas(stream, agent.sdk)):
                pass
        answers.append(session.close())
        messages += session.messages(agent.sdk)
    return answers


def heard(agent: Agent, turn: Turn, answer: Answer) -> list[Said]:
    """What the next request must say of a turn: all calls, then all results."""
    ids = agent.sdk != "ollama"
    calls = [("call", call.id if ids else None, call.name, json.loads(call.text)) for call in turn.calls]
    results = [
        ("result", each.call if ids else None, each.text, each.is_error and agent.marks) for each in answer.results
    ]
    return [*calls, *results]


def test_the_loop_ends_with_the_files_right(server: Loopback, agent: Agent, folder: Path) -> None:
    """A wrong edit is answered as an error of its call, its repair is written, and every request says all before it."""
    server.play(*(CLIENTS[agent.client].answer(turn, 4) for turn in TURNS))
    with EditSession(Workspace(folder), format="tools", approve=True) as session:
        answers = looped(agent, server.url, session)
    assert [answer.needs_repair for answer in answers] == [True, False, False]
    wrong, right = answers[0].results
    assert (wrong.call, wrong.is_error) == ("call_1" if agent.sdk != "ollama" else wrong.call, True)
    assert "Edit 1 is applied and in the file: do not send it again." in wrong.text
    assert (right.is_error, right.text) == (False, "b.py: changed.")
    assert (folder / "a.py").read_text() == "ONE\nTWO\n"
    assert (folder / "b.py").read_text() == '"b"\\\n'
    wanted: list[Said] = []
    assert len(server.heard) == len(TURNS)
    for body, turn, answer in zip(server.heard, TURNS, answers, strict=True):
        assert list(agent.said(json.loads(body))) == wanted
        wanted += heard(agent, turn, answer)
        assert turn is TURNS[-1] or json.dumps(turn.text.strip())[1:-1] in server.heard[-1].decode()


@pytest.mark.parametrize("client", ["anthropic", "openai"])
def test_the_loop_in_an_event_loop(server: Loopback, folder: Path, client: str) -> None:
    """The same with an async client and an approval that is awaited, whose no reaches the model with its words."""
    module: Any = pytest.importorskip(client, reason=f"{client} is missing: install the extra sdk-tests")
    agent = AGENTS[client]
    said = iter(["In capitals, please.", True])

    async def approve(proposal: Proposal) -> bool | str:
        await asyncio.sleep(0)
        return next(said)

    async def main() -> list[Answer]:
        messages: list[Any] = list(agent.first)
        answers: list[Answer] = []
        async with EditSession(Workspace(folder), format="tools", approve=approve) as session:
            for _ in turns:
                if client == "anthropic":
                    made = module.AsyncAnthropic(base_url=server.url, api_key="none").messages
                    more = {"max_tokens": 99}
                else:
                    made, more = module.AsyncOpenAI(base_url=server.url, api_key="none").chat.completions, {}
                given = tools("tools", agent.sdk)
                stream = await made.create(model="x", messages=messages, stream=True, tools=given, **more)
                async for _ in session.run(deltas(stream, agent.sdk)):
                    pass
                answers.append(await session.aclose())
                messages += session.messages(agent.sdk)
        return answers

    turns = (
        Turn("", (edit("call_1", "a.py", ("one\n", "1\n")),)),
        Turn("", (edit("call_2", "a.py", ("one\n", "ONE\n")),)),
    )
    server.play(*(CLIENTS[client].answer(turn, 4) for turn in turns))
    declined, done = asyncio.run(main())
    assert "the user declined this edit; nothing was written. They say: In capitals, please." in declined.text
    assert done.text == "a.py: changed.\n\nNothing is left to repair."
    assert (folder / "a.py").read_text() == "ONE\ntwo\n"
    assert list(agent.said(json.loads(server.heard[1]))) == heard(agent, turns[0], declined)


def test_a_turn_that_was_cut_off_is_answered_too(server: Loopback, agent: Agent, folder: Path) -> None:
    """A token limit inside a call writes nothing of it, and the next request has a result for each call."""
    cut = Turn("I edit.\n", (EDITS[1], Call("call_9", "edit_file", EDITS[0].text[:60])), "limit")
    client = CLIENTS[agent.client]
    server.play(client.answer(cut, 4), client.answer(TURNS[-1], 4))
    messages = list(agent.first)
    with EditSession(Workspace(folder), format="tools", approve=True) as session:
        for _ in range(2):
            with agent.ask(server.url, messages) as stream:
                list(session.run(deltas(stream, agent.sdk)))
            messages += session.messages(agent.sdk)
    assert (folder / "a.py").read_text() == "one\ntwo\n"
    said = list(agent.said(json.loads(server.heard[1])))
    calls = [call for call in said if call[0] == "call"]
    results = [result for result in said if result[0] == "result"]
    assert [id_ for _, id_, *_ in calls] == [id_ for _, id_, *_ in results]
    if not client.whole:  # elsewhere the call never comes
        assert [arguments for *_, arguments in calls] == [json.loads(EDITS[1].text), {}]
        assert "cut off" in results[1][2]
        assert results[1][3] is agent.marks


def test_gemini_hears_that_there_is_no_signature(server: Loopback, folder: Path) -> None:
    """The first call of each turn goes back to Gemini with what its documentation gives for a missing signature."""
    pytest.importorskip("google.genai", reason="google.genai is missing: install the extra sdk-tests")
    server.play(*(CLIENTS["google-genai"].answer(turn, 4) for turn in TURNS))
    with EditSession(Workspace(folder), format="tools", approve=True) as session:
        looped(AGENTS["google-genai"], server.url, session)
    parts = [part for content in json.loads(server.heard[-1])["contents"] for part in content["parts"]]
    signed = [part.get("thoughtSignature") for part in parts if "functionCall" in part]
    dummy = base64.b64encode(b"skip_thought_signature_validator").decode()
    assert signed == [dummy, None, dummy]


def test_every_sdk_loops() -> None:
    """There is an agent for each SDK that the tools are made for."""
    assert {agent.sdk for agent in AGENTS.values()} == set(get_args(ProviderName))
