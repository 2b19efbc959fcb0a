"""One bare diff for one known file: all the text of a turn is the blocks of a single edit, prose between them included.

For a model that is asked about one file only, and told nothing of how to name it. Tool calls are no text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from editstream.operators.events import End, Reason
from editstream.operators.formats.deltas import Delta, Text
from editstream.operators.formats.file_edits import EditBegan, EditEnded, EditText, FormatEvent
from editstream.operators.machine import Unfinished, as_operator

if TYPE_CHECKING:
    from reactivex import Observable


class BareDiff:
    """The machine that reads a turn as one edit of ``path``, which is taken as it is."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._began = False

    def feed(self, delta: Delta) -> Iterable[FormatEvent]:
        """Take a delta; give its text."""
        if not isinstance(delta, Text) or not delta.text:
            return ()
        return (*self._begin(), EditText(0, delta.text))

    def peek(self, unfinished: Unfinished[FormatEvent]) -> Unfinished[FormatEvent]:
        """Pass on what another stage left unfinished: here all that is given is final."""
        return unfinished

    def close(self, reason: Reason) -> Iterable[FormatEvent]:
        """End the edit, which a turn without text has too, then give the end."""
        return (*self._begin(), EditEnded(0, reason), End(reason))

    def _begin(self) -> Iterable[EditBegan]:
        began, self._began = self._began, True
        return () if began else (EditBegan(0, self._path, "blocks"),)


def bare_diff(path: str) -> Callable[[Observable[Delta]], Observable[FormatEvent]]:
    """Operator: the text of a turn to one edit of ``path``.

    ::

        --Text(a)---------------Text(b)-------------|
        --EditBegan-EditText(a)-EditText(b)---------EditEnded-End|
    """
    return as_operator(lambda: BareDiff(path))
