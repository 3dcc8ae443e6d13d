"""Spans of the SDK are read as its own exporter would have sent them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from spanloom.core.exchange.otlp import spans_of
from spanloom.core.formats.otlp import resource_spans_json
from spanloom.testing.sdk_spans import group_of

if TYPE_CHECKING:
    from opentelemetry.util.types import AnyValue


def test_a_span_is_the_same_by_the_exporter_and_without_it() -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "s", "service.version": "1"}))
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("acts", "2")
    with tracer.start_as_current_span("root", kind=trace.SpanKind.CLIENT) as root:
        link = trace.Link(root.get_span_context(), {"why": "again"})
        told: dict[str, AnyValue] = {"text": "é", "yes": True, "whole": 2**60, "part": 0.1}
        told |= {"list": ["a", "b"], "numbers": [1, 2], "empty": [], "bytes": b"\x00\xff"}
        with tracer.start_as_current_span("inner", attributes=told, links=[link]) as inner:
            inner.add_event("met", {"who": "me"})
            inner.set_status(trace.StatusCode.ERROR, "no room")
    for span in kept.get_finished_spans():
        [sent] = resource_spans_json(encode_spans([span]).SerializeToString())
        assert list(spans_of(group_of(span))) == list(spans_of(orjson.loads(sent)))
