"""The same part of a trace with more spans than the cap is shown, however it arrives."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.extracting import TRACE, World, key_of, sent, without_version
from tests.support.span_store import content_event

from spanloom.core.model.access import Reach
from spanloom.core.model.trajectory import Status
from spanloom.extractor.batch import build_batch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.spans import Arrived
    from spanloom.core.ports.store import Store

CAP, SPANS = 10, 40
KEY = key_of(TRACE)
SETTLED_S = 700.0  # longer than any wait of the extractor
Outcome = tuple[dict[str, object], bytes | None]


def tree(random: Random, size: int = SPANS) -> list[WireSpan]:
    """Return a random tree of spans; start times may be equal, or earlier than the parent's."""
    root = sent(1)
    rest = [
        sent(n, random.randint(1, n - 1), start_ms=random.randint(-2, 12))
        for n in range(2, size + 1)
    ]
    return [root, *rest]


def outcome(world: World) -> Outcome:
    """Return the document without its version, and the list of spans."""
    document = without_version(world.store.documents.get(TRACE, Reach.ALL))
    return document, world.store.documents.spans(TRACE, Reach.ALL)


def delivered_at_once(spans: list[WireSpan]) -> Outcome:
    world = World(max_trace_spans=CAP)
    world.send(*spans)
    world.run(SETTLED_S, every=10)
    return outcome(world)


def delivered_at_random(spans: list[WireSpan], random: Random) -> Outcome:
    """Send spans shuffled, in batches, some twice, while the extractor runs; return the outcome."""
    world = World(max_trace_spans=CAP)
    left = [*spans, *random.sample(spans, random.randint(0, len(spans)))]
    random.shuffle(left)
    while left:
        size = random.randint(1, len(left))
        world.send(*left[:size])
        del left[:size]
        for _ in range(random.randint(0, 3)):
            world.step(random.choice([0.2, 1, 5, 31, 70]))
        if random.random() < 0.2:
            world.restart()
    world.run(SETTLED_S, every=10)
    return outcome(world)


@given(st.randoms(use_true_random=False), st.integers(CAP - 2, SPANS))
@settings(deadline=None, max_examples=examples(60))
def test_the_same_part_is_shown_however_the_spans_arrive(random: Random, size: int) -> None:
    spans = tree(random, size)
    found = delivered_at_random(spans, random)
    assert found == delivered_at_once(spans)
    assert found[0]["extraction"]["span_count"] == size  # type: ignore[index]  # a document


@pytest.mark.parametrize("events", [0, SPANS])
def test_a_part_is_shown_of_spans_whose_arrival_is_not_visible_yet(events: int) -> None:
    """Spans become visible at another time than the record of their arrival."""
    shown = []
    known: Sequence[Mapping[TraceKey, Arrived] | None] = (None, {})
    for arrived in known:
        world = World(max_trace_spans=CAP)
        world.send(*tree(Random(1), 2 if events else SPANS))
        for n in range(events):
            world.store.spans.append([content_event(KEY, 1, str(n), 7_000 + n)])
        build_batch(world.store, {KEY: Status.SETTLED}, world.options, arrived)
        shown.append(outcome(world))
    assert shown[0] == shown[1]
    assert "--max-trace-spans" in str(shown[0])


@pytest.mark.parametrize("seed", range(3))
def test_both_stores_show_the_same_part(seed: int, clickhouse_store: Store) -> None:
    spans = tree(Random(seed))
    for span in spans:
        span.trace_id = bytes([seed + 1]) * 16
    trace_id = spans[0].trace_id.hex()
    shown = []
    for store in (World().store, clickhouse_store):
        for some in (spans[20:], spans[:30]):
            World(store).send(*some)
        key = next(c.key for c in store.progress.unextracted() if c.key.trace_id == trace_id)
        part = store.spans.read_part(key, CAP)
        shown.append((sorted(span.span_id for span in part.spans), part.span_count))
    assert shown[0] == shown[1]
    assert len(shown[0][0]) == CAP
