"""The conversation: a turn and its answer as the messages of an SDK's next request, plain dicts all of them.

Neutral deltas hold text and calls, and so do the messages made of them. What else a provider wants back of its own,
such as signed thinking, is in what the SDK itself has gathered: append that, and of the answer the messages.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall

if TYPE_CHECKING:
    from editstream.prompts.formats import ProviderName

    from .answer import Answer, ToolResult

Json: TypeAlias = dict[str, Any]

APPLY_PATCH = "apply_patch"
"""The tool that OpenAI Responses has built in: its calls and results are items of their own."""

NO_SIGNATURE = base64.b64encode(b"skip_thought_signature_validator").decode()
"""What Gemini's documentation gives for a thought signature that is not there: from Gemini 3 on, models refuse a turn
whose first call has none (ai.google.dev/gemini-api/docs/thought-signatures)."""

PIECES_HELD = 256
"""Pieces of a text that are held one by one: a small one takes many times its own length."""


class _Growing:
    """A text in pieces; small ones are joined once."""

    __slots__ = ("_joined", "_pieces")

    def __init__(self) -> None:
        self._joined: list[str] = []
        self._pieces: list[str] = []

    def add(self, piece: str) -> None:
        self._pieces.append(piece)
        if len(self._pieces) == PIECES_HELD:
            self._joined.append("".join(self._pieces))
            self._pieces.clear()

    @property
    def text(self) -> str:
        return "".join([*self._joined, *self._pieces])


@dataclass(slots=True)
class SaidCall:
    """A tool call with its arguments as far as they have come."""

    call: ToolCall
    said: _Growing = field(default_factory=_Growing)

    @property
    def arguments(self) -> str:
        """The arguments as JSON; those that are none, as of a call that was cut off, as an empty object."""
        return json.dumps(self.parsed) if self.call.is_json else self.said.text

    @property
    def parsed(self) -> Json:
        """The arguments as an object."""
        try:
            parsed = json.loads(self.said.text, strict=False)
        except (ValueError, RecursionError):
            return {}
        return cast(Json, parsed) if isinstance(parsed, dict) else {}

    @property
    def is_operation(self) -> bool:
        """Whether it is a call of the tool that OpenAI Responses has built in."""
        return self.call.name == APPLY_PATCH and self.call.is_json and {"type", "path"} <= self.parsed.keys()


@dataclass(slots=True)
class SaidTurn:
    """What the model said in a turn: its texts and calls, in order."""

    parts: list[_Growing | SaidCall] = field(default_factory=list["_Growing | SaidCall"])
    _calls: dict[str, SaidCall] = field(default_factory=dict[str, SaidCall])

    def add(self, delta: Delta) -> None:
        """Take a delta."""
        match delta:
            case Text(text):
                if not (self.parts and isinstance(self.parts[-1], _Growing)):
                    self.parts.append(_Growing())
                cast(_Growing, self.parts[-1]).add(text)
            case ToolCall(id) if id not in self._calls:
                self._calls[id] = SaidCall(delta)
                self.parts.append(self._calls[id])
            case ToolArguments(id, text) if id in self._calls:
                self._calls[id].said.add(text)
            case _:
                pass

    @property
    def calls(self) -> list[SaidCall]:
        """The calls, in order."""
        return list(self._calls.values())

    @property
    def text(self) -> str:
        """All text."""
        return "".join(part.text for part in self.parts if isinstance(part, _Growing))

    def map(self, of_text: Callable[[str], Json], of_call: Callable[[SaidCall], Json]) -> list[Json]:
        """Each text that says something, and each call, in the form that the SDK has for it."""
        made: list[Json] = []
        for part in self.parts:
            if isinstance(part, SaidCall):
                made.append(of_call(part))
            elif not part.text.isspace():
                made.append(of_text(part.text))
        return made


def said_messages(turn: SaidTurn, sdk: ProviderName) -> list[Json]:
    """What the model said, as messages of an SDK; none for a turn in which it said nothing."""
    return _SHAPES[sdk].said(turn) if turn.calls or turn.text.strip() else []


def answer_messages(answer: Answer, sdk: ProviderName, operations: Iterable[str] | None = None) -> list[Json]:
    """An answer, as messages of an SDK; none if there is nothing to say.

    ``operations`` are the ids of the calls of OpenAI's built-in tool, where they are known.

    Raises:
        ValueError: there is no SDK of this name.
    """
    if sdk not in _SHAPES:
        raise ValueError(f"no SDK of the name {sdk!r}: choose one of {', '.join(_SHAPES)}")
    built_in = None if operations is None else frozenset(operations)
    results = [_Result(result, _is_built_in(result, built_in)) for result in answer.results]
    return _SHAPES[sdk].answered(results, answer.remarks) if answer.text else []


def _is_built_in(result: ToolResult, known: frozenset[str] | None) -> bool:
    if known is not None:
        return result.call in known
    return result.tool == APPLY_PATCH and result.is_json


@dataclass(frozen=True, slots=True)
class _Result:
    result: ToolResult
    is_operation: bool

    @property
    def call(self) -> str:
        return self.result.call

    @property
    def text(self) -> str:
        return self.result.text


class _Anthropic:
    """Content blocks; all results of a turn come in one message, before any text."""

    def said(self, turn: SaidTurn) -> list[Json]:
        def call(said: SaidCall) -> Json:
            return {"type": "tool_use", "id": said.call.id, "name": said.call.name, "input": said.parsed}

        return [{"role": "assistant", "content": turn.map(lambda text: {"type": "text", "text": text}, call)}]

    def answered(self, results: list[_Result], remarks: str) -> list[Json]:
        content: list[Json] = [
            {"type": "tool_result", "tool_use_id": each.call, "content": each.text, "is_error": each.result.is_error}
            for each in results
        ]
        if remarks:
            content.append({"type": "text", "text": remarks})
        return [{"role": "user", "content": content}]


class _Chat:
    """OpenAI's chat, which LiteLLM and LangChain take as well."""

    def said(self, turn: SaidTurn) -> list[Json]:
        message: Json = {"role": "assistant", "content": turn.text or None}
        if turn.calls:
            message["tool_calls"] = [self._call(said) for said in turn.calls]
        return [message]

    def _call(self, said: SaidCall) -> Json:
        name, arguments = said.call.name, said.arguments
        if not said.call.is_json:
            return {"id": said.call.id, "type": "custom", "custom": {"name": name, "input": arguments}}
        return {"id": said.call.id, "type": "function", "function": {"name": name, "arguments": arguments}}

    def answered(self, results: list[_Result], remarks: str) -> list[Json]:
        tools: list[Json] = [{"role": "tool", "tool_call_id": each.call, "content": each.text} for each in results]
        return [*tools, *_user(remarks)]


class _LangChain(_Chat):
    """The same, with ``""`` where there is no text (its messages have no content of None), and what has failed."""

    def said(self, turn: SaidTurn) -> list[Json]:
        (message,) = super().said(turn)
        return [{**message, "content": turn.text}]

    def answered(self, results: list[_Result], remarks: str) -> list[Json]:
        tools = super().answered(results, "")
        for message, each in zip(tools, results, strict=True):
            message["status"] = "error" if each.result.is_error else "success"
        return [*tools, *_user(remarks)]


class _Responses:
    """Items of OpenAI Responses, each call and each result one of its own."""

    def said(self, turn: SaidTurn) -> list[Json]:
        return turn.map(lambda text: {"role": "assistant", "content": text}, self._call)

    def _call(self, said: SaidCall) -> Json:
        call = said.call
        if said.is_operation:
            return {"type": "apply_patch_call", "call_id": call.id, "status": "completed", "operation": said.parsed}
        if call.is_json:
            return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": said.arguments}
        return {"type": "custom_tool_call", "call_id": call.id, "name": call.name, "input": said.arguments}

    def answered(self, results: list[_Result], remarks: str) -> list[Json]:
        return [*map(self._result, results), *_user(remarks)]

    def _result(self, each: _Result) -> Json:
        output = {"call_id": each.call, "output": each.text}
        if each.is_operation:
            status = "failed" if each.result.is_error else "completed"
            return {"type": "apply_patch_call_output", **output, "status": status}
        return {"type": "function_call_output" if each.result.is_json else "custom_tool_call_output", **output}


class _Google:
    """Parts of contents, in the words of the SDK; calls may have no id of the provider's."""

    def said(self, turn: SaidTurn) -> list[Json]:
        first = next(iter(turn.calls), None)

        def call(said: SaidCall) -> Json:
            made: Json = {"function_call": {"id": said.call.id, "name": said.call.name, "args": said.parsed}}
            return made | {"thought_signature": NO_SIGNATURE} if said is first else made

        return [{"role": "model", "parts": turn.map(lambda text: {"text": text}, call)}]

    def answered(self, results: list[_Result], remarks: str) -> list[Json]:
        parts: list[Json] = [
            {
                "function_response": {
                    "id": each.call,
                    "name": each.result.tool,
                    "response": {"error" if each.result.is_error else "output": each.text},
                }
            }
            for each in results
        ]
        return [{"role": "user", "parts": [*parts, *([{"text": remarks}] if remarks else [])]}]


class _Ollama:
    """Calls without ids: results come in the order of the calls, with the tool's name."""

    def said(self, turn: SaidTurn) -> list[Json]:
        message: Json = {"role": "assistant", "content": turn.text}
        if turn.calls:
            message["tool_calls"] = [
                {"function": {"name": said.call.name, "arguments": said.parsed}} for said in turn.calls
            ]
        return [message]

    def answered(self, results: list[_Result], remarks: str) -> list[Json]:
        tools: list[Json] = [{"role": "tool", "tool_name": each.result.tool, "content": each.text} for each in results]
        return [*tools, *_user(remarks)]


class _PydanticAI:
    """What ``ModelMessagesTypeAdapter.validate_python`` reads.

    No result has the outcome ``failed``: for providers without such a flag the SDK makes JSON of its text, in
    which every line end and quote of the file is escaped.
    """

    def said(self, turn: SaidTurn) -> list[Json]:
        def call(said: SaidCall) -> Json:
            return {
                "part_kind": "tool-call",
                "tool_name": said.call.name,
                "args": said.parsed,
                "tool_call_id": said.call.id,
            }

        return [{"kind": "response", "parts": turn.map(lambda text: {"part_kind": "text", "content": text}, call)}]

    def answered(self, results: list[_Result], remarks: str) -> list[Json]:
        parts: list[Json] = [
            {
                "part_kind": "tool-return",
                "tool_name": each.result.tool,
                "content": each.text,
                "tool_call_id": each.call,
            }
            for each in results
        ]
        if remarks:
            parts.append({"part_kind": "user-prompt", "content": remarks})
        return [{"kind": "request", "parts": parts}]


def _user(text: str) -> list[Json]:
    return [{"role": "user", "content": text}] if text else []


_SHAPES: Final[Mapping[str, _Anthropic | _Chat | _Responses | _Google | _Ollama | _PydanticAI]] = {
    "anthropic": _Anthropic(),
    "google-genai": _Google(),
    "langchain": _LangChain(),
    "litellm": _Chat(),
    "ollama": _Ollama(),
    "openai": _Chat(),
    "openai-responses": _Responses(),
    "pydantic-ai": _PydanticAI(),
}
