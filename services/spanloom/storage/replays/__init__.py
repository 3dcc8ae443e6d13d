"""Stores requests for replays and their progress, and finds the next traces to build again.

On a server a replay has several parts, each for some of the traces, which extractors share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.model.upkeep import PARTS, Replay, Selection, StoredTrace
from spanloom.storage.engine.parameters import Condition, reach_columns, reach_of, within
from spanloom.storage.engine.remembered import Writes
from spanloom.storage.engine.slices import in_slices
from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row


_AFTER_ALL = "g"
"""Sorts after every id, because ids have only hex digits."""


class ClickHouseReplays:
    """Implements ``ReplayQueue`` with the extractor's connection to ClickHouse."""

    def __init__(self, worker: Connection, *, is_alone: bool) -> None:
        """Use the connection; the caller closes it.

        ``is_alone`` means that no other process requests replays.
        """
        self._worker = worker
        self._is_alone = is_alone
        self._recorded = Writes()
        self._finished_at: int | None = None
        """The count of recorded replays when all replays were last known to be finished."""

    def count_traces(self, selection: Selection) -> int:
        """See ``ReplayRequests.count_traces``."""
        ((count,),) = self._worker.rows("replay_count", **_selecting(selection))
        return int(count)

    def parts(self, replay: Replay) -> Sequence[Replay]:
        """See ``ReplayQueue.parts``."""
        if self._is_alone:
            return [replay]
        return replay.in_parts(self._known_parts([replay]).get(replay.id, ()))

    def finish(self, replay: Replay) -> None:
        """See ``ReplayQueue.finish``."""
        with self._recorded:
            self._worker.run(query("finish_replay"), id=replay.id, parts=PARTS)

    def traces_after(
        self, selection: Selection, after: TraceKey, limit: int, part: int | None = None
    ) -> Sequence[StoredTrace]:
        """See ``ReplayQueue.traces_after``."""
        rows = self._worker.rows(
            "replay_traces",
            **_selecting(selection),
            after_project=after.project,
            after_trace_id=after.trace_id,
            shared=in_slices(None if part is None else frozenset([part]), PARTS),
            limit=limit,
        )
        return [StoredTrace(TraceKey(p, t), Status(status), spans) for p, t, status, spans in rows]

    def record(self, replay: Replay) -> None:
        """See ``ReplayRequests.record``."""
        if replay.part is not None:
            self._worker.insert_objects("replay_parts", [_part_row(replay)])
            return
        wanted = replay.selection
        row = {
            "Id": replay.id,
            "Step": replay.step,
            **reach_columns(wanted.reach),
            "StartFromUnixNano": wanted.start_from_ns,
            "StartBeforeUnixNano": wanted.start_before_ns,
            "Dialect": wanted.dialect,
            "OtherThan": wanted.other_than,
            "Total": replay.total,
            "Done": replay.done,
            "Written": replay.written,
            "Failed": replay.failed,
            "AfterProject": replay.after.project,
            "AfterTraceId": replay.after.trace_id,
            "IsFinished": replay.is_finished,
        }
        with self._recorded:
            self._worker.insert_objects("replays", [row])

    def get(self, replay_id: str, reach: Reach) -> Replay | None:
        """See ``ReplayRequests.get``."""
        rows = self._worker.rows("read_replay", id=replay_id, reach=_over(reach))
        return next(iter(self._with_parts(list(map(_replay_of, rows)))), None)

    def list(self, reach: Reach, limit: int, after: str | None = None) -> Sequence[Replay]:
        """See ``ReplayRequests.list``."""
        before = _AFTER_ALL if after is None else after
        rows = self._worker.rows("list_replays", reach=_over(reach), before=before, limit=limit)
        return self._with_parts(list(map(_replay_of, rows)))

    def unfinished(self, reach: Reach) -> Sequence[Replay]:
        """See ``ReplayRequests.unfinished``; an empty result is cached until ``record``."""
        recorded = self._recorded.ended
        if self._is_alone and recorded is not None and recorded == self._finished_at:
            return []
        found = list(map(_replay_of, self._worker.rows("unfinished_replays", reach=_over(reach))))
        if not found and reach.is_every:
            self._finished_at = recorded
        return self._with_parts(found)

    def _with_parts(self, replays: Sequence[Replay]) -> Sequence[Replay]:
        """Return replays with the progress of their parts added up."""
        if self._is_alone or not replays:
            return replays
        known = self._known_parts(replays)
        return [replay.with_parts(known.get(replay.id, ())) for replay in replays]

    def _known_parts(self, replays: Sequence[Replay]) -> Mapping[str, Sequence[Replay]]:
        """Return the recorded parts of replays, keyed by the id of the replay."""
        selections = {replay.id: replay.selection for replay in replays}
        found: dict[str, list[Replay]] = {}
        for row in self._worker.rows("read_replay_parts", ids=list(selections)):
            found.setdefault(row.Id, []).append(_part_of(row, selections[row.Id]))
        return found


def _part_row(part: Replay) -> dict[str, object]:
    return {
        "Id": part.id,
        "Part": part.part,
        "Step": part.step,
        "Done": part.done,
        "Written": part.written,
        "Failed": part.failed,
        "AfterProject": part.after.project,
        "AfterTraceId": part.after.trace_id,
        "IsFinished": part.is_finished,
    }


def _part_of(row: Row, selection: Selection) -> Replay:
    return Replay(
        id=row.Id,
        selection=selection,
        total=0,
        step=row.Step,
        done=row.Done,
        written=row.Written,
        failed=row.Failed,
        after=TraceKey(row.AfterProject, row.AfterTraceId),
        is_finished=bool(row.IsFinished),
        part=row.Part,
    )


def _selecting(selection: Selection) -> dict[str, object]:
    """Return the parameters of a query over the traces of a selection."""
    return {
        "reach": within(selection.reach),
        "start_from_ns": selection.start_from_ns,
        "start_before_ns": selection.start_before_ns,
        "dialect": selection.dialect,
        "other_than": selection.other_than,
    }


def _over(reach: Reach) -> Condition:
    """Return the condition that a replay selects only projects in ``reach``."""
    if reach.is_every:
        return Condition("true", {})
    return Condition(
        "NOT EveryProject"
        " AND hasAll(JSONExtract({reach_projects:String}, 'Array(String)'), Projects)",
        {"reach_projects": sorted(reach.projects)},
    )


def _replay_of(row: Row) -> Replay:
    """Return a row of the queries for replays as a replay."""
    selection = Selection(
        reach=reach_of(row),
        start_from_ns=row.StartFromUnixNano,
        start_before_ns=row.StartBeforeUnixNano,
        dialect=row.Dialect,
        other_than=row.OtherThan,
    )
    return Replay(
        id=row.Id,
        selection=selection,
        total=row.Total,
        step=row.Step,
        done=row.Done,
        written=row.Written,
        failed=row.Failed,
        after=TraceKey(row.AfterProject, row.AfterTraceId),
        is_finished=bool(row.IsFinished),
    )
