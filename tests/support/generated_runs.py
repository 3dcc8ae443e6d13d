"""Random runs from a fixed seed: overlaps, loops, nesting, Chinese, failures."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from tests.support.otlp_requests import START_NS, next_seq

from spanloom.core.formats.canonical import encode_document
from spanloom.core.model.span import TraceKey
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
from spanloom.core.ports.trajectories import TrajectoryRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MS = 10**6
SECOND = 10**9
NAMES = {
    StepType.AGENT: ["triage", "refunds", "退款助手", "planner"],
    StepType.MODEL: ["chat"],
    StepType.TOOL: ["search", "refund", "get_order", "verify", "检索", "it's \\ {p0:String}"],
    StepType.GRAPH: ["LangGraph"],
}
MODELS = ["gpt-4o", "gpt-5", "claude-4"]
MESSAGES = ["timeout", "rate limit\nexceeded", "退款 失败"]
TIERS = ["gold", "silver", "金"]


def generate_records(count: int, project: str, seed: int = 1) -> list[TrajectoryRecord]:
    """Return that many runs of a project, each in its first version."""
    chance = Random(seed)
    return [_record(chance, TraceKey(project, f"{number:032x}")) for number in range(1, count + 1)]


def _record(chance: Random, key: TraceKey) -> TrajectoryRecord:
    trajectory = _trajectory(chance, key)
    status = chance.choice([Status.SETTLED, Status.SETTLED, Status.LIVE, Status.PARTIAL])
    version = chance.randrange(1, 4)
    document = encode_document(trajectory, version, status)
    return TrajectoryRecord(
        key=key,
        version=version,
        seq=next_seq(),
        status=status,
        fingerprint="",
        trajectory=trajectory,
        document=document,
        spans_document=b"[]",
        calls=(),
        previous=None,
    )


def _trajectory(chance: Random, key: TraceKey) -> Trajectory:
    start = START_NS + chance.randrange(100) * SECOND
    root = _step(chance, 1, "", StepType.AGENT, start, chance.randrange(1, 60_000))
    steps = _below(chance, root, chance.randrange(12))
    agents = [root, *(step for step in steps if step.type is StepType.AGENT)]
    owners = _owners([root, *steps])
    owned = [[step for step in steps if owners[step.id] == agent.id] for agent in agents]
    failures = [
        Failure(s.id, s.id, s.error, recovered=chance.random() < 0.5)
        for s in steps
        if s.error is not None
    ]
    original = DuplicateOf("f" * 32, "a" * 16) if chance.random() < 0.1 else None
    counts = {kind.value: sum(s.type is kind for s in [root, *steps]) for kind in StepType}
    return Trajectory(
        trace_id=key.trace_id,
        project=key.project,
        root=root,
        root_type=Kind.AGENT,
        root_metrics=_metrics(steps),
        agent_steps=[
            AgentStep(agent, some, Metrics()) for agent, some in zip(agents, owned, strict=True)
        ],
        verdicts=[],
        span_count=len(steps) + chance.randrange(1, 5),
        step_counts={**counts, "other": 1},
        dialects=chance.choice([["openinference"], ["otel-genai", "openinference"]]),
        warnings=chance.choice([[], ["no root"]]),
        extras=_extras(chance, steps),
        failures=failures,
        duplicate_of=original,
        extractor_version="1",
    )


def _step(
    chance: Random, number: int, parent: str, kind: StepType, start: int, milliseconds: int
) -> Step:
    is_model, is_tool = kind is StepType.MODEL, kind is StepType.TOOL
    failed = (is_model or is_tool) and chance.random() < 0.25
    metadata = {"tier": chance.choice(TIERS)} if chance.random() < 0.3 else {}
    if is_model and chance.random() < 0.7:
        metadata["cost"] = chance.choice(["0.25", "0.5", "0"])
    return Step(
        id=f"{number:016x}",
        parent_id=parent,
        type=kind,
        name=chance.choice(NAMES[kind]),
        start_ns=start,
        end_ns=start + milliseconds * MS,
        input=chance.choice(["{}", '{"id":1}']),
        output="ok",
        error=StepError(chance.choice([429, 500, -1]), chance.choice(MESSAGES)) if failed else None,
        usage=Usage(chance.randrange(9000), chance.randrange(900), 5, 7, 0) if is_model else None,
        model=chance.choice(MODELS) if is_model else "",
        first_token_ms=float(chance.randrange(1000)) if is_model else None,
        metadata=metadata,
    )


def _below(chance: Random, root: Step, count: int) -> list[Step]:
    """Return steps, each below the root or below an earlier agent; some start at the same time."""
    above, steps = [root], []
    for number in range(2, count + 2):
        parent, kind = chance.choice(above), _kind(chance)
        start = parent.start_ns + chance.randrange(8) * 500 * MS
        step = _step(chance, number, parent.id, kind, start, chance.randrange(5_000))
        steps.append(step)
        if kind in (StepType.AGENT, StepType.TOOL, StepType.GRAPH):
            above.append(step)
    return sorted(steps, key=lambda step: (step.start_ns, step.end_ns, step.id))


def _kind(chance: Random) -> StepType:
    tool, model = StepType.TOOL, StepType.MODEL
    return chance.choice([tool, tool, tool, model, model, StepType.AGENT, StepType.GRAPH])


def _owners(steps: Sequence[Step]) -> Mapping[str, str]:
    """Return the nearest agent above each step, by step id."""
    by_id = {step.id: step for step in steps}

    def owner(step: Step) -> str:
        if not step.parent_id:
            return ""
        parent = by_id[step.parent_id]
        return parent.id if parent.type is StepType.AGENT else owner(parent)

    return {step.id: owner(step) for step in steps}


def _metrics(steps: Sequence[Step]) -> Metrics:
    models, tools = ([s for s in steps if s.type.value == kind] for kind in ("model", "tool"))
    return Metrics(
        llm_duration_ns=sum(step.end_ns - step.start_ns for step in models),
        tool_duration_ns=sum(step.end_ns - step.start_ns for step in tools),
        input_tokens=sum((step.usage or Usage()).input_tokens for step in models),
        output_tokens=sum((step.usage or Usage()).output_tokens for step in models),
    )


def _extras(chance: Random, steps: Sequence[Step]) -> dict[str, object]:
    models = sorted({step.model for step in steps if step.model})
    costs = [step.metadata.get("cost") for step in steps if step.type is StepType.MODEL]
    known = sum(float(cost) for cost in costs if cost)
    extras: dict[str, object] = {
        "models": models,
        "services": chance.choice([[], ["travel"], ["shop", "travel"]]),
        "tags": chance.choice([[], ["beta"]]),
        "reasoning_tokens": 5 * len(costs),
        "cache_read_tokens": 7 * len(costs),
    }
    if costs:
        extras["cost"] = {"usd": known if all(costs) else None, "known_usd": known}
    for name, values in {
        "environment": ["", "production"],
        "release": ["", "1.4.0"],
        "user_id": ["", "ada"],
        "conversation_id": ["", "trip"],
    }.items():
        if value := chance.choice(values):
            extras[name] = value
    if chance.random() < 0.3:
        extras["metadata"] = {"tier": chance.choice(TIERS)}
    return extras
