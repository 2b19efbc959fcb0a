"""Every stage, alone and behind those before it: no cut, no peek and no earlier text changes what it gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stages import STAGES, before, every_way, files, peeking_changes_nothing, stage, streams, upto

from editstream.operators import Document

FILE = "import a\n\n  def b():\n\tx = 1\r\na\nb\na\nc"
STREAMS = {
    "nothing": "",
    "prose": "I would\nnot --- change\n",
    "one block": "So:\n------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\nDone.",
    "several, out of order": "------- SEARCH\nb\n=======\nB\nB2\n+++++++ REPLACE\n"
    "------- SEARCH\nimport a\n=======\nimport b\n+++++++ REPLACE\n",
    "two hits": "<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE\n<<< SEARCH\nb\na\n===\nb\nA\n>>> REPLACE\n",
    "CRLF": "------- SEARCH\r\nb\r\n=======\r\nB\r\n+++++++ REPLACE\r\n",
    "looser": "------- SEARCH\ndef b():\n    x = 1\n=======\ndef c():\n    x = 1\n    y = 2\n+++++++ REPLACE\n",
    "not there": "------- SEARCH\nnot there\n=======\nB\n+++++++ REPLACE\n",
    "a rule in REPLACE": "------- SEARCH\nb\n=======\nB\n=======\nC\n+++++++ REPLACE\n",
    "no divider": "------- SEARCH\nb\n=====\nB\n+++++++ REPLACE\n",
    "an indented block": "  ------- SEARCH\n  b\n  =======\n  B\n  +++++++ REPLACE\n",
    "a cut closer": "------- SEARCH\nb\n=======\nB\n+++++++ REP",
    "a closer outside": "+++++++ REPLACE\n------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n",
    "an opener inside": "------- SEARCH\nb\n=======\nB\n------- SEARCH\nc\n=======\nC\n+++++++ REPLACE\n",
    "twice the same": "------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n" * 2,
    "hints": "------- SEARCH\n:start_line:6\n-------\nb\n=======\nB\n+++++++ REPLACE\n",
    "a patch": "@@ def b():\n-b\n+B\n a\n@@\n+N\n*** End of File\n a\n",
    "a fenced file": "```python\nimport a\n\nB\na\n```\n",
    "our own text": "------- SEARCH\nb\n=======\nB\nN\n+++++++ REPLACE\n"
    "------- SEARCH\nN\n=======\nM\n+++++++ REPLACE\n",
}


@pytest.mark.parametrize("dialect", ["safe", "v1", "v2"])
@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_no_way_of_feeding_makes_a_difference(name: str, dialect: str, stream: str) -> None:
    """A stage gives the same for good whole, in characters, in chunks and with more behind it."""
    document = Document(FILE)
    every_way(lambda: upto(name, document, dialect), stream)


@pytest.mark.parametrize("dialect", ["safe", "v1", "v2"])
@pytest.mark.parametrize("name", [name for name in STAGES if name != "lines"])
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_a_peek_changes_nothing(name: str, dialect: str, stream: str) -> None:
    """A stage that is peeked at after each character gives what one gives that never was."""
    document = Document(FILE)
    peeking_changes_nothing(before(name, document, dialect), lambda: stage(name, document, dialect), stream)


@given(
    file=files(),
    stream=streams(),
    name=st.sampled_from(STAGES),
    dialect=st.sampled_from(("safe", "v1", "v2")),
    reason=st.sampled_from(("complete", "truncated", "cancelled")),
)
@settings(max_examples=150)
def test_any_stream_may_be_cut_anywhere(file: str, stream: str, name: str, dialect: str, reason: str) -> None:
    """Whatever the stream, file and end, how it was cut makes no difference to any stage."""
    document = Document(file)
    every_way(lambda: upto(name, document, dialect), stream, reason)


@given(
    file=files(),
    stream=streams(),
    name=st.sampled_from([name for name in STAGES if name != "lines"]),
    dialect=st.sampled_from(("safe", "v1", "v2")),
    reason=st.sampled_from(("complete", "truncated", "cancelled")),
)
@settings(max_examples=150)
def test_any_stream_may_be_peeked_at(file: str, stream: str, name: str, dialect: str, reason: str) -> None:
    """Whatever the stream, file and end, a peek leaves no trace in any stage."""
    document = Document(file)
    peeking_changes_nothing(before(name, document, dialect), lambda: stage(name, document, dialect), stream, reason)
