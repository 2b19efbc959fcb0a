"""What reading Cline's XML tools costs, in time and memory, whatever a turn is made of."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from turn_strategies import sized, texts

from editstream.operators.formats.cline_xml import SPACE_LIMIT, ClineXml
from editstream.operators.formats.deltas import Text

HOSTILE = (
    "<",
    "a < b",
    "</content>",
    "</conten",
    "</content>\n\n </",
    "</content>" + " " * SPACE_LIMIT,
    "\n<",
    "\n<thinking>",
)
BEGINNINGS = (
    "<write_to_file><path>a</path><content>",
    "<write_to_file><content>",
    "<write_to_file>",
    "<write_to_file><path>",
    "",
)


def seconds(text: str) -> float:
    """The least of three times that a turn in 3-character deltas takes."""
    taken = list[float]()
    for _ in range(3):
        machine, deltas = ClineXml(), texts(sized(text, 3))
        start = time.perf_counter()
        for delta in deltas:
            machine.feed(delta)
        taken.append(time.perf_counter() - start)
    return min(taken)


@pytest.mark.parametrize("beginning", BEGINNINGS)
@pytest.mark.parametrize("unit", HOSTILE, ids=range(len(HOSTILE)))
def test_time_is_linear(beginning: str, unit: str) -> None:
    """A turn eight times as long takes no more than some eight times as long, whatever it is made of."""
    small, large = (beginning + unit * (size // len(unit)) for size in (15_000, 120_000))
    assert seconds(large) < 24 * seconds(small)


def test_nothing_of_a_text_is_kept() -> None:
    """A text of two megabytes that nobody keeps leaves the machine as small as it was."""
    machine = ClineXml()
    machine.feed(Text("<write_to_file><path>a</path><content>"))
    tracemalloc.start()
    for number in range(20_000):
        machine.feed(Text(f"{number:>80}</content>  \n<"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000


def test_text_that_waits_takes_little_memory() -> None:
    """Text that waits for its path takes little more room than its characters, in however small pieces it came."""
    machine, size = ClineXml(), 1_000_000
    machine.feed(Text("<write_to_file><content>"))
    tracemalloc.start()
    for number in range(size // 4):
        machine.feed(Text(f"{number:>4}"[-4:]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * size
