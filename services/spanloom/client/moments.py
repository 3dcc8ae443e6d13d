"""Parses points in time as users of the client and of the command line write them."""

from __future__ import annotations

import re
import time
from datetime import datetime, timedelta

from spanloom.core.model.notation import parse_instant

Moment = datetime | str | int
"""A time with its offset; ``90s``, ``30m``, ``2h`` or ``7d`` ago, a date (UTC) or RFC 3339;
``now``, or the midnight that ``today`` or ``yesterday`` began with here; ms since the epoch."""

_UNITS_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_NS_PER_MS = 1_000_000
_DAYS_AGO = {"today": 0, "yesterday": 1}


def milliseconds_of(moment: Moment) -> int:
    """Return milliseconds since the epoch; ``2h`` is two hours before now.

    Raises ``ValueError`` whose message names the accepted forms.
    """
    if isinstance(moment, int):
        return moment
    text = moment.isoformat() if isinstance(moment, datetime) else moment
    if ago := re.fullmatch(r"(\d{1,9})([smhd])", text):
        now_ms = time.time_ns() // _NS_PER_MS
        return max(0, now_ms - int(ago[1]) * _UNITS_MS[ago[2]])
    if text.lower() in _DAYS_AGO:
        return _begin_ms(_DAYS_AGO[text.lower()])
    if text.lower() == "now":
        return time.time_ns() // _NS_PER_MS
    day = re.fullmatch(r"\d{4}-\d\d-\d\d", text)
    try:
        return parse_instant(f"{text}T00:00:00Z" if day else text) // _NS_PER_MS
    except ValueError as error:
        raise ValueError(f"{text!r}: write 30m, 2h, 7d, yesterday or a date; or: {error}") from None


def _begin_ms(days_ago: int) -> int:
    """Return the local midnight with which a day began, in ms since the epoch."""
    day = datetime.now().astimezone().date() - timedelta(days=days_ago)
    return int(datetime(day.year, day.month, day.day).astimezone().timestamp() * 1_000)


def milliseconds_or_none(moment: Moment | None) -> int | None:
    """Return milliseconds since the epoch, as ``milliseconds_of``; ``None`` for ``None``."""
    return None if moment is None else milliseconds_of(moment)
