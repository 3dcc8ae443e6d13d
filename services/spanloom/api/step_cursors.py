"""Cursors of step rows: opaque text around a position, tied to its question."""

from __future__ import annotations

from spanloom.api.cursors import decode_position, demand, encode_cursor, is_position
from spanloom.core.ports.steps import StepCursor
from spanloom.core.query.summaries import Cursor


def encode_step_cursor(cursor: StepCursor, question: str) -> str:
    """Return the position as text that needs no escaping in a URL, with its question."""
    return encode_cursor(cursor, question)


def decode_step_cursor(text: str, question: str) -> StepCursor:
    """Return the position; raise ``InvalidQueryError`` for what is none, or of another question."""
    return decode_position(text, question, _step)


def _step(*parts: object) -> StepCursor:
    cursor = StepCursor(*parts)  # type: ignore[arg-type]  # looked at below
    demand(is_position(Cursor(cursor.start_ns, cursor.trace_id, cursor.project)))
    demand(type(cursor.position) is int and 0 <= cursor.position < 2**32)
    return cursor
