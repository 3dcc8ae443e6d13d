"""Lists are read to their end, whatever the size of a page, and no further than they are used."""

from __future__ import annotations

from itertools import islice

import pytest

from spanloom.core.query.lists import Page, every_line, read_page


class Numbers:
    """A list of the numbers 1 to ``count`` that records after which number each page was read."""

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


@pytest.mark.parametrize(("count", "has_more"), [(0, False), (2, False), (3, False), (4, True)])
def test_a_page_that_is_just_full_may_be_the_last(count: int, has_more: bool) -> None:
    numbers = Numbers(count)
    page = read_page(lambda most: numbers.read(most, None), 3)
    assert page == Page(list(range(1, min(count, 3) + 1)), has_more)


def test_lines_that_nobody_uses_are_not_read() -> None:
    numbers = Numbers(100)
    assert list(islice(every_line(numbers.read, int, 3), 6)) == [1, 2, 3, 4, 5, 6]
    assert numbers.read_behind == [None, 3]
