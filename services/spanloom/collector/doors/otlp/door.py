"""OTLP over HTTP: its own paths, and those that the Coze Loop and Langfuse SDKs send OTLP to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.collector.doors.door import Door, Received, Taken
from spanloom.collector.doors.http_messages import Answer
from spanloom.collector.doors.otlp.responses import encode_response
from spanloom.collector.doors.otlp.signals import make_exports

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.collector.doors.otlp.signals import Export
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits


def make_otlp_doors(exporter: Exporter, limits: Limits) -> Mapping[str, Door]:
    """Return the doors that take OTLP, by path."""
    doors = {
        signal: _door(signal, export) for signal, export in make_exports(exporter, limits).items()
    }
    return {
        **{f"/v1/{signal}": door for signal, door in doors.items()},
        "/v1/loop/opentelemetry/v1/traces": doors["traces"],
        "/api/public/otel/v1/traces": doors["traces"],
    }


def _door(signal: str, export: Export) -> Door:
    def take(request: Received) -> Taken:
        encoding = request.head.answer_encoding
        outcome = export(request.body, encoding, request.project)
        return Taken(Answer(200, encode_response(outcome, encoding)), outcome.name)

    return Door(signal, take)
