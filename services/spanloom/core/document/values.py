"""Converts numbers of documents, which may be texts or of another type, to integers."""

from __future__ import annotations

_NUMERIC = (str, int, float)


def whole(value: object, otherwise: int = 0) -> int:
    """Return a number, or a text of digits, as an integer; ``otherwise`` for any other value."""
    if not isinstance(value, _NUMERIC):
        return otherwise
    try:
        return int(value)
    except (ValueError, OverflowError):
        return otherwise
