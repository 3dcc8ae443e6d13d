"""A trajectory as rows: the columns of the tables people read, each named once.

Rows are lists of JSON values in the order of the column lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Kind, Step, StepType, Trajectory, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.ports import TrajectoryRecord

PREVIEW_CHARS = 1000
_NO_USAGE = Usage()

Row = list[object]


def trajectory_row(record: TrajectoryRecord) -> dict[str, object]:
    """Give a record as a row of ``trajectories``."""
    trajectory = record.trajectory
    metrics, original = trajectory.root_metrics, trajectory.duplicate_of
    details = _sum_details(trajectory)
    return {
        **summary_row(record),
        "Fingerprint": record.fingerprint,
        "Models": sorted({s.model for _, s in placed_steps(trajectory)} - {""}),
        "ReasoningTokens": details.reasoning_tokens,
        "CacheReadTokens": details.cache_read_tokens,
        "CacheCreationTokens": details.cache_creation_tokens,
        "ModelDurationNs": metrics.llm_duration_ns,
        "ToolDurationNs": metrics.tool_duration_ns,
        "Warnings": list(trajectory.warnings),
        "DuplicateOfSpanId": original.span_id if original else "",
        "StepIds": [step.id for _, step in placed_steps(trajectory)],
        "ExtractorVersion": trajectory.extractor_version,
        "Document": record.document.decode(),
        "SpansDocument": record.spans_document.decode(),
    }


def summary_row(record: TrajectoryRecord) -> dict[str, object]:
    """Give the columns that ``trajectories`` and ``trajectory_list`` share."""
    trajectory = record.trajectory
    root, counts = trajectory.root, trajectory.step_counts
    return {
        "Project": record.key.project,
        "TraceId": record.key.trace_id,
        "Version": record.version,
        "Seq": record.seq,
        "Status": record.status.value,
        "StartTimeUnixNano": root.start_ns,
        "DurationNs": max(root.end_ns - root.start_ns, 0),
        "RootName": root.name,
        "RootType": trajectory.root_type.value,
        "HasError": trajectory.has_error,
        "AgentNames": agent_names(trajectory),
        "SpanCount": trajectory.span_count,
        "AgentSteps": counts.get("agent", 0),
        "ModelSteps": counts.get("model", 0),
        "ToolSteps": counts.get("tool", 0),
        "GraphSteps": counts.get("graph", 0),
        "OtherSpans": counts.get("other", 0),
        "InputTokens": trajectory.root_metrics.input_tokens,
        "OutputTokens": trajectory.root_metrics.output_tokens,
        "DuplicateOf": trajectory.duplicate_of.trace_id if trajectory.duplicate_of else "",
        "Dialects": list(trajectory.dialects),
    }


def list_rows(record: TrajectoryRecord) -> Iterator[dict[str, object]]:
    """Give the rows of ``trajectory_list``: the summary, and a tombstone where it stood before."""
    row = {**summary_row(record), "IsDeleted": 0}
    yield row
    before = record.previous
    if before is not None and before.start_ns != record.trajectory.root.start_ns:
        yield {**row, "StartTimeUnixNano": before.start_ns, "IsDeleted": 1}


def step_rows(record: TrajectoryRecord) -> Iterator[dict[str, object]]:
    """Give the rows of ``steps``, and a tombstone for each step that is gone."""
    bare = is_bare(record.trajectory)
    ids = set()
    for agent_id, step in placed_steps(record.trajectory):
        ids.add(step.id)
        yield _step_row(record, agent_id, step, bare=bare)
    for step_id in record.previous.step_ids if record.previous else ():
        if step_id not in ids:
            yield {**_step_key(record, step_id), "IsDeleted": 1}


def placed_steps(trajectory: Trajectory) -> Iterator[tuple[str, Step]]:
    """Give every step once, with the id of the agent it stands under; empty for the root."""
    below_root = trajectory.root_type in (Kind.MODEL, Kind.TOOL)
    if trajectory.root_type is not Kind.OTHER and not below_root:
        yield "", trajectory.root
    for agent in trajectory.agent_steps:
        for step in agent.steps:
            yield agent.step.id, step


def agent_names(trajectory: Trajectory) -> list[str]:
    """Give the names by which the run's agents can be found, sorted."""
    agents = [s for _, s in placed_steps(trajectory) if s.type is StepType.AGENT]
    return sorted({s.metadata.get("agent_name", s.name) for s in agents})


def is_bare(trajectory: Trajectory) -> bool:
    """Whether one model call is all there is in the trace."""
    steps = sum(len(agent.steps) for agent in trajectory.agent_steps)
    return trajectory.root_type is Kind.MODEL and steps == 1


def _step_key(record: TrajectoryRecord, step_id: str) -> dict[str, object]:
    return {
        "Project": record.key.project,
        "TraceId": record.key.trace_id,
        "StepId": step_id,
        "Seq": record.seq,
        "Version": record.version,
    }


def _step_row(
    record: TrajectoryRecord, agent_id: str, step: Step, *, bare: bool
) -> dict[str, object]:
    usage, error = step.usage or _NO_USAGE, step.error
    return {
        **_step_key(record, step.id),
        "IsDeleted": 0,
        "AgentId": agent_id,
        "ParentId": step.parent_id,
        "Type": step.type.value,
        "Name": step.name,
        "StartTimeUnixNano": step.start_ns,
        "EndTimeUnixNano": step.end_ns,
        "DurationNs": max(step.end_ns - step.start_ns, 0),
        "Model": step.model,
        "InputTokens": usage.input_tokens,
        "OutputTokens": usage.output_tokens,
        "ReasoningTokens": usage.reasoning_tokens,
        "CacheReadTokens": usage.cache_read_tokens,
        "CacheCreationTokens": usage.cache_creation_tokens,
        "FirstTokenMs": step.first_token_ms,
        "HasError": error is not None,
        "ErrorCode": error.code if error else 0,
        "ErrorMessage": error.message if error else "",
        "Input": step.input[:PREVIEW_CHARS],
        "Output": step.output[:PREVIEW_CHARS],
        "CallKey": record.call_keys.get(step.id, ""),
        "IsBare": bare,
    }


def _sum_details(trajectory: Trajectory) -> Usage:
    usages: list[Mapping[str, int]] = [
        s.usage._asdict() for _, s in placed_steps(trajectory) if s.usage is not None
    ]
    return Usage(**{name: sum(u[name] for u in usages) for name in Usage._fields})
