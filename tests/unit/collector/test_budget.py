"""The budget of bytes in flight: an exact fit is accepted, a larger request takes nothing."""

from __future__ import annotations

import pytest

from spanloom.collector.intake.admission import InFlightBudget
from spanloom.core.errors import OverloadedError


def test_what_fits_exactly_is_taken_and_nothing_more() -> None:
    budget = InFlightBudget(100)
    with budget.reserve() as share:
        share.grow(60)
        share.grow(40)
        with pytest.raises(OverloadedError):
            share.grow(1)
        assert budget.taken == share.size == 100
    assert budget.taken == 0
