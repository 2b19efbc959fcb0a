"""The cache's policy, process-wide, from the environment."""

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ScanPolicy:
    """How long a scan is good for, when to check one again, and what may be kept.

    `ttl_ms` 0 bypasses the cache; a search that found nothing in a scan older than `empty_recheck_ms` walks once more;
    over `max_entries` scans or `max_bytes` of them, the oldest goes first.
    """

    ttl_ms: int = 1000
    empty_recheck_ms: int = 200
    max_entries: int = 16
    max_bytes: int = 64 * 1024 * 1024

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "ScanPolicy":
        """The policy the variables `FS_SCAN_…` ask for; an unreadable value falls back to its default, said once."""
        return cls(
            ttl_ms=_number(environment, "FS_SCAN_CACHE_TTL_MS", 1000),
            empty_recheck_ms=_number(environment, "FS_SCAN_EMPTY_RECHECK_MS", 200),
            max_entries=_number(environment, "FS_SCAN_CACHE_MAX_ENTRIES", 16),
            max_bytes=_number(environment, "FS_SCAN_CACHE_MAX_BYTES", 64 * 1024 * 1024),
        )


@cache
def process_policy() -> ScanPolicy:
    """The policy of this process, read from its environment when first asked for."""
    return ScanPolicy.from_environment(os.environ)


def _number(environment: Mapping[str, str], name: str, default: int) -> int:
    value = environment.get(name, "").strip()
    if not value:
        return default
    if value.isascii() and value.isdigit() and len(value) <= _MAX_DIGITS:
        return int(value)
    _say_once(name, value, default)
    return default


_MAX_DIGITS = 18
"""Whole numbers up to here fit 64 bits; what is longer is a mistake."""


@cache
def _say_once(name: str, value: str, default: int) -> None:
    _log.warning("%s=%r is no whole number of 0 or more; using %d", name, value[:40], default)
