"""The view itself: it keeps a reference to the latest snapshot, and a thread of its own draws it.

The stream is never slowed by drawing: :meth:`LiveView.show` stores a reference, and the thread pulls it at most 20
times a second, less often where frames take long. On a terminal the frames go to the alternate screen, which makes a
resize harmless and leaves nothing behind but the summary; anywhere else each event is one plain line.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from rich.console import Group
from rich.live import Live

from .frame import Scene, frame
from .plain import Events
from .printable import printable
from .summary import write_summary
from .terminal import console_for, terminal_size

if TYPE_CHECKING:
    from editstream import Snapshot

FRAME_SECONDS = 0.05
# The thread rests at least this many times as long as a frame took: a large diff makes the view slower, not the stream.
REST = 4


class LiveView:
    """Shows one file's edit while it streams; a context manager around the stream.

    ``path`` is the name to show, ``file`` where to write (standard output by default). A file that is no terminal
    gets plain lines, as does a terminal when ``animated`` is false. Pass :meth:`show` each snapshot and
    :meth:`received` each chunk; both only remember what they are given.
    """

    def __init__(self, path: str, *, file: TextIO | None = None, animated: bool = True) -> None:
        self._file = sys.stdout if file is None else file
        self.console = console_for(self._file)
        self.animated = animated and self.console.is_terminal and not self.console.is_dumb_terminal
        # One reference to both: the thread may draw at any moment.
        self._shown: tuple[str, Snapshot | None] = (path, None)
        self.characters: int | None = 0
        self._ended = Event()
        self._failure: Exception | None = None
        self._events = Events()
        self._thread = Thread(target=self._run, name="editstream live view", daemon=True)

    @property
    def path(self) -> str:
        """The name that is shown."""
        return self._shown[0]

    def show(self, snapshot: Snapshot, path: str | None = None) -> None:
        """Make ``snapshot`` the one that the next frame shows; ``path`` names another file than before."""
        self._shown = (self.path if path is None else path, snapshot)

    def received(self, item: object) -> None:
        """Count the code points of a chunk into the progress; anything else a stream holds counts nothing."""
        if isinstance(item, str):
            self.characters = (self.characters or 0) + len(item)

    @property
    def scene(self) -> Scene | None:
        """What a frame drawn now would show; None before the first snapshot."""
        path, snapshot = self._shown
        if snapshot is None:
            return None
        shaded = self.console.color_system not in (None, "standard")
        return Scene(path, snapshot, self.characters, shaded)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop(raising=error is None)
        if error is None and self.scene is not None:
            write_summary(self.scene, self._file)

    def stop(self, *, raising: bool = True) -> None:
        """End the drawing and put the terminal back, without a summary; raises what the drawing failed with."""
        self._ended.set()
        try:
            self._thread.join()
        finally:
            self._thread.join()  # also after a second Ctrl-C: the thread has the terminal to put back
        if raising and self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            self._animate() if self.animated else self._report()
        except Exception as failure:  # noqa: BLE001 - __exit__ raises it again, where it can be handled
            self._failure = failure

    def _animate(self) -> None:
        live = Live(console=self.console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
        drawn: tuple[object, ...] = ()

        def draw() -> None:
            nonlocal drawn
            scene, size = self.scene, terminal_size(self._file)
            if scene is not None and (scene, size) != drawn:
                self.console.size = size
                live.update(Group(*frame(scene, size.columns, size.lines)), refresh=True)
                drawn = (scene, size)

        with live:
            draw()  # the first frame also loads the lexer: it says nothing about how long the next ones take
            self._pull(draw)

    def _report(self) -> None:
        def write() -> None:
            if (snapshot := self._shown[1]) is not None:
                lines = [f"{printable(line)}\n" for line in self._events.since_last(snapshot)]
                self._file.writelines(lines)
                self._file.flush()

        self._pull(write)
        write()

    def _pull(self, draw: Callable[[], None]) -> None:
        """Call ``draw`` until the stream has ended, with rests between."""
        took = 0.0
        while not self._ended.wait(max(FRAME_SECONDS, REST * took)):
            began = time.monotonic()
            draw()
            took = time.monotonic() - began
