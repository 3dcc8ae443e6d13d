"""Interval starts computed by Python's ``zoneinfo``, to compare with the store's SQL."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from functools import cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, available_timezones

if TYPE_CHECKING:
    from spanloom.core.query.intervals import Interval

SECOND = 10**9
known_zones = cache(lambda: frozenset(available_timezones()))
_EPOCH = date(1970, 1, 1)


def start_of(interval: Interval, start_ns: int) -> int:
    """Return the start of the interval that contains a time, both in ns since the epoch."""
    zone, at = ZoneInfo(interval.timezone), start_ns // SECOND
    found = _midnight(interval, zone, at) if interval.days else _by_clock(interval, zone, at)
    return max(found, 0) * SECOND


def _midnight(interval: Interval, zone: ZoneInfo, at: int) -> int:
    day = (datetime.fromtimestamp(at, zone).date() - _EPOCH).days
    first = day - (day + interval.ahead_days) % interval.days
    return first > 0 and int(
        datetime.combine(_EPOCH + timedelta(days=first), time(), zone).timestamp()
    )


def _by_clock(interval: Interval, zone: ZoneInfo, at: int) -> int:
    back = at - (at + _offset(zone, at)) % interval.length_s
    moved = back + _offset(zone, at) - _offset(zone, back)
    is_there = _offset(zone, moved - 1) == _offset(zone, back)
    return moved if is_there else back


def _offset(zone: ZoneInfo, at: int) -> int:
    return int(
        (datetime.fromtimestamp(max(at, 0), zone).utcoffset() or timedelta()).total_seconds()
    )
