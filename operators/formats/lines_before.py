"""What the lines before an opener say: the name of its file, and whether they lead from one edit to the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .fences import Fence, fence_in
from .file_names import Known, file_name, names_in_info

LOOK_BEHIND = 3
"""Lines before a fence, or before an opener, that a name may stand in."""


def name_before(lines: Sequence[str], fence: Fence | None, known: Known | None) -> str | None:
    """The name for an opener: from the lines before it, the info string of its fence, the lines above that."""
    places = [_last_line(lines)]
    if fence is not None:
        sure, unsure = names_in_info(fence.info)
        places += [*sure, _last_line(fence.above), *unsure]
    return file_name(places, known)


def around_fence(lines: Sequence[str]) -> tuple[Sequence[str], Fence | None, Sequence[str]]:
    """The last fence of some lines, between what is above it and what is inside; without one, all is inside."""
    for at in range(len(lines) - 1, -1, -1):
        if fence := fence_in(lines[at]):
            fence.above = tuple(lines[:at][-LOOK_BEHIND:])
            return lines[:at], fence, lines[at + 1 :]
    return (), None, lines


def lead_into_fence(lines: Sequence[str], known: Known | None) -> bool:
    """Whether the lines after a fence lead into another: it stands before the opener, or just a name between.

    A bare one could as well be the end that the fence before it was taken for: it has its name right above, or inside
    and nothing above.
    """
    above, fence, inside = around_fence(lines)
    inner = [line for line in inside if line.strip()]
    if fence is None or len(inner) > 1 or (inner and file_name(inner, known) is None):
        return False
    if fence.info:
        return True
    return not any(map(str.strip, above)) if inner else file_name([_last_line(fence.above)], known) is not None


def lead_to_name(lines: Sequence[str], known: Known | None) -> bool:
    """Whether the lines after a fence lead to a name, and no other fence."""
    _, fence, inside = around_fence(lines)
    return fence is None and file_name([_last_line(inside[-LOOK_BEHIND:])], known) is not None


def _last_line(lines: Iterable[str]) -> str:
    """The last line that is neither blank nor a fence."""
    return next((line for line in reversed(list(lines)) if line.strip() and not fence_in(line)), "")
