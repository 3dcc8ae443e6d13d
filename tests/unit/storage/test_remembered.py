"""Answers of a store are cached until this process writes something."""

from __future__ import annotations

from itertools import count

from spanloom.storage.engine import remembered
from spanloom.storage.engine.remembered import Remembered


def test_an_answer_holds_until_something_is_written() -> None:
    told, answers = Remembered[int](is_alone=True), count(1)
    assert [told.get("a", answers.__next__) for _ in range(3)] == [1, 1, 1]
    assert told.get("b", answers.__next__) == 2
    with told.writes:
        assert [told.get("a", answers.__next__) for _ in range(2)] == [3, 4]
    assert [told.get("a", answers.__next__) for _ in range(2)] == [5, 5]


def test_what_was_read_while_something_was_written_is_not_told_again() -> None:
    told = Remembered[str](is_alone=True)

    def read() -> str:
        with told.writes:
            return "old"

    assert told.get("a", read) == "old"
    assert told.get("a", lambda: "new") == "new"


def test_where_others_write_nothing_is_remembered() -> None:
    told, answers = Remembered[int](is_alone=False), count(1)
    assert [told.get("a", answers.__next__) for _ in range(2)] == [1, 2]


def test_no_more_is_kept_than_has_room() -> None:
    told = Remembered[int](is_alone=True)
    for asked in range(3 * remembered.MOST):
        assert told.get(asked, lambda: 7) == 7
    assert len(told._cached) <= remembered.MOST
