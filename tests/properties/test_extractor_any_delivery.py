"""Captured runs give the same trajectories in any order, any batches and if sent repeatedly."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.each_capture import each_capture
from tests.support.examples import examples
from tests.support.extracting import World, without_version
from tests.support.ground_truth import Capture, all_captures

from spanloom.core.extract import extract
from spanloom.core.formats.canonical import encode_document, encode_spans
from spanloom.core.model.access import Reach
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import Span, TraceKey

CAPTURES = all_captures()
EVERYTHING = None
SETTLED_S = 400.0  # longer than any wait of the extractor

Outcome = dict[str, tuple[object, bytes | None]]


@cache
def single_spans(capture: Capture) -> Sequence[ExportTraceServiceRequest]:
    """Return each span of a capture as a request of its own, in the order of arrival."""
    alone = []
    for body in capture.requests():
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope_spans in group.scope_spans:
                for span in scope_spans.spans:
                    request = ExportTraceServiceRequest()
                    part = request.resource_spans.add(resource=group.resource)
                    part.scope_spans.add(scope=scope_spans.scope, spans=[span])
                    alone.append(request)
    return alone


def opened(request: ExportTraceServiceRequest) -> ExportTraceServiceRequest:
    """Return a copy of a span as it was before it ended, without most attributes and events."""
    copy = ExportTraceServiceRequest.FromString(request.SerializeToString())
    [span] = copy.resource_spans[0].scope_spans[0].spans
    span.end_time_unix_nano = 0
    del span.attributes[1:], span.events[:]
    return copy


@cache
def stored_traces(capture: Capture) -> dict[TraceKey, list[Span]]:
    world = World()
    for body in capture.requests():
        world.send_message(body)
    keys = [change.key for change in world.store.progress.unextracted()]
    return dict(world.store.spans.read_spans(keys))


def outcome(world: World) -> Outcome:
    """Return documents (without versions) and lists of spans by trace id."""
    found = [line.key.trace_id for line in world.store.runs.list(Reach.ALL, EVERYTHING, 1000)]
    return {
        trace_id: (
            without_version(world.store.documents.get(trace_id, Reach.ALL)),
            world.store.documents.spans(trace_id, Reach.ALL),
        )
        for trace_id in found
    }


@cache
def delivered_in_order(*captures: Capture) -> Outcome:
    world = World()
    for capture in captures:
        for body in capture.requests():
            world.send_message(body)
    world.run(SETTLED_S, every=10)
    return outcome(world)


def deliver_at_random(random: Random, *captures: Capture) -> World:
    """Send spans shuffled and in batches, some twice or unfinished, while the extractor runs."""
    world = World()
    spans = [span for capture in captures for span in single_spans(capture)]
    spans += random.sample(spans, random.randint(0, len(spans)))
    spans += map(opened, random.sample(spans, random.randint(0, len(spans) // 2)))
    random.shuffle(spans)
    while spans:
        size = random.randint(1, max(1, len(spans) // 2))
        batch = ExportTraceServiceRequest()
        for request in spans[:size]:
            batch.MergeFrom(request)
        del spans[:size]
        world.send_message(batch)
        for _ in range(random.randint(0, 3)):
            world.step(random.choice([0.2, 1, 5, 31, 70]))
        if random.random() < 0.2:
            world.restart()
    world.run(SETTLED_S, every=10)
    return world


@each_capture(CAPTURES, every_day=2)
def test_a_run_gives_the_same_trajectories_however_it_arrives(capture: Capture) -> None:
    random = Random(capture.id)  # reproducible, not secret
    assert outcome(deliver_at_random(random, capture)) == delivered_in_order(capture)


@given(st.sampled_from(CAPTURES), st.sampled_from(CAPTURES), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=examples(60, every_day=12))
def test_any_two_runs_mixed_in_any_way(one: Capture, other: Capture, random: Random) -> None:
    both = dict.fromkeys((one, other))  # both may be the same capture
    assert outcome(deliver_at_random(random, *both)) == delivered_in_order(*both)


@each_capture(CAPTURES, every_day=2)
def test_extraction_is_one_function_of_the_spans(capture: Capture) -> None:
    random = Random(capture.id)  # reproducible, not secret
    for key, spans in stored_traces(capture).items():
        expected = [_encoded(key, order) for order in (spans, spans[::-1])]
        shuffled = random.sample(spans, len(spans))
        assert [_encoded(key, shuffled)] * 2 == expected


def _encoded(key: TraceKey, spans: Sequence[Span]) -> tuple[bytes, bytes]:
    trajectory = extract(key, spans)
    return encode_document(trajectory, 1, Status.SETTLED), encode_spans(trajectory)
