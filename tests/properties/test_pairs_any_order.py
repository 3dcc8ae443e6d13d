"""Runs that several instrumentations report give the same documents in any order of spans."""

from __future__ import annotations

import random
from collections import defaultdict

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.each_capture import each_capture
from tests.support.extracted_captures import LATER_S
from tests.support.extracting import World, without_version
from tests.support.ground_truth import Capture, pair_captures

from spanloom.core.model.access import Reach

CAPTURES = pair_captures()


@each_capture(CAPTURES, every_day=2)
def test_span_by_span_in_any_order(capture: Capture) -> None:
    spans = [span for body in capture.requests() for span in _one_by_one(body)]
    shuffled = random.Random(capture.id).sample(spans, len(spans))
    assert _extracted(capture, _in_requests(shuffled)) == _extracted(
        capture, list(capture.requests())
    )


def _one_by_one(body: bytes) -> list[bytes]:
    """Split a request into requests of one span each."""
    found = []
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                request = ExportTraceServiceRequest()
                alone = request.resource_spans.add(resource=resource.resource)
                alone.scope_spans.add(scope=scope.scope).spans.append(span)
                found.append(request.SerializeToString())
    return found


def _in_requests(spans: list[bytes]) -> list[bytes]:
    """Join requests by fives, as concatenated protobuf messages are one message."""
    groups: defaultdict[int, bytes] = defaultdict(bytes)
    for number, span in enumerate(spans):
        groups[number // 5] += span
    return list(groups.values())


def _extracted(capture: Capture, requests: list[bytes]) -> dict[str, object]:
    world = World()
    for request in requests:
        world.send_message(request)
        world.step(1)
    for _ in range(2):
        world.step(LATER_S)
    assert world.step(LATER_S) == 0, "traces make each other due, for ever"
    return {
        trace_id: (
            without_version(world.store.documents.get(trace_id, Reach.ALL)),
            world.store.documents.spans(trace_id, Reach.ALL),
        )
        for trace_id in capture.spans_by_trace
    }
