"""A trajectory as rows: the columns of the tables people read, each named once.

Rows of ``steps`` are lists of JSON values in the order of the column lists, those of
``trajectories`` and ``trajectory_list`` name their columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Kind, Step, StepType, Trajectory, Usage
from spanloom.storage.row_binary import Encoder, boolean, int64, text, texts, uint32, uint64

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.ports import TrajectoryRecord

PREVIEW_CHARS = 1000
_NO_USAGE = Usage()
_INT64_MAX = 2**63 - 1

GONE_COLUMNS = ("Project", "TraceId", "StepId", "Seq", "Version", "IsDeleted")
STEP_COLUMNS = (
    *GONE_COLUMNS,
    "AgentId",
    "ParentId",
    "Type",
    "Name",
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
    "ErrorMessage",
    "Input",
    "Output",
    "CallKey",
    "IsBare",
)

TRAJECTORY_COLUMNS: Mapping[str, Encoder] = {
    "Project": text,
    "TraceId": text,
    "Version": uint32,
    "Seq": uint64,
    "Status": text,
    "StartTimeUnixNano": uint64,
    "DurationNs": uint64,
    "RootName": text,
    "RootType": text,
    "HasError": boolean,
    "AgentNames": texts,
    "SpanCount": uint32,
    "AgentSteps": uint32,
    "ModelSteps": uint32,
    "ToolSteps": uint32,
    "GraphSteps": uint32,
    "OtherSpans": uint32,
    "InputTokens": int64,
    "OutputTokens": int64,
    "DuplicateOf": text,
    "Dialects": texts,
    "ConversationId": text,
    "Fingerprint": text,
    "Models": texts,
    "ReasoningTokens": int64,
    "CacheReadTokens": int64,
    "CacheCreationTokens": int64,
    "ModelDurationNs": int64,
    "ToolDurationNs": int64,
    "Warnings": texts,
    "DuplicateOfSpanId": text,
    "StepIds": texts,
    "ExtractorVersion": text,
    "Document": text,
    "SpansDocument": text,
}
"""The columns of ``trajectories`` that are written, and how; their types stand in the schema."""


def trajectory_row(record: TrajectoryRecord) -> dict[str, object]:
    """Give a record as a row of ``trajectories``."""
    trajectory = record.trajectory
    metrics, original = trajectory.root_metrics, trajectory.duplicate_of
    steps = [step for _, step in placed_steps(trajectory)]
    usages = [step.usage for step in steps if step.usage is not None]
    return {
        **summary_row(record),
        "Fingerprint": record.fingerprint,
        "Models": sorted({step.model for step in steps} - {""}),
        "ReasoningTokens": sum(usage.reasoning_tokens for usage in usages),
        "CacheReadTokens": sum(usage.cache_read_tokens for usage in usages),
        "CacheCreationTokens": sum(usage.cache_creation_tokens for usage in usages),
        "ModelDurationNs": min(metrics.llm_duration_ns, _INT64_MAX),
        "ToolDurationNs": min(metrics.tool_duration_ns, _INT64_MAX),
        "Warnings": list(trajectory.warnings),
        "DuplicateOfSpanId": original.span_id if original else "",
        "StepIds": [step.id for step in steps],
        "ExtractorVersion": trajectory.extractor_version,
        "Document": record.document,
        "SpansDocument": record.spans_document,
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
        "ConversationId": trajectory.conversation_id,
    }


def list_row(record: TrajectoryRecord) -> dict[str, object]:
    """Give a record as a row of ``trajectory_list``."""
    return {**summary_row(record), "IsDeleted": 0}


def moved_list_rows(record: TrajectoryRecord) -> Iterator[dict[str, object]]:
    """Give a tombstone for the place in the list where the trajectory stood, if it has moved."""
    before = record.previous
    if before is not None and before.start_ns != record.trajectory.root.start_ns:
        yield {**summary_row(record), "StartTimeUnixNano": before.start_ns, "IsDeleted": 1}


def step_rows(record: TrajectoryRecord) -> Iterator[list[object]]:
    """Give the rows of ``steps``, in the order of ``STEP_COLUMNS``."""
    bare = is_bare(record.trajectory)
    for agent_id, step in placed_steps(record.trajectory):
        yield _step_row(record, agent_id, step, bare=bare)


def gone_step_rows(record: TrajectoryRecord) -> Iterator[list[object]]:
    """Give a tombstone for each step that is none any more, in the order of ``GONE_COLUMNS``."""
    if record.previous is not None:
        ids = {step.id for _, step in placed_steps(record.trajectory)}
        for step_id in record.previous.step_ids:
            if step_id not in ids:
                yield [*record.key, step_id, record.seq, record.version, 1]


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


def _step_row(record: TrajectoryRecord, agent_id: str, step: Step, *, bare: bool) -> list[object]:
    """Give a step as a list: there are as many of them as spans."""
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
        step.start_ns,
        step.end_ns,
        max(step.end_ns - step.start_ns, 0),
        step.model,
        *usage,
        step.first_token_ms,
        error is not None,
        error.code if error else 0,
        error.message if error else "",
        step.input[:PREVIEW_CHARS],
        step.output[:PREVIEW_CHARS],
        record.call_keys.get(step.id, ""),
        bare,
    ]
