"""Loads a trajectory with the package ``atif``, and checks further requirements of Harbor."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    Json = dict[str, Any]

OF_AGENTS = {"model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"}
KEYS: Mapping[str, set[str]] = {
    "trajectory": {
        *("schema_version", "session_id", "trajectory_id", "agent", "steps", "notes", "extra"),
        *("final_metrics", "continued_trajectory_ref", "subagent_trajectories"),
    },
    "step": {
        *("step_id", "timestamp", "source", "message", "observation", "extra", "llm_call_count"),
        *OF_AGENTS,
        "is_copied_context",
    },
    "result": {"source_call_id", "content", "subagent_trajectory_ref", "extra"},
}


def check(body: bytes) -> None:
    """Raise if the body is not a trajectory of ATIF 1.8 that Harbor accepts."""
    atif = pytest.importorskip("atif", reason="the package atif is missing")
    trajectory = json.loads(body)
    atif.Trajectory.model_validate(trajectory)
    check_trajectory(trajectory)


def check_trajectory(trajectory: Json, of_the_run: Collection[str] = ()) -> None:
    """Raise for a trajectory that Harbor refuses although ``atif`` loads it.

    Agents below agents are also in the list of the root: ``of_the_run`` are their ids.
    """
    assert trajectory.keys() <= KEYS["trajectory"]
    assert re.fullmatch(r"ATIF-v1\.[0-8]", trajectory["schema_version"])
    assert trajectory["steps"]
    assert all(trajectory["agent"][name] is not None for name in ("name", "version"))
    for number, step in enumerate(trajectory["steps"], 1):
        assert step["step_id"] == number
        _check_step(step)
    below = trajectory.get("subagent_trajectories", [])
    known = [one["trajectory_id"] for one in below]
    assert len(known) == len(set(known))
    known += of_the_run
    for one in (trajectory, *below):
        for step in one["steps"]:
            for result in step.get("observation", {}).get("results", ()):
                refs = result.get("subagent_trajectory_ref", ())
                assert all(ref["trajectory_id"] in known for ref in refs)
    for one in below:
        check_trajectory(one, known)


def _check_step(step: Json) -> None:
    assert step.keys() <= KEYS["step"]
    if step["source"] != "agent":
        assert OF_AGENTS.isdisjoint(step)
    if step.get("llm_call_count") == 0:
        assert not {"metrics", "reasoning_content"} & step.keys()
    if "timestamp" in step:
        datetime.fromisoformat(step["timestamp"])
    calls = {call["tool_call_id"] for call in step.get("tool_calls", ())}
    for result in step.get("observation", {}).get("results", ()):
        assert result.keys() <= KEYS["result"]
        assert result["source_call_id"] in calls
    for part in step["message"] if isinstance(step["message"], list) else ():
        source = part.get("source")
        assert source is None or not source["path"].startswith("data:")
