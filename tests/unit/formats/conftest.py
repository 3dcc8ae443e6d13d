"""Fixtures: a trajectory with every kind of content, and strategies for arbitrary ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import strategies as st

from spanloom.core.model.step import Step, StepError, StepType, Usage
from spanloom.core.model.trajectory import (
    AgentStep,
    DuplicateOf,
    Failure,
    Kind,
    Metrics,
    SpanVerdict,
    Trajectory,
)

if TYPE_CHECKING:
    from collections.abc import Callable

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
T0 = 1_715_400_000_000_999_999  # nanoseconds: just short of the next millisecond
LOST = StepError(-1, "'city'", "KeyError", "Traceback")


@pytest.fixture
def trajectory() -> Trajectory:
    root = Step("r", "", StepType.GRAPH, "team", T0, T0 + 4_500_000_000, "ask", "answer")
    agent = Step("a", "r", StepType.AGENT, "planner", T0, T0 + 4_400_900_000, metadata={"k": "v"})
    call = Step(
        "m",
        "a",
        StepType.MODEL,
        "ChatOpenAI",
        T0,
        T0 + 400_000_000,
        usage=Usage(100, 50, 20, 10, 5),
        model="gpt-4o-mini",
        first_token_ms=180.9,
        metadata={"z": "1", "b": "2"},
    )
    failed = Step("t", "a", StepType.TOOL, "search", T0 + 5, T0, error=StepError(429, "slow down"))
    metrics = Metrics(400_000_000, 0, {}, {"429": ["t"]}, 0.0, 1.0, 0.5, 100, 50)
    return Trajectory(
        trace_id=TRACE,
        project="default",
        root=root,
        root_type=Kind.GRAPH,
        root_metrics=metrics,
        agent_steps=[AgentStep(agent, [call, failed], metrics)],
        verdicts=[
            SpanVerdict("r", "", "team", Kind.GRAPH, "r", "oi", "graph.name", T0, T0 + 10**9),
            SpanVerdict("n", "r", "noise", Kind.OTHER, None, "oi", "chain", T0, T0 - 1, LOST),
        ],
        span_count=4,
        step_counts={"agent": 1, "model": 1, "tool": 1, "graph": 1},
        dialects=["openinference"],
        warnings=["two roots"],
        failures=[Failure("n", "r", LOST, recovered=True)],
        extras={"wall_ms": {"model": 1, "agent": 2}, "status": "never replaced"},
        duplicate_of=DuplicateOf("f" * 32, "a" * 16),
        extractor_version="1",
    )


def _coze_loop(name: str) -> dict[str, Any]:
    folder = Path(__file__).parents[2] / "fixtures" / "coze-loop"
    loaded: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
    return loaded


@pytest.fixture(scope="session")
def coze_loop_schema() -> dict[str, Any]:
    return _coze_loop("schema.json")


@pytest.fixture(scope="session")
def coze_loop_example() -> dict[str, Any]:
    return _coze_loop("example.json")


times = st.integers(0, 2**64 - 1)
names = st.text(max_size=8)
counts = st.integers(0, 2**40)
rates = st.floats(0, 1)
maps = st.dictionaries(names, names, max_size=3)
errors = st.dictionaries(names, st.lists(names, max_size=2), max_size=2)
steps = st.builds(
    Step,
    id=names,
    parent_id=names,
    type=st.sampled_from(StepType),
    name=names,
    start_ns=times,
    end_ns=times,
    input=st.text(),
    output=st.text(),
    error=st.none() | st.builds(StepError, st.integers(-1, 599), names),
    usage=st.none() | st.builds(Usage, counts, counts, counts, counts, counts),
    model=names,
    first_token_ms=st.none() | st.floats(-1, 1e9),
    metadata=maps,
)
metrics = st.builds(Metrics, counts, counts, errors, errors, rates, rates, rates, counts, counts)
trajectories = st.builds(
    Trajectory,
    trace_id=st.text("0123456789abcdef", min_size=32, max_size=32),
    project=names,
    root=steps,
    root_type=st.sampled_from(Kind),
    root_metrics=metrics,
    agent_steps=st.lists(
        st.builds(AgentStep, steps, st.lists(steps, max_size=3), metrics), max_size=2
    ),
    verdicts=st.lists(
        st.builds(
            SpanVerdict,
            names,
            names,
            names,
            st.sampled_from(Kind),
            st.none() | names,
            names,
            names,
            times,
            times,
        ),
        max_size=3,
    ),
    span_count=counts,
    step_counts=st.dictionaries(st.sampled_from([k.value for k in Kind]), counts),
    dialects=st.lists(names, max_size=2),
    warnings=st.lists(names, max_size=2),
    extras=st.dictionaries(names, maps | counts, max_size=3),
    duplicate_of=st.none() | st.builds(DuplicateOf, names, names),
    extractor_version=names,
)


@pytest.fixture(scope="session")
def any_trajectory() -> st.SearchStrategy[Trajectory]:
    return trajectories


@pytest.fixture(scope="session")
def reordered() -> Callable[[Any], Any]:
    """A function that returns an equal value whose mappings were filled in the opposite order."""

    def rebuild(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: rebuild(v) for k, v in reversed(value.items())}
        if isinstance(value, list):
            return [rebuild(v) for v in value]
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*map(rebuild, value))
        if hasattr(value, "__dataclass_fields__"):
            fields = value.__dataclass_fields__
            return type(value)(**{name: rebuild(getattr(value, name)) for name in fields})
        return value

    return rebuild
