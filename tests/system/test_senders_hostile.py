"""Valid OTLP with harmful contents is stored like any other, and does not delay other spans."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from tests.support.agents import await_spans, await_trajectory
from tests.support.ledger import as_protobuf, make_requests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import RunningSpanloom, StartSpanloom

PROTOBUF = {"Content-Type": "application/x-protobuf"}
MONTH_NS = 30 * 86_400 * 10**9
TIMES = (0, 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
TEXTS = (
    "",
    "\0",
    "a\0b",
    "\N{WAVING HAND SIGN}" * 2000,
    "\x1b[31m\r\n",
    "'; DROP TABLE x; --",
    "\\N",
)
KEYS = ("", "\0", "__proto__", "a.b[0]", "'; DROP TABLE x", "<img onerror=x>", "k" * 512)
DEPTH = 5_000

CHANCE = Random(7)  # repeatable


def new_span(**fields: object) -> Span:
    ids = {"trace_id": CHANCE.randbytes(16), "span_id": CHANCE.randbytes(8)}
    return Span(**{**ids, **fields})  # type: ignore[arg-type]  # fields of a span


def many_partitions() -> Iterator[Span]:
    """Yield spans of 400 months, more partitions than a store accepts in one block by default."""
    for month in range(400):
        yield new_span(start_time_unix_nano=month * MONTH_NS)


def impossible_times() -> Iterator[Span]:
    for start in TIMES:
        for end in TIMES:
            yield new_span(start_time_unix_nano=start, end_time_unix_nano=end)


def hostile_texts() -> Iterator[Span]:
    """Yield texts that break quoting, terminals and JSON, and attributes of the wrong type."""
    for text in TEXTS:
        span = new_span(
            name=text, trace_state=text, status=Status(message=text, code=Status.STATUS_CODE_ERROR)
        )
        for key in KEYS:
            span.attributes.add(key=key).value.string_value = text
        span.attributes.add(key="gen_ai.operation.name").value.int_value = -(2**63)
        span.attributes.add(key="gen_ai.usage.input_tokens").value.double_value = float("nan")
        span.attributes.add(key="llm.token_count.prompt").value.string_value = "1e999"
        kinds = span.attributes.add(key="openinference.span.kind").value.array_value.values
        kinds.add().string_value = "LLM"
        event = span.events.add(name=text, time_unix_nano=2**64 - 1)
        event.attributes.add(key=text[:10]).value.bytes_value = b"\xff\0"
        span.links.add(trace_state=text)
        yield span


def circles() -> Iterator[Span]:
    """Yield a span that is its own parent, and two spans that are each other's parent."""
    one, other, trace_id = b"1" * 8, b"2" * 8, CHANCE.randbytes(16)
    yield new_span(span_id=one, parent_span_id=one)
    yield new_span(trace_id=trace_id, span_id=one, parent_span_id=other)
    yield new_span(trace_id=trace_id, span_id=other, parent_span_id=one)


def endless_chain() -> Iterator[Span]:
    """Yield a chain of spans, each the child of the next, deeper than any call stack."""
    trace_id, ids = CHANCE.randbytes(16), [CHANCE.randbytes(8) for _ in range(DEPTH + 1)]
    for span_id, parent_id in pairwise(ids):
        yield new_span(trace_id=trace_id, span_id=span_id, parent_span_id=parent_id)


ATTACKS: tuple[Callable[[], Iterator[Span]], ...] = (
    many_partitions,
    impossible_times,
    hostile_texts,
    circles,
    endless_chain,
)


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    return start_shared_spanloom("serve", "--root-quiet-s=0.3", "--no-root-quiet-s=1")


@pytest.mark.nightly
@pytest.mark.parametrize("attack", ATTACKS)
def test_it_is_kept_and_nothing_waits_behind_it(
    spanloom: RunningSpanloom, attack: Callable[[], Iterator[Span]]
) -> None:
    spans = list(attack())
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.extend(spans)
    good = next(make_requests(attack.__name__))
    with httpx.Client(base_url=spanloom.addresses["otlp_http"], headers=PROTOBUF) as client:
        for body in (request, as_protobuf(good)):
            answer = client.post("/v1/traces", content=body.SerializeToString())
            assert (answer.status_code, answer.content) == (200, b"")
    await_trajectory(spanloom.api, good[0].trace_id, len(good))
    with httpx.Client(base_url=spanloom.api) as api:
        for trace_id, count in Counter(span.trace_id.hex() for span in spans).items():
            await_spans(spanloom.api, trace_id, count)
        assert "\nspanloom_dead_letters_total 0.0\n" in api.get("/metrics").text
    assert spanloom.complaints == []
