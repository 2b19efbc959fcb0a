"""Patches of OpenAI's ``apply_patch`` in text: what lines give, ends, faults, bounds, properties."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from patch_turns import PATCH, called, calls, ends, misread, said, sections
from reactivex import from_iterable
from turn_strategies import fed, is_beginning, joined, line, paths, pieces, reasons, sized, texts

from editstream.operators import End
from editstream.operators.events import Reason
from editstream.operators.formats.apply_patch import ApplyPatch, apply_patch
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall
from editstream.operators.formats.file_edits import EditBegan, EditEnded, EditText, FormatEvent, Kind, Misread, MovedTo
from editstream.operators.formats.patch_text import SECTION_LIMIT
from editstream.operators.formats.tool_calls import CALLS_LIMIT

LINES = (
    *PATCH.split("\n"), "*** Begin Patch  ", "*** Begin Patch x", "*** Update File:", "*** Update File: a\tb", "***",
    "*** Move to: c", "*** Update", "```", "```diff", "~~~", "-a", " a", "prose", "", "* a", "*** End Patch\r", "EOF",
)  # fmt: skip
HEADERS: dict[Kind, str] = {"hunks": "*** Update File:", "create": "*** Add File:", "delete": "*** Delete File:"}
turns = st.lists(st.sampled_from(LINES), max_size=14).map("\n".join)


# In text --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "before", ["", "Here it is:\n\n", "```\n", "apply_patch <<'EOF'\n", "*** End Patch\n* a\n**b**\n"]
)
@pytest.mark.parametrize("after", ["", "\n", " \t\r\n", "\n```\nDone.\n", "\nEOF\n", "\n@@\n+x\n"])
@pytest.mark.parametrize("reason", ["complete", "truncated", "cancelled"])
def test_a_patch_in_text(before: str, after: str, reason: Reason) -> None:
    """Each section of a patch is an edit; what stands around the patch says nothing, nor does the turn's end."""
    assert said(before + PATCH + after, reason) == sections()


def test_several_patches() -> None:
    """A turn may have several patches, and its edits are counted on."""
    assert said(f"{PATCH}\nand\n{PATCH}") == [*sections(), *sections(start=3)]


def test_line_ends_of_windows() -> None:
    """In CRLF the markers count as well, and the text keeps its line ends."""
    given = said(PATCH.replace("\n", "\r\n"))
    assert [event.text for event in given if isinstance(event, EditText)] == [
        "@@ class A\r\n x\r\n-y\r\n+z\r\n*** End of File\r\n", "one\r\n\r\ntwo\r\n",
    ]  # fmt: skip
    assert ends(given) == [("complete", False)] * 3


def test_text_streams() -> None:
    """Each character of an edit is given with its delta; only what may become a marker waits."""
    machine = ApplyPatch()
    for delta in texts(sized("*** Begin Patch\n*** Update File: a\n", 5)):
        machine.feed(delta)
    given = [
        [event.text for event in machine.feed(Text(char)) if isinstance(event, EditText)] for char in "@@\n-*\n***x"
    ]
    assert given == [["@"], ["@"], ["\n"], ["-"], ["*"], ["\n"], [], [], [], ["***x"]]


@pytest.mark.parametrize("header", ["*** Update File: a", "*** Add File: a", "*** Delete File: a"])
def test_a_patch_without_its_beginning(header: str) -> None:
    """The header of a section begins a patch as well."""
    (_, *_, ended) = given = said(f"Now:\n{header}\n*** End Patch\nDone")
    assert isinstance(given[0], EditBegan)
    assert ended == EditEnded(0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\n{}```\nDone.\n", "complete"),
        ("```\n{}```", "complete"),
        ("~~~diff\n{}~~~~  \nDone.\n", "complete"),
        ("````\n{}```\n", "truncated"),
        ("```a\n```\n{}```\n", "truncated"),
        ("{}```\n", "truncated"),
        ("```\n*** Begin Patch\n{}```\n", "truncated"),
    ],
)
def test_a_fence_ends_a_patch_without_its_beginning(text: str, expected: Reason) -> None:
    """A patch that has no beginning ends with the fence it stands in; elsewhere a fence is a line of the section."""
    given = said(text.format("*** Update File: a\n@@\n-a\n+b\n"))
    assert ends(given) == [(expected, False)]
    text = next(event.text for event in given if isinstance(event, EditText))
    assert (text == "@@\n-a\n+b\n") == (expected == "complete")


@pytest.mark.parametrize(("reason", "expected"), [("complete", "truncated"), ("truncated",) * 2, ("cancelled",) * 2])
@pytest.mark.parametrize("rest", ["", "\n", "\n*** End Pat", "\n*** E", "\n*** End Patch!\n"])
@pytest.mark.parametrize("body", ["Update File: b\n@@\n-a\n+b", "Add File: b\n+a", "Delete File: b\n"])
def test_a_patch_in_text_that_does_not_end(body: str, rest: str, reason: Reason, expected: Reason) -> None:
    """The section that a text ends in is never complete without the end of its patch; those before it are."""
    given = said(f"*** Begin Patch\n*** Update File: a\n@@\n-a\n*** {body}{rest}", reason)
    first, last = ends(given)
    assert first == ("complete", False)
    if rest.endswith("!\n") and "Update" not in body:
        assert last == ("complete", True)  # a line that is none of its own
    else:
        assert last == (expected, False)


@pytest.mark.parametrize("cut", ["", "\n", "\n\n", "\n***", "\n*** Update File: a", "\n*** Delete File: a"])
def test_a_patch_that_is_cut_off_before_its_first_section(cut: str) -> None:
    """A patch with no section, and a header without its line end, are said to be cut off; no path is taken."""
    given = misread(said(f"*** Begin Patch{cut}", "truncated"))
    assert given.reason == "truncated"
    assert misread(said(f"*** Begin Patch{cut}")).reason == "truncated"


def test_a_header_that_is_cut_off_ends_the_section_before() -> None:
    """The section before a cut header is whole."""
    first, text, ended, cut = said("*** Add File: a\n+a\n*** Delete File: impor", "cancelled")
    assert (first, text, ended) == (EditBegan(0, "a", "create"), EditText(0, "a\n"), EditEnded(0))
    assert isinstance(cut, Misread)
    assert cut.reason == "cancelled"


def test_a_move_alone() -> None:
    """A file may be renamed and nothing else."""
    given = said("*** Begin Patch\n*** Update File: a\n*** Move to:  b \n*** End Patch")
    assert given == [EditBegan(0, "a", "hunks"), MovedTo(0, "b"), EditEnded(0)]


def test_a_move_counts_only_after_the_header() -> None:
    """Anywhere else it is a line like any other, for the reader of hunks to refuse."""
    for body in ("@@\n*** Move to: b\n", "*** Begin\n*** Move to: b\n", "*** End of File\n*** Move to: b\n"):
        given = said(f"*** Update File: a\n{body}*** End Patch")
        assert given == [EditBegan(0, "a", "hunks"), EditText(0, body), EditEnded(0)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("+a\n", "a\n"), ("+a\n+\n++b\n", "a\n\n+b\n"), ("+a\n\n\n", "a\n"), ("\n+a", None), ("+a\n\n+b\n", None),
        ("a\n", None), ("+a\nb\n", None), (" a\n", None), ("@@\n+a\n", None), ("+a\n*** Move to: b\n", None),
        ("+a\n***\n", None), ("+a\n*** End of File\n", "a\n"), ("+*** End Patch\n", "*** End Patch\n"), ("", ""),
    ],
)  # fmt: skip
def test_an_added_file(body: str, expected: str | None) -> None:
    """Its text is its lines without +; any other line is a fault, but empty ones after them and an end-of-file mark."""
    given = said(f"*** Add File: a\n{body}*** Delete File: b\n*** End Patch")
    text = "".join(event.text for event in given if isinstance(event, EditText))
    if body == "\n+a":
        assert ends(given)[0] == ("complete", True)
    elif expected is not None:
        assert text == expected
    assert ends(given)[0] == ("complete", expected is None)
    if body != "\n+a":
        assert ends(given)[1:] == [("complete", False)]


@pytest.mark.parametrize(
    ("body", "is_fault"), [("", False), ("\n\n", False), ("-a\n-b\n", False), ("a\n", True), ("+a\n", True)]
)
def test_a_deleted_file(body: str, is_fault: bool) -> None:
    """Removed lines under the header of a deleted file are passed over, and any other is a fault."""
    given = said(f"*** Delete File: a\n{body}*** End Patch")
    assert not any(isinstance(event, EditText) for event in given)
    assert ends(given) == [("complete", is_fault)]


@pytest.mark.parametrize("path", ["", "  ", "a\tb", "a\x00b", "\x1b[2J", "a\x85b", "x" * 4_097, "x" * 100_000])
@pytest.mark.parametrize("header", ["*** Update File:", "*** Add File:", "*** Delete File:"])
def test_a_path_that_is_none(header: str, path: str) -> None:
    """A section whose path is missing, too long or has control characters is no edit, and the next one is."""
    first, *rest = said(f"{header} {path}\n+a\n*** Update File: b\n*** End Patch")
    assert misread([first]).reason == "complete"
    assert rest == [EditBegan(0, "b", "hunks"), EditEnded(0)]


def test_the_longest_path() -> None:
    """A path of 4,096 characters is one, with white space around it too."""
    path = "é" * 4_096
    assert said(f"*** Delete File:   {path}  \n*** End Patch")[0] == EditBegan(0, path, "delete")


def test_a_move_to_nowhere() -> None:
    """A file that is moved to no path is not to be trusted, and the rest of its section is not read."""
    began, ended = said("*** Update File: a\n*** Move to: \n-a\n+b\n*** End Patch")
    assert began == EditBegan(0, "a", "hunks")
    assert ends([ended]) == [("complete", True)]


@pytest.mark.parametrize("text", ["*** Begin Patch\n*** End Patch", "*** Begin Patch\n\n \n*** End Patch\n"])
def test_a_patch_without_sections(text: str) -> None:
    """A patch that holds nothing is said to be none."""
    assert "has no section" in misread(said(text)).message


def test_lines_before_the_first_section() -> None:
    """Lines of a patch that belong to no file are told once, and what follows is read."""
    first, *rest = said("*** Begin Patch\n*** Update a.py\n@@\n-a\n*** Delete File: b\n*** End Patch")
    assert "before its first section" in misread([first]).message
    assert rest == [EditBegan(0, "b", "delete"), EditEnded(0)]


@pytest.mark.parametrize(
    "text", ["", "prose\n", "*** End Patch\n", " *** Begin Patch\n", "*** End of File", "*** Move to: a"]
)
def test_prose_alone(text: str) -> None:
    """Text without a patch gives nothing."""
    assert said(text) == []


# Bounds and properties ------------------------------------------------------------------------------------------------


def test_too_many_sections() -> None:
    """The first section beyond the limit is told, and so is each later call; none of them is read."""
    many = "*** Delete File: a\n" * (SECTION_LIMIT + 3) + "*** End Patch\n"
    given = fed(ApplyPatch(), [*texts(sized(many, 10_000)), *calls({"input": PATCH})])
    assert sum(isinstance(event, EditBegan) for event in given) == SECTION_LIMIT
    told = [event for event in given if isinstance(event, Misread)]
    assert [event.call for event in told] == [None, "c0"]
    assert all("more than 2,000 sections" in event.message for event in told)
    assert sum(isinstance(event, EditEnded) for event in given) == SECTION_LIMIT


def test_too_many_calls() -> None:
    """Calls beyond the limit are told once, and not read."""
    deltas = [ToolCall(str(at), "bash") for at in range(CALLS_LIMIT)]
    given = fed(ApplyPatch(), [*deltas, *calls({"input": PATCH}, {"input": PATCH})])
    assert misread(given[:-1]).call == "c0"


@given(data=st.data(), text=turns, reason=reasons)
def test_any_split_gives_the_same(data: st.DataObject, text: str, reason: Reason) -> None:
    """Text cut anywhere gives the same edits, in a call as well, and nothing that was given is taken back."""
    whole = said(text, reason)
    cut = data.draw(pieces(text))
    assert joined(fed(ApplyPatch(), texts(cut), reason))[:-1] == whole
    arguments = json.dumps({"input": text})
    call: list[Delta] = [
        ToolCall("c", "apply_patch"),
        *(ToolArguments("c", piece) for piece in data.draw(pieces(arguments))),
    ]
    in_one_piece = [call[0], ToolArguments("c", arguments)]
    assert joined(fed(ApplyPatch(), call, reason)) == joined(fed(ApplyPatch(), in_one_piece, reason))
    machine, so_far = ApplyPatch(), list[FormatEvent]()
    for delta in texts(cut):
        so_far += machine.feed(delta)
        assert is_beginning(so_far, whole)


@given(text=turns, reason=reasons)
def test_each_edit_ends_once(text: str, reason: Reason) -> None:
    """Each edit begins and ends once, with its text between, and edits of one text do not overlap."""
    open_edit, count = None, 0
    for event in said(text, reason):
        if isinstance(event, EditBegan):
            assert (open_edit, event.edit) == (None, count)
            open_edit, count = event.edit, count + 1
        elif not isinstance(event, Misread):
            assert getattr(event, "edit", None) == open_edit
            open_edit = None if isinstance(event, EditEnded) else open_edit
    assert open_edit is None


@given(
    data=st.data(),
    files=st.lists(
        st.tuples(paths, st.sampled_from(list(HEADERS)), st.lists(line, max_size=4)), min_size=1, max_size=4
    ),
    moved=st.one_of(st.none(), paths),
)
@settings(max_examples=200)
def test_what_is_written_is_read(data: st.DataObject, files: list[Any], moved: str | None) -> None:
    """Random sections written as a patch come out as those sections, by text, by call, and by any cut."""
    written, expected = ["*** Begin Patch"], list[FormatEvent]()
    for at, (path, kind, lines) in enumerate(files):
        written.append(
            {"hunks": "*** Update File: ", "create": "*** Add File: ", "delete": "*** Delete File: "}[kind] + path
        )
        expected.append(EditBegan(at, path, kind))
        if kind == "hunks" and moved is not None:
            written.append(f"*** Move to: {moved}")
            expected.append(MovedTo(at, moved))
        if kind != "delete":
            own = ["+" + text for text in lines] if kind == "create" else ["@@ x", *("-" + text for text in lines)]
            text = "".join(text + "\n" for text in (lines if kind == "create" else own))
            written += own
            expected += [EditText(at, text)] if text else []
        expected.append(EditEnded(at))
    patch = "\n".join([*written, "*** End Patch"])
    assert joined(fed(ApplyPatch(), texts(data.draw(pieces(patch)))))[:-1] == expected
    given = called({"input": patch})
    assert [event for event in given if not isinstance(event, EditBegan)] == [
        event for event in expected if not isinstance(event, EditBegan)
    ]


@pytest.mark.parametrize("line", ["+abc\n", "*** \n", "```\n", "x", "*", "*** End Patch   ", "*** Update File: "])
@pytest.mark.parametrize("header", ["", "*** Update File: a\n", "*** Add File: a\n+"])
def test_a_character_costs_the_same_in_a_long_text(line: str, header: str) -> None:
    """Text in small pieces costs no more for each character the longer it gets."""

    def seconds(size: int) -> float:
        machine, deltas = ApplyPatch(), texts(sized(header + line * (size // len(line)), 4))
        start = time.process_time()
        fed(machine, deltas)
        return (time.process_time() - start) / size

    short = min(seconds(20_000) for _ in range(3))
    assert seconds(400_000) < 4 * short


def test_the_operator() -> None:
    """The operator gives what the machine gives."""
    given, failed = list[FormatEvent](), list[Exception]()
    deltas: list[Delta] = [*texts(sized(PATCH, 7)), End("truncated")]
    from_iterable(deltas).pipe(apply_patch()).subscribe(given.append, failed.append)
    assert joined(given) == [*sections(), End("truncated")]
    assert not failed
