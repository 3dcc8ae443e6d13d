"""Converts stored spans to OTLP JSON: unlike in protobuf JSON, ids are hex, enums numbers.

Source: OpenTelemetry protocol specification, "JSON Protobuf Encoding".
"""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any

import orjson
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

if TYPE_CHECKING:
    from collections.abc import Sequence

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
