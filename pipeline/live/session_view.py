"""The view of a session: a turn's edits one after the other, each with its summary when it is whole.

Where edits overlap, the file that changed last is on the screen. The screen is given back whenever an edit is whole,
and by ``rest``: what is asked then, and what was said before, stays in the terminal's own history.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from .frame import Scene
from .plain import Events
from .printable import printable
from .summary import write_summary
from .view import LiveView

if TYPE_CHECKING:
    from editstream import Block
    from editstream.session import FileSnapshot


class SessionView:
    """Shows the snapshots of a session as they come; a context manager around the turns.

    ``file`` is where to write (standard output by default). A file that is no terminal gets plain lines, each with the
    name of its file, as does a terminal when ``animated`` is false.
    """

    def __init__(self, *, file: TextIO | None = None, animated: bool = True) -> None:
        self._file = sys.stdout if file is None else file
        self._animated = LiveView("", file=self._file, animated=animated).animated
        self._view: LiveView | None = None
        self._received: dict[int, int] = {}
        self._events: dict[int, Events] = {}
        self._said: tuple[Block, ...] = ()

    def show(self, item: FileSnapshot, received: int = 0) -> None:
        """Show a snapshot; ``received`` is how many code points came since the one before."""
        count = self._received[item.edit] = self._received.get(item.edit, 0) + received
        if self._animated:
            self._draw(item, count)
        else:
            self._write(item)
        if item.snapshot.is_final:
            self.rest()
            # An edit of which nothing was counted came in one piece with the one before.
            write_summary(Scene(item.path, item.snapshot, count or None), self._file)
            self._received.pop(item.edit)
            self._events.pop(item.edit, None)

    def rest(self) -> None:
        """Give the screen back until the next snapshot, so that something may be asked or said."""
        if self._view is not None:
            view, self._view = self._view, None
            view.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._view is not None:
            self._view.stop(raising=error is None)

    def _draw(self, item: FileSnapshot, count: int) -> None:
        if item.snapshot.is_final and self._view is None:
            return  # nothing of it was shown: the summary says it all
        if self._view is None:
            self._view = LiveView(item.path, file=self._file)
            self._view.__enter__()
        self._view.characters = count or None
        self._view.show(item.snapshot, item.path)

    def _write(self, item: FileSnapshot) -> None:
        if item.snapshot.blocks is self._said and not item.snapshot.is_final:
            return  # most snapshots only carry text on
        self._said = item.snapshot.blocks
        events = self._events.setdefault(item.edit, Events())
        lines = [f"{printable(item.path)}: {printable(line)}\n" for line in events.since_last(item.snapshot)]
        self._file.writelines(lines)
        self._file.flush()
