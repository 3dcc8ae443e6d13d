"""Langfuse's scores: how each type is stored, and which scores are refused."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.unit.collector.test_langfuse_door import Door, spans_of

from spanloom.collector.doors.langfuse.fields import span_id_of, trace_id_of
from spanloom.collector.intake.limits import Limits
from spanloom.collector.intake.redaction.redactor import Redactor
from spanloom.core.ports.spans import Signal
from spanloom.core.scoring.results import read_result
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from opentelemetry.proto.trace.v1.trace_pb2 import Span

TRACE = "6f21eed0-ac8e-4c57-bcc2-09241f3a0c09"
SAID = {"traceId": TRACE, "name": "good", "value": 0.5, "id": "s-1"}


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    opened = Door(tmp_path, Limits())
    yield opened
    opened.close()


def event(event_id: str = "e-1", **body: object) -> dict[str, Any]:
    stamp = "2026-11-21T02:16:02Z"
    return {"id": event_id, "type": "score-create", "timestamp": stamp, "body": {**SAID, **body}}


def kept(door: Door) -> list[Span]:
    found = door.spool.read_batch(1 << 30)
    assert {request.signal for request in found} <= {Signal.CONTENT_EVENTS}
    return [span for request in found for span in spans_of(request.body)]


def said(span: Span) -> dict[str, str]:
    """Return the attributes as strings, as the store has them."""
    values = {a.key: getattr(a.value, a.value.WhichOneof("value") or "") for a in span.attributes}
    return {key: str(value) for key, value in values.items()}


def post_score(door: Door, body: Any) -> Any:
    async def send() -> Any:
        async with door.client() as client:
            return await client.post("/api/public/scores", json=body)

    return asyncio.run(send())


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ({}, ("number", 0.5, "")),
        ({"value": 1, "dataType": "NUMERIC"}, ("number", 1.0, "")),
        ({"value": 1, "dataType": "BOOLEAN"}, ("boolean", 1.0, "")),
        ({"value": 0, "dataType": "BOOLEAN"}, ("boolean", 0.0, "")),
        ({"value": True, "dataType": "BOOLEAN"}, ("boolean", 1.0, "")),
        ({"value": "fine", "dataType": "CATEGORICAL"}, ("category", None, "fine")),
        ({"value": "fine"}, ("category", None, "fine")),
        ({"value": "7", "dataType": "TEXT"}, ("text", None, "7")),
        ({"value": "Bergen.", "dataType": "CORRECTION", "name": None}, ("text", None, "Bergen.")),
    ],
)
def test_every_type_of_value(door: Door, body: dict[str, Any], value: tuple[Any, ...]) -> None:
    answer = door.post(event(**body, comment="why", configId="c-1", observationId="o"))
    assert answer.json() == {"successes": [{"id": "e-1", "status": 201}], "errors": []}
    [span] = kept(door)
    assert span.trace_id == trace_id_of(TRACE)
    assert span.parent_span_id == span_id_of("o")
    result = read_result(said(span), span.start_time_unix_nano)
    assert result is not None
    assert (result.value_type, result.number, result.text) == value
    assert (result.name, result.author) == ("good" if body.get("name", 1) else "output", "langfuse")
    assert (result.members["rationale"], result.members["config_hash"]) == ("why", "c-1")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"traceId": None}, "traceId"),
        ({"traceId": "0" * 32}, "zeros"),
        ({"traceId": "x" * 600}, "512"),
        ({"name": ""}, "name"),
        ({"value": "no number", "dataType": "NUMERIC"}, "value"),
        ({"value": 2, "dataType": "BOOLEAN"}, "value"),
        ({"value": None}, "value"),
        ({"value": 1, "dataType": "ODD"}, "dataType"),
        ({"value": {"a": 1}, "dataType": "TEXT"}, "value"),
    ],
)
def test_what_cannot_be_meant_is_refused_alone(
    door: Door, body: dict[str, Any], reason: str
) -> None:
    answer = door.post(event("bad", **body), event("good", id="s-2")).json()
    assert [one["id"] for one in answer["successes"]] == ["good"]
    [refused] = answer["errors"]
    assert (refused["id"], refused["status"]) == ("bad", 400)
    assert reason in refused["message"]
    assert len(kept(door)) == 1
    assert post_score(door, {**SAID, **body}).status_code == 400


def test_a_score_by_itself_is_answered_with_its_id_and_sent_again_is_the_same(door: Door) -> None:
    answers = [post_score(door, {**SAID, "value": value}) for value in (0.5, 0.7)]
    assert [(a.status_code, a.json()) for a in answers] == [(200, {"id": "s-1"})] * 2
    first, second = kept(door)
    assert first.span_id == second.span_id
    assert first.parent_span_id == b""
    made = post_score(door, {key: value for key, value in SAID.items() if key != "id"})
    assert made.json()["id"]


def test_a_list_of_scores_is_answered_as_newer_sdks_read_it(door: Door) -> None:
    good, bad = SAID, {**SAID, "traceId": None, "sessionId": "talk"}
    whole = post_score(door, [good, {**good, "id": "s-2", "value": 1.0, "dataType": "BOOLEAN"}])
    assert (whole.status_code, whole.json()) == (202, {"message": "Accepted"})
    partly = post_score(door, [bad, good, 7])
    assert partly.status_code == 207
    said = partly.json()
    assert (said["accepted"], said["rejected"], len(said["errors"])) == (1, 2, 2)
    assert "traceId" in said["errors"][0]["message"]
    assert post_score(door, []).status_code == 202


def test_scores_and_observations_of_one_batch(door: Door) -> None:
    body = {"id": "o", "traceId": TRACE, "startTime": "2026-11-21T02:16:02Z", "name": "chat"}
    span = {"id": "e-0", "type": "span-create", "timestamp": None, "body": body}
    answer = door.post(span, event()).json()
    assert [one["id"] for one in answer["successes"]] == ["e-0", "e-1"]
    requests = door.spool.read_batch(1 << 30)
    assert sorted(request.signal for request in requests) == ["content_events", "spans"]


def test_texts_of_scores_are_redacted_as_others(tmp_path: Path) -> None:
    redactor = Redactor((), b"0" * 32, Metrics(), no_content=True)
    door = Door(tmp_path, Limits(), redactor=redactor)
    try:
        door.post(
            event(comment="secret", dataType="CATEGORICAL", value="fine"),
            event("e-2", id="s-2", value="secret", dataType="TEXT"),
        )
        first, second = map(said, kept(door))
    finally:
        door.close()
    assert first["gen_ai.evaluation.score.label"] == "fine"
    assert "secret" not in str([first, second])
