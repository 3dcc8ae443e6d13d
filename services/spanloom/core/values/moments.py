"""Points in time as text: parsed as senders write them, and written as RFC 3339."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

_FRACTION = re.compile(r"\.(\d+)")
_MAX_NS = 2**63 - 1
LAST_MS = 253_402_300_799_999
"""The end of the year 9999, in milliseconds since the epoch."""


def iso_nanoseconds(text: object) -> int | None:
    """Return an ISO 8601 time in nanoseconds since the epoch; without an offset it is UTC.

    ``None`` if the value is not such a time, or not between 1970 and 2262.
    """
    if not isinstance(text, str):
        return None
    fraction = _FRACTION.search(text)
    try:
        moment = datetime.fromisoformat(_FRACTION.sub("", text, count=1))
        seconds = int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp())
    except (ValueError, OverflowError):
        return None
    digits = fraction[1][:9].ljust(9, "0") if fraction else "0"
    nanoseconds = seconds * 10**9 + int(digits)
    return nanoseconds if 0 < nanoseconds <= _MAX_NS else None


def rfc3339_ms(ms: int) -> str:
    """Return milliseconds since the epoch as UTC text: ``2024-05-11T04:00:00.010Z``.

    Times before 1970 or after 9999 become the first or last moment of that range.
    """
    seconds, rest = divmod(min(max(ms, 0), LAST_MS), 1_000)
    return f"{_to_the_second(seconds)}.{rest:03}Z"


def rfc3339_us(us: int) -> str:
    """Return microseconds since the epoch as UTC text: ``2024-05-11T04:00:00.010000Z``."""
    seconds, rest = divmod(us, 1_000_000)
    return f"{_to_the_second(seconds)}.{rest:06}Z"


@lru_cache(maxsize=64)  # the times of a run are within a few seconds
def _to_the_second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:19]
