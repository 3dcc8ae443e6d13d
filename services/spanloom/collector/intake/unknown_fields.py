"""Requests with fields that trace requests do not have: later versions' and string tables'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.collector.intake.findings import Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.common.v1.common_pb2 import KeyValue

    from spanloom.collector.intake.findings import Findings


def drop_unknown_fields(request: ExportTraceServiceRequest, findings: Findings) -> bytes:
    """Return the request without unknown fields and without keys by string index.

    Profiles have a table of strings that such a key points into; traces have none, so the key is
    the text beside it, most likely an empty one. ``findings`` counts them.
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
