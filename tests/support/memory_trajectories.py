"""Trajectories in memory: written, read, listed, and their calls found."""

from __future__ import annotations

import operator
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any, cast

from tests.support.memory_numbers import count_numbers
from tests.support.memory_said import said_of
from tests.support.memory_state import MemoryState
from tests.support.memory_steps import step_rows
from tests.support.where_evaluation import holds, rank_of, run_of, with_said

from spanloom.core.ports.building import Call, CallWindow, Head, TrajectoryRecord
from spanloom.core.ports.reading import Documents, StoredVersion
from spanloom.core.ports.steps import ANY_STEP
from spanloom.core.query.continuations import (
    NO_CONTINUATION,
    TURNS,
    Continuation,
    find_continuations,
)
from spanloom.core.query.fields import TrajectoryFilter, matches
from spanloom.core.query.question import ANY_RUN, Question
from spanloom.core.query.summaries import ConversationSummary, Cursor, TrajectorySummary
from spanloom.storage.runs.rows import agent_names, summary_row
from spanloom.storage.runs.step_arrays import placed_steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tests.support.where_evaluation import Run

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.ports.steps import StepCursor, StepRow, StepsAsked
    from spanloom.core.query.stats import Group, Numbers
    from spanloom.core.query.where.tree import Condition


class _Told:
    """What lists tell of a record, worked out when it is first asked for."""

    def __init__(self, record: TrajectoryRecord) -> None:
        self.record = record

    @cached_property
    def summary(self) -> TrajectorySummary:
        return _summary(self.record)

    @cached_property
    def run(self) -> Run:
        return run_of(self.record)


class MemoryTrajectories(MemoryState):
    """Trajectories, their lists and their calls."""

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self._told: dict[TraceKey, _Told] = {}

    def _tell(self, record: TrajectoryRecord) -> _Told:
        known = self._told.get(record.key)
        if known is None or known.record is not record:
            known = self._told[record.key] = _Told(record)
        return known

    def heads(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Head]:
        """See ``TrajectoryWriter.heads``."""
        with self._lock:
            return {key: _head(self._records[key]) for key in keys if key in self._records}

    def write(self, records: Sequence[TrajectoryRecord]) -> None:
        """See ``TrajectoryWriter.write``."""
        with self._lock:
            self._writes += 1
            for record in records:
                if self._is_late(record):
                    self._remove({record.key})
                if record.key in self._deleted:
                    continue
                known = self._records.get(record.key)
                if known is None or record.seq >= known.seq:
                    self._records[record.key] = record
                    self._stored_s[record.key] = self.clock()

    def document(self, trace_id: str, reach: Reach) -> bytes | None:
        """See ``TrajectoryReader.document``."""
        record = self._find(trace_id, reach)
        return record.document if record else None

    def documents_of(self, keys: Sequence[TraceKey], most_bytes: int) -> Sequence[bytes | None]:
        """See ``TrajectoryReader.documents_of``."""
        found = [r.document if (r := self._records.get(key)) else None for key in keys]
        sums = accumulate(len(document or b"") for document in found)
        return found[: max(1, sum(total <= most_bytes for total in sums))]

    def spans_document(self, trace_id: str, reach: Reach) -> bytes | None:
        """See ``TrajectoryReader.spans_document``."""
        record = self._find(trace_id, reach)
        return record.spans_document if record else None

    def both_documents(self, trace_id: str, reach: Reach) -> Documents | None:
        """See ``TrajectoryReader.both_documents``."""
        record = self._find(trace_id, reach)
        return Documents(record.document, record.spans_document) if record else None

    def versions(self, trace_id: str, reach: Reach) -> Sequence[StoredVersion]:
        """See ``TrajectoryReader.versions``."""
        record = self._find(trace_id, reach)
        if record is None:
            return []
        stored_ms = self._stored_s[record.key] * 1000
        told = record.trajectory
        built_by, spans = told.extractor_version, told.span_count
        return [StoredVersion(record.version, record.status, stored_ms, built_by, spans)]

    def find_home(self, trace_id: str, reach: Reach) -> TraceKey | None:
        """See ``SentSpans.find_home``."""
        record = self._find(trace_id, reach)
        return record.key if record else None

    def continuation(self, key: TraceKey) -> Continuation:
        """See ``TrajectoryReader.continuation``."""
        found = [line.continuation for line in self._lines() if line.key == key]
        return found[0] if found else NO_CONTINUATION

    def list(
        self,
        reach: Reach,
        where: TrajectoryFilter,
        limit: int,
        after: Cursor | None = None,
        question: Question = ANY_RUN,
    ) -> Sequence[TrajectorySummary]:
        """See ``TrajectoryReader.list``."""
        descending = question.order.is_descending
        comes_later = operator.lt if descending else operator.gt
        seen = [line for line in self._lines() if reach.covers(line.key.project)]
        matching = [
            replace(line, rank=rank_of(question.order, self._run(line.key)))
            for line in seen
            if matches(where, line) and self._is_asked_for(line.key, question)
        ]
        matching.sort(key=lambda line: line.cursor.place, reverse=descending)
        place = None if after is None else after.place
        behind = [m for m in matching if place is None or comes_later(m.cursor.place, place)]
        return behind[:limit]

    def numbers(self, reach: Reach, where: TrajectoryFilter, asked: Numbers) -> Sequence[Group]:
        """See ``TrajectoryReader.numbers``."""
        seen = [line for line in self._lines() if reach.covers(line.key.project)]
        runs = [self._run(line.key) for line in seen if matches(where, line)]
        return count_numbers(runs, asked)

    def steps(
        self,
        reach: Reach,
        where: TrajectoryFilter,
        limit: int,
        after: StepCursor | None = None,
        asked: StepsAsked = ANY_STEP,
    ) -> Sequence[StepRow]:
        """See ``StepReader.steps``."""
        found: list[StepRow] = []
        for line in self.list(reach, where, 2**31):
            with self._lock:
                record = self._records[line.key]
            found += step_rows(record, self._run(line.key), asked)
        behind = after and (*after[:3], -after.position)
        return [row for row in found if behind is None or _place(row) < behind][:limit]

    def asked_among(
        self, keys: Sequence[TraceKey], reach: Reach, where: Condition
    ) -> AbstractSet[TraceKey]:
        """See ``TrajectoryReader.asked_among``."""
        own = [key for key in keys if reach.covers(key.project) and key in self._records]
        return {key for key in own if self._is_asked_for(key, Question(where))}

    def _is_asked_for(self, key: TraceKey, question: Question) -> bool:
        return question.where is None or holds(question.where, self._run(key))

    def _run(self, key: TraceKey) -> Run:
        with self._lock:
            return with_said(self._tell(self._records[key]).run, said_of(self, key))

    def conversation(
        self,
        conversation_id: str,
        reach: Reach,
        where: TrajectoryFilter,
        limit: int,
        after: Cursor | None = None,
    ) -> Sequence[TrajectorySummary]:
        """See ``TrajectoryReader.conversation``."""
        where = replace(where, conversation_id=conversation_id)
        seen = [line for line in self._lines() if reach.covers(line.key.project)]
        matching = [line for line in seen if conversation_id and matches(where, line)]
        matching.sort(key=lambda line: line.cursor)
        ahead = [m for m in matching if after is None or m.cursor > after]
        return ahead[:limit]

    def conversations(
        self, reach: Reach, where: TrajectoryFilter, limit: int, after: Cursor | None = None
    ) -> Sequence[ConversationSummary]:
        """See ``TrajectoryReader.conversations``."""
        seen = [line for line in self._lines() if reach.covers(line.key.project)]
        turns = [line for line in seen if line.conversation_id and matches(TURNS, line)]
        turns.sort(key=lambda line: (_talk(line), line.cursor))
        talks = [_conversation(list(runs), where) for _, runs in groupby(turns, _talk)]
        found = [talk for talk in talks if talk and (after is None or talk.cursor < after)]
        return sorted(found, key=lambda talk: talk.cursor, reverse=True)[:limit]

    def _lines(self) -> Sequence[TrajectorySummary]:
        with self._lock:
            lines = [self._tell(record).summary for record in self._records.values()]
        found = find_continuations(line for line in lines if matches(TURNS, line))
        return [replace(li, continuation=found.get(li.key, NO_CONTINUATION)) for li in lines]

    def find_calls(self, project: str, windows: Sequence[CallWindow]) -> Sequence[Call]:
        """See ``CallFinder.find_calls``."""
        wanted: dict[str, list[CallWindow]] = {}
        for window in windows:
            wanted.setdefault(window.call_key, []).append(window)
        with self._lock:
            own = [r for r in self._records.values() if r.key.project == project]
            calls = [c for r in own for c in r.calls if c.call_key in wanted]
        return [call for call in calls if any(map(call.is_within, wanted[call.call_key]))]


def _head(record: TrajectoryRecord) -> Head:
    ids = [step.id for _, step in placed_steps(record.trajectory)]
    start_ns = record.trajectory.root.start_ns
    spans = record.trajectory.span_count
    return Head(record.key, record.version, record.seq, record.fingerprint, start_ns, ids, spans)


def _place(row: StepRow) -> tuple[object, ...]:
    return (*row.cursor[:3], -row.position)


def _talk(line: TrajectorySummary) -> tuple[str, str]:
    return line.key.project, line.conversation_id


def _conversation(
    runs: Sequence[TrajectorySummary], where: TrajectoryFilter
) -> ConversationSummary | None:
    """Return a conversation of these runs, oldest first, if the filter wants one of them."""
    first, last = runs[0], runs[-1]
    wanted = [run for run in runs if matches(where, run)]
    if not wanted:
        return None
    users = [run.user_id for run in runs if run.user_id]
    return ConversationSummary(
        project=first.key.project,
        conversation_id=first.conversation_id,
        cursor=wanted[-1].cursor,
        runs=len(runs),
        start_ns=first.start_ns,
        question=first.question,
        answer=last.answer,
        user_id=users[-1] if users else "",
        input_tokens=sum(run.input_tokens for run in runs),
        output_tokens=sum(run.output_tokens for run in runs),
        last_trace_id=last.key.trace_id,
        last_start_ns=last.start_ns,
        last_duration_ns=last.duration_ns,
        last_status=last.status,
        last_outcome=last.outcome,
    )


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
