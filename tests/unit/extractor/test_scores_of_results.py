"""Evaluation results become scores of the steps that they judge, whenever they arrive."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import pytest
from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.drafted import planner
from tests.support.extracting import T0_NS, TRACE, World, sent
from tests.support.spans import chat

from spanloom.core.formats.imported import carry, span_json
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.annotations import ScoreQuery
from spanloom.extractor.scoring import is_by_telemetry

if TYPE_CHECKING:
    from spanloom.core.model.score import Score

RESULT = "gen_ai.evaluation.result"
KEY = TraceKey("default", TRACE)
ROOT = sent(1, attributes={"gen_ai.operation.name": "invoke_agent"}, last_ms=100)
CALL = sent(2, 1, {**chat(7, 3), "gen_ai.response.id": "resp-1"}, last_ms=90)
NOISE = sent(3, 2, {"http.request.method": "POST"}, last_ms=80)
CALL_STEP = f"{2:016x}"


@pytest.fixture
def world() -> World:
    return World()


def result(
    span: int = 0, trace: str = TRACE, time_ns: int = T0_NS, scope: str = "judge", **said: object
) -> bytes:
    """Return a request with an evaluation result as a log record."""
    request = ExportLogsServiceRequest()
    of_scope = request.resource_logs.add().scope_logs.add()
    of_scope.scope.name = scope
    record = of_scope.log_records.add(event_name=RESULT, time_unix_nano=time_ns)
    if trace:
        record.trace_id = bytes.fromhex(trace)
    if span:
        record.span_id = span.to_bytes(8, "big")
    for key, value in said.items():
        attribute = record.attributes.add(key=NAMES.get(key, key.replace("__", ".")))
        if isinstance(value, bool):
            attribute.value.bool_value = value
        elif isinstance(value, float):
            attribute.value.double_value = value
        else:
            attribute.value.string_value = str(value)
    return request.SerializeToString()


NAMES = {
    "name": "gen_ai.evaluation.name",
    "value": "gen_ai.evaluation.score.value",
    "label": "gen_ai.evaluation.score.label",
    "why": "gen_ai.evaluation.explanation",
    "response": "gen_ai.response.id",
    "by": "gen_ai.evaluation.evaluator.name",
    "test_pass": "gen_ai.evaluation.test_pass",
    "error": "error.type",
}


def scores(world: World, trace: str = TRACE) -> list[Score]:
    return list(world.store.scores.list(Reach.ALL, ScoreQuery([trace]), 100))


def places(world: World) -> list[tuple[str, str, float | None]]:
    return [(s.target, s.step_id, s.number) for s in scores(world)]


def test_a_record_of_a_call_is_a_score_of_its_step(world: World) -> None:
    world.send(ROOT, CALL, NOISE)
    world.send_logs(result(2, name="good", value=0.5, why="because", by="me"))
    world.run(2)
    [score] = scores(world)
    assert (score.key, score.target, score.step_id) == (KEY, "step", CALL_STEP)
    assert (score.name, score.author, score.source, score.status) == ("good", "me", "api", "ok")
    assert (score.value_type, score.number, score.rationale) == ("number", 0.5, "because")
    assert score.revision == T0_NS // 1000
    document = world.document(TRACE)
    assert document["extraction"]["span_count"] == 3


@pytest.mark.parametrize(
    ("span", "place"),
    [(1, ("trajectory", "")), (2, ("step", CALL_STEP)), (3, ("step", CALL_STEP))],
)
def test_the_step_is_that_under_which_the_span_counts(
    world: World, span: int, place: tuple[str, str]
) -> None:
    world.send(ROOT, CALL, NOISE)
    world.send_logs(result(span, name="good", value=1.0))
    world.run(2)
    assert places(world) == [(*place, 1.0)]


def test_a_record_before_its_run_waits_as_one_of_a_span_and_is_then_one_of_the_step(
    world: World,
) -> None:
    world.send_logs(result(3, name="good", value=1.0))
    world.run(70, 2)
    assert places(world) == [("span", f"{3:016x}", 1.0)]
    world.send(ROOT, CALL, NOISE)
    world.run(2)
    assert places(world) == [("step", CALL_STEP, 1.0)]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_record_of_a_response_finds_its_call_in_any_order(world: World, is_first: bool) -> None:
    lone = result(trace="", name="good", value=1.0, response="resp-1")
    if is_first:
        world.send_logs(lone)
        world.run(70, 2)
        world.send(ROOT, CALL)
    else:
        world.send(ROOT, CALL)
        world.run(5)
        world.send_logs(lone)
    world.run(70, 2)
    assert places(world) == [("step", CALL_STEP, 1.0)]
    assert world.step(120) == 0


@pytest.mark.parametrize("trace", [TRACE, ""])
def test_a_call_that_is_the_whole_run_is_the_trajectory(world: World, trace: str) -> None:
    world.send(sent(1, attributes={**chat(7, 3), "gen_ai.response.id": "resp-1"}))
    world.send_logs(result(trace=trace, name="good", value=1.0, response="resp-1"))
    world.run(70, 2)
    assert places(world) == [("trajectory", "", 1.0)]


def test_a_record_of_a_trace_alone_is_of_its_response_else_of_the_trajectory(world: World) -> None:
    world.send(ROOT, CALL)
    world.send_logs(result(name="good", value=1.0, response="resp-1"))
    world.send_logs(result(name="whole", value=0.0))
    world.run(2)
    assert sorted(places(world)) == [("step", CALL_STEP, 1.0), ("trajectory", "", 0.0)]


def test_events_and_spans_of_that_name_are_scores_and_no_steps(world: World) -> None:
    call = sent(2, 1, chat(7, 3), last_ms=90)
    event = call.events.add(name=RESULT, time_unix_nano=T0_NS + 5_000)
    event.attributes.add(key=NAMES["name"]).value.string_value = "event"
    event.attributes.add(key=NAMES["value"]).value.string_value = "0.75"
    judged = sent(4, 2, {NAMES["name"]: "span", NAMES["label"]: "fine"})
    judged.name = RESULT
    world.send(ROOT, call, judged)
    world.run(2)
    found = {s.name: (s.target, s.step_id, s.value_type, s.number, s.text) for s in scores(world)}
    assert found == {
        "event": ("step", CALL_STEP, "number", 0.75, ""),
        "span": ("step", CALL_STEP, "category", None, "fine"),
    }
    extraction: dict[str, Any] = world.document(TRACE)["extraction"]
    assert extraction["step_counts"]["other"] == 1


def test_a_repeat_is_the_same_score_and_a_later_result_a_revision(world: World) -> None:
    world.send(ROOT, CALL)
    for _ in range(3):
        world.send_logs(result(2, name="good", value=0.5))
        world.run(2)
    world.send_logs(result(2, time_ns=T0_NS + 9_000, name="good", value=0.7))
    world.run(2)
    [score] = scores(world)
    assert (score.number, score.revision) == (0.7, T0_NS // 1000 + 9)


def test_a_second_build_after_a_crash_stores_what_was_not_stored(world: World) -> None:
    world.send(ROOT, CALL)
    world.send_logs(result(2, name="good", value=0.5))
    stored = world.store.scores.add

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    world.store.scores.add = die  # type: ignore[method-assign]  # the process ends here
    with pytest.raises(KeyboardInterrupt):
        world.run(2)
    world.store.scores.add = stored  # type: ignore[method-assign]
    world.restart()
    world.run(5)
    assert places(world) == [("step", CALL_STEP, 0.5)]


def test_what_is_stored_later_by_the_api_stays(world: World) -> None:
    world.send(ROOT, CALL)
    world.send_logs(result(2, name="good", value=0.5))
    world.run(2)
    [score] = scores(world)
    taken = type(score)(
        *(score.key, score.name, score.source, score.author, score.revision + 5),
        target=score.target,
        step_id=score.step_id,
        is_deleted=True,
    )
    assert (taken.id, is_by_telemetry(taken)) == (score.id, False)
    world.store.scores.add([taken])
    world.send(sent(9, 1, last_ms=95))
    world.run(5)
    assert scores(world) == []


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ({"value": 0.5, "label": "half"}, ("number", 0.5, "half", "ok", None)),
        ({"value": "0.75", "test_pass": True}, ("number", 0.75, "", "ok", True)),
        ({"label": "bad", "test_pass": False}, ("category", None, "bad", "ok", False)),
        ({"value": "so so"}, ("category", None, "so so", "ok", None)),
        ({"value": "NaN"}, ("none", None, "", "na", None)),
        ({"value": 1.0, "error": "Timeout", "test_pass": True}, ("none", None, "", "error", None)),
        ({}, ("none", None, "", "ok", None)),
    ],
)
def test_values(world: World, said: dict[str, Any], value: tuple[object, ...]) -> None:
    world.send(ROOT)
    world.send_logs(result(1, name="good", **said))
    world.run(2)
    [score] = scores(world)
    found = (score.value_type, score.number, score.text, score.status, score.passed)
    assert found == value
    assert score.error_code == said.get("error", "")


@pytest.mark.parametrize(("scope", "author"), [("judge", "judge"), ("", "unknown")])
def test_the_author_is_the_evaluator_else_who_sent_it(
    world: World, scope: str, author: str
) -> None:
    world.send(ROOT)
    world.send_logs(result(9, scope=scope, name="good", value=1.0))
    world.run(2)
    assert [score.author for score in scores(world)] == [author]


def test_a_sender_of_one_project_scores_no_run_of_another(world: World) -> None:
    world.send(ROOT, CALL)
    request = ExportLogsServiceRequest.FromString(result(2, name="good", value=0.0))
    lone = ExportLogsServiceRequest.FromString(
        result(trace="", name="lone", value=0.0, response="resp-1")
    )
    for logs in (request, lone):
        attribute = logs.resource_logs[0].resource.attributes.add(key="spanloom.project")
        attribute.value.string_value = "theirs"
        world.send_logs(logs.SerializeToString())
    world.run(70, 2)
    found = world.store.scores.list(Reach.ALL, ScoreQuery(), 100)
    assert [(s.key.project, s.name, s.target) for s in found] == [("theirs", "good", "span")]


def test_a_score_moves_with_its_span(world: World) -> None:
    """A late span becomes the step around the judged span, and the score moves to that step."""
    world.send(ROOT, sent(3, 2, {"http.request.method": "POST"}, last_ms=80))
    world.send_logs(result(3, name="good", value=1.0))
    world.run(2)
    assert places(world) == [("trajectory", "", 1.0)]
    world.send(CALL)
    world.run(5)
    assert places(world) == [("step", CALL_STEP, 1.0)]


def test_a_replay_and_a_restart_change_no_score(world: World) -> None:
    world.send(ROOT, CALL)
    world.send_logs(result(2, name="good", value=0.5))
    world.run(2)
    before = world.store.scores.of_traces([KEY])
    added: list[object] = []
    stored = world.store.scores.add

    def note(rows: Any, **more: Any) -> None:
        added.extend(rows)
        stored(rows, **more)

    world.store.scores.add = note  # type: ignore[assignment,method-assign]  # counts what is stored
    world.store.progress.record_revisits([KEY])
    world.restart()
    world.run(5)
    assert (added, world.store.scores.of_traces([KEY])) == ([], before)


def test_a_result_of_an_imported_step_leaves_the_document_as_it_is(world: World) -> None:
    before = planner()
    message = ExportTraceServiceRequest()
    spans = message.resource_spans.add().scope_spans.add()
    spans.scope.name = "spanloom.import"
    for span in carry(before):
        Parse(json.dumps(in_base64(span_json(span))), spans.spans.add())
    world.send_message(message)
    call = "a000000000000006"
    world.send_logs(result(int(call, 16), trace=before["id"], name="good", value=1.0))
    world.run(3)
    [score] = scores(world, before["id"])
    assert (score.target, score.step_id) == ("step", call)
    after = world.document(before["id"])
    assert after["agent_steps"] == before["agent_steps"]


def in_base64(span: Any) -> dict[str, Any]:
    """Return a span of OTLP/JSON with ids in base64, as protobuf's own JSON mapping has them."""
    ids = ("traceId", "spanId", "parentSpanId")
    encoded = {name: b64encode(bytes.fromhex(span[name])).decode() for name in ids if name in span}
    return {**span, **encoded}
