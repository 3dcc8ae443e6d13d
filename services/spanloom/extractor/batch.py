"""One batch of traces, from stored spans to stored trajectories.

Several traces are read with one query and written with one: a query costs more than a trace.
A trace that raises is set apart; the others go on.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from spanloom.core.extraction.duplicates import list_calls
from spanloom.core.formats.canonical import encode_document, encode_spans, with_version
from spanloom.core.model.trajectory import Status
from spanloom.core.ports import TrajectoryRecord
from spanloom.extractor.extract import extract, extract_failure
from spanloom.extractor.repeats import find_repeats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports import Head, ModelCall, Store


@dataclass(slots=True)
class BatchResult:
    """What became of a batch."""

    seqs: dict[TraceKey, int] = field(default_factory=dict)
    """Each built trace to the newest span version that went in; 0 if it has no spans."""
    written: list[TraceKey] = field(default_factory=list)
    """Those whose trajectory is new or differs."""
    failures: dict[TraceKey, Exception] = field(default_factory=dict)
    repeated_elsewhere: Sequence[TraceKey] = ()
    """Stored traces that repeat a call of this batch: they have to be built again."""
    span_count: int = 0


def build_batch(store: Store, wanted: Mapping[TraceKey, Status]) -> BatchResult:
    """Build these traces with these statuses, and store what is new."""
    result = BatchResult()
    spans = store.read_spans(list(wanted))
    trajectories = _extract_all(wanted, spans, result)
    calls = {key: list_calls(t) for key, t in trajectories.items()}
    repeats = find_repeats(store, calls)
    for key, original in repeats.originals.items():
        trajectories[key] = replace(trajectories[key], duplicate_of=original)
    result.repeated_elsewhere = repeats.stored
    records = _make_records(wanted, trajectories, calls, store.heads(list(trajectories)), result)
    if records:
        store.write(records)
    return result


def _extract_all(
    wanted: Mapping[TraceKey, Status], spans: Mapping[TraceKey, list[Span]], result: BatchResult
) -> dict[TraceKey, Trajectory]:
    trajectories = {}
    for key in wanted:
        found = spans.get(key)
        result.seqs[key] = max((s.row_version for s in found), default=0) if found else 0
        if not found:
            continue
        result.span_count += len(found)
        try:
            trajectories[key] = extract(key, found)
        except Exception as error:  # one hostile trace must not stop the others
            if wanted[key] is not Status.FAILED:
                result.failures[key] = error
            else:
                trajectories[key] = extract_failure(key, found, error)
    return trajectories


def _make_records(
    wanted: Mapping[TraceKey, Status],
    trajectories: Mapping[TraceKey, Trajectory],
    calls: Mapping[TraceKey, Sequence[ModelCall]],
    heads: Mapping[TraceKey, Head],
    result: BatchResult,
) -> list[TrajectoryRecord]:
    records = []
    for key, trajectory in trajectories.items():
        head = heads.get(key)
        document = encode_document(trajectory, 0, wanted[key])
        verdicts = encode_spans(trajectory)
        fingerprint = hashlib.blake2b(document + verdicts, digest_size=16).hexdigest()
        if head is not None and head.fingerprint == fingerprint:
            continue
        result.written.append(key)
        version = head.version + 1 if head is not None else 1
        records.append(
            TrajectoryRecord(
                key=key,
                version=version,
                seq=result.seqs[key],
                status=wanted[key],
                fingerprint=fingerprint,
                trajectory=trajectory,
                document=with_version(document, version),
                spans_document=verdicts,
                call_keys={c.step_id: c.call_key for c in calls[key]},
                previous=head,
            )
        )
    return records
