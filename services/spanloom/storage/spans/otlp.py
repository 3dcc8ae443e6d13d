"""Converts stored rows back to OTLP, every value in its original type."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import (
    Span,
    Status,
    TracesData,
)

from spanloom.storage.spans.values import attributes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

KINDS = ("Unspecified", "Internal", "Server", "Client", "Producer", "Consumer")
STATUS_CODES = ("Unset", "Ok", "Error")


class StoredSpan(NamedTuple):
    """A row of ``read_otlp.sql``; attributes are (texts, types, nested values in base64)."""

    resource_attributes: Mapping[str, str]
    resource_types: str
    resource_raw: Mapping[str, str]
    resource_dropped_attributes: int
    resource_schema_url: str
    scope_name: str
    scope_version: str
    scope_attributes: Mapping[str, str]
    scope_types: str
    scope_raw: Mapping[str, str]
    scope_dropped_attributes: int
    scope_schema_url: str
    trace_id: str
    span_id: str
    trace_state: str
    parent_span_id: str
    name: str
    kind: str
    start_ns: int
    end_ns: int
    attributes: Mapping[str, str]
    types: str
    raw: Mapping[str, str]
    dropped_attributes: int
    dropped_events: int
    dropped_links: int
    status_message: str
    status_code: str
    flags: int
    events: Sequence[Sequence[Any]]  # JSON values: the event columns, zipped
    links: Sequence[Sequence[Any]]  # JSON values: the link columns, zipped

    def resource_key(self) -> bytes:
        """Return a key that is equal for spans of one resource; the order of attributes matters."""
        return orjson.dumps(self[:5])

    def scope_key(self) -> bytes:
        """Return a key that is equal for spans of the same scope."""
        return orjson.dumps(self[5:12])


def encode_traces(rows: Iterable[StoredSpan]) -> bytes:
    """Return rows as one ``TracesData``, in the same order; empty if there are no rows.

    Adjacent rows with the same resource and scope share a group; a resource may appear again later.
    """
    data = TracesData()
    for of_resource in _runs(rows, StoredSpan.resource_key):
        first = of_resource[0]
        group = data.resource_spans.add(
            resource=_resource(first), schema_url=first.resource_schema_url
        )
        for of_scope in _runs(of_resource, StoredSpan.scope_key):
            first = of_scope[0]
            group.scope_spans.add(
                scope=_scope(first), schema_url=first.scope_schema_url, spans=map(_span, of_scope)
            )
    return data.SerializeToString()


def _runs(
    rows: Iterable[StoredSpan], key: Callable[[StoredSpan], bytes]
) -> Iterator[list[StoredSpan]]:
    return (list(run) for _, run in groupby(rows, key))


def number_of(text: str, names: Sequence[str]) -> int:
    """Return the number of an OTLP enum value from its stored text: a name, or a number.

    The position of a name in ``names`` is its number. A value without a name is stored as a number.
    """
    return names.index(text) if text in names else int(text)


def _resource(row: StoredSpan) -> Resource:
    return Resource(
        attributes=attributes_of(row.resource_attributes, row.resource_types, row.resource_raw),
        dropped_attributes_count=row.resource_dropped_attributes,
    )


def _scope(row: StoredSpan) -> InstrumentationScope:
    return InstrumentationScope(
        name=row.scope_name,
        version=row.scope_version,
        attributes=attributes_of(row.scope_attributes, row.scope_types, row.scope_raw),
        dropped_attributes_count=row.scope_dropped_attributes,
    )


def _span(row: StoredSpan) -> Span:
    return Span(
        trace_id=bytes.fromhex(row.trace_id),
        span_id=bytes.fromhex(row.span_id),
        trace_state=row.trace_state,
        parent_span_id=bytes.fromhex(row.parent_span_id),
        name=row.name,
        kind=number_of(row.kind, KINDS),  # type: ignore[arg-type]  # OTLP enums are open
        start_time_unix_nano=row.start_ns,
        end_time_unix_nano=row.end_ns,
        attributes=attributes_of(row.attributes, row.types, row.raw),
        dropped_attributes_count=row.dropped_attributes,
        events=(_event(*event) for event in row.events),
        dropped_events_count=row.dropped_events,
        links=(_link(*link) for link in row.links),
        dropped_links_count=row.dropped_links,
        status=_status(row),
        flags=row.flags,
    )


def _status(row: StoredSpan) -> Status:
    code = number_of(row.status_code, STATUS_CODES)
    return Status(message=row.status_message, code=code)  # type: ignore[arg-type]  # open enum


def _event(
    time_ns: int,
    name: str,
    texts: Mapping[str, str],
    types: str,
    raw: Mapping[str, str],
    dropped: int,
) -> Span.Event:
    return Span.Event(
        time_unix_nano=time_ns,
        name=name,
        attributes=attributes_of(texts, types, raw),
        dropped_attributes_count=dropped,
    )


def _link(
    trace_id: str,
    span_id: str,
    trace_state: str,
    texts: Mapping[str, str],
    types: str,
    raw: Mapping[str, str],
    dropped: int,
    flags: int,
) -> Span.Link:
    return Span.Link(
        trace_id=bytes.fromhex(trace_id),
        span_id=bytes.fromhex(span_id),
        trace_state=trace_state,
        attributes=attributes_of(texts, types, raw),
        dropped_attributes_count=dropped,
        flags=flags,
    )
