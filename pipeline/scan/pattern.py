"""Glob patterns to one expression over whole paths.

`*` and `?` stay within a component, `**` crosses, `{a,b}` and classes work, `\\` reads as `/`. A model writes patterns,
so they must not be able to hang the search: braces are bounded, and every star but the last of a component (and every
`**` but the last of a pattern) takes as little as it can, once and for all, in an atomic group: what it could take
more, the next can take instead. So an expression never backtracks over more than one star of a kind.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

MAX_PATTERN_CHARS = 1024
"""Longer than any pattern a person writes; finding the end of a brace is quadratic in the worst case."""

MAX_ALTERNATIVES = 256
"""What the braces of one pattern may multiply to; each alternative is tried on each path."""

MAX_BRACE_DEPTH = 16
"""Braces in braces; well below what recursion allows."""


class InvalidPattern(ValueError):
    """A glob pattern that cannot mean anything below a root; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern, ready to match.

    `depth` is how many components deep it can reach (None: any), `folders_only` says that it ended in a slash,
    `names_node_modules` that it asks for what is in there.
    """

    regex: re.Pattern[str]
    depth: int | None
    folders_only: bool
    names_node_modules: bool


def parse_pattern(text: str, *, recursive: bool = True) -> Pattern:
    """Read a glob pattern; without a slash it matches at any depth if `recursive`. Raises InvalidPattern."""
    plain = re.sub("/+", "/", text.replace("\\", "/"))
    _refuse(text, plain)
    while plain.startswith("./"):
        plain = plain[2:]
    body = plain.removesuffix("/")
    anywhere = recursive and "/" not in body
    alternatives = list(islice(_alternatives(body), MAX_ALTERNATIVES + 1))
    if len(alternatives) > MAX_ALTERNATIVES:
        raise InvalidPattern(f"the braces of the pattern {text!r} make more than {MAX_ALTERNATIVES}; use fewer")
    paths = [
        (["**"] if anywhere else []) + [p for p in each.split("/") if p] for each in alternatives if each.strip("/")
    ]
    if not paths:
        raise InvalidPattern(f"the pattern {text!r} names nothing; give one such as '**/*.py'")
    return Pattern(
        regex=re.compile("|".join(_path(parts) for parts in paths), re.DOTALL),
        depth=None if any("**" in parts for parts in paths) else max(map(len, paths)),
        folders_only=plain.endswith("/"),
        names_node_modules="node_modules" in text,
    )


def _refuse(text: str, plain: str) -> None:
    if not plain.strip("/."):
        raise InvalidPattern(f"the pattern {text!r} names nothing; give one such as '**/*.py'")
    if "\0" in text:
        raise InvalidPattern(f"the pattern {text!r} holds NUL; no path does")
    if plain.startswith("/") or re.match("[A-Za-z]:/", plain) or ".." in plain.split("/"):
        raise InvalidPattern(f"the pattern {text!r} leads out of the root; write it relative to the root, without '..'")
    if len(text) > MAX_PATTERN_CHARS:
        raise InvalidPattern(f"the pattern has {len(text):,} characters; {MAX_PATTERN_CHARS:,} are the most")
    depth = 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if depth > MAX_BRACE_DEPTH:
            raise InvalidPattern(f"the braces of the pattern {text[:60]!r} are nested too deeply; use fewer")


def _alternatives(text: str) -> Iterator[str]:
    """The pattern with its braces multiplied out; a brace without its partner is itself."""
    at = 0
    while at < len(text):
        if text[at] == "[":
            at = _class_end(text, at)
        elif text[at] == "{" and (cuts := _brace(text, at)):
            for rest in _alternatives(text[cuts[-1] + 1 :]):
                for start, stop in zip([at, *cuts], cuts, strict=False):
                    for inner in _alternatives(text[start + 1 : stop]):
                        yield text[:at] + inner + rest
            return
        else:
            at += 1
    yield text


def _brace(text: str, start: int) -> list[int]:
    """Where the commas of the brace at `start` are, and its end; nothing if it has none."""
    depth, at, cuts = 0, start, list[int]()
    while at < len(text):
        char = text[at]
        if char == "[":
            at = _class_end(text, at)
            continue
        depth += (char == "{") - (char == "}")
        if depth == 0:
            return [*cuts, at]
        if char == "," and depth == 1:
            cuts.append(at)
        at += 1
    return []


def _class_end(text: str, start: int) -> int:
    """The offset after the class at `start`, or after its bracket where that begins none."""
    first = start + 1 + text.startswith(("!", "^"), start + 1)
    end = text.find("]", first + 1)
    return start + 1 if end < 0 or "/" in text[start:end] else end + 1


def _path(parts: list[str]) -> str:
    groups: list[list[str]] = [[]]
    for part in parts:
        if part != "**":
            groups[-1].append(_component(part))
        elif groups[-1] or len(groups) == 1:
            groups.append([])
    first, *others = ["/".join(group) for group in groups]
    if not others:
        return first
    *middle, last = others
    regex = f"{first}/" if first else ""
    regex += "".join(rf"(?>(?:[^/]+/)*?{each}/)" for each in middle)
    return regex + (rf"(?:[^/]+/)*{last}" if last else ".+")


def _component(text: str) -> str:
    pieces: list[list[str]] = [[]]
    at = 0
    while at < len(text):
        end = _class_end(text, at) if text[at] == "[" else at + 1
        if text[at] == "*":
            if pieces[-1] or len(pieces) == 1:
                pieces.append([])
        elif text[at] == "?":
            pieces[-1].append("[^/]")
        elif end > at + 1:
            pieces[-1].append(_class(text[at + 1 : end - 1]))
        else:
            pieces[-1].append(re.escape(text[at]))
        at = end
    first, *others = ["".join(piece) for piece in pieces]
    if not others:
        return first
    *middle, last = others
    return first + "".join(f"(?>[^/]*?{each})" for each in middle) + "[^/]*" + last


def _class(body: str) -> str:
    negated = body.startswith(("!", "^"))
    chars = body[negated:]
    items: list[str] = []
    at = 0
    while at < len(chars):
        low, high, step = chars[at], chars[at], 1
        if at + 2 < len(chars) and chars[at + 1] == "-":
            high, step = chars[at + 2], 3
        if low <= high:
            items.append(f"{re.escape(low)}-{re.escape(high)}")
        at += step
    if not items:
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' if negated else ''}{''.join(items)}]"
