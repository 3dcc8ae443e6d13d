"""In-memory summaries: the list items of stored trajectories."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from tests.support.memory_said import said_of
from tests.support.memory_state import MemorySubject
from tests.support.where_evaluation import holds, run_of, with_said

from spanloom.core.query.continuations import (
    NO_CONTINUATION,
    TURNS,
    find_continuations,
)
from spanloom.core.query.fields import matches
from spanloom.core.query.summaries import TrajectorySummary
from spanloom.storage.trajectories.rows import agent_names, summary_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.memory_state import MemoryState
    from tests.support.where_evaluation import Run

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.building import TrajectoryRecord
    from spanloom.core.query.question import Question


class _Told:
    """The summary of a record, computed on first use."""

    def __init__(self, record: TrajectoryRecord) -> None:
        self.record = record

    @cached_property
    def summary(self) -> TrajectorySummary:
        return _summary(self.record)

    @cached_property
    def run(self) -> Run:
        return run_of(self.record)


class MemoryLines(MemorySubject):
    """The summaries of the stored trajectories, for the subjects that list them."""

    def __init__(self, state: MemoryState) -> None:
        super().__init__(state)
        self._told: dict[TraceKey, _Told] = {}

    def all(self) -> Sequence[TrajectorySummary]:
        with self._state.lock:
            lines = [self._tell(record).summary for record in self._state.records.values()]
        found = find_continuations(line for line in lines if matches(TURNS, line))
        return [replace(li, continuation=found.get(li.key, NO_CONTINUATION)) for li in lines]

    def run(self, key: TraceKey) -> Run:
        with self._state.lock:
            return with_said(self._tell(self._state.records[key]).run, said_of(self._state, key))

    def is_asked_for(self, key: TraceKey, question: Question) -> bool:
        return question.where is None or holds(question.where, self.run(key))

    def _tell(self, record: TrajectoryRecord) -> _Told:
        known = self._told.get(record.key)
        if known is None or known.record is not record:
            known = self._told[record.key] = _Told(record)
        return known


class MemoryListing(MemorySubject):
    """A subject that lists stored trajectories."""

    def __init__(self, state: MemoryState) -> None:
        super().__init__(state)
        self._lines = MemoryLines(state)


def _summary(record: TrajectoryRecord) -> TrajectorySummary:
    trajectory, row = record.trajectory, cast("dict[str, Any]", summary_row(record))
    root, original = trajectory.root, trajectory.duplicate_of
    return TrajectorySummary(
        key=record.key,
        version=record.version,
        status=record.status,
        root_name=root.name,
        root_type=trajectory.root_type.value,
        start_ns=root.start_ns,
        duration_ns=max(root.end_ns - root.start_ns, 0),
        outcome=trajectory.outcome,
        failures=len(trajectory.failures),
        agent_names=agent_names(trajectory),
        step_counts=dict(trajectory.step_counts),
        span_count=trajectory.span_count,
        input_tokens=trajectory.root_metrics.input_tokens,
        output_tokens=trajectory.root_metrics.output_tokens,
        duplicate_of=original.trace_id if original else "",
        dialects=list(trajectory.dialects),
        conversation_id=trajectory.conversation_id,
        question=row["Question"],
        answer=row["Answer"],
        services=row["Services"],
        environment=row["Environment"],
        user_id=row["UserId"],
        tags=row["Tags"],
        models=row["Models"],
        is_waiting=row["IsWaiting"],
        is_resuming=row["IsResuming"],
        cost=cost["usd"] if isinstance(cost := trajectory.extras.get("cost"), dict) else None,
        model_time_ns=row["ModelDurationNs"],
        tool_time_ns=row["ToolDurationNs"],
    )
