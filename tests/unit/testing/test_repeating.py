"""The pytest mark's ``repeats`` and ``require`` decide how many tries of a test must pass."""

from __future__ import annotations

from typing import Any

import pytest

from spanloom.testing.repeating import read_mark


@pytest.mark.parametrize(
    ("told", "passed", "holds"),
    [
        ({}, 1, True),
        ({"repeats": 3}, 2, False),
        ({"repeats": 3}, 3, True),
        ({"repeats": 8, "require": "pass@1 >= 0.75"}, 6, True),
        ({"repeats": 8, "require": "pass@1 > 0.75"}, 6, False),
        ({"repeats": 8, "require": "pass@1>=.75"}, 5, False),
        ({"repeats": 5, "require": "pass@2 >= 0.9"}, 3, True),
        ({"repeats": 5, "require": " pass^2 >= 0.31 "}, 3, False),
    ],
)
def test_a_requirement_holds_by_the_share_of_tries(
    told: dict[str, Any], passed: int, holds: bool
) -> None:
    tries, requirement = read_mark((), told)
    assert requirement.holds(requirement.value(tries, passed)) is holds


@pytest.mark.parametrize(
    ("args", "told", "reason"),
    [
        ((8,), {}, "keywords repeats and require"),
        ((), {"times": 8}, "keywords repeats and require"),
        ((), {"repeats": 0}, "from 1 to 1,000, not 0"),
        ((), {"repeats": True}, "from 1 to 1,000, not True"),
        ((), {"repeats": "8"}, "from 1 to 1,000, not '8'"),
        ((), {"repeats": 8, "require": "pass 1"}, "such as 'pass@1 >= 0.75'"),
        ((), {"repeats": 8, "require": 0.75}, "such as 'pass@1 >= 0.75'"),
        ((), {"repeats": 2, "require": "pass^3 >= 0.5"}, "of 2 repeats k is 1 to 2"),
        ((), {"repeats": 2, "require": "pass@0 >= 0.5"}, "of 2 repeats k is 1 to 2"),
        ((), {"repeats": 2, "require": "pass@1 >= 75"}, "a share is at most 1"),
    ],
)
def test_a_mark_that_cannot_be_meant_says_why(
    args: tuple[object, ...], told: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        read_mark(args, told)
    assert reason in str(raised.value)
