"""Counts metrics, which are accepted so that exporters are content, and dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)

from spanloom.collector.doors.encoding import Encoding
from spanloom.collector.doors.otlp.json import load_json
from spanloom.collector.intake.prescan import scan_request
from spanloom.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.message import Message

    from spanloom.collector.intake.limits import Limits


def count_metrics(body: bytes, encoding: Encoding, limits: Limits) -> int:
    """Count a request's metrics; raises what a trace request of that form would."""
    if encoding is Encoding.JSON:
        return _count_json(body, ("resourceMetrics", "scopeMetrics", "metrics"), limits)
    return _count_protobuf(body, ExportMetricsServiceRequest, limits)


def _count_protobuf(body: bytes, kind: type[Message], limits: Limits) -> int:
    items = scan_request(body, limits)
    try:
        kind.FromString(body)
    except DecodeError as error:
        raise InvalidRequestError(f"The request is not a valid {kind.__name__}.") from error
    return items


def _count_json(body: bytes, path: tuple[str, ...], limits: Limits) -> int:
    level: list[object] = [load_json(body, limits)]
    for name in path:
        level = [inner for outer in level for inner in _inner(outer, name)]
    return len(level)


def _inner(outer: object, name: str) -> Iterator[object]:
    """Yield the elements of one level; ``null`` is an absent list."""
    elements = outer.get(name) if isinstance(outer, dict) else None
    if elements is not None and not isinstance(elements, list):
        raise InvalidRequestError(f"{name}: must be an array.")
    yield from elements or []
