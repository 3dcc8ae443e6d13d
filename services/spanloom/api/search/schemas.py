"""Request and response models for the full-text search, and its cursors."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from spanloom.api.pages import cursor_field, limit_field
from spanloom.api.query import (
    Instant,
    decode_position,
    demand,
    encode_cursor,
    fingerprint,
    is_position,
)
from spanloom.api.responses import answer, or_rows
from spanloom.api.schemas import EXAMPLE_TRACE, PageQuery
from spanloom.core.ports.texts import HitCursor, TextSearch
from spanloom.core.query.lists import Cursor
from spanloom.core.query.where.text_query import parse_text_query
from spanloom.core.records.hit import HIT, Hit, Part

_STEP_ID = re.compile(r"[0-9a-f]{16}")


def encode_hit_cursor(cursor: HitCursor, question: str = "") -> str:
    """Encode a position and the fingerprint of its query as text that is safe in a URL."""
    return encode_cursor(cursor, question)


def decode_hit_cursor(text: str, question: str = "") -> HitCursor:
    """Return the position in a cursor.

    Raises ``InvalidQueryError`` if the cursor is invalid or belongs to another query.
    """
    return decode_position(text, question, _hit)


def _hit(*parts: object) -> HitCursor:
    cursor = HitCursor(*parts)  # type: ignore[arg-type]  # validated below
    demand(is_position(Cursor(cursor.start_ns, cursor.trace_id, cursor.project)))
    demand(isinstance(cursor.step_id, str) and _STEP_ID.fullmatch(cursor.step_id) is not None)
    demand(type(cursor.part) is int and 1 <= cursor.part <= len(Part))
    return cursor


MAX_HITS = 200
DEFAULT_HITS = 20
HITS_AT_ONCE = 1_000
"""Hits per page of a streamed response, because each text is read to show the matched words."""
EXAMPLE_STEP: str = HIT.example["step_id"]
EXAMPLE_HIT_CURSOR = encode_hit_cursor(
    HitCursor(1_715_400_000_000_000_000, EXAMPLE_TRACE, "default", EXAMPLE_STEP, 2)
)


def _read_parts(text: str) -> str:
    """Return a list such as ``input,error``; raises ``ValueError`` for an unknown part."""
    known = [str(part) for part in Part]
    for name in text.split(","):
        if name not in known:
            raise ValueError(f"{name!r} is no part of a step: name some of {', '.join(known)}")
    return text


class SearchQuery(PageQuery):
    """Words to search for, and filters."""

    q: Annotated[
        str,
        Field(
            description='Words, all of them in one text; `"rate limit"`: a phrase; '
            "`kubern*`: a prefix.",
            examples=['refund "rate limit"'],
        ),
    ]
    in_: Annotated[
        str,
        AfterValidator(_read_parts),
        Field(
            alias="in",
            description="Which texts of a step, separated by commas: `input`, `output`, `error`.",
            examples=["input,output"],
        ),
    ] = "input,output,error"
    since: Annotated[
        Instant | None,
        Field(
            description="Of runs that started at or after: RFC 3339 or ms since the epoch.",
            examples=["2026-01-31T12:00:00Z"],
        ),
    ] = None
    until: Annotated[
        Instant | None,
        Field(
            description="Of runs that started before: RFC 3339 or ms since the epoch.",
            examples=["2026-01-31T13:00:00Z"],
        ),
    ] = None
    limit: Annotated[int, limit_field("hits", most=MAX_HITS, usual=20)] = DEFAULT_HITS
    cursor: Annotated[str | None, cursor_field(EXAMPLE_HIT_CURSOR)] = None

    def after(self) -> HitCursor | None:
        """Return where the page starts, ``None`` for the first; raises ``InvalidQueryError``."""
        return None if self.cursor is None else decode_hit_cursor(self.cursor, fingerprint(self))

    def store_query(self) -> TextSearch:
        """Return the query for the store; raises ``InvalidQueryError``."""
        return TextSearch(
            parse_text_query(self.q),
            tuple(part for part in Part if part in self.in_.split(",")),
            self.since or 0,
            2**64 - 1 if self.until is None else self.until,
        )


class HitList(BaseModel):
    """One page of hits."""

    items: list[Hit]
    next_cursor: Annotated[
        str | None, Field(description="Of the next page; `null` after the last.")
    ]


HITS = or_rows(
    answer(
        "A page of hits; or all of them as lines, or as a table.",
        "HitList",
        {"items": [HIT.example], "next_cursor": EXAMPLE_HIT_CURSOR},
    )
)
