"""Parses intervals, by which runs are grouped: ``15m``, ``1h``, or days in a time zone.

An interval begins when the local time in its time zone is a multiple of its length, counted from
midnight on 1970-01-01; weeks begin on Monday. So a day on which clocks change has 23 or 25 hours,
and an hour that is repeated then makes two intervals.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.where.problems import resembling

UTC = "UTC"
DAY_S = 86_400
_INTERVAL = re.compile(r"([1-9]\d{0,5})([smhdw])")
_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": DAY_S, "w": 7 * DAY_S}
_MONDAY = 3
"""Days from the preceding Monday to 1970-01-01, a Thursday."""
_EXAMPLES = "IANA names such as Europe/Berlin and UTC are known"


class Interval(NamedTuple):
    """The length of intervals, and the time zone in which they begin."""

    length_s: int
    timezone: str = UTC
    """The IANA name of the time zone."""
    ahead_days: int = 0
    """How many days before 1970-01-01 the first interval begins."""

    @property
    def days(self) -> int:
        """The length in days if it is a number of whole days; otherwise 0."""
        return 0 if self.length_s % DAY_S else self.length_s // DAY_S


def parse_interval(text: str, timezone: str = UTC) -> Interval:
    """Parse a text such as ``1h``; raises ``InvalidQueryError`` if it is invalid."""
    found = _INTERVAL.fullmatch(text)
    if found is None:
        raise InvalidQueryError(f"{text!r} is none; like 30s, 15m, 1h, 1d, 1w", "interval")
    length, unit = found.groups()
    return Interval(int(length) * _UNITS_S[unit], timezone, _MONDAY if unit == "w" else 0)


def refuse_timezone(name: str, known: frozenset[str]) -> None:
    """Raise ``InvalidQueryError`` for an unknown time zone, with similar known names."""
    if name in known:
        return
    names = {one.lower(): one for one in known}
    alike = [names[one] for one in resembling(name, names)]
    hint = f"did you mean {alike[0]}?" if alike else _EXAMPLES
    raise InvalidQueryError(f"{name!r} is no time zone; {hint}", "timezone")
