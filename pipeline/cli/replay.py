"""`editstream replay` and `editstream demo`: a recorded turn again, live."""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
import tempfile
from threading import Event
from typing import TYPE_CHECKING, cast

import click

from editstream.live.printable import printable

from .editing import Result
from .exit_codes import ExitCode
from .options import CODES, EditOptions
from .output import complain, say

if TYPE_CHECKING:
    from editstream import Snapshot
    from editstream.operators.dialect import DialectName
    from editstream.recording import RecordedFile, Recording
    from editstream.recording.reading import Torn
    from editstream.session import SessionRecording


def _speed(_ctx: click.Context, _param: click.Parameter, value: float) -> float:
    from editstream.recording.replaying import MIN_SPEED

    if not value >= MIN_SPEED:  # nan is not
        raise click.BadParameter(f"it is a number of {MIN_SPEED} or more, not {value}")
    return value


speed_option = click.option(
    "--speed",
    type=float,
    default=1.0,
    callback=_speed,
    help="How many times as fast as it was recorded; 1 by default.",
)


@click.command("replay", epilog=CODES)
@click.argument("recording", type=click.Path(dir_okay=False))
@speed_option
@click.option("--no-live", is_flag=True, help="At once, as plain lines.")
@click.option("--torn", is_flag=True, help="Play a recording without its end as far as it goes.")
def replay_command(recording: str, speed: float, no_live: bool, torn: bool) -> None:
    """Replay RECORDING on the file that it holds; write nothing.

    The recording of a whole session is replayed with the decisions of then, and
    its answers are printed; it ends with 1 if they are not what they were.

    \b
    Examples:
      editstream replay turn.jsonl
      editstream replay turn.jsonl --speed 10
      editstream replay turn.jsonl --no-live
    """
    from editstream.recording import MAX_RECORDING_BYTES, read_recording
    from editstream.session.recorded import is_session, read_session

    tear: Torn = "truncated" if torn else "error"
    played_at = None if no_live else speed
    with open(recording, "rb") as file:
        # A pipe can be read once only, and who wrote it is said at its beginning.
        source = file if file.seekable() else io.BytesIO(file.read(MAX_RECORDING_BYTES + 1))
        if is_session(source):
            sys.exit(play_session(read_session(source, torn=tear), played_at))
        read = read_recording(source, torn=tear)
    result = play(read, played_at)
    if read.end.error:
        complain(f"editstream: the recorded stream ended with an error: {printable(read.end.error)}")
    if result.complaint:
        complain(result.complaint)
    sys.exit(result.exit_code)


@click.command("demo", epilog=CODES)
@speed_option
def demo_command(speed: float) -> None:
    """Play a recorded edit, live, on a file in a temporary folder.

    \b
    Examples:
      editstream demo
      editstream demo --speed 3
    """
    from editstream.recording import demo_recording
    from editstream.workspace import Workspace

    recording = demo_recording()
    recorded = the_file(recording)
    folder = tempfile.mkdtemp(prefix="editstream-demo-")
    with contextlib.ExitStack() as unless_played:
        unless_played.callback(shutil.rmtree, folder)
        workspace = Workspace(folder)
        workspace.write_text(recorded.path, recorded.content)
        file = workspace.read(recorded.path)
        result = play(recording, speed)
        workspace.write_text(file.path, result.snapshot.new_content, expected=file)
        unless_played.pop_all()
    say(f"The edited file: {workspace.root}/{file.path}")


def play(recording: Recording, speed: float | None) -> Result:
    """Run a recording through the operators and show it; at once, as plain lines, for no speed."""
    from reactivex import operators as ops
    from reactivex.scheduler import EventLoopScheduler

    from editstream import EditError, apply_edits
    from editstream.live import LiveView
    from editstream.recording import replay
    from editstream.workspace import TextFile

    recorded = the_file(recording)
    dialect, options, latest = _setting(recording)
    ended, errors = Event(), list[Exception]()

    def show(snapshot: Snapshot) -> None:
        nonlocal latest
        latest = snapshot
        view.show(snapshot)

    def fail(error: Exception) -> None:
        errors.append(error)
        ended.set()

    view = LiveView(recorded.path, animated=speed is not None)
    view.show(latest)
    with view:
        chunks = replay(recording, speed).pipe(ops.do_action(view.received))
        snapshots = chunks.pipe(apply_edits(recorded.content, dialect, **options))
        # One thread for the whole replay; the default scheduler starts one for each chunk.
        scheduler = None if speed is None else EventLoopScheduler(exit_if_empty=True)
        with snapshots.subscribe(show, fail, ended.set, scheduler=scheduler):
            ended.wait()
    for error in errors:
        if not isinstance(error, EditError):
            raise error
    file = TextFile(recorded.path, recorded.content, sha256=recorded.sha256)
    return Result(file, latest, view.characters or 0, aborted=bool(errors))


def play_session(recording: SessionRecording, speed: float | None) -> ExitCode:
    """Run a recorded session and show it, its answers on standard output; at once, as plain lines, for no speed."""
    from editstream.live import SessionView
    from editstream.session import FileSnapshot, replay_session

    if recording.header.options.format is None:
        raise click.UsageError("this session had a format of its own; replay it with replay_session(…, format=…)")
    replay = replay_session(recording, speed=speed)
    received = told = 0
    with SessionView(file=sys.stderr, animated=speed is not None) as view, contextlib.closing(replay):
        for item in replay:
            if isinstance(item, FileSnapshot):
                view.show(item, replay.received - received)
                received = replay.received
            elif item.text:
                view.rest()
                say(f"\n{item.text}" if told else item.text)
                told += 1
    if not recording.is_whole:
        complain("editstream: the recording is torn; this is as far as it goes")
    for difference in replay.differences:
        complain(f"editstream: not what was recorded: {difference}")
    return ExitCode.REJECTED if replay.differences else ExitCode.DONE


def _setting(recording: Recording) -> tuple[DialectName, EditOptions, Snapshot]:
    """How the recording says that it was edited, and the snapshot before its first chunk. Raises RecordingError."""
    from editstream import FileEditor
    from editstream.recording import RecordingError

    # The header is text that anybody may have written: the engine judges the names in it.
    dialect = cast("DialectName", recording.header.dialect or "safe")
    options = cast("EditOptions", recording.header.options)
    try:
        return dialect, options, FileEditor(the_file(recording).content, dialect, **options).snapshot
    except (TypeError, ValueError) as error:
        raise RecordingError(f"the header asks for an edit that there is not: {error}", 1) from None


def the_file(recording: Recording) -> RecordedFile:
    """The file that the recorded text edits. Raises click.UsageError if it is not exactly one."""
    files = recording.header.files
    if len(files) != 1:
        raise click.UsageError(f"the recording holds {len(files)} files; replay takes one with exactly one file")
    return files[0]
