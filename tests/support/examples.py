"""The number of examples of a property: few by default, many in the profile ``long``.

``pytest --hypothesis-profile=long tests/properties`` selects that profile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _pytest.mark.structures import ParameterSet

EVERY_DAY = "every day"
MOST_EVERY_DAY = 10


def register_profiles() -> None:
    """Register both profiles and load the default one; no example has a deadline."""
    slow = [HealthCheck.too_slow]
    settings.register_profile("long", deadline=None, suppress_health_check=slow)
    settings.register_profile(
        EVERY_DAY, deadline=None, suppress_health_check=slow, max_examples=MOST_EVERY_DAY
    )
    settings.load_profile(EVERY_DAY)


def examples(count: int, every_day: int = MOST_EVERY_DAY) -> int:
    """Return the number of examples of a property, which is ``count`` in the profile ``long``.

    By default it is at most ``every_day``: lower for examples that take half a second each.
    """
    return count if is_long() else min(count, every_day)


def some_every_day(values: Iterable[object], every_day: int = 1) -> list[ParameterSet]:
    """Return parameters of a test; those after the first ``every_day`` are marked ``nightly``.

    A tuple has the values of several arguments.
    """
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=pytest.mark.nightly if at >= every_day else (),
        )
        for at, value in enumerate(values)
    ]


def is_long() -> bool:
    """Return whether the profile ``long`` is loaded."""
    return settings().max_examples > MOST_EVERY_DAY
