"""Hunks of a V4A section as block events: what each line means, how hunks end, and the bounds."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reactivex import from_iterable
from stages import every_way, fed, final, names, peeking_changes_nothing

from editstream.operators import (
    NOTHING,
    SAFE,
    Chain,
    Closed,
    Divided,
    Document,
    End,
    LadderSearch,
    Lines,
    Opened,
    OutOfOrder,
    ReplaceLine,
    SearchLine,
    Snapshot,
    Snapshots,
    Stray,
    TooLarge,
    Unfinished,
    safe_ladder,
)
from editstream.operators.events import Line, Placing, Reason, Where
from editstream.operators.hunks import SCOPES_LIMIT, Hunks, hunks
from editstream.operators.markers import BLOCK_LIMIT

LINES = (
    "@@", "@@ def f():", "@@     def g():", "@@ ... @@", "@@ -3,2 +4,5 @@ class A", " a", " b", "-a", "-b", "+a", "+",
    "", " ", "-", "*** End of File", "*** End of File  ", "prose", "\\ No newline at end of file", "@", "*",
    " a\r", "\r",
)  # fmt: skip
reasons: st.SearchStrategy[Reason] = st.sampled_from(("complete", "truncated", "cancelled"))
sections = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)


class Read(NamedTuple):
    """A hunk as it was read; ``where`` is what was said of its place last, ``divided`` whether it may be applied."""

    where: Where
    search: list[str]
    replace: list[str]
    by: str
    divided: bool = True


def chain() -> Chain:
    return Chain([Lines(), Hunks()])


def events(text: str, reason: Reason = "complete") -> list[Any]:
    return final(fed(chain(), [text], reason))


def read(text: str, reason: Reason = "complete") -> list[Read]:
    """The hunks of a section."""
    out = list[Read]()
    for event in events(text, reason):
        match event:
            case Opened():
                out.append(Read(Where(), [], [], "", divided=False))
            case Placing(where):
                out[-1] = out[-1]._replace(where=where)
            case SearchLine(line):
                out[-1].search.append(line)
            case Divided():
                out[-1] = out[-1]._replace(divided=True)
            case ReplaceLine(line):
                out[-1].replace.append(line)
            case Closed(_, by):
                out[-1] = out[-1]._replace(by=by)
            case _:
                pass
    return out


def strays(text: str, reason: Reason = "complete") -> list[tuple[int, str]]:
    return [(event.line, event.message) for event in events(text, reason) if isinstance(event, Stray)]


def test_a_hunk_is_a_block() -> None:
    """A hunk's context and removed lines are SEARCH, given as they come; its REPLACE follows when it ends."""
    assert events("@@ def f():\n a\n-b\n+c\n+d\n e\n@@\n-x\n") == [
        Opened(0, 1), Placing(Where(scopes=("def f():",))),
        SearchLine("a", 2), SearchLine("b", 3), SearchLine("e", 6),
        Divided(7, ""), ReplaceLine("a", 2), ReplaceLine("c", 4), ReplaceLine("d", 5), ReplaceLine("e", 6), Closed(7),
        Opened(1, 7), SearchLine("x", 8), Divided(8, ""), Closed(8),
        End(),
    ]  # fmt: skip


def test_search_streams() -> None:
    """Each line of SEARCH is given when its line has ended, and an unfinished line says nothing."""
    machine = chain()
    given = [list(machine.feed(char)) for char in "-a\n+b\n c\n"]
    ended = [names(each) for each in given if len(each) > 1]
    assert ended == [["Opened", "SearchLine", "Unfinished"], ["SearchLine", "Unfinished"]]
    assert all(each[-1] is NOTHING for each in given)


@pytest.mark.parametrize(
    ("head", "where"),
    [
        ("", Where()),
        ("@@\n", Where()),
        ("@@ \n", Where()),
        ("@@ @@\n", Where()),
        ("@@ ... @@\n", Where()),
        ("@@ …\n", Where()),
        ("@@ class A\n", Where(scopes=("class A",))),
        ("@@class A\n", Where(scopes=("class A",))),
        ("@@ class A @@\n", Where(scopes=("class A",))),
        ("@@     def f(self):  \n", Where(scopes=("    def f(self):",))),
        ("@@ class A\r\n@@\n@@ def f\n", Where(scopes=("class A", "def f"))),
        ("@@ class A\n\n@@ def f\n", Where(scopes=("class A", "def f"))),
        ("@@ -3,4 +5,6 @@\n", Where(near=3)),
        ("@@ -3 +5 @@\n", Where(near=3)),
        ("@@ -3,4 +5,6 @@ def f\n", Where(near=3, scopes=("def f",))),
        ("@@ class A\n@@ -12,4 +5,6 @@\n", Where(near=12, scopes=("class A",))),
        ("@@ -0,0 +1,3 @@\n", Where()),
        ("@@ -x,4 +5,6 @@\n", Where(scopes=("-x,4 +5,6",))),
        ("@@ -٣,4 +5,6 @@\n", Where(scopes=("-٣,4 +5,6",))),
        ("@@ -" + "9" * 40 + " +5 @@\n", Where(scopes=("-" + "9" * 40 + " +5",))),
    ],
)
def test_what_the_lines_before_a_hunk_say(head: str, where: Where) -> None:
    """Lines with @@ are scopes, in order; numbers are where the hunk is near; a bare one says nothing."""
    assert read(head + "-a\n+b") == [Read(where, ["a"], ["b"], "closer")]


@pytest.mark.parametrize(
    ("body", "search", "replace"),
    [
        (" a", ["a"], ["a"]),
        ("-a", ["a"], []),
        ("+a", [], ["a"]),
        ("-\n+", [""], [""]),
        ("  a\n--a\n++a", [" a", "-a"], [" a", "+a"]),
        (" a\r\n-b\r\n+c\r\n", ["a", "b"], ["a", "c"]),
        (" @@ x\n-*** End of File\n+*** End Patch", ["@@ x", "*** End of File"], ["@@ x", "*** End Patch"]),
        ("-a\n\n-b\n+c", ["a", "", "b"], ["", "c"]),
        ("-a\n\r\n\n-b", ["a", "", "", "b"], ["", ""]),
        ("-a\n+b\n\n\n", ["a"], ["b"]),
        ("-a\n+b\n \n", ["a", ""], ["b", ""]),
        ("\n\n-a\n", ["a"], []),
        ("-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", ["a"], ["b"]),
        ("+x\n-a\n+y\n b\n+z", ["a", "b"], ["x", "y", "b", "z"]),
        ("-a\n+b", ["a"], ["b"]),
    ],
)
def test_the_lines_of_a_hunk(body: str, search: list[str], replace: list[str]) -> None:
    """Signs are taken off, an empty line inside is context, and empty lines before and after say nothing."""
    assert read(body) == [Read(Where(), search, replace, "closer")]
    assert strays(body) == []


def test_an_empty_line_after_a_scope_is_context() -> None:
    """Between @@ and the first line with a sign, an empty line is the first line of context."""
    assert read("@@ def f\n\n-a\n") == [Read(Where(scopes=("def f",)), ["", "a"], [""], "closer")]


@pytest.mark.parametrize("mark", ["*** End of File", "*** End of File \r"])
def test_the_end_of_the_file(mark: str) -> None:
    """The mark says, before the divider, that the hunk's place is at the end, and closes it."""
    assert events(f"@@ f\n+a\n{mark}\n-b\n") == [
        Opened(0, 1), Placing(Where(scopes=("f",))),
        Placing(Where(scopes=("f",), at_end=True)), Divided(3, ""), ReplaceLine("a", 2), Closed(3),
        Opened(1, 4), SearchLine("b", 4), Divided(4, ""), Closed(4),
        End(),
    ]  # fmt: skip
    assert read(f"{mark}\n-a") == [Read(Where(), ["a"], [], "closer")]


@pytest.mark.parametrize("line", ["prose", "\ta", "*** Update File: a", "```", "@", "\u00a0a", "*** End of File x"])
@pytest.mark.parametrize(("before", "blocks"), [("", 0), ("@@ f\n", 0), ("@@ f\n-a\n", 1), ("-a\n+b\n", 1)])
def test_a_malformed_hunk(line: str, before: str, blocks: int) -> None:
    """A line with no sign is said once, its hunk is never divided, and reading goes on at the next @@."""
    text = f"{before}{line}\n-x\nmore\n*** End of File\n+y\n@@\n-c\n+d\n"
    *broken, good = read(text)
    assert [(hunk.by, hunk.divided, hunk.replace) for hunk in broken] == [("closer", False, [])] * blocks
    assert good == Read(Where(), ["c"], ["d"], "closer")
    ((number, message),) = strays(text)
    assert number == before.count("\n") + 1
    assert message.startswith("a line of a hunk begins with a space, + or -, and ")


def test_a_message_holds_no_control_character() -> None:
    """What is shown of a malformed line is short and printable."""
    ((_, message),) = strays("\x1b[31m" + "x" * 10_000)
    assert message.isprintable()
    assert len(message) < 300


@pytest.mark.parametrize("text", ["@@", "@@ f\n", "-a\n@@\n", "@@ f\n*** End of File\n", "@@\n\n\n"])
def test_a_hunk_without_lines(text: str) -> None:
    """Lines with @@ that nothing follows are said to be a hunk without lines, unless the section is cut off."""
    assert [message for _, message in strays(text)] == ["a hunk has no lines"]
    if not text.startswith("@@ f\n*"):
        assert strays(text, "truncated") == []


@pytest.mark.parametrize("text", ["", "\n\n", "*** End of File\n", "\\ No newline at end of file"])
def test_a_section_without_hunks(text: str) -> None:
    """Where there is no hunk, nothing is said."""
    assert events(text) == [End()]


@pytest.mark.parametrize("reason", ["truncated", "cancelled"])
@pytest.mark.parametrize("rest", ["", "+b", "@@ f", "prose", "*** End of F"])
def test_a_section_that_is_cut(reason: Reason, rest: str) -> None:
    """The hunk that a cut section ends in is closed with the reason, and its unfinished line is not read."""
    text = f"-a\n+b\n@@\n-c\n+d\n{rest}"
    assert [(hunk.by, hunk.divided) for hunk in read(text, reason)] == [("closer", True), (reason, False)]
    assert strays(text, reason) == []
    assert events(text, reason)[-1] == End(reason)


def test_too_many_hunks() -> None:
    """A hunk beyond the limit ends the reading: it is said once, and nothing follows but the end."""
    given = events("@@\n-a\n" * (BLOCK_LIMIT + 2))
    assert names(given)[-3:] == ["Closed", "TooLarge", "End"]
    assert given[-2] == TooLarge(2 * BLOCK_LIMIT + 2, "the edit has more than 2,000 hunks.")


def test_too_many_malformed_hunks() -> None:
    """So does a malformed hunk beyond the limit."""
    given = events("@@\nprose\n" * (BLOCK_LIMIT + 2))
    assert names(given)[-3:] == ["Stray", "TooLarge", "End"]
    assert given[-2].message == "the edit has more than 2,000 malformed hunks."


def test_too_many_scopes() -> None:
    """A hunk with more scopes than the limit is malformed, however many more there are; with fewer it is not."""
    for more in (1, 2, 100):
        text = "@@ a\n" * (SCOPES_LIMIT + more) + "-b\n"
        assert strays(text) == [(SCOPES_LIMIT + more + 1, "a hunk has at most 50 lines with @@")]
        assert read(text) == []
    assert read("@@ a\n" * SCOPES_LIMIT + "-b\n") == [Read(Where(scopes=("a",) * SCOPES_LIMIT), ["b"], [], "closer")]


def test_a_section_that_is_too_large() -> None:
    """What the stage before could not take ends the reading; the open hunk is left as it is."""
    given = fed(Hunks(), [Line("-a", 1), TooLarge(2, "too long"), Line("+b", 3)])
    assert given == [Opened(0, 1), SearchLine("a", 1), TooLarge(2, "too long"), End()]


@given(sections, reasons)
def test_any_section_may_be_cut_anywhere(text: str, reason: Reason) -> None:
    """How a section is cut makes no difference, nor do peeks."""
    every_way(chain, text, reason)
    peeking_changes_nothing(Lines(), Hunks, text, reason)


@given(sections, reasons)
def test_what_is_given_is_well_formed(text: str, reason: Reason) -> None:
    """Hunks are numbered from 0 and opened, divided and closed in turn; only whole ones are divided."""
    count, is_open, is_divided = 0, False, False
    for event in events(text, reason):
        match event:
            case Opened(block=block):
                assert (block, is_open) == (count, False)
                count, is_open, is_divided = count + 1, True, False
            case Divided():
                assert is_open
                assert not is_divided
                is_divided = True
            case SearchLine() | Placing():
                assert is_open
                assert not is_divided
            case ReplaceLine():
                assert is_divided
            case Closed(by=by):
                assert is_open
                assert not (is_divided and by != "closer")
                is_open = False
            case _:
                pass
    assert not is_open


def test_a_long_hunk_costs_what_its_lines_do() -> None:
    """A hunk of many lines in small pieces costs no more for each line than a short one."""

    def seconds(lines: int) -> float:
        machine = chain()
        start = time.process_time()
        for _ in range(lines):
            for piece in ("+ab", "cd\n", " xy", "zw\n"):
                for _ in machine.feed(piece):
                    pass
        return (time.process_time() - start) / lines

    short = min(seconds(1_000) for _ in range(5))
    assert seconds(50_000) < 4 * short


def test_a_malformed_hunk_is_rejected_and_the_others_are_applied() -> None:
    """Behind the search stage, a malformed hunk changes nothing and is told, and the hunk after it is applied."""
    document = Document("a\nb\nc\n")
    stages = (LadderSearch(document, safe_ladder), OutOfOrder(safe_ladder), Snapshots(document, SAFE, apply_rest=True))
    last: Snapshot = fed(Chain([Lines(), Hunks(), *stages]), ["@@\n-a\nprose\n+x\n@@\n-c\n+C\n"])[-1]
    assert last.full_content == "a\nb\nC\n"
    assert [block.status for block in last.blocks] == ["rejected", "applied"]
    assert len(last.problems) == 2


def test_the_operator() -> None:
    """The operator gives what the machine gives."""
    items: list[Any] = [Line("@@ f", 1), Line("-a", 2), Unfinished((Line("+", 3),)), Line("+b", 3)]
    given = list[Any]()
    from_iterable(items).pipe(hunks()).subscribe(given.append, given.append)
    assert given == [
        Opened(0, 1), Placing(Where(scopes=("f",))), SearchLine("a", 2), NOTHING,
        Divided(3, ""), ReplaceLine("b", 3), Closed(3), End(),
    ]  # fmt: skip
