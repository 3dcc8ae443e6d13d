"""A run of which only log records arrived is shown; spans that arrive later take over."""

from __future__ import annotations

from itertools import permutations

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from tests.support.extracting import TRACE, World, sent, without_version

from spanloom.core.model.access import Reach


def record(span: int, name: str, time_ms: int) -> bytes:
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add()
    log = group.scope_logs.add().log_records.add(
        trace_id=bytes.fromhex(TRACE),
        span_id=span.to_bytes(8, "big"),
        time_unix_nano=1_900_000_000 * 10**9 + time_ms * 10**6,
    )
    for key, text in (("event.name", name), ("session.id", "S")):
        log.attributes.add(key=key).value.string_value = text
    return request.SerializeToString()


def test_a_run_without_a_span_is_shown() -> None:
    world = World()
    world.send_logs(record(5, "claude_code.user_prompt", 0))
    world.send_logs(record(6, "claude_code.api_request", 5))
    world.run(90)
    assert world.said()[1:] == ("partial", 2)


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_spans_take_over_whenever_they_come(order: tuple[int, ...]) -> None:
    def play(order: tuple[int, ...], wait_s: float) -> object:
        world = World()
        records = [[record(2, "claude_code.user_prompt", n) for n in (1, 2, 3)]]
        records += [[record(3, "claude_code.api_request", 5)]]
        spans = [(sent(1), sent(2, 1)), (sent(3, 1),)]
        for number in order:
            for logs in records[number] if number < len(records) else ():
                world.send_logs(logs)
            if number >= len(records):
                world.send(*spans[number - len(records)])
            world.run(wait_s)
        world.run(90)
        return without_version(world.store.documents.get(TRACE, Reach.ALL))

    assert play(order, 70.0) == play((2, 3, 0, 1), 0)
