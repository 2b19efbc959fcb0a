"""`editstream session` with pipes: every format, events of SDKs as JSON Lines, turns cut anywhere, exit codes, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from editstream.cli.session import SDKS
from editstream.prompts.examples import EXAMPLES, Call, Example
from editstream.session import Answer, read_session, replay_session
from editstream.sources import TRANSLATORS

PIECE = 7
TEXT_FORMATS = ("cline", "patch", "markdown", "diff")
CALL_FORMATS = ("tools", "text_editor")
EDIT = Call("edit_file", {"path": "greet.py", "old_string": '"Hello, " + name', "new_string": 'f"Hello, {name}!"'})
LOST = Call("edit_file", {"path": "greet.py", "old_string": "no such text", "new_string": "x"})
TOOLS = ("session", "--format", "tools", "--yes")


def anthropic(calls: tuple[Call, ...], finish: Mapping[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    """The events of a turn of Anthropic Messages."""
    yield {"type": "message_start", "message": {"id": "msg_1", "content": []}}
    for index, call in enumerate(calls):
        block: dict[str, Any] = {"type": "tool_use", "id": f"call_{index}", "name": call.tool, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for piece in pieces(json.dumps(call.arguments)):
            delta = {"type": "input_json_delta", "partial_json": piece}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {**(finish or {"type": "message_delta", "delta": {"stop_reason": "tool_use"}})}


def openai(calls: tuple[Call, ...]) -> Iterator[dict[str, Any]]:
    """The chunks of a turn of OpenAI's Chat Completions."""
    for index, call in enumerate(calls):
        begun = {"index": index, "id": f"call_{index}", "function": {"name": call.tool, "arguments": ""}}
        yield {"choices": [{"index": 0, "delta": {"tool_calls": [begun]}, "finish_reason": None}]}
        for piece in pieces(json.dumps(call.arguments)):
            delta = {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            yield {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    yield {"choices": [], "usage": {"total_tokens": 18}}


def pieces(text: str) -> Iterator[str]:
    return (text[at : at + PIECE] for at in range(0, len(text), PIECE))


def lines(events: Iterator[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(event)}\n" for event in events)


def lay_out(place: Any, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (place.folder / name).parent.mkdir(exist_ok=True)
        (place.folder / name).write_text(text)


def on_disk(place: Any, names: Mapping[str, str]) -> dict[str, str]:
    return {name: (place.folder / name).read_text() for name in names}


def numbered(format_: str) -> list[Any]:
    return [pytest.param(format_, example, id=f"{format_}-{n}") for n, example in enumerate(EXAMPLES[format_])]  # type: ignore[index]


@pytest.mark.parametrize(("format_", "example"), [case for name in TEXT_FORMATS for case in numbered(name)])
def test_each_example_of_a_text_format_is_done(place: Any, format_: str, example: Example) -> None:
    """A text that the instructions of a format show makes the files that they promise, and ends with 0."""
    lay_out(place, example.before)
    path = ("--path", next(iter(example.after))) if format_ == "diff" else ()
    done = place.run("session", "--format", format_, "--yes", *path, stdin=str(example.turn))
    assert (done.returncode, on_disk(place, example.after)) == (0, example.after)
    assert done.stdout.endswith("\n\nNothing is left to repair.\n")
    assert all(f"\n{name}: " in f"\n{done.stderr}" for name in example.before)


@pytest.mark.parametrize(("sdk", "events"), [("anthropic", anthropic), ("openai", openai)])
@pytest.mark.parametrize(("format_", "example"), [case for name in CALL_FORMATS for case in numbered(name)])
def test_each_example_of_a_tool_format_is_done(
    place: Any, format_: str, example: Example, sdk: str, events: Any
) -> None:
    """Calls that come as an SDK's events, one as JSON on each line, make the files that the instructions promise."""
    lay_out(place, example.before)
    assert isinstance(example.turn, tuple)
    done = place.run("session", "--format", format_, "--sdk", sdk, "--yes", stdin=lines(events(example.turn)))
    assert (done.returncode, on_disk(place, example.after)) == (0, example.after)
    assert done.stdout.endswith("\n\nNothing is left to repair.\n")


def test_text_may_be_cut_inside_a_character(place: Any) -> None:
    """A turn that comes byte by byte, after a byte order mark, is the same turn."""
    process = place.start("session", "--format", "diff", "--path", "new.txt", "--yes")
    for byte in "\ufeff------- SEARCH\n=======\nñ → 😀\n+++++++ REPLACE\n".encode():
        process.stdin.write(bytes([byte]))
        process.stdin.flush()
    process.stdin.close()
    process.stdin = None
    process.communicate()
    assert (process.returncode, (place.folder / "new.txt").read_text()) == (0, "ñ → 😀\n")


def test_the_edit_is_followed_while_it_streams(place: Any) -> None:
    """Where standard error is a pipe, a line about each block comes as soon as there is something to say of it."""
    process = place.start("session", "--format", "diff", "--path", "greet.py", "--yes")
    process.stdin.write(place.edit[:60].encode())
    process.stdin.flush()
    assert process.stderr.readline() == b"greet.py: block 1: located at line 2 (exact)\n"
    assert place.file.read_text() == place.greeting
    out, _ = process.communicate(place.edit[60:].encode())
    assert (process.returncode, place.file.read_text()) == (0, place.edited)
    assert out == b"greet.py: changed.\n\nNothing is left to repair.\n"


def test_the_answer_says_what_to_repair(place: Any) -> None:
    """Of a good and a bad call the good one is done; the answer asks for the bad one, and the code is 1."""
    done = place.run(*TOOLS, "--sdk", "anthropic", stdin=lines(anthropic((EDIT, LOST))))
    assert (done.returncode, place.file.read_text()) == (1, place.edited)
    assert done.stdout.startswith("greet.py: changed.\n\ngreet.py: nothing was applied.\n\nEdit 1 was not applied:")


def test_the_answer_as_json(place: Any) -> None:
    """With --json the answer is one line: why the turn ended, the text, a result for each call, each outcome."""
    done = place.run(*TOOLS, "--sdk", "openai", "--json", stdin=lines(openai((EDIT, LOST))))
    answer = json.loads(done.stdout)
    assert (done.returncode, done.stdout.count("\n"), done.stdout.isascii()) == (1, 1, True)
    fields = {"reason", "text", "results", "outcomes", "mistakes", "limit_reached", "remarks", "needs_repair"}
    assert set(answer) == fields
    assert (answer["reason"], answer["mistakes"], answer["limit_reached"], answer["needs_repair"]) == (
        "complete", 1, False, True,
    )  # fmt: skip
    assert [(each["call"], each["tool"], each["is_error"]) for each in answer["results"]] == [
        ("call_0", "edit_file", False),
        ("call_1", "edit_file", True),
    ]
    assert answer["text"] == "\n\n".join(each["text"] for each in answer["results"])
    assert [(each["fate"], each["path"]) for each in answer["outcomes"]] == [
        ("written", "greet.py"),
        ("rejected", "greet.py"),
    ]
    assert [(each["kind"], each["path"]) for each in answer["outcomes"][0]["writes"]] == [("modified", "greet.py")]
    assert answer["outcomes"][1]["problems"][0]["kind"] == "not_found"


@pytest.mark.parametrize(
    "finish",
    [
        {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        {"type": "ping"},
    ],
    ids=["limit", "error", "none"],
)
def test_a_turn_that_is_not_whole_is_no_success(place: Any, finish: dict[str, Any]) -> None:
    """A token limit, an error of the SDK, or events that just end: what was whole is done, and the code is 1."""
    done = place.run(*TOOLS, "--sdk", "anthropic", "--json", stdin=lines(anthropic((EDIT,), finish)))
    assert (done.returncode, place.file.read_text()) == (1, place.edited)
    assert json.loads(done.stdout)["reason"] == "truncated"
    assert done.stderr.rpartition("editstream: ")[2].startswith("the turn was cut off")


def test_events_may_stop_anywhere(place: Any) -> None:
    """Whatever byte the events end at, the file is as it was or as it was to be, and never is that a success."""
    text = lines(anthropic((EDIT,)))
    for cut in (1, 40, len(text) // 3, len(text) // 2, len(text) - 100, len(text) - 3):
        place.file.write_text(place.greeting)
        done = place.run(*TOOLS, "--sdk", "anthropic", stdin=text[:cut])
        assert done.returncode == (2 if "\n" not in text[:cut] else 1)
        assert place.file.read_text() in {place.greeting, place.edited}
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("sdk", "line", "why"),
    [
        ("anthropic", "no json", "it is no JSON"),
        ("anthropic", "data: {}", "it is no JSON"),
        ("anthropic", "[" * 100_000, "recursion"),
        ("anthropic", '{"choices": []}', "without 'type'"),
        ("openai", '{"type": "ping"}', "without 'choices'"),
        ("openai", "3", "without 'choices'"),
        ("anthropic", '{"type": "content_block_stop", "index": []}', "unhashable"),
    ],
)
def test_a_line_that_is_no_event_is_named(place: Any, sdk: str, line: str, why: str) -> None:
    """A line that is no JSON, or of another SDK, ends the command with 2; what was done before is said."""
    begun = lines({"anthropic": anthropic, "openai": openai}[sdk]((EDIT, LOST)))
    done = place.run(*TOOLS, "--sdk", sdk, stdin=f"{begun}{line}\n")
    assert (done.returncode, place.file.read_text(), done.stdout) == (2, place.edited, "")
    assert f"line {begun.count(chr(10)) + 1} of standard input is no event of this SDK" in done.stderr
    assert why in done.stderr
    assert "greet.py: changed.\n" in done.stderr


def test_what_breaks_off_is_an_object_too(place: Any) -> None:
    """With --json a turn that cannot be read to its end is answered as JSON: what was done, and what went wrong."""
    done = place.run(*TOOLS, "--sdk", "anthropic", "--json", stdin=f"{lines(anthropic((EDIT, LOST)))}no json\n")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["reason"]) == (2, "usage")
    assert [each["fate"] for each in answer["outcomes"]] == ["written", "cancelled"]
    assert "is no event of this SDK" in answer["message"]


def test_a_turn_is_recorded(place: Any) -> None:
    """With --record the session is kept: its deltas make a turn again, and replayed it gives the same answer."""
    done = place.run(*TOOLS, "--sdk", "openai", "--record", "s.jsonl", stdin=lines(openai((EDIT, LOST))))
    replay = replay_session(read_session(place.folder / "s.jsonl"))
    assert sum(isinstance(item, Answer) for item in replay) == 1
    assert ([f"{answer.text}\n" for answer in replay.answers], list(replay.differences)) == ([done.stdout], [])
    place.file.write_text(place.greeting)
    again = place.run(*TOOLS, "--sdk", "recording", stdin=(place.folder / "s.jsonl").read_text())
    assert (again.returncode, again.stdout, place.file.read_text()) == (1, done.stdout, place.edited)


def test_a_turn_that_was_cancelled_is_not_all_done(place: Any) -> None:
    """A recorded turn that was cancelled after its edit ends with 1, though the edit is written, and says so."""
    place.run(*TOOLS, "--sdk", "openai", "--record", "s.jsonl", stdin=lines(openai((EDIT,))))
    place.file.write_text(place.greeting)
    recording = (place.folder / "s.jsonl").read_text().replace('"reason": "complete"', '"reason": "cancelled"')
    done = place.run(*TOOLS, "--sdk", "recording", stdin=recording)
    assert (done.returncode, place.file.read_text()) == (1, place.edited)
    assert "the turn was cancelled before its end" in done.stderr


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((), "Missing option '--format'"),
        (("--format", "xml"), "'xml' is not one of 'cline', 'tools'"),
        (("--format", "markdown", "--sdk", "mistral"), "'mistral' is not one of 'text', "),
        (("--format", "markdown"), "there is no terminal to ask on; pass --yes to write"),
        (("--format", "tools", "--yes"), "--format tools reads tool calls, and plain text holds none; give --sdk"),
        (("--format", "diff", "--yes"), "--path names the one file of --format diff"),
        (("--format", "markdown", "--path", "a.py", "--yes"), "--path names the one file of --format diff"),
    ],
)
def test_what_cannot_be_meant_is_refused(place: Any, args: tuple[str, ...], says: str) -> None:
    """Options that do not go together, and nobody to ask, are a usage error before anything is read."""
    done = place.run("session", *args, stdin=place.edit)
    assert (done.returncode, done.stdout, place.file.read_text()) == (2, "", place.greeting)
    assert says in done.stderr


@pytest.mark.parametrize(("path", "code"), [("../greet.py", 3), (".git/config", 3), ("kept.py", 3), ("{}/greet.py", 0)])
def test_the_path_of_a_bare_diff(place: Any, path: str, code: int) -> None:
    """--path may be absolute below the root; out of it, in .git, or kept from models it is refused with 3."""
    (place.folder / ".cursorignore").write_text("kept.py\n")
    path = path.format(place.folder)
    done = place.run("session", "--format", "diff", "--path", path, "--yes", stdin=place.edit)
    assert (done.returncode, place.file.read_text() == place.edited) == (code, not code)


def test_paths_that_a_model_may_not_touch(place: Any) -> None:
    """A path out of the root, or one that an ignore file keeps from models, is refused in the answer; the code is 1."""
    (place.folder / ".clineignore").write_text("*.env\n")
    (place.folder / "a.env").write_text("KEY=1\n")
    calls = tuple(Call("write_file", {"path": path, "content": "x"}) for path in ("a.env", "../b.txt", "\x1b[2Jc"))
    done = place.run(*TOOLS, "--sdk", "anthropic", stdin=lines(anthropic(calls)))
    assert (done.returncode, (place.folder / "a.env").read_text()) == (1, "KEY=1\n")
    for path in ("a.env", "../b.txt", r"\x1b[2Jc"):
        assert f"{path}: not done: " in done.stdout
    assert ".clineignore" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_a_file_is_shown_to_the_model_as_it_is(place: Any) -> None:
    """What a call asks to see goes to a pipe as it is, and on a terminal no control character of it does."""
    place.file.write_text("a\x1b[31mb\n")
    calls = (Call("str_replace_based_edit_tool", {"command": "view", "path": "greet.py"}),)
    args = ("session", "--format", "text_editor", "--sdk", "anthropic", "--yes")
    done = place.run(*args, stdin=lines(anthropic(calls)))
    assert (done.returncode, done.stdout) == (0, "     1\ta\x1b[31mb\n")
    terminal = place.on_terminal(*args, piped=True)
    terminal.pipe(lines(anthropic(calls)))
    terminal.end_pipe()
    assert (terminal.wait(), terminal.text) == (0, "     1\ta␛[31mb\n")


@pytest.mark.parametrize("args", [("markdown",), ("tools", "--sdk", "anthropic"), ("cline",)])
def test_a_turn_without_an_edit(place: Any, args: tuple[str, ...]) -> None:
    """A turn that edits nothing ends with 1, and the message says how to tell the model of the format."""
    stdin = lines(anthropic(())) if "--sdk" in args else "I would not change a thing.\n"
    done = place.run("session", "--yes", "--format", *args, stdin=stdin)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "editstream: the turn holds no edit in this format; "
        f"`editstream prompt {args[0]}` prints what the model has to be told\n"
    )


def test_what_cannot_be_read_or_found(place: Any) -> None:
    """Text that is not UTF-8, or a root that is no folder, ends with 4 and one line."""
    assert place.run("session", "--format", "markdown", "--yes", stdin=b"a\xff").returncode == 4
    done = place.run("session", "--format", "markdown", "--yes", "--root", "nowhere")
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)


def test_half_a_surrogate_pair_is_told_to_the_model(place: Any) -> None:
    """JSON may hold half of a pair, which no file and no terminal can: the call is rejected, and nothing breaks."""
    calls = tuple(
        Call("edit_file", {"path": "greet.py", "old_string": "Hello, ", "new_string": "x", **field})
        for field in ({"path": "\ud800"}, {"old_string": "\ud800"}, {"new_string": "\ud800"})
    )
    done = place.run(*TOOLS, "--sdk", "anthropic", "--json", stdin=lines(anthropic(calls)))
    assert (done.returncode, place.file.read_text()) == (1, place.greeting)
    assert [each["fate"] for each in json.loads(done.stdout)["outcomes"]] == ["rejected"] * 3


def test_every_source_can_be_named() -> None:
    """--sdk takes the name of every source that there is."""
    assert set(SDKS) == set(TRANSLATORS)
