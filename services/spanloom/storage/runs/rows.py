"""A trajectory as a row of ``trajectories``, and what ``trajectory_list`` shares with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from spanloom.core.messages.texts import answer_in, gist, question_in
from spanloom.core.model.trajectory import StepType, names_of_agents
from spanloom.storage.engine.row_binary import Encoder, boolean, int64, text, texts, uint32, uint64
from spanloom.storage.runs.step_arrays import placed_steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.building import TrajectoryRecord

Summary: TypeAlias = "Mapping[str, object]"
_INT64_MAX = 2**63 - 1

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
    "Outcome": text,
    "Failures": uint32,
    "IsWaiting": boolean,
    "IsResuming": boolean,
    "AgentNames": texts,
    "SpanCount": uint32,
    "AgentSteps": uint32,
    "ModelSteps": uint32,
    "ToolSteps": uint32,
    "GraphSteps": uint32,
    "OtherSpans": uint32,
    "InputTokens": int64,
    "OutputTokens": int64,
    "ReasoningTokens": int64,
    "CacheReadTokens": int64,
    "CacheCreationTokens": int64,
    "ModelDurationNs": int64,
    "ToolDurationNs": int64,
    "Warnings": texts,
    "DuplicateOf": text,
    "DuplicateOfSpanId": text,
    "Dialects": texts,
    "ConversationId": text,
    "Question": text,
    "Answer": text,
    "Services": texts,
    "Environment": text,
    "UserId": text,
    "Tags": texts,
    "Models": texts,
    "ExtractorVersion": text,
    "Fingerprint": text,
    "StepIds": texts,
    "Document": text,
    "SpansDocument": text,
}
"""The columns of ``trajectories`` that are written, and how; their types stand in the schema."""


def trajectory_row(record: TrajectoryRecord, summary: Summary) -> dict[str, object]:
    """Return a record, and what ``summary_row`` says of it, as a row of ``trajectories``."""
    return {
        **summary,
        "Fingerprint": record.fingerprint,
        "StepIds": [step.id for _, step in placed_steps(record.trajectory)],
        "Document": record.document,
        "SpansDocument": record.spans_document,
    }


def summary_row(record: TrajectoryRecord) -> Summary:
    """Return the columns that ``trajectories`` and ``trajectory_list`` share.

    Worked out once for all rows of a record: what was asked and answered is parsed for it.
    """
    trajectory = record.trajectory
    root, counts, extras = trajectory.root, trajectory.step_counts, trajectory.extras
    metrics, original = trajectory.root_metrics, trajectory.duplicate_of
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
        "Outcome": trajectory.outcome.value,
        "Failures": len(trajectory.failures),
        "IsWaiting": trajectory.is_waiting,
        "IsResuming": trajectory.is_resuming,
        "AgentNames": agent_names(trajectory),
        "SpanCount": trajectory.span_count,
        "AgentSteps": counts.get("agent", 0),
        "ModelSteps": counts.get("model", 0),
        "ToolSteps": counts.get("tool", 0),
        "GraphSteps": counts.get("graph", 0),
        "OtherSpans": counts.get("other", 0),
        "InputTokens": metrics.input_tokens,
        "OutputTokens": metrics.output_tokens,
        "ReasoningTokens": extras.get("reasoning_tokens", 0),
        "CacheReadTokens": extras.get("cache_read_tokens", 0),
        "CacheCreationTokens": extras.get("cache_creation_tokens", 0),
        "ModelDurationNs": min(metrics.llm_duration_ns, _INT64_MAX),
        "ToolDurationNs": min(metrics.tool_duration_ns, _INT64_MAX),
        "Warnings": list(trajectory.warnings),
        "DuplicateOf": original.trace_id if original else "",
        "DuplicateOfSpanId": original.span_id if original else "",
        "Dialects": list(trajectory.dialects),
        "ConversationId": trajectory.conversation_id,
        "Question": gist(question_in(root.input)),
        "Answer": gist(answer_in(root.output)),
        "Services": extras.get("services", []),
        "Environment": extras.get("environment", ""),
        "UserId": extras.get("user_id", ""),
        "Tags": extras.get("tags", []),
        "Models": extras.get("models", []),
        "ExtractorVersion": trajectory.extractor_version,
    }


def agent_names(trajectory: Trajectory) -> list[str]:
    """Return the names by which the run's agents can be found, in the order in which they began."""
    return names_of_agents(s for _, s in placed_steps(trajectory) if s.type is StepType.AGENT)
