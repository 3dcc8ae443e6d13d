"""Cursors of step rows: opaque text around a position, tied to its question."""

from __future__ import annotations

from spanloom.api.cursors import (
    NO_CURSOR,
    OTHER_QUESTION,
    decode_position,
    encode_position,
    is_position,
)
from spanloom.core.errors import InvalidQueryError
from spanloom.core.ports.reading import Cursor
from spanloom.core.ports.steps import StepCursor


def encode_step_cursor(cursor: StepCursor, question: str) -> str:
    """Return the position as text that needs no escaping in a URL, with its question."""
    return encode_position([question, *cursor])


def decode_step_cursor(text: str, question: str) -> StepCursor:
    """Return the position; raise ``InvalidQueryError`` for what is none, or of another question."""
    try:
        asked, *place = decode_position(text)
        cursor = StepCursor(*place)
        if not _is_step(cursor):
            raise ValueError("not a position")
    except (ValueError, TypeError) as error:
        raise InvalidQueryError(NO_CURSOR) from error
    if asked != question:
        raise InvalidQueryError(OTHER_QUESTION)
    return cursor


def _is_step(cursor: StepCursor) -> bool:
    run = Cursor(cursor.start_ns, cursor.trace_id, cursor.project)
    return is_position(run) and type(cursor.position) is int and 0 <= cursor.position < 2**32
