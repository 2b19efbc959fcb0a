"""Running an edit over chunks, and what came of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from editstream.edits.unified import unified_diff

from .exit_codes import ExitCode
from .options import EditOptions

if TYPE_CHECKING:
    from editstream import Snapshot
    from editstream.live import LiveView
    from editstream.operators.dialect import DialectName
    from editstream.workspace import TextFile

Verdict = Literal["ready", "unchanged", "rejected", "no_blocks"]

NO_BLOCKS = "the diff holds no SEARCH/REPLACE block; begin each with a line '------- SEARCH'"
NO_FILE = "does not exist, so SEARCH was looked for in an empty file; check FILE and --root"
THE_REST = "\n\nThe other blocks fit: send only the rejected ones again, repaired."


@dataclass(frozen=True, slots=True)
class Result:
    """The file as it was read, the last snapshot, and how many code points came."""

    file: TextFile
    snapshot: Snapshot
    received: int
    aborted: bool = False

    @property
    def verdict(self) -> Verdict:
        """What stands between this and a write."""
        blocks = self.snapshot.blocks
        if self.aborted or (blocks and all(block.status == "rejected" for block in blocks)):
            return "rejected"
        if not blocks:
            return "no_blocks"
        return "unchanged" if self.file.exists and self.snapshot.new_content == self.file.text else "ready"

    @property
    def exit_code(self) -> ExitCode:
        """The code to end with if nothing else goes wrong."""
        return ExitCode.DONE if self.verdict in ("ready", "unchanged") else ExitCode.REJECTED

    @property
    def complaint(self) -> str:
        """What to say on standard error: the message for the model, or nothing."""
        from editstream import EditError

        if self.verdict == "no_blocks":
            return f"editstream: {NO_BLOCKS}"
        if not self.snapshot.problems:
            return ""
        told = str(EditError(self.snapshot.problems))
        if self.verdict != "rejected":
            # The last paragraph says that nothing was applied.
            return told.rpartition("\n\n")[0] + THE_REST
        return told if self.file.exists else f"editstream: {self.file.path!r} {NO_FILE}\n{told}"

    def diff(self) -> str:
        """The edit as a unified diff."""
        return unified_diff(self.file.path, self.file.text, self.snapshot.edits, is_new=not self.file.exists)

    def as_json(self, reason: str, *, written: bool = False, with_diff: bool = False) -> dict[str, Any]:
        """The result as a JSON object."""
        return {
            "path": self.file.path,
            "written": written,
            "reason": reason,
            "blocks": [asdict(block) for block in self.snapshot.blocks],
            "problems": [asdict(problem) for problem in self.snapshot.problems],
            **({"diff": self.diff()} if with_diff else {}),
        }


def run(
    file: TextFile, chunks: Iterable[str], dialect: DialectName, options: EditOptions, view: LiveView | None
) -> Result:
    """Feed the chunks to an editor of the file's text; show each snapshot in ``view``, which is closed at the end."""
    from editstream import EditError, FileEditor

    editor = FileEditor(file.text, dialect, **options)
    received = 0
    aborted = False
    if view:
        view.show(editor.snapshot)
    with view or contextlib.nullcontext():
        for chunk in chunks:
            received += len(chunk)
            snapshot = editor.feed(chunk)
            if view:
                view.received(chunk)
                view.show(snapshot)
        try:
            editor.close()
        except EditError:
            aborted = True
        if view:
            view.show(editor.snapshot)
    return Result(file, editor.snapshot, received, aborted)
