"""Trajectory records for store tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.otlp_requests import START_NS, next_seq

from spanloom.core.duplicates.traces import list_calls
from spanloom.core.model.step import Step, StepError, StepType, Usage
from spanloom.core.model.trajectory import (
    AgentStep,
    DuplicateOf,
    Failure,
    Kind,
    Metrics,
    Status,
    Trajectory,
)
from spanloom.core.ports.spans import NOTHING_READ, Read
from spanloom.core.ports.trajectories import Head, TrajectoryRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import TraceKey


def model_step(number: int, start_ns: int = START_NS, error: str = "") -> Step:
    return Step(
        id=f"{number:016x}",
        parent_id=f"{1:016x}",
        type=StepType.MODEL,
        name="chat",
        start_ns=start_ns,
        end_ns=start_ns + 500,
        input="x" * 3000,
        output="42",
        error=StepError(429, error) if error else None,
        usage=Usage(10, 5, 2, 3, 1),
        model="gpt-test",
        first_token_ms=1.5,
        metadata={"dialect": "otel-genai"},
    )


def make_trajectory(
    key: TraceKey,
    start_ns: int = START_NS,
    steps: Sequence[Step] | None = None,
    agent: str = "planner",
    duplicate_of: DuplicateOf | None = None,
    *,
    recovered: bool = False,
) -> Trajectory:
    """Return a run of one agent that calls a model; ``recovered`` applies to all failures."""
    steps = [model_step(2, start_ns)] if steps is None else steps
    root = Step(f"{1:016x}", "", StepType.AGENT, agent, start_ns, start_ns + 1000, "in", "out")
    tokens = [s.usage or Usage() for s in steps]
    metrics = Metrics(
        llm_duration_ns=500 * len(steps),
        input_tokens=sum(u.input_tokens for u in tokens),
        output_tokens=sum(u.output_tokens for u in tokens),
    )
    counts = {"agent": 1, "model": len(steps), "tool": 0, "graph": 0, "other": 3}
    return Trajectory(
        trace_id=key.trace_id,
        project=key.project,
        root=root,
        root_type=Kind.AGENT,
        root_metrics=metrics,
        agent_steps=[AgentStep(root, steps, metrics)],
        verdicts=[],
        span_count=4 + len(steps),
        step_counts=counts,
        dialects=["tests"],
        warnings=["odd"],
        extras=sum_extras(tokens),
        failures=[
            Failure(s.id, s.id, s.error, recovered=recovered) for s in steps if s.error is not None
        ],
        duplicate_of=duplicate_of,
        extractor_version="1",
    )


def sum_extras(tokens: Sequence[Usage]) -> dict[str, object]:
    return {
        "reasoning_tokens": sum(u.reasoning_tokens for u in tokens),
        "cache_read_tokens": sum(u.cache_read_tokens for u in tokens),
        "cache_creation_tokens": sum(u.cache_creation_tokens for u in tokens),
    }


def next_version(head: Head | None) -> int:
    return head.version + 1 if head else 1


def make_record(
    key: TraceKey,
    trajectory: Trajectory | None = None,
    seq: int = 0,
    version: int = 1,
    status: Status = Status.SETTLED,
    call_keys: Mapping[str, str] | None = None,
    previous: Head | None = None,
    read: Read = NOTHING_READ,
) -> TrajectoryRecord:
    """Return a record whose documents state its version; ``call_keys`` are keyed by step id."""
    trajectory = trajectory or make_trajectory(key)
    sought = call_keys or {}
    return TrajectoryRecord(
        key=key,
        version=version,
        seq=seq or next_seq(),
        status=status,
        fingerprint=f"print {version}",
        trajectory=trajectory,
        document=b'{"version":%d,"text":"\\u00e9 \\" \xc3\xa9"}' % version,
        spans_document=b'[{"version":%d}]' % version,
        calls=[
            call._replace(key=key, call_key=sought[call.step_id])
            for call in list_calls(trajectory)
            if call.step_id in sought
        ],
        previous=previous,
        read=read,
    )
