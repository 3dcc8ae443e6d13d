"""What a store of spans promises, against every implementation."""

from __future__ import annotations

import random
import zlib
from dataclasses import replace
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
)

from spanloom.collector.intake.tenancy import claim_request
from spanloom.core.errors import StoreRejectedError
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.progress import Progress
from spanloom.core.ports.spans import Signal, SpooledRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

    from spanloom.core.model.span import Span
    from spanloom.core.ports.progress import TraceChange
    from spanloom.core.ports.store import Store


def names(spans: Sequence[Span]) -> list[str]:
    return sorted(span.name for span in spans)


def of_project(changes: Sequence[TraceChange], project: str) -> dict[str, TraceChange]:
    return {c.key.trace_id: c for c in changes if c.key.project == project}


def test_unknown_traces_are_absent(store: Store, key: TraceKey) -> None:
    assert store.read_spans([key]) == {}
    assert store.read_spans([]) == {}
    assert store.read_otlp(key) == b""


def test_nothing_appended_is_nothing_stored(store: Store) -> None:
    store.append([])
    store.append([spooled(message_of([]))])


def test_what_was_appended_can_be_read_at_once(store: Store, key: TraceKey) -> None:
    first = wire_span(key.trace_id, 1, name="root", attributes={"a": "x", "n": 7, "ok": True})
    request = spooled(message_of([first], {"service.name": "svc"}), key.project)
    store.append([request])
    [span] = store.read_spans([key])[key]
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
    store.append(requests)
    before = sorted(store.read_spans([key])[key])
    for _ in range(3):
        store.append(random.sample(requests, 3))
    assert sorted(store.read_spans([key])[key]) == before
    assert len(spans_apart(store.read_otlp(key))) == 3


def test_a_span_sent_again_replaces_the_earlier_one_in_any_order_of_arrival(
    store: Store, key: TraceKey
) -> None:
    old = spooled(message_of([wire_span(key.trace_id, 1, name="old")]), key.project)
    # Another month, so another partition: the row is the same all the same.
    later = wire_span(key.trace_id, 1, name="new", start_ns=1_893_456_000_000_000_000)
    new = spooled(message_of([later]), key.project)
    store.append([new])
    store.append([old])
    assert names(store.read_spans([key])[key]) == ["new"]
    assert len(spans_apart(store.read_otlp(key))) == 1
    assert b"new" in store.read_otlp(key)


def test_of_one_span_twice_in_one_request_the_last_counts(store: Store, key: TraceKey) -> None:
    spans = [wire_span(key.trace_id, 1, name=name) for name in ("first", "last")]
    request = spooled(message_of(spans), key.project)
    body = claim_request(key.project, message_of(spans).SerializeToString())
    store.append([SpooledRequest(next_seq(), key.project, 1, body, 2)])
    store.append([request])
    assert names(store.read_spans([key])[key]) == ["last"]


@pytest.mark.parametrize("months", [(0, 2), (2, 0)])
def test_of_one_span_twice_in_two_months_every_read_gives_the_same(
    store: Store, key: TraceKey, months: tuple[int, int]
) -> None:
    starts = [START_NS + 31 * m * 24 * 3600 * 10**9 for m in months]
    spans = [wire_span(key.trace_id, 1, name=str(s), start_ns=s) for s in starts]
    body = claim_request(key.project, message_of(spans).SerializeToString())
    request = SpooledRequest(next_seq(), key.project, 1, body, 2)
    for _ in range(8):
        store.append([request])
        assert names(store.read_spans([key])[key]) == [str(max(starts))]
        assert str(max(starts)).encode() in store.read_otlp(key)


def test_traces_of_projects_are_apart(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    other = TraceKey(new_project(), key.trace_id)
    for owner in (key, other):
        store.append(
            [spooled(message_of([wire_span(key.trace_id, 1, name=owner.project)]), owner.project)]
        )
    found = store.read_spans([key, other, key])
    assert {k: names(v) for k, v in found.items()} == {k: [k.project] for k in (key, other)}


@pytest.mark.parametrize(
    ("attributes", "suffix"),
    [
        ({"spanloom.project": "{}-own"}, "-own"),
        ({"openinference.project.name": "{}-oi"}, "-oi"),
        ({"openinference.project.name": "{}-oi", "spanloom.project": "{}-own"}, "-own"),
    ],
)
def test_without_a_key_the_resource_names_the_project(
    store: Store, key: TraceKey, attributes: dict[str, str], suffix: str
) -> None:
    resource = {name: value.format(key.project) for name, value in attributes.items()}
    store.append([spooled(message_of([wire_span(key.trace_id, 1)], resource))])
    named = TraceKey(key.project + suffix, key.trace_id)
    assert set(store.read_spans([named])) == {named}
    store.append([spooled(message_of([wire_span(key.trace_id, 1)], resource), key.project)])
    assert set(store.read_spans([key])) == {key}


def test_without_any_name_the_project_is_default(store: Store, key: TraceKey) -> None:
    store.append([spooled(message_of([wire_span(key.trace_id, 1)]))])
    assert set(store.read_spans([TraceKey("default", key.trace_id)]))


def test_many_traces_are_read_at_once(store: Store, key: TraceKey) -> None:
    traces = [f"{n:032x}" for n in range(1, 1201)]
    store.append([spooled(message_of([wire_span(t, 1) for t in traces]), key.project)])
    found = store.read_spans([TraceKey(key.project, t) for t in traces])
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
    store.append(
        [
            spooled(
                message_of([wire_span(key.trace_id, 1, name=texts[0], attributes=attributes)]),
                key.project,
            )
        ]
    )
    [span] = store.read_spans([key])[key]
    assert dict(span.attributes) == attributes
    assert span.name == texts[0]


def test_hostile_projects_are_only_names(store: Store, key: TraceKey) -> None:
    hostile = TraceKey(f"{key.project}' OR 1=1 --\\", key.trace_id)
    store.append([spooled(message_of([wire_span(key.trace_id, 1)]), hostile.project)])
    assert set(store.read_spans([hostile])) == {hostile}
    assert store.read_otlp(hostile)
    assert store.read_spans([key]) == {}


def test_200_months_in_one_request_are_stored(store: Store, key: TraceKey) -> None:
    month_ns = 31 * 24 * 3600 * 10**9
    starts = [n * month_ns for n in range(700)] + [2**63, 2**64 - 1]
    spans = [
        wire_span(key.trace_id, n + 1, start_ns=min(s, 2**64 - 2000)) for n, s in enumerate(starts)
    ]
    store.append([spooled(message_of(spans), key.project)])
    assert len(store.read_spans([key])[key]) == len(starts)


def test_what_is_no_otlp_is_refused_and_leaves_nothing(store: Store, key: TraceKey) -> None:
    good = spooled(message_of([wire_span(key.trace_id, 1)]), key.project)
    bad = SpooledRequest(next_seq(), key.project, 1, b"\x0a\x05ab", 1)
    with pytest.raises(StoreRejectedError):
        store.append([bad])
    store.append([good])
    assert len(store.read_spans([key])[key]) == 1


def test_otlp_comes_in_the_order_of_time_across_resources_and_scopes(
    store: Store, key: TraceKey
) -> None:
    for service, offset in (("a", 0), ("b", 1)):
        spans = [
            wire_span(key.trace_id, 100 - n, start_ns=START_NS + n // 4)
            for n in range(offset, 20, 2)
        ]
        store.append([spooled(message_of(spans, {"service.name": service}), key.project)])
    groups = TracesData.FromString(store.read_otlp(key)).resource_spans
    found = [
        (span.start_time_unix_nano, span.span_id)
        for group in groups
        for scope_spans in group.scope_spans
        for span in scope_spans.spans
    ]
    assert len(found) == 20
    assert found == sorted(found)


def test_otlp_of_one_project_is_apart_from_that_of_another(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    store.append([spooled(message_of([wire_span(key.trace_id, 1)]), key.project)])
    assert store.read_otlp(TraceKey(new_project(), key.trace_id)) == b""


def test_appending_again_after_a_refusal_repairs(store: Store, key: TraceKey) -> None:
    requests = [spooled(message_of([wire_span(key.trace_id, n)]), key.project) for n in (1, 2)]
    bad = SpooledRequest(next_seq(), key.project, 1, b"\x0a\x05ab", 1)
    with pytest.raises(StoreRejectedError):
        store.append([requests[0], bad, requests[1]])
    for request in requests:
        store.append([request])
    assert len(store.read_spans([key])[key]) == 2
    assert len(spans_apart(store.read_otlp(key))) == 2


def changes_of(store: Store, project: str, since_s: int) -> dict[str, list[TraceChange]]:
    """Return what each trace of a project got since a second of the store, second by second."""
    found: dict[str, list[TraceChange]] = {}
    for change in store.changes_in(sorted(store.inserted(since_s))):
        if change.key.project == project:
            found.setdefault(change.key.trace_id, []).append(change)
    return found


def test_a_second_has_a_fingerprint_that_every_row_changes(store: Store, key: TraceKey) -> None:
    since_s = store.clock()
    request = spooled(message_of([wire_span(key.trace_id, 1)]), key.project)
    seen = []
    for _ in range(3):
        store.append([request])  # the same again is a row more: it may have been another
        seen.append(dict(store.inserted(since_s)))
        assert seen[-1] == store.inserted(since_s)
    assert seen[0] != seen[1] != seen[2]
    until_s = store.clock()
    assert all(since_s <= second <= until_s for second in seen[-1])
    assert store.inserted(until_s + 1) == {}
    assert sum(c.span_count for c in changes_of(store, key.project, since_s)[key.trace_id]) == 3


def test_hours_are_named_by_their_first_second(store: Store, key: TraceKey) -> None:
    store.append([spooled(message_of([wire_span(key.trace_id, 1)]), key.project)])
    hours = store.inserted(store.clock() - 5, 3600)
    assert set(hours) <= {n * 3600 for n in range(store.clock() // 3600 + 1)}
    assert hours


def test_changes_are_summed_up_by_trace_whatever_their_sequence(
    store: Store, key: TraceKey
) -> None:
    since_s, other = store.clock(), f"{2:032x}"
    requests = [
        spooled(
            message_of([wire_span(key.trace_id, 2, parent=1), wire_span(other, 1)]), key.project
        ),
        spooled(message_of([wire_span(key.trace_id, 3, parent=1)]), key.project),
        spooled(message_of([wire_span(key.trace_id, 1)]), key.project),
    ]
    store.append(requests[1:2])
    assert not any(c.has_root for c in changes_of(store, key.project, since_s)[key.trace_id])
    store.append([requests[2], requests[0]])
    found = changes_of(store, key.project, since_s)
    changes = found[key.trace_id]
    assert max(c.max_seq for c in changes) == requests[2].seq
    assert any(c.has_root for c in changes)
    assert sum(c.span_count for c in changes) == 3
    assert min(c.first_accepted_ns for c in changes) == requests[0].accepted_at_ns
    assert max(c.last_accepted_ns for c in changes) == requests[2].accepted_at_ns
    assert [c.max_seq for c in found[other]] == [requests[0].seq]
    assert all(since_s <= c.second <= store.clock() for c in changes)
    assert store.changes_in([]) == []


def test_the_watermark_is_the_one_recorded_last(store: Store) -> None:
    for second in (7, 1_763_600_000, 5):
        store.record_watermark(second)
        assert store.read_watermark() == second
    store.record_watermark(0)


def test_unfinished_traces_are_found_without_their_changes(store: Store, key: TraceKey) -> None:
    request = spooled(message_of([wire_span(key.trace_id, n) for n in (1, 2)]), key.project)
    store.append([request])
    assert of_project(store.unfinished(), key.project) == {}
    for status, attempts, is_unfinished in (
        (Status.LIVE, 0, True),
        (Status.FAILED, 3, True),
        (Status.FAILED, 0, False),
        (Status.SETTLED, 0, False),
    ):
        store.record_progress([Progress(key, request.seq, status, attempts)])
        found = of_project(store.unfinished(), key.project)
        assert bool(found) is is_unfinished
        for change in found.values():
            assert (change.max_seq, change.span_count) == (request.seq, 2)
            assert change.last_accepted_ns == request.accepted_at_ns


def test_unextracted_is_what_is_newer_than_its_progress_or_live(
    store: Store, key: TraceKey
) -> None:
    request = spooled(message_of([wire_span(key.trace_id, 1)]), key.project)
    store.append([request])

    def pending() -> bool:
        return key.trace_id in of_project(store.unextracted(), key.project)

    assert pending()
    [summed_up] = of_project(store.unextracted(), key.project).values()
    assert [summed_up] == changes_of(store, key.project, summed_up.second)[key.trace_id]
    now_s = store.clock() + 1
    assert of_project(store.unextracted(now_s - 60, now_s), key.project)
    assert of_project(store.unextracted(now_s), key.project) == {}
    for seq, status, is_pending in (
        (request.seq - 1, Status.SETTLED, True),
        (request.seq, Status.LIVE, True),
        (request.seq, Status.SETTLED, False),
        (request.seq, Status.PARTIAL, False),
        (request.seq, Status.FAILED, False),
        (request.seq + 1, Status.SETTLED, False),
    ):
        store.record_progress([Progress(key, seq, status)])
        assert pending() is is_pending, (seq, status)
    store.append(
        [spooled(message_of([wire_span(key.trace_id, 2, parent=1)]), key.project, next_seq() + 5)]
    )
    assert pending()


def test_what_failed_at_the_last_attempt_is_listed_with_its_error_and_unextracted(
    store: Store, key: TraceKey
) -> None:
    store.append([spooled(message_of([wire_span(key.trace_id, 1)]), key.project)])
    failed = Progress(key, 0, Status.FAILED, attempts=1000, error="too large\n'quoted'")
    store.record_progress([replace(failed, attempts=999), failed])
    assert [p for p in store.quarantined(5) if p.key == key] == [failed]
    assert store.read_progress([key]) == {key: failed}
    assert key.trace_id in of_project(store.unextracted(), key.project)
    other = replace(failed, key=TraceKey(key.project, "f" * 32), attempts=2000)
    store.record_progress([other])
    assert store.quarantined(1) == [other]
    healed = [
        replace(p, seq=next_seq(), status=Status.SETTLED, attempts=0) for p in (failed, other)
    ]
    store.record_progress([replace(p, error="") for p in healed])
    assert [p for p in store.quarantined(5) if p.key.project == key.project] == []
    assert of_project(store.unextracted(), key.project) == {}


def test_unextracted_sees_spans_that_came_late_with_an_old_sequence(
    store: Store, key: TraceKey
) -> None:
    """A second collector may drain a spool that it filled long ago."""
    old, new = (
        spooled(message_of([wire_span(key.trace_id, n, parent=n - 1)]), key.project) for n in (2, 1)
    )
    assert old.seq < new.seq
    store.append([new])
    assert store.arrived([key]) == {key: 1}
    store.record_progress([Progress(key, new.seq, Status.SETTLED, arrived=1)])
    assert of_project(store.unextracted(), key.project) == {}
    store.append([old])
    [change] = of_project(store.unextracted(), key.project).values()
    assert (change.max_seq, change.span_count) == (new.seq, 2)
    store.record_progress([Progress(key, new.seq, Status.SETTLED, arrived=2)])
    assert of_project(store.unextracted(), key.project) == {}


def test_arrived_counts_repeats_and_leaves_out_the_unknown(store: Store, key: TraceKey) -> None:
    request = spooled(message_of([wire_span(key.trace_id, n) for n in (1, 2)]), key.project)
    store.append([request])
    store.append([request])
    unknown = TraceKey(key.project, "ee" * 16)
    assert store.arrived([key, unknown, key]) == {key: 4}
    assert store.arrived([]) == {}


def told(
    key: TraceKey, span: int, text: str, time_ns: int, name: str = "gen_ai.choice", place: int = 0
) -> SpooledRequest:
    """Return a content event as the receiver hands it on: its parent is the span it tells of."""
    event_id = zlib.crc32(f"{text} {time_ns} {name}".encode())
    said = wire_span(key.trace_id, event_id, parent=span)
    said.flags = place
    said.name, said.start_time_unix_nano, said.end_time_unix_nano = name, time_ns, time_ns
    del said.attributes[:]
    said.attributes.add(key="content").value.string_value = text
    return replace(spooled(message_of([said]), key.project), signal=Signal.CONTENT_EVENTS)


def test_content_events_stand_behind_the_events_of_their_span(store: Store, key: TraceKey) -> None:
    spans = spooled(message_of([wire_span(key.trace_id, n) for n in (1, 2)]), key.project)
    late, early = told(key, 1, "b", 8), told(key, 1, "a", 7)
    store.append([late, spans])
    before = {span.span_id: span for span in store.read_spans([key])[key]}
    store.append([early, late])
    after = {span.span_id: span for span in store.read_spans([key])[key]}
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
        told(key, 1, text, 7, f"gen_ai.{role}.message", place)
        for place, (role, text) in enumerate(
            [("user", "1"), ("assistant", "2"), ("user", "3"), ("tool", "4"), ("system", "5")]
        )
    ]
    by_role = [
        told(key, 1, text, 8, name)
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
    store.append(random.sample(events, len(events)))
    store.append([spans, *random.sample(events, 3)])
    [span] = store.read_spans([key])[key]
    assert [e.attributes["content"] for e in span.events[-11:]] == [str(n) for n in range(1, 12)]


def test_a_trace_shows_that_events_without_a_span_were_read(store: Store, key: TraceKey) -> None:
    spans = spooled(message_of([wire_span(key.trace_id, n) for n in (1, 2)]), key.project)
    stranger = told(key, 9, "nobody", 7)
    store.append([spans])
    before = sorted(store.read_spans([key])[key])
    store.append([stranger])
    after = sorted(store.read_spans([key])[key])
    assert max(span.row_version for span in after) == stranger.seq
    assert [s._replace(row_version=0) for s in after] == [s._replace(row_version=0) for s in before]


def test_content_events_are_changes_but_no_spans(store: Store, key: TraceKey) -> None:
    event = told(key, 1, "a", 7)
    store.append([event])
    [change] = of_project(store.unextracted(), key.project).values()
    assert (change.max_seq, change.has_root) == (event.seq, False)
    assert store.read_spans([key]) == {}
    assert store.read_otlp(key) == b""


def test_ping_answers(store: Store) -> None:
    store.ping()


def test_a_part_is_the_root_and_the_earliest_whatever_was_sent_first(
    store: Store, key: TraceKey
) -> None:
    spans = [
        wire_span(key.trace_id, n, 0 if n == 7 else 7, start_ns=START_NS + 1000 * n, name=str(n))
        for n in range(1, 41)
    ]
    random.Random(3).shuffle(spans)
    for some in (spans[:15], spans[10:30], spans[25:]):
        store.append([spooled(message_of(some), key.project)])
    part = store.read_part(key, 10)
    assert names(part.spans) == sorted(map(str, range(1, 11)))
    assert (part.span_count, part.events_left_out) == (40, 0)
    assert names(store.read_part(key, 3).spans) == ["1", "2", "7"]
    everything = store.read_part(key, 1000)
    assert sorted(everything.spans) == sorted(store.read_spans([key])[key])
    assert everything.newest_seq == part.newest_seq == max(s.row_version for s in everything.spans)


def test_a_part_goes_by_the_newest_version_of_each_span(store: Store, key: TraceKey) -> None:
    def span(n: int, start: int) -> WireSpan:
        return wire_span(key.trace_id, n, 1, start_ns=START_NS + start, name=f"{n} at {start}")

    root = wire_span(key.trace_id, 1, start_ns=START_NS, name="root")
    store.append([spooled(message_of([root, span(2, 1000), span(3, 2000)]), key.project)])
    store.append([spooled(message_of([span(2, 9000)]), key.project)])
    assert names(store.read_part(key, 2).spans) == ["3 at 2000", "root"]
    assert store.read_part(key, 2).span_count == 3


def test_a_part_of_an_unknown_trace_is_empty(store: Store, key: TraceKey) -> None:
    assert store.read_part(key, 10) == ([], 0, 0, 0)


def test_a_part_has_the_earliest_content_events(store: Store, key: TraceKey) -> None:
    store.append([spooled(message_of([wire_span(key.trace_id, 1)]), key.project)])
    for n in (4, 1, 3, 2, 1):
        store.append([told(key, 1, str(n), START_NS + n)])
    part = store.read_part(key, 3)
    [span] = part.spans
    assert [event.time_ns - START_NS for event in span.events] == [1, 2, 3]
    assert (part.span_count, part.events_left_out) == (1, 1)
    assert part.newest_seq == store.read_spans([key])[key][0].row_version


def test_stored_bytes_are_told_by_project(store: Store, new_project: Callable[[], str]) -> None:
    small, large = new_project(), new_project()
    for project, text in ((small, "x"), (large, "x" * 100_000)):
        span = wire_span("ab" * 16, 1, attributes={"text": text})
        store.append([spooled(message_of([span]), project)])
    stored = store.stored_bytes(10**6)
    assert 0 < stored[small] < 2_000
    assert 100_000 < stored[large] < 102_000
    assert len(store.stored_bytes(1)) == 1, "the largest, no more"
