"""The views for dashboards show the same about every step as its trajectory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.support.otlp_requests import START_NS
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.model.span import TraceKey
from spanloom.core.model.step import StepType
from spanloom.core.model.trajectory import AgentStep, Kind, Metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.storage.store import ClickHouseStore

ROOT, AGENT, CALL, TOOL = (f"{number:016x}" for number in (1, 2, 3, 4))


def view(store: ClickHouseStore, name: str, project: str) -> list[dict[str, Any]]:
    sql = f"SELECT * FROM {name} WHERE Project = {{p:String}} ORDER BY ALL"
    return list(
        store.connections.worker._client.query(sql, parameters={"p": project}).named_results()
    )


def test_a_step_knows_its_agent_its_parent_and_its_times(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    key = TraceKey(new_project(), "c" * 32)
    early = model_step(3, START_NS - 30)._replace(parent_id=AGENT)
    tool = model_step(4, START_NS + 7)._replace(parent_id=ROOT, type=StepType.TOOL, usage=None)
    agent = model_step(2)._replace(type=StepType.AGENT, name="clerk", parent_id=ROOT)
    plain = make_trajectory(key)
    owned = [(plain.root, [agent, tool]), (agent, [early])]
    run = replace(
        plain,
        root_type=Kind.OTHER,
        agent_steps=[AgentStep(step, steps, Metrics()) for step, steps in owned],
    )
    clickhouse_store.trajectories.write([make_record(key, run)])
    rows = {row["StepId"]: row for row in view(clickhouse_store, "v_steps", key.project)}
    assert {i: (r["AgentId"], r["AgentName"], r["ParentId"]) for i, r in rows.items()} == {
        CALL: (AGENT, "clerk", AGENT),
        AGENT: (ROOT, "", ROOT),
        TOOL: (ROOT, "", ROOT),
    }
    assert {i: (r["Position"], r["Type"], r["StartTimeUnixNano"]) for i, r in rows.items()} == {
        CALL: (1, "model", START_NS - 30),
        AGENT: (2, "agent", START_NS),
        TOOL: (3, "tool", START_NS + 7),
    }
    call = rows[CALL]
    assert (call["EndTimeUnixNano"], call["DurationNs"]) == (START_NS + 470, 500)
    assert (call["Model"], call["CacheReadTokens"], call["FirstTokenMs"]) == ("gpt-test", 3, 1.5)
    assert (
        call["StartTime"] == view(clickhouse_store, "v_trajectories", key.project)[0]["StartTime"]
    )


def test_the_view_of_a_root_that_is_a_step_names_nothing_above_it(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    key = TraceKey(new_project(), "d" * 32)
    clickhouse_store.trajectories.write([make_record(key)])
    root, call = view(clickhouse_store, "v_steps", key.project)
    assert (root["StepId"], root["AgentId"], root["ParentId"]) == (ROOT, "", "")
    assert (call["AgentId"], call["AgentName"], call["ParentId"]) == (ROOT, "planner", ROOT)
    [document] = view(clickhouse_store, "v_documents", key.project)
    assert document["Document"].startswith('{"version":1')
