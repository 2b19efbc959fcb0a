"""Glob patterns, against a matcher written another way."""

from __future__ import annotations

import time
from fnmatch import fnmatchcase
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editstream.scan import InvalidPattern
from editstream.scan.pattern import parse_pattern

PIECES = ["a", "b", ".", "ab", "*", "*", "?", "[ab]", "[!a]", "[b-d]", "x"]
COMPONENTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join)
PATTERNS = st.lists(st.one_of(COMPONENTS, st.just("**")), min_size=1, max_size=5)
PATHS = st.lists(st.text("abcx.", min_size=1, max_size=5), min_size=1, max_size=5)


def matches(pattern: list[str], path: list[str]) -> bool:
    """Component by component, trying everything a `**` could take."""
    if not pattern:
        return not path
    head, *rest = pattern
    if head == "**" and rest:
        return any(matches(rest, path[at:]) for at in range(len(path)))
    if head == "**":
        return bool(path)
    return bool(path) and fnmatchcase(path[0], head) and matches(rest, path[1:])


@given(pattern=PATTERNS, path=PATHS)
def test_a_pattern_matches_what_it_should(pattern: list[str], path: list[str]) -> None:
    """Random patterns match random paths exactly as trying every possibility says."""
    text = "/".join(pattern)
    if not text.strip("/.") or ".." in pattern:
        return
    parts = [part for part in pattern if part != "."]
    # Only a leading "./" is taken off; "." elsewhere is a name no path has.
    expected = matches(pattern if pattern[0] != "." else parts if "." not in pattern[1:] else pattern, path)
    if len(pattern) == 1:
        expected = matches(["**", *pattern], path)
    if pattern[0] != "." or "." not in pattern[1:]:
        assert bool(parse_pattern(text).regex.fullmatch("/".join(path))) == expected


@given(
    path=st.text("abcx", min_size=1, max_size=6), options=st.lists(st.lists(st.text("abcx*?", max_size=2), min_size=1))
)
def test_braces_are_each_of_their_alternatives(path: str, options: list[list[str]]) -> None:
    """A pattern with braces matches exactly what one of its alternatives matches."""
    options = [each[:3] for each in options[:4]]
    text = "a".join("{" + ",".join(each) + "}" for each in options)
    plain = ["a".join(choice) for choice in product(*options)]
    if text.strip("{},"):
        assert bool(parse_pattern(text).regex.fullmatch(path)) == any(fnmatchcase(path, each) for each in plain)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", ["a.py", "d/e/a.py", ".py"], ["a.pyc", "a.py/b"]),
        ("./*.py", ["a.py", "d/a.py"], ["a.pyc"]),
        ("src/*.py", ["src/a.py"], ["src/d/a.py", "a.py", "x/src/a.py"]),
        ("src\\*.py", ["src/a.py"], ["src/d/a.py"]),
        ("src//a", ["src/a"], ["src//a"]),
        ("src/**", ["src/a", "src/a/b"], ["src", "srcs/a"]),
        ("**/src/**/a", ["src/a", "x/src/y/z/a"], ["src/b", "srca"]),
        ("a/**/**/b", ["a/b", "a/x/b"], ["ab"]),
        ("**", ["a", "a/b"], []),
        ("a**b", ["ab", "axb", "d/axb"], ["a/b"]),
        ("{a,b}.{py,js}", ["a.py", "d/b.js"], ["a.rs", "{a,b}.py"]),
        ("{src,test/**}/x", ["src/x", "test/x", "test/a/x"], ["a/x", "y/src/x"]),
        ("{a,{b,c}d}", ["a", "bd", "cd"], ["b", "d"]),
        ("a{,.bak}", ["a", "a.bak"], ["a,"]),
        ("{a}", ["a"], ["{a}"]),
        ("{a", ["{a"], ["a"]),
        ("{[,a],b}{", [",{", "a{", "b{"], ["[,a]{"]),
        ("a}", ["a}"], ["a"]),
        ("[ab", ["[ab"], ["a"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[!]a]", ["b"], ["]", "a"]),
        ("[^a]", ["b", "^"], ["a"]),
        ("[a-c-]", ["a", "b", "-"], ["d"]),
        ("[c-a]", [], ["a", "b", "c", "-"]),
        ("[{,}]{a,b}", ["{a", ",b"], ["a"]),
        ("x[!a]y", ["xby"], ["x/y", "xay"]),
        ("x[.-0]y", ["x.y", "x0y"], ["x/y"]),
        ("[&&~~||[]", ["[", "&", "~", "|"], ["x"]),
        ("a+b(c)$^", ["a+b(c)$^"], ["aab(c)"]),
        ("?", ["a", "\n", "日"], ["ab"]),
        ("node_modules/", ["node_modules", "a/node_modules"], ["node_modules/x"]),
    ],
)
def test_patterns_as_people_write_them(pattern: str, yes: list[str], no: list[str]) -> None:
    """Each pattern of the table matches the paths beside it and not the others."""
    regex = parse_pattern(pattern).regex
    assert [path for path in yes if not regex.fullmatch(path)] == []
    assert [path for path in no if regex.fullmatch(path)] == []


@pytest.mark.parametrize(
    ("pattern", "depth"),
    [("*.py", 1), ("src/*.py", 2), ("{a,b/c}/d", 3), ("a/**", None), ("**", None), ("a/{b,**}", None), ("a/", 1)],
)
def test_the_depth_is_as_deep_as_the_pattern(pattern: str, depth: int | None) -> None:
    """Without recursion a pattern reaches as deep as it has components, and only `**` reaches everywhere."""
    assert parse_pattern(pattern, recursive=False).depth == depth


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        ".",
        "./",
        "/",
        "//",
        "/etc/*",
        "\\etc",
        "C:\\x",
        "../*",
        "a/../b",
        "{,}",
        "a\0",
        "a" * 2000,
        "{" * 20 + "}" * 20,
        "{a,b}" * 9,
    ],
    ids=lambda pattern: ascii(pattern[:10]),
)
def test_a_pattern_that_makes_no_sense_is_an_error(pattern: str) -> None:
    """A pattern that leads out of the root, names nothing, or is out of all bounds raises InvalidPattern."""
    with pytest.raises(InvalidPattern, match="pattern"):
        parse_pattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    ["*a" * 100 + "b", "**/*a" * 100 + "/b", "*[!b]" * 100 + "b", "{" * 512, "{a," * 300, "[" * 1000, "*?" * 200 + "b",
     "{a,b}{*a,*b}{*a,*b}{*a,*b}{*a,*b}c", "**/" * 300 + "b", "?*" * 300 + "/b"],
    ids=lambda pattern: pattern[:10],
)  # fmt: skip
def test_a_hostile_pattern_takes_no_time(pattern: str) -> None:
    """A pattern made to backtrack is answered, or refused, in a moment."""
    start = time.process_time()
    try:
        regex = parse_pattern(pattern).regex
    except InvalidPattern:
        pass
    else:
        for path in ("a" * 255, "/".join(["a" * 20] * 150), "/".join("a" * 1000)):
            regex.fullmatch(path)
    assert time.process_time() - start < 2
