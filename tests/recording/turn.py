"""What a fixture is made from: a file, what a model says about it, and what its edits mean, worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from editstream.recording import content_hash

SMALL = 6_000
"""The longest content, in code points, that the expected results hold as text beside its hash."""


PLACED = ("applied", "repaired")
"""The statuses of a block whose text is in the result."""


@dataclass(frozen=True)
class Reject:
    """Why a block must be rejected, and what has to be named: in the message, and by line, from 1.

    ``candidates`` are lines where similar text begins, ``matches`` those of all the places of an ambiguous block.
    """

    kind: str
    says: tuple[str, ...] = ()
    candidates: tuple[int, ...] = ()
    matches: tuple[int, ...] = ()


@dataclass(frozen=True)
class Edit:
    """One block: ``old`` and ``new`` in the file's own bytes, and how the model wrote them, if it wrote them otherwise.

    ``old`` is in the file once, so it may be more than the model wrote. ``tier`` is None where the rules leave it open.
    ``inside`` is the edit (its number, from 0) whose text this one changes again.
    """

    old: str
    new: str
    search: str | None = None
    replace: str | None = None
    status: str = "applied"
    tier: str | None = "exact"
    inside: int | None = None
    rejected: Reject | None = None


Markers = tuple[str, str, str]
DASHES: Markers = ("------- SEARCH", "=======", "+++++++ REPLACE")
ARROWS: Markers = ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")


@dataclass(frozen=True)
class Turn:
    """A fixture: one file, one model turn of prose and blocks, and the dialects it is meant for.

    ``v1`` and ``v2`` are the tiers its blocks match on there, None where the edits are not meant for that dialect.
    ``cut`` ends the stream right after the first place where this text stands.
    """

    name: str
    note: str
    path: str
    original: str
    parts: tuple[str | Edit, ...]
    markers: Markers = DASHES
    cut: str | None = None
    reason: Literal["complete", "truncated", "cancelled"] = "complete"
    error: str | None = None
    v1: tuple[str | None, ...] | None = None
    v2: tuple[str | None, ...] | None = None
    rate: float = 40.0
    edits: tuple[Edit, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Number the edits."""
        object.__setattr__(self, "edits", tuple(part for part in self.parts if isinstance(part, Edit)))

    @property
    def text(self) -> str:
        """Everything the model says, up to the cut."""
        said = "".join(self._written(part) for part in self.parts)
        return said if self.cut is None else said[: said.index(self.cut) + len(self.cut)]

    def _written(self, part: str | Edit) -> str:
        if isinstance(part, str):
            return part
        search = part.old.replace("\r\n", "\n") if part.search is None else part.search
        replace = part.new.replace("\r\n", "\n") if part.replace is None else part.replace
        opener, divider, closer = self.markers
        return f"{opener}\n{_ended(search)}{divider}\n{_ended(replace)}{closer}\n"

    def expected(self) -> dict[str, Any]:
        """What must come out, by dialect; with rejected blocks, the content is that of ``on_reject="apply_rest"``."""
        statuses = [edit.status for edit in self.edits]
        lines = self._match_lines()
        tiers = [edit.tier if edit.status in PLACED else None for edit in self.edits]
        dialects = {"safe": self._outcome(statuses, tiers, lines)}
        if self.v1 is not None:
            dialects["v1"] = self._outcome(["applied"] * len(self.v1), list(self.v1), lines and sorted(lines))
        if self.v2 is not None:
            dialects["v2"] = self._outcome(["applied"] * len(self.v2), list(self.v2), lines and [])
        return {"file": self.path, "note": self.note, "dialects": dialects}

    def _outcome(self, statuses: list[str], tiers: list[str | None], lines: list[int] | None) -> dict[str, Any]:
        content = self.content()
        blocks = [
            {"status": status} if tier is None else {"status": status, "tier": tier}
            for status, tier in zip(statuses, tiers, strict=True)
        ]
        result: dict[str, Any] = {"sha256": content_hash(content), "blocks": blocks, "problems": list(self._problems())}
        if len(content) <= SMALL:
            result["content"] = content
        if lines is not None:
            result["match_lines"] = lines
        return result

    def content(self) -> str:
        """The file after the edits that apply, one after the other, each in its one place."""
        content = self.original
        for edit in self.edits:
            if edit.status in PLACED:
                at = _place(content, edit)
                content = content[:at] + edit.new + content[at + len(edit.old) :]
        return content

    def _match_lines(self) -> list[int] | None:
        """The line (from 1) of each placed block in the original; None for a new file, where the rules say nothing."""
        if not self.original:
            return None
        placed = [edit for edit in self.edits if edit.status in PLACED]
        homes = [edit if edit.inside is None else self.edits[edit.inside] for edit in placed]
        return [1 + self.original.count("\n", 0, _place(self.original, home)) for home in homes]

    def _problems(self) -> Iterator[dict[str, Any]]:
        said = self.text.split("\n")
        openers = [number for number, line in enumerate(said, 1) if line == self.markers[0]]
        for index, edit in enumerate(self.edits):
            if edit.rejected is not None:
                yield {
                    "kind": edit.rejected.kind,
                    "block": index,
                    "line": openers[index],
                    "says": list(edit.rejected.says),
                    "candidates": list(edit.rejected.candidates),
                    "matches": list(edit.rejected.matches),
                }


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _place(content: str, edit: Edit) -> int:
    """Where the edit's old text stands; the fixture is wrong if that is not exactly one place, on whole lines."""
    assert content.count(edit.old) == 1, f"{content.count(edit.old)} times in the file: {edit.old!r}"
    at = content.index(edit.old)
    assert at == 0 or content[at - 1] == "\n", f"not at the beginning of a line: {edit.old!r}"
    return at
