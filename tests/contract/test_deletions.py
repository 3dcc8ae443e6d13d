"""Deleted data is gone from every answer at once and does not come back, in every store."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.annotations import SCHEME, annotation
from tests.support.filters import filtered
from tests.support.otlp_requests import START_NS, message_of, next_seq, spooled, wire_span
from tests.support.span_store import content_event
from tests.support.subjects import port_methods
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.core.formats.canonical import encode_document
from spanloom.core.joining.parts import Part
from spanloom.core.model.access import Reach
from spanloom.core.model.alert import AlertEvent, AlertState, RunEvidence
from spanloom.core.model.annotation_queue import Event, Queue, QueueEvent, QueueItem
from spanloom.core.model.online_rule import Work, WorkState
from spanloom.core.model.score import Score
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import DuplicateOf, Pause, Status
from spanloom.core.model.upkeep import BEFORE_ALL, Deletion, DeletionScope, Selection, new_deletion
from spanloom.core.ports.annotations import AnnotationQuery, KeptVersion, ScoreQuery
from spanloom.core.ports.calls import CallWindow
from spanloom.core.ports.feed import Announcement
from spanloom.core.ports.progress import Progress
from spanloom.core.ports.texts import TextSearch
from spanloom.core.query.positions import Position
from spanloom.core.query.stats import Numbers, parse_by, parse_metrics
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.parser import parse_where
from spanloom.core.query.where.text_query import parse_text_query
from spanloom.core.sharing import ALL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.core.ports.store import Store

CALL = "call-key"
ANY_STEPS = parse_where("steps >= 0", now_ns=0)
SAID = TextSearch(parse_text_query("42"))
DAY_NS = 24 * 3600 * 10**9


def reach(key: TraceKey) -> Reach:
    return Reach.only(key.project)


BY_TRACE = Numbers(
    Subject.RUN, parse_metrics("count", Subject.RUN), parse_by("trace_id", Subject.RUN)
)

READS: Mapping[str, Callable[[Store, TraceKey], object]] = {
    "spans.read_spans": lambda store, key: store.spans.read_spans([key]),
    "spans.read_part": lambda store, key: store.spans.read_part(key, 10).spans,
    "spans.read_otlp": lambda store, key: store.spans.read_otlp(key),
    "spans.arrived": lambda store, key: store.spans.arrived([key]),
    "spans.read_ids": lambda store, key: store.spans.read_ids([key]),
    "spans.whole_builds": lambda store, key: store.spans.whole_builds([key]),
    "progress.changes_since": lambda store, key: [
        c for c in store.progress.changes_since(0, {}).changes if c.key == key
    ],
    "progress.unfinished": lambda store, key: [
        c for c in store.progress.unfinished() if c.key == key
    ],
    "progress.quarantined": lambda store, key: [
        p for p in store.progress.quarantined(10**6) if p.key == key
    ],
    "progress.unextracted": lambda store, key: [
        c for c in store.progress.unextracted() if c.key == key
    ],
    "progress.overlooked": lambda store, key: [
        c for c in store.progress.overlooked(key.trace_id[:2]) if c.key == key
    ],
    "progress.read_progress": lambda store, key: store.progress.read_progress([key]),
    "trajectories.heads": lambda store, key: store.trajectories.heads([key]),
    "documents.get": lambda store, key: store.documents.get(key.trace_id, reach(key)),
    "documents.many": lambda store, key: store.documents.many([key], 1 << 20)[0],
    "versions.currents": lambda store, key: store.versions.currents([key]),
    "documents.spans": lambda store, key: store.documents.spans(key.trace_id, reach(key)),
    "documents.both": lambda store, key: store.documents.both(key.trace_id, reach(key)),
    "documents.versions": lambda store, key: store.documents.versions(key.trace_id, reach(key)),
    "spans.find_home": lambda store, key: store.spans.find_home(key.trace_id, reach(key)),
    "stats.numbers": lambda store, key: [
        group
        for group in store.stats.numbers(reach(key), None, BY_TRACE)
        if group.by == [key.trace_id]
    ],
    "stats.shapes": lambda store, key: [
        shape
        for shape in store.stats.shapes(reach(key), None, 1_000)
        if shape.trace_id == key.trace_id
    ],
    "steps.list": lambda store, key: [
        row for row in store.steps.list(reach(key), None, 100) if row.key == key
    ],
    "runs.list": lambda store, key: [
        line for line in store.runs.list(reach(key), None, 100) if line.key == key
    ],
    "runs.matching_among": lambda store, key: store.runs.matching_among(
        [key], reach(key), ANY_STEPS
    ),
    "runs.matching_each": lambda store, key: store.runs.matching_each(
        [key], reach(key), [ANY_STEPS]
    )[0],
    "runs.conversation": lambda store, key: [
        line
        for line in store.runs.conversation(key.project, reach(key), None, 100)
        if line.key == key
    ],
    "conversations.list": lambda store, key: [
        talk.item.last_run.trace_id
        for talk in store.conversations.list(reach(key), filtered(user=key.trace_id), 100)
    ],
    "runs.continuation": lambda store, key: store.runs.continuation(key).resumed_by,
    "feed.announced": lambda store, key: [
        told.version
        for told in store.feed.announced(reach(key), None, Position(), 100).announcements
        if told.now and told.key == key
    ],
    "calls.find": lambda store, key: [
        call
        for call in store.calls.find(key.project, [CallWindow(CALL, 0, 2**63)])
        if call.key == key
    ],
    "calls.find_parts": lambda store, key: [
        call
        for call in store.calls.find_parts(key.project, [CallWindow(CALL, 0, 2**63)], 1_000)
        if call.key == key
    ],
    "texts.search": lambda store, key: [
        hit for hit in store.texts.search(reach(key), SAID, 100) if hit.hit.trace_id == key.trace_id
    ],
    "experiments.results": lambda store, key: store.experiments.results(
        key.project, key.trace_id, 10
    ),
    "experiments.counts": lambda store, key: store.experiments.counts(key.project, key.trace_id),
    "annotations.list": lambda store, key: store.annotations.list(
        reach(key), AnnotationQuery(key.trace_id), 100
    ),
    "annotations.revisions": lambda store, key: store.annotations.revisions(key, SCHEME, "ada"),
    "annotations.written": lambda store, key: store.annotations.written(
        key, [annotation(key).write_id]
    ),
    "versions.has": lambda store, key: store.versions.has(key, 1),
    "versions.get": lambda store, key: store.versions.get(key, 1),
    "versions.list": lambda store, key: store.versions.list(key),
    "versions.current": lambda store, key: store.versions.current(key),
    "scores.list": lambda store, key: store.scores.list(
        reach(key), ScoreQuery([key.trace_id]), 100
    ),
    "scores.of_traces": lambda store, key: store.scores.of_traces([key]),
    "queues.items": lambda store, key: [
        item for item in store.queues.items(queue(key)) if item.trace_id == key.trace_id
    ],
    "queues.events": lambda store, key: [
        event for event in store.queues.events(queue(key)) if event.trace_id == key.trace_id
    ],
    "queues.alike": lambda store, key: store.queues.alike(queue(key)).get(key.trace_id),
    "alerts.shown": lambda store, key: store.alerts.shown([fired(key)]),
    "online_rules.work_of": lambda store, key: store.online_rules.work_of([key]),
    "online_rules.waiting": lambda store, key: [
        work
        for work in store.online_rules.waiting(
            ALL, 1, 100, {(key.project, "r")}, {WorkState.PENDING}
        )
        if work.key == key
    ],
    "online_rules.judged_before": lambda store, key: [
        trace_id
        for trace_id in store.online_rules.judged_before(key.project, "r", 2, "", 100)
        if trace_id == key.trace_id
    ],
    "replays.count_traces": lambda store, key: store.replays.count_traces(
        Selection(reach(key), dialect=key.trace_id)
    ),
    "replays.traces_after": lambda store, key: [
        found
        for found in store.replays.traces_after(Selection(reach(key)), BEFORE_ALL, 100)
        if found.key == key
    ],
}
"""Every method that returns data of a trace, and how to call it for one trace alone."""
OTHERS = {
    *(
        "spans.append",
        "trajectories.write",
        "trajectories.confirm",
        "feed.announce",
        "feed.announce_missing",
        "progress.record_progress",
        "progress.record_revisits",
        "progress.present",
        "replays.record",
        "ping",
        "close",
    ),
    "trajectories.make_room",
    "spans.parts_shown",  # trace ids, whose spans no other method shows
    *(
        "replays.get",
        "replays.list",
        "replays.unfinished",
        "replays.parts",
        "replays.finish",
    ),  # requests, not stored traces
    *(
        "deletions.extent_of",
        "deletions.now_ns",
        "deletions.delete",
        "deletions.list",
        "feed.deleted_among",
        "snapshots.take",
    ),
    "usage.stored_bytes",  # falls when the keeper removes rows: tests/integration/test_quotas.py
    *("text_index.read_watermark", "text_index.record_watermark"),  # times
    *(
        "text_index.changed_since",
        "text_index.index_texts",
    ),  # they read stored rows, then leave out deleted ones
    *(
        "progress.clock",
        "text_index.clock",
        "progress.appends",
        "text_index.writes",
        "progress.inserted",
    ),  # times and numbers that belong to no trace
    *("progress.read_watermark", "progress.record_watermark", "progress.record_watermarks"),
    "annotations.is_alone",  # about processes
    "scores.without_run",  # about runs that do not exist
    "spans.read_unplaced",  # items that wait under ids that no run has
    *(
        "annotations.add",
        "versions.keep",
        "scores.add",
        "queues.add_items",
        "queues.add_events",
        "annotations.announcing_judgements",
    ),
    *("schemes.put", "schemes.list", "schemes.text", "queues.put", "queues.list"),  # no trace
    *("saved_views.add", "saved_views.list"),  # belong to no trace
    *("saved_views.defaults", "saved_views.set_default"),
    *("datasets.put", "datasets.list", "datasets.add_contents", "datasets.change_draft"),  # copies
    *("datasets.draft", "datasets.count_drafts", "datasets.add_version", "datasets.versions"),
    *("datasets.items", "datasets.contents"),
    *("evaluators.add", "evaluators.list"),  # belong to no trace
    *("experiments.start", "experiments.list", "experiments.running", "experiments.end"),
    *("experiments.ends", "experiments.runs"),  # chosen ids, without results
    "experiments.judged",  # so that deleted runs are not judged again
    *("online_rules.put", "online_rules.list", "online_rules.add_work"),
    *("online_rules.progress", "online_rules.spent"),  # counts
    *("online_rules.place", "online_rules.places"),
    *("followers.place", "followers.keep_place"),  # positions, belong to no trace
    *("alerts.put", "alerts.list", "alerts.versions", "alerts.latest_numbers"),  # no trace
    *("alerts.add_events", "alerts.add_deliveries", "alerts.deliveries", "alerts.pending"),
    *("alerts.latest", "alerts.events", "alerts.firing"),  # firings, to be withdrawn
    "alerts.firing_of_deleted",  # firings, to be withdrawn: test_alerts
}


def test_every_method_of_a_store_is_known_here() -> None:
    assert port_methods().keys() - OTHERS == READS.keys()


def answers(store: Store, key: TraceKey) -> dict[str, object]:
    """Return the non-empty answers about a trace, by method."""
    said = {name: read(store, key) for name, read in READS.items()}
    return {name: answer for name, answer in said.items() if answer}


TELLING = ("spans.read_spans", "documents.get", "runs.list", "texts.search", "annotations.list")
"""One method of each kind; only the first test compares the answers of all methods."""


def is_shown(store: Store, key: TraceKey) -> bool:
    """Return whether all methods in ``TELLING``, one of each kind, return data of a trace."""
    return all(READS[name](store, key) for name in TELLING)


def is_hidden(store: Store, key: TraceKey) -> bool:
    """Return whether no method in ``TELLING``, one of each kind, returns data of a trace.

    A sample of methods suffices: a trace is hidden in the same way however a deletion selects it,
    and the tests that delete a single trace read every method.
    """
    return not any(READS[name](store, key) for name in TELLING)


def deletion(scope: DeletionScope, until_seq: int | None = None) -> Deletion:
    at_ns = (until_seq or next_seq()) * 1000
    return new_deletion(scope, "tester", at_ns)


def send(store: Store, key: TraceKey, start_ns: int = START_NS, number: int = 1) -> None:
    store.spans.append(
        [spooled(message_of([wire_span(key.trace_id, number, start_ns=start_ns)]), key.project)]
    )


def extract(store: Store, key: TraceKey, start_ns: int = START_NS) -> None:
    trajectory = replace(
        make_trajectory(key, start_ns),
        extras={"conversation_id": key.project, "user_id": key.trace_id},
        dialects=[key.trace_id],
        pauses=[Pause(f"{2:016x}", f"{2:016x}", "ok?")],
    )
    step_id = f"{2:016x}"
    record = make_record(key, trajectory, call_keys={step_id: CALL})
    document = encode_document(trajectory, record.version, record.status)
    store.trajectories.write([replace(record, document=document)])
    store.feed.announce([Announcement(key, 1, Status.SETTLED, start_ns)])
    store.text_index.index_texts([key])
    failed = Progress(key, 1, Status.SETTLED, attempts=1, error="odd", is_whole=True)
    store.progress.record_progress([failed])


def resume(store: Store, key: TraceKey, start_ns: int = START_NS) -> None:
    """Store the trajectory of a run that resumes that of the trace a day later."""
    resumed = key._replace(trace_id=key.trace_id[::-1][:16] + "0" * 16)
    extras = {"conversation_id": key.project}
    run = replace(make_trajectory(resumed, start_ns + DAY_NS), extras=extras, is_resuming=True)
    store.trajectories.write([make_record(resumed, run)])


def fired(key: TraceKey) -> AlertEvent:
    """Return the event of an alert that fires for a trace."""
    of = f"of {key.trace_id}"
    return AlertEvent(key.project, "a", 1, of, 1, AlertState.FIRING, 1, key.trace_id, 1)


def queue(key: TraceKey) -> Queue:
    return Queue(key.project, "q", SCHEME, ["ada"])


def annotate(store: Store, key: TraceKey) -> None:
    """Store annotations, scores, queue items, alert evidence and rule work for a trace."""
    store.annotations.add([annotation(key), annotation(key, annotator="bo")])
    store.scores.add([Score(key, "path", "rule", "path", 1, experiment=key.trace_id, item="a")])
    store.versions.keep(KeptVersion(key, 1, "h", 1, b"{}"))
    store.queues.add_items(queue(key), [QueueItem(key.trace_id, 1)])
    store.queues.add_events(queue(key), [QueueEvent(key.trace_id, "ada", 1, Event.BEGUN)])
    shown = RunEvidence(key, fired(key).id, 1, {"name": key.project})
    store.alerts.add_events([fired(key)], [shown])
    store.online_rules.add_work([Work(key, "r", 1, 1, known_us=1, due_us=1)])


def fill(store: Store, key: TraceKey, start_ns: int = START_NS) -> None:
    """Store all kinds of data of a trace and leave it due, so that every method returns some."""
    send(store, key, start_ns)
    extract(store, key, start_ns)
    resume(store, key, start_ns)
    annotate(store, key)


@pytest.fixture
def neighbour(key: TraceKey) -> TraceKey:
    """Return the key of another trace of the same project and conversation."""
    return TraceKey(key.project, "b" * 32)


@pytest.mark.parametrize("by", ["trace", "trace and project", "conversation", "before"])
def test_a_deleted_trace_is_in_no_answer_and_its_neighbour_in_all(
    store: Store, key: TraceKey, neighbour: TraceKey, new_project: Callable[[], str], by: str
) -> None:
    if by == "conversation":  # the neighbour is in another one
        neighbour = TraceKey(new_project(), neighbour.trace_id)
    fill(store, key)
    fill(store, neighbour, START_NS + DAY_NS)
    scope = {
        "trace": DeletionScope(Reach.ALL, trace_id=key.trace_id),
        "trace and project": DeletionScope(Reach.only(key.project), key.trace_id),
        "conversation": DeletionScope(Reach.ALL, conversation_id=key.project),
        "before": DeletionScope(Reach.only(key.project), start_before_ns=START_NS + DAY_NS),
    }[by]
    traces = 2 if by == "conversation" else 1  # includes the run that resumes it
    reads_all = by == "trace"
    kept = answers(store, neighbour) if reads_all else {}
    assert not reads_all or kept.keys() == READS.keys()
    wanted = deletion(scope)
    assert store.deletions.extent_of(scope, wanted.until_seq) == (traces, 1)
    assert store.deletions.delete(wanted) == replace(wanted, traces=traces, spans=1)
    assert answers(store, key) == {} if reads_all else is_hidden(store, key)
    assert answers(store, neighbour) == kept if reads_all else is_shown(store, neighbour)
    assert store.deletions.extent_of(scope, wanted.until_seq) == (0, 0)


def test_with_the_trace_that_shows_a_run_its_other_traces_are_deleted(
    store: Store, key: TraceKey, neighbour: TraceKey
) -> None:
    fill(store, key)
    fill(store, neighbour)

    def show_in(home: str, version: int) -> None:
        part = Part(neighbour, "part of s", START_NS, START_NS, 0, 0, 1, home)
        head = store.trajectories.heads([neighbour])[neighbour]
        record = make_record(neighbour, make_trajectory(neighbour), version=version, previous=head)
        store.trajectories.write([replace(record, calls=[part.as_call()])])

    scope = DeletionScope(Reach.only(key.project), trace_id=key.trace_id)
    show_in(key.trace_id, 2)
    assert store.deletions.extent_of(scope, next_seq()).traces == 2
    show_in(neighbour.trace_id, 3)
    assert store.deletions.extent_of(scope, next_seq()).traces == 1
    show_in(key.trace_id, 4)
    store.deletions.delete(deletion(scope))
    assert is_hidden(store, key)
    assert is_hidden(store, neighbour)


def settle(store: Store, key: TraceKey) -> None:
    arrived = store.spans.arrived([key])[key]
    known = (arrived.spans, "", len(arrived.requests), arrived.digest, True)
    store.progress.record_progress([Progress(key, next_seq(), Status.SETTLED, 0, *known)])


@pytest.mark.parametrize("is_part", [True, False])
def test_a_trace_that_showed_or_repeated_a_deleted_one_is_due_again(
    store: Store, key: TraceKey, neighbour: TraceKey, is_part: bool
) -> None:
    """A run loses the spans of its deleted part; a duplicate of a deleted run becomes visible."""
    for own in (key, neighbour):
        fill(store, own)
        settle(store, own)
    if is_part:
        add_part(store, neighbour, key)
    else:
        repeat(store, key, neighbour)
    since, appends = store.progress.clock(), store.progress.appends()
    store.deletions.delete(deletion(DeletionScope(reach(key), trace_id=neighbour.trace_id)))
    assert is_hidden(store, neighbour)
    assert key in [change.key for change in store.progress.unextracted()]
    changes = store.progress.changes_since(since, {}).changes
    assert (key, True) in [(change.key, change.has_root) for change in changes]
    assert appends is None or store.progress.appends() != appends


def add_part(store: Store, key: TraceKey, home: TraceKey) -> None:
    """Store a trace again, as part of a run that is shown under another trace, its home."""
    part = Part(key, "part of s", START_NS, START_NS, 0, 0, 1, home.trace_id)
    head = store.trajectories.heads([key])[key]
    record = make_record(key, make_trajectory(key), version=2, previous=head)
    store.trajectories.write([replace(record, calls=[part.as_call()])])


def repeat(store: Store, key: TraceKey, original: TraceKey) -> None:
    """Store a trace again, as a duplicate of another one."""
    head = store.trajectories.heads([key])[key]
    trajectory = replace(make_trajectory(key), duplicate_of=DuplicateOf(original.trace_id, "1"))
    store.trajectories.write([make_record(key, trajectory, version=2, previous=head)])


def test_a_deleted_project_is_gone_and_may_begin_anew(
    store: Store, key: TraceKey, neighbour: TraceKey, new_project: Callable[[], str]
) -> None:
    elsewhere = TraceKey(new_project(), key.trace_id)
    for known in (key, neighbour, elsewhere):
        fill(store, known)
    store.deletions.delete(deletion(DeletionScope(Reach.only(key.project))))
    assert answers(store, key) == answers(store, neighbour) == {}
    assert is_shown(store, elsewhere)
    anew = TraceKey(key.project, "c" * 32)
    fill(store, anew)
    assert is_shown(store, anew)


def test_late_spans_and_a_batch_under_way_do_not_bring_a_trace_back(
    store: Store, key: TraceKey
) -> None:
    fill(store, key)
    store.deletions.delete(deletion(DeletionScope(Reach.only(key.project), key.trace_id)))
    send(store, key, number=2)  # a late span
    extract(store, key)  # it was being built when it was deleted
    assert answers(store, key) == {}


@pytest.mark.parametrize("by", ["trace", "project", "before"])
def test_what_waits_in_the_spool_is_deleted_with_the_rest(
    store: Store, key: TraceKey, by: str
) -> None:
    waiting = spooled(message_of([wire_span(key.trace_id, 1)]), key.project)
    scope = {
        "trace": DeletionScope(Reach.only(key.project), key.trace_id),
        "project": DeletionScope(Reach.only(key.project)),
        "before": DeletionScope(Reach.only(key.project), start_before_ns=START_NS + 1),
    }[by]
    store.deletions.delete(deletion(scope))
    store.spans.append([waiting])
    assert not store.spans.read_spans([key])
    assert not store.spans.read_otlp(key)
    assert not [c for c in store.progress.unextracted() if c.key == key] or by == "before"
    send(store, TraceKey(key.project, "c" * 32), START_NS + 1)
    assert store.spans.read_spans([TraceKey(key.project, "c" * 32)])


def test_a_run_that_is_built_after_its_conversation_was_deleted_is_never_shown(
    store: Store, key: TraceKey, neighbour: TraceKey, new_project: Callable[[], str]
) -> None:
    send(store, key)
    elsewhere = TraceKey(new_project(), key.trace_id)
    built_from = next_seq()
    scope = DeletionScope(Reach.only(key.project), conversation_id=key.project)
    assert store.deletions.delete(deletion(scope)).traces == 0, "nothing says yet of which it is"
    run = replace(make_trajectory(key), extras={"conversation_id": key.project})
    other = replace(make_trajectory(neighbour), extras={"conversation_id": "another"})
    theirs = replace(run, project=elsewhere.project)
    runs = ((key, run), (neighbour, other), (elsewhere, theirs))
    store.trajectories.write([make_record(k, t, built_from) for k, t in runs])
    assert answers(store, key) == {}
    assert store.documents.get(key.trace_id, Reach.only(elsewhere.project)), "another project's"
    assert store.documents.get(neighbour.trace_id, Reach.only(key.project))


@pytest.mark.nightly
@pytest.mark.parametrize("by", ["trace", "project", "before"])
def test_what_a_clock_that_was_ahead_has_numbered_is_deleted_too(
    store: Store, key: TraceKey, neighbour: TraceKey, by: str
) -> None:
    fill(store, key)
    scope = {
        "trace": DeletionScope(Reach.only(key.project), key.trace_id),
        "project": DeletionScope(Reach.only(key.project)),
        "before": DeletionScope(Reach.only(key.project), start_before_ns=START_NS + 1),
    }[by]
    long_ago = replace(deletion(scope), until_seq=1)
    assert store.deletions.extent_of(scope, long_ago.until_seq) == (1, 1)
    assert store.deletions.delete(long_ago).traces == 1
    assert answers(store, key) == {} if by == "trace" else is_hidden(store, key)
    fill(store, neighbour, START_NS + 2)
    assert is_shown(store, neighbour)


def test_a_log_record_without_a_time_does_not_make_a_trace_an_old_one(
    store: Store, key: TraceKey
) -> None:
    fill(store, key)
    store.spans.append([content_event(key, 1, "untimed", 0)])
    old = DeletionScope(Reach.only(key.project), start_before_ns=START_NS)
    assert store.deletions.delete(deletion(old)).traces == 0
    assert is_shown(store, key)
    store.spans.append([content_event(key, 1, "late", 0)])
    texts = [
        event.attributes.get("content") for event in store.spans.read_spans([key])[key][0].events
    ]
    assert {"untimed", "late"} <= set(texts)


def test_deletions_are_remembered_with_who_when_what_and_how_many(
    store: Store, key: TraceKey
) -> None:
    fill(store, key)
    first = store.deletions.delete(deletion(DeletionScope(Reach.only(key.project), key.trace_id)))
    second = store.deletions.delete(
        deletion(DeletionScope(Reach.only(key.project), start_before_ns=7))
    )
    assert list(store.deletions.list(2)) == [second, first]
    assert (first.traces, first.spans, first.requested_by) == (1, 1, "tester")


def test_a_deletion_takes_the_projects_within_its_reach_and_no_other(
    store: Store, new_project: Callable[[], str]
) -> None:
    first, second, other = (TraceKey(new_project(), "a" * 32) for _ in range(3))
    for key in (first, second, other):
        fill(store, key)
    both = store.deletions.delete(
        deletion(DeletionScope(Reach.only(first.project, second.project)))
    )
    assert is_hidden(store, first)
    assert is_hidden(store, second)
    assert is_shown(store, other)
    assert list(store.deletions.list(1)) == [both]
    assert store.deletions.delete(deletion(DeletionScope(Reach.only()))).traces == 0
    assert is_shown(store, other)
