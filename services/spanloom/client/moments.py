"""Parses times in the forms that users of the client and the command line may write."""

from __future__ import annotations

import re
import time
from datetime import datetime, timedelta

from spanloom.core.model.notation import parse_instant

Moment = datetime | str | int
"""A time with its offset; ``90s``, ``30m``, ``2h``, ``7d`` or ``1w`` ago, also as ``2 days ago``
or ``last week``; a date (UTC) or RFC 3339; ``now``; ``today``, ``yesterday`` or ``monday``
(the local midnight at the start of that day); ms since the epoch."""

_UNITS_MS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_UNIT = "s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:ours?)?|d(?:ays?)?|w(?:eeks?)?"
_AGO = re.compile(rf"((?:last|past) )?(\d{{1,9}} ?|an? )?({_UNIT})(?: ago)?")
_NS_PER_MS = 1_000_000
_DAYS_AGO = {"today": 0, "yesterday": 1}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_FORMS = "30m, 2h, 7d, 'last week', yesterday, monday or a date"


def milliseconds_of(moment: Moment) -> int:
    """Return milliseconds since the epoch; ``2h`` is two hours before now.

    Raises ``ValueError`` whose message names the accepted forms.
    """
    if isinstance(moment, int):
        return moment
    text = moment.isoformat() if isinstance(moment, datetime) else moment
    for ms in (_ago_ms(text.lower()), _midnight_ms(text.lower())):
        if ms is not None:
            return ms
    day = re.fullmatch(r"\d{4}-\d\d-\d\d", text)
    try:
        return parse_instant(f"{text}T00:00:00Z" if day else text) // _NS_PER_MS
    except ValueError as error:
        raise ValueError(f"{text!r}: write {_FORMS}; or: {error}") from None


def _ago_ms(text: str) -> int | None:
    """Return the time of ``2h``, ``2 hours ago``, ``last hour`` or ``now``, otherwise ``None``."""
    now_ms = time.time_ns() // _NS_PER_MS
    if text == "now":
        return now_ms
    ago = _AGO.fullmatch(text)
    if ago is None or not (ago[1] or ago[2]):
        return None
    number = (ago[2] or "1").strip()
    return max(0, now_ms - int(number if number.isdecimal() else 1) * _UNITS_MS[ago[3][0]])


def _midnight_ms(text: str) -> int | None:
    """Return the local midnight of ``yesterday`` or of the last ``monday``, otherwise ``None``."""
    if text in _WEEKDAYS:
        weekday = datetime.now().astimezone().weekday()
        return _begin_ms((weekday - _WEEKDAYS.index(text)) % 7)
    return _begin_ms(_DAYS_AGO[text]) if text in _DAYS_AGO else None


def _begin_ms(days_ago: int) -> int:
    """Return the local midnight at the start of a day, in ms since the epoch."""
    day = datetime.now().astimezone().date() - timedelta(days=days_ago)
    return int(datetime(day.year, day.month, day.day).astimezone().timestamp() * 1_000)


def milliseconds_or_none(moment: Moment | None) -> int | None:
    """Return milliseconds since the epoch like ``milliseconds_of``, or ``None`` for ``None``."""
    return None if moment is None else milliseconds_of(moment)
