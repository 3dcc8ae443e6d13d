from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from spanloom.collector.doors.otlp.door import make_exports
from spanloom.collector.doors.status import Encoding
from spanloom.collector.intake.admission import InFlightBudget
from spanloom.collector.intake.export import Exporter, ExportOutcome
from spanloom.collector.intake.tenancy import write_projects
from spanloom.core.errors import InvalidRequestError, OverloadedError
from spanloom.core.ports.spans import Signal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
        ExportTraceServiceRequest,
    )

    from spanloom.collector.doors.otlp.door import Export
    from spanloom.collector.intake.limits import Limits
    from spanloom.collector.spool.spool import Spool
    from spanloom.metrics import Metrics

    MakeRequest = Callable[..., ExportTraceServiceRequest]


@pytest.fixture
def exporter(spool: Spool, metrics: Metrics, limits: Limits) -> Exporter:
    return Exporter(spool, metrics, limits)


@pytest.fixture
def exports(exporter: Exporter, limits: Limits) -> Mapping[str, Export]:
    return make_exports(exporter, limits)


def test_what_is_accepted_is_in_the_spool(
    exporter: Exporter, spool: Spool, metrics: Metrics, make_request: MakeRequest
) -> None:
    body = make_request(count=3).SerializeToString()
    assert exporter.export_traces(body, "").is_full
    [record] = spool.read_batch(1 << 20)
    assert (record.body, record.span_count) == (write_projects(body, ["default"]), 3)
    assert "spanloom_spans_accepted_total 3.0" in metrics.render().decode()


def test_json_becomes_the_same_request(exports: Mapping[str, Export], spool: Spool) -> None:
    span = {"traceId": "ab" * 16, "spanId": "cd" * 8, "name": "json"}
    body = orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
    assert exports["traces"](body, Encoding.JSON, "") == ExportOutcome()
    expected = Span(trace_id=b"\xab" * 16, span_id=b"\xcd" * 8, name="json")
    assert expected.SerializeToString() in spool.read_batch(1 << 20)[0].body


def test_rejected_spans_are_told_and_counted(
    exporter: Exporter, spool: Spool, metrics: Metrics, make_request: MakeRequest
) -> None:
    outcome = exporter.export_traces(make_request(Span()).SerializeToString(), "")
    assert (outcome.rejected, outcome.name) == (1, "partial")
    assert spool.depth().records == 0
    assert 'spanloom_spans_rejected_total{rule="trace_id"} 1.0' in metrics.render().decode()


def test_nothing_to_store_is_a_success(exports: Mapping[str, Export], spool: Spool) -> None:
    assert exports["traces"](b"", Encoding.PROTOBUF, "").is_full
    assert exports["traces"](b"{}", Encoding.JSON, "").is_full
    assert spool.depth().records == 0


def test_after_close_everything_is_refused_with_a_hint(exporter: Exporter) -> None:
    exporter.close()
    with pytest.raises(OverloadedError, match="shutting down"):
        exporter.handling(0, "").__enter__()


def test_content_events_are_spooled_rejected_and_counted(
    exports: Mapping[str, Export], spool: Spool, metrics: Metrics
) -> None:
    event = {"eventName": "gen_ai.choice", "traceId": "ab" * 16, "spanId": "cd" * 8}
    records = [event, {**event, "traceId": "ab"}, {**event, "traceId": ""}, {"eventName": "other"}]
    body = orjson.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]})
    outcome = exports["logs"](body, Encoding.JSON, "")
    assert (outcome.rejected, outcome.name) == (1, "partial")
    assert outcome.message.startswith("Rejected log records: trace_id")
    [record] = spool.read_batch(1 << 20)
    assert (record.span_count, record.signal) == (1, Signal.CONTENT_EVENTS)
    text = metrics.render().decode()
    assert "spanloom_content_events_accepted_total 1.0" in text
    assert 'spanloom_content_events_rejected_total{rule="trace_id"} 1.0' in text
    assert 'spanloom_items_dropped_total{signal="logs"} 2.0' in text
    assert "spanloom_spans_accepted_total 0.0" in text


def test_logs_and_metrics_are_counted_and_dropped(
    exports: Mapping[str, Export], metrics: Metrics
) -> None:
    logs, points = ExportLogsServiceRequest(), ExportMetricsServiceRequest()
    logs.resource_logs.add().scope_logs.add().log_records.add()
    points.resource_metrics.add().scope_metrics.add().metrics.add()
    json_logs = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{},{}]}]},{"scopeLogs":null}]}'
    assert exports["logs"](logs.SerializeToString(), Encoding.PROTOBUF, "").is_full
    assert exports["metrics"](points.SerializeToString(), Encoding.PROTOBUF, "").is_full
    assert exports["logs"](json_logs, Encoding.JSON, "").is_full
    assert exports["metrics"](b"{}", Encoding.JSON, "").is_full
    text = metrics.render().decode()
    assert 'spanloom_items_dropped_total{signal="logs"} 3.0' in text
    assert 'spanloom_items_dropped_total{signal="metrics"} 1.0' in text


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (b"\xff" * 20, Encoding.PROTOBUF),
        (b"[]", Encoding.JSON),
        (b'{"resourceLogs":1}', Encoding.JSON),
    ],
)
def test_broken_logs_are_invalid(
    exports: Mapping[str, Export], body: bytes, encoding: Encoding
) -> None:
    with pytest.raises(InvalidRequestError):
        exports["logs"](body, encoding, "")


def test_a_reservation_grows_and_is_given_back() -> None:
    budget = InFlightBudget(10)
    with budget.reserve() as share, budget.reserve() as neighbour:
        share.grow(4)
        neighbour.grow(6)
        with pytest.raises(OverloadedError):
            share.grow(1)
        assert budget.taken == 10
    assert budget.taken == 0
