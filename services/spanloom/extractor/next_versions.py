"""Decides which drafts become the next versions of their trajectories, and makes their records.

The second of the two halves of building (``drafts.py``).
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from spanloom.core.conventions.agent_logs import OF_EVENT
from spanloom.core.ports.builds import Precedence, may_replace
from spanloom.core.ports.feed import Announcement
from spanloom.core.ports.trajectories import Confirmation
from spanloom.extractor.records import make_record
from spanloom.extractor.span_cap import is_part
from spanloom.extractor.time_limit import TooSlowError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import DuplicateOf
    from spanloom.core.ports.trajectories import Head, TrajectoryRecord
    from spanloom.extractor.drafts import Drafts


class _Next(Enum):
    """The decision on a trace's draft."""

    WRITE = "write"
    KEEP = "keep"
    """The stored trajectory stays, because it has spans that were removed since."""
    SAME = "same"
    """The stored trajectory was built from the same spans, and is more complete."""
    AGAIN = "again"
    """The draft has fewer spans than the stored build, or another builder writes its content."""


def make_records(
    drafts: Drafts, originals: Mapping[TraceKey, DuplicateOf], heads: Mapping[TraceKey, Head]
) -> list[TrajectoryRecord]:
    """Return the records to write; ``originals`` may contain traces without drafts.

    Unchanged trajectories, stored trajectories that stay, and traces to build again are added to
    ``drafts.result``. A trace that takes too long fails alone.
    """
    result = drafts.result
    nexts = {key: _next(key, drafts, heads.get(key)) for key in drafts.trajectories}
    records = []
    for key in [key for key, own in nexts.items() if own is _Next.WRITE]:
        work = partial(_make_record, key, drafts, originals.get(key), heads.get(key))
        try:
            record = drafts.limit.run(drafts.trajectories[key].span_count, work)
        except TooSlowError as error:
            drafts.give_up(key, error)
            continue
        if record is not None and _is_being_written(record):
            nexts[key] = _Next.AGAIN
        elif record is not None:
            records.append(record)
    result.kept = {key for key, own in nexts.items() if own is _Next.KEEP}
    result.lost = {key for key, own in nexts.items() if own is _Next.AGAIN}
    result.stored = _stored(drafts, heads, {record.key for record in records})
    equal = result.stored.keys() & {key for key, own in nexts.items() if own is _Next.WRITE}
    result.confirmed = list(_confirmed(drafts, [heads[key] for key in sorted(equal)]))
    return records


def _make_record(
    key: TraceKey, drafts: Drafts, original: DuplicateOf | None, head: Head | None
) -> TrajectoryRecord | None:
    draft, result = drafts.trajectories[key], drafts.result
    return make_record(
        key,
        draft if original is None else replace(draft, duplicate_of=original),
        result.statuses[key],
        seq=result.seqs[key],
        head=head,
        calls=drafts.calls[key],
        part=drafts.parts.get(key),
        read=result.reads[key],
        is_whole=key in result.whole,
        responses=result.scoring.responses.get(key, {}),
    )


def _confirmed(drafts: Drafts, heads: Sequence[Head]) -> Iterator[Confirmation]:
    """Yield confirmations for builds that read more than the stored build with equal content."""
    result = drafts.result
    for head in heads:
        mark = result.reads[head.key].mark
        if head.build is not None and head.read_mark < mark and head.key in result.whole:
            precedence = head.precedence._replace(read_mark=mark)
            build = head.build._replace(rank=head.next_rank, precedence=precedence)
            yield Confirmation(head.key, build, head.status, head.start_ns)


def _is_being_written(record: TrajectoryRecord) -> bool:
    """Return whether another builder is about to write the same content."""
    head = record.previous
    return head is not None and record.fingerprint in head.reserved.contents


def _next(key: TraceKey, drafts: Drafts, head: Head | None) -> _Next:
    """Compare the spans of a draft and of the stored trajectory; return what to do with the draft.

    Spans count as removed only if a build that read all arrived spans has fewer.
    """
    if head is None or not head.version:
        return _Next.WRITE
    result, is_whole = drafts.result, key in drafts.result.whole
    if is_whole and _has_gone(key, drafts, head):
        return _Next.KEEP
    version = drafts.trajectories[key].extractor_version
    precedence = Precedence.of(result.reads[key].mark, result.statuses[key], version)
    if may_replace(head.precedence, precedence, is_whole=is_whole):
        return _Next.WRITE
    if head.read_mark and head.read_mark <= precedence.read_mark:
        return _Next.SAME
    return _Next.KEEP if is_whole else _Next.AGAIN


def _has_gone(key: TraceKey, drafts: Drafts, head: Head | None) -> bool:
    """Return whether the stored document has spans that this build did not read.

    If all arrived spans were read, retention has removed the missing spans; otherwise they are not
    visible yet. Log records of coding agents may have counted as spans until the spans arrived that
    report the same calls.
    """
    trajectory = drafts.trajectories[key]
    if head is None or not head.seq:
        return False
    if (has_gone := drafts.has_gone.get(key)) is not None:
        return has_gone
    if head.span_count > trajectory.span_count + drafts.records.get(key, 0):
        return True
    if is_part(trajectory):  # a late span may displace another from the spans shown
        return False
    gone = set(head.step_ids).difference(verdict.span_id for verdict in trajectory.verdicts)
    return not all(step_id.startswith(OF_EVENT) for step_id in gone)


def _stored(
    drafts: Drafts, heads: Mapping[TraceKey, Head], new: AbstractSet[TraceKey]
) -> dict[TraceKey, Announcement]:
    return {
        key: Announcement(key, head.version, head.status, head.start_ns)
        for key in drafts.trajectories
        if key not in new and (head := heads.get(key)) is not None and head.version
    }
