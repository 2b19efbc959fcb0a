"""Each SDK's own client against a loopback server: the same turn comes out, however it is cut, stopped or refused."""

from __future__ import annotations

import json

import pytest
from clients import CLIENTS, Client
from loopback import Answer, Loopback
from turns import CUT, FIRST, LIMIT, STOPPED, TURN, WHOLE, Turn

from editstream.operators.events import End, Reason
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone

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
