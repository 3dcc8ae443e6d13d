"""Lists of trajectories: narrow candidates first, then what they are now.

A candidate is a place in the list where some version of a trajectory stands or stood. Old versions
stay until they are merged away, so many candidates may be one trajectory, and one may have moved.
The candidates say how far the list was read, the current versions what there is to see.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.ports.reading import Cursor, TrajectorySummary
from spanloom.core.query.continuations import NO_CONTINUATION, Continuation
from spanloom.core.query.fields import TrajectoryFilter
from spanloom.storage.engine.conditions import passing, within
from spanloom.storage.trajectories.continuations import with_continuations
from spanloom.storage.trajectories.current import KEYS_AT_ONCE, read_current

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.tenancy import Reach
    from spanloom.storage.engine.lane import Lane

SPARE_CANDIDATES = 8
"""Candidates read beyond the wanted lines, and a quarter of them: old versions fall out."""
MAX_CANDIDATES = KEYS_AT_ONCE
"""The most candidates read at once: where most are old versions, each look doubles them."""
BEFORE_ALL = Cursor(0, "", "")
"""Where a list begins that is not asked for from a position on."""


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
            behind = after or BEFORE_ALL
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
        self,
        conversation_id: str,
        reach: Reach,
        where: TrajectoryFilter,
        limit: int,
        after: Cursor | None = None,
    ) -> Sequence[TrajectorySummary]:
        """See ``TrajectoryReader.conversation``."""

        def candidates(most: int, after: Cursor | None) -> Sequence[Cursor]:
            behind = after or BEFORE_ALL
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

        where = replace(where, conversation_id=conversation_id)
        return self._read(candidates, where, limit, after, newest_first=False)

    def continuation(self, key: TraceKey) -> Continuation:
        """See ``TrajectoryReader.continuation``."""
        lines = with_continuations(
            self._reader, read_current(self._reader, TrajectoryFilter(), [key])
        )
        return lines[0].continuation if lines else NO_CONTINUATION

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
            keys = [(project, trace_id) for _, trace_id, project in rows]
            for line in read_current(self._reader, where, keys):
                if after is not None and not comes_later(line.cursor, after):
                    continue  # it has moved to where the reader has been
                if until is None or not comes_later(line.cursor, until):
                    found[line.key] = line
            if until is None:
                break
            after = until
            most = min(2 * most, MAX_CANDIDATES)
        lines = sorted(found.values(), key=attrgetter("cursor"), reverse=newest_first)
        return with_continuations(self._reader, lines[:limit])
