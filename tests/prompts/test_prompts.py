"""The instructions agree with the readers: what their examples answer is read and applied as they say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

import pytest

from editstream.edits.file_edit import EditOptions, FileEdit
from editstream.operators import Machine
from editstream.operators.formats.apply_patch import ApplyPatch
from editstream.operators.formats.bare_diff import BareDiff
from editstream.operators.formats.cline_xml import ClineXml
from editstream.operators.formats.deltas import Delta, Text, ToolArguments, ToolCall, ToolDone
from editstream.operators.formats.file_edits import Asked, EditBegan, EditEnded, FormatEvent, Misread, MovedTo
from editstream.operators.formats.markdown import Markdown
from editstream.operators.formats.tool_calls import ToolCalls
from editstream.prompts import FormatName, prompt, tools
from editstream.prompts.examples import EXAMPLES, Call, Example

FORMATS = get_args(FormatName)
CASES = [pytest.param(f, example, id=f"{f}-{at}") for f in FORMATS for at, example in enumerate(EXAMPLES[f])]
PROSE = ("I change this now.\n\n", "\nThat is all.\n")
SIZES = (1, 7, 1_000_000)


def machine(format_: FormatName, example: Example) -> Machine[Delta, FormatEvent]:
    match format_:
        case "cline":
            return ClineXml()
        case "markdown":
            return Markdown()
        case "patch":
            return ApplyPatch()
        case "diff":
            (path,) = example.after
            return BareDiff(path)
        case "tools" | "text_editor":
            return ToolCalls()


def pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def called(call: Call, id_: str, size: int) -> Iterator[Delta]:
    yield ToolCall(id_, call.tool)
    yield from (ToolArguments(id_, piece) for piece in pieces(json.dumps(call.arguments), size))
    yield ToolDone(id_)


def deltas(turn: str | tuple[Call, ...], size: int) -> list[Delta]:
    if isinstance(turn, str):
        return [Text(piece) for piece in pieces(turn, size)]
    return [delta for at, call in enumerate(turn) for delta in called(call, f"call_{at}", size)]


def applied(read: Machine[Delta, FormatEvent], turn: Iterable[Delta], files: Mapping[str, str]) -> dict[str, str]:
    """The files after a turn in which nothing is rejected or misread."""
    files = dict(files)
    paths, edits, gone = dict[int, str](), dict[int, FileEdit](), set[int]()
    for event in [*(event for delta in turn for event in read.feed(delta)), *read.close("complete")]:
        match event:
            case EditBegan(edit=edit, path=path, kind=kind):
                assert (path in files) or kind in ("blocks", "content", "create")
                assert not (path in files and kind == "create")
                paths[edit], edits[edit] = path, FileEdit(files.get(path, ""), kind, EditOptions(on_reject="abort"))
                gone |= {edit} if kind == "delete" else set()
            case MovedTo(edit=edit, path=path):
                del files[paths[edit]]
                paths[edit] = path
            case EditEnded(edit=edit, reason=reason, fault=fault):
                last = edits[edit].close(reason)
                assert (reason, fault, last.problems) == ("complete", None, ())
                files[paths[edit]] = last.new_content
                if edit in gone:
                    del files[paths[edit]]
            case Misread() | Asked():
                pytest.fail(f"not an edit: {event}")
            case _ if hasattr(event, "edit"):
                edits[event.edit].feed(event)
            case _:
                pass
    return files


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("format_", "example"), CASES)
def test_each_example_does_what_it_says(format_: FormatName, example: Example, size: int) -> None:
    """Each example, in pieces of any size, turns its files before into its files after, and nothing is rejected."""
    assert applied(machine(format_, example), deltas(example.turn, size), example.before) == example.after


@pytest.mark.parametrize(("format_", "example"), [case for case in CASES if case.values[0] in ("cline", "markdown")])
def test_prose_around_an_example_changes_nothing(format_: FormatName, example: Example) -> None:
    """Where the instructions allow text before and after the edits, it does no harm."""
    assert isinstance(example.turn, str)
    turn = deltas(example.turn.join(PROSE), 7)
    assert applied(machine(format_, example), turn, example.before) == example.after


@pytest.mark.parametrize("format_", [name for name in FORMATS if name != "diff"])
def test_an_answer_may_hold_several_examples(format_: FormatName) -> None:
    """Where a turn may edit several files, examples of different files one after the other are all applied."""
    chosen: list[Example] = []
    for example in EXAMPLES[format_]:
        used = {path for other in chosen for path in (*other.before, *other.after)}
        if used.isdisjoint((*example.before, *example.after)):
            chosen.append(example)
    assert len(chosen) > 1
    turn = [delta for at, example in enumerate(chosen) for delta in named(deltas(example.turn, 7), at)]
    before = {path: text for example in chosen for path, text in example.before.items()}
    after = {path: text for example in chosen for path, text in example.after.items()}
    assert applied(machine(format_, chosen[0]), turn, before) == after


def named(turn: list[Delta], at: int) -> Iterator[Delta]:
    """The same deltas with ids of their own."""
    for delta in turn:
        match delta:
            case ToolCall(id=id_, name=name):
                yield ToolCall(f"{at}.{id_}", name)
            case ToolArguments(id=id_, text=text):
                yield ToolArguments(f"{at}.{id_}", text)
            case ToolDone(id=id_):
                yield ToolDone(f"{at}.{id_}")
            case _:
                yield delta


@pytest.mark.parametrize("is_json", [True, False])
@pytest.mark.parametrize("example", EXAMPLES["patch"], ids=lambda example: example.task[:20])
def test_a_patch_may_be_the_input_of_a_tool(example: Example, *, is_json: bool) -> None:
    """A patch does the same as the input of the tool that ``tools`` gives, and as that of a custom tool."""
    assert isinstance(example.turn, str)
    (tool,) = tools("patch", "anthropic")
    (field,) = tool["input_schema"]["properties"]
    text = json.dumps({field: example.turn}) if is_json else example.turn
    call = [ToolCall("c", tool["name"], is_json), *(ToolArguments("c", p) for p in pieces(text, 7)), ToolDone("c")]
    assert applied(ApplyPatch(), call, example.before) == example.after


@pytest.mark.parametrize(("format_", "example"), CASES)
def test_the_instructions_show_the_examples(format_: FormatName, example: Example) -> None:
    """Each example is in its format's instructions whole; calls are shown as the tool's name and JSON."""
    assert example.task in prompt(format_)
    assert example.shown in prompt(format_)
    if not isinstance(example.turn, str):
        shown = [re.fullmatch(r"(\w+)\n(\{.*\})\n", part, re.DOTALL) for part in example.shown.split("\n\n")]
        assert [(m[1], json.loads(m[2])) for m in shown if m] == [(c.tool, c.arguments) for c in example.turn]


@pytest.mark.parametrize("format_", FORMATS)
def test_the_instructions_are_short_text(format_: FormatName) -> None:
    """Instructions are at most 70 lines of at most 120 characters in ASCII, without a placeholder, and end once."""
    text = prompt(format_)
    assert text.isascii()
    assert len(text.splitlines()) <= 70
    assert max(map(len, text.splitlines())) <= 120
    assert re.search(r"\{(?:blocks|again|no_delete|examples)\}", text) is None
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@pytest.mark.parametrize("format_", ["tools", "text_editor", "patch"])
def test_the_instructions_name_the_tools_and_their_fields(format_: FormatName) -> None:
    """What the instructions say of tools is what the schemas have: each tool, each field and each command."""
    text = prompt(format_)
    for tool in tools(format_, "pydantic-ai"):
        fields = tool["parameters_json_schema"]["properties"]
        names = [tool["name"], *fields, *fields.get("edits", {}).get("items", {}).get("properties", ())]
        assert [name for name in (*names, *fields.get("command", {}).get("enum", ())) if name not in text] == []


@pytest.mark.parametrize("format_", FORMATS)
def test_the_instructions_say_what_every_format_needs(format_: FormatName) -> None:
    """Each format says that text is found exactly and once, how a file is made, and what is done about a rejection."""
    text = prompt(format_)
    for said in ("character by character", "once", "new", "rejected comes back", "do not send it again"):
        assert said in text


def test_an_unknown_format_is_refused() -> None:
    """A format that does not exist is a ValueError that names those that do."""
    with pytest.raises(ValueError, match="unknown format 'xml': use one of cline, tools, text_editor"):
        prompt("xml")  # type: ignore[arg-type]
