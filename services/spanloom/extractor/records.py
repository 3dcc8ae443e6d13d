"""Makes the record for a trajectory's next version, unless it would equal the stored version."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.duplicates.repeats import repeat_row
from spanloom.core.formats.canonical import encode_document, encode_spans, without_version
from spanloom.core.model.clocks import ahead_ns
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.builds import knows_more
from spanloom.core.ports.spans import NOTHING_READ
from spanloom.core.ports.trajectories import TrajectoryRecord
from spanloom.core.scoring.placing import response_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.joining.parts import Part
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.builds import Build
    from spanloom.core.ports.calls import Call
    from spanloom.core.ports.spans import Read
    from spanloom.core.ports.trajectories import Head

NO_RESPONSES: Mapping[str, str] = {}
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
    responses: Mapping[str, str] = NO_RESPONSES,
) -> TrajectoryRecord | None:
    """Return the next version of a trajectory, or ``None`` if it would equal the stored version.

    A stored version that is missing in lists, because its writer died, is written again with a new
    version number, and so is a version that a build from fewer spans may still replace.
    """
    version = head.next_version if head is not None else 1
    trajectory = _with_warnings_of(trajectory, status, seq)
    document = encode_document(trajectory, version, status)
    verdicts = encode_spans(trajectory)
    # A part may change although the document does not.
    extra = [repr(part).encode()] if part else []
    fingerprint = _fingerprint(*without_version(document), verdicts, *extra)
    record = TrajectoryRecord(
        key=key,
        version=version,
        seq=seq,
        status=status,
        fingerprint=fingerprint,
        trajectory=replace(trajectory, verdicts=()),
        document=document,
        spans_document=verdicts,
        calls=[*calls, *_other_rows(trajectory, part, responses)],
        previous=head,
        read=read,
        is_whole=is_whole,
    )
    return None if head is not None and _stays(head, record.build) else record


def _stays(head: Head, build: Build) -> bool:
    """Return whether the stored trajectory stays because it equals the new build."""
    is_unsafe = build.is_whole and knows_more(build.precedence, head.reserved.rivals)
    return head.fingerprint == build.fingerprint and head.is_listed and not is_unsafe


def _other_rows(
    trajectory: Trajectory, part: Part | None, responses: Mapping[str, str]
) -> Iterator[Call]:
    """Yield the rows of the call index that are not calls of models or tools.

    One is for the trace's part of a joined run, one for its original if it is a duplicate, and one
    for each id of a model response.
    """
    key = TraceKey(trajectory.project, trajectory.trace_id)
    if part:
        yield part.as_call()
    if trajectory.duplicate_of and not (part and part.is_shown_elsewhere):
        yield repeat_row(key, trajectory.duplicate_of)
    for response_id, step_id in responses.items():
        yield response_row(key, response_id, step_id)


def _with_warnings_of(trajectory: Trajectory, status: Status, seq: int) -> Trajectory:
    """Return the trajectory with only the warnings that apply to its status.

    A live run has no warnings about absent spans such as the root, which arrives when the run ends,
    or about being unfinished.
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
