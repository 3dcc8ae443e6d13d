"""Lists of trajectories: narrow candidates first, then what they are now.

A candidate is a place in the list where some version of a trajectory stands or stood. Old versions
stay until they are merged away, so many candidates may be one trajectory, and one may have moved.
The candidates say how far the list was read, the current versions what there is to see.
"""

from __future__ import annotations

import operator
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Outcome, Status
from spanloom.core.ports.reading import Cursor, TrajectorySummary
from spanloom.core.query.fields import TrajectoryFilter
from spanloom.storage.engine.conditions import passing, within

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.model.tenancy import Reach
    from spanloom.storage.engine.lane import Lane, Row

SPARE_CANDIDATES = 8
"""Candidates read beyond the wanted lines, and a quarter of them: old versions fall out."""
MAX_CANDIDATES = 10_000
"""The most candidates read at once: where most are old versions, each look doubles them."""
_BEFORE_ALL = Cursor(0, "", "")


class ClickHouseLists:
    """Lists over the lane of readers."""

    def __init__(self, reader: Lane) -> None:
        """Take the lane; whoever opened it closes it."""
        self._reader = reader

    def list(
        self, reach: Reach, where: TrajectoryFilter, limit: int, after: Cursor | None = None
    ) -> Sequence[TrajectorySummary]:
        """See ``TrajectoryReader.list``."""

        def candidates(most: int, after: Cursor | None) -> Sequence[Cursor]:
            behind = after or _BEFORE_ALL
            rows = self._reader.rows(
                "list_candidates",
                reach=within(reach),
                filter=passing(where),
                after_start_ns=after.start_ns if after else None,
                after_trace_id=behind.trace_id,
                after_project=behind.project,
                most=most,
            )
            return [Cursor(start, trace_id, project) for project, start, trace_id in rows]

        return self._read(candidates, where, limit, after, newest_first=True)

    def conversation(
        self, conversation_id: str, reach: Reach, limit: int, after: Cursor | None = None
    ) -> Sequence[TrajectorySummary]:
        """See ``TrajectoryReader.conversation``."""

        def candidates(most: int, after: Cursor | None) -> Sequence[Cursor]:
            behind = after or _BEFORE_ALL
            rows = self._reader.rows(
                "conversation_candidates",
                conversation_id=conversation_id,
                reach=within(reach),
                after_start_ns=behind.start_ns,
                after_trace_id=behind.trace_id,
                after_project=behind.project,
                most=most,
            )
            return [Cursor(start, trace_id, project) for project, start, trace_id in rows]

        where = TrajectoryFilter(conversation_id=conversation_id)
        return self._read(candidates, where, limit, after, newest_first=False)

    def _read(
        self,
        candidates: Callable[[int, Cursor | None], Sequence[Cursor]],
        where: TrajectoryFilter,
        limit: int,
        after: Cursor | None,
        *,
        newest_first: bool,
    ) -> Sequence[TrajectorySummary]:
        """Read candidates until there are enough lines, or no more candidates.

        The end is where fewer *rows* come than were asked for: 51 rows may be 18 trajectories.
        """
        found: dict[TraceKey, TrajectorySummary] = {}
        comes_later = operator.lt if newest_first else operator.gt
        most = limit + limit // 4 + SPARE_CANDIDATES
        while len(found) < limit:
            rows = candidates(most, after)
            until = rows[-1] if len(rows) == most else None
            for line in self._current(where, rows):
                if after is not None and not comes_later(line.cursor, after):
                    continue  # it has moved to where the reader has been
                if until is None or not comes_later(line.cursor, until):
                    found[line.key] = line
            if until is None:
                break
            after = until
            most = min(2 * most, MAX_CANDIDATES)
        lines = sorted(found.values(), key=attrgetter("cursor"), reverse=newest_first)
        return lines[:limit]

    def _current(
        self, where: TrajectoryFilter, candidates: Sequence[Cursor]
    ) -> Sequence[TrajectorySummary]:
        """Return those of the candidates that are what the filter wants now."""
        keys = list(dict.fromkeys((project, trace_id) for _, trace_id, project in candidates))
        if not keys:
            return []
        rows = self._reader.rows("list_page", keys=keys, filter=passing(where))
        return [summary_of(row) for row in rows]


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
    )
