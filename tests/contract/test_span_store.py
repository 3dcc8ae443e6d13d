"""The contract of the store of spans, in every implementation."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.support.otlp_requests import (
    START_NS,
    message_of,
    next_seq,
    spans_apart,
    spooled,
    wire_span,
    with_projects,
)
from tests.support.span_store import names

from spanloom.core.errors import StoreRejectedError
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.spans import SpooledRequest

if TYPE_CHECKING:
    from spanloom.core.ports.store import Store


def test_unknown_traces_are_absent(store: Store, key: TraceKey) -> None:
    assert store.spans.read_spans([key]) == {}
    assert store.spans.read_spans([]) == {}
    assert store.spans.read_otlp(key) == b""


def test_nothing_appended_is_nothing_stored(store: Store) -> None:
    store.spans.append([])
    store.spans.append([spooled(message_of([]))])


def test_what_was_appended_can_be_read_at_once(store: Store, key: TraceKey) -> None:
    first = wire_span(key.trace_id, 1, name="root", attributes={"a": "x", "n": 7, "ok": True})
    request = spooled(message_of([first], {"service.name": "svc"}), key.project)
    store.spans.append([request])
    [span] = store.spans.read_spans([key])[key]
    assert span.trace_id == key.trace_id
    assert (span.span_id, span.parent_span_id) == (f"{1:016x}", "")
    assert (span.name, span.kind, span.status_code) == ("root", "Internal", "Unset")
    assert (span.service_name, span.scope_name, span.scope_version) == ("svc", "tests", "1")
    assert dict(span.attributes) == {"a": "x", "n": "7", "ok": "true"}
    assert span.end_ns - span.start_ns == 1000
    assert span.row_version == request.seq


def test_the_same_requests_again_change_nothing(store: Store, key: TraceKey) -> None:
    requests = [
        spooled(message_of([wire_span(key.trace_id, n, name=f"n{n}")]), key.project)
        for n in range(1, 4)
    ]
    store.spans.append(requests)
    before = sorted(store.spans.read_spans([key])[key])
    for _ in range(3):
        store.spans.append(random.sample(requests, 3))
    assert sorted(store.spans.read_spans([key])[key]) == before
    assert len(spans_apart(store.spans.read_otlp(key))) == 3


def test_a_span_sent_again_replaces_the_earlier_one_in_any_order_of_arrival(
    store: Store, key: TraceKey
) -> None:
    old = spooled(message_of([wire_span(key.trace_id, 1, name="old")]), key.project)
    # It starts in another month, so in another partition, and still replaces the row.
    later = wire_span(key.trace_id, 1, name="new", start_ns=1_893_456_000_000_000_000)
    new = spooled(message_of([later]), key.project)
    store.spans.append([new])
    store.spans.append([old])
    assert names(store.spans.read_spans([key])[key]) == ["new"]
    assert len(spans_apart(store.spans.read_otlp(key))) == 1
    assert b"new" in store.spans.read_otlp(key)


def test_of_one_span_twice_in_one_request_the_last_counts(store: Store, key: TraceKey) -> None:
    spans = [wire_span(key.trace_id, 1, name=name) for name in ("first", "last")]
    request = spooled(message_of(spans), key.project)
    body = with_projects(message_of(spans).SerializeToString(), key.project)
    store.spans.append([SpooledRequest(next_seq(), key.project, 1, body, 2)])
    store.spans.append([request])
    assert names(store.spans.read_spans([key])[key]) == ["last"]


@pytest.mark.parametrize("months", [(0, 2), (2, 0)])
def test_of_one_span_twice_in_two_months_every_read_gives_the_same(
    store: Store, key: TraceKey, months: tuple[int, int]
) -> None:
    starts = [START_NS + 31 * m * 24 * 3600 * 10**9 for m in months]
    spans = [wire_span(key.trace_id, 1, name=str(s), start_ns=s) for s in starts]
    body = with_projects(message_of(spans).SerializeToString(), key.project)
    request = SpooledRequest(next_seq(), key.project, 1, body, 2)
    for _ in range(8):
        store.spans.append([request])
        assert names(store.spans.read_spans([key])[key]) == [str(max(starts))]
        assert str(max(starts)).encode() in store.spans.read_otlp(key)


def test_many_traces_are_read_at_once(store: Store, key: TraceKey) -> None:
    traces = [f"{n:032x}" for n in range(1, 1201)]
    store.spans.append([spooled(message_of([wire_span(t, 1) for t in traces]), key.project)])
    found = store.spans.read_spans([TraceKey(key.project, t) for t in traces])
    assert len(found) == 1200


def test_hostile_keys_and_values_come_back_as_they_are(store: Store, key: TraceKey) -> None:
    texts = [
        "'; DROP TABLE otel_traces; --",
        "{x:String}",
        "\\'\"`\n\t\x00",
        "<img>",
        "__proto__",
        "🜚" * 9,
        "",
    ]
    attributes = {text: text for text in texts}
    store.spans.append(
        [
            spooled(
                message_of([wire_span(key.trace_id, 1, name=texts[0], attributes=attributes)]),
                key.project,
            )
        ]
    )
    [span] = store.spans.read_spans([key])[key]
    assert dict(span.attributes) == attributes
    assert span.name == texts[0]


def test_200_months_in_one_request_are_stored(store: Store, key: TraceKey) -> None:
    month_ns = 31 * 24 * 3600 * 10**9
    starts = [n * month_ns for n in range(700)] + [2**63, 2**64 - 1]
    spans = [
        wire_span(key.trace_id, n + 1, start_ns=min(s, 2**64 - 2000)) for n, s in enumerate(starts)
    ]
    store.spans.append([spooled(message_of(spans), key.project)])
    assert len(store.spans.read_spans([key])[key]) == len(starts)


def test_what_is_no_otlp_is_refused_and_leaves_nothing(store: Store, key: TraceKey) -> None:
    good = spooled(message_of([wire_span(key.trace_id, 1)]), key.project)
    bad = SpooledRequest(next_seq(), key.project, 1, b"\x0a\x05ab", 1)
    with pytest.raises(StoreRejectedError):
        store.spans.append([bad])
    store.spans.append([good])
    assert len(store.spans.read_spans([key])[key]) == 1


def test_otlp_comes_in_the_order_of_time_across_resources_and_scopes(
    store: Store, key: TraceKey
) -> None:
    for service, offset in (("a", 0), ("b", 1)):
        spans = [
            wire_span(key.trace_id, 100 - n, start_ns=START_NS + n // 4)
            for n in range(offset, 20, 2)
        ]
        store.spans.append([spooled(message_of(spans, {"service.name": service}), key.project)])
    groups = TracesData.FromString(store.spans.read_otlp(key)).resource_spans
    found = [
        (span.start_time_unix_nano, span.span_id)
        for group in groups
        for scope_spans in group.scope_spans
        for span in scope_spans.spans
    ]
    assert len(found) == 20
    assert found == sorted(found)


def test_appending_again_after_a_refusal_repairs(store: Store, key: TraceKey) -> None:
    requests = [spooled(message_of([wire_span(key.trace_id, n)]), key.project) for n in (1, 2)]
    bad = SpooledRequest(next_seq(), key.project, 1, b"\x0a\x05ab", 1)
    with pytest.raises(StoreRejectedError):
        store.spans.append([requests[0], bad, requests[1]])
    for request in requests:
        store.spans.append([request])
    assert len(store.spans.read_spans([key])[key]) == 2
    assert len(spans_apart(store.spans.read_otlp(key))) == 2


def test_ping_answers(store: Store) -> None:
    store.ping()
