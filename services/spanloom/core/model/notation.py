"""Small notations: a point in time, the host and port of a URL, and the size of a ``where``."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MAX_NS = 2**64 - 1
_AGO = re.compile(r"([1-9]\d{0,5})([mhdw])")
_UNITS_NS = {"m": 60 * 10**9, "h": 3600 * 10**9, "d": 86_400 * 10**9, "w": 7 * 86_400 * 10**9}
MAX_WHERE_BYTES = 4096
"""Maximum length of a ``where`` in UTF-8 bytes."""
HOW_TO_WRITE = "write RFC 3339 such as 2026-01-31T12:00:00Z, or milliseconds since the epoch"


def parse_instant(text: str) -> int:
    """Return nanoseconds since the epoch; raise ``ValueError`` that names the accepted form.

    A space before an offset is read as ``+``, because an unescaped ``+`` in a query string becomes
    a space.
    """
    if text.isascii() and text.isdigit():
        return _in_range(int(text[:20]) * 1_000_000)
    try:
        moment = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
    except ValueError:
        raise ValueError(HOW_TO_WRITE) from None
    if moment.tzinfo is None:
        raise ValueError("an offset is missing: end with Z or, say, +02:00")
    return _in_range((moment - _EPOCH) // _MICROSECOND * 1_000)


def parse_ago(text: str, now_ns: int) -> int | None:
    """Return the time ``30m``, ``24h``, ``7d`` or ``4w`` before now, in ns; ``None`` if invalid."""
    found = _AGO.fullmatch(text)
    return max(now_ns - int(found[1]) * _UNITS_NS[found[2]], 0) if found else None


def _in_range(instant_ns: int) -> int:
    if not 0 <= instant_ns <= _MAX_NS:
        raise ValueError("only times from 1970 to 2554 are supported")
    return instant_ns


def rfc3339(at_ns: int) -> str | None:
    """Return a time in ns since the epoch as RFC 3339 in whole seconds; ``None`` for 0."""
    if not at_ns:
        return None
    return datetime.fromtimestamp(at_ns // 10**9, UTC).isoformat().replace("+00:00", "Z")


def authority(host: str, port: int) -> str:
    """Return ``host:port``, with brackets around an IPv6 address: ``[::1]:8080``."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
