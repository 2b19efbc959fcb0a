"""The answer to the model: what was applied, what was not and why, and what is to be sent again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from editstream.operators.events import Reason
from editstream.operators.formats.deltas import ToolCall
from editstream.operators.messages import printable
from editstream.operators.problems import MESSAGES_SHOWN

from .conversation import answer_messages
from .outcomes import STANDS, Outcome

if TYPE_CHECKING:
    from editstream.prompts.formats import ProviderName

ALL_DONE = "Nothing is left to repair."
CUT_OFF = "Your turn was cut off before its end: go on with what is left of it."
STANDING = "What is applied is in the files: do not send it again."
CANCELLED = "The turn was cancelled after that."

NAME_SHOWN = 1_000
"""Code points of a path that is repeated to the model: what it wrote as one may be of any length."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool call is answered.

    ``text`` says what was done, ``is_error`` whether something was not; ``call`` is the call's id, ``tool`` the tool's
    name; ``is_json`` is false for a custom tool, whose input is plain text.
    """

    call: str
    text: str
    is_error: bool
    tool: str = ""
    is_json: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one turn.

    Attributes:
        text: one message for the whole turn; "" for a turn without an edit, unless it was cut off.
        results: one result for each tool call that was meant for the session, in the order of the calls.
        outcomes: what became of each edit, in the order in which that was settled.
        mistakes: edits in a row that were rejected, over all turns of the session, up to the end of this one; a turn
            that was cut off before any edit counts as one.
        limit_reached: whether these are as many as the session allows: time to ask the user.
        remarks: what ``text`` says that no tool result says.
        reason: how the turn ended; ``"truncated"`` if it was cut off, so that the model has more to say.
    """

    text: str
    results: tuple[ToolResult, ...]
    outcomes: tuple[Outcome, ...]
    mistakes: int
    limit_reached: bool
    remarks: str = ""
    reason: Reason = "complete"

    @property
    def needs_repair(self) -> bool:
        """Whether the model is to send something: an edit again, or the rest of a turn that was cut off."""
        return self.reason == "truncated" or any(
            outcome.fate == "rejected" or outcome.problems or (outcome.fate == "written" and outcome.message)
            for outcome in self.outcomes
        )

    def messages(self, sdk: ProviderName) -> list[dict[str, Any]]:
        """The answer as messages for an SDK's next request, after those of the model's turn; none for an empty answer.

        A result for each call of the session's format; calls of other tools are the caller's to answer, among these
        results where the SDK wants all of them in one message. (`EditSession.messages` gives the turn as well.)

        Args:
            sdk: as in `editstream.tools`. For ``"pydantic-ai"`` they are what `ModelMessagesTypeAdapter` reads; for
                ``"openai-responses"`` a call named ``apply_patch`` is taken for one of the built-in tool.

        Raises:
            ValueError: there is no SDK of this name.
        """
        return answer_messages(self, sdk)


def answer_to(
    outcomes: Sequence[Outcome], calls: Mapping[str, ToolCall], mistakes: int, limit: int, reason: Reason = "complete"
) -> Answer:
    """Write the answer from what became of a turn's edits; ``calls`` are the turn's tool calls by their ids."""
    reached = mistakes >= limit
    said = [said_of(outcome) for outcome in outcomes]
    results = tuple(_results(outcomes, calls))
    todo = list(_todo(outcomes, mistakes, reason, reached=reached))
    done = [] if todo or reached else list(_done(outcomes, reason))
    # To a model with tool results, that all is done says nothing new.
    remarks = [words for outcome, words in zip(outcomes, said, strict=True) if outcome.call is None] + todo
    text = "\n\n".join([*said, *todo, *done])
    remark = "\n\n".join(remarks) if results else text
    return Answer(text, results, tuple(outcomes), mistakes, reached, remark, reason)


def _todo(outcomes: Sequence[Outcome], mistakes: int, reason: Reason, *, reached: bool) -> Iterator[str]:
    """What the model is to do beyond the repair of each edit."""
    if reached and any(outcome.fate == "rejected" for outcome in outcomes):
        yield f"Mistake {mistakes} in a row. Stop, read the files again, and ask the user if need be."
    if reason == "truncated":
        yield f"{CUT_OFF} {STANDING}" if any(outcome.fate == "written" for outcome in outcomes) else CUT_OFF


def _done(outcomes: Sequence[Outcome], reason: Reason) -> Iterator[str]:
    """That nothing is left to do, if that is so."""
    if any(outcome.fate != "shown" for outcome in outcomes) and not any(map(_is_error, outcomes)):
        yield ALL_DONE if reason == "complete" else CANCELLED


def said_of(outcome: Outcome) -> str:  # noqa: PLR0911 - one for each fate
    """What the model is told of one edit."""
    name = _name(outcome.path or "")
    match outcome.fate:
        case "shown":
            return outcome.message
        case "written":
            return "\n\n".join([_written(name, outcome), *_rejections(outcome)])
        case "unchanged":
            return "\n\n".join([f"{name}: nothing to do, the file is already as you want it.", *_rejections(outcome)])
        case "declined":
            return "\n\n".join([_declined(name, outcome), *_rejections(outcome)])
        case "cancelled":
            named = f"{name}: the turn" if name else "The turn"
            return f"{named} was cancelled before this edit was written; the file is as it was."
        case "rejected":
            named = f"{name}: " if name else ""
            if outcome.message:
                return f"{named}not done: {outcome.message}"
            return "\n\n".join([f"{named}nothing was applied.", *_rejections(outcome)])


def _name(path: str) -> str:
    return printable(path[:NAME_SHOWN]) + ("…" if len(path) > NAME_SHOWN else "")


def _declined(name: str, outcome: Outcome) -> str:
    if not outcome.problems:
        return f"{name}: the user declined this edit; nothing was written." + _words(outcome)
    return f"{name}: nothing was written. {_named(outcome, outcome.declined)} the user declined.{_words(outcome)}"


def _written(name: str, outcome: Outcome) -> str:
    kinds = {event.kind for event in outcome.writes}
    if outcome.moved_to is not None:
        what = f"moved to {printable(outcome.moved_to)}" + (" and changed" if "modified" in kinds else "")
    else:
        what = "created" if "created" in kinds else "deleted" if "deleted" in kinds else "changed"
    parts = [f"{name}: {what}."]
    if outcome.problems or outcome.declined:
        standing = [block.index for block in outcome.blocks if block.status in STANDS]
        are = "is" if len(standing) == 1 else "are"
        parts.append(f"{_named(outcome, standing)} {are} applied and in the file: do not send {_them(standing)} again.")
    if outcome.declined:
        parts.append(f"{_named(outcome, outcome.declined)} the user declined.{_words(outcome)}")
    if outcome.message:
        parts.append(outcome.message)
    return " ".join(parts)


def _rejections(outcome: Outcome) -> list[str]:
    messages = [problem.message for problem in outcome.problems[:MESSAGES_SHOWN]]
    if (more := len(outcome.problems) - MESSAGES_SHOWN) > 0:
        messages.append(f"{more} more problems are not listed here. Repair these first.")
    if outcome.problems:
        whole = outcome.fate == "rejected"
        messages.append("Send the whole edit again, repaired." if whole else "Send only what was rejected, repaired.")
    return messages


def _words(outcome: Outcome) -> str:
    return f" They say: {outcome.words}" if outcome.words else ""


def _named(outcome: Outcome, indexes: Sequence[int]) -> str:
    """Blocks by their numbers, from 1, as the problems name them."""
    numbers = [str(index + 1) for index in indexes]
    listed = ", ".join(numbers[:-1]) + (" and " if numbers[1:] else "") + "".join(numbers[-1:])
    return f"{outcome.unit} {listed}" if len(numbers) == 1 else f"{outcome.unit}s {listed}"


def _them(indexes: Sequence[int]) -> str:
    return "it" if len(indexes) == 1 else "them"


def _is_error(outcome: Outcome) -> bool:
    if outcome.fate == "written" and outcome.message:
        return True  # not wholly
    return outcome.fate in ("rejected", "declined", "cancelled") or bool(outcome.problems or outcome.declined)


def _results(outcomes: Iterable[Outcome], calls: Mapping[str, ToolCall]) -> Iterable[ToolResult]:
    """One result for each call: what was said of all its edits."""
    by_call: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.call is not None:
            by_call.setdefault(outcome.call, []).append(outcome)
    order = [*calls, *(call for call in by_call if call not in calls)]  # a format of one's own may name others
    for call in filter(by_call.__contains__, order):
        own, tool = by_call[call], calls.get(call, ToolCall(call, ""))
        yield ToolResult(call, "\n\n".join(map(said_of, own)), any(map(_is_error, own)), tool.name, tool.is_json)
