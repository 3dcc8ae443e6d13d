"""Requests of Invariant's SDK become spans and one run: on any collector, in any order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.extracting import World

from spanloom.collector.doors.door import Door, find_door
from spanloom.collector.doors.http_messages import Answer
from spanloom.collector.doors.invariant.door import make_invariant_doors, trace_id_in
from spanloom.collector.doors.invariant.requests import read_append, read_push
from spanloom.collector.doors.invariant.spans import encode_append, encode_push
from spanloom.collector.intake.export import Exporter
from spanloom.collector.intake.limits import Limits
from spanloom.core.document import Document
from spanloom.core.errors import InvalidRequestError, RequestTooLargeError
from spanloom.core.model.access import Reach
from spanloom.core.ports.annotations import ScoreQuery

if TYPE_CHECKING:
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from spanloom.collector.spool.spool import Spool
    from spanloom.metrics import Metrics

    Json = dict[str, Any]

TRACE = bytes.fromhex("5e" * 16)
NOW = 1_900_000_000 * 10**9
ASKED: Json = {"role": "user", "content": "Is Oslo dry?"}
CALLED: Json = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "c1", "function": {"name": "weather", "arguments": {"city": "Oslo"}}}],
}
RAN: Json = {"role": "tool", "tool_call_id": "c1", "content": "dry"}
ANSWERED: Json = {"role": "assistant", "content": "It is."}


def pushed(*messages: Json, at: int = NOW, **beside: Any) -> ExportTraceServiceRequest:
    body = json.dumps({"messages": [messages], **beside}).encode()
    encoded = encode_push(read_push(body, Limits()), [TRACE], at)
    return ExportTraceServiceRequest.FromString(encoded)


def appended(*messages: Json, at: int = NOW, **beside: Any) -> ExportTraceServiceRequest:
    body = json.dumps({"messages": messages, **beside}).encode()
    checked = read_append(body, Limits())
    return ExportTraceServiceRequest.FromString(encode_append(TRACE, checked, at))


def spans_of(request: ExportTraceServiceRequest) -> list[Span]:
    return [s for r in request.resource_spans for scope in r.scope_spans for s in scope.spans]


def world_of(*requests: ExportTraceServiceRequest) -> World:
    world = World()
    for request in requests:
        world.send_message(request.SerializeToString())
        world.step(100.0)
    return world


def run_of(*requests: ExportTraceServiceRequest) -> Document:
    world = World()
    for request in requests:
        world.send_message(request.SerializeToString())
    world.step(100.0)
    return Document(world.document(TRACE.hex()))


def scores_in(world: World) -> list[tuple[str, str, str, str, Any]]:
    """Return target, output of the step, author, text and evidence of each score, sorted."""
    steps = {step.id: step.output for step in Document(world.document(TRACE.hex())).steps}
    found = world.store.scores.list(Reach.ALL, ScoreQuery([TRACE.hex()]), 100)
    return sorted(
        (s.target, steps.get(s.step_id, ""), s.author, s.text, json.loads(s.evidence))
        for s in found
    )


def told(document: Document) -> list[tuple[str, str, str]]:
    return [(step.type, step.name, step.output) for step in document.steps]


def test_requests_in_any_order_are_one_run() -> None:
    """Each request may reach another collector; the times of the messages decide their order."""
    requests = [
        pushed(ASKED, CALLED, at=NOW),
        appended(RAN, at=NOW + 1_000),
        appended(ANSWERED, at=NOW + 2_000),
    ]
    runs = [run_of(*requests), run_of(*reversed(requests))]
    assert told(runs[0]) == told(runs[1])
    assert [kind for kind, *_ in told(runs[0])] == ["model", "tool", "model"]
    assert (runs[0].root.input, runs[0].root.output) == ("Is Oslo dry?", "It is.")
    assert runs[0].root_type == "agent"


def test_times_order_messages_and_equal_times_the_arrival() -> None:
    def timed(message: Json, time: str) -> Json:
        return {**message, "timestamp": time}

    document = run_of(
        pushed(timed(ASKED, "2026-03-01T12:00:00+00:00")),
        appended(timed(ANSWERED, "2026-03-01T12:00:09Z"), at=NOW),
        appended(timed(RAN, "2026-03-01T12:00:05"), at=NOW + 2),
        appended(timed(CALLED, "2026-03-01T13:00:05+01:00"), at=NOW + 1),
    )
    assert told(document)[1] == ("tool", "weather", "dry")
    assert [kind for kind, *_ in told(document)] == ["model", "tool", "model"]
    assert document.root.duration == 9_000


def test_messages_of_one_request_stay_in_their_order() -> None:
    many = [{"role": "assistant", "content": str(n)} for n in range(300)]
    document = run_of(pushed(*many))
    said = [json.loads(step.output)[0]["content"] for step in document.steps]
    assert said == [str(n) for n in range(300)]


def test_an_append_that_is_sent_again_has_the_same_spans() -> None:
    timed = {**ANSWERED, "timestamp": "2026-03-01T12:00:00"}
    ids = [spans_of(appended(timed, timed, at=NOW + n))[0].span_id for n in range(2)]
    assert ids[0] == ids[1]
    one, two = spans_of(appended(timed, timed))
    assert one.span_id != two.span_id
    untimed = {spans_of(appended(ANSWERED))[0].span_id for _ in range(2)}
    assert len(untimed) == 2


def test_a_run_has_its_dataset_and_metadata() -> None:
    document = run_of(pushed(ASKED, metadata=[{"agent": "planner", "team": 7}], dataset="d-1"))
    assert document.root.name == "planner"
    assert document.extraction.metadata == {"agent": "planner", "team": "7", "dataset": "d-1"}
    assert run_of(pushed(ASKED, dataset="d-1")).root.name == "d-1"
    assert run_of(pushed()).root.name == "agent"


RIGHT: Json = {"content": "right", "address": "messages.2.content:0-3"}


def test_an_annotation_is_a_score_of_the_step_it_names() -> None:
    noted = {**RIGHT, "extra_metadata": {"source": "critic", "severity": 2}}
    timed = [{**one, "timestamp": "2026-03-01T12:00:00Z"} for one in (ASKED, CALLED, RAN)]
    early = pushed(*timed, annotations=[[noted, {**RIGHT, "address": "messages.3"}]])
    world = world_of(early)
    place = {"address": RIGHT["address"], "field": "output", "start": 0, "end": 3}
    assert scores_in(world) == [
        ("step", "dry", "critic", "right", [place]),
        ("trajectory", "", "invariant", "right", [{"address": "messages.3"}]),
    ]
    document = Document(world.document(TRACE.hex()))
    assert [kind for kind, *_ in told(document)] == ["model", "tool"]
    assert document.root.duration == 0


def test_an_annotation_earlier_than_its_message_finds_it() -> None:
    first = pushed(ASKED, CALLED, annotations=[[RIGHT]])
    world = world_of(first, appended(RAN, at=NOW + 1))
    ((target, output, *_),) = scores_in(world)
    assert (target, output) == ("step", "dry")


def test_annotations_of_one_place_are_scores_of_their_own_and_sent_again_the_same() -> None:
    notes = [RIGHT, {**RIGHT, "content": "short"}]
    late = [appended(ANSWERED, at=NOW + n, annotations=notes) for n in (1, 2)]
    world = world_of(pushed(ASKED, CALLED, RAN), *late)
    assert [text for *_, text, _ in scores_in(world)] == ["right", "short"]


def test_an_append_without_its_run_is_partial() -> None:
    document = run_of(appended(ASKED, ANSWERED))
    assert document.extraction.status_text == "partial"


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b"x", "JSON"),
        (b"[]", "object"),
        (b"{}", "messages: a list"),
        (b'{"messages":[]}', "at least one"),
        (b'{"messages":[{}]}', r"messages\[0\]: a list"),
        (b'{"messages":[[7]]}', r"messages\[0\]\[0\]: an object"),
        (b'{"messages":[[{"role":null}]]}', r"messages\[0\]\[0\].role"),
        (b'{"messages":[[{"role":"a","tool_calls":7}]]}', "tool_calls: a list"),
        (b'{"messages":[[{"role":"a","tool_calls":[7]}]]}', r"tool_calls\[0\]: an object"),
        (b'{"messages":[[]],"metadata":[]}', "metadata: as many"),
        (b'{"messages":[[]],"metadata":[7]}', r"metadata\[0\]: an object"),
        (b'{"messages":[[]],"annotations":{}}', "annotations: a list"),
        (b'{"messages":[[]],"annotations":[[7]]}', r"annotations\[0\]\[0\]: an object"),
        (b'{"messages":[[]],"annotations":[[{}]]}', r"annotations\[0\]\[0\].content: a string"),
        (b'{"messages":[[]],"annotations":[[{"content":"a"}]]}', "address: a string"),
        (
            b'{"messages":[[]],"annotations":[[{"content":"a","address":"","extra_metadata":7}]]}',
            "extra_metadata: an object",
        ),
        (b'{"messages":[[]],"dataset":"a b"}', "dataset: a name"),
        (b'{"messages":[[]],"dataset":7}', "dataset: a name"),
    ],
)
def test_what_is_no_request_is_refused_by_its_place(
    limits: Limits, body: bytes, where: str
) -> None:
    with pytest.raises(InvalidRequestError, match=where):
        read_push(body, limits)


def test_requests_are_bounded(limits: Limits) -> None:
    body = json.dumps({"messages": [[{"role": "u"}] * 100_000]}).encode()
    with pytest.raises(RequestTooLargeError):
        read_push(body, limits)
    nested: object = 1
    for _ in range(500):
        nested = [nested]
    deep = read_push(
        json.dumps({"messages": [[{"role": "u", "content": nested}]]}).encode(), limits
    )
    with pytest.raises(InvalidRequestError):
        encode_push(deep, [TRACE], NOW)


@pytest.mark.parametrize("text", ["", "5e", "0" * 32, "g" * 32, "5e" * 16 + "/x", "..", "%00"])
def test_other_texts_are_no_trace(text: str) -> None:
    assert trace_id_in(f"/api/v1/trace/{text}/messages") is None


def test_a_uuid_is_a_trace() -> None:
    uuid = "5e5e5e5e-5e5e-5e5e-5e5e-5e5e5e5e5e5e"
    assert trace_id_in(f"/api/v1/trace/{uuid}/messages") == TRACE


def test_paths_with_names_are_found(spool: Spool, metrics: Metrics, limits: Limits) -> None:
    doors = make_invariant_doors(Exporter(spool, metrics, limits), limits)
    other = Door("x", lambda _: pytest.fail("never"), lambda *_: Answer(500, b""))
    doors = {**doors, "/plain": other}
    assert find_door(doors, "/plain") is other
    assert (
        find_door(doors, "/api/v1/trace/5e/messages") is doors["/api/v1/trace/{trace_id}/messages"]
    )
    assert find_door(doors, "/api/v1/trace//messages") is None
    assert find_door(doors, "/api/v1/trace/a/b/messages") is None
    named = find_door(doors, "/api/v1/dataset/metadata/a")
    assert named is not None
    assert named.method == "PUT"
