"""Every store attaches content events (log records with messages) to the span they belong to."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tests.support.otlp_requests import (
    message_of,
    spooled,
    wire_span,
)
from tests.support.span_store import content_event, of_project

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.store import Store


def test_content_events_stand_behind_the_events_of_their_span(store: Store, key: TraceKey) -> None:
    spans = spooled(message_of([wire_span(key.trace_id, n) for n in (1, 2)]), key.project)
    late, early = content_event(key, 1, "b", 8), content_event(key, 1, "a", 7)
    store.spans.append([late, spans])
    before = {span.span_id: span for span in store.spans.read_spans([key])[key]}
    store.spans.append([early, late])
    after = {span.span_id: span for span in store.spans.read_spans([key])[key]}
    first, second = f"{1:016x}", f"{2:016x}"
    assert after.keys() == {first, second}
    assert [e.attributes["content"] for e in before[first].events[-1:]] == ["b"]
    assert [(e.time_ns, e.name, e.attributes["content"]) for e in after[first].events[-2:]] == [
        (7, "gen_ai.choice", "a"),
        (8, "gen_ai.choice", "b"),
    ]
    assert len(after[first].events) == len(before[first].events) + 1
    assert after[second] == before[second]
    assert after[first].row_version == max(early.seq, late.seq)


def test_content_events_of_one_time_have_an_order_of_their_own(store: Store, key: TraceKey) -> None:
    spans = spooled(message_of([wire_span(key.trace_id, 1)]), key.project)
    by_place = [
        content_event(key, 1, text, 7, f"gen_ai.{role}.message", place)
        for place, (role, text) in enumerate(
            [("user", "1"), ("assistant", "2"), ("user", "3"), ("tool", "4"), ("system", "5")]
        )
    ]
    by_role = [
        content_event(key, 1, text, 8, name)
        for name, text in [
            ("gen_ai.system.message", "6"),
            ("gen_ai.user.message", "7"),
            ("gen_ai.assistant.message", "8"),
            ("gen_ai.tool.message", "9"),
            ("gen_ai.choice", "10"),
            ("gen_ai.client.inference.operation.details", "11"),
        ]
    ]
    events = [*by_place, *by_role]
    store.spans.append(random.sample(events, len(events)))
    store.spans.append([spans, *random.sample(events, 3)])
    [span] = store.spans.read_spans([key])[key]
    assert [e.attributes["content"] for e in span.events[-11:]] == [str(n) for n in range(1, 12)]


def test_a_trace_shows_that_events_without_a_span_were_read(store: Store, key: TraceKey) -> None:
    spans = spooled(message_of([wire_span(key.trace_id, n) for n in (1, 2)]), key.project)
    stranger = content_event(key, 9, "nobody", 7)
    store.spans.append([spans])
    before = sorted(store.spans.read_spans([key])[key])
    store.spans.append([stranger])
    after = sorted(store.spans.read_spans([key])[key])
    assert max(span.row_version for span in after) == stranger.seq
    assert [s._replace(row_version=0) for s in after] == [s._replace(row_version=0) for s in before]


def test_content_events_are_changes_but_no_spans(store: Store, key: TraceKey) -> None:
    event = content_event(key, 1, "a", 7)
    store.spans.append([event])
    [change] = of_project(store.progress.unextracted(), key.project).values()
    assert ([*change.requests], change.has_root) == ([(event.seq, 1)], False)
    assert store.spans.read_spans([key]) == {}
    assert store.spans.read_otlp(key) == b""
