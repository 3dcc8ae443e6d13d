"""A trajectory as rows of ``steps``: lists of JSON values in the order of the column lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Kind, Step, Trajectory, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.ports.building import TrajectoryRecord

PREVIEW_CHARS = 1000
_NO_USAGE = Usage()

GONE_COLUMNS = ("Project", "TraceId", "StepId", "Seq", "Version", "IsDeleted")
STEP_COLUMNS = (
    *GONE_COLUMNS,
    "AgentId",
    "ParentId",
    "Type",
    "Name",
    "Dialect",
    "StartTimeUnixNano",
    "EndTimeUnixNano",
    "DurationNs",
    "Model",
    "InputTokens",
    "OutputTokens",
    "ReasoningTokens",
    "CacheReadTokens",
    "CacheCreationTokens",
    "FirstTokenMs",
    "HasError",
    "ErrorCode",
    "ErrorType",
    "ErrorMessage",
    "Input",
    "Output",
    "CallKey",
    "IsBare",
    "Richness",
)


def step_rows(record: TrajectoryRecord) -> Iterator[list[object]]:
    """Yield the rows of ``steps``, in the order of ``STEP_COLUMNS``."""
    bare = is_bare(record.trajectory)
    for agent_id, step in placed_steps(record.trajectory):
        yield _step_row(record, agent_id, step, bare=bare)


def gone_step_rows(record: TrajectoryRecord) -> Iterator[list[object]]:
    """Yield a tombstone for each step that is none any more, in the order of ``GONE_COLUMNS``."""
    if record.previous is not None:
        ids = {step.id for _, step in placed_steps(record.trajectory)}
        for step_id in record.previous.step_ids:
            if step_id not in ids:
                yield [*record.key, step_id, record.seq, record.version, 1]


def placed_steps(trajectory: Trajectory) -> Iterator[tuple[str, Step]]:
    """Yield every step once, with the id of the agent it stands under; empty for the root."""
    below_root = trajectory.root_type in (Kind.MODEL, Kind.TOOL)
    if trajectory.root_type is not Kind.OTHER and not below_root:
        yield "", trajectory.root
    for agent in trajectory.agent_steps:
        for step in agent.steps:
            yield agent.step.id, step


def is_bare(trajectory: Trajectory) -> bool:
    """Whether one model call is all there is in the trace."""
    steps = sum(len(agent.steps) for agent in trajectory.agent_steps)
    return trajectory.root_type is Kind.MODEL and steps == 1


def _step_row(record: TrajectoryRecord, agent_id: str, step: Step, *, bare: bool) -> list[object]:
    """Return a step as a list: there are as many of them as spans."""
    usage, error = step.usage or _NO_USAGE, step.error
    return [
        *record.key,
        step.id,
        record.seq,
        record.version,
        0,
        agent_id,
        step.parent_id,
        step.type,
        step.name,
        step.dialect,
        step.start_ns,
        step.end_ns,
        max(step.end_ns - step.start_ns, 0),
        step.model,
        *usage,
        step.first_token_ms,
        error is not None,
        error.code if error else 0,
        error.type if error else "",
        error.message if error else "",
        step.input[:PREVIEW_CHARS],
        step.output[:PREVIEW_CHARS],
        record.call_keys.get(step.id, ""),
        bare,
        step.richness,
    ]
