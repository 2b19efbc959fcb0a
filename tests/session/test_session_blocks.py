"""Approval by block: what is written is what the user has seen, whatever the blocks have to do with each other."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_turns import block, on_disk, pieces

from editstream import EditSession, Workspace
from editstream.session import Answer, Decision, Proposal

Seen = list[tuple[int | None, str]]


def decided(
    root: Path, original: str, diff: str, no: Collection[int | None], **options: object
) -> tuple[str, Answer, Seen]:
    """The file and the answer after the user has said no to some blocks (None: to the whole), and what was asked."""
    (root / "a.py").write_text(original)
    seen: Seen = []

    def approve(proposal: Proposal) -> Decision:
        index = None if proposal.block is None else proposal.block.index
        seen.append((index, proposal.diff()))
        return f"not {index}" if index in no else True

    session = EditSession(
        Workspace(root),
        format="diff",
        path="a.py",
        approve=approve,
        approve_by="block",
        **options,  # type: ignore[arg-type]
    )
    for _ in session.run(pieces(diff)):
        pass
    assert session.answer is not None
    return (root / "a.py").read_text(), session.answer, seen


TWICE = "x = 1\na\nx = 1\nb\n"
FIRST_THEN_NEXT = block("x = 1\na\n", "y\na\n") + block("x = 1\n", "z = 1\n")


@pytest.mark.parametrize("options", [{"ambiguity": "first"}, {"dialect": "v1"}, {"dialect": "v2"}], ids=str)
@pytest.mark.parametrize("agrees", [True, False])
def test_a_block_that_would_go_elsewhere_is_asked_about_again(
    tmp_path: Path, options: dict[str, str], agrees: bool
) -> None:
    """Where a block means another place once the one before is left out, the user sees that before it is written."""
    text, answer, seen = decided(tmp_path, TWICE, FIRST_THEN_NEXT, {0} if agrees else {0, None}, **options)
    assert [index for index, _ in seen] == [0, 1, None]
    assert "-x = 1\n+z = 1\n a\n" in seen[-1][1]
    assert text == ("z = 1\na\nx = 1\nb\n" if agrees else TWICE)
    assert answer.outcomes[0].declined == ((0,) if agrees else (0, 1))
    assert answer.outcomes[0].words == ("not 0" if agrees else "not 0\nnot None")


def test_a_block_that_is_ambiguous_without_another_is_rejected(tmp_path: Path) -> None:
    """A block that only the declined one made clear is not written, and the model is told why."""
    text, answer, _ = decided(tmp_path, TWICE, FIRST_THEN_NEXT, {0})
    assert text == TWICE
    assert answer.text.startswith("a.py: nothing was written. Block 1 the user declined. They say: not 0\n\nBlock 2 ")
    assert answer.text.endswith("Send only what was rejected, repaired.")
    assert answer.needs_repair


BUILT_ON = block("b\n", "B1\nB2\n") + block("B2\n", "B3\n")


def test_a_block_that_builds_upon_a_declined_one(tmp_path: Path) -> None:
    """It looks for text that is not there, is not written, and the model is told so."""
    text, answer, seen = decided(tmp_path, "a\nb\nc\n", BUILT_ON, {0})
    assert text == "a\nb\nc\n"
    assert "Block 1 the user declined" in answer.text
    assert "Block 2 (line 7 of the edit) was not applied" in answer.text
    assert [index for index, _ in seen] == [0, 1]


def test_a_block_that_a_declined_one_builds_upon(tmp_path: Path) -> None:
    """What the first one alone makes of the file was shown nowhere, so it is asked about before it is written."""
    text, answer, seen = decided(tmp_path, "a\nb\nc\n", BUILT_ON, {1})
    assert [index for index, _ in seen] == [0, 1, None]
    assert all("+B1\n+B3\n" in diff for _, diff in seen[:2])  # the first has no lines of its own any more
    assert "+B1\n+B2\n" in seen[-1][1]
    assert text == "a\nB1\nB2\nc\n"
    assert "Block 2 the user declined. They say: not 1" in answer.text


def test_all_blocks_can_be_declined(tmp_path: Path) -> None:
    """With no block left nothing is asked further, and nothing is written."""
    text, answer, seen = decided(tmp_path, "a\nb\nc\n", block("a\n", "A\n") + block("c\n", "C\n"), {0, 1})
    assert text == "a\nb\nc\n"
    assert len(seen) == 2
    assert (
        answer.text
        == "a.py: the user declined this edit; nothing was written. They say: Block 1: not 0\nBlock 2: not 1"
    )
    assert not answer.needs_repair


LINES = [f"line {n}\n" for n in range(6)]


@given(
    changes=st.lists(st.sampled_from(LINES), min_size=1, max_size=6, unique=True),
    data=st.data(),
)
def test_blocks_apart_are_written_as_agreed(
    tmp_path_factory: pytest.TempPathFactory, changes: list[str], data: st.DataObject
) -> None:
    """Of blocks that have nothing to do with each other exactly those agreed to are in the file, asked about once."""
    no = data.draw(st.sets(st.sampled_from(range(len(changes)))))
    diff = "".join(block(line, line.upper()) for line in changes)
    text, answer, seen = decided(tmp_path_factory.mktemp("blocks"), "".join(LINES), diff, no)
    agreed = {line for at, line in enumerate(changes) if at not in no}
    assert text == "".join(line.upper() if line in agreed else line for line in LINES)
    assert [index for index, _ in seen] == list(range(len(changes)))
    assert answer.outcomes[0].declined == tuple(sorted(no))


def test_a_declined_file_is_not_to_be_repaired(tmp_path: Path) -> None:
    """A no to a file is a no to what is wrong in it, too: the model is not asked to send it again."""
    (tmp_path / "a.py").write_text("a\n")
    diff = block("a\n", "A\n") + block("nowhere\n", "x\n")
    session = EditSession(Workspace(tmp_path), format="diff", path="a.py", approve=lambda _: "not now")
    for _ in session.run(pieces(diff)):
        pass
    assert session.answer is not None
    assert session.answer.text == "a.py: the user declined this edit; nothing was written. They say: not now"
    assert not session.answer.needs_repair
    assert on_disk(Workspace(tmp_path)) == {"a.py": "a\n"}


def test_a_move_is_asked_about_after_its_blocks(tmp_path: Path) -> None:
    """Where the file goes is no block: it is a question of its own, and a no to it leaves the file as it was."""
    (tmp_path / "a.py").write_text("one\n")
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-one\n+ONE\n*** End Patch\n"
    asked: list[tuple[bool, str | None]] = []

    def approve(proposal: Proposal) -> Decision:
        asked.append((proposal.block is not None, proposal.moved_to))
        return proposal.block is not None

    with EditSession(Workspace(tmp_path), format="patch", approve=approve, approve_by="block") as session:
        for _ in session.run(pieces(patch)):
            pass
    assert asked == [(True, None), (False, "b.py")]
    assert on_disk(Workspace(tmp_path)) == {"a.py": "one\n"}
