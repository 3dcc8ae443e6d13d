"""The number of examples of a property: few every day, many in the long form.

The long form: ``pytest --hypothesis-profile=long tests/properties``.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

EVERY_DAY = "every day"
MOST_EVERY_DAY = 16


def register_profiles() -> None:
    """Register both forms and load the daily form; no example has a deadline."""
    slow = [HealthCheck.too_slow]
    settings.register_profile("long", deadline=None, suppress_health_check=slow)
    settings.register_profile(
        EVERY_DAY, deadline=None, suppress_health_check=slow, max_examples=MOST_EVERY_DAY
    )
    settings.load_profile(EVERY_DAY)


def examples(count: int, every_day: int = MOST_EVERY_DAY) -> int:
    """Return the number of examples of a property, which is ``count`` in the long form.

    A property whose examples take half a second each uses fewer every day.
    """
    return count if is_long() else min(count, every_day)


def is_long() -> bool:
    """Return whether this is the long form."""
    return settings().max_examples > MOST_EVERY_DAY
