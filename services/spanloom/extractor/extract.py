"""Spans in, trajectory out: dialects and extraction without I/O, and the record to store."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.conventions.run_context import redaction_warnings
from spanloom.core.dialects.coding_agents.arrange import arrange
from spanloom.core.dialects.registry import normalize
from spanloom.core.extraction.build import build_trajectory, describe_failure
from spanloom.core.extraction.prepare import prepare
from spanloom.core.extraction.restore import restore_trajectory
from spanloom.core.formats.canonical import encode_document, encode_spans, without_version
from spanloom.core.model.trajectory import Status, ahead_ns
from spanloom.core.model.tree import SpanTree
from spanloom.core.ports.building import TrajectoryRecord
from spanloom.core.ports.spans import NOTHING_READ
from spanloom.core.pricing import LISTED
from spanloom.core.values.bounds import watch_unread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.joining.parts import Part
    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.building import Call, Head
    from spanloom.core.ports.spans import Read
    from spanloom.core.pricing import PriceBook


EXTRACTOR_VERSION = "16"
"""Incremented whenever the same spans may yield a different trajectory."""
UNREAD = "{n} values hold too many items for their length to be read: they are shown as they came"


def extract(key: TraceKey, spans: Iterable[Span], prices: PriceBook = LISTED) -> Trajectory:
    """Return the trajectory of a trace's spans; their order does not matter."""
    prepared = prepare(spans)
    arranged = arrange(prepared.spans)
    tree = SpanTree(arranged)
    with watch_unread() as unread:
        trajectory = restore_trajectory(key, tree, EXTRACTOR_VERSION) or build_trajectory(
            key, tree, normalize(tree), EXTRACTOR_VERSION, prices
        )
    if len(arranged) != len(prepared.spans):  # made spans are no spans of the trace
        trajectory = replace(trajectory, span_count=len(prepared.spans))
    warnings = [*redaction_warnings(tree.spans), *prepared.warnings]
    if unread:
        warnings.append(UNREAD.format(n=len(unread)))
    if not warnings:
        return trajectory
    return replace(trajectory, warnings=[*trajectory.warnings, *warnings])


def extract_failure(key: TraceKey, spans: Iterable[Span], error: Exception) -> Trajectory:
    """Return a trajectory that describes the extraction error."""
    return describe_failure(key, SpanTree(spans), error, EXTRACTOR_VERSION)


_AHEAD = (
    "the run begins {:.1f} h after it arrived: the sender's clock is ahead of the service's; lists "
    "order it by its arrival"
)


def make_record(
    key: TraceKey,
    trajectory: Trajectory,
    status: Status,
    *,
    seq: int,
    head: Head | None,
    calls: Sequence[Call] = (),
    part: Part | None = None,
    read: Read = NOTHING_READ,
    is_whole: bool = True,
) -> TrajectoryRecord | None:
    """Return the next version of a trajectory, or ``None`` if it would equal the stored one.

    A stored one that is in no list, because its writer died, is written again under a new number.
    """
    version = head.next_version if head is not None else 1
    trajectory = _with_warnings_of(trajectory, status, seq)
    document = encode_document(trajectory, version, status)
    verdicts = encode_spans(trajectory)
    told = [repr(part).encode()] if part else []  # what others find it by may change alone
    fingerprint = _fingerprint(*without_version(document), verdicts, *told)
    if head is not None and head.fingerprint == fingerprint and head.is_listed:
        return None
    return TrajectoryRecord(
        key=key,
        version=version,
        seq=seq,
        status=status,
        fingerprint=fingerprint,
        trajectory=replace(trajectory, verdicts=()),
        document=document,
        spans_document=verdicts,
        calls=[*calls, part.as_call()] if part else calls,
        previous=head,
        read=read,
        is_whole=is_whole,
    )


def _with_warnings_of(trajectory: Trajectory, status: Status, seq: int) -> Trajectory:
    """Return the trajectory with the warnings that its status and its arrival leave.

    A live run has no warnings about absent spans such as the root, which comes when the run ends,
    and is not unfinished.
    """
    if status is Status.LIVE and trajectory.absences:
        shown = [text for text in trajectory.warnings if text not in trajectory.absences]
        trajectory = replace(trajectory, warnings=shown, is_unfinished=False)
    if late := ahead_ns(trajectory.root.start_ns, seq):
        warnings = (*trajectory.warnings, _AHEAD.format(late / 3.6e12))
        trajectory = replace(trajectory, warnings=warnings)
    return trajectory


def _fingerprint(*parts: bytes | memoryview) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
