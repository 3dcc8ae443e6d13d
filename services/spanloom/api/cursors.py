"""Cursors as callers see them: opaque text around a position in a list."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.api.questions import fingerprint
from spanloom.core.errors import InvalidQueryError
from spanloom.core.ports.reading import Cursor

if TYPE_CHECKING:
    from pydantic import BaseModel

    from spanloom.api.schemas import PageQuery
    from spanloom.core.ports.reading import ConversationSummary, TrajectorySummary
    from spanloom.core.query.paging import Page

_TRACE_ID = re.compile(r"[0-9a-f]{32}")
_REPLAY_ID = re.compile(r"[0-9a-f]{16}")
NO_CURSOR = "cursor: not one that this list gave; pass `next_cursor` of the page before, unchanged"
OTHER_QUESTION = "cursor: it goes on with another question; ask the same one, or begin without it"


def encode_cursor(cursor: Cursor, question: str = "") -> str:
    """Return the position as text that needs no escaping in a URL, with its question."""
    return encode_position([question, *cursor])


def encode_position(position: list[object]) -> str:
    """Return what a position consists of as text that needs no escaping in a URL."""
    return urlsafe_b64encode(orjson.dumps(position)).decode("ascii").rstrip("=")


def decode_position(text: str) -> Any:  # whatever a caller wrote: whoever takes it checks it
    """Return what such a text consists of; raise ``ValueError`` for what is none."""
    return orjson.loads(urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)))


def next_cursor(
    page: Page[TrajectorySummary] | Page[ConversationSummary], query: BaseModel
) -> str | None:
    """Return the cursor of the page that follows, or ``None`` behind the last page."""
    return encode_cursor(page.lines[-1].cursor, fingerprint(query)) if page.has_more else None


def position_of(query: PageQuery) -> Cursor | None:
    """Return where a page begins, ``None`` for the first; raises as ``decode_cursor`` does."""
    return None if query.cursor is None else decode_cursor(query.cursor, fingerprint(query))


def decode_cursor(text: str, question: str = "") -> Cursor:
    """Return the position; raise ``InvalidQueryError`` for text that is no cursor of ours.

    Nor is one that belongs to another question: what it goes by may be another order.
    """
    try:
        asked, start_ns, trace_id, project, rank = decode_position(text)
        cursor = Cursor(start_ns, trace_id, project, tuple(rank))
        if not is_position(cursor):
            raise ValueError("not a position")
    except (ValueError, TypeError) as error:
        raise InvalidQueryError(NO_CURSOR) from error
    if asked != question:
        raise InvalidQueryError(OTHER_QUESTION)
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
        and all(type(part) in (int, float, bool) for part in cursor.rank)
    )
