"""Trajectories as the extractor writes them, without spans: a month of agents.

Everything is derived from a seed. Half of the runs are of one project; one in seven is in Chinese,
one call in thirty fails. Half have at most ten steps, one in twenty more than forty.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from benchmarks.agent_run import AgentRun
from benchmarks.texts import CHINESE, make_text
from benchmarks.workload import SECOND
from spanloom.core.duplicates.traces import list_calls
from spanloom.core.formats.canonical import encode_document
from spanloom.core.model.span import TraceKey
from spanloom.core.model.step import StepType, Usage
from spanloom.core.model.trajectory import AgentStep, Failure, Kind, Metrics, Status, Trajectory
from spanloom.core.ports.trajectories import TrajectoryRecord

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.agent_run import Made
    from spanloom.core.model.step import Step

DAY = 86_400 * SECOND
DAYS = 30
FIRST_NS = 1_767_225_600 * SECOND
"""The first of January 2026, so that days are calendar days."""
BUSIEST = "project-0"
PROJECTS = 24
_PASSAGES = 4_000
_SPREAD = 0x9E3779B97F4A7C15
"""Scatters the ids of consecutive numbers."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Makes ``count`` runs from the texts ``passages``."""

    count: int
    passages: Sequence[str]

    @classmethod
    def of(cls, count: int) -> Runs:
        """Prepare ``count`` runs."""
        random = Random(11)
        prose = [make_text(random, random.randint(60, 900)) for _ in range(_PASSAGES)]
        chinese = ["".join(random.choices(CHINESE, k=120)) for _ in range(_PASSAGES // 7)]
        return cls(count, [*prose, *chinese])

    def key(self, number: int) -> TraceKey:
        """Return the project and the trace id of a run."""
        project = BUSIEST if number % 2 else f"project-{number // 2 % PROJECTS}"
        return TraceKey(project, f"{number * _SPREAD % 2**64:016x}{number:016x}")

    def start_ns(self, number: int) -> int:
        """Return the start time of a run; all runs together span a month."""
        return FIRST_NS + number * (DAYS * DAY // self.count)

    def records(self) -> Iterator[TrajectoryRecord]:
        """Yield the runs, ordered by start."""
        for number in range(self.count):
            made = AgentRun(number, self.start_ns(number), self.passages).make()
            yield _record(_trajectory(self.key(number), number, made), number)


def _trajectory(key: TraceKey, number: int, made: Sequence[Made]) -> Trajectory:
    steps = [step for one in made for step in one.steps]
    models = [step for step in steps if step.type is StepType.MODEL]
    tools = [step for step in steps if step.type is StepType.TOOL]
    counts = {"agent": len(made), "model": len(models), "tool": len(tools), "graph": 0, "other": 2}
    return Trajectory(
        trace_id=key.trace_id,
        project=key.project,
        root=made[0].agent,
        root_type=Kind.AGENT,
        root_metrics=_metrics(models, tools),
        agent_steps=[AgentStep(agent, below, Metrics()) for agent, below in made],
        verdicts=[],
        span_count=len(steps) + 3,
        step_counts=counts,
        dialects=["openinference"],
        warnings=[],
        extras=_extras(number, models),
        failures=[
            Failure(step.id, step.id, step.error, recovered=number % 10 < 7)
            for step in steps
            if step.error is not None
        ],
        extractor_version="1",
    )


def _metrics(models: Sequence[Step], tools: Sequence[Step]) -> Metrics:
    return Metrics(
        llm_duration_ns=sum(step.end_ns - step.start_ns for step in models),
        tool_duration_ns=sum(step.end_ns - step.start_ns for step in tools),
        input_tokens=sum((step.usage or Usage()).input_tokens for step in models),
        output_tokens=sum((step.usage or Usage()).output_tokens for step in models),
    )


def _extras(number: int, models: Sequence[Step]) -> dict[str, object]:
    cost = sum(float(step.metadata["cost"]) for step in models)
    return {
        "models": sorted({step.model for step in models}),
        "services": [f"service-{number % 5}"],
        "environment": ("production", "staging")[number % 3 == 0],
        "user_id": f"user-{number * 7919 % 2_000}",
        "conversation_id": f"conversation-{number // 3}",
        "reasoning_tokens": 5 * len(models),
        "cache_read_tokens": 7 * len(models),
        "cost": {"usd": cost, "known_usd": cost, "sources": ["sender"]},
    }


def _record(trajectory: Trajectory, number: int) -> TrajectoryRecord:
    return TrajectoryRecord(
        key=TraceKey(trajectory.project, trajectory.trace_id),
        version=1,
        seq=number + 1,
        status=Status.SETTLED,
        fingerprint=f"{number:032x}",
        trajectory=trajectory,
        document=encode_document(trajectory, 1, Status.SETTLED),
        spans_document=b"[]",
        calls=list_calls(trajectory),
    )
