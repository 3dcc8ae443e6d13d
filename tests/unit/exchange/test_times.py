"""Times that a source lacks are derived from the neighbouring times."""

from __future__ import annotations

from spanloom.core.exchange.times import filled


def test_unknown_times_are_those_before_and_the_first_those_of_the_first_known() -> None:
    assert filled([None, 5, None, 3, 9]) == [5, 5, 5, 5, 9]
    assert filled([None, None], 7) == [7, 7]
    assert filled([], 7) == []
