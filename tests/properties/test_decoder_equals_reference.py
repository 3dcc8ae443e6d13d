"""Rows that ClickHouse decodes from OTLP equal those of the stock opentelemetry-proto classes.

``tests/contract/test_stores_agree.py`` compares them for captured runs.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.examples import examples
from tests.support.memory_store import MemoryStore
from tests.support.odd_protobuf import encode_oddly
from tests.support.otlp_requests import key_value, message_of, spooled, wire_span
from tests.support.otlp_strategies import export_requests
from tests.support.reference_decoder import decode_request
from tests.support.same_spans import assert_same_spans, stored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.spans import SpooledRequest
    from spanloom.storage.store import ClickHouseStore


def keys_of(requests: Sequence[SpooledRequest]) -> list[TraceKey]:
    return list({found.key: None for request in requests for found in decode_request(request)})


def assert_stores_agree(clickhouse: ClickHouseStore, requests: Sequence[SpooledRequest]) -> None:
    memory = MemoryStore()
    memory.spans.append(requests)
    clickhouse.spans.append(requests)
    assert_same_spans(clickhouse.spans, memory.spans, keys_of(requests))


def of_fresh_project(message: ExportTraceServiceRequest) -> SpooledRequest:
    return spooled(message, f"p-{secrets.token_hex(6)}")


HEAVY = 8
"""Examples by default; each takes half a second, most of it in the engine."""
REPEATED_KEYS = message_of([wire_span("ab" * 16, 1)])
REPEATED_KEYS.resource_spans[0].scope_spans[0].spans[0].attributes.extend(
    [key_value("k", "first"), key_value("other", 1), key_value("k", 2.5), key_value("other", True)]
)


@given(requests=st.lists(export_requests, min_size=1, max_size=3))
@example(requests=[REPEATED_KEYS])
@example(requests=[ExportTraceServiceRequest()])
@settings(
    max_examples=examples(40, every_day=HEAVY),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_request(
    clickhouse_store: ClickHouseStore, requests: list[ExportTraceServiceRequest]
) -> None:
    assert_stores_agree(clickhouse_store, [of_fresh_project(r) for r in requests])


@given(message=export_requests)
@settings(
    max_examples=examples(40, every_day=HEAVY),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_repeats_and_order_of_requests_change_nothing(
    clickhouse_store: ClickHouseStore, message: ExportTraceServiceRequest
) -> None:
    first = of_fresh_project(message)
    later = spooled(message, first.project)
    clickhouse_store.spans.append([later])
    clickhouse_store.spans.append([first, later, first])
    memory = MemoryStore()
    memory.spans.append([first, later])
    keys = keys_of([first])
    assert stored(clickhouse_store.spans, keys) == stored(memory.spans, keys)


@given(message=export_requests, random=st.randoms(use_true_random=False))
@settings(
    max_examples=examples(40, every_day=HEAVY),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_requests_written_oddly(
    clickhouse_store: ClickHouseStore, message: ExportTraceServiceRequest, random: Random
) -> None:
    request = spooled(encode_oddly(message, random), f"p-{secrets.token_hex(6)}")
    assert_stores_agree(clickhouse_store, [request])


ODD_SPANS = {
    "two arms of a value": b"\x4a\x0a\x0a\x01k\x12\x05\x0a\x01t\x18\x07",
    "the value twice": b"\x4a\x0c\x0a\x01k\x12\x03\x0a\x01t\x12\x02\x18\x07",
    "an array in two parts": b"\x4a\x11\x0a\x01k\x12\x0c"
    b"\x2a\x04\x0a\x02\x0a\x00"
    b"\x2a\x04\x0a\x02\x18\x05",
    "a bool of 2": b"\x4a\x07\x0a\x01k\x12\x02\x10\x02",
    "a kind of 64 bits": b"\x30\xff\xff\xff\xff\xff\x7f",
    "a count of 64 bits": b"\x50\xff\xff\xff\xff\xff\x7f",
    "a name in the wrong wire type": b"\x28\x07",
    "a status in two parts": b"\x7a\x03\x12\x01m\x7a\x02\x18\x02",
}


@pytest.mark.parametrize("odd", ODD_SPANS)
def test_spans_written_oddly(clickhouse_store: ClickHouseStore, odd: str) -> None:
    message = message_of([])
    body = wire_span("cd" * 16, 1).SerializeToString() + ODD_SPANS[odd]
    scope = _framed(2, _framed(2, body))
    request = spooled(message.SerializeToString() + _framed(1, scope), f"p-{secrets.token_hex(6)}")
    assert request.span_count == 1
    assert_stores_agree(clickhouse_store, [request])


def _framed(number: int, data: bytes) -> bytes:
    assert len(data) < 128
    return bytes([number << 3 | 2, len(data)]) + data
