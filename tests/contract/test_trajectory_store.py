"""What a store of trajectories promises, against every implementation."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.calls import windows
from tests.support.otlp_requests import START_NS, next_seq
from tests.support.paging import read_pages
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.model.span import TraceKey
from spanloom.core.model.tenancy import Reach
from spanloom.core.model.trajectory import DuplicateOf, Kind, Status
from spanloom.core.ports.progress import Progress
from spanloom.core.query.fields import TrajectoryFilter

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.store import Store


def listed(
    store: Store, project: str, where: TrajectoryFilter, page: int = 100
) -> list[tuple[int, str]]:
    """Read a whole list page by page."""
    reach = Reach.only(project)
    pages = read_pages(lambda limit, after: store.list(reach, where, limit, after), page)
    return [(line.start_ns - START_NS, line.key.trace_id) for line in pages]


def trace(n: int) -> str:
    return f"{n:032x}"


def test_an_unknown_trace_is_absent(store: Store, key: TraceKey) -> None:
    assert store.heads([key]) == {}
    assert store.read_progress([key]) == {}
    assert store.document(key.trace_id, Reach.only(key.project)) is None
    assert store.spans_document(key.trace_id, Reach.only(key.project)) is None
    assert store.list(Reach.only(key.project), TrajectoryFilter(), 10) == []
    assert store.find_calls(key.project, windows(["x"], 0, 2**63)) == []


def test_writing_nothing_is_no_error(store: Store) -> None:
    store.write([])
    store.record_progress([])
    assert store.heads([]) == {}
    assert store.find_calls("p", windows([], 0, 1)) == []


def test_what_was_written_is_there_at_once(store: Store, key: TraceKey) -> None:
    record = make_record(key)
    store.write([record])
    assert store.document(key.trace_id, Reach.only(key.project)) == record.document
    assert store.document(key.trace_id, Reach.ALL) == record.document
    assert store.spans_document(key.trace_id, Reach.only(key.project)) == record.spans_document
    head = store.heads([key])[key]
    assert (head.version, head.fingerprint, head.start_ns) == (1, "print 1", START_NS)
    assert sorted(head.step_ids) == [f"{1:016x}", f"{2:016x}"]


def test_a_summary_says_what_the_trajectory_says(store: Store, key: TraceKey) -> None:
    steps = [model_step(2), model_step(3, error="slow down")]
    trajectory = make_trajectory(key, steps=steps, duplicate_of=DuplicateOf("f" * 32, "a" * 16))
    store.write([make_record(key, trajectory, version=7, status=Status.PARTIAL)])
    [line] = store.list(Reach.only(key.project), TrajectoryFilter(), 10)
    assert (line.key, line.version, line.status) == (key, 7, Status.PARTIAL)
    assert (line.root_name, line.root_type, line.has_error) == ("planner", "agent", True)
    assert (line.start_ns, line.duration_ns) == (START_NS, 1000)
    assert list(line.agent_names) == ["planner"]
    assert dict(line.step_counts) == {"agent": 1, "model": 2, "tool": 0, "graph": 0, "other": 3}
    assert (line.span_count, line.input_tokens, line.output_tokens) == (6, 20, 10)
    assert line.duplicate_of == "f" * 32
    assert list(line.dialects) == ["tests"]
    assert line.conversation_id == ""


def test_a_newer_version_replaces_everything(store: Store, key: TraceKey) -> None:
    store.write([make_record(key, make_trajectory(key, steps=[model_step(2), model_step(3)]))])
    previous = store.heads([key])[key]
    moved = make_trajectory(key, start_ns=START_NS - 5, steps=[model_step(3), model_step(4)])
    store.write([make_record(key, moved, version=2, previous=previous)])
    assert (
        store.document(key.trace_id, Reach.only(key.project))
        == make_record(key, version=2).document
    )
    assert sorted(store.heads([key])[key].step_ids) == [f"{n:016x}" for n in (1, 3, 4)]
    assert listed(store, key.project, TrajectoryFilter()) == [(-5, key.trace_id)]


def test_a_writer_that_was_overtaken_changes_nothing(store: Store, key: TraceKey) -> None:
    old_seq, new_seq = next_seq(), next_seq()
    new = make_trajectory(key, steps=[model_step(2)], agent="new")
    old = make_trajectory(key, start_ns=START_NS - 9, steps=[model_step(8)], agent="old")
    store.write([make_record(key, new, new_seq, version=2, call_keys={f"{2:016x}": key.project})])
    store.write([make_record(key, old, old_seq, call_keys={f"{8:016x}": key.project})])
    head = store.heads([key])[key]
    assert (head.version, head.start_ns) == (2, START_NS)
    assert listed(store, key.project, TrajectoryFilter()) == [(0, key.trace_id)]
    assert listed(store, key.project, TrajectoryFilter(agent_name="old")) == []
    calls = store.find_calls(key.project, windows([key.project], 0, 2**63))
    assert [c.step_id for c in calls] == [f"{2:016x}"]


def test_of_equal_sequences_the_last_written_stays(store: Store, key: TraceKey) -> None:
    seq = next_seq()
    for version, status in ((1, Status.LIVE), (2, Status.SETTLED)):
        previous = store.heads([key]).get(key)
        store.write([make_record(key, None, seq, version, status, previous=previous)])
    [line] = store.list(Reach.only(key.project), TrajectoryFilter(), 10)
    assert (line.version, line.status) == (2, Status.SETTLED)
    assert store.document(key.trace_id, Reach.ALL) == make_record(key, version=2).document


def test_without_a_project_the_newest_that_has_the_trace_answers(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    other = TraceKey(new_project(), key.trace_id)
    store.write([make_record(key, version=1)])
    store.write([make_record(other, version=2)])
    assert store.document(key.trace_id, Reach.ALL) == make_record(other, version=2).document
    assert (
        store.spans_document(key.trace_id, Reach.ALL)
        == make_record(other, version=2).spans_document
    )
    for owner, version in ((key, 1), (other, 2)):
        record = make_record(owner, version=version)
        assert store.document(key.trace_id, Reach.only(owner.project)) == record.document
        assert (
            store.spans_document(key.trace_id, Reach.only(owner.project)) == record.spans_document
        )
    assert store.document(key.trace_id, Reach.only("")) is None


def test_many_heads_and_progresses_are_read_at_once(store: Store, key: TraceKey) -> None:
    keys = [TraceKey(key.project, trace(n)) for n in range(1, 1102)]
    aside_ns = START_NS + 10**15  # not among what the tests that list all projects see
    store.write([make_record(k, make_trajectory(k, aside_ns)) for k in keys])
    store.record_progress([Progress(k, n, Status.SETTLED) for n, k in enumerate(keys)])
    assert set(store.heads([*keys, *keys[:5], key])) == set(keys)
    progress = store.read_progress(keys)
    assert [progress[k].seq for k in keys] == list(range(1101))


def test_a_reader_sees_the_old_or_the_new_at_any_moment(store: Store, key: TraceKey) -> None:
    def write(version: int) -> None:
        trajectory = make_trajectory(key, START_NS - version, [model_step(version + 1)])
        head = store.heads([key]).get(key)
        store.write([make_record(key, trajectory, version=version, previous=head)])

    write(1)
    versions = range(2, 12)
    documents = [make_record(key, version=v).document for v in (1, *versions)]
    writer = threading.Thread(target=lambda: list(map(write, versions)))
    writer.start()
    seen = 0
    while writer.is_alive():
        document = store.document(key.trace_id, Reach.only(key.project))
        assert document in documents[seen:]  # never back to an older one
        seen = documents.index(document)
    writer.join()
    assert store.document(key.trace_id, Reach.ALL) == documents[-1]
    assert listed(store, key.project, TrajectoryFilter()) == [(-11, key.trace_id)]


def test_times_of_64_bits_survive(store: Store, key: TraceKey) -> None:
    for n, start_ns in enumerate((0, 2**63, 2**64 - 2)):
        own = TraceKey(key.project, trace(n + 1))
        trajectory = make_trajectory(own, steps=[])
        root = trajectory.root._replace(start_ns=start_ns, end_ns=2**64 - 1)
        store.write([make_record(own, replace(trajectory, root=root))])
    lines = store.list(Reach.only(key.project), TrajectoryFilter(), 10)
    assert [line.start_ns for line in lines] == [2**64 - 2, 2**63, 0]
    assert [line.duration_ns for line in lines] == [1, 2**63 - 1, 2**64 - 1]


def test_a_list_is_newest_first_and_pages_neither_repeat_nor_miss(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    other = new_project()
    wanted = [(n // 3, trace(n)) for n in range(1, 31)]  # three of each start
    for project in (key.project, other):
        store.write(
            [
                make_record(k, make_trajectory(k, START_NS + offset))
                for offset, t in wanted
                for k in [TraceKey(project, t)]
            ]
        )
    expected = sorted(wanted, reverse=True)
    for page in (1, 4, 7, 30, 100):
        assert listed(store, key.project, TrajectoryFilter(), page) == expected
    both = TrajectoryFilter(
        start_from_ns=START_NS, start_before_ns=START_NS + 5, agent_name="planner"
    )
    lines = [x for x in store.list(Reach.ALL, both, 1000) if x.key.project in {key.project, other}]
    order = [(x.start_ns, x.key.trace_id, x.key.project) for x in lines]
    assert order == sorted(order, reverse=True)
    assert len(order) == 2 * len([o for o, _ in wanted if o < 5])


def test_pages_stay_whole_among_many_old_versions(store: Store, key: TraceKey) -> None:
    keys = [TraceKey(key.project, trace(n)) for n in range(1, 41)]
    for version in range(1, 6):
        heads = store.heads(keys)
        store.write(
            [
                make_record(
                    k,
                    make_trajectory(k, START_NS + 100 * n - version),
                    version=version,
                    status=Status.LIVE if version < 5 and n % 2 else Status.SETTLED,
                    previous=heads.get(k),
                )
                for n, k in enumerate(keys)
            ]
        )
    assert len(listed(store, key.project, TrajectoryFilter(), 3)) == 40
    assert listed(store, key.project, TrajectoryFilter(status=Status.LIVE), 3) == []


def test_filters_hold_for_the_current_version(store: Store, key: TraceKey) -> None:
    failed = make_trajectory(key, steps=[model_step(2, error="x")])
    store.write([make_record(key, failed, status=Status.LIVE)])
    where = TrajectoryFilter(has_error=True)
    assert listed(store, key.project, where)
    store.write([make_record(key, version=2, previous=store.heads([key])[key])])
    assert listed(store, key.project, where) == []
    assert listed(store, key.project, replace(where, has_error=False)) == [(0, key.trace_id)]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ({"status": Status.LIVE}, [1]),
        ({"status": Status.FAILED}, []),
        ({"root_name": "weather"}, [2]),
        ({"root_name": "' OR 1=1 --"}, []),
        ({"has_error": True}, [3]),
        ({"has_error": False}, [2, 1]),
        ({"agent_name": "planner"}, [3, 1]),
        ({"agent_name": "plan"}, []),
        ({"start_from_ns": START_NS + 2}, [3, 2]),
        ({"start_before_ns": START_NS + 2}, [1]),
        ({"start_from_ns": START_NS + 2, "start_before_ns": START_NS + 3}, [2]),
        ({"has_error": False, "agent_name": "planner"}, [1]),
    ],
)
def test_filters(store: Store, key: TraceKey, where: dict[str, object], found: list[int]) -> None:
    keys = [TraceKey(key.project, trace(n)) for n in (1, 2, 3)]
    errors = [model_step(2, error="x")]
    store.write(
        [
            make_record(keys[0], make_trajectory(keys[0], START_NS + 1), status=Status.LIVE),
            make_record(keys[1], make_trajectory(keys[1], START_NS + 2, agent="weather")),
            make_record(keys[2], make_trajectory(keys[2], START_NS + 3, steps=errors)),
        ]
    )
    filters = TrajectoryFilter(**where)  # type: ignore[arg-type]  # one test, many types
    assert listed(store, key.project, filters) == [(n, trace(n)) for n in found]


def conversation(store: Store, reach: Reach, name: str, page: int = 100) -> list[int]:
    """Read a conversation page by page; give the numbers of its traces."""
    lines = list(
        read_pages(lambda limit, after: store.conversation(name, reach, limit, after), page)
    )
    assert {line.conversation_id for line in lines} <= {name}
    return [int(line.key.trace_id, 16) for line in lines]


def talking(key: TraceKey, name: str, start_ns: int = START_NS) -> Trajectory:
    return replace(make_trajectory(key, start_ns), extras={"conversation_id": name})


def test_a_conversation_is_oldest_first_and_pages_neither_repeat_nor_miss(
    store: Store, key: TraceKey
) -> None:
    name = f"{key.project} ' OR 1=1 --"
    keys = [TraceKey(key.project, trace(n)) for n in range(1, 31)]
    names = [name if n % 3 else "" for n in range(30)]
    store.write(
        [
            make_record(k, talking(k, said, START_NS - n // 4))
            for n, (k, said) in enumerate(zip(keys, names, strict=True))
        ]
    )
    placed = [(START_NS - n // 4, n + 1) for n, said in enumerate(names) if said]
    for page in (1, 3, 7, 20, 100):
        assert conversation(store, Reach.only(key.project), name, page) == [
            n for _, n in sorted(placed)
        ]
    assert conversation(store, Reach.only(key.project), key.project) == []
    assert conversation(store, Reach.only(key.project), "") == []


def test_a_conversation_has_the_current_versions_of_its_project(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    other = TraceKey(new_project(), trace(9))
    keys = [TraceKey(key.project, trace(n)) for n in (1, 2, 3)]
    name = key.project
    store.write([make_record(k, talking(k, name)) for k in (*keys, other)])
    heads = store.heads(keys)
    moved = {keys[0]: talking(keys[0], name, START_NS + 9), keys[1]: talking(keys[1], "else")}
    store.write([make_record(k, t, version=2, previous=heads[k]) for k, t in moved.items()])
    assert conversation(store, Reach.only(key.project), name, 1) == [3, 1]
    assert conversation(store, Reach.only(other.project), name) == [9]
    assert conversation(store, Reach.ALL, name) == [3, 9, 1]
    assert conversation(store, Reach.ALL, "else") != []
    where = TrajectoryFilter(conversation_id=name)
    assert listed(store, key.project, where, 1) == [(9, trace(1)), (0, trace(3))]


def test_progress_is_remembered_and_never_goes_back(store: Store, key: TraceKey) -> None:
    other = TraceKey(key.project, trace(5))
    for seq, status, attempts in (
        (5, Status.FAILED, 2),
        (5, Status.SETTLED, 0),
        (4, Status.LIVE, 1),
    ):
        store.record_progress(
            [Progress(key, seq, status, attempts), Progress(other, 9, Status.LIVE)]
        )
    assert store.read_progress([key, other]) == {
        key: Progress(key, 5, Status.SETTLED, 0),
        other: Progress(other, 9, Status.LIVE, 0),
    }


def test_calls_are_found_by_key_project_and_time(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    call = model_step(2)
    bare = replace(make_trajectory(key), root=call, root_type=Kind.MODEL)
    store.write([make_record(key, bare, call_keys={call.id: "same"})])
    stranger = TraceKey(new_project(), key.trace_id)
    store.write([make_record(stranger, call_keys={call.id: "same"})])
    [found] = store.find_calls(key.project, windows(["other", "same"], START_NS, START_NS))
    assert (found.key, found.step_id, found.call_key) == (key, call.id, "same")
    assert (found.start_ns, found.end_ns, found.is_bare) == (START_NS, START_NS + 500, True)
    assert found.dialect == "otel-genai"
    [framed] = store.find_calls(stranger.project, windows(["same"], START_NS + 500, START_NS + 900))
    assert not framed.is_bare
    for keys, start, end in (
        (["x"], 0, 2**63),
        (["same"], 0, START_NS - 1),
        (["same"], START_NS + 501, 2**63),
    ):
        assert store.find_calls(key.project, windows(keys, start, end)) == []


def test_calls_of_a_replaced_version_are_gone(store: Store, key: TraceKey) -> None:
    store.write([make_record(key, call_keys={f"{2:016x}": "once"})])
    head = store.heads([key])[key]
    store.write(
        [make_record(key, make_trajectory(key, steps=[model_step(3)]), version=2, previous=head)]
    )
    assert store.find_calls(key.project, windows(["once"], 0, 2**63)) == []


def test_each_call_is_looked_for_in_its_own_window(store: Store, key: TraceKey) -> None:
    """As a replay asks: calls of years at once, of which each may repeat one near it alone."""
    hour_ns = 3600 * 10**9
    said = f"said {key.project}"
    calls = {n: model_step(n, START_NS + n * hour_ns) for n in range(2, 42)}
    for n, call in calls.items():
        own = TraceKey(key.project, trace(n))
        record = make_record(own, make_trajectory(own, steps=[call]), call_keys={call.id: said})
        store.write([record])
    near = [START_NS + n * hour_ns + 400 for n in (3, 17, 40)]
    wanted = [window for at in near for window in windows([said], at, at + 10)]
    overlapping = windows([said], near[0], near[0] + 50)
    found = store.find_calls(
        key.project, [*wanted, *overlapping, *windows(["other"], 0, 2**64 - 1)]
    )
    assert sorted(call.key.trace_id for call in found) == [trace(n) for n in (3, 17, 40)]
    between = [window for at in near for window in windows([said], at + 200, at + 300)]
    assert store.find_calls(key.project, between) == []
    assert len(store.find_calls(key.project, windows([said], 0, 2**64 - 1))) == 40
