"""What is asked of the terminal: whether a file is one, how large it is now, and a console that believes the answer."""

from __future__ import annotations

import os
from typing import TextIO

from rich.console import Console


def console_for(file: TextIO) -> Console:
    """A console that writes escape codes to ``file`` only if it is a terminal, whatever the environment says."""
    return Console(file=file, force_terminal=file.isatty(), highlight=False, emoji=False, markup=False)


def terminal_size(file: TextIO) -> os.terminal_size:
    """The size of the terminal behind ``file`` at this moment, 80 by 24 if it will not say."""
    size = os.get_terminal_size(file.fileno())
    return size if size.columns and size.lines else os.terminal_size((80, 24))
