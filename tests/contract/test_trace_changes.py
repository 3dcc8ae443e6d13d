"""Every store reports to the extractor which traces changed and which are not extracted yet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.otlp_requests import (
    message_of,
    next_seq,
    spooled,
    wire_span,
)
from tests.support.span_store import of_project

from spanloom.core.coverage import number_of
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.progress import Progress
from spanloom.core.ports.spans import Arrived, Ids, Request, Signal

if TYPE_CHECKING:
    from spanloom.core.ports.progress import TraceChange
    from spanloom.core.ports.store import Store


def changes_of(store: Store, project: str, since_s: int) -> dict[str, list[TraceChange]]:
    """Return the changes of each trace of a project since a second, one change per second."""
    found: dict[str, list[TraceChange]] = {}
    for change in store.progress.changes_since(since_s, {}).changes:
        if change.key.project == project:
            found.setdefault(change.key.trace_id, []).append(change)
    return found


def test_a_second_has_a_fingerprint_that_every_row_changes(store: Store, key: TraceKey) -> None:
    since_s = store.progress.clock()
    request = spooled(message_of([wire_span(key.trace_id, 1)]), key.project)
    seen = []
    for _ in range(3):
        store.spans.append([request])  # a repeated request adds a row too
        seen.append(dict(store.progress.inserted(since_s)))
        assert seen[-1] == store.progress.inserted(since_s)
    assert seen[0] != seen[1] != seen[2]
    until_s = store.progress.clock()
    assert all(since_s <= second <= until_s for second in seen[-1])
    assert store.progress.inserted(until_s + 1) == {}
    assert sum(c.span_count for c in changes_of(store, key.project, since_s)[key.trace_id]) == 3


def test_hours_are_named_by_their_first_second(store: Store, key: TraceKey) -> None:
    store.spans.append([spooled(message_of([wire_span(key.trace_id, 1)]), key.project)])
    hours = store.progress.inserted(store.progress.clock() - 5, 3600)
    assert set(hours) <= {n * 3600 for n in range(store.progress.clock() // 3600 + 1)}
    assert hours


def test_changes_are_summed_up_by_trace_whatever_their_sequence(
    store: Store, key: TraceKey
) -> None:
    since_s, other = store.progress.clock(), f"{2:032x}"
    requests = [
        spooled(
            message_of([wire_span(key.trace_id, 2, parent=1), wire_span(other, 1)]), key.project
        ),
        spooled(message_of([wire_span(key.trace_id, 3, parent=1)]), key.project),
        spooled(message_of([wire_span(key.trace_id, 1)]), key.project),
    ]
    store.spans.append(requests[1:2])
    assert not any(c.has_root for c in changes_of(store, key.project, since_s)[key.trace_id])
    store.spans.append([requests[2], requests[0]])
    found = changes_of(store, key.project, since_s)
    changes = found[key.trace_id]
    brought = {requests[0].seq: 1, requests[1].seq: 1, requests[2].seq: 1}
    assert dict(one for c in changes for one in c.requests) == brought
    assert any(c.has_root for c in changes)
    assert sum(c.span_count for c in changes) == 3
    assert min(c.first_accepted_ns for c in changes) == requests[0].accepted_at_ns
    assert max(c.last_accepted_ns for c in changes) == requests[2].accepted_at_ns
    assert [c.requests for c in found[other]] == [{(requests[0].seq, 1)}]
    assert all(since_s <= c.second <= store.progress.clock() for c in changes)


def test_only_seconds_that_are_not_as_they_were_known_are_read(store: Store, key: TraceKey) -> None:
    since_s = store.progress.clock()
    first, second = (spooled(message_of([wire_span(key.trace_id, n)]), key.project) for n in (1, 2))
    store.spans.append([first])
    known = dict(store.progress.inserted(since_s))
    assert store.progress.changes_since(since_s, {}).fingerprints == known
    assert store.progress.changes_since(since_s, known) == ([], {})
    assert store.progress.changes_since(store.progress.clock() + 1, {}) == ([], {})
    store.spans.append([second])
    found = store.progress.changes_since(since_s, known)
    assert {**known, **found.fingerprints} == store.progress.inserted(since_s)
    assert (second.seq, 1) in {one for c in found.changes if c.key == key for one in c.requests}
    assert {c.second for c in found.changes} == set(found.fingerprints)


def test_who_appends_alone_can_tell_that_nothing_came(store: Store, key: TraceKey) -> None:
    before = store.progress.appends()
    assert store.progress.appends() == before
    store.spans.append([spooled(message_of([wire_span(key.trace_id, 1)]), key.project)])
    after = store.progress.appends()
    assert (before is None and after is None) or before != after


def test_the_watermark_is_the_one_recorded_last(store: Store) -> None:
    for second in (7, 1_763_600_000, 5):
        store.progress.record_watermark(second)
        assert store.progress.read_watermark() == second
    store.progress.record_watermark(0)


def test_unfinished_traces_are_found_without_their_changes(store: Store, key: TraceKey) -> None:
    request = spooled(message_of([wire_span(key.trace_id, n) for n in (1, 2)]), key.project)
    store.spans.append([request])
    assert of_project(store.progress.unfinished(), key.project) == {}
    for status, attempts, is_unfinished in (
        (Status.LIVE, 0, True),
        (Status.FAILED, 3, True),
        (Status.FAILED, 0, False),
        (Status.SETTLED, 0, False),
    ):
        store.progress.record_progress([Progress(key, request.seq, status, attempts)])
        found = of_project(store.progress.unfinished(), key.project)
        assert bool(found) is is_unfinished
        for change in found.values():
            assert change.span_count == 2
            assert change.last_accepted_ns == request.accepted_at_ns


def test_unextracted_is_what_is_newer_than_its_progress_or_live(
    store: Store, key: TraceKey
) -> None:
    request = spooled(message_of([wire_span(key.trace_id, 1)]), key.project)
    store.spans.append([request])

    def pending() -> bool:
        return key.trace_id in of_project(store.progress.unextracted(), key.project)

    assert pending()
    [summed_up] = of_project(store.progress.unextracted(), key.project).values()
    assert [summed_up] == changes_of(store, key.project, summed_up.second)[key.trace_id]
    now_s = store.progress.clock() + 1
    assert of_project(store.progress.unextracted(now_s - 60, now_s), key.project)
    assert of_project(store.progress.unextracted(now_s), key.project) == {}
    for seq, status, is_pending in (
        (request.seq - 1, Status.SETTLED, True),
        (request.seq, Status.LIVE, True),
        (request.seq, Status.SETTLED, False),
        (request.seq, Status.PARTIAL, False),
        (request.seq, Status.FAILED, False),
        (request.seq + 1, Status.SETTLED, False),
    ):
        store.progress.record_progress([Progress(key, seq, status)])
        assert pending() is is_pending, (seq, status)
    failed = Progress(key, request.seq + 1, Status.FAILED, attempts=1, error="odd")
    store.progress.record_progress([failed])
    assert pending()
    store.progress.record_progress([replace(failed, attempts=0, error="")])
    assert not pending()
    store.spans.append(
        [spooled(message_of([wire_span(key.trace_id, 2, parent=1)]), key.project, next_seq() + 5)]
    )
    assert pending()


def test_what_failed_at_the_last_attempt_is_listed_with_its_error_and_unextracted(
    store: Store, key: TraceKey
) -> None:
    store.spans.append([spooled(message_of([wire_span(key.trace_id, 1)]), key.project)])
    failed = Progress(key, 0, Status.FAILED, attempts=1000, error="too large\n'quoted'")
    store.progress.record_progress([replace(failed, attempts=999), failed])
    assert [p for p in store.progress.quarantined(5) if p.key == key] == [failed]
    assert store.progress.read_progress([key]) == {key: failed}
    assert key.trace_id in of_project(store.progress.unextracted(), key.project)
    other = replace(failed, key=TraceKey(key.project, "f" * 32), attempts=2000)
    store.progress.record_progress([other])
    assert store.progress.quarantined(1) == [other]
    healed = [
        replace(p, seq=next_seq(), status=Status.SETTLED, attempts=0) for p in (failed, other)
    ]
    store.progress.record_progress([replace(p, error="") for p in healed])
    assert [p for p in store.progress.quarantined(5) if p.key.project == key.project] == []
    assert of_project(store.progress.unextracted(), key.project) == {}


def test_unextracted_sees_spans_that_came_late_with_an_old_sequence(
    store: Store, key: TraceKey
) -> None:
    """Old sequence numbers can arrive late when a second collector drains an old spool."""
    old, new = (
        spooled(message_of([wire_span(key.trace_id, n, parent=n - 1)]), key.project) for n in (2, 1)
    )
    assert old.seq < new.seq
    store.spans.append([new])
    assert store.spans.arrived([key])[key].spans == 1
    store.progress.record_progress([Progress(key, new.seq, Status.SETTLED, arrived=1)])
    assert of_project(store.progress.unextracted(), key.project) == {}
    store.spans.append([old])
    [change] = of_project(store.progress.unextracted(), key.project).values()
    assert (max(change.requests), change.span_count) == ((new.seq, 1), 2)
    store.progress.record_progress([Progress(key, new.seq, Status.SETTLED, arrived=2)])
    assert of_project(store.progress.unextracted(), key.project) == {}


def test_arrived_counts_a_request_once_and_leaves_out_the_unknown(
    store: Store, key: TraceKey
) -> None:
    request = spooled(message_of([wire_span(key.trace_id, n) for n in (1, 2)]), key.project)
    store.spans.append([request])
    unknown = TraceKey(key.project, "ee" * 16)
    arrived = store.spans.arrived([key, unknown, key])
    digest = arrived[key].digest
    assert arrived == {key: Arrived([Request(request.seq, False, 2, 2)], 2, digest)}
    store.spans.append([request])
    assert store.spans.arrived([key]) == arrived
    assert store.spans.arrived([]) == {}
    store.spans.append([spooled(message_of([wire_span(key.trace_id, 3)]), key.project)])
    assert store.spans.arrived([key])[key].digest != digest


def test_arrived_tells_the_ids_of_finished_and_open_spans_and_of_events(
    store: Store, key: TraceKey
) -> None:
    finished, opened = wire_span(key.trace_id, 1), wire_span(key.trace_id, 2)
    opened.end_time_unix_nano = 0
    told = wire_span(key.trace_id, 4, parent=1)
    spans = spooled(message_of([finished, opened]), key.project)
    events = replace(spooled(message_of([told]), key.project), signal=Signal.CONTENT_EVENTS)
    store.spans.append([spans, events])
    ids = [number_of(span.span_id.hex()) for span in (finished, opened, told)]
    assert sorted(store.spans.read_ids([key])[key]) == [
        Ids(spans.seq, False, [ids[0]], [ids[1]]),
        Ids(events.seq, True, [ids[0] ^ ids[2]], []),
    ]


def test_a_trace_is_due_until_a_whole_build_of_all_that_arrived_is_recorded(
    store: Store, key: TraceKey
) -> None:
    """This holds for any sequence of the requests, and any order of progress records."""

    def pending() -> bool:
        due = key.trace_id in of_project(store.progress.unextracted(), key.project)
        again = store.progress.overlooked(key.trace_id[:2])
        assert (key in [change.key for change in again]) is due
        return due

    def built(*, is_whole: bool = True) -> Progress:
        arrived = store.spans.arrived([key])[key]
        known = (arrived.spans, "", len(arrived.requests), arrived.digest, is_whole)
        return Progress(key, arrived.newest_seq, Status.SETTLED, 0, *known)

    old, new = (spooled(message_of([wire_span(key.trace_id, n)]), key.project) for n in (2, 1))
    store.spans.append([new])
    assert pending()
    store.progress.record_progress([built(is_whole=False)])
    assert pending()
    first = built()
    store.progress.record_progress([first])
    assert not pending()
    assert store.progress.read_progress([key]) == {key: first}
    assert store.spans.whole_builds([key]) == {key: first.digest}
    store.spans.append([new])  # a repeated request is not new
    assert not pending()
    store.spans.append([old])
    assert pending()
    store.progress.record_progress([built()])
    assert not pending()
    store.progress.record_progress([first])  # by an extractor that read earlier
    assert pending()
    store.progress.record_progress([built()])
    store.progress.record_revisits([key])
    assert pending()
    [change] = of_project(store.progress.unextracted(), key.project).values()
    assert change.has_root
    assert len(change.requests) == 3
    store.progress.record_progress([built()])
    assert not pending()


def test_of_changes_those_that_are_stored_are_present(store: Store, key: TraceKey) -> None:
    request = spooled(message_of([wire_span(key.trace_id, 1)]), key.project)
    store.spans.append([request])
    stored = (key, request.seq, 1)
    others = {(key, request.seq, 2), (key._replace(trace_id="ee" * 16), request.seq, 1)}
    assert store.progress.present({stored, *others}) == {stored}
