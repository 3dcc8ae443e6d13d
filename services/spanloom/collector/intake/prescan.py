"""Scans encoded requests before parsing: counts, resource entries, unknown fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Never

from spanloom.collector.intake.findings import Change
from spanloom.core.errors import InvalidRequestError, RequestTooLargeError
from spanloom.wire.varint import decode_varint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.common.v1.common_pb2 import KeyValue

    from spanloom.collector.intake.findings import Findings
    from spanloom.collector.intake.limits import Limits


_RESOURCE_TAG = 0x0A
"""Field 1 of each request: ``resource_spans``, ``resource_logs``, ``resource_metrics``."""
_SCOPE_TAG = 0x12
"""Field 2 of each resource entry: ``scope_spans``, ``scope_logs``, ``scope_metrics``."""
_ITEM_TAG = 0x12
"""Field 2 of each scope entry: ``spans``, ``log_records``, ``metrics``."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def scan_request(body: bytes, limits: Limits) -> int:
    """Return the number of spans, log records or metrics; all OTLP requests nest in the same way.

    A parser never finds more items; their content is not checked. Raises ``RequestTooLargeError``
    as soon as a count exceeds its limit, and ``InvalidRequestError`` if the levels around the items
    are not protobuf.
    """
    counts = _Counts(limits)
    try:
        for tag, start, stop in _fields(body, 0, len(body)):
            if tag == _RESOURCE_TAG:
                counts.add_entry()
                _scan_resource(body, start, stop, counts)
            else:
                counts.add_other()
    except IndexError:
        raise InvalidRequestError("The request is not protobuf: it ends inside a field.") from None
    except ValueError as error:
        raise InvalidRequestError(f"The request is not protobuf: {error}.") from None
    return counts.items


def resource_entries(body: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and end offsets of each resource entry's content in a scanned request."""
    return (
        (start, stop) for tag, start, stop in _fields(body, 0, len(body)) if tag == _RESOURCE_TAG
    )


class _Counts:
    """Counts in one request; raises ``RequestTooLargeError`` when a count exceeds its limit."""

    def __init__(self, limits: Limits) -> None:
        self.items = 0
        self._limits = limits
        self._entries = 0
        self._others = 0

    def add_entry(self) -> None:
        self._entries += 1
        if self._entries > self._limits.max_entries:
            self._refuse(self._limits.max_entries, "resource and scope entries")

    def add_other(self) -> None:
        """Count a field that is neither an entry nor an item; an entry usually has about three."""
        self._others += 1
        if self._others > 4 * self._limits.max_entries:
            self._refuse(4 * self._limits.max_entries, "fields beside its spans")

    def add_item(self) -> None:
        self.items += 1
        if self.items > self._limits.max_spans:
            self._refuse(self._limits.max_spans, "items")

    @staticmethod
    def _refuse(limit: int, what: str) -> Never:
        raise RequestTooLargeError(
            f"The request has more than {limit} {what}: send smaller batches."
        )


def _scan_resource(body: bytes, start: int, stop: int, counts: _Counts) -> None:
    for tag, inner_start, inner_stop in _fields(body, start, stop):
        if tag == _SCOPE_TAG:
            counts.add_entry()
            _scan_scope(body, inner_start, inner_stop, counts)
        else:
            counts.add_other()


def _scan_scope(body: bytes, start: int, stop: int, counts: _Counts) -> None:
    for tag, _, _ in _fields(body, start, stop):
        if tag == _ITEM_TAG:
            counts.add_item()
        else:
            counts.add_other()


def _fields(body: bytes, position: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield each field between two offsets: its tag, and the start and end of its content."""
    while position < end:
        tag = body[position]
        position += 1
        if tag > 0x7F:
            tag, position = decode_varint(body, position - 1)
        kind = tag & 7
        start = position
        if kind == _BYTES:
            length = body[position]
            start = position + 1
            if length > 0x7F:
                length, start = decode_varint(body, position)
            position = start + length
        elif kind == _VARINT:
            _, position = decode_varint(body, position)
        elif kind == _FIXED64:
            position += 8
        elif kind == _FIXED32:
            position += 4
        else:
            raise InvalidRequestError(f"The request is not protobuf: wire type {kind}.")
        if position > end or tag < 8:
            raise InvalidRequestError("The request is not protobuf: a field is cut or unnumbered.")
        yield tag, start, position


def drop_unknown_fields(request: ExportTraceServiceRequest, findings: Findings) -> bytes:
    """Return the request without unknown fields and without string indexes as keys.

    A string index points into the string table of OTLP profiles, which traces do not have. The
    attribute keeps its text key, which is usually empty. ``findings`` counts these attributes.
    """
    request.DiscardUnknownFields()
    for attributes in _all_attributes(request):
        for attribute in attributes:
            if attribute.key_strindex:
                attribute.ClearField("key_strindex")
                findings.changes[Change.STRING_INDEX] += 1
    return request.SerializeToString()


def _all_attributes(request: ExportTraceServiceRequest) -> Iterator[Iterable[KeyValue]]:
    for group in request.resource_spans:
        yield group.resource.attributes
        for scope_spans in group.scope_spans:
            yield scope_spans.scope.attributes
            for span in scope_spans.spans:
                yield span.attributes
                yield from (event.attributes for event in span.events)
                yield from (link.attributes for link in span.links)
