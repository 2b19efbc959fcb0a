"""Putting a list right after one path changed, without a walk.

The way from the root to the path is looked at, component by component, as a walk would meet it; what is found there
goes in, what is gone comes out. Whatever one path cannot explain is left to a new walk.
"""

import os

from editstream.workspace.ignore_rules import components

from .ignore import Rules
from .listing import Entry, Listing, entry_of
from .options import ScanOptions
from .walker import shown


def patched(listing: Listing, root: str, options: ScanOptions, path: str) -> Listing | None:
    """The list of `root` after a change of `path`, which lies below it; both canonical.

    None where only a walk can tell: where links are followed or folders or ignore files were unreadable, and where a
    whole folder came.
    """
    if listing.links or options.follow_links or listing.skipped or listing.faults:
        return None
    names = os.path.relpath(path, root).split(os.sep)
    try:
        return _along(listing, root, options, names)
    except OSError:
        return None


def _along(listing: Listing, root: str, options: ScanOptions, names: list[str]) -> Listing | None:
    rules = Rules.above(root, options)
    folder, relative = root, ""
    for at, name in enumerate(names):
        rules = rules.enter(folder)
        inside = components(folder)
        folder, relative = os.path.join(folder, name), f"{relative}{name}"
        entry = _entry(relative, folder)
        if entry is None or not shown(options, rules, inside, name, entry.kind == "dir"):
            return listing.without(relative)
        known = listing.kind(relative)
        following = names[at + 1 : at + 2]
        if entry.kind == "dir" and (
            not following or (known != "dir" and not set(os.listdir(folder)) <= set(following))
        ):
            return None  # a folder that came with more in it than the way to the path
        if known != entry.kind:
            listing = listing.without(relative)
        if known != entry.kind or options.detail == "full":
            listing = listing.with_entry(entry)
        if entry.kind != "dir":
            return listing
        relative += "/"
    return listing


def _entry(relative: str, absolute: str) -> Entry | None:
    try:
        return entry_of(relative, os.lstat(absolute))
    except (FileNotFoundError, NotADirectoryError):
        return None
