"""A chain of steps becomes one pattern that limits the distance between the steps."""

from __future__ import annotations

import re

import pytest

from spanloom.core.query.where.tree import Link
from spanloom.storage.where.comparisons import Literals, chain

FIRST, OTHER, SECOND = "A", "@", "B"
"""Characters for steps that meet the first predicate, none, or the second (64 plus their bits)."""


@pytest.mark.parametrize("most", [1, 2, 3, 1000])
def test_a_step_within_some_is_that_many_further_at_most(most: int) -> None:
    literals = Literals("p")
    chain(["StepHasError", "StepHasError"], [Link(most)], literals)
    (pattern,) = map(str, literals.values.values())
    assert re.search(pattern, FIRST + OTHER * (most - 1) + SECOND)
    assert not re.search(pattern, FIRST + OTHER * most + SECOND)
    assert not re.search(pattern, SECOND + OTHER * (most - 1) + FIRST)
