"""Small turns in Markdown, and the edits that events are about."""

from __future__ import annotations

from collections.abc import Sequence

from markdown_chats import Edit
from turn_strategies import fed, joined, texts

from editstream.operators.formats.deltas import Text
from editstream.operators.formats.file_edits import EditBegan, EditEnded, EditText, FormatEvent, Misread
from editstream.operators.formats.markdown import Markdown

OPEN = "<<<<<<< SEARCH\nold\n=======\nnew\n"
BLOCK = OPEN + ">>>>>>> REPLACE\n"


def edits_in(events: Sequence[FormatEvent]) -> list[Edit]:
    """The edits that events are about; each must have begun, and ended once."""
    paths, parts, ended = dict[int, str](), dict[int, list[str]](), list[int]()
    for event in events:
        if isinstance(event, EditBegan):
            assert event.edit == len(paths)
            paths[event.edit], parts[event.edit] = event.path, []
        elif isinstance(event, EditText):
            assert event.edit not in ended
            parts[event.edit].append(event.text)
        elif isinstance(event, EditEnded):
            ended.append(event.edit)
    assert sorted(ended) == list(paths)
    return [Edit(path, "".join(parts[edit])) for edit, path in paths.items()]


def read(text: str) -> list[FormatEvent]:
    """What a turn gives, the same whether it comes at once or by characters."""
    events = joined(fed(Markdown(), [Text(text)]))
    assert joined(fed(Markdown(), texts(text))) == events
    return events


def misread(text: str) -> list[str]:
    return [event.message for event in read(text) if isinstance(event, Misread)]
