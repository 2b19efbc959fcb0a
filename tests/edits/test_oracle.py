"""The ladder of the `safe` dialect against a plain transcription of it, where tiers and several hits are frequent."""

from __future__ import annotations

import random

import pytest
from oracle import Answer, answer, lines_of
from streams import Outcome, block, run

ALPHABETS = {
    "space": ["a", "b", "a ", "b\t", "", "  ", "c"],
    "blanks": ["a", "", "", " ", "b"],
    "indent": ["a", "  a", "    a", "  b", "    b", "b", "", "      b"],
    "tabs": ["\ta", "    a", "\t\tb", "        b", "  b", "a", "b"],
    "unicode": ["“a”", '"a"', "a—b", "a-b", "cafe\u0301", "caf\u00e9", "a\u00a0b", "a b", "a\u200bb"],
    "entities": ["a &amp; b", "a & b", "&lt;x", "<x", "&amp;lt;x", "c", "&nbsp;", "it&#39;s", "it's"],
    "mixed": ["a", "  a ", "\ta", "", "“a”", '"a"', "a &amp; b", "a & b"],
}
ENDS = {"lf": ("\n",), "crlf": ("\r\n",), "mixed": ("\n", "\r\n")}


def random_case(rng: random.Random, alphabet: list[str], ends: tuple[str, ...]) -> tuple[str, list[str], list[str]]:
    """A file of up to eight lines, a SEARCH with a line that is not blank, and a REPLACE with a line of its own."""
    file = [rng.choice(alphabet) for _ in range(rng.randint(1, 8))]
    at = rng.randrange(len(file))
    search = file[at : at + rng.randint(1, 4)]
    if rng.random() < 0.4:
        search = [rng.choice(alphabet) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.5:
        search[rng.randrange(len(search))] = rng.choice(alphabet)
    if not any(map(str.strip, search)):
        search.append(next(text for text in alphabet if text))
    replace = [text for text in search if rng.random() < 0.7]
    replace.insert(rng.randint(0, len(replace)), rng.choice(("NEW", "  NEW", "    NEW")))
    original = "".join(text + rng.choice(ends) for text in file)
    bare = original.rstrip("\r\n") if rng.random() < 0.3 and file[-1] else original
    return rng.choice(("", "", "", "\ufeff")) + bare, search, replace


def agrees(wanted: Answer, original: str, got: Outcome) -> bool:
    """Whether the engine gave this answer, in any of its readings."""
    placed = got.snapshot.blocks[0]
    if len(wanted.hits) == 1:
        hit = wanted.hits[0]
        if got.result not in {"<not_found>" if text is None else text for text in wanted.contents}:
            return got.result == "<not_found>" and len(wanted.contents) > 1
        return got.error is not None or (placed.tier, placed.lines) == (wanted.tier, (hit.start + 1, hit.stop + 1))
    if wanted.hits:
        lines = {hit.start + 1 for hit in wanted.hits}
        named = {candidate.line for problem in got.snapshot.problems for candidate in problem.candidates}
        return got.result == "<ambiguous>" and {*placed.other_matches, *named} == lines
    return got.result == "<not_found>" or (got.result == original and placed.status == "already_applied")


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_the_ladder_is_what_the_rules_say(alphabet: str, ends: str) -> None:
    """A block gets the tier, the hits and the new file of the plain transcription."""
    rng, wrong = random.Random(f"{alphabet} {ends}"), list[object]()
    for _ in range(400):
        original, search, replace = random_case(rng, ALPHABETS[alphabet], ENDS[ends])
        if search == replace:
            continue
        wanted = answer(original, search, replace)
        got = run(original, block(*("".join(text + "\n" for text in side) for side in (search, replace))))
        if not agrees(wanted, original, got):
            wrong.append((original, search, replace, wanted, got.result, got.snapshot.blocks[0]))
    assert wrong == []


def test_the_transcription_reads_lines_as_the_rules_do() -> None:
    r"""Only \n and \r\n end a line, and a byte order mark belongs to none."""
    assert lines_of("\ufeffa\r\nb\rc\x0cd\u2028e\n\nf") == (
        "\ufeff",
        [("a", "\r\n"), ("b\rc\x0cd\u2028e", "\n"), ("", "\n"), ("f", "")],
    )
