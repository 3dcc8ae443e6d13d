"""The contract of the store of trajectories, in every implementation."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.calls import windows
from tests.support.examples import some_every_day
from tests.support.filters import filtered
from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import START_NS, next_seq
from tests.support.trajectory_lists import listed, trace
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import DuplicateOf, Outcome, Status
from spanloom.core.ports.progress import Progress
from spanloom.core.ports.spans import Read
from spanloom.storage.store import ClickHouseStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store
    from spanloom.core.ports.trajectories import TrajectoryRecord

pytestmark = pytest.mark.parametrize(
    "store", some_every_day(["memory", "clickhouse", "server"], every_day=2), indirect=True
)


def test_an_unknown_trace_is_absent(store: Store, key: TraceKey) -> None:
    assert store.trajectories.heads([key]) == {}
    assert store.progress.read_progress([key]) == {}
    assert store.documents.get(key.trace_id, Reach.only(key.project)) is None
    assert store.documents.spans(key.trace_id, Reach.only(key.project)) is None
    assert store.documents.both(key.trace_id, Reach.only(key.project)) is None
    assert store.documents.versions(key.trace_id, Reach.only(key.project)) == []
    assert store.runs.list(Reach.only(key.project), None, 10) == []
    assert store.calls.find(key.project, windows(["x"], 0, 2**63)) == []


def test_writing_nothing_is_no_error(store: Store) -> None:
    store.trajectories.write([])
    store.progress.record_progress([])
    assert store.trajectories.heads([]) == {}
    assert store.calls.find("p", windows([], 0, 1)) == []


def test_what_was_written_is_there_at_once(store: Store, key: TraceKey) -> None:
    record = make_record(key)
    store.trajectories.write([record])
    assert store.documents.get(key.trace_id, Reach.only(key.project)) == record.document
    assert store.documents.get(key.trace_id, Reach.ALL) == record.document
    assert store.documents.spans(key.trace_id, Reach.only(key.project)) == record.spans_document
    both = store.documents.both(key.trace_id, Reach.ALL)
    assert both == (record.document, record.spans_document)
    [stored] = store.documents.versions(key.trace_id, Reach.ALL)
    assert (stored.version, stored.status) == (record.version, record.status)
    assert stored.span_count == record.trajectory.span_count
    assert stored.extractor_version == record.trajectory.extractor_version
    assert stored.stored_at_ms > 0
    head = store.trajectories.heads([key])[key]
    assert (head.version, head.fingerprint, head.start_ns) == (1, "print 1", START_NS)
    assert sorted(head.step_ids) == [f"{1:016x}", f"{2:016x}"]


def test_many_documents_come_in_order_as_far_as_there_is_room(
    store: Store, new_project: Callable[[], str]
) -> None:
    keys = [TraceKey(new_project(), f"{n:032x}") for n in range(1, 5)]
    texts = [b'{"a":"1"}', '{"b":"é中😀"}'.encode(), b"{}", b""]
    for key, text in zip(keys[:3], texts, strict=False):
        old = replace(make_record(key), document=b"old" * 400)
        store.trajectories.write([old])
        store.trajectories.write([replace(make_record(key, version=2), document=text)])
    assert store.documents.many(keys, 1 << 20) == [*texts[:3], None]
    assert store.documents.many(keys[::-1], 1 << 20) == [None, *texts[2::-1]]
    assert list(store.documents.many(keys, 1))[:1] == texts[:1]
    assert store.documents.many([], 1) == []
    assert store.documents.many(keys, 1 << 20, 9) == [texts[0], None, texts[2], None]
    assert store.versions.currents(keys) == dict.fromkeys(keys[:3], 2)
    assert store.versions.currents([]) == {}


def test_a_summary_says_what_the_trajectory_says(store: Store, key: TraceKey) -> None:
    steps = [model_step(2), model_step(3, error="slow down")]
    trajectory = make_trajectory(key, steps=steps, duplicate_of=DuplicateOf("f" * 32, "a" * 16))
    store.trajectories.write([make_record(key, trajectory, version=7, status=Status.PARTIAL)])
    [line] = store.runs.list(Reach.only(key.project), None, 10)
    assert (line.key, line.version, line.status) == (key, 7, Status.PARTIAL)
    assert (line.run.root_name, line.run.root_type, line.run.has_error) == (
        "planner",
        "agent",
        True,
    )
    assert (line.run.outcome, line.run.failures) == (Outcome.FAILED, 1)
    assert (line.start_ns, line.run.duration) == (START_NS, 0)
    assert list(line.run.agent_names) == ["planner"]
    assert dict(line.run.step_counts) == {"agent": 1, "model": 2, "tool": 0, "graph": 0, "other": 3}
    assert (line.run.span_count, line.run.input_tokens, line.run.output_tokens) == (6, 20, 10)
    assert line.run.duplicate_of == "f" * 32
    assert list(line.run.dialects) == ["tests"]
    assert line.conversation_id == ""


def test_a_newer_version_replaces_everything(store: Store, key: TraceKey) -> None:
    store.trajectories.write(
        [make_record(key, make_trajectory(key, steps=[model_step(2), model_step(3)]))]
    )
    previous = store.trajectories.heads([key])[key]
    moved = make_trajectory(key, start_ns=START_NS - 5, steps=[model_step(3), model_step(4)])
    store.trajectories.write([make_record(key, moved, version=2, previous=previous)])
    assert (
        store.documents.get(key.trace_id, Reach.only(key.project))
        == make_record(key, version=2).document
    )
    assert sorted(store.trajectories.heads([key])[key].step_ids) == [f"{n:016x}" for n in (1, 3, 4)]
    assert listed(store, key.project, None) == [(-5, key.trace_id)]


def test_a_writer_that_was_overtaken_changes_nothing(store: Store, key: TraceKey) -> None:
    old_seq, new_seq = next_seq(), next_seq()
    new = make_trajectory(key, steps=[model_step(2)], agent="new")
    old = make_trajectory(key, start_ns=START_NS - 9, steps=[model_step(8)], agent="old")
    store.trajectories.write(
        [make_record(key, new, new_seq, version=2, call_keys={f"{2:016x}": key.project})]
    )
    store.trajectories.write([make_record(key, old, old_seq, call_keys={f"{8:016x}": key.project})])
    head = store.trajectories.heads([key])[key]
    assert (head.version, head.start_ns) == (2, START_NS)
    assert listed(store, key.project, None) == [(0, key.trace_id)]
    assert listed(store, key.project, filtered(agent="old")) == []
    calls = store.calls.find(key.project, windows([key.project], 0, 2**63))
    assert [c.step_id for c in calls] == [f"{2:016x}"]


def test_who_was_told_the_same_head_is_overtaken_all_the_same(store: Store, key: TraceKey) -> None:
    """Two writers read the same head; the one with the older spans must not overwrite."""
    first_seq, old_seq, new_seq = next_seq(), next_seq(), next_seq()
    store.trajectories.write([make_record(key, make_trajectory(key, agent="first"), first_seq)])
    heads = [store.trajectories.heads([key])[key] for _ in range(2)]
    new, old = (make_trajectory(key, START_NS - 9, agent=agent) for agent in ("new", "old"))
    store.trajectories.write([make_record(key, new, new_seq, version=3, previous=heads[0])])
    store.trajectories.write([make_record(key, old, old_seq, version=2, previous=heads[1])])
    assert store.trajectories.heads([key])[key].version == 3
    assert listed(store, key.project, None) == [(-9, key.trace_id)]
    assert listed(store, key.project, filtered(agent="old")) == []


def test_who_writes_alone_can_tell_that_nothing_was_written(store: Store, key: TraceKey) -> None:
    before = store.text_index.writes()
    assert store.text_index.writes() == before
    store.trajectories.write([make_record(key)])
    after = store.text_index.writes()
    assert (before is None and after is None) or before != after


def test_a_part_never_replaces_a_whole(store: Store, key: TraceKey) -> None:
    """Two builders start before any version is stored; the build of fewer spans never wins."""
    seq = next_seq()
    whole, part = (run_of(key, spans, seq) for spans in (10, 5))
    assert store.trajectories.write([whole]) == {key}
    assert store.trajectories.write([part]) == set()
    head = store.trajectories.heads([key])[key]
    behind = replace(part, version=head.next_version, previous=head)
    assert store.trajectories.write([behind]) == set(), "it read less, though it came later"
    for _ in range(2):
        assert store.documents.get(key.trace_id, Reach.only(key.project)) == whole.document
        assert store.documents.spans(key.trace_id, Reach.ALL) == whole.spans_document
        assert store.trajectories.heads([key])[key].span_count == 10
        [line] = store.runs.list(Reach.only(key.project), None, 10)
        assert (line.run.span_count, line.start_ns) == (10, whole.start_ns)
        if isinstance(store, MemoryStore):
            return
        assert isinstance(store, ClickHouseStore)
        assert spans_in_views(store, key) == ([(10,)], [(10,)], [(9,)])
        for table in ("trajectories", "trajectory_list", "call_index"):
            store.connections.worker.run(f"OPTIMIZE TABLE {table} FINAL")


def run_of(key: TraceKey, spans: int, seq: int) -> TrajectoryRecord:
    """Return the first version of a run with this number of spans, including the root."""
    steps = [model_step(n) for n in range(2, spans + 1)]
    start_ns = START_NS - spans  # more spans start earlier
    run = replace(make_trajectory(key, start_ns, steps=steps), span_count=spans)
    return replace(
        make_record(key, run, seq, read=Read(spans, spans * (seq + 1))),
        fingerprint=f"{spans} spans",
        document=b'{"extraction":{"span_count":%d}}' % spans,
        spans_document=b"[%d]" % spans,
    )


def spans_in_views(store: ClickHouseStore, key: TraceKey) -> tuple[object, ...]:
    """Return span count, span count of the document, and model steps of a run, by the views."""
    ask = store.connections.worker._client.query
    documented = "JSONExtractInt(Document, 'extraction', 'span_count')"
    questions = (
        f"SELECT SpanCount FROM v_trajectories WHERE TraceId = '{key.trace_id}'",
        f"SELECT {documented} FROM v_documents WHERE TraceId = '{key.trace_id}'",
        f"SELECT countIf(Type = 'model') FROM v_steps WHERE TraceId = '{key.trace_id}'",
    )
    return tuple(ask(question).result_rows for question in questions)


def test_without_a_project_the_newest_that_has_the_trace_answers(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    other = TraceKey(new_project(), key.trace_id)
    store.trajectories.write([make_record(key, version=1)])
    store.trajectories.write([make_record(other, version=2)])
    assert store.documents.get(key.trace_id, Reach.ALL) == make_record(other, version=2).document
    assert (
        store.documents.spans(key.trace_id, Reach.ALL)
        == make_record(other, version=2).spans_document
    )
    for owner, version in ((key, 1), (other, 2)):
        record = make_record(owner, version=version)
        assert store.documents.get(key.trace_id, Reach.only(owner.project)) == record.document
        assert (
            store.documents.spans(key.trace_id, Reach.only(owner.project)) == record.spans_document
        )
    assert store.documents.get(key.trace_id, Reach.only("")) is None


def test_many_heads_and_progresses_are_read_at_once(store: Store, key: TraceKey) -> None:
    keys = [TraceKey(key.project, trace(n)) for n in range(1, 1102)]
    aside_ns = START_NS + 10**15  # outside the times that other tests list
    store.trajectories.write([make_record(k, make_trajectory(k, aside_ns)) for k in keys])
    store.progress.record_progress([Progress(k, n, Status.SETTLED) for n, k in enumerate(keys)])
    assert set(store.trajectories.heads([*keys, *keys[:5], key])) == set(keys)
    progress = store.progress.read_progress(keys)
    assert [progress[k].seq for k in keys] == list(range(1101))


def test_a_reader_sees_the_old_or_the_new_at_any_moment(store: Store, key: TraceKey) -> None:
    def write(version: int) -> None:
        trajectory = make_trajectory(key, START_NS - version, [model_step(version + 1)])
        head = store.trajectories.heads([key]).get(key)
        store.trajectories.write([make_record(key, trajectory, version=version, previous=head)])

    write(1)
    versions = range(2, 12)
    documents = [make_record(key, version=v).document for v in (1, *versions)]
    writer = threading.Thread(target=lambda: list(map(write, versions)))
    writer.start()
    seen = 0
    while writer.is_alive():
        document = store.documents.get(key.trace_id, Reach.only(key.project))
        assert document in documents[seen:]  # never an older one again
        seen = documents.index(document)
    writer.join()
    assert store.documents.get(key.trace_id, Reach.ALL) == documents[-1]
    assert listed(store, key.project, None) == [(-11, key.trace_id)]


def test_times_of_64_bits_survive(store: Store, key: TraceKey) -> None:
    for n, start_ns in enumerate((0, 2**63, 2**64 - 2)):
        own = TraceKey(key.project, trace(n + 1))
        trajectory = make_trajectory(own, steps=[])
        root = trajectory.root._replace(start_ns=start_ns, end_ns=2**64 - 1)
        # With a sequence that is a time, starts in the future would be ordered by arrival.
        store.trajectories.write([make_record(own, replace(trajectory, root=root), seq=1)])
    lines = store.runs.list(Reach.only(key.project), None, 10)
    assert [line.start_ns for line in lines] == [2**64 - 2, 2**63, 0]
    assert [line.run.duration for line in lines] == [
        0,
        (2**63 - 1) // 10**6,
        (2**64 - 1) // 10**6,
    ]


def test_progress_is_remembered_and_never_goes_back(store: Store, key: TraceKey) -> None:
    other = TraceKey(key.project, trace(5))
    for seq, status, attempts in (
        (5, Status.FAILED, 2),
        (5, Status.SETTLED, 0),
        (4, Status.LIVE, 1),
    ):
        store.progress.record_progress(
            [Progress(key, seq, status, attempts), Progress(other, 9, Status.LIVE)]
        )
    assert store.progress.read_progress([key, other]) == {
        key: Progress(key, 5, Status.SETTLED, 0),
        other: Progress(other, 9, Status.LIVE, 0),
    }
