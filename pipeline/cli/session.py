"""`editstream session`: a whole turn of a model, from standard input to files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from editstream.prompts import FormatName, ProviderName

from . import approval
from .exit_codes import ExitCode, exit_code_of
from .options import CODES, below
from .output import complain, say, say_json
from .report import message_of
from .turn_source import turn_on_stdin

if TYPE_CHECKING:
    from editstream.live import SessionView
    from editstream.operators.formats.deltas import Delta
    from editstream.session import Answer, Approve, Decision, EditSession, Proposal, SessionRecorder

SDKS = ("text", *get_args(ProviderName), "recording")
CALLS_ONLY = ("tools", "text_editor")
UNDONE = frozenset({"declined", "cancelled"})
NO_EDIT = "the turn holds no edit in this format; `editstream prompt {}` prints what the model has to be told"
NOT_WHOLE = {
    "truncated": "the turn was cut off: its events end without a finish reason, or with one such as a token limit",
    "cancelled": "the turn was cancelled before its end",
}


@click.command("session", epilog=CODES)
@click.option(
    "--format",
    "format_",
    metavar="FORMAT",
    type=click.Choice(get_args(FormatName)),
    required=True,
    help="How the model names its edits.",
)
@click.option("--sdk", metavar="SDK", type=click.Choice(SDKS), default="text", help="Whose events come.")
@click.option("--path", metavar="FILE", help="The one file that a bare diff is for.")
@click.option("-y", "--yes", is_flag=True, help="Write without asking.")
@click.option("--by", type=click.Choice(("file", "block")), default="file", help="What to ask about, one by one.")
@click.option("--record", metavar="FILE", type=click.Path(dir_okay=False), help="Keep all of it, to be replayed.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
@click.option(
    "--root", type=click.Path(file_okay=False), default=".", help="Folder that no edit leaves; by default this one."
)
def session_command(
    *,
    format_: FormatName,
    sdk: str,
    path: str | None,
    yes: bool,
    by: Literal["file", "block"],
    record: str | None,
    as_json: bool,
    root: str,
) -> None:
    """Edit the files that a model's turn on standard input names.

    Each edit is shown live, on standard error. When it is whole you are asked,
    and it is written if you agree, or at once with --yes. The answer for the
    model goes to standard output: what was done, what was not, how to repair it.

    FORMAT is cline, tools, text_editor, patch, markdown or diff, as explained by
    `editstream prompt --help`.

    The turn is text, or with --sdk that SDK's events, one as JSON on each line.
    SDK is anthropic, openai, openai-responses, google-genai, ollama, litellm,
    langchain or pydantic-ai; or recording, for a recording.

    The exit code is 1 unless all was done: also where you declined an edit, a
    path was refused, or the turn was cut off or holds no edit.

    \b
    Examples:
      editstream session --format markdown < answer.txt
      my-agent | editstream session --format tools --sdk anthropic
      my-agent | editstream session --format patch --yes > for-the-model.txt
    """
    from editstream.live import SessionView
    from editstream.session import EditSession
    from editstream.workspace import Workspace

    _refuse_what_cannot_be(format_, sdk, path, yes=yes)
    view = SessionView(file=sys.stderr, animated=not sys.stdin.isatty())
    workspace = Workspace(root)
    session = EditSession(
        workspace,
        format=format_,
        path=path and workspace.allowed(below(workspace.root, root, path)),
        approve=yes or _asking(view),
        approve_by=by,
        witness=_recorder(record),
    )
    try:
        _follow(session, sdk, view)
    except BaseException as error:
        _say_what_was_done(session.answer, error, as_json=as_json)
        raise
    answer = session.close()
    if as_json:
        say_json(_as_json(answer))
    elif answer.text:
        say(answer.text)
    _end(answer, format_)


def _refuse_what_cannot_be(format_: FormatName, sdk: str, path: str | None, *, yes: bool) -> None:
    """Raise click.UsageError for options that do not go together, or where there is nobody to ask."""
    if (path is None) == (format_ == "diff"):
        raise click.UsageError("--path names the one file of --format diff; the other formats name files themselves")
    if sdk == "text" and format_ in CALLS_ONLY:
        raise click.UsageError(f"--format {format_} reads tool calls, and plain text holds none; give --sdk")
    if not (yes or approval.is_there()):
        raise click.UsageError("there is no terminal to ask on; pass --yes to write")


def _follow(session: EditSession, sdk: str, view: SessionView) -> None:
    """Run the turn, shown as it comes."""
    received = 0

    def counted() -> Iterator[Delta]:
        nonlocal received
        for delta in turn_on_stdin(sdk):
            received += len(getattr(delta, "text", ""))
            yield delta

    with session, view:
        for item in session.run(counted()):
            view.show(item, received)
            received = 0


def _end(answer: Answer, format_: FormatName) -> None:
    """Say what the answer does not, and end with the code that belongs to it."""
    if answer.reason != "complete":
        complain(f"editstream: {NOT_WHOLE[answer.reason]}")
    elif not answer.outcomes:
        complain(f"editstream: {NO_EDIT.format(format_)}")
    declined = any(outcome.fate in UNDONE or outcome.declined for outcome in answer.outcomes)
    done = answer.reason == "complete" and answer.outcomes and not (declined or answer.needs_repair)
    sys.exit(ExitCode.DONE if done else ExitCode.REJECTED)


def _asking(view: SessionView) -> Approve:
    """Ask on the terminal, once the view has given it back."""
    from .asking import Approver

    approver = Approver()

    def approve(proposal: Proposal) -> Decision:
        view.rest()
        verdict = approver(proposal)
        return verdict.accepted or verdict.words or False

    return approve


def _recorder(path: str | None) -> SessionRecorder | None:
    """What keeps the session, if it is to be kept; a file of that name is replaced now. Raises OSError."""
    from editstream.session import SessionRecorder

    return None if path is None else SessionRecorder(path)


def _say_what_was_done(answer: Answer | None, error: BaseException, *, as_json: bool) -> None:
    """Where the turn breaks off, say what it did until then, before the error is told."""
    if answer is None:
        return
    if as_json:
        code = ExitCode.USAGE if isinstance(error, click.UsageError) else exit_code_of(error)
        how = code.name.lower() if isinstance(code, ExitCode) else "cancelled"
        say_json({**_as_json(answer), "reason": how, "message": message_of(error)})
    elif answer.text:
        complain(answer.text)


def _as_json(answer: Answer) -> dict[str, Any]:
    shown: dict[str, Any] = {**asdict(answer), "needs_repair": answer.needs_repair}
    for outcome in shown["outcomes"]:
        outcome["writes"] = [write.model_dump(mode="json") for write in outcome["writes"]]
    return shown
