"""Cursors of searches: opaque text around a position among hits."""

from __future__ import annotations

import re

from spanloom.api.cursors import NO_CURSOR, decode_position, encode_position, is_position
from spanloom.core.errors import InvalidQueryError
from spanloom.core.ports.reading import Cursor
from spanloom.core.ports.texts import HitCursor, Part

_STEP_ID = re.compile(r"[0-9a-f]{16}")


def encode_hit_cursor(cursor: HitCursor) -> str:
    """Return the position as text that needs no escaping in a URL."""
    return encode_position(list(cursor))


def decode_hit_cursor(text: str) -> HitCursor:
    """Return the position; raise ``InvalidQueryError`` for text that is no cursor of ours."""
    try:
        cursor = HitCursor(*decode_position(text))
        if not _is_hit(cursor):
            raise ValueError("not a position")
    except (ValueError, TypeError) as error:
        raise InvalidQueryError(NO_CURSOR) from error
    return cursor


def _is_hit(cursor: HitCursor) -> bool:
    return (
        is_position(Cursor(cursor.start_ns, cursor.trace_id, cursor.project))
        and isinstance(cursor.step_id, str)
        and _STEP_ID.fullmatch(cursor.step_id) is not None
        and type(cursor.part) is int
        and 1 <= cursor.part <= len(Part)
    )
