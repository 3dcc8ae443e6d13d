"""Worker processes build the same rows as this process, even if they fail, hang or are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import orjson
import pytest
from tests.support.built_by_workers import TroubledCodec, troubled, workers
from tests.support.examples import is_long
from tests.support.ground_truth import all_captures
from tests.support.otlp_requests import START_NS, message_of, next_seq, spooled, wire_span
from tests.support.span_store import content_event

from spanloom.core.conventions.evaluations import RESULT
from spanloom.core.model.access import Reach
from spanloom.core.model.trajectory import Status
from spanloom.core.model.upkeep import Selection
from spanloom.core.ports.annotations import ScoreQuery
from spanloom.extractor.batch import build_batch
from spanloom.extractor.replay import Replayer
from spanloom.extractor.result import BatchResult, BuildOptions
from spanloom.extractor.time_limit import TOO_SLOW
from spanloom.extractor.workers import dealing as tasks
from spanloom.replays import request_replay

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.storage.store import ClickHouseStore

TABLES = ("trajectories", "trajectory_list", "call_index")
UNLIKE = "EXCEPT '^(Project|UpdatedAt|Fingerprint)$'"
"""Excludes columns that depend on the project, as the fingerprint of a document does."""
HEAVY = {
    *("chdb", "clickhouse_connect", "fastapi", "grpc", "numpy", "pandas"),
    *("prometheus_client", "structlog"),
}
"""Packages that a worker must not import, because it would start later and need more memory."""
WELL = [f"{n:032x}" for n in range(1, 7)]
GONE_S = 60.0
MANY = all_captures()[:: 1 if is_long() else 3]
"""Captures that are built both in this process and by workers."""


class Stored(NamedTuple):
    """Spans of one project, waiting to be built."""

    project: str
    keys: Sequence[TraceKey]

    def batches(self, count: int) -> list[Sequence[TraceKey]]:
        """Split the traces into ``count`` batches."""
        return [self.keys[n::count] for n in range(count)]


def store_twice(
    store: ClickHouseStore, projects: Sequence[str], bodies: Sequence[bytes]
) -> Sequence[Stored]:
    """Store the same requests, with the same sequence numbers, in each project."""
    seqs = [next_seq() for _ in bodies]
    for project in projects:
        store.spans.append([spooled(b, project, seq) for b, seq in zip(bodies, seqs, strict=True)])
    changed = sorted(change.key for change in store.progress.unextracted())
    return [Stored(p, [key for key in changed if key.project == p]) for p in projects]


def store_traces(store: ClickHouseStore, project: str, trace_ids: Sequence[str]) -> Stored:
    spans = [wire_span(trace, n, n - 1) for trace in trace_ids for n in (1, 2)]
    (stored,) = store_twice(store, [project], [message_of(spans).SerializeToString()])
    return stored


def rows_of(store: ClickHouseStore, project: str) -> Mapping[str, Sequence[str]]:
    """Return a project's rows in each table of ``TABLES``, with its name replaced."""
    found = {}
    for table in TABLES:
        rows = f"SELECT * {UNLIKE} FROM {table} FINAL WHERE Project = '{project}'"
        answer = store.connections.worker._client.raw_query(rows, fmt="TSV")
        found[table] = sorted(answer.decode().replace(project, "PROJECT").splitlines())
    return found


def are_built(store: ClickHouseStore, keys: Sequence[TraceKey]) -> bool:
    return all(store.documents.get(key.trace_id, Reach.only(key.project)) for key in keys)


def test_all_rows_are_those_of_this_process(
    clickhouse_store: ClickHouseStore,
    new_project: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tasks, "TASK_SPANS", 100)
    store = clickhouse_store
    bodies = [body for capture in MANY for body in capture.requests()]
    here, there = store_twice(store, [new_project(), new_project()], bodies)
    expected = BatchResult()
    for keys in here.batches(7):
        expected.add(build_batch(store, dict.fromkeys(keys, Status.SETTLED)))
    with workers(store) as apart:
        built = apart.build(*there.batches(7))
        assert rows_of(store, there.project) == rows_of(store, here.project)
        assert len(built.written) == len(expected.written) > len(MANY) * 0.9
        assert {k.trace_id: s for k, s in built.statuses.items()} == {
            k.trace_id: s for k, s in expected.statuses.items()
        }
        assert {key.trace_id for key in built.repeated_elsewhere} == {
            key.trace_id for key in expected.repeated_elsewhere
        }
        again = apart.build(there.keys)
        assert again.written == set(built.repeated_elsewhere)
        assert again.stored.keys() == set(there.keys) - again.written
        assert (apart.deaths, built.failures, again.failures) == (0, {}, {})


def test_the_same_trace_id_in_two_projects_is_two_traces(
    clickhouse_store: ClickHouseStore,
    new_project: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The traces may be read by one query, and be built by two workers."""
    monkeypatch.setattr(tasks, "TASK_SPANS", 4)
    stored = [store_traces(clickhouse_store, new_project(), ids) for ids in (WELL, WELL[::-1])]
    with workers(clickhouse_store) as apart:
        keys = [key for pair in zip(*(s.keys for s in stored), strict=True) for key in pair]
        result = apart.build(keys)
        assert (result.written, apart.deaths) == (set(keys), 0)
    assert {result.span_count} == {2 * len(keys)}


def test_a_part_is_shown_of_spans_whose_arrival_is_not_visible_yet(
    clickhouse_store: ClickHouseStore,
    new_project: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A worker may see spans before the record of their arrival is visible."""
    store, few = clickhouse_store, BuildOptions(max_trace_spans=1)
    stored = store_traces(store, new_project(), WELL)
    monkeypatch.setattr(store.spans, "arrived", lambda _: {})
    with workers(store, options=few) as apart:
        assert apart.build(stored.keys).written == set(stored.keys)
        assert apart.pool.workers
    for key in stored.keys:
        document = store.documents.get(key.trace_id, Reach.only(key.project))
        assert document is not None
        assert b"1 of 2 spans" in document


def test_scores_of_results_are_those_of_this_process(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    store = clickhouse_store
    name = {"gen_ai.evaluation.name": "good", "gen_ai.response.id": new_project()}
    made = []
    for _ in range(2):
        stored = store_traces(store, new_project(), WELL)
        for n, key in enumerate(stored.keys):
            store.spans.append([content_event(key, n % 4, "x", 7_000, RESULT, attributes=name)])
        made.append(stored)
    here, there = made
    build_batch(store, dict.fromkeys(here.keys, Status.SETTLED))
    with workers(store) as apart:
        apart.build(there.keys)

    def scores(stored: Stored) -> list[tuple[str, ...]]:
        found = store.scores.list(Reach.only(stored.project), ScoreQuery(), 100)
        return sorted((s.key.trace_id, s.target, s.step_id, s.name, s.author) for s in found)

    assert scores(there) == scores(here)
    assert len(scores(here)) == len(WELL)
    assert {target for _, target, *_ in scores(here)} == {"trajectory", "span"}


def test_replays_are_built_by_workers_too(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    store, project = clickhouse_store, new_project()
    stored = store_traces(store, project, WELL)
    build_batch(store, dict.fromkeys(stored.keys, Status.SETTLED))
    replay = request_replay(store.replays, Selection(Reach.only(project)), time.time_ns())
    with workers(store) as apart:
        replayer = Replayer(store, apart.metrics, time.monotonic_ns, apart.pipeline)
        while not replay.is_finished:
            replay = replayer.go_on(replay)
        assert (replay.done, replay.written, replay.failed) == (len(WELL), 0, 0)
        assert apart.pool.workers


@pytest.mark.parametrize("at", ["decode", "encode"])
@pytest.mark.parametrize("trouble", ["kill", "fill", "fail"])
def test_what_a_worker_could_not_do_is_built_here(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str], trouble: str, at: str
) -> None:
    bad = troubled(trouble, at)
    stored = store_traces(clickhouse_store, new_project(), [*WELL, bad])
    with workers(clickhouse_store, TroubledCodec()) as apart:
        result = apart.build(stored.keys)
        assert result.failures == {}
        assert result.written == set(stored.keys)
        assert apart.deaths == (trouble == "kill")
    assert are_built(clickhouse_store, stored.keys)


@pytest.mark.parametrize("at", ["decode", "encode"])
def test_a_trace_that_takes_too_long_fails_alone(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str], at: str
) -> None:
    bad = troubled("hang", at)
    stored = store_traces(clickhouse_store, new_project(), [*WELL[:2], bad, *WELL[2:]])
    with workers(clickhouse_store, TroubledCodec()) as apart:
        result = apart.build(stored.keys)
        (stuck,) = result.failures
        assert stuck.trace_id == bad
        assert str(result.failures[stuck]) == TOO_SLOW
        assert stuck not in result.seqs
        assert result.written == set(stored.keys) - {stuck}
        assert apart.deaths == 2
    assert are_built(clickhouse_store, sorted(result.written))


def test_workers_killed_all_the_time_lose_nothing(
    clickhouse_store: ClickHouseStore,
    new_project: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tasks, "TASK_SPANS", 100)
    store = clickhouse_store
    bodies = [body for capture in MANY[:90] for body in capture.requests()]
    here, there = store_twice(store, [new_project(), new_project()], bodies)
    for keys in here.batches(9):
        build_batch(store, dict.fromkeys(keys, Status.SETTLED))
    with workers(store) as apart:
        for keys in there.batches(9):
            for worker in apart.pool.workers[:1]:
                os.kill(worker.pid, signal.SIGKILL)
            apart.build(keys)
        assert apart.deaths >= 3
    assert rows_of(store, there.project) == rows_of(store, here.project)


def test_a_worker_that_is_stopped_stops_nobody(
    clickhouse_store: ClickHouseStore,
    new_project: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("spanloom.extractor.workers.pool.STOPPED_S", 3.0)
    monkeypatch.setattr("spanloom.extractor.workers.pool.LOOK_S", 0.2)
    first, then = (store_traces(clickhouse_store, new_project(), WELL) for _ in range(2))
    with workers(clickhouse_store, count=1) as apart:
        apart.build(first.keys)
        os.kill(apart.pool.workers[0].pid, signal.SIGSTOP)
        assert apart.build(then.keys).written == set(then.keys)
        assert apart.deaths == 1


def test_workers_that_cannot_live_are_done_without(
    clickhouse_store: ClickHouseStore,
    new_project: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("spanloom.extractor.workers.pool.CHILD", "spanloom.no_such_module")
    stored = store_traces(clickhouse_store, new_project(), WELL)
    with workers(clickhouse_store) as apart:
        for key in stored.keys:
            assert apart.build([key]).written == {key}
        assert apart.deaths == 3


def test_workers_give_their_memory_back_when_there_is_no_work(
    clickhouse_store: ClickHouseStore,
    new_project: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, then = (store_traces(clickhouse_store, new_project(), WELL) for _ in range(2))
    with workers(clickhouse_store) as apart:
        apart.build(first.keys)
        apart.pipeline.rest()
        assert apart.pool.workers
        monkeypatch.setattr("spanloom.extractor.workers.pool.UNUSED_S", 0.0)
        apart.pipeline.rest()
        assert not apart.pool.workers
        assert apart.build(then.keys).written == set(then.keys)


def test_a_worker_ends_with_its_owner(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    stored = store_traces(clickhouse_store, new_project(), WELL)
    with workers(clickhouse_store) as apart:
        apart.build(stored.keys)
        (worker,) = apart.pool.workers
        worker.connection.close()  # as the system does when the owner is killed
        assert worker._process.wait(GONE_S) == 0


@pytest.mark.service
def test_a_worker_imports_neither_engine_nor_service() -> None:
    program = f"""
import sys
import spanloom.extractor.workers.child, spanloom.storage.codec
print(*sorted({{name.partition(".")[0] for name in sys.modules}} & {HEAVY}))
"""
    fresh = [sys.executable, "-c", program]
    assert subprocess.run(fresh, capture_output=True, check=True, timeout=60).stdout.split() == []


def test_parts_of_a_run_are_joined_by_the_process_that_has_the_store(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    def told(name: str) -> Mapping[str, object]:
        return {"event.name": f"qwen-code.{name}", "session.id": "S", "log.bridge": True}

    asked, answered, alone = WELL[:3]
    spans = [
        wire_span(asked, 1, attributes=told("user_prompt"), start_ns=START_NS),
        wire_span(answered, 2, attributes=told("api_response"), start_ns=START_NS + 10**9),
        wire_span(alone, 3),
    ]
    (stored,) = store_twice(
        clickhouse_store, [new_project()], [message_of(spans).SerializeToString()]
    )
    with workers(clickhouse_store) as have:
        result = have.build(stored.keys)
    assert result.written == set(stored.keys)
    assert not result.repeated_elsewhere
    found = [
        orjson.loads(clickhouse_store.documents.get(t, Reach.only(stored.project)) or b"{}")[
            "extraction"
        ]
        for t in (asked, answered, alone)
    ]
    assert [f.get("duplicate_of", {}).get("trace_id") for f in found] == [None, asked, None]
    assert [f["span_count"] for f in found] == [2, 1, 1]
