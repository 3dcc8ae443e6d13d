"""The trajectories of a conversation, in the order in which they began."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.ports.reading import Cursor, TrajectoryFilter, TrajectorySummary
from spanloom.storage.trajectories.store import SPARE_CANDIDATES, read_summaries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.storage.engine.lane import Lane

_BEFORE_ALL = Cursor(0, "", "")


class ClickHouseConversations:
    """``TrajectoryReader.conversation`` over the lane of readers."""

    def __init__(self, reader: Lane) -> None:
        """Take the lane; whoever opened it closes it."""
        self._reader = reader

    def conversation(
        self, conversation_id: str, project: str | None, limit: int, after: Cursor | None = None
    ) -> Sequence[TrajectorySummary]:
        """See ``TrajectoryReader.conversation``: what may belong to it, then what does now."""
        found: list[TrajectorySummary] = []
        where = TrajectoryFilter(project, conversation_id=conversation_id)
        while len(found) < limit:
            reach = limit - len(found) + SPARE_CANDIDATES
            keys = self._members(conversation_id, project, reach, after or _BEFORE_ALL)
            found += reversed(read_summaries(self._reader, where, keys))
            if len(keys) < reach:
                break
            named, start_ns, trace_id = keys[-1]
            after = Cursor(start_ns, trace_id, named)
        return found[:limit]

    def _members(
        self, conversation_id: str, project: str | None, reach: int, after: Cursor
    ) -> Sequence[tuple[str, int, str]]:
        rows = self._reader.rows(
            "conversation_candidates",
            conversation_id=conversation_id,
            project=project,
            after_start_ns=after.start_ns,
            after_trace_id=after.trace_id,
            after_project=after.project,
            reach=reach,
        )
        return [(named, start_ns, trace_id) for named, start_ns, trace_id in rows]
