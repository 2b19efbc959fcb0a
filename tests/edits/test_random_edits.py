"""Random changes of random files, written with allowed damage: exactly the change, or an error."""

from collections import Counter

import pytest
from random_edits import make, verdict

SLICE = range(0, 3000, 500)


@pytest.mark.parametrize("start", SLICE)
def test_a_random_edit_gives_exactly_its_change_or_an_error(start: int) -> None:
    """No wrong byte is written, and no edit that leaves no doubt is refused."""
    seeds = range(start, start + 500)
    assert [(seed, found) for seed in seeds if (found := verdict(make(seed))) in {"wrong", "refused"}] == []


def test_most_damaged_edits_are_applied() -> None:
    """Errors are the exception even among edits that the rules allow to fail."""
    found = Counter(verdict(make(seed)) for seed in range(10_000, 10_500))
    assert found["right"] > 400


def test_a_case_is_made_from_its_seed_alone() -> None:
    """The same seed gives the same case, so that a failure is named by a number."""
    assert [make(seed) for seed in range(50)] == [make(seed) for seed in range(50)]
