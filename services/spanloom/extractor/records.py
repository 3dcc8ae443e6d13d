"""Makes the store's record of a trajectory, unless an equal one is stored already."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.formats.canonical import encode_document, encode_spans, without_version
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.building import TrajectoryRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.building import Call, Head


def make_record(
    key: TraceKey,
    trajectory: Trajectory,
    status: Status,
    *,
    seq: int,
    head: Head | None,
    calls: Sequence[Call] = (),
) -> TrajectoryRecord | None:
    """Return the next version of a trajectory, or ``None`` if it would equal the stored one.

    A live run has no warnings about absent spans such as the root, which comes when the run ends.
    """
    version = head.version + 1 if head is not None else 1
    if status is Status.LIVE and trajectory.absences:
        shown = [text for text in trajectory.warnings if text not in trajectory.absences]
        trajectory = replace(trajectory, warnings=shown)
    document = encode_document(trajectory, version, status)
    verdicts = encode_spans(trajectory)
    fingerprint = _fingerprint(*without_version(document), verdicts)
    if head is not None and head.fingerprint == fingerprint:
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
        calls=calls,
        previous=head,
    )


def _fingerprint(*parts: bytes | memoryview) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
