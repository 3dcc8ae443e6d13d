"""Chains of steps as one pattern: how far apart the steps may be."""

from __future__ import annotations

import re

import pytest

from spanloom.core.query.where.tree import Link
from spanloom.storage.where.comparisons import Literals, chain

FIRST, OTHER, SECOND = "A", "@", "B"
"""Steps that meet the first predicate, none, and the second, as characters (64 and their bits)."""


@pytest.mark.parametrize("most", [1, 2, 3, 1000])
def test_a_step_within_some_is_that_many_further_at_most(most: int) -> None:
    literals = Literals("p")
    chain(["StepHasError", "StepHasError"], [Link(most)], literals)
    (pattern,) = map(str, literals.values.values())
    assert re.search(pattern, FIRST + OTHER * (most - 1) + SECOND)
    assert not re.search(pattern, FIRST + OTHER * most + SECOND)
    assert not re.search(pattern, SECOND + OTHER * (most - 1) + FIRST)
