"""What trajectories are now, as lines of a list."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Outcome, Status
from spanloom.core.query.question import NEWEST_FIRST
from spanloom.core.query.summaries import TrajectorySummary
from spanloom.storage.engine.conditions import Condition
from spanloom.storage.engine.parameters import batched
from spanloom.storage.runs.candidates import KEYS_AT_ONCE, Line, read_newest
from spanloom.storage.where.ordering import rank as rank_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from spanloom.core.query.question import Order
    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row


class RunLine(Line, Protocol):
    """What a list shows of a run."""

    @property
    def key(self) -> TraceKey:
        """Which run it is."""


LineT = TypeVar("LineT", bound=RunLine)


class Shown(NamedTuple, Generic[LineT]):
    """What is read of a run in the list."""

    columns: Condition
    line_of: Callable[[Row], LineT]


def read_current(
    reader: Lane,
    wanted: Condition,
    keys: Iterable[tuple[str, str]],
    shown: Shown[LineT],
    order: Order = NEWEST_FIRST,
) -> Sequence[LineT]:
    """Return those of the traces that meet the condition now, in any order."""
    last = {
        (row.Project, row.TraceId): row
        for some in batched(list(keys), KEYS_AT_ONCE)
        for row in reader.rows(
            "list_page", columns=shown.columns, keys=some, filter=wanted, rank=rank_of(order)
        )
    }
    return [shown.line_of(row) for row in last.values() if row.Passes]


def still_current(
    reader: Lane, wanted: Condition, rows: Sequence[Row], shown: Shown[LineT], order: Order
) -> Mapping[tuple[str, str], LineT]:
    """Return those rows of ``list_candidates.sql`` that are what their trajectories are now.

    A row of an older release may stand beside the one in which the keeper laid out its steps, of
    the same version: such a run is looked up.
    """
    newest = read_newest(reader, dict.fromkeys(map(key_of, rows)))
    standing = [row for row in rows if (n := newest.get(key_of(row))) and n.allows_place(row)]
    unfilled = {key_of(row) for row in standing if not row.HasArrays}
    standing.sort(key=attrgetter("Seq", "Version"))
    found = [shown.line_of(row) for row in standing if key_of(row) not in unfilled]
    looked_up = read_current(reader, wanted, unfilled, shown, order)
    return {line.key: line for line in (*found, *looked_up)}


def key_of(row: Row) -> TraceKey:
    """Return which trace a row is of."""
    return TraceKey(row.Project, row.TraceId)


def summary_of(row: Row) -> TrajectorySummary:
    """Return a row with these columns as a summary."""
    return TrajectorySummary(
        key=key_of(row),
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
        model_time_ns=row.ModelDurationNs,
        tool_time_ns=row.ToolDurationNs,
        rank=tuple(row.Rank),
    )


SUMMARY = Shown(
    Condition(
        "Project, TraceId, Version, Status, RootName, RootType, StartTimeUnixNano, DurationNs,"
        " Outcome, Failures, AgentNames, AgentSteps, ModelSteps, ToolSteps, GraphSteps, OtherSpans,"
        " SpanCount, InputTokens, OutputTokens, DuplicateOf, Dialects, ConversationId, Question,"
        " Answer, Services, Environment, UserId, Tags, Models, IsWaiting, IsResuming, Cost,"
        " ModelDurationNs, ToolDurationNs",
        {},
    ),
    summary_of,
)
"""A line of a list, as readers see it."""
