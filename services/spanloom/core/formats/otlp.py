"""Converts spans to OTLP JSON and back; unlike in protobuf JSON, ids are hex, enums numbers.

Source: OpenTelemetry protocol specification, "JSON Protobuf Encoding".
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from hashlib import blake2b
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import orjson
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, TracesData

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_IDS = ("traceId", "spanId", "parentSpanId")

Fields = dict[str, Any]  # a message as JSON values


def resource_spans_json(data: bytes) -> Sequence[bytes]:
    """Return each ``resourceSpans`` item of a ``TracesData`` message as JSON."""
    items = []
    for resource_spans in TracesData.FromString(data).resource_spans:
        fields: Fields = MessageToDict(resource_spans, use_integers_for_enums=True)
        for scope_spans in fields.get("scopeSpans", []):
            for span in scope_spans.get("spans", []):
                _write_ids_in_hex(span)
                for link in span.get("links", []):
                    _write_ids_in_hex(link)
        items.append(orjson.dumps(fields))
    return items


def _write_ids_in_hex(fields: Fields) -> None:
    for name in _IDS:
        if name in fields:
            fields[name] = b64decode(fields[name]).hex()


def sent_groups(data: bytes) -> Sequence[ResourceSpans]:
    """Return the ``resourceSpans`` items of a ``TracesData`` message."""
    return TracesData.FromString(data).resource_spans


def span_ids_of(data: bytes) -> Sequence[str]:
    """Return the ids of the spans in a ``TracesData`` message."""
    scopes = (scope for group in sent_groups(data) for scope in group.scope_spans)
    return [span.span_id.hex() for scope in scopes for span in scope.spans]


def read_resource_spans(group: Mapping[str, Any]) -> ResourceSpans:
    """Parse a ``resourceSpans`` item in OTLP JSON; raises ``ValueError`` if it is invalid."""
    scopes = [
        {**scope, "spans": [_with_ids_in_base64(span) for span in scope["spans"]]}
        for scope in group["scopeSpans"]
    ]
    try:
        return ParseDict(
            {**group, "scopeSpans": scopes}, ResourceSpans(), ignore_unknown_fields=True
        )
    except ParseError as error:
        raise ValueError(str(error)) from error


def _with_ids_in_base64(fields: Mapping[str, Any]) -> Fields:
    ids = {n: b64encode(bytes.fromhex(fields[n])).decode() for n in _IDS if fields.get(n)}
    links = [_with_ids_in_base64(link) for link in fields.get("links") or ()]
    return {**fields, **ids} | ({"links": links} if links else {})


def digests_of(group: ResourceSpans) -> Iterator[tuple[str, bytes]]:
    """Yield the trace id of each span, and 16 bytes that are equal only for equal spans.

    The bytes are a hash of the span with its resource and scope. Attributes are sorted by name
    first, because a store may return them in a different order.
    """
    _sort_attributes(group)
    resource = group.resource.SerializeToString(deterministic=True)
    for scope_spans in group.scope_spans:
        scope = scope_spans.scope.SerializeToString(deterministic=True)
        for span in scope_spans.spans:
            parts = (resource, scope, span.SerializeToString(deterministic=True))
            joined = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
            yield span.trace_id.hex(), blake2b(joined, digest_size=16).digest()


def _sort_attributes(group: ResourceSpans) -> None:
    group.resource.attributes.sort(key=_NAME)
    for scope_spans in group.scope_spans:
        scope_spans.scope.attributes.sort(key=_NAME)
        for span in scope_spans.spans:
            span.attributes.sort(key=_NAME)
            for event in span.events:
                event.attributes.sort(key=_NAME)
            for link in span.links:
                link.attributes.sort(key=_NAME)


_NAME = attrgetter("key")
