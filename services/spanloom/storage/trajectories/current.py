"""What trajectories are now, as lines of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Outcome, Status
from spanloom.core.ports.reading import TrajectorySummary
from spanloom.core.query.question import NEWEST_FIRST
from spanloom.storage.engine.parameters import batched
from spanloom.storage.where.ordering import rank as rank_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.query.question import Order
    from spanloom.storage.engine.conditions import Condition
    from spanloom.storage.engine.lane import Lane, Row


KEYS_AT_ONCE = 10_000
"""Of narrow rows; a parameter of a MiB (24,000 keys) is parsed again and again, for minutes."""


def read_current(
    reader: Lane,
    wanted: Condition,
    keys: Iterable[tuple[str, str]],
    order: Order = NEWEST_FIRST,
) -> Sequence[TrajectorySummary]:
    """Return those of the traces that meet the condition now, in any order."""
    rank = rank_of(order)
    return [
        summary_of(row)
        for some in batched(list(keys), KEYS_AT_ONCE)
        for row in reader.rows("list_page", keys=some, filter=wanted, rank=rank)
    ]


def summary_of(row: Row) -> TrajectorySummary:
    """Return a row of ``list_page.sql`` as a summary."""
    return TrajectorySummary(
        key=TraceKey(row.Project, row.TraceId),
        version=row.Version,
        status=Status(row.Status),
        root_name=row.RootName,
        root_type=row.RootType,
        start_ns=row.StartTimeUnixNano,
        duration_ns=row.DurationNs,
        outcome=Outcome(row.Outcome),
        failures=row.Failures,
        agent_names=row.AgentNames,
        step_counts={
            "agent": row.AgentSteps,
            "model": row.ModelSteps,
            "tool": row.ToolSteps,
            "graph": row.GraphSteps,
            "other": row.OtherSpans,
        },
        span_count=row.SpanCount,
        input_tokens=row.InputTokens,
        output_tokens=row.OutputTokens,
        duplicate_of=row.DuplicateOf,
        dialects=row.Dialects,
        conversation_id=row.ConversationId,
        question=row.Question,
        answer=row.Answer,
        services=row.Services,
        environment=row.Environment,
        user_id=row.UserId,
        tags=row.Tags,
        models=row.Models,
        is_waiting=row.IsWaiting,
        is_resuming=row.IsResuming,
        cost=row.Cost,
        rank=tuple(row.Rank),
    )
