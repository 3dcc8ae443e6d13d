"""Langfuse's events: the merged spans are the same in any order, any batching, with any repeats."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from spanloom.collector.doors.langfuse.events import read_batch
from spanloom.collector.doors.langfuse.fields import span_id_of, trace_id_of
from spanloom.collector.doors.langfuse.ingestion import LangfuseIngestion
from spanloom.collector.doors.langfuse.observation_file import ObservationFile
from spanloom.collector.doors.langfuse.observations import Observations
from spanloom.collector.doors.langfuse.spans import encode_observations
from spanloom.collector.intake.export import Exporter
from spanloom.core.errors import InvalidRequestError, SchemaTooOldError
from spanloom.core.values.moments import iso_nanoseconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from spanloom.collector.intake.limits import Limits
    from spanloom.collector.spool.spool import Spool
    from spanloom.metrics import Metrics

Event = dict[str, Any]  # JSON, as a client sends it
TRACE, TOP, CALL = "6f21eed0-ac8e-4c57-bcc2-09241f3a0c09", "obs-top", "obs-call"
ZERO = "0001-01-01T00:00:00Z"


def event(second: int, kind: str, **body: object) -> Event:
    stamp = f"2026-11-21T02:16:{second:02}.000000001Z"
    return {"id": f"e-{kind}-{second}", "type": kind, "timestamp": stamp, "body": body}


RUN = [
    event(1, "trace-create", id=TRACE, name="trip", userId="ada", metadata=None),
    event(2, "span-create", id=TOP, traceId=TRACE, name="agent", startTime="2026-11-21T02:16:02Z"),
    event(
        3,
        "generation-create",
        id=CALL,
        traceId=TRACE,
        parentObservationId=TOP,
        name="chat",
        model="gpt",
        startTime="2026-11-21T02:16:03.5Z",
        endTime=ZERO,
        metadata={"a": 1, "b": 2},
    ),
    event(
        4,
        "generation-update",
        id=CALL,
        output="ho",
        startTime=ZERO,
        endTime="2026-11-21T02:16:04Z",
        usageDetails={"prompt_tokens": 5},
        metadata={"b": 3},
    ),
    event(5, "span-update", id=TOP, output="broken", level="ERROR", endTime="2026-11-21T02:16:05Z"),
    event(6, "trace-create", id=TRACE, sessionId="s-1"),
]


@pytest.fixture
def observations(metrics: Metrics) -> Iterator[Observations]:
    opened = Observations(Path(":memory:"), metrics)
    yield opened
    opened.close()


def post(observations: Observations, events: Sequence[Event], limits: Limits) -> dict[str, Span]:
    """Return the spans that a request makes, keyed by span id."""
    batch = read_batch(json.dumps({"batch": events}).encode(), limits)
    assert not batch.refused
    merged = observations.merge("", batch.changes)
    assert not merged.refused
    encoded = encode_observations(observations.read("", merged.spans))
    request = ExportTraceServiceRequest.FromString(encoded)
    spans = [s for r in request.resource_spans for sc in r.scope_spans for s in sc.spans]
    return {s.span_id.hex(): s for s in spans}


def said(span: Span) -> dict[str, object]:
    return {a.key: getattr(a.value, str(a.value.WhichOneof("value"))) for a in span.attributes}


def test_a_run_in_order(observations: Observations, limits: Limits) -> None:
    found = post(observations, RUN, limits)
    top, call = (found[span_id_of(i).hex()] for i in (TOP, CALL))
    assert top.trace_id.hex() == TRACE.replace("-", "")
    assert (top.name, top.parent_span_id, call.parent_span_id) == ("agent", b"", top.span_id)
    assert call.start_time_unix_nano == iso_nanoseconds("2026-11-21T02:16:03.5Z")
    assert call.end_time_unix_nano == iso_nanoseconds("2026-11-21T02:16:04Z")
    assert (top.status.code, top.status.message) == (2, "broken")
    assert said(call) == {
        "langfuse.observation.id": CALL,
        "langfuse.observation.type": "generation",
        "langfuse.observation.output": "ho",
        "langfuse.observation.model.name": "gpt",
        "langfuse.observation.usage_details": '{"prompt_tokens":5}',
        "langfuse.observation.metadata.a": 1,
        "langfuse.observation.metadata.b": 3,
    }
    trace = {"langfuse.trace.name": "trip", "session.id": "s-1", "user.id": "ada"}
    assert trace.items() <= said(top).items()


@pytest.mark.parametrize("seed", range(20))
def test_any_order_any_batches_any_repeats_end_alike(
    observations: Observations, metrics: Metrics, limits: Limits, seed: int
) -> None:
    chance = Random(seed)  # reproducible, not secret
    events = [*RUN, *chance.sample(RUN, 3)]
    chance.shuffle(events)
    stored: dict[str, Span] = {}
    while events:
        size = chance.randint(1, 3)
        stored |= post(observations, events[:size], limits)
        events = events[size:]
    in_order = Observations(Path(":memory:"), metrics)
    assert stored == post(in_order, RUN, limits)
    in_order.close()


def test_an_update_waits_for_the_creation_that_names_its_trace(
    observations: Observations, limits: Limits
) -> None:
    assert post(observations, [RUN[3]], limits) == {}
    (call,) = post(observations, [RUN[2]], limits).values()
    assert said(call)["langfuse.observation.output"] == "ho"


def test_what_is_new_of_a_trace_goes_to_what_stands_on_top(
    observations: Observations, limits: Limits
) -> None:
    post(observations, RUN[1:4], limits)
    found = post(observations, [RUN[5]], limits)
    assert list(found) == [span_id_of(TOP).hex()]
    assert said(found[span_id_of(TOP).hex()])["session.id"] == "s-1"


def test_an_observation_created_without_a_trace_is_a_trace_of_its_own(
    observations: Observations, limits: Limits
) -> None:
    (span,) = post(observations, [event(1, "span-create", name="alone")], limits).values()
    assert said(span)["langfuse.observation.id"] == "e-span-create-1"
    assert span.trace_id == trace_id_of("e-span-create-1")
    assert span.start_time_unix_nano == span.end_time_unix_nano != 0


def test_it_remembers_over_a_restart(limits: Limits, metrics: Metrics, tmp_path: Path) -> None:
    for part in (RUN[:3], RUN[3:]):
        observations = Observations(tmp_path / "o.sqlite", metrics)
        found = post(observations, part, limits)
        observations.close()
    assert said(found[span_id_of(CALL).hex()])["langfuse.observation.model.name"] == "gpt"


def test_a_file_from_before_the_first_release_is_refused(tmp_path: Path, metrics: Metrics) -> None:
    with sqlite3.connect(tmp_path / "old") as old:
        old.execute("CREATE TABLE known (project, subject, id, top_of, touched_s, fields)")
    old.close()
    with pytest.raises(SchemaTooOldError, match=r"before 0\.1\.0.*export.*import"):
        ObservationFile(tmp_path / "old", metrics, 1 << 20)


def test_ids_follow_one_rule() -> None:
    assert trace_id_of("AB" * 16).hex() == "ab" * 16
    assert trace_id_of(TRACE).hex() == TRACE.replace("-", "")
    assert span_id_of("0123456789abcdef").hex() == "0123456789abcdef"
    assert span_id_of("6a46c50c-4eb6-49cb-9ff9-4088cf86f841").hex() == "2aa814e5a6e61967"
    assert len(trace_id_of("anything else")) == 16


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-21T02:16:38.124760349Z", 1_795_227_398_124_760_349),
        ("2026-11-21T02:16:38Z", 1_795_227_398_000_000_000),
        ("2026-11-21T03:16:38.5+01:00", 1_795_227_398_500_000_000),
        (ZERO, None),
        ("9999-12-31T23:59:59Z", None),
        ("soon", None),
        (7, None),
    ],
)
def test_times_are_read_to_the_nanosecond(text: object, expected: int | None) -> None:
    assert iso_nanoseconds(text) == expected


def test_bad_events_are_refused_alone(limits: Limits) -> None:
    deep: object = 1
    for _ in range(500):
        deep = [deep]
    events = [
        3,
        {"id": "x"},
        event(1, "unknown-create", id="a"),
        {**event(2, "span-create"), "body": []},
        event(3, "span-create", id="deep", input=deep),
        event(4, "sdk-log", id="log"),
        event(5, "span-create", id="good"),
    ]
    batch = read_batch(json.dumps({"batch": events, "metadata": 3}).encode(), limits)
    refused = ["", "x", "e-unknown-create-1", "e-span-create-2", "e-span-create-3"]
    assert [refusal.event_id for refusal in batch.refused] == refused
    assert batch.accepted == ["e-sdk-log-4", "e-span-create-5"]
    assert (batch.dropped, [c.id for c in batch.changes]) == (1, ["good"])


@pytest.mark.parametrize("body", [b"x", b"[]", b"{}", b'{"batch":{}}'])
def test_what_is_no_batch_is_refused(limits: Limits, body: bytes) -> None:
    with pytest.raises(InvalidRequestError):
        read_batch(body, limits)


def test_the_spooled_version_grows(
    spool: Spool, metrics: Metrics, limits: Limits, observations: Observations
) -> None:
    ingestion = LangfuseIngestion(Exporter(spool, metrics, limits), observations, limits)
    for part in (RUN[:3], [RUN[3]]):
        ingested = ingestion.ingest(json.dumps({"batch": part}).encode(), "")
        assert (list(ingested.refused), len(ingested.accepted)) == ([], len(part))
    last = spool.read_batch(1 << 30)[-1]
    assert b"gpt" in last.body
    assert b"ho" in last.body
