"""Cursors: positions in a list, encoded as opaque text together with a hash of the query."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from math import isfinite
from typing import TYPE_CHECKING, TypeVar

import orjson

from spanloom.api.query.questions import fingerprint
from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.lists import Cursor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pydantic import BaseModel

    from spanloom.core.query.lists import ListedConversation, ListedRun, Page
    from spanloom.core.query.question import Rank

PositionT = TypeVar("PositionT")

_TRACE_ID = re.compile(r"[0-9a-f]{32}")
NO_CURSOR = "not one that this list gave; pass `next_cursor` of the page before, unchanged"
OTHER_QUESTION = "it goes on with another question; ask the same one, or begin without it"


def encode_cursor(position: Iterable[object], question: str = "") -> str:
    """Encode a position and the fingerprint of its query as text that is safe in a URL."""
    told = orjson.dumps([question, *position])
    return urlsafe_b64encode(told).decode("ascii").rstrip("=")


def next_cursor(
    page: Page[ListedRun] | Page[ListedConversation], query: BaseModel, of: str = ""
) -> str | None:
    """Return the cursor of the next page, or ``None`` after the last page."""
    return encode_cursor(page.lines[-1].cursor, fingerprint(query, of)) if page.has_more else None


def decode_cursor(text: str, question: str = "") -> Cursor:
    """Return a position in a list of runs; raises as ``decode_position`` does."""
    return decode_position(text, question, _place)


def decode_position(text: str, question: str, read: Callable[..., PositionT]) -> PositionT:
    """Decode a cursor and return its parts as converted by ``read``.

    ``read`` raises ``ValueError`` or ``TypeError`` for parts that are no position. Raises
    ``InvalidQueryError`` for text that is no valid cursor, and for a cursor of another query, whose
    order may differ.
    """
    try:
        asked, *parts = orjson.loads(
            urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        )
        position = read(*parts)
    except (ValueError, TypeError) as error:
        raise InvalidQueryError(NO_CURSOR, "cursor") from error
    if asked != question:
        raise InvalidQueryError(OTHER_QUESTION, "cursor")
    return position


def demand(is_right: bool) -> None:
    """Raise ``ValueError`` unless ``is_right``: the value is no position."""
    if not is_right:
        raise ValueError("not a position")


def _place(start_ns: int, trace_id: str, project: str, rank: Rank) -> Cursor:
    cursor = Cursor(start_ns, trace_id, project, tuple(rank))
    demand(is_position(cursor))
    return cursor


def is_position(cursor: Cursor) -> bool:
    """Return whether a position sent by a caller has valid types and ranges."""
    return (
        type(cursor.start_ns) is int
        and 0 <= cursor.start_ns < 2**64
        and isinstance(cursor.trace_id, str)
        and _TRACE_ID.fullmatch(cursor.trace_id) is not None
        and isinstance(cursor.project, str)
        and all(map(_is_number, cursor.rank))
    )


def _is_number(part: object) -> bool:
    """Return whether the store can compare with the number: finite, within 64 bits."""
    return (type(part) is int and abs(part) < 2**63) or (type(part) is float and isfinite(part))
