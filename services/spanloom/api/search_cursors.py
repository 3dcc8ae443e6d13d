"""Cursors of searches: opaque text around a position among hits, tied to its question."""

from __future__ import annotations

import re

from spanloom.api.cursors import decode_position, demand, encode_cursor, is_position
from spanloom.core.ports.texts import HitCursor, Part
from spanloom.core.query.summaries import Cursor

_STEP_ID = re.compile(r"[0-9a-f]{16}")


def encode_hit_cursor(cursor: HitCursor, question: str = "") -> str:
    """Return the position as text that needs no escaping in a URL, with its question."""
    return encode_cursor(cursor, question)


def decode_hit_cursor(text: str, question: str = "") -> HitCursor:
    """Return the position; raise ``InvalidQueryError`` for what is none, or of another question."""
    return decode_position(text, question, _hit)


def _hit(*parts: object) -> HitCursor:
    cursor = HitCursor(*parts)  # type: ignore[arg-type]  # looked at below
    demand(is_position(Cursor(cursor.start_ns, cursor.trace_id, cursor.project)))
    demand(isinstance(cursor.step_id, str) and _STEP_ID.fullmatch(cursor.step_id) is not None)
    demand(type(cursor.part) is int and 1 <= cursor.part <= len(Part))
    return cursor
