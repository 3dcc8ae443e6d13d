"""One batch of traces, from stored spans to stored trajectories.

Several traces are read with one query and written with one: a query costs more than a trace.
A trace that raises is set apart; the others go on.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from spanloom.core.errors import PermanentError
from spanloom.core.extraction.reports.duplicates import list_calls
from spanloom.core.formats.canonical import encode_document, encode_spans, without_version
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.building import TrajectoryRecord
from spanloom.extractor.extract import extract, extract_failure
from spanloom.extractor.repeats import find_repeats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.building import BuildingStore, Head, ModelCall


@dataclass(slots=True)
class BatchResult:
    """What became of a batch."""

    seqs: dict[TraceKey, int] = field(default_factory=dict)
    """Each built trace to the newest span version that went in; 0 if it has no spans."""
    arrived: Mapping[TraceKey, int] = field(default_factory=dict)
    """Each trace to how many spans had arrived before it was read."""
    statuses: dict[TraceKey, Status] = field(default_factory=dict)
    """Each built trace to what it is: discovery may not know of a root, or of a recovery."""
    written: list[TraceKey] = field(default_factory=list)
    """Those whose trajectory is new or differs."""
    failures: dict[TraceKey, Exception] = field(default_factory=dict)
    repeated_elsewhere: Sequence[TraceKey] = ()
    """Stored traces that repeat a call of this batch: they have to be built again."""
    span_count: int = 0


def build_batch(store: BuildingStore, wanted: Mapping[TraceKey, Status]) -> BatchResult:
    """Build these traces with these statuses, and store what is new."""
    result = BatchResult(arrived=store.arrived(list(wanted)))
    trajectories = _extract_all(wanted, dict(store.read_spans(list(wanted))), result)
    calls = {key: list_calls(t) for key, t in trajectories.items()}
    repeats = find_repeats(store, calls)
    for key, original in repeats.originals.items():
        trajectories[key] = replace(trajectories[key], duplicate_of=original)
    result.repeated_elsewhere = repeats.stored
    records = _make_records(trajectories, calls, store.heads(list(trajectories)), result)
    _write(store, records, result)
    return result


def _extract_all(
    wanted: Mapping[TraceKey, Status], spans: dict[TraceKey, list[Span]], result: BatchResult
) -> dict[TraceKey, Trajectory]:
    """Use the spans up: those of a long trace take as much memory as all that comes after."""
    trajectories = {}
    for key in wanted:
        found = spans.pop(key, None)
        result.seqs[key] = max((s.row_version for s in found), default=0) if found else 0
        if not found:
            continue
        result.span_count += len(found)
        try:
            trajectories[key] = extract(key, found)
        except Exception as error:  # one hostile trace must not stop the others
            if wanted[key] is not Status.FAILED:
                result.failures[key] = error
                continue
            trajectories[key] = extract_failure(key, found, error)
            result.statuses[key] = Status.FAILED
        else:
            result.statuses[key] = _status(wanted[key], trajectories[key])
    return trajectories


def _status(wanted: Status, trajectory: Trajectory) -> Status:
    if wanted is Status.LIVE:
        return wanted
    return Status.SETTLED if trajectory.has_root else Status.PARTIAL


def _make_records(
    trajectories: Mapping[TraceKey, Trajectory],
    calls: Mapping[TraceKey, Sequence[ModelCall]],
    heads: Mapping[TraceKey, Head],
    result: BatchResult,
) -> list[TrajectoryRecord]:
    records = []
    for key, trajectory in trajectories.items():
        head = heads.get(key)
        version = head.version + 1 if head is not None else 1
        status = result.statuses[key]
        document = encode_document(trajectory, version, status)
        verdicts = encode_spans(trajectory)
        fingerprint = _fingerprint(*without_version(document), verdicts)
        if head is not None and head.fingerprint == fingerprint:
            continue
        result.written.append(key)
        records.append(
            TrajectoryRecord(
                key=key,
                version=version,
                seq=result.seqs[key],
                status=status,
                fingerprint=fingerprint,
                trajectory=trajectory,
                document=document,
                spans_document=verdicts,
                call_keys={c.step_id: c.call_key for c in calls[key]},
                previous=head,
            )
        )
    return records


def _fingerprint(*parts: bytes | memoryview) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def _write(store: BuildingStore, records: Sequence[TrajectoryRecord], result: BatchResult) -> None:
    """Store the records; one that the store refuses must not stop the others."""
    if not records:
        return
    try:
        store.write(records)
    except PermanentError as error:
        if len(records) > 1:
            for record in records:
                _write(store, [record], result)
        else:
            result.written.remove(records[0].key)
            result.failures[records[0].key] = error
