"""From one file and a stream of chunks to snapshots: as an Rx operator, or by a class without Rx.

Both run the same chain of machines::

    chunks ─▶ lines ─▶ (entities) ─▶ partial markers ─▶ markers ─▶ search ─▶ out of order ─▶ snapshots
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from editstream.operators.dialect import Dialect, DialectName, dialect_named
from editstream.operators.document import Document
from editstream.operators.entities import Entities
from editstream.operators.events import End, Reason
from editstream.operators.lines import Lines
from editstream.operators.machine import Chain, Machine, as_operator
from editstream.operators.markers import Markers
from editstream.operators.matching import search_machine
from editstream.operators.out_of_order import OutOfOrder
from editstream.operators.partial_markers import PartialMarkers
from editstream.operators.snapshot import Snapshot
from editstream.operators.snapshots import Snapshots

if TYPE_CHECKING:
    from reactivex import Observable

Ambiguity: TypeAlias = Literal["error", "first"]
OnReject: TypeAlias = Literal["abort", "apply_rest"]
EntitiesMode: TypeAlias = Literal["auto", "always", "never"]


def apply_edits(
    original: str,
    dialect: DialectName | Dialect = "safe",
    *,
    ambiguity: Ambiguity = "error",
    on_reject: OnReject = "abort",
    entities: EntitiesMode = "auto",
) -> Callable[[Observable[str | End]], Observable[Snapshot]]:
    """Operator: chunks of an edit to snapshots of the file, one for each chunk and a last one.

    ::

        --"------- SEA"--"RCH\\na\\n===="--"===\\nb"--"\\n+++++++ REPLACE"--|
        --Snapshot-------Snapshot---------Snapshot--Snapshot-------------Snapshot|

    If a block is rejected, the last snapshot is followed by ``on_error`` with an ``EditError`` (unless ``on_reject`` is
    ``"apply_rest"``). For the arguments, see ``FileEditor``.

    Raises:
        TypeError: the original is no text.
        ValueError: an option has no such value.
    """
    options = _checked(dialect, ambiguity, on_reject, entities)
    document = _document(original)
    return as_operator(lambda: _chain(document, *options))


class FileEditor:
    """Applies a stream of edits to one file, without Rx.

    Args:
        original: the file's text, with its line ends as they are.
        dialect: ``"safe"``, ``"v1"`` or ``"v2"``.
        ambiguity: what to do with a SEARCH that is in the file more than once: ``"error"``, or take the ``"first"``
            (one that is there more than 1,000 times is an error all the same).
        on_reject: with ``"abort"`` one rejected block rejects the edit; with ``"apply_rest"`` the others stay.
        entities: decode HTML entities where only that makes a block fit (``"auto"``), everywhere (``"always"``), or
            nowhere (``"never"``). ``v1`` and ``v2`` read ``"auto"`` as ``"never"``.

    Raises:
        TypeError: the original is no text.
        ValueError: an option has no such value.
    """

    def __init__(
        self,
        original: str,
        dialect: DialectName | Dialect = "safe",
        *,
        ambiguity: Ambiguity = "error",
        on_reject: OnReject = "abort",
        entities: EntitiesMode = "auto",
    ) -> None:
        options = _checked(dialect, ambiguity, on_reject, entities)
        self._machine: Machine[str, Snapshot] = _chain(_document(original), *options)
        self._closed = False
        self._snapshot = self._take(self._machine.feed(""))

    @property
    def snapshot(self) -> Snapshot:
        """The latest snapshot; after ``close``, the final one, also when it raised."""
        return self._snapshot

    def feed(self, chunk: str) -> Snapshot:
        """Take a chunk, cut anywhere; give the file as it stands after it.

        Raises:
            TypeError: the chunk is no text.
            ValueError: the editor was closed.
        """
        if not isinstance(chunk, str):
            raise TypeError(f"a chunk is a str, not {type(chunk).__name__}")
        if self._closed:
            raise ValueError("this editor is closed: make a new FileEditor for another edit")
        return self._take(self._machine.feed(chunk))

    def close(self, reason: Reason = "complete") -> Snapshot:
        """End the stream and give the final snapshot.

        Args:
            reason: ``"complete"``, or ``"truncated"`` or ``"cancelled"`` when the model was cut off: then the block it
                was writing is rejected.

        Raises:
            EditError: a block was rejected and ``on_reject`` is ``"abort"``.
            ValueError: the editor was closed before, or there is no such reason.
        """
        if reason not in get_args(Reason):
            raise ValueError(f"unknown reason {reason!r}: use one of {', '.join(get_args(Reason))}")
        if self._closed:
            raise ValueError("this editor is closed: make a new FileEditor for another edit")
        self._closed = True
        return self._take(self._machine.close(reason))

    def _take(self, given: Any) -> Snapshot:
        for snapshot in given:
            self._snapshot = snapshot
        return self._snapshot


def _document(original: str) -> Document:
    if not isinstance(original, str):
        raise TypeError(f"the original is a str, not {type(original).__name__}")
    return Document(original)


def _checked(
    dialect: DialectName | Dialect, ambiguity: Ambiguity, on_reject: OnReject, entities: EntitiesMode
) -> tuple[Dialect, Ambiguity, OnReject, EntitiesMode]:
    check_options(ambiguity, on_reject, entities)
    return dialect_named(dialect), ambiguity, on_reject, entities


def check_options(ambiguity: Ambiguity, on_reject: OnReject, entities: EntitiesMode) -> None:
    """Raise ValueError for an option that has no such value; for the options, see ``FileEditor``."""
    for name, value, allowed in (
        ("ambiguity", ambiguity, get_args(Ambiguity)),
        ("on_reject", on_reject, get_args(OnReject)),
        ("entities", entities, get_args(EntitiesMode)),
    ):
        if value not in allowed:
            raise ValueError(f"{name} is {value!r}: use one of {', '.join(allowed)}")


def _chain(
    document: Document, dialect: Dialect, ambiguity: Ambiguity, on_reject: OnReject, entities: EntitiesMode
) -> Chain:
    ladder = tuple(tier for tier in dialect.line_tiers if entities == "auto" or tier.name != "entities")
    decode: tuple[Machine[Any, Any], ...] = (Entities(),) if entities == "always" else ()
    return Chain(
        (
            Lines(),
            *decode,
            PartialMarkers(dialect.grammar),
            Markers(dialect.grammar),
            search_machine(document, dialect, ladder, first_of_several=ambiguity == "first"),
            OutOfOrder(ladder),
            Snapshots(document, dialect, apply_rest=on_reject == "apply_rest"),
        )
    )
