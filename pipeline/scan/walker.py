"""The walk: every entry below a root, by os.scandir, folder by folder.

A folder that may not be read is skipped and counted, one that vanishes meanwhile is skipped; any other error ends the
walk, as does the caller's checkpoint, which is asked before it and every 128 entries.
"""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from editstream.workspace.agent_ignore import AgentRules, IgnoreRule
from editstream.workspace.ignore_rules import components
from editstream.workspace.writer import is_temporary

from .ignore import Rules
from .listing import Entry, Listing, entry_of
from .options import Detail, Kind, ScanOptions, ScanTooLarge

MAX_ENTRIES = 1_000_000
"""A list of a million takes some 120 MB; a root above that is a mistake, and half a list would be a wrong answer."""

CHECK_EVERY = 128
"""Entries between two looks at the checkpoint: some 0.1 ms."""

Checkpoint = Callable[[], None]
"""Raises to end the walk."""

_UNREADABLE = frozenset({errno.EACCES, errno.EPERM, errno.ENAMETOOLONG})
_VANISHED = frozenset({errno.ENOENT, errno.ENOTDIR})
_LEADS_NOWHERE = _UNREADABLE | _VANISHED | {errno.ELOOP}


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to be read.

    `prefix` is its path below the root with a slash after it; `above` is, where links are followed, the identity of
    each folder it lies in.
    """

    path: str
    prefix: str
    depth: int
    rules: Rules
    above: frozenset[tuple[int, int]]


def walk(
    root: str, options: ScanOptions, *, max_depth: int | None = None, checkpoint: Checkpoint | None = None
) -> Listing:
    """List what is below `root` (canonical), no deeper than `max_depth` components where given.

    Raises OSError, ScanTooLarge, and what the checkpoint raises.
    """
    if checkpoint is not None:
        checkpoint()
    return _Walk(options, max_depth, checkpoint).run(root)


def shown(options: ScanOptions, rules: Rules, folder: tuple[str, ...], name: str, is_folder: bool) -> bool:
    """Whether a scan with these options lists the entry; `folder` is the components of the absolute path above it.

    What a workspace is writing is no entry yet: its event tells of the file, and of no temporary one.
    """
    if is_temporary(name):
        return False
    if name == ".git" or (name.startswith(".") and not options.include_hidden):
        return False
    if name == "node_modules" and options.skip_node_modules:
        return False
    return not rules.ignores((*folder, name), is_folder)


@dataclass(slots=True)
class _Walk:
    options: ScanOptions
    max_depth: int | None
    checkpoint: Checkpoint | None
    entries: list[Entry] = field(default_factory=list[Entry])
    pending: list[_Folder] = field(default_factory=list[_Folder])
    links: set[str] = field(default_factory=set[str])
    doubts: dict[IgnoreRule, None] = field(default_factory=dict[IgnoreRule, None])
    skipped: int = 0
    seen: int = 0

    def run(self, root: str) -> Listing:
        rules = Rules.above(root, self.options)
        above = frozenset({_identity(os.stat(root))}) if self.options.follow_links else frozenset[tuple[int, int]]()
        top = _Folder(root, "", 1, rules, above)
        self._visit(top, self._read(root))
        while self.pending:
            folder = self.pending.pop()
            try:
                children = self._read(folder.path)
            except OSError as error:
                if error.errno not in _UNREADABLE | _VANISHED:
                    raise
                self.skipped += error.errno in _UNREADABLE
            else:
                self._visit(folder, children)
        faults = tuple(sorted(doubt.fault_below(root) for doubt in self.doubts))
        return Listing.of(self.entries, self.options.detail, self.skipped, frozenset(self.links), faults)

    def _read(self, path: str) -> "list[os.DirEntry[str]]":
        children: list[os.DirEntry[str]] = []
        with os.scandir(path) as found:
            for child in found:
                self.seen += 1
                if self.checkpoint is not None and self.seen % CHECK_EVERY == 0:
                    self.checkpoint()
                children.append(child)
        return children

    def _visit(self, folder: _Folder, children: "list[os.DirEntry[str]]") -> None:
        rules = folder.rules.enter(folder.path, {child.name for child in children if child.name.startswith(".")})
        if rules.agents is not None:
            self._note(rules.agents)
        parts = components(folder.path)
        for child in children:
            try:
                entry, inside = self._entry(folder, child)
            except (FileNotFoundError, NotADirectoryError):  # gone, or its folder is a file by now
                continue
            if entry is None or not shown(self.options, rules, parts, child.name, entry.kind == "dir"):
                continue
            self.entries.append(entry)
            if len(self.entries) > MAX_ENTRIES:
                raise ScanTooLarge(f"there are more than {MAX_ENTRIES:,} entries; choose a root further down")
            if entry.kind == "dir" and (self.max_depth is None or folder.depth < self.max_depth):
                self.pending.append(_Folder(child.path, entry.path + "/", folder.depth + 1, rules, inside))

    def _note(self, rules: AgentRules) -> None:
        if rules.linked:
            self.links.add(os.sep)  # whatever changes may be at the end of that link
        if rules.doubt is not None:
            self.doubts[rules.doubt] = None

    def _entry(self, folder: _Folder, child: "os.DirEntry[str]") -> tuple[Entry | None, frozenset[tuple[int, int]]]:
        """The child's entry, and for a folder what its children lie in."""
        path = folder.prefix + child.name
        if not self.options.follow_links:
            return _as_it_is(path, child, self.options.detail), folder.above
        if child.is_symlink():
            self.links.add(os.path.realpath(child.path))
        try:
            status = child.stat()
        except OSError as error:
            if error.errno not in _LEADS_NOWHERE:
                raise
            return _as_it_is(path, child, self.options.detail), folder.above
        entry = entry_of(path, status)
        if entry is None or entry.kind != "dir":
            return entry, folder.above
        if _identity(status) in folder.above:
            return _as_it_is(path, child, self.options.detail), folder.above
        return entry, folder.above | {_identity(status)}


def _as_it_is(path: str, child: os.DirEntry[str], detail: Detail) -> Entry | None:
    if detail == "full":
        with suppress(PermissionError):  # of a folder whose names may be read, and no more
            return entry_of(path, child.stat(follow_symlinks=False))
    kind = _kind(child)
    return None if kind is None else Entry(path, kind, 0, None)


def _kind(child: "os.DirEntry[str]") -> Kind | None:
    if child.is_symlink():
        return "symlink"
    if child.is_dir(follow_symlinks=False):
        return "dir"
    return "file" if child.is_file(follow_symlinks=False) else None


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
