"""Replays in ClickHouse: what was asked for, how far it came, and what is next."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from spanloom.core.model.replay import Replay, Selection, StoredTrace
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.storage.engine.lane import Lane, Row


class ClickHouseReplays:
    """``ReplayQueue`` over the extractor's lane."""

    def __init__(self, worker: Lane) -> None:
        """Take the lane; whoever opened it closes it."""
        self._worker = worker

    def count_traces(self, selection: Selection) -> int:
        """See ``ReplayRequests.count_traces``."""
        ((count,),) = self._worker.rows("replay_count", **asdict(selection))
        return int(count)

    def traces_after(
        self, selection: Selection, after: TraceKey, limit: int
    ) -> Sequence[StoredTrace]:
        """See ``ReplayQueue.traces_after``."""
        rows = self._worker.rows(
            "replay_traces",
            **asdict(selection),
            after_project=after.project,
            after_trace_id=after.trace_id,
            limit=limit,
        )
        return [StoredTrace(TraceKey(p, t), Status(status), spans) for p, t, status, spans in rows]

    def record_replay(self, replay: Replay) -> None:
        """See ``ReplayRequests.record_replay``."""
        wanted = replay.selection
        row = {
            "Id": replay.id,
            "Step": replay.step,
            "Project": wanted.project,
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
        self._worker.insert_objects("replays", [row])

    def replay(self, replay_id: str) -> Replay | None:
        """See ``ReplayRequests.replay``."""
        found = map(_replay_of, self._worker.rows("read_replays", id=replay_id))
        return next(found, None) if replay_id else None

    def unfinished_replays(self) -> Sequence[Replay]:
        """See ``ReplayRequests.unfinished_replays``."""
        return [_replay_of(row) for row in self._worker.rows("read_replays", id="")]


def _replay_of(row: Row) -> Replay:
    """Give a row of ``read_replays.sql`` its names."""
    replay_id, *selection, total, step, done, written, failed, project, trace_id, finished = row
    return Replay(
        id=replay_id,
        selection=Selection(*selection),
        total=total,
        step=step,
        done=done,
        written=written,
        failed=failed,
        after=TraceKey(project, trace_id),
        is_finished=bool(finished),
    )
