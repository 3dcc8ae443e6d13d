"""Every store returns the same part of a trace that is too large to be read whole."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from tests.support.otlp_requests import (
    START_NS,
    message_of,
    spooled,
    wire_span,
)
from tests.support.span_store import content_event, names

from spanloom.core.ports.spans import TracePart
from spanloom.storage.spans import store as store_of_spans

if TYPE_CHECKING:
    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.store import Store


@pytest.mark.parametrize("at_once", [1, store_of_spans.SPANS_PER_QUERY])
def test_a_part_is_the_root_and_the_earliest_whatever_was_sent_first(
    store: Store, key: TraceKey, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """The part is the same if the spans are read in several queries, as for a long trace."""
    monkeypatch.setattr(store_of_spans, "SPANS_PER_QUERY", at_once)
    apart = 2**58  # so that the ids begin with several digits
    spans = [
        wire_span(
            key.trace_id,
            n * apart,
            0 if n == 7 else 7 * apart,
            start_ns=START_NS + 1000 * n,
            name=str(n),
        )
        for n in range(1, 41)
    ]
    random.Random(3).shuffle(spans)
    for some in (spans[:15], spans[10:30], spans[25:]):
        store.spans.append([spooled(message_of(some), key.project)])
    part = store.spans.read_part(key, 10)
    assert names(part.spans) == sorted(map(str, range(1, 11)))
    assert (part.span_count, part.events_left_out) == (40, 0)
    assert names(store.spans.read_part(key, 3).spans) == ["1", "2", "7"]
    everything = store.spans.read_part(key, 1000)
    assert len(everything.spans) == 40
    assert sorted(everything.spans) == sorted(store.spans.read_spans([key])[key])
    assert everything.newest_seq == part.newest_seq == max(s.row_version for s in everything.spans)


def test_a_part_goes_by_the_newest_version_of_each_span(store: Store, key: TraceKey) -> None:
    def span(n: int, start: int) -> WireSpan:
        return wire_span(key.trace_id, n, 1, start_ns=START_NS + start, name=f"{n} at {start}")

    root = wire_span(key.trace_id, 1, start_ns=START_NS, name="root")
    store.spans.append([spooled(message_of([root, span(2, 1000), span(3, 2000)]), key.project)])
    store.spans.append([spooled(message_of([span(2, 9000)]), key.project)])
    assert names(store.spans.read_part(key, 2).spans) == ["3 at 2000", "root"]
    assert store.spans.read_part(key, 2).span_count == 3


def test_a_part_of_an_unknown_trace_is_empty(store: Store, key: TraceKey) -> None:
    assert store.spans.read_part(key, 10) == TracePart([], 0, 0, 0, is_whole=True)


def test_a_part_has_the_earliest_content_events(store: Store, key: TraceKey) -> None:
    store.spans.append([spooled(message_of([wire_span(key.trace_id, 1)]), key.project)])
    for n in (4, 1, 3, 2, 1):
        store.spans.append([content_event(key, 1, str(n), START_NS + n)])
    part = store.spans.read_part(key, 3)
    [span] = part.spans
    assert [event.time_ns - START_NS for event in span.events] == [1, 2, 3]
    assert (part.span_count, part.events_left_out) == (1, 1)
    assert part.newest_seq == store.spans.read_spans([key])[key][0].row_version
