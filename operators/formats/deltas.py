"""Neutral deltas: what a model's turn is made of, whichever SDK delivered it.

Adapters (``editstream.sources``) turn an SDK's events into these; formats read them. A turn is text, tool calls with
their arguments in pieces, and an ``End`` with its reason. Calls may overlap; pieces of one call come in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from editstream.operators.events import End


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of what the model says."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call begins. ``is_json`` is false where the input is plain text (a custom tool), not a JSON object."""

    id: str
    name: str
    is_json: bool = True


@dataclass(frozen=True, slots=True)
class ToolArguments:
    """A piece of a call's arguments, cut anywhere."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolDone:
    """A call's arguments are whole. A call without it was cut off."""

    id: str


Delta: TypeAlias = Text | ToolCall | ToolArguments | ToolDone | End
