"""Cursors as callers see them: opaque text around a position in a list."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.errors import InvalidQueryError
from spanloom.core.ports.reading import Cursor

if TYPE_CHECKING:
    from spanloom.core.ports.reading import ConversationSummary, TrajectorySummary
    from spanloom.core.query.paging import Page

_TRACE_ID = re.compile(r"[0-9a-f]{32}")
_REPLAY_ID = re.compile(r"[0-9a-f]{16}")
NO_CURSOR = "cursor: not one that this list gave; pass `next_cursor` of the page before, unchanged"


def encode_cursor(cursor: Cursor) -> str:
    """Return the position as text that needs no escaping in a URL."""
    return encode_position([cursor.start_ns, cursor.trace_id, cursor.project])


def encode_position(position: list[object]) -> str:
    """Return what a position consists of as text that needs no escaping in a URL."""
    return urlsafe_b64encode(orjson.dumps(position)).decode("ascii").rstrip("=")


def decode_position(text: str) -> Any:  # whatever a caller wrote: whoever takes it checks it
    """Return what such a text consists of; raise ``ValueError`` for what is none."""
    return orjson.loads(urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)))


def next_cursor(page: Page[TrajectorySummary] | Page[ConversationSummary]) -> str | None:
    """Return the cursor of the page that follows, or ``None`` behind the last page."""
    return encode_cursor(page.lines[-1].cursor) if page.has_more else None


def decode_cursor(text: str) -> Cursor:
    """Return the position; raise ``InvalidQueryError`` for text that is no cursor of ours."""
    try:
        start_ns, trace_id, project = decode_position(text)
        cursor = Cursor(start_ns, trace_id, project)
        if not is_position(cursor):
            raise ValueError("not a position")
    except (ValueError, TypeError) as error:
        raise InvalidQueryError(NO_CURSOR) from error
    return cursor


def decode_replay_cursor(text: str) -> str:
    """Return the id behind which a list of replays goes on.

    Raises ``InvalidQueryError`` for text that is no cursor of ours.
    """
    if not _REPLAY_ID.fullmatch(text):
        raise InvalidQueryError(NO_CURSOR)
    return text


def is_position(cursor: Cursor) -> bool:
    """Return whether a caller's position could be one of a list."""
    return (
        type(cursor.start_ns) is int
        and 0 <= cursor.start_ns < 2**64
        and isinstance(cursor.trace_id, str)
        and _TRACE_ID.fullmatch(cursor.trace_id) is not None
        and isinstance(cursor.project, str)
    )
