"""Sifting a refused batch: items refused alone are found, in no more tries than declared."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

import pytest

from spanloom.collector.spool.attempts import Attempts, Stall
from spanloom.collector.spool.sift import sift
from spanloom.core.errors import StoreFaultError
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.ports.spans import SpooledRequest

REFUSED = ValueError("refused")


class Picky:
    """A store that refuses each part that contains a bad item."""

    def __init__(self, bad: set[int]) -> None:
        self.stored: list[int] = []
        self._bad = bad

    def store(self, part: Sequence[int]) -> Exception | None:
        if self._bad.intersection(part):
            return REFUSED
        self.stored += part
        return None


@pytest.mark.parametrize("bad", [{3}, {0, 7}, {1, 3, 5, 7}])
def test_many_bad_items_are_found_once_something_passed(bad: set[int]) -> None:
    picky = Picky(bad)
    found = sift(range(8), REFUSED, picky.store, fruitless=8)
    assert found is not None
    assert {item for item, _ in found} == bad
    assert set(picky.stored) == set(range(8)) - bad


def test_where_nothing_passes_nothing_is_known_of_any_item() -> None:
    assert sift(range(64), REFUSED, Picky(set(range(64))).store, fruitless=8) is None


class Faulty:
    """A store that fails with an error that may be the collector's fault."""

    def __init__(self) -> None:
        self.tries = 0

    def append(self, _requests: Sequence[SpooledRequest]) -> None:
        self.tries += 1
        raise StoreFaultError("odd")


def test_a_fault_is_tried_as_often_as_declared() -> None:
    faulty = Faulty()
    attempts = Attempts(faulty, Metrics(), Event(), Stall())
    assert isinstance(attempts.until_answered([], tries=2), StoreFaultError)
    assert faulty.tries == 2
