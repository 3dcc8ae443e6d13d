"""Parameters of list routes: filters, ``where``, and cursors for the pages of a query.

Parameters arrive as text. They become a query that the store understands, and positions in lists.
"""

from __future__ import annotations

import re
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar

import orjson
from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    WithJsonSchema,
    create_model,
)

from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.notation import HOW_TO_WRITE, parse_ago, parse_instant
from spanloom.core.query.lists import Cursor
from spanloom.core.query.selection import RunSelection, condition_of, parse_order
from spanloom.core.query.where.fields import RUN_FIELDS
from spanloom.core.query.where.parser import parse_steps_where, parse_where
from spanloom.core.query.where.problems import InvalidWhereError, both
from spanloom.core.query.where.text_query import parse_text_query
from spanloom.core.query.where.tree import And, Words
from spanloom.core.records.declared import FieldType
from spanloom.core.records.run import RUN, Run
from spanloom.core.records.run_filters import run_shorts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spanloom.core.query.lists import ListedConversation, ListedRun, Page
    from spanloom.core.query.selection import Rank
    from spanloom.core.query.where.tree import Condition
    from spanloom.core.records.run_filters import Short


def _read_instant(written: object) -> int:
    """Return a time in ns; raises ``ValueError`` for a JSON number, because its unit is unknown."""
    if not isinstance(written, str):
        raise ValueError(HOW_TO_WRITE)
    return parse_instant(written)


Instant = Annotated[
    int,
    BeforeValidator(_read_instant),
    WithJsonSchema({"type": "string", "examples": ["2026-01-31T12:00:00Z", "1769860800000"]}),
]


class Ago(int):
    """A time in ns that the request gives relative to now."""

    written: str
    """The text as sent, such as ``7d``; unlike the time, it is equal for all pages of a list."""


def _read_when(written: object) -> int:
    """Return a time in ns, given as a time or an age (``7d``); raises like ``_read_instant``."""
    ago_ns = parse_ago(written, time.time_ns()) if isinstance(written, str) else None
    if ago_ns is None:
        return _read_instant(written)
    ago = Ago(ago_ns)
    ago.written = str(written)
    return ago


When = Annotated[
    int,
    PlainValidator(_read_when),
    PlainSerializer(lambda when: when.written if isinstance(when, Ago) else when),
    WithJsonSchema({"type": "string", "examples": ["2026-01-31T12:00:00Z", "7d"]}),
]
Name = Annotated[str, Field(max_length=512)]


ANY = "any"
"""The value that switches off a filter that is on by default."""
_NAMES = tuple(run_shorts())
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+"')
_OF_EMPTY_RUNS = re.compile(r"\b(?:has_steps|steps|trace_id)\b")
"""Fields; if a ``where`` names one of them, runs without steps are included by default."""


def _kind_of(name: str, short: Short) -> Any:  # a type
    field = RUN_FIELDS[short.field or name]
    if field.type is FieldType.CHOICE:
        return Run.model_fields[RUN.field_of(field.name)].annotation
    return {FieldType.TIME: When, FieldType.FLAG: bool}.get(field.type, Name)


def _parameter(name: str, short: Short) -> Any:  # (type, field), as create_model expects
    kind = _kind_of(name, short) | (None if short.default is None else Literal["any"])
    return (kind, Field(short.default, description=short.description, examples=[short.example]))


class _Filters(BaseModel):
    def filter(self) -> Condition | None:
        """Return the filters as one condition; ``None`` if no filter is set."""
        values = {name: getattr(self, name, None) for name in _NAMES}
        if "has_steps" not in self.model_fields_set and self._includes_empty_runs():
            values["has_steps"] = None
        return condition_of({n: None if v == ANY else v for n, v in values.items()})

    def _includes_empty_runs(self) -> bool:
        """Return whether a field in ``where``, or ``duplicate=any``, adds runs without steps."""
        where = getattr(self, "run_where", None) or getattr(self, "where", None) or ""
        is_named = _OF_EMPTY_RUNS.search(_QUOTED.sub("", where)) is not None
        return is_named or getattr(self, "duplicate", None) == ANY


def _filters(name: str, *wanted: str) -> Any:  # a model class created at run time
    fields = {n: _parameter(n, short) for n, short in run_shorts().items() if n in wanted}
    return create_model(name, __base__=_Filters, **fields)


if TYPE_CHECKING:
    Filters: TypeAlias = _Filters
    RunFilters: TypeAlias = _Filters
    ConversationFilters: TypeAlias = _Filters
else:
    Filters = _filters("Filters", *_NAMES)
    RunFilters = _filters("RunFilters", "duplicate", "has_steps")
    ConversationFilters = _filters(
        "ConversationFilters", "since", "until", "service", "environment", "user"
    )


NOT_OF_THE_QUESTION = {"cursor", "fields", "limit"}
"""Parameters that may differ between the pages of one list."""
NO_SEARCH = (
    "the service runs with --no-search. Start it without the option, and texts stored before are "
    "indexed too."
)


def read_question(where: str | None, q: str | None, order: str) -> RunSelection:
    """Return the parsed query; raises ``InvalidTextsError`` with the problems of all texts."""
    (condition, words), by = both(
        lambda: both(lambda: read_where(where), lambda: read_words(q)), lambda: parse_order(order)
    )
    return RunSelection(And((condition, words)) if condition and words else condition or words, by)


def read_words(text: str | None) -> Condition | None:
    """Return the condition that a run has a text with these words; ``None`` if there are none."""
    if text is None:
        return None
    parse_text_query(text)  # only validated here; the search parses them again
    return Words(text)


def read_where(text: str | None, parameter: str = "where") -> Condition | None:
    """Return the condition on runs, ``None`` for no text; error messages name the parameter."""
    return _read(parse_where, text, parameter)


def read_steps_where(text: str | None) -> Condition | None:
    """Return the condition on steps, ``None`` for no text."""
    return _read(parse_steps_where, text, "where")


def fingerprint(query: BaseModel, of: str = "") -> str:
    """Return a hash of a query, by which a cursor is bound to it.

    ``of`` names the list if its positions have the same types as positions in the list of runs.
    """
    members = query.model_dump(mode="json", exclude=NOT_OF_THE_QUESTION, exclude_defaults=True)
    hashed = [members, of] if of else members
    return blake2b(orjson.dumps(hashed, option=orjson.OPT_SORT_KEYS), digest_size=6).hexdigest()


def _read(
    parse: Callable[[str, int], Condition], text: str | None, parameter: str
) -> Condition | None:
    if text is None or not text.strip():
        return None
    try:
        return parse(text, time.time_ns())
    except InvalidWhereError as error:
        error.parameter = parameter
        raise


PositionT = TypeVar("PositionT")

_TRACE_ID = re.compile(r"[0-9a-f]{32}")
NO_CURSOR = "not one that this list gave; pass `next_cursor` of the page before, unchanged"
OTHER_QUESTION = "it belongs to another query; repeat that query, or begin without a cursor"


def encode_cursor(position: Iterable[object], question: str = "") -> str:
    """Encode a position and the fingerprint of its query as text that is safe in a URL."""
    parts = orjson.dumps([question, *position])
    return urlsafe_b64encode(parts).decode("ascii").rstrip("=")


def next_cursor(
    page: Page[ListedRun] | Page[ListedConversation], query: BaseModel, of: str = ""
) -> str | None:
    """Return the cursor of the next page, or ``None`` after the last page."""
    return encode_cursor(page.lines[-1].cursor, fingerprint(query, of)) if page.has_more else None


def decode_cursor(text: str, question: str = "") -> Cursor:
    """Return a position in a list of runs; raises like ``decode_position``."""
    return decode_position(text, question, _place)


def decode_position(text: str, question: str, read: Callable[..., PositionT]) -> PositionT:
    """Decode a cursor and return its position as converted by ``read``.

    ``read`` raises ``ValueError`` or ``TypeError`` for values that are not a position. Raises
    ``InvalidQueryError`` for text that is not a valid cursor, and for a cursor of another query,
    whose order may differ.
    """
    try:
        bound_to, *parts = orjson.loads(
            urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        )
        position = read(*parts)
    except (ValueError, TypeError) as error:
        raise InvalidQueryError(NO_CURSOR, "cursor") from error
    if bound_to != question:
        raise InvalidQueryError(OTHER_QUESTION, "cursor")
    return position


def demand(is_right: bool) -> None:
    """Raise ``ValueError`` with the message ``not a position`` unless ``is_right``."""
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
    """Return whether a value in a cursor is a number for the store: finite, within 64 bits."""
    return (type(part) is int and -(2**63) <= part < 2**64) or (
        type(part) is float and isfinite(part)
    )
