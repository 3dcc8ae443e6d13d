"""The list of conversations: where their runs stand in the list of runs, then what they are now.

As the list of runs is read, newest first, each conversation is met at its newest run; met again
behind it, it was on an earlier page and is left out.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Outcome, Status
from spanloom.core.ports.reading import ConversationSummary, Cursor
from spanloom.core.query.continuations import TURNS
from spanloom.storage.engine.conditions import passing, within
from spanloom.storage.trajectories.lists import BEFORE_ALL, MAX_CANDIDATES, SPARE_CANDIDATES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.tenancy import Reach
    from spanloom.core.query.fields import TrajectoryFilter
    from spanloom.storage.engine.lane import Lane, Row


class ClickHouseConversations:
    """The list of conversations over the lane of readers."""

    def __init__(self, reader: Lane) -> None:
        """Take the lane; whoever opened it closes it."""
        self._reader = reader

    def conversations(
        self, reach: Reach, where: TrajectoryFilter, limit: int, after: Cursor | None = None
    ) -> Sequence[ConversationSummary]:
        """See ``TrajectoryReader.conversations``."""
        where = replace(where, is_duplicate=TURNS.is_duplicate, has_steps=TURNS.has_steps)
        found: list[ConversationSummary] = []
        most = limit + SPARE_CANDIDATES
        while len(found) < limit:
            rows = self._met(reach, where, most, after)
            until = _place(rows[-1]) if len(rows) == most else None
            for line in self._told(where, rows):
                is_behind = after is None or line.cursor < after
                if is_behind and (until is None or line.cursor >= until):
                    found.append(line)
            if until is None:
                break
            after = until
            most = min(2 * most, MAX_CANDIDATES)
        return sorted(found, key=attrgetter("cursor"), reverse=True)[:limit]

    def _met(
        self, reach: Reach, where: TrajectoryFilter, most: int, after: Cursor | None
    ) -> Sequence[Row]:
        behind = after or BEFORE_ALL
        rows = self._reader.rows(
            "newest_conversations",
            reach=within(reach),
            filter=passing(where),
            after_start_ns=after.start_ns if after else None,
            after_trace_id=behind.trace_id,
            after_project=behind.project,
            most=most,
        )
        return list(rows)

    def _told(
        self, where: TrajectoryFilter, candidates: Sequence[Row]
    ) -> Sequence[ConversationSummary]:
        """Return those of the candidates that have a run which the filter wants now."""
        asked = list(dict.fromkeys((row.Project, row.ConversationId) for row in candidates))
        if not asked:
            return []
        members = self._reader.rows("conversation_keys", conversations=asked)
        keys = [(row.Project, row.TraceId) for row in members]
        rows = self._reader.rows(
            "conversation_page", keys=keys, turns=passing(TURNS), filter=passing(where)
        )
        wanted = set(asked)  # a run may have moved to another conversation
        return [_summary_of(row) for row in rows if (row.Project, row.ConversationId) in wanted]


def _place(row: Row) -> Cursor:
    return Cursor(row.StartTimeUnixNano, row.TraceId, row.Project)


def _summary_of(row: Row) -> ConversationSummary:
    """Return a row of ``conversation_page.sql`` as a summary."""
    last_start_ns, last_trace_id = row.Last
    status, outcome, last_duration_ns, answer = row.HowLast
    start_ns, trace_id = row.Passing
    return ConversationSummary(
        project=row.Project,
        conversation_id=row.ConversationId,
        cursor=Cursor(start_ns, trace_id, row.Project),
        runs=row.Runs,
        start_ns=row.First[0],
        question=row.FirstQuestion,
        answer=answer,
        user_id=row.LastUserId,
        input_tokens=row.AllInputTokens,
        output_tokens=row.AllOutputTokens,
        last_trace_id=last_trace_id,
        last_start_ns=last_start_ns,
        last_duration_ns=last_duration_ns,
        last_status=Status(status),
        last_outcome=Outcome(outcome),
    )
