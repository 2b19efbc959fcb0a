"""Each SDK's own client against a loopback server: the same turn comes out, however it is cut, stopped or refused."""

from __future__ import annotations

import json

import pytest
from clients import CLAUDE, CLIENTS, Client
from loopback import Answer, Loopback
from turns import LIMIT, STOPPED, TURN, WHOLE, Call, Turn

from editstream.operators.events import End, Reason
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolDone

# What the SDKs have to say about each other and leave open is theirs.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("leftovers")]
MODES = "sync", "async"


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> Client:
    chosen = CLIENTS[request.param]
    pytest.importorskip(chosen.needs, reason=f"{chosen.needs} is missing: install the extra sdk-tests")
    return chosen


def expected(client: Client, turn: Turn, reason: Reason, *, cut: bool = False) -> list[Delta]:
    """What the adapter must give; where calls come parsed, one that was cut off never comes."""
    if not client.whole:
        return turn.deltas(reason, cut=cut)
    calls = turn.calls[:-1] if cut else turn.calls
    return Turn(turn.text, calls).deltas(reason)


def same(given: list[Delta], wanted: list[Delta], client: Client) -> bool:
    """Whether the deltas are those, with parsed arguments compared as JSON."""
    return [_parsed(d, client) for d in given] == [_parsed(d, client) for d in wanted]


def _parsed(delta: Delta, client: Client) -> object:
    return json.loads(delta.text) if client.whole and isinstance(delta, ToolArguments) else delta


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("size", "step"), [(WHOLE, None), (7, None), (7, 1)], ids=["whole", "7", "7-bytewise"])
def test_a_turn_comes_out_the_same_however_it_is_cut(
    server: Loopback, client: Client, mode: str, size: int, step: int | None
) -> None:
    """A turn of text and two calls gives the same deltas in one piece, in 7 characters, and read byte by byte."""
    server.answer = client.answer(TURN, size, step=step)
    given, error = client.read(server.url, mode)
    assert error is None
    assert same(given, expected(client, TURN, "complete"), client), given


@pytest.mark.parametrize("mode", MODES)
def test_a_token_limit_is_truncated(server: Loopback, client: Client, mode: str) -> None:
    """A token limit inside the second call ends the turn as truncated, the first call whole and the second not."""
    server.answer = client.answer(LIMIT)
    given, error = client.read(server.url, mode)
    assert error is None
    assert same(given, expected(client, LIMIT, "truncated", cut=True), client), given


def is_cut(given: list[Delta], error: Exception | None, client: Client, turn: Turn) -> bool:
    """Whether a turn stopped after these deltas: with an exception and no end, or as truncated."""
    wanted = expected(client, turn, "truncated", cut=True)
    return same(given, wanted[:-1] if error else wanted, client)


@pytest.mark.parametrize("mode", MODES)
def test_a_stream_that_ends_without_a_finish_is_truncated(server: Loopback, client: Client, mode: str) -> None:
    """A stream that ends in the middle of a call, as if it were whole, is truncated, or the SDK's exception comes."""
    server.answer = client.answer(STOPPED)
    given, error = client.read(server.url, mode)
    assert is_cut(given, error, client, STOPPED), (given, error)


@pytest.mark.parametrize("mode", MODES)
def test_text_that_ends_without_a_finish_is_truncated(server: Loopback, client: Client, mode: str) -> None:
    """A stream of text alone that just ends is truncated too, though every SDK could take it for whole."""
    server.answer = client.answer(Turn(TURN.text, (), None))
    given, error = client.read(server.url, mode)
    assert given == [Text(TURN.text)] if error else given == [Text(TURN.text), End("truncated")], (given, error)


@pytest.mark.parametrize("mode", MODES)
def test_a_dropped_connection_passes_on_the_error(server: Loopback, client: Client, mode: str) -> None:
    """A connection that is dropped gives the deltas so far, then the SDK's own exception and no end."""
    server.answer = client.answer(STOPPED, drop=True)
    given, error = client.read(server.url, mode)
    assert error is not None
    assert is_cut(given, error, client, STOPPED), (given, error)


@pytest.mark.parametrize("mode", MODES)
def test_an_error_event_never_passes_as_complete(server: Loopback, client: Client, mode: str) -> None:
    """An error in the middle of a stream gives the deltas so far, then the SDK's exception or a truncated end."""
    server.answer = client.answer(STOPPED, also=(client.error,))
    given, error = client.read(server.url, mode)
    assert is_cut(given, error, client, STOPPED), (given, error)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("status", [500, 529])
def test_a_refused_request_gives_nothing_but_the_error(
    server: Loopback, client: Client, mode: str, status: int
) -> None:
    """A request that the server refuses gives no delta at all, only the SDK's own exception."""
    body = json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    server.answer = Answer((body.encode(),), "application/json", status)
    given, error = client.read(server.url, mode)
    assert given == []
    assert error is not None


def test_the_raw_events_of_anthropic_bear_invalid_json(server: Loopback) -> None:
    """Arguments that are no JSON come through as they are from raw events, where the SDK's helper raises."""
    pytest.importorskip("anthropic", reason="anthropic is missing: install the extra sdk-tests")
    turn = Turn("", (Call("call_1", "edit", '{"path": a.py}'),))
    server.answer = CLIENTS["anthropic"].answer(turn)
    assert CLIENTS["anthropic"].read(server.url, "sync") == (turn.deltas("complete"), None)
    given, error = CLIENTS["anthropic-helper"].read(server.url, "sync")
    assert isinstance(error, ValueError)
    assert ToolDone("call_1") not in given


def test_the_helper_of_anthropic_leaves_out_an_open_string(server: Loopback) -> None:
    """The helper's snapshot of a tool's input shows a string when it is closed, its raw events as it grows."""
    anthropic = pytest.importorskip("anthropic", reason="anthropic is missing: install the extra sdk-tests")
    server.answer = CLIENTS["anthropic"].answer(Turn("", (Call("call_1", "edit", '{"path": "a.py", "diff": "-o'),)), 1)
    with (
        anthropic.Anthropic(base_url=server.url, api_key="none", max_retries=0) as client,
        client.messages.stream(**CLAUDE) as stream,
    ):
        snapshots = [event.snapshot for event in stream if event.type == "input_json"]
    assert snapshots[-1] == {"path": "a.py"}
