"""The two pure halves of building traces: spans to drafts, and drafts to records.

Between the halves the store is queried for duplicates and stored versions of the drafts. Both have
the same results in this process and in a worker.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spanloom.core.conventions.agent_logs import OF_EVENT, is_from_agent
from spanloom.core.duplicates.traces import list_calls
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.feed import Announcement
from spanloom.extractor.extract import extract, extract_failure, make_record
from spanloom.extractor.result import BatchResult
from spanloom.extractor.span_cap import describe_rest, is_part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import DuplicateOf, Trajectory
    from spanloom.core.ports.building import Call, Head, TrajectoryRecord
    from spanloom.core.ports.spans import TracePart
    from spanloom.core.pricing import PriceBook


@dataclass(frozen=True, slots=True)
class Drafts:
    """Extracted trajectories, before duplicates and stored versions are known."""

    trajectories: Mapping[TraceKey, Trajectory]
    calls: Mapping[TraceKey, Sequence[Call]]
    records: Mapping[TraceKey, int]
    """Number of log records of coding agents among the events of the spans, where there are any."""
    result: BatchResult
    """The outcome of the traces so far."""


def make_drafts(
    requested: Mapping[TraceKey, Status], parts: dict[TraceKey, TracePart], prices: PriceBook
) -> Drafts:
    """Extract each trace by itself: one that raises fails alone.

    Empties ``parts`` on the way: the spans of a long trace take as much memory as everything after.
    """
    result = BatchResult()
    trajectories, records = {}, {}
    for key, status in requested.items():
        part = parts.pop(key, None)
        result.seqs[key] = part.newest_seq if part else 0
        if part is None:
            continue
        result.span_count += len(part.spans)
        if (trajectory := _draft(key, part, status, result, prices)) is not None:
            trajectories[key] = trajectory
            if number := count_records(part.spans):
                records[key] = number
            result.services.update((key.project, name) for name in trajectory.services)
    calls = {key: list_calls(t) for key, t in trajectories.items()}
    return Drafts(trajectories, calls, records, result)


def count_records(spans: Sequence[Span]) -> int:
    """Return how many events of the spans were log records of coding agents."""
    return sum(is_from_agent(event) for span in spans if span.events for event in span.events)


def make_records(
    drafts: Drafts, originals: Mapping[TraceKey, DuplicateOf], heads: Mapping[TraceKey, Head]
) -> list[TrajectoryRecord]:
    """Return the records to write; ``originals`` may contain other traces too.

    Unchanged and kept trajectories are recorded in the result of the drafts.
    """
    result = drafts.result
    kept = {
        key
        for key, t in drafts.trajectories.items()
        if _has_lost(t, heads.get(key), drafts.records.get(key, 0))
    }
    records = []
    for key, draft in drafts.trajectories.items():
        if key in kept:
            continue
        original = originals.get(key)
        record = make_record(
            key,
            draft if original is None else replace(draft, duplicate_of=original),
            result.statuses[key],
            seq=result.seqs[key],
            head=heads.get(key),
            calls=drafts.calls[key],
        )
        if record is not None:
            records.append(record)
    result.kept = kept
    result.stored = _stored(drafts, heads, {record.key for record in records})
    return records


def _draft(
    key: TraceKey, part: TracePart, requested: Status, result: BatchResult, prices: PriceBook
) -> Trajectory | None:
    try:
        trajectory = describe_rest(extract(key, part.spans, prices), part)
    except Exception as error:  # one malformed trace must not stop the others
        if requested is not Status.FAILED:
            result.failures[key] = error
            return None
        result.statuses[key] = Status.FAILED
        return describe_rest(extract_failure(key, part.spans, error), part)
    result.statuses[key] = _status(requested, trajectory)
    return trajectory


def _status(requested: Status, trajectory: Trajectory) -> Status:
    if requested is Status.LIVE:
        return requested
    return Status.SETTLED if trajectory.has_root else Status.PARTIAL


def _has_lost(trajectory: Trajectory, head: Head | None, records: int) -> bool:
    """Return whether the stored document has spans that are gone, which only retention causes.

    So many ``records`` of coding agents may have been spans until the spans they belong to arrived.
    """
    if head is None or not head.seq:
        return False
    if head.span_count > trajectory.span_count + records:
        return True
    if is_part(trajectory):  # a late span may displace another one from the shown part
        return False
    lost = set(head.step_ids).difference(verdict.span_id for verdict in trajectory.verdicts)
    return not all(step_id.startswith(OF_EVENT) for step_id in lost)


def _stored(
    drafts: Drafts, heads: Mapping[TraceKey, Head], new: AbstractSet[TraceKey]
) -> dict[TraceKey, Announcement]:
    return {
        key: Announcement(key, head.version, drafts.result.statuses[key], head.start_ns)
        for key in drafts.trajectories
        if key not in new and (head := heads.get(key)) is not None
    }
