"""Cline's XML tools: what is a tool and what is text, wherever a turn is cut and wherever it ends."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reactivex.testing import ReactiveTest, TestScheduler
from turn_strategies import (
    block_texts,
    fed,
    file_texts,
    is_beginning,
    joined,
    paths,
    pieces,
    reasons,
    sized,
    split,
    texts,
)

from editstream.operators import NOTHING, End
from editstream.operators.events import Reason
from editstream.operators.formats import cline_xml as module
from editstream.operators.formats.cline_xml import PATH_LIMIT, SPACE_LIMIT, TOOL_LIMIT, ClineXml, cline_xml
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.operators.formats.file_edits import EditBegan, EditEnded, EditText, FormatEvent, Kind, Misread

BLOCK = "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n"
WRITE = "<write_to_file><path>a</path><content>x</content></write_to_file>"
A_FILE: tuple[str, Kind, str] = ("a", "content", "x")


def read(text: str, reason: Reason = "complete") -> list[FormatEvent]:
    """What the machine gives for a text in one piece, after it was seen to give the same for every other cut."""
    whole = joined(fed(ClineXml(), [Text(text)], reason))
    for size in (1, 2, 3, 7):
        assert joined(fed(ClineXml(), texts(sized(text, size)), reason)) == whole
    return whole


def edit(number: int, path: str, kind: Kind, text: str, reason: Reason = "complete") -> list[FormatEvent]:
    """The events of an edit without faults."""
    return [EditBegan(number, path, kind), *([EditText(number, text)] if text else []), EditEnded(number, reason)]


def edits(*found: tuple[str, Kind, str]) -> list[FormatEvent]:
    """The events of a turn that is complete and has these edits."""
    return [*(event for number, one in enumerate(found) for event in edit(number, *one)), End()]


def content(text: str) -> str:
    """A write to the file ``a`` with this between its tags."""
    return f"<write_to_file>\n<path>a</path>\n<content>{text}</content>\n</write_to_file>"


TOOLS: dict[str, tuple[str, list[tuple[str, Kind, str]]]] = {
    "nothing": ("", []),
    "prose": ("a < b, </diff>, <path>a</path> and <content>", []),
    "a diff": (f"Now:\n<replace_in_file>\n<path>src/a.py</path>\n<diff>\n{BLOCK}</diff>\n</replace_in_file>\nDone.",
               [("src/a.py", "blocks", BLOCK)]),
    "Roo's name": (f"<apply_diff>\n<path>a</path>\n<diff>\n{BLOCK}</diff>\n</apply_diff>", [("a", "blocks", BLOCK)]),
    "a file": (content("\nx\n"), [("a", "content", "x\n")]),
    "the path last": (f"<replace_in_file><diff>\n{BLOCK}</diff><path>a</path></replace_in_file>",
                      [("a", "blocks", BLOCK)]),
    "lines counted": ("<write_to_file><path>a</path><content>x</content><line_count>1</line_count></write_to_file>",
                      [A_FILE]),
    "lines counted first": (WRITE.replace("<path>", "<line_count></path></line_count><path>"), [A_FILE]),
    "progress": (WRITE.replace("</content>", "</content>\n<task_progress>\n- [x] <path>\n</task_progress>"), [A_FILE]),
    "counted twice": (WRITE.replace("</path>", "</path><line_count>1</line_count><line_count>2</line_count>"),
                      [A_FILE]),
    "words between parameters": (WRITE.replace("<path>", "the < file <b><path>"), [A_FILE]),
    "a tool between parameters": (WRITE.replace("<path>", "<replace_in_file><diff_>\n<thinking><path>"), [A_FILE]),
    "two tools": (f"{WRITE}\n\n{WRITE}", [A_FILE, A_FILE]),
    "a tool right after another": (WRITE + WRITE, [A_FILE, A_FILE]),
    "a tool after another and a space": (f"{WRITE} \t{WRITE}", [A_FILE, A_FILE]),
    "indented": (f"1. First\r\n \t {WRITE}", [A_FILE]),
    "after blank lines": (f"\n\n  \n{WRITE}", [A_FILE]),
    "in a sentence": (f"Use {WRITE} for it.", []),
    "in a quotation": (f"> {WRITE}\n`{WRITE}`", []),
    "after a tool and a word": (f"{WRITE}, or {WRITE}", [A_FILE]),
    "after a close tag alone": (f"</write_to_file>{WRITE}", []),
    "another tool": (f"<read_file>\n<path>b</path>\n</read_file>\n{WRITE}", [A_FILE]),
    "a tag with attributes": (WRITE.replace("<write_to_file>", '<write_to_file path="a">'), []),
    "a tag in capitals": (WRITE.upper(), []),
    "a longer name": (WRITE.replace("write_to_file", "write_to_files"), []),
    "thinking": (f"<thinking>\n{WRITE}\n</thinking>\n{WRITE}", [A_FILE]),
    "a tool right after thinking": (f"<thinking>\n{WRITE}</thinkin</thinking>{WRITE}", [A_FILE]),
    "thinking without an end": (f"<thinking>\n{WRITE}\n", []),
    "thinking in a sentence": (f"No <thinking> here.\n{WRITE}", [A_FILE]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "found"), TOOLS.values(), ids=TOOLS)
def test_what_is_a_tool(text: str, found: list[tuple[str, Kind, str]]) -> None:
    """A tool counts at the beginning of a line or after another, its parameters in any order; all else is prose."""
    assert read(text) == edits(*found)


CONTENTS = {
    "empty": ("", ""),
    "a line end": ("\n", ""),
    "two line ends": ("\n\n", "\n"),
    "CRLF": ("\r\nx\r\n", "x\r\n"),
    "CR": ("\rx\r", "\rx\r"),
    "CR CRLF": ("\r\r\nx", "\r\r\nx"),
    "no line end": ("x", "x"),
    "a last line end": ("\nx\n", "x\n"),
    "only the first line end is the tag's": ("\n\n x\n\n", "\n x\n\n"),
    "a space before the line end": (" \nx", " \nx"),
    "its own tags": ("\n<content>\n</content>\nx</content>", "<content>\n</content>\nx</content>"),
    "its own tags in a row": ("a</content><content>b", "a</content><content>b"),
    "its close tag twice": ("</content>", "</content>"),
    "its close tag and white space": ("a</content> \r\n\t", "a</content> \r\n\t"),
    "a close tag that is cut": ("</conten</content</", "</conten</content</"),
    "a close tag in a close tag": ("</con</content>tent>", "</con</content>tent>"),
    "another parameter's tag": ("<path>b</path><line_count>", "<path>b</path><line_count>"),
    "almost another parameter's tag": ("</content><path_>", "</content><path_>"),
    "almost the tool's close tag": ("</content>\n</write_to_file", "</content>\n</write_to_file"),
    "the tool's close tag": ("</write_to_file>", "</write_to_file>"),
    "another tool's close tag": ("</content></replace_in_file>", "</content></replace_in_file>"),
    "another space": ("</content>\u00a0", "</content>\u00a0"),
    "a whole diff tool": (f"\n<replace_in_file><path>b</path><diff>{BLOCK}</diff></replace_in_file>\n",
                          f"<replace_in_file><path>b</path><diff>{BLOCK}</diff></replace_in_file>\n"),
    "thinking": ("<thinking>", "<thinking>"),
    "entities": ("&lt;a&gt;", "&lt;a&gt;"),
    "controls": ("\x00\x1b[31m\u2028", "\x00\x1b[31m\u2028"),
}  # fmt: skip


@pytest.mark.parametrize(("between", "text"), CONTENTS.values(), ids=CONTENTS)
def test_what_is_text(between: str, text: str) -> None:
    """All between the tags is text but the first line end, and a close tag that no tag of the tool follows."""
    assert read(content(between)) == edits(("a", "content", text))


def test_white_space_after_a_close_tag_has_a_bound() -> None:
    """A close tag counts with so much white space after it, and is text with more."""
    assert read(content("x")[: -len("</write_to_file>")] + "\n" * (SPACE_LIMIT - 1) + "</write_to_file>") == edits(
        A_FILE
    )
    held = "</content>" + " " * (SPACE_LIMIT + 1) + "</write_to_file>"
    assert read(content(held)) == edits(("a", "content", held))


def test_the_first_of_two_ends_counts() -> None:
    """A text with the very sequence that ends it ends there, and the rest is prose."""
    assert read(content("a</content>\n</write_to_file>\nb")) == edits(("a", "content", "a"))


PATHS = {
    "white space around": ("\r\n \ta b.py \n", "a b.py"),
    "entities": ("a&amp;b", "a&amp;b"),
    "tags": ("<path></pat>", "<path></pat>"),
    "an escape": ("\x1b[31m", "\x1b[31m"),
    "as long as may be": ("x" * PATH_LIMIT, "x" * PATH_LIMIT),
    "empty": ("", "is empty"),
    "white space": (" \n ", "is empty"),
    "a line end": ("a\nb", "line end or a NUL"),
    "a carriage return": ("a\rb", "line end or a NUL"),
    "a NUL": ("a\0", "line end or a NUL"),
    "too long": ("x" * (PATH_LIMIT + 1), "more than 4,096 characters"),
    "much too long": ("x" * 99_999, "more than 4,096 characters"),
}


@pytest.mark.parametrize(("written", "path"), PATHS.values(), ids=PATHS)
def test_what_is_a_path(written: str, path: str) -> None:
    """A path is taken as it is without white space around it; what could be none is a misread, once."""
    first, *rest = read(WRITE.replace(">a<", f">{written}<") + WRITE)
    if isinstance(first, Misread):
        assert path in first.message
        assert first.message.startswith("The <path> of <write_to_file> ")
        assert rest == edits(A_FILE)
    else:
        assert [first, *rest][:-4] == edit(0, path, "content", "x")


REFUSED = {
    "no path": (WRITE.replace("<path>a</path>", ""), "<write_to_file> is closed, but it has no <path>."),
    "no text": (WRITE.replace("<content>x</content>", ""), "<write_to_file> is closed, but it has no <content>."),
    "nothing": ("<replace_in_file>\n</replace_in_file>", "is closed, but it has no <path> and no <diff>."),
    "another tool's text": ("<replace_in_file><path>a</path><content>x</content></replace_in_file>", "has no <diff>."),
    "an unclosed path": ("<write_to_file><path>a<content>x</content></path></write_to_file>", "has no <content>."),
    "two paths": (WRITE.replace("<path>", "<path>b</path><path>"), "<write_to_file> has <path> twice."),
    "two texts before the path": (
        "<apply_diff><diff>x</diff><line_count></line_count><diff>y</diff><path>a</path></apply_diff>",
        "<apply_diff> has <diff> twice.",
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_a_tool_that_is_none(text: str, message: str) -> None:
    """A tool that lacks something or has it twice is a misread that says so and what to do; the next one is read."""
    misread, *rest = read(f"{text}\n{WRITE}")
    assert isinstance(misread, Misread)
    assert message in misread.message
    assert re.search(r" Send <\w+> again with one <path>, one <\w+> and their close tags\.$", misread.message)
    assert (misread.call, misread.reason) == (None, "complete")
    assert rest == edits(A_FILE)


@pytest.mark.parametrize(
    ("tag", "again"), [("<path>", "<path>b</path>"), ("<content>", "<line_count>1</line_count><content>y</content>")]
)
def test_an_edit_that_is_none(tag: str, again: str) -> None:
    """An edit whose path or text comes twice ends with a fault, once, and nothing of the second is given."""
    began, text, ended, *rest = read(WRITE.replace("</content>", f"</content>{again}{again}") + WRITE)
    assert [began, text] == edit(0, *A_FILE)[:2]
    assert isinstance(ended, EditEnded)
    assert str(ended.fault).startswith(f"<write_to_file> has {tag} twice. Send <write_to_file> again with one <path>, ")
    assert rest == [*edit(1, *A_FILE), End()]


CUT_OFF: dict[str, tuple[str, str | None]] = {
    "in the text": ("<write_to_file><path>a</path><content>x", None),
    "in the close tag": ("<write_to_file><path>a</path><content>x</conten", None),
    "in a tag that would have been text": ("<write_to_file><path>a</path><content>x</", None),
    "after a close tag that was text": ("<write_to_file><path>a</path><content></content>x", None),
    "before any text": ("<write_to_file><path>a</path><content>", None),
    "before a line end": ("<write_to_file><path>a</path><content>\r", None),
    "before its text": ("<write_to_file><path>a</path>", "it has no <content>."),
    "in its path": ("<write_to_file><path>a</pat", "it has no <path> and no <content>."),
    "before its path": ("<write_to_file>", "it has no <path> and no <content>."),
    "before its path, after its text": ("<write_to_file><content>x</content>", "it has no <path>."),
}


@pytest.mark.parametrize("reason", ["complete", "truncated", "cancelled"])
@pytest.mark.parametrize(("text", "message"), CUT_OFF.values(), ids=CUT_OFF)
def test_a_turn_that_ends_inside_a_tool(text: str, message: str | None, reason: Reason) -> None:
    """An edit whose text is cut off is never complete, whatever the turn says, nor is what has not begun."""
    *_, last, end = read(text, reason)
    cut = "truncated" if reason == "complete" else reason
    assert end == End(reason)
    if message is None:
        assert last == EditEnded(0, cut)
    else:
        assert isinstance(last, Misread)
        assert last.message.startswith(f"<write_to_file> is cut off: {message} Send ")
        assert last.reason == cut


def test_what_might_have_become_a_close_tag_is_dropped() -> None:
    """At the end of a turn, a held beginning of the awaited tag is no text."""
    assert read("<write_to_file><path>a</path><content>x</conten") == [*edit(0, *A_FILE, "truncated"), End()]
    assert read("<write_to_file><path>a</path><content>x</con ") == [
        *edit(0, "a", "content", "x</con ", "truncated"), End(),
    ]  # fmt: skip


@pytest.mark.parametrize("reason", ["complete", "truncated", "cancelled"])
@pytest.mark.parametrize("rest", ["", "\n", "\n</wri", "<line_count>3", "<line_count>3</line_count>", "\n<pat"])
def test_a_turn_that_ends_after_the_text(rest: str, reason: Reason) -> None:
    """An edit whose text was closed, and only its tool was not, ends with the turn's reason."""
    text = f"<write_to_file><path>a</path><content>x</content>{rest}"
    assert read(text, reason) == [*edit(0, *A_FILE, reason), End(reason)]


@pytest.mark.parametrize("text", ["<write_to_fil", "a\n  <", "<thinking>", "<thinking>\n</thin", "<writ_"])
@given(reasons)
def test_a_turn_that_ends_in_prose(text: str, reason: Reason) -> None:
    """The beginning of a tool's tag is prose where the turn ends, and so is thinking."""
    assert read(text, reason) == [End(reason)]


def test_a_refused_tool_that_is_cut_off_is_said_once() -> None:
    """What was refused before the turn ended inside it is not refused again."""
    assert len(read("<write_to_file><path></path><content>x")) == 2


def test_text_is_given_at_once() -> None:
    """Only the beginning of a tag that would count is held back, and a close tag until the next tag is known."""
    machine = ClineXml()

    def new(text: str) -> str:
        return "".join(event.text for event in machine.feed(Text(text)) if isinstance(event, EditText))

    assert new("<write_to_file><path>a</path><content>\n") == ""
    assert [new("a <"), new("b> </"), new("diff>"), new("</conten")] == ["a ", "<b> ", "</diff>", ""]
    assert [new("ts>"), new("</content>"), new("\n "), new("<pat")] == ["</contents>", "", "", ""]
    assert [new("h.")] == ["</content>\n <path."]
    assert [new("</content>\n</write_to_file>"), *machine.feed(Text("<"))] == [""]


def test_text_that_comes_before_its_path_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text waits for its path up to a bound, past which the tool is a misread and nothing of it is kept."""
    monkeypatch.setattr(module, "STREAM_LIMIT", 1_000)
    text = "<write_to_file><content>{}</content><path>a</path></write_to_file>"
    assert read(text.format("x" * 1_000)) == edits(("a", "content", "x" * 1_000))
    misread, *rest = read(text.format("x" * 1_001) + WRITE)
    assert isinstance(misread, Misread)
    assert "<write_to_file> has more than 1,000 characters before its <path>, which is too large." in misread.message
    assert rest == edits(A_FILE)


@given(st.text(st.sampled_from("a\ud83d\ude00é😀\0"), max_size=8), st.data())
def test_text_that_waits_is_kept_as_it_is(text: str, data: st.DataObject) -> None:
    """Text that waits for its path comes out as it came, half surrogate pairs that a cut has parted among it."""
    turn = f"<write_to_file><content>{text}</content><path>a</path></write_to_file>"
    assert joined(fed(ClineXml(), texts(data.draw(pieces(turn))))) == edits(("a", "content", text))


def test_tools_have_a_bound() -> None:
    """Past so many tools of a turn, whatever became of them, nothing is read, which is said once."""
    most = WRITE * (TOOL_LIMIT - 1) + WRITE.replace("<path>a</path>", "")
    assert sum(isinstance(event, EditEnded) for event in fed(ClineXml(), [Text(most)])) == TOOL_LIMIT - 1
    *_, lacking, too_many, end = fed(ClineXml(), texts([most, WRITE, "\n", WRITE]))
    assert isinstance(lacking, Misread)
    assert "has no <path>" in lacking.message
    assert isinstance(too_many, Misread)
    assert "more than 2,000 edits" in too_many.message
    assert end == End()


def test_tool_calls_are_passed_over() -> None:
    """Deltas of tool calls give nothing, also in the middle of a tag."""
    call: list[Delta] = [ToolCall("1", "edit"), ToolArguments("1", WRITE), ToolDone("1")]
    assert fed(ClineXml(), [Text(WRITE[:5]), *call, Text(WRITE[5:]), *call]) == edits(A_FILE)


# Properties ----------------------------------------------------------------------------------------------------------

TAGS = ("<write_to_file>", "</write_to_file>", "<replace_in_file>", "</replace_in_file>", "<path>", "</path>", "<diff>",
        "</diff>", "<content>", "</content>", "<line_count>", "</line_count>", "<thinking>", "</thinking>",
        "<apply_diff>", "</apply_diff>", "<task_progress>", "</task_progress>")  # fmt: skip
# Whole tools among the tags, so that what is read has edits too.
soups = st.lists(
    st.one_of(
        st.sampled_from(TAGS),
        st.sampled_from(
            (WRITE, "<write_to_file><path>a</path><content>", "</content></write_to_file>", "\n", "\n", " ")
        ),
        st.sampled_from(TAGS).flatmap(lambda tag: st.integers(1, len(tag)).map(lambda size: tag[:size])),
        st.text("a<>/\r\n\0", max_size=4),
    ),
    max_size=20,
).map("".join)


@given(soups, st.data(), reasons)
@settings(max_examples=300)
def test_any_cut_gives_the_same(text: str, data: st.DataObject, reason: Reason) -> None:
    """Whatever tags come in whatever order, however cut, each edit begins and ends once, and cuts change nothing."""
    whole = joined(fed(ClineXml(), [Text(text)], reason))
    assert joined(fed(ClineXml(), texts(data.draw(pieces(text))), reason)) == whole
    began = [event.edit for event in whole if isinstance(event, EditBegan)]
    assert began == [event.edit for event in whole if isinstance(event, EditEnded)] == [*range(len(began))]
    assert whole[-1] == End(reason)


@given(soups)
def test_what_was_given_stays(text: str) -> None:
    """What is given for a beginning of a turn is the beginning of what is given for all of it."""
    whole = fed(ClineXml(), [Text(text)])
    for end in range(len(text)):
        assert is_beginning(fed(ClineXml(), [Text(text[:end])], None), whole)


NEXT = r"\s*(?:<path>|<line_count>|<task_progress>|</{tool}>)"


def hides(name: str, tool: str, text: str) -> bool:
    """Whether a text has the sequence that ends it."""
    return re.search(f"</{name}>{NEXT.format(tool=tool)}", f"{text}</{name}>\n") is not None


@st.composite
def tools(draw: st.DrawFn) -> tuple[str, tuple[str, Kind, str]]:
    """A tool as a model may write it, and the edit that it is."""
    tool = draw(st.sampled_from(("replace_in_file", "write_to_file", "apply_diff")))
    kind: Kind = "content" if tool == "write_to_file" else "blocks"
    name = "content" if tool == "write_to_file" else "diff"
    text = draw(
        (file_texts() if tool == "write_to_file" else block_texts()).filter(lambda it: not hides(name, tool, it))
    )
    path, space = draw(paths), draw(st.sampled_from(("", "\n", "\n", "\r\n  ")))
    first = (
        "" if text and text[0] not in "\r\n" and draw(st.booleans()) else draw(st.sampled_from(("\n", "\n", "\r\n")))
    )
    parameters = [f"<path>{space}{path}{space}</path>", f"<{name}>{first}{text}</{name}>"]
    parameters += draw(
        st.lists(st.sampled_from(("<line_count>7</line_count>", "<task_progress>\n- a\n</task_progress>")))
    )
    written = space.join([f"<{tool}>", *draw(st.permutations(parameters)), f"</{tool}>"])
    return written, (path, kind, text)


prose = st.one_of(
    st.sampled_from(
        ("", "\n", " ", "Now the next:\n", "<read_file>\n<path>a</path>\n</read_file>\n", "a </diff>\n\n\t")
    ),
    st.just(f"I call <write_to_file> now.\n<thinking>\n{WRITE}\n</thinking>\n"),
)


@given(st.lists(st.tuples(prose, tools()), max_size=4), prose, st.data())
@example([("", (WRITE, A_FILE)), ("", (WRITE, A_FILE))], "", None)
def test_edits_come_out_as_they_were_written(
    written: list[tuple[str, tuple[str, tuple[str, Kind, str]]]], last: str, data: st.DataObject | None
) -> None:
    """Random edits, written as Cline's tools with prose around them and cut anywhere, come out as those edits."""
    text = "".join(between + tool for between, (tool, _) in written) + last
    cut = data.draw(pieces(text)) if data else [text]
    assert joined(fed(ClineXml(), texts(cut))) == edits(*(found for _, (_, found) in written))


@given(tools(), st.data())
def test_a_beginning_of_a_tool_is_never_complete(made: tuple[str, tuple[str, Kind, str]], data: st.DataObject) -> None:
    """Wherever a tool is cut, its edit is complete only with all of its text, and what has come of it is in it."""
    text, (_, _, whole) = made
    beginning, _ = split(text, [data.draw(st.integers(0, len(text)))])
    events = joined(fed(ClineXml(), [Text(beginning)]))
    given_text = "".join(event.text for event in events if isinstance(event, EditText))
    assert whole.startswith(given_text)
    if EditEnded(0) in events:
        assert given_text == whole


def test_a_peek_at_cline_xml_passes_on() -> None:
    """All that the machine gives is final, so that a peek adds nothing."""
    assert ClineXml().peek(NOTHING) is NOTHING


def test_marbles_of_cline_xml() -> None:
    """The operator gives edits as they come, and an error of the source after the end of the edit that was open."""
    on_next, on_error = ReactiveTest.on_next, ReactiveTest.on_error
    failure = ConnectionError("dropped")
    scheduler = TestScheduler()
    sent: list[Any] = [
        on_next(210, Text("<write_to_file><path>a</path>")),
        on_next(220, Text("<content>b</cont")),
        on_error(230, failure),
    ]
    messages = scheduler.start(lambda: scheduler.create_hot_observable(*sent).pipe(cline_xml())).messages
    assert messages == [
        on_next(220, EditBegan(0, "a", "content")),
        on_next(220, EditText(0, "b")),
        on_next(230, EditEnded(0, "truncated")),
        on_error(230, failure),
    ]
