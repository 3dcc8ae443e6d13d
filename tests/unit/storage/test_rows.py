"""Trajectories are converted to rows of the tables that people query."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.extraction.build import describe_unreadable
from spanloom.core.matching.listed import agent_names, placed_steps
from spanloom.core.model.span import TraceKey
from spanloom.core.model.step import StepType
from spanloom.core.model.trajectory import AgentStep, DuplicateOf, Kind, Metrics, Status
from spanloom.core.ports.trajectories import Head
from spanloom.core.records.step import LONGEST_MESSAGE
from spanloom.storage.runs.calls import CALL_COLUMNS
from spanloom.storage.runs.rows import (
    TRAJECTORY_COLUMNS,
    list_row,
    summary_row,
    tombstones,
    trajectory_row,
)

if TYPE_CHECKING:
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.storage.store import ClickHouseStore

KEY = TraceKey("p", "ab" * 16)
TRAJECTORY = make_trajectory(KEY, steps=[model_step(2), model_step(3, error="slow down")])


def columns(store: ClickHouseStore, table: str) -> set[str]:
    sql = (
        "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {t:String}"
        " AND default_kind != 'MATERIALIZED'"
    )
    rows = store.connections.worker._client.query(sql, parameters={"t": table}).result_rows
    return {name for (name,) in rows}


def test_rows_have_every_column_that_has_no_default(clickhouse_store: ClickHouseStore) -> None:
    record = make_record(KEY, TRAJECTORY)
    own = {"StartTime", "UpdatedAt", "IsKept"}
    assert (
        set(trajectory_row(record, summary_row(record)))
        == columns(clickhouse_store, "trajectories") - own
    )
    assert list(trajectory_row(record, summary_row(record))) == list(TRAJECTORY_COLUMNS)
    in_list = set(dict(list_row(record, summary_row(record))))
    assert in_list == columns(clickhouse_store, "trajectory_list") - own
    assert set(CALL_COLUMNS) == columns(clickhouse_store, "call_index") - own


def steps_of(record: TrajectoryRecord) -> dict[str, list[Any]]:
    row = dict(list_row(record, summary_row(record)))
    arrays = {name: value for name, value in row.items() if name.startswith("Steps.")}
    return {name.removeprefix("Steps."): list(cast("Any", v)) for name, v in arrays.items()}


def test_every_property_of_the_steps_is_one_array() -> None:
    bad = model_step(3, error="slow down " * 200)
    priced = model_step(2)._replace(metadata={"dialect": "d", "cost": "0.5", "tier": "gold"})
    steps = steps_of(make_record(KEY, make_trajectory(KEY, steps=[bad, priced])))
    assert steps["Id"] == [1, 2, 3]
    assert steps["Type"] == [StepType.AGENT, StepType.MODEL, StepType.MODEL]
    assert (steps["Agent"], steps["Parent"]) == ([0, 1, 1], [0, 1, 1])
    assert (steps["Enter"], steps["Exit"]) == ([1, 2, 3], [3, 2, 3])
    assert steps["InputTokens"] == [0, 10, 10]
    assert (steps["CacheReadTokens"][1], steps["CacheCreationTokens"][1]) == (3, 1)
    assert steps["FirstTokenMs"] == [None, 1.5, 1.5]
    assert (steps["Cost"], steps["Attributes"]) == ([None, 0.5, None], [[], ["tier=gold"], []])
    assert (steps["HasError"], steps["ErrorCode"]) == ([False, False, True], [0, 0, 429])
    assert [len(message) for message in steps["ErrorMessage"]] == [0, 0, LONGEST_MESSAGE]


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_a_step_that_ends_before_it_starts_takes_no_time(start_ns: int, end_ns: int) -> None:
    step = model_step(2)._replace(start_ns=start_ns, end_ns=end_ns)
    steps = steps_of(make_record(KEY, make_trajectory(KEY, steps=[step])))
    assert max(end_ns - start_ns, 0) in steps["DurationNs"]


@pytest.mark.parametrize(
    ("start_ns", "run_ns", "offset"),
    [(0, 2**64 - 1, -(2**63)), (2**64 - 1, 0, 2**63 - 1), (5, 7, -2)],
)
def test_clocks_that_are_centuries_apart_fit_into_the_column(
    start_ns: int, run_ns: int, offset: int
) -> None:
    step = model_step(2)._replace(start_ns=start_ns, end_ns=2**64 - 1)
    steps = steps_of(make_record(KEY, make_trajectory(KEY, run_ns, steps=[step])))
    assert offset in steps["StartNs"]


@pytest.mark.parametrize(("moved_by", "places"), [(0, 0), (5, 1), (-5, 1)])
def test_only_a_trajectory_that_moved_leaves_its_place(moved_by: int, places: int) -> None:
    start_ns = TRAJECTORY.root.start_ns + moved_by
    record = make_record(KEY, TRAJECTORY, version=2, previous=Head(KEY, 1, 1, "", start_ns, [], 1))
    rows = list(tombstones(record, summary_row(record)))
    assert [(r["StartTimeUnixNano"], r["IsDeleted"]) for r in rows] == [(start_ns, 1)] * places
    unmoved = make_record(KEY, TRAJECTORY)
    assert list(tombstones(unmoved, summary_row(unmoved))) == []


def test_a_repetition_names_what_it_repeats() -> None:
    repeated = replace(TRAJECTORY, duplicate_of=DuplicateOf("f" * 32, "a" * 16))
    record = make_record(KEY, repeated)
    row = trajectory_row(record, summary_row(record))
    assert (row["DuplicateOf"], row["DuplicateOfSpanId"]) == ("f" * 32, "a" * 16)


def test_a_bare_call_is_its_own_step_once() -> None:
    call = model_step(2)
    bare = replace(
        TRAJECTORY,
        root=call,
        root_type=Kind.MODEL,
        agent_steps=[AgentStep(call, [call], Metrics())],
    )
    assert list(placed_steps(bare)) == [(call.id, call)]
    assert agent_names(bare) == []


def test_a_root_that_is_noise_is_no_step() -> None:
    noise = replace(TRAJECTORY, root_type=Kind.OTHER)
    assert [step.id for _, step in placed_steps(noise)] == [f"{n:016x}" for n in (2, 3)]


def test_agents_are_named_once_in_the_order_in_which_they_began() -> None:
    agents = [
        model_step(n)._replace(type=StepType.AGENT, name="span", metadata={"agent_name": name})
        for n, name in ((2, "zoe"), (3, "amy"), (4, "zoe"))
    ]
    assert agent_names(make_trajectory(KEY, steps=agents)) == ["planner", "zoe", "amy"]


def test_a_run_whose_spans_cannot_be_read_has_a_row_without_steps() -> None:
    unread = describe_unreadable(KEY, 1, 640, ValueError("too large"), "1")
    record = make_record(KEY, unread, status=Status.FAILED)
    row = dict(list_row(record, summary_row(record)))
    assert (row["RootId"], row["Steps.Id"], row["SpanCount"]) == (0, [], 640)
