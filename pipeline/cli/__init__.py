"""The command line, `editstream …`: thin, over the parts."""

from .main import main

__all__ = ["main"]
