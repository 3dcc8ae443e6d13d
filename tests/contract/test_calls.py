"""Every store finds model calls and parts of runs across traces, by key and time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.calls import windows
from tests.support.otlp_requests import START_NS, message_of, spooled, wire_span
from tests.support.trajectory_lists import trace
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.joining.parts import Part, part_of
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Kind
from spanloom.core.ports.calls import CallWindow

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store


def test_calls_are_found_by_key_project_and_time(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    call = model_step(2)
    bare = replace(make_trajectory(key), root=call, root_type=Kind.MODEL)
    store.trajectories.write([make_record(key, bare, call_keys={call.id: "same"})])
    stranger = TraceKey(new_project(), key.trace_id)
    store.trajectories.write([make_record(stranger, call_keys={call.id: "same"})])
    [found] = store.calls.find(key.project, windows(["other", "same"], START_NS, START_NS))
    assert (found.key, found.step_id, found.call_key) == (key, call.id, "same")
    assert (found.start_ns, found.end_ns, found.is_bare) == (START_NS, START_NS + 500, True)
    assert found.dialect == "otel-genai"
    assert found.extent.model_steps == 1
    [framed] = store.calls.find(stranger.project, windows(["same"], START_NS + 500, START_NS + 900))
    assert not framed.is_bare
    for keys, start, end in (
        (["x"], 0, 2**63),
        (["same"], 0, START_NS - 1),
        (["same"], START_NS + 501, 2**63),
    ):
        assert store.calls.find(key.project, windows(keys, start, end)) == []


def test_a_call_knows_what_it_said(store: Store, key: TraceKey) -> None:
    record = make_record(key, call_keys={model_step(2).id: "said"})
    [call] = record.calls
    said = replace(record, calls=[call._replace(answer=2**64 - 1, question=7)])
    store.trajectories.write([said])
    [found] = store.calls.find(key.project, windows(["said"], START_NS, START_NS))
    assert (found.answer, found.question) == (2**64 - 1, 7)
    hours = windows(["said", *map(str, range(3))], START_NS, START_NS)
    apart = [w._replace(until_ns=w.until_ns + 3600 * 10**9) for w in hours]
    [found] = store.calls.find(key.project, apart)
    assert (found.answer, found.question) == (2**64 - 1, 7)


def test_a_call_knows_how_many_its_trace_has(store: Store, key: TraceKey) -> None:
    steps = [model_step(2), model_step(3), model_step(4)]
    store.trajectories.write(
        [make_record(key, make_trajectory(key, steps=steps), call_keys={steps[0].id: "k"})]
    )
    [found] = store.calls.find(key.project, windows(["k"], START_NS, START_NS))
    assert found.extent.model_steps == 3


def test_calls_of_a_replaced_version_are_gone(store: Store, key: TraceKey) -> None:
    store.trajectories.write([make_record(key, call_keys={f"{2:016x}": "once"})])
    head = store.trajectories.heads([key])[key]
    store.trajectories.write(
        [make_record(key, make_trajectory(key, steps=[model_step(3)]), version=2, previous=head)]
    )
    assert store.calls.find(key.project, windows(["once"], 0, 2**63)) == []


@pytest.mark.parametrize("apart_ns", [3600 * 10**9, 10**9], ids=["hours", "seconds"])
def test_each_call_is_looked_for_in_its_own_window(
    store: Store, key: TraceKey, apart_ns: int
) -> None:
    """A replay queries calls of several years at once; each may only repeat a call near it."""
    said = f"said {key.project}"
    calls = {n: model_step(n, START_NS + n * apart_ns) for n in range(2, 42)}
    for n, call in calls.items():
        own = TraceKey(key.project, trace(n))
        record = make_record(own, make_trajectory(own, steps=[call]), call_keys={call.id: said})
        store.trajectories.write([record])
    near = [START_NS + n * apart_ns + 400 for n in (3, 17, 40)]
    wanted = [window for at in near for window in windows([said], at, at + 10)]
    overlapping = windows([said], near[0], near[0] + 50)
    found = store.calls.find(
        key.project, [*wanted, *overlapping, *windows(["other"], near[0], near[1])]
    )
    assert sorted(call.key.trace_id for call in found) == [trace(n) for n in (3, 17, 40)]
    between = [window for at in near for window in windows([said], at + 200, at + 300)]
    assert store.calls.find(key.project, between) == []
    assert len(store.calls.find(key.project, windows([said], 0, 2**64 - 1))) == 40


def test_a_few_calls_of_a_long_run_are_found(store: Store, key: TraceKey) -> None:
    """Of thousands of call keys only the stored ones are queried, each in its own time window."""
    call = model_step(2)
    store.trajectories.write([make_record(key, call_keys={call.id: "said 2100"})])
    hour_ns = 3600 * 10**9
    keys = [f"said {n}" for n in range(2_500)]
    asked = [w for n, said in enumerate(keys) for w in windows([said], n * hour_ns, n * hour_ns)]
    assert store.calls.find(key.project, asked) == []
    [found] = store.calls.find(key.project, [*asked, *windows(["said 2100"], START_NS, START_NS)])
    assert (found.key, found.step_id) == (key, call.id)


def test_parts_of_runs_come_back_one_of_a_trace_and_so_many_of_a_conversation(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    def stored(number: int, project: str = key.project) -> Part:
        part_key = TraceKey(project, f"{number:032x}")
        home = "ab" * 16
        times = START_NS + number, START_NS + number + 5
        part = Part(part_key, "part of s", *times, START_NS, 2**64 - 1, 12, home, is_whole=True)
        record = make_record(part_key, make_trajectory(part_key))
        store.trajectories.write([replace(record, calls=[*record.calls, part.as_call()])])
        return part

    def find(project: str, from_ns: int, until_ns: int, most: int) -> list[Part]:
        window = CallWindow("part of s", from_ns, until_ns)
        return sorted(map(part_of, store.calls.find_parts(project, [window], most)))

    parts = [stored(n) for n in (1, 2, 3)]
    elsewhere = stored(1, new_project())
    assert find(key.project, 0, 2**64 - 1, 10) == parts
    assert find(key.project, START_NS + 8, START_NS + 9, 10) == parts[2:]
    assert find(elsewhere.key.project, 0, 2**63, 10) == [elsewhere]
    assert len(find(key.project, 0, 2**63, 2)) == 2
    head = store.trajectories.heads([parts[0].key])[parts[0].key]
    record = make_record(parts[0].key, make_trajectory(parts[0].key), version=2, previous=head)
    moved = parts[0]._replace(home="cd" * 16)
    store.trajectories.write([replace(record, calls=[moved.as_call()])])
    assert find(key.project, 0, 2**63, 10) == [moved, *parts[1:]]


def test_a_span_of_a_part_is_found_with_the_home_of_its_run(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    part_key = TraceKey(key.project, "b" * 32)
    store.spans.append([spooled(message_of([wire_span(part_key.trace_id, 7)]), key.project)])
    part = Part(part_key, "part of s", START_NS, START_NS, 0, 0, 1, key.trace_id)
    record = make_record(part_key, make_trajectory(part_key))
    store.trajectories.write([replace(record, calls=[part.as_call()])])
    span_id = f"{7:016x}"
    own = store.spans.read_otlp(part_key, span_id)
    assert own
    assert store.spans.read_otlp(key, span_id) == own
    assert store.spans.read_otlp(key, f"{8:016x}") == b""
    assert store.spans.read_otlp(key) == b""
    assert store.spans.parts_shown(key) == [part_key]
    assert store.spans.parts_shown(part_key) == []
    stranger = TraceKey(new_project(), key.trace_id)
    assert store.spans.read_otlp(stranger, span_id) == b""
    assert store.spans.parts_shown(stranger) == []
