"""What a scan is asked for, what it gives back, and how it fails."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["file", "dir", "symlink"]
Detail = Literal["minimal", "full"]


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """What a scan shows. Scans with different options never share a cache entry.

    `use_agent_ignore` leaves out what agent ignore files keep a model out of (see `editstream.workspace.agent_ignore`).
    `detail="full"` adds times and sizes. With `follow_links` a link to a folder or file is listed as what it leads to,
    and walked, unless it leads back to a folder it lies in.
    """

    include_hidden: bool = False
    use_gitignore: bool = True
    use_agent_ignore: bool = False
    skip_node_modules: bool = True
    detail: Detail = "minimal"
    follow_links: bool = False


DEFAULT_OPTIONS = ScanOptions()


@dataclass(frozen=True, slots=True)
class ScanResult:
    """Every entry below a root, sorted by path in byte order; the columns run in parallel.

    `paths` are relative with `/`. In full detail `mtimes` are in ms since 1970 and `sizes` in bytes (None for what is
    no file); otherwise both are None. `skipped` counts folders that could not be read. `faults` says of each agent
    ignore file that cannot be understood, and so closes its folder, what is wrong with it. `age_ms` counts from the
    start of the walk.
    """

    paths: tuple[str, ...]
    kinds: tuple[Kind, ...]
    mtimes: tuple[int, ...] | None
    sizes: tuple[int | None, ...] | None
    skipped: int
    age_ms: float
    from_cache: bool
    faults: tuple[str, ...] = ()


class ScanError(Exception):
    """A scan that was given up; nothing was cached, and no part of a list is given."""


class ScanCancelled(ScanError):
    """The caller asked the scan to stop."""


class ScanTimeout(ScanError, TimeoutError):
    """The scan took longer than the caller allowed."""


class ScanTooLarge(ScanError):
    """There are more entries below the root than a list holds."""
