"""Spans as read from the store; never changed.

Fields are in the order in which the store's read query selects the columns, so that
``Span._make`` turns a row into a span: the extractor reads tens of thousands a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class TraceKey(NamedTuple):
    """Identifies a trace: trace ids are unique within a project only."""

    project: str
    trace_id: str
    """32 lowercase hex digits."""


class Event(NamedTuple):
    """A span event."""

    time_ns: int
    name: str
    attributes: Mapping[str, str]


class Link(NamedTuple):
    """A link to another span."""

    trace_id: str
    span_id: str
    attributes: Mapping[str, str]


class Span(NamedTuple):
    """One stored span, the newest version of it.

    Attribute values are text: strings as they are, numbers in decimal, booleans ``true`` or
    ``false``, bytes in base64, arrays and key-value lists as JSON, an unset value empty.
    """

    trace_id: str
    span_id: str
    """16 lowercase hex digits."""
    parent_span_id: str
    """Empty for a root."""
    name: str
    kind: str
    """``Internal``, ``Server``, ``Client``, ``Producer``, ``Consumer`` or ``Unspecified``."""
    start_ns: int
    """Nanoseconds since the epoch, 0 to 2^64 - 1, exactly as sent."""
    end_ns: int
    status_code: str
    """``Unset``, ``Ok`` or ``Error``."""
    status_message: str
    service_name: str
    scope_name: str
    scope_version: str
    attributes: Mapping[str, str]
    events: Sequence[Event]
    links: Sequence[Link]
    row_version: int
    """Grows each time the span is accepted."""
    environment: str = ""
    """Where the service runs, ``production``: a resource attribute, like ``service_name``."""
