"""Fixtures for the collector's tests: requests, limits and a spool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from spanloom.collector.intake.limits import Limits
from spanloom.collector.spool.spool import Spool
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TRACE_ID = bytes(range(1, 17))


@pytest.fixture
def limits() -> Limits:
    return Limits()


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def make_request() -> Callable[..., ExportTraceServiceRequest]:
    """Return a function that makes a request of the given spans, or of ``count`` valid ones."""

    def make(*spans: Span, count: int = 1) -> ExportTraceServiceRequest:
        request = ExportTraceServiceRequest()
        resource = request.resource_spans.add()
        resource.resource.attributes.add(key="service.name").value.string_value = "shop"
        scope = resource.scope_spans.add()
        scope.scope.name = "tests"
        scope.spans.extend(
            spans
            or [
                Span(trace_id=TRACE_ID, span_id=n.to_bytes(8, "big"), name=f"span {n}")
                for n in range(1, count + 1)
            ]
        )
        return request

    return make


@pytest.fixture
def spool(tmp_path: Path, metrics: Metrics) -> Iterator[Spool]:
    opened = Spool(tmp_path / "spool.sqlite", 1 << 30, metrics)
    yield opened
    opened.close()
