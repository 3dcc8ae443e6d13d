"""Lists are read to their end, however many lines a page has, and no further than they are used."""

from __future__ import annotations

from itertools import islice

import pytest

from spanloom.core.query.paging import every_line


class Numbers:
    """A list of the numbers from 1 on, which notes behind which it was read."""

    def __init__(self, count: int) -> None:
        self.read_behind: list[int | None] = []
        self._count = count

    def read(self, most: int, after: int | None) -> list[int]:
        self.read_behind.append(after)
        first = (after or 0) + 1
        return list(range(first, min(first + most, self._count + 1)))


@pytest.mark.parametrize(
    ("count", "read_behind"),
    [(0, [None]), (2, [None]), (3, [None, 3]), (7, [None, 3, 6])],
)
def test_every_line_comes_once(count: int, read_behind: list[int | None]) -> None:
    numbers = Numbers(count)
    assert list(every_line(numbers.read, int, 3)) == list(range(1, count + 1))
    assert numbers.read_behind == read_behind


def test_lines_that_nobody_uses_are_not_read() -> None:
    numbers = Numbers(100)
    assert list(islice(every_line(numbers.read, int, 3), 6)) == [1, 2, 3, 4, 5, 6]
    assert numbers.read_behind == [None, 3]
