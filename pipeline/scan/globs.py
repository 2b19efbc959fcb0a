"""Finding paths by pattern, in a scan."""

import os
from dataclasses import dataclass, replace

from .cache import ScanCache, shared_cache
from .listing import Listing
from .options import Kind, ScanOptions, ScanResult
from .pattern import Pattern, parse_pattern
from .walker import Checkpoint, walk


@dataclass(frozen=True, slots=True)
class GlobResult:
    """What a pattern matched.

    `paths` are relative to the root with `/`, `kinds` runs in parallel; `total` counts the matches before the limit.
    `skipped`, `faults`, `from_cache` and `age_ms` are those of the scan. `rules_dropped` says that git's rules hid
    every file there was, and so were left aside.
    """

    paths: tuple[str, ...]
    kinds: tuple[Kind, ...]
    total: int
    skipped: int
    from_cache: bool
    age_ms: float
    rules_dropped: bool = False
    faults: tuple[str, ...] = ()


def glob(
    pattern: str,
    root: str | os.PathLike[str] = ".",
    *,
    hidden: bool = False,
    gitignore: bool | None = None,
    agent_ignore: bool = True,
    node_modules: bool | None = None,
    recursive: bool = True,
    file_type: Kind | None = None,
    newest_first: bool = False,
    limit: int | None = None,
    cache: bool | ScanCache = False,
    checkpoint: Checkpoint | None = None,
) -> GlobResult:
    """What is below `root` and matches `pattern`, sorted by path in byte order, or newest first.

    `*` and `?` stay within a component, `**` crosses, `{a,b}` and `[a-z]` work. A pattern without `/` matches at any
    depth unless `recursive` is off; one that ends in `/` matches folders. Hidden entries and what git ignores are left
    out unless asked for (gitignore=None, the default, drops the rules where they hide every file, and says so),
    what agent ignore files keep a model out of unless `agent_ignore` is off, `node_modules` unless asked for or named
    in the pattern. `limit` is a number of paths. `cache` is True for the cache of the process, or one of yours;
    otherwise the scan is fresh and not kept.
    Raises InvalidPattern, ValueError for a negative limit, OSError, ScanError.
    """
    if limit is not None and limit < 0:
        raise ValueError(f"limit is {limit}; give 0 or more")
    parsed = parse_pattern(pattern, recursive=recursive)
    search = _Search(
        pattern=parsed,
        root=root,
        options=ScanOptions(
            include_hidden=hidden,
            use_gitignore=gitignore is not False,
            use_agent_ignore=agent_ignore,
            skip_node_modules=not (parsed.names_node_modules if node_modules is None else node_modules),
            detail="full" if newest_first else "minimal",
        ),
        file_type="dir" if parsed.folders_only and file_type is None else file_type,
        cache=shared_cache() if cache is True else cache or None,
        max_depth=None if recursive else parsed.depth,
        checkpoint=checkpoint,
    )
    scan, found = search.run()
    dropped = gitignore is None and not found and "file" not in scan.kinds
    if dropped:
        open_search = replace(search, options=replace(search.options, use_gitignore=False))
        scan, found = open_search.run()
    return _result(scan, found, limit, rules_dropped=dropped and bool(found))


@dataclass(frozen=True, slots=True)
class _Search:
    pattern: Pattern
    root: str | os.PathLike[str]
    options: ScanOptions
    file_type: Kind | None
    cache: ScanCache | None
    max_depth: int | None
    checkpoint: Checkpoint | None

    def run(self) -> tuple[ScanResult, list[int]]:
        """A scan and where in it the matches are. Nothing, from a scan that is not so fresh, is looked up once more."""
        if self.cache is None:
            listing = walk(
                os.path.realpath(self.root), self.options, max_depth=self.max_depth, checkpoint=self.checkpoint
            )
            scan = _fresh(listing)
            return scan, self._matches(scan)
        scan = self.cache.get_or_scan(self.root, self.options, checkpoint=self.checkpoint)
        found = self._matches(scan)
        if not found and scan.from_cache and scan.age_ms > self.cache.policy.empty_recheck_ms:
            scan = self.cache.force_rescan(self.root, self.options, checkpoint=self.checkpoint)
            found = self._matches(scan)
        return scan, found

    def _matches(self, scan: ScanResult) -> list[int]:
        fits = self.pattern.regex.fullmatch
        wanted = self.file_type
        return [
            at
            for at, (path, kind) in enumerate(zip(scan.paths, scan.kinds, strict=True))
            if (wanted is None or kind == wanted) and fits(path)
        ]


def _fresh(listing: Listing) -> ScanResult:
    return ScanResult(
        listing.paths,
        listing.kinds,
        listing.mtimes,
        listing.sizes,
        listing.skipped,
        age_ms=0.0,
        from_cache=False,
        faults=listing.faults,
    )


def _result(scan: ScanResult, found: list[int], limit: int | None, *, rules_dropped: bool) -> GlobResult:
    if (mtimes := scan.mtimes) is not None:
        found = sorted(found, key=lambda at: -mtimes[at])
    kept = found if limit is None else found[:limit]
    return GlobResult(
        paths=tuple(scan.paths[at] for at in kept),
        kinds=tuple(scan.kinds[at] for at in kept),
        total=len(found),
        skipped=scan.skipped,
        from_cache=scan.from_cache,
        age_ms=scan.age_ms,
        rules_dropped=rules_dropped,
        faults=scan.faults,
    )
