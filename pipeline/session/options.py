"""The options of a session: how edits are read and decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from editstream.edits.editor import Ambiguity, EntitiesMode, OnReject
from editstream.operators.dialect import DialectName
from editstream.prompts.formats import FormatName
from editstream.recording.format import Text

ApproveBy: TypeAlias = Literal["file", "block"]

MISTAKES_ALLOWED = 3
"""Rejected edits in a row after which the answer says that it is time to stop and ask."""


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """The arguments of an ``EditSession``, as a recording keeps them; a format of one's own has no name."""

    format: FormatName | None
    path: Text | None
    approve_by: ApproveBy
    mistakes_allowed: Annotated[int, Field(strict=True)]
    on_reject: OnReject
    dialect: DialectName
    ambiguity: Ambiguity
    entities: EntitiesMode
