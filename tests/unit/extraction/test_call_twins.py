"""``find_twins`` pairs calls of two traces by content and time only if they report one run."""

from __future__ import annotations

import pytest
from tests.support.growth import assert_linear

from spanloom.core.duplicates.traces import find_twins
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.calls import Call

MS = 1_000_000
Told = tuple[float, float]
"""The start and the end of a call, in milliseconds."""


def calls(trace: str, *told: Told, keys: str = "aaaa", dialect: str = "") -> list[Call]:
    key, dialect = TraceKey("p", trace), dialect or trace
    return [
        Call(key, f"{trace}{n}", said, int(start * MS), int(end * MS), False, dialect)
        for n, ((start, end), said) in enumerate(zip(told, keys, strict=False))
    ]


def twins(ours: list[Call], theirs: list[Call]) -> list[str]:
    """Return the ids of the twins of ``ours``; the search from either side must pair alike."""
    found = [call.step_id for call in find_twins(theirs, ours)]
    back = [call.step_id for call in find_twins(ours, theirs)]
    assert len(found) == len(back)
    pairs = {(call.step_id, twin) for call, twin in zip(ours, found, strict=False)}
    assert pairs == {(twin, call.step_id) for call, twin in zip(theirs, back, strict=False)}
    return found


def test_calls_side_by_side_that_say_the_same_are_paired_by_both_ends() -> None:
    """In the recorded times, three calls begin within 2 ms, in a different order in each trace."""
    ours = calls("a", (19.7, 97.1), (20.7, 68.0), (21.4, 93.7))
    theirs = calls("b", (21.6, 94.3), (25.0, 68.6), (25.7, 97.5))
    assert twins(ours, theirs) == ["b2", "b1", "b0"]


def test_calls_that_say_different_things_are_no_twins() -> None:
    ours, theirs = calls("a", (0, 90)), calls("b", (1, 89))
    assert twins(ours, theirs) == ["b0"]
    no = [call._replace(answer=7) for call in ours]
    assert twins(no, theirs) == ["b0"]
    assert twins(no, [call._replace(answer=7) for call in theirs]) == ["b0"]
    assert twins(no, [call._replace(answer=8) for call in theirs]) == []


def test_one_call_of_several_may_be_told_late_at_one_end() -> None:
    ours = calls("a", (54.3, 106.0), (145.8, 201.8), (239.8, 276.6))
    theirs = calls("b", (54.4, 140.2), (145.9, 202.1), (239.9, 277.6))
    assert twins(ours, theirs) == ["b0", "b1", "b2"]
    assert twins(ours[:1], theirs[:1]) == []
    late = calls("b", (54.4, 140.2), (145.9, 240.0), (239.9, 277.6))
    assert twins(ours, late) == []


def test_asynchronous_code_calls_tellers_in_no_fine_order() -> None:
    ours = calls("a", (8.6, 73.5), (162.9, 210.9))
    assert twins(ours, calls("b", (9.1, 73.2), (164.6, 211.9))) == ["b0", "b1"]
    assert twins(ours, calls("b", (9.1, 71.2), (164.6, 213.2))) == []


@pytest.mark.parametrize(
    "theirs",
    [
        calls("b", (10, 50), (61, 90), dialect="a"),
        calls("b", (10, 50), (61, 90), keys="ab"),
        calls("b", (10, 50)),
        calls("b", (40, 80), (90, 120)),
    ],
    ids=["one teller", "says otherwise", "one is missing", "later"],
)
def test_others_are_no_twins(theirs: list[Call]) -> None:
    assert list(find_twins(theirs, calls("a", (10, 50), (60, 90)))) == []


def test_traces_of_equal_calls_take_linear_time() -> None:
    """Comparing every call with every other would take quadratic time."""

    def find(size: int) -> None:
        many = [(n / 1000, 50 + n / 1000) for n in range(size)]
        ours, theirs = (calls(trace, *many, keys="a" * len(many)) for trace in "ab")
        assert len(find_twins(theirs, ours)) == len(many)

    assert_linear(find, 5_000)
