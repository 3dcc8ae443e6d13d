"""Moments that senders write as text."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_FRACTION = re.compile(r"\.(\d+)")
_MAX_NS = 2**63 - 1


def iso_nanoseconds(text: object) -> int | None:
    """Return an ISO 8601 time in nanoseconds since the epoch; without an offset it is UTC.

    ``None`` if the value is no such time, or not between 1970 and 2262.
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
