"""Trajectories as rows of the tables that people read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import AgentStep, DuplicateOf, Kind, Metrics, StepType
from spanloom.core.ports.building import Head
from spanloom.storage.trajectories.rows import (
    TRAJECTORY_COLUMNS,
    agent_names,
    list_row,
    moved_list_rows,
    summary_row,
    trajectory_row,
)
from spanloom.storage.trajectories.step_rows import (
    GONE_COLUMNS,
    PREVIEW_CHARS,
    STEP_COLUMNS,
    gone_step_rows,
    is_bare,
    placed_steps,
    step_rows,
)

if TYPE_CHECKING:
    from spanloom.storage.clickhouse import ClickHouseStore

KEY = TraceKey("p", "ab" * 16)
TRAJECTORY = make_trajectory(KEY, steps=[model_step(2), model_step(3, error="slow down")])


def columns(store: ClickHouseStore, table: str) -> set[str]:
    sql = (
        "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {t:String}"
    )
    rows = store._worker._client.query(sql, parameters={"t": table}).result_rows
    return {name for (name,) in rows}


def test_rows_have_every_column_that_has_no_default(clickhouse_store: ClickHouseStore) -> None:
    record = make_record(KEY, TRAJECTORY)
    own = {"StartTime", "UpdatedAt"}
    assert (
        set(trajectory_row(record, summary_row(record)))
        == columns(clickhouse_store, "trajectories") - own
    )
    assert list(trajectory_row(record, summary_row(record))) == list(TRAJECTORY_COLUMNS)
    assert set(list_row(summary_row(record))) == columns(clickhouse_store, "trajectory_list") - own
    assert set(STEP_COLUMNS) == columns(clickhouse_store, "steps") - own


def test_every_step_is_one_row_of_all_columns() -> None:
    record = make_record(KEY, TRAJECTORY, call_keys={f"{2:016x}": "fingerprint"})
    rows = [dict(zip(STEP_COLUMNS, row, strict=True)) for row in step_rows(record)]
    root, good, bad = rows
    assert [(r["StepId"], r["AgentId"], r["Type"]) for r in rows] == [
        (f"{1:016x}", "", StepType.AGENT),
        (f"{2:016x}", f"{1:016x}", StepType.MODEL),
        (f"{3:016x}", f"{1:016x}", StepType.MODEL),
    ]
    assert (good["CallKey"], root["CallKey"]) == ("fingerprint", "")
    assert (good["InputTokens"], good["OutputTokens"], good["ReasoningTokens"]) == (10, 5, 2)
    assert (good["CacheReadTokens"], good["CacheCreationTokens"], good["FirstTokenMs"]) == (
        3,
        1,
        1.5,
    )
    assert (bad["HasError"], bad["ErrorCode"], bad["ErrorMessage"]) == (True, 429, "slow down")
    assert (good["HasError"], good["ErrorCode"], good["ErrorMessage"]) == (False, 0, "")
    assert good["Input"] == "x" * PREVIEW_CHARS


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_a_step_that_ends_before_it_starts_takes_no_time(start_ns: int, end_ns: int) -> None:
    step = model_step(2)._replace(start_ns=start_ns, end_ns=end_ns)
    record = make_record(KEY, make_trajectory(KEY, steps=[step]))
    row = dict(zip(STEP_COLUMNS, list(step_rows(record))[1], strict=True))
    assert row["DurationNs"] == max(end_ns - start_ns, 0)


def test_steps_that_are_gone_are_said_to_be_gone() -> None:
    before = Head(KEY, 1, 1, "", 0, [f"{n:016x}" for n in (1, 2, 9)], 3)
    record = make_record(KEY, TRAJECTORY, seq=7, version=2, previous=before)
    [row] = gone_step_rows(record)
    assert dict(zip(GONE_COLUMNS, row, strict=True)) == {
        "Project": "p",
        "TraceId": KEY.trace_id,
        "StepId": f"{9:016x}",
        "Seq": 7,
        "Version": 2,
        "IsDeleted": 1,
    }
    assert list(gone_step_rows(make_record(KEY, TRAJECTORY))) == []


@pytest.mark.parametrize(("moved_by", "places"), [(0, 0), (5, 1), (-5, 1)])
def test_only_a_trajectory_that_moved_leaves_its_place(moved_by: int, places: int) -> None:
    start_ns = TRAJECTORY.root.start_ns + moved_by
    record = make_record(KEY, TRAJECTORY, version=2, previous=Head(KEY, 1, 1, "", start_ns, [], 1))
    rows = list(moved_list_rows(record, summary_row(record)))
    assert [(r["StartTimeUnixNano"], r["IsDeleted"]) for r in rows] == [(start_ns, 1)] * places
    unmoved = make_record(KEY, TRAJECTORY)
    assert list(moved_list_rows(unmoved, summary_row(unmoved))) == []


def test_a_repetition_names_what_it_repeats() -> None:
    repeated = replace(TRAJECTORY, duplicate_of=DuplicateOf("f" * 32, "a" * 16))
    record = make_record(KEY, repeated)
    row = trajectory_row(record, summary_row(record))
    assert (row["DuplicateOf"], row["DuplicateOfSpanId"]) == ("f" * 32, "a" * 16)


def test_a_bare_call_is_the_only_step() -> None:
    call = model_step(2)
    bare = replace(
        TRAJECTORY,
        root=call,
        root_type=Kind.MODEL,
        agent_steps=[AgentStep(call, [call], Metrics())],
    )
    assert is_bare(bare)
    assert list(placed_steps(bare)) == [(call.id, call)]
    assert agent_names(bare) == []
    assert not is_bare(TRAJECTORY)


def test_a_root_that_is_noise_is_no_step() -> None:
    noise = replace(TRAJECTORY, root_type=Kind.OTHER)
    assert [step.id for _, step in placed_steps(noise)] == [f"{n:016x}" for n in (2, 3)]


def test_agents_are_named_once_in_the_order_in_which_they_began() -> None:
    agents = [
        model_step(n)._replace(type=StepType.AGENT, name="span", metadata={"agent_name": name})
        for n, name in ((2, "zoe"), (3, "amy"), (4, "zoe"))
    ]
    assert agent_names(make_trajectory(KEY, steps=agents)) == ["planner", "zoe", "amy"]
