"""Write the recorded streams of fixtures/ and the package's demo, the same bytes every time.

    python tests/recording/make_fixtures.py [FIXTURES_FOLDER DEMO_FILE]

The turns are written by hand (turns_*.py), the file of 5,000 lines by rule; here they are cut into tokens and given
times, as a provider's server-sent events would bring them: a wait for the first token, then bursts.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import turns_loose
import turns_plain
import turns_story
from turn import Turn
from turn_demo import DEMO
from turn_large import LARGE_FILE

from editstream.recording import Ending, Header, RecordedFile, Recording, TextDelta, write_recording

ROOT = Path(__file__).resolve().parents[2]
TURNS: tuple[Turn, ...] = (*turns_plain.TURNS, *turns_loose.TURNS, *turns_story.TURNS, LARGE_FILE)

LONGEST = 12
"""The longest chunk, in code points."""

# Like a tokeniser: a word takes the space before it along, digits come in threes, signs in short runs.
PIECE = re.compile(r" ?[^\W\d_]{1,9}|\d{1,3}| ?[^\w\s]{1,4}|\n{1,2}|[^\S\n]{1,11}(?=[^\S\n])|\s|.", re.DOTALL)

BURSTS = (1, 1, 1, 2, 2, 3, 4, 6)


def tokens(text: str, rng: random.Random) -> Iterator[str]:
    """Cut text into chunks of 1 to 12 code points; now and then two tokens come as one, or a word in two."""
    pieces = PIECE.findall(text)
    assert "".join(pieces) == text
    held = ""
    for piece in pieces:
        if held and (len(held) + len(piece) > LONGEST or rng.random() < 0.85):
            yield held
            held = ""
        if len(piece) > 5 and rng.random() < 0.15:
            cut = 2 + int(rng.random() * 3)
            yield held + piece[:cut]
            held = piece[cut:]
        else:
            held += piece
    if held:
        yield held


def timed(chunks: Iterator[str], rate: float, rng: random.Random) -> Iterator[TextDelta]:
    """Give chunks their times in ms: the first after 0.3 to 0.9 s, then bursts at ``rate`` tokens a second overall."""
    at = 300 + 600 * rng.random()
    left = 0
    for chunk in chunks:
        if left == 0:
            left = BURSTS[int(rng.random() * len(BURSTS))]
            at += 1000 * left / rate * (0.4 + 1.2 * rng.random())
        left -= 1
        at += rng.random()
        yield TextDelta(round(at), chunk)


def recorded(turn: Turn) -> Recording:
    """A turn as a recording."""
    rng = random.Random(turn.name)
    deltas = tuple(timed(tokens(turn.text, rng), turn.rate, rng))
    header = Header(
        created=datetime(2026, 1, 1, tzinfo=UTC),
        files=(RecordedFile.of(turn.path, turn.original),),
        dialect="safe",
        meta={"model": "none: written by tests/recording/make_fixtures.py", "note": turn.note},
    )
    return Recording(header, deltas, Ending(deltas[-1].at + 40, turn.reason, turn.error))


def main(folder: Path, demo: Path) -> None:
    """Write every fixture into the folder, with what is expected of all of them, and the demo to its file."""
    for turn in TURNS:
        write_recording(recorded(turn), folder / f"{turn.name}.jsonl")
    write_recording(recorded(DEMO), demo)
    expected = {turn.name: turn.expected() for turn in (*TURNS, DEMO)}
    text = json.dumps(expected, indent=1, sort_keys=True)
    (folder / "expected.json").write_text(text + "\n", encoding="ascii")


if __name__ == "__main__":
    places = [Path(argument) for argument in sys.argv[1:]]
    main(*(places or (ROOT / "fixtures", ROOT / "pipeline" / "recording" / "demo.jsonl")))
