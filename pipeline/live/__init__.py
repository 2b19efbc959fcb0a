"""The terminal view: an edit as it streams, with the file around it, the blocks and their problems."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .printable import printable

if TYPE_CHECKING:
    from .frame import Scene
    from .session_view import SessionView
    from .summary import write_summary
    from .view import LiveView

__all__ = ["LiveView", "Scene", "SessionView", "printable", "write_summary"]

_HOMES = {
    "LiveView": "view",
    "Scene": "frame",
    "SessionView": "session_view",
    "write_summary": "summary",
}


def __getattr__(name: str) -> object:
    """Import the view, and rich with it, only for those who show something."""
    if name in _HOMES:
        value: object = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
