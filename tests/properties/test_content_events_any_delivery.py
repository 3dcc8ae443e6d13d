"""Runs with messages in log records have the same texts in any order, batches and repeats."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from tests.support.examples import examples
from tests.support.extracting import World, without_version
from tests.support.ground_truth import Capture, all_captures

from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CAPTURES = [capture for capture in all_captures() if capture.logs()]
SETTLED_S = 400.0  # longer than any wait of the extractor


def single_records(capture: Capture) -> Iterator[bytes]:
    """Yield each log record of a capture as a request of its own."""
    for group in ExportLogsServiceRequest.FromString(capture.logs()).resource_logs:
        for scope_logs in group.scope_logs:
            for record in scope_logs.log_records:
                request = ExportLogsServiceRequest()
                part = request.resource_logs.add(resource=group.resource)
                part.scope_logs.add(scope=scope_logs.scope, log_records=[record])
                yield request.SerializeToString()


def outcome(world: World) -> dict[str, object]:
    """Run the simulation until all is settled; return the documents without versions."""
    world.run(SETTLED_S, every=10)
    found = [line.key.trace_id for line in world.store.runs.list(Reach.ALL, None, 1000)]
    return {
        trace_id: without_version(world.store.documents.get(trace_id, Reach.ALL))
        for trace_id in found
    }


def delivered_in_order(capture: Capture) -> dict[str, object]:
    world = World()
    for body in capture.requests():
        world.send_message(body)
    world.send_logs(capture.logs())
    return outcome(world)


def delivered_at_random(capture: Capture, random: Random) -> dict[str, object]:
    """Send spans and log records shuffled, some twice, with the extractor running in between."""
    world = World()
    requests: list[tuple[Callable[[bytes], None], bytes]]
    requests = [(world.send_message, body) for body in capture.requests()]
    requests += [(world.send_logs, body) for body in single_records(capture)]
    requests += random.sample(requests, random.randint(0, len(requests)))
    for send, body in random.sample(requests, len(requests)):
        send(body)
        world.step(random.choice([0, 0, 0.2, 1, 31]))
    return outcome(world)


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda c: c.id)
def test_a_run_says_the_same_however_it_arrives(capture: Capture) -> None:
    random = Random(capture.id)  # reproducible, not secret
    assert delivered_at_random(capture, random) == delivered_in_order(capture)


@given(st.sampled_from(CAPTURES), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=examples(30))
def test_any_run_in_any_way(capture: Capture, random: Random) -> None:
    assert delivered_at_random(capture, random) == delivered_in_order(capture)
