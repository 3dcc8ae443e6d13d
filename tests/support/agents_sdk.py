"""Shared by the agent programs: a stock SDK, configured by its own variables only."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from opentelemetry.sdk.trace.export import SpanExporter


@contextmanager
def sending_provider(truth: Mapping[str, object]) -> Iterator[TracerProvider]:
    """Yield a provider that exports spans to the address in ``OTEL_EXPORTER_OTLP_…``.

    At the end it prints one line of JSON: ``truth`` and, in ``trace_of_span``, the ids of the spans
    that the SDK ended, to be compared with the received spans.
    """
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(_exporter()))
    provider.add_span_processor(SimpleSpanProcessor(kept))
    yield provider
    provider.shutdown()
    spans = [span.context for span in kept.get_finished_spans() if span.context]
    ids = {f"{span.span_id:016x}": f"{span.trace_id:032x}" for span in spans}
    print(json.dumps({**truth, "trace_of_span": ids}))


def _exporter() -> SpanExporter:
    """Return the exporter for the configured protocol, as the SDK's auto-configuration does."""
    protocol = os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    return GrpcExporter() if protocol == "grpc" else HttpExporter()
