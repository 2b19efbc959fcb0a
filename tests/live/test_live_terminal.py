"""The animated view, on a real terminal of its own."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from editstream.live import LiveView

HOME = "\x1b[H"
ALTERNATE, NORMAL = "\x1b[?1049h", "\x1b[?1049l"
# What rich sends of its own: colours, home, cursor on and off, the alternate screen.
KNOWN_CODES = re.compile(r"\x1b\[(?:[0-9;]*m|H|\?25[lh]|\?1049[lh])")


def frames(output: str) -> list[list[str]]:
    """The frames by their lines, without codes."""
    shown = output.partition(ALTERNATE)[2].partition(NORMAL)[0]
    texts = [KNOWN_CODES.sub("", text) for text in shown.split(HOME)]
    return [text.split("\r\n") for text in texts if text]


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_frames_on_the_alternate_screen_then_a_summary(edits: Any, open_terminal: Any) -> None:
    """The view draws frames of the terminal's size on the alternate screen and leaves the summary on the normal one."""
    terminal = open_terminal(60, 16)
    diff = edits.block(["line 50"], ["fifty"])
    with LiveView("a.txt", file=terminal.file) as view:
        view.show(edits.after(edits.numbered, diff))
        wait_for(lambda: "fifty" in terminal.output())
    output = terminal.close()
    assert output.count(ALTERNATE) == output.count(NORMAL) == 1
    assert {len(frame) for frame in frames(output)} == {16}
    summary = KNOWN_CODES.sub("", output.partition(NORMAL)[2]).split("\r\n")
    assert summary == ["a.txt: 0 characters, 1 of 1 block done; +1 -1 lines", summary[1], ""]
    assert summary[1].split() == ["1", "applied", "line", "50", "exact"]


def test_the_view_follows_a_resize(edits: Any, open_terminal: Any) -> None:
    """After the terminal changes its size the next frame has the new one, with no new snapshot needed."""
    terminal = open_terminal(60, 16)
    with LiveView("a.txt", file=terminal.file) as view:
        view.show(edits.after(edits.numbered, ""))
        wait_for(lambda: len(frames(terminal.output())) == 1)
        terminal.resize(30, 7)
        wait_for(lambda: len(frames(terminal.output())) == 2)
    before, after = frames(terminal.close())
    assert (len(before), len(after)) == (16, 7)
    assert max(map(len, before)) == 60
    assert max(map(len, after)) == 30


def test_the_view_draws_at_most_twenty_frames_a_second(edits: Any, open_terminal: Any) -> None:
    """However fast snapshots come, a second has no more than 20 frames, and what is asked of the view is quick."""
    terminal = open_terminal(9, 2)
    snapshots = [edits.after(edits.numbered, f"------- SEARCH\nline {n}\n=======\n") for n in range(1, 40)]
    began = time.monotonic()
    shown = 0
    with LiveView("a.txt", file=terminal.file) as view:
        while time.monotonic() < began + 1:
            view.show(snapshots[shown % len(snapshots)])
            shown += 1
        seconds = time.monotonic() - began
    assert 1 <= len(frames(terminal.close())) <= 20 * seconds + 1
    assert shown > 10_000


def test_nothing_is_drawn_when_nothing_changes(edits: Any, open_terminal: Any) -> None:
    """A view whose snapshot stays the same draws it once."""
    terminal = open_terminal(60, 16)
    with LiveView("a.txt", file=terminal.file) as view:
        view.show(edits.after(edits.numbered, ""))
        time.sleep(1)
    assert len(frames(terminal.close())) == 1


def test_no_control_character_is_sent(edits: Any, open_terminal: Any) -> None:
    """Of a hostile path, file and diff only visible characters reach the terminal, besides the view's own codes."""
    terminal = open_terminal(60, 16)
    original = "\x1b[2Jone\x1b]0;t\x07\n\x9b2J\u202etwo\rthree\n"
    diff = (
        edits.block([original.split("\n", maxsplit=1)[0]], ["\x1b[?1049l\x1b[31m\x08\x08\x7f\u2066"])
        + "------- SEARCH\n\x1bc\n"
    )
    with LiveView("\x1b[31m.txt", file=terminal.file) as view:
        for snapshot in edits.snapshots(original, diff, 3):
            view.show(snapshot)
            time.sleep(0.01)
    rest = KNOWN_CODES.sub("", terminal.close()).replace("\r\n", "\n")
    assert not re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", rest)
    assert "␛[?1049l␛[31m" in rest


def test_an_error_puts_the_terminal_back(edits: Any, open_terminal: Any) -> None:
    """An interrupt while the view is up leaves the alternate screen and shows the cursor again."""
    terminal = open_terminal(60, 16)
    with pytest.raises(KeyboardInterrupt), LiveView("a.txt", file=terminal.file) as view:  # noqa: PT012 - as above
        view.show(edits.after(edits.numbered, ""))
        wait_for(lambda: ALTERNATE in terminal.output())
        raise KeyboardInterrupt
    assert terminal.close().endswith(NORMAL)
    assert terminal.output().rindex("\x1b[?25h") > terminal.output().rindex("\x1b[?25l")


@pytest.mark.parametrize("name", ["dumb", "unknown"])
def test_a_dumb_terminal_gets_plain_lines(
    edits: Any, open_terminal: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A terminal that cannot move its cursor gets one line for each event."""
    terminal = open_terminal(60, 16)
    monkeypatch.setenv("TERM", name)
    with LiveView("a.txt", file=terminal.file) as view:
        for snapshot in edits.snapshots(edits.numbered, edits.block(["line 3"], ["three"])):
            view.show(snapshot)
    output = terminal.close()
    assert output.startswith("block 1: located at line 3 (exact)\r\nblock 1: applied\r\n")
    assert "\x1b" not in output


def test_a_view_without_animation_does_not_take_the_screen(edits: Any, open_terminal: Any) -> None:
    """On request a terminal gets the plain lines too."""
    terminal = open_terminal(60, 16)
    with LiveView("a.txt", file=terminal.file, animated=False) as view:
        view.show(edits.after(edits.numbered, edits.block(["line 3"], ["three"])))
    assert ALTERNATE not in terminal.close()
