"""Scans of folders, cached for a moment and put right by every write, and what searches them."""

from .cache import ScanCache, ScanStatistics, shared_cache, stop_when
from .globs import GlobResult, glob
from .options import (
    Detail,
    Kind,
    ScanCancelled,
    ScanError,
    ScanOptions,
    ScanResult,
    ScanTimeout,
    ScanTooLarge,
)
from .pattern import InvalidPattern
from .policy import ScanPolicy, process_policy

__all__ = [
    "Detail",
    "GlobResult",
    "InvalidPattern",
    "Kind",
    "ScanCache",
    "ScanCancelled",
    "ScanError",
    "ScanOptions",
    "ScanPolicy",
    "ScanResult",
    "ScanStatistics",
    "ScanTimeout",
    "ScanTooLarge",
    "glob",
    "process_policy",
    "shared_cache",
    "stop_when",
]
