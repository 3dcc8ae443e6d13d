"""Which HTTP status a reason of ClickHouse has."""

from __future__ import annotations

_BY_CODE = {
    **dict.fromkeys((194, 516), 401),  # REQUIRED_PASSWORD, AUTHENTICATION_FAILED
    **dict.fromkeys((497, 164), 403),  # ACCESS_DENIED, READONLY
    **dict.fromkeys((60, 81, 372), 404),  # UNKNOWN_TABLE, UNKNOWN_DATABASE, SESSION_NOT_FOUND
    **dict.fromkeys((307,), 413),  # TOO_MANY_BYTES
    **dict.fromkeys((202,), 503),  # TOO_MANY_SIMULTANEOUS_QUERIES
    **dict.fromkeys((48, 344), 501),  # NOT_IMPLEMENTED, SUPPORT_IS_DISABLED
    **dict.fromkeys((62, 47, 46, 36, 42, 43, 53, 6, 27, 70, 72, 73, 115, 456, 457), 400),
    **dict.fromkeys((271, 354, 386, 395, 216, 373, 20, 182, 184, 215), 400),
}
"""As ClickHouse's own server has them, as far as this port gives them; all others are 500."""


def status_of(code: int) -> int:
    """Return the status of an answer with this reason."""
    return _BY_CODE.get(code, 500)
