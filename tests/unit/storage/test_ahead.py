"""The next query runs while the answer of the previous one is used."""

from __future__ import annotations

from threading import Event, Lock
from time import sleep

import pytest

from spanloom.storage.spans.store import one_ahead


def test_the_next_query_runs_while_an_answer_is_used() -> None:
    ran = [Event() for _ in range(3)]

    def query(number: int) -> int:
        ran[number].set()
        return number

    answers = one_ahead(lambda n=n: query(n) for n in range(3))  # type: ignore[misc]
    assert next(answers) == 0
    assert ran[1].wait(10)
    assert not ran[2].is_set()
    assert list(answers) == [1, 2]


def test_one_query_runs_at_a_time() -> None:
    running = Lock()

    def query() -> bool:
        is_alone = running.acquire(blocking=False)
        if is_alone:
            sleep(0.001)
            running.release()
        return is_alone

    assert all(one_ahead([query] * 20))
    assert list(one_ahead([])) == []


def test_an_error_is_raised_in_its_turn() -> None:
    answers = one_ahead([lambda: 1, lambda: 1 // 0, lambda: 3])
    assert next(answers) == 1
    with pytest.raises(ZeroDivisionError):
        next(answers)
