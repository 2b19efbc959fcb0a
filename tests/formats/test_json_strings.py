"""Growing strings in streamed JSON, held against ``json.loads``."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reactivex import operators as ops
from reactivex.testing import ReactiveTest, TestScheduler

from editstream.operators import NOTHING, End
from editstream.operators.events import Reason
from editstream.operators.formats import json_strings as module
from editstream.operators.formats.json_strings import (
    NESTING_LIMIT,
    TOKEN_LIMIT,
    Broken,
    ContainerStarted,
    ItemEnded,
    JsonEvent,
    JsonStrings,
    Path,
    PlainValue,
    StringEnded,
    StringStarted,
    StringText,
    field_name,
    json_strings,
)

SHORT = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
FIELDS = ("path", "diff", "edits", "new_string")
texts = st.text(
    st.one_of(st.sampled_from('"\\/\b\f\n\r\tu{}[]:, \x00é\u2028\ufeff😀'), st.characters(exclude_categories=["Cs"])),
    max_size=12,
)
names = st.one_of(st.sampled_from(FIELDS), texts)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), texts)
values = st.recursive(scalars, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner)))
objects = st.dictionaries(names, values, max_size=4)
patterns = st.sets(
    st.sampled_from(("path", "edits", "edits[]", "edits[].new_string", "diff.path", "diff.edits[][].path")), min_size=1
)
reasons = st.sampled_from(("complete", "truncated", "cancelled"))
# The writing and the cuts need a seed and no shrinking.
randoms = st.integers(0, 1 << 32).map(random.Random)


def fed(pieces: Iterable[str], *fields: str, reason: Reason | None = "complete") -> list[JsonEvent]:
    """All that a machine gives; without a reason, the stream is left open."""
    machine = JsonStrings(*fields)
    events = [event for piece in pieces for event in machine.feed(piece)]
    return [*events, *(machine.close(reason) if reason else ())]


def joined(events: Sequence[JsonEvent]) -> list[JsonEvent]:
    """Events with each run of new text as one."""
    out = list[JsonEvent]()
    for event in events:
        last = out[-1] if out else None
        if isinstance(event, StringText) and isinstance(last, StringText):
            out[-1] = StringText(event.path, last.text + event.text)
        else:
            out.append(event)
    return out


def events_of(value: Any, path: Path = ()) -> Iterable[JsonEvent]:
    """What a machine should give for a value that json.loads has read."""
    if isinstance(value, str):
        yield StringStarted(path)
        if value:
            yield StringText(path, value)
        yield StringEnded(path)
    elif isinstance(value, dict):
        yield from [ContainerStarted(path, is_array=False)] if path else []
        for name, inner in value.items():
            yield from events_of(inner, (*path, name))
    elif isinstance(value, list):
        yield ContainerStarted(path, is_array=True)
        for index, inner in enumerate(value):
            yield from events_of(inner, (*path, index))
            yield ItemEnded((*path, index))
    else:
        yield PlainValue(path, value)


def matches(event: JsonEvent, fields: Iterable[str]) -> bool:
    """Whether an event for every field is one for the chosen ones."""
    if isinstance(event, Broken | End):
        return True
    written = "".join("[]" if isinstance(part, int) else f".{part}" for part in event.path)[1:]
    if isinstance(event, ItemEnded):
        return any(field == written or field.startswith((f"{written}.", f"{written}[")) for field in fields)
    return written in fields and not any(set("[].") & set(part) for part in event.path if isinstance(part, str))


def written(value: Any, rng: random.Random) -> str:
    """A value as JSON, by json.dumps or by hand: any white space, each character of a string in any of its ways."""
    if rng.random() < 0.5:
        return json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, 2, "\t")))
    return by_hand(value, rng)


def by_hand(value: Any, rng: random.Random) -> str:
    space = rng.choice(("", "", " ", "\r\n\t "))
    if isinstance(value, str):
        return '"' + "".join(rng.choice(ways(char)) for char in value) + '"'
    if isinstance(value, dict):
        inner = [f"{by_hand(name, rng)}{space}:{space}{by_hand(item, rng)}" for name, item in value.items()]
        return f"{{{space}{f'{space},{space}'.join(inner)}{space}}}"
    if isinstance(value, list):
        return f"[{space}{f',{space}'.join(by_hand(item, rng) for item in value)}{space}]"
    return json.dumps(value)


def ways(char: str) -> list[str]:
    """How a character can stand in a string."""
    found = [SHORT[char]] if char in SHORT else []
    found += [char] if char not in '"\\' else []
    units = [char] if char <= "\uffff" else [chr(half) for half in halves(char)]
    found += ["".join(form.format(ord(unit)) for unit in units) for form in ("\\u{:04x}", "\\u{:04X}")]
    if len(units) == 2:  # as an SDK has it that cuts between the halves
        found += ["".join(units), f"\\u{ord(units[0]):04x}{units[1]}", f"{units[0]}\\u{ord(units[1]):04X}"]
    return found


def halves(char: str) -> tuple[int, int]:
    code = ord(char) - 0x10000
    return 0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF)


def cut(text: str, rng: random.Random) -> list[str]:
    """A text in pieces, cut anywhere, some of them empty."""
    at = sorted(rng.choices(range(len(text) + 1), k=rng.randint(0, 12)))
    return [text[start:end] for start, end in zip([0, *at], [*at, len(text)], strict=True)]


def paired(text: str) -> str:
    """The text with two halves of a surrogate pair as one character; UnicodeError if one half is alone."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are there once; ValueError, as for any other difference from json.loads."""
    found = {paired(name): value for name, value in pairs}
    if len(found) < len(pairs):
        raise ValueError("repeated")
    for value in found.values():
        flat_strings(value)
    return found


def flat_strings(value: Any) -> None:
    """Raises UnicodeError, a ValueError, if a string in a value has half of a surrogate pair."""
    if isinstance(value, str):
        paired(value)
    elif isinstance(value, list):
        for item in value:
            flat_strings(item)


def is_right(text: str) -> bool:
    """What json.loads says of a text, and of the ways in which we differ from it."""
    text = text.removeprefix("\ufeff")
    if not text.strip(" \t\r\n"):
        return True
    try:
        return isinstance(json.loads(text, strict=False, object_pairs_hook=once), dict)
    except ValueError:
        return False


@given(objects, randoms)
def test_what_is_given_is_what_json_loads_reads(value: dict[str, Any], rng: random.Random) -> None:
    """Whatever the object, its writing and its cuts, the events are those of the value that json.loads reads."""
    text = written(value, rng)
    assert joined(fed(cut(text, rng))) == joined(fed([text])) == [*events_of(value), End()]


@given(objects, randoms, patterns)
def test_what_is_not_chosen_is_left_out(value: dict[str, Any], rng: random.Random, fields: set[str]) -> None:
    """Chosen fields give of all events those that are theirs, in the same order."""
    text = written(value, rng)
    assert fed([text], *fields) == [event for event in fed([text]) if matches(event, fields)]


@given(texts, randoms)
def test_text_is_given_as_soon_as_it_is_known(value: str, rng: random.Random) -> None:
    """After each character, all of a string has been given that no later character can change, and no more."""
    text, known = written({"a": value}, rng), ""
    machine, new = JsonStrings("a"), ""
    for at, char in enumerate(text, 1):
        new += "".join(event.text for event in machine.feed(char) if isinstance(event, StringText))
        with suppress(ValueError, KeyError):  # an escape or a pair is cut, or the string has not begun, or is over
            known = paired(json.loads(text[:at] + '"}', strict=False)["a"])
        assert new == known
    assert new == value


@given(objects, randoms)
def test_what_was_given_is_never_taken_back(value: dict[str, Any], rng: random.Random) -> None:
    """The events of a beginning are the beginning of the events, up to where its last text ends."""
    text = written(value, rng)
    whole = joined(fed([text]))
    for at in rng.choices(range(len(text)), k=12):
        if not (given_before := joined(fed([text[:at]], reason=None))):
            continue
        *before, last = given_before
        following = whole[len(before)]
        assert whole[: len(before)] == before
        if isinstance(last, StringText) and isinstance(following, StringText):
            assert (last.path, last.text) == (following.path, following.text[: len(last.text)])
        else:
            assert last == following


MUTANTS = ('"', "\\", "{", "}", "[", "]", ":", ",", " ", "\n", "\ufeff", "0", "1", "-", ".", "e", "tru", "true", "NaN",
           "Infinity", "\\u", "\\ud83d", "\\udE00", "\ud83d", "\ude00", "\\x", "é", '"a":1,', '{"a":')  # fmt: skip


def damaged(text: str, rng: random.Random) -> str:
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(text))
        text = text[:at] + rng.choice(("", *MUTANTS)) + text[at + rng.randint(0, 2) :]
    return text


@given(objects, randoms, reasons)
@settings(max_examples=400)
def test_errors_are_those_of_json_loads(value: dict[str, Any], rng: random.Random, reason: Reason) -> None:
    """A damaged text breaks if json.loads refuses it, once, and nothing before the offset of the error is wrong."""
    text = damaged(written(value, rng), rng)
    events = joined(fed([text], reason=reason))
    broken = [event for event in events if isinstance(event, Broken)]
    if text.removeprefix("\ufeff").strip(" \t\r\n") or reason == "complete":
        assert (not broken) == is_right(text), text
    assert broken == events[len(events) - 1 - len(broken) : -1]
    assert events[-1] == End(reason)
    # As text: NaN is not equal to itself.
    assert repr(joined(fed(text, reason=reason))) == repr(joined(fed(cut(text, rng), reason=reason))) == repr(events)
    for error in broken:
        before = joined(fed([text[: error.offset]], reason=None))
        # A number right before the error is not known to be whole there; it may have been an item.
        assert repr(before) in (repr(events[:-2]), repr(events[:-3]), repr(events[:-4]))


ERRORS = {
    "a list": ("[1]", 0, []),
    "a string": ('"{}"', 0, []),
    "a number": (" 1", 1, []),
    "text before": ('Here: {"a": 1}', 0, []),
    "text after": ('{"a": 1} and', 9, [PlainValue(("a",), 1)]),
    "a second object": ('{"a": 1}{"a": 2}', 8, [PlainValue(("a",), 1)]),
    "a second mark": ("\ufeff\ufeff{}", 1, []),
    "a mark after a space": (" \ufeff{}", 1, []),
    "a name without quotes": ("{a: 1}", 1, []),
    "a name in single quotes": ("{'a': 1}", 1, []),
    "a comma before the end": ('{"a": 1,}', 8, [PlainValue(("a",), 1)]),
    "no colon": ('{"a" 1}', 5, []),
    "no comma": ('{"a": 1 "b": 2}', 8, [PlainValue(("a",), 1)]),
    "no value": ('{"a": }', 6, []),
    "a comment": ('{"a": /* */ 1}', 6, []),
    "a word": ('{"a": True}', 6, []),
    "a leading zero": ('{"a": 01}', 6, []),
    "a plus sign": ('{"a": +1}', 6, []),
    "no item": (
        '{"a": [1,]}',
        9,
        [ContainerStarted(("a",), is_array=True), PlainValue(("a", 0), 1), ItemEnded(("a", 0))],
    ),
    "the wrong closer": (
        '{"a": [1}',
        8,
        [ContainerStarted(("a",), is_array=True), PlainValue(("a", 0), 1), ItemEnded(("a", 0))],
    ),
    "no white space of JSON": ('{\u00a0"a": 1}', 1, []),
    "an unknown escape": ('{"a": "x\\d"}', 8, [StringStarted(("a",)), StringText(("a",), "x")]),
    "an escape that is no number": ('{"a": "x\\u12g4"}', 8, [StringStarted(("a",)), StringText(("a",), "x")]),
    "half a pair in a name": ('{"x\\ude00": 1}', 1, []),
    "an escape in a name": ('{"x\\d": 1}', 1, []),
    "a high half": ('{"a": "x\\ud83d!"}', 8, [StringStarted(("a",)), StringText(("a",), "x")]),
    "a high half at the end": ('{"a": "x\\ud83d"}', 8, [StringStarted(("a",)), StringText(("a",), "x")]),
    "two high halves": ('{"a": "\\ud83d\\ud83d\\ude00"}', 7, [StringStarted(("a",))]),
    "two low halves": ('{"a": "\\udc00\\ude00"}', 7, [StringStarted(("a",))]),
    "a low half": ('{"a": "\\ude00"}', 7, [StringStarted(("a",))]),
    "half a pair as it is": ('{"a": "\ud83d\\n"}', 7, [StringStarted(("a",))]),
    "a repeated field": ('{"a": 1, "\\u0061": 2}', 9, [PlainValue(("a",), 1)]),
    "a repeated field inside": (
        '{"a": {"b": 1, "b": 2}}',
        15,
        [ContainerStarted(("a",), is_array=False), PlainValue(("a", "b"), 1)],
    ),
}


@pytest.mark.parametrize(("text", "offset", "before"), ERRORS.values(), ids=ERRORS)
def test_what_is_malformed(text: str, offset: int, before: list[JsonEvent]) -> None:
    """Each kind of malformed text breaks at its place, however it is cut, and what was given before stays."""
    for pieces in ([text], text, [text[:7], text[7:], " more"]):
        *given_before, broken, end = joined(fed(pieces))
        assert isinstance(broken, Broken)
        assert (given_before, broken.kind, broken.offset, end) == (before, "malformed", offset, End())
        assert f"character {offset}:" in broken.message
        assert broken.message.isprintable()


def nested(depth: int) -> str:
    return '{"a": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}"


LARGE = {
    "nesting": (nested(NESTING_LIMIT + 1), 6 + NESTING_LIMIT - 1, nested(NESTING_LIMIT)),
    "a name": (f'{{"{"x" * (TOKEN_LIMIT - 1)}": 1}}', 1, f'{{"{"x" * (TOKEN_LIMIT - 2)}": 1}}'),
    "a number": (f'{{"a": {"1" * (TOKEN_LIMIT + 1)}}}', 6, f'{{"a": {"1" * TOKEN_LIMIT}}}'),
    "a name without an end": ('{"' + "x" * 9_999, 1, '{"a": 1}'),
}


@pytest.mark.parametrize(("text", "offset", "allowed"), LARGE.values(), ids=LARGE)
def test_what_is_too_large(text: str, offset: int, allowed: str) -> None:
    """One more than a bound breaks, however it is cut, and what is just within it does not."""
    for pieces in ([text], text, [text[:400], text[400:]]):
        broken = fed(pieces, "a")[-2]
        assert isinstance(broken, Broken)
        assert (broken.kind, broken.offset) == ("too_large", offset)
    assert fed([allowed], "b") == fed(allowed, "b") == [End()]


def test_the_whole_text_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of just the size of the bound is read, and of a longer one what is within it, however it is cut."""
    text = '{"a": "12345"}'
    monkeypatch.setattr(module, "STREAM_LIMIT", len(text))
    assert fed([text]) == [*events_of({"a": "12345"}), End()]
    monkeypatch.setattr(module, "STREAM_LIMIT", 9)
    for pieces in ([text], text, [text[:8], text[8:]], [text[:9], text[9:]]):
        started, string, broken, end = joined(fed(pieces))
        assert (started, string, end) == (StringStarted(("a",)), StringText(("a",), "12"), End())
        assert isinstance(broken, Broken)
        assert (broken.kind, broken.offset) == ("too_large", 9)


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", "\ufeff\t", "{}", "\ufeff { } \r\n"])
def test_no_arguments(text: str) -> None:
    """Nothing, white space and a byte order mark are what an empty object is."""
    assert fed([text]) == fed(text) == [End()]


@given(objects, randoms, reasons)
@example({}, random.Random(0), "truncated")
def test_a_text_that_is_cut_off(value: dict[str, Any], rng: random.Random, reason: Reason) -> None:
    """A beginning of an object is truncated whatever the reason given, which is passed on, and no open string ends."""
    text = written(value, rng)
    for at in rng.choices(range(1, len(text)), k=12):
        *before, broken, end = fed([text[:at]], reason=reason)
        assert isinstance(broken, Broken)
        assert (broken.kind, broken.offset, end) == ("truncated", at, End(reason))
        assert before == fed([text[:at]], reason=None)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ('{"edits": [{}, {"new_string": "x', " inside edits[1].new_string before"),
        ('{"a": 12', " inside a before"),
        ('{"a": 12, "b', "it ends before"),
        ('{"edits": [{"', " inside edits[0] before"),
        ('{"\\u001b[31m": "', " inside \\u001b[31m before"),
        ('{"' + "x" * 99 + '": "', f" inside {'x' * 60}… before"),
    ],
)
def test_where_it_was_cut_off(text: str, inside: str) -> None:
    """The message of a text that is cut off names the field, in characters that are fit to be shown."""
    broken = fed([text])[-2]
    assert isinstance(broken, Broken)
    assert inside.replace("\\u001b", field_name(("\x1b",))) in broken.message
    assert broken.message.isprintable()


def test_nothing_is_expected_of_a_stream_that_was_cut_off() -> None:
    """Arguments that had not begun are cut off unless the stream ended as complete."""
    broken, end = fed([], reason="truncated")
    assert isinstance(broken, Broken)
    assert (broken.kind, broken.offset, end) == ("truncated", 0, End("truncated"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "x\n\t\x00\x1fy"}', "x\n\t\x00\x1fy"),
        ('{"a": NaN}', None),
        ('{"a": -Infinity}', float("-inf")),
        ('{"a": 1e999}', float("inf")),
        ('{"a": -0.0e-1}', -0.0),
        ('{"a": "\\ud83d\ude00"}', "😀"),
    ],
)
def test_leniencies(text: str, value: str | float | None) -> None:
    """Raw control characters and the names of odd numbers are read as json.loads reads them."""
    given_values = [event for event in fed(text) if isinstance(event, PlainValue)]
    assert "".join(event.text for event in fed(text) if isinstance(event, StringText)) == (
        value if isinstance(value, str) else ""
    )
    assert all(value is None or event.value == value for event in given_values)


def test_fields_that_were_not_chosen_may_be_repeated() -> None:
    """A repeated field breaks if it was chosen or has chosen fields beneath, and otherwise nothing depends on it."""
    assert fed(['{"b": "x", "b": "y", "a": 1}'], "a") == [PlainValue(("a",), 1), End()]
    broken = fed(['{"a": {}, "a": {"b": 1}}'], "a.b")[0]
    assert isinstance(broken, Broken)
    assert "the field a is there twice" in broken.message


def test_the_path_may_come_last() -> None:
    """Fields are given in the order of the text, and each array item ends after its last field."""
    text = '{"edits": [{"new": "b", "old": "a"}, {"old": "c"}], "other": {"path": "no"}, "path": "x"}'
    events = fed([text], "path", "edits[].old", "edits[].new")
    assert [(type(event).__name__, field_name(getattr(event, "path", ()))) for event in events] == [
        ("StringStarted", "edits[0].new"), ("StringText", "edits[0].new"), ("StringEnded", "edits[0].new"),
        ("StringStarted", "edits[0].old"), ("StringText", "edits[0].old"), ("StringEnded", "edits[0].old"),
        ("ItemEnded", "edits[0]"),
        ("StringStarted", "edits[1].old"), ("StringText", "edits[1].old"), ("StringEnded", "edits[1].old"),
        ("ItemEnded", "edits[1]"),
        ("StringStarted", "path"), ("StringText", "path"), ("StringEnded", "path"),
        ("End", ""),
    ]  # fmt: skip


def test_a_value_of_another_kind_than_the_pattern_says() -> None:
    """Of an object where a string was chosen only the beginning is given, of a string with fields beneath nothing."""
    text = '{"a": {"a": "x"}, "b": "[]", "c": [["x"]]}'
    expected = [ContainerStarted(("a",), is_array=False), ItemEnded(("c", 0)), End()]
    assert fed([text], "a", "b[].c", "c[].d") == expected


@pytest.mark.parametrize("pattern", ["", ".", "a.", ".a", "a..b", "[]", "[].a", "a[0]", "a[", "a[]b", "a.[]"])
def test_what_is_no_pattern(pattern: str) -> None:
    """A pattern that names no field is refused where it is written, by the machine and by the operator."""
    with pytest.raises(ValueError, match="names no field"):
        JsonStrings("path", pattern)
    with pytest.raises(ValueError, match="names no field"):
        json_strings(pattern)


def test_nothing_of_the_text_is_kept() -> None:
    """A string of two megabytes that nobody keeps leaves the machine as small as it was."""
    machine = JsonStrings("content")
    machine.feed('{"content": "')
    tracemalloc.start()
    for number in range(20_000):
        machine.feed(f"{number:>98}\\n")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000


def test_a_peek_passes_on() -> None:
    """All that the machine gives is final, so that a peek adds nothing."""
    assert JsonStrings().peek(NOTHING) is NOTHING


def test_marbles() -> None:
    """The operator gives new text as it comes, and an error of the source after what the machine says to it."""
    on_next, on_error, on_completed = ReactiveTest.on_next, ReactiveTest.on_error, ReactiveTest.on_completed
    failure = ConnectionError("dropped")

    def messages(*sent: Any) -> list[Any]:
        scheduler = TestScheduler()
        source = scheduler.create_hot_observable(*sent)
        shown = ops.map(lambda event: getattr(event, "text", None) or type(event).__name__)
        return scheduler.start(lambda: source.pipe(json_strings("diff"), shown)).messages

    sent = [on_next(210, '{"diff": "a'), on_next(220, 'b\\n"'), on_next(230, "}")]
    given_texts = [on_next(210, "StringStarted"), on_next(210, "a"), on_next(220, "b\n"), on_next(220, "StringEnded")]
    assert messages(*sent, on_completed(240)) == [*given_texts, on_next(240, "End"), on_completed(240)]
    cut_off = [*given_texts, on_next(225, "Broken"), on_error(225, failure)]
    assert messages(*sent[:2], on_error(225, failure)) == cut_off
