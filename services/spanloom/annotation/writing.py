"""Writes annotations and the scores computed from them.

A request is stored completely or not at all, a repeated write changes nothing, and an edit never
overwrites an edit that its author had not seen.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache
from itertools import groupby
from operator import attrgetter
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from spanloom.annotation.reading import score_now
from spanloom.annotation.requests import AnchorVersions, Batch, InvalidWritesError, Problem
from spanloom.core.model import score as scores
from spanloom.core.model.annotation import NOTHING, Annotation, Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.annotation.filling import LivingQueues
    from spanloom.annotation.reading import Reading
    from spanloom.annotation.requests import Session, Write
    from spanloom.annotation.schemes import Schemes
    from spanloom.annotation.versions import Versions
    from spanloom.core.annotation.marks import Score
    from spanloom.core.ports.annotations import AnnotationStore, ScoreStore


class Scoring:
    """Computes and stores the scores of annotators."""

    def __init__(
        self, scores: ScoreStore, schemes: Schemes, versions: Versions, reading: Reading
    ) -> None:
        """Compute scores from annotations that ``reading`` returns; write them to ``scores``."""
        self._scores = scores
        self._schemes = schemes
        self._versions = versions
        self._reading = reading

    def record(
        self, session: Session, rows: Sequence[Annotation], at_us: int, version: int
    ) -> Score | None:
        """Compute, store and return the score of an annotator; does not write to the feed.

        Returns ``None`` if the scheme has no scores, or the trajectory is no longer stored.
        """
        key, scheme = session.key, self._schemes.find(session.key.project, session.scheme.name)
        if not scheme.has_score or (now := self._versions.anchors(key, version)) is None:
            return None
        score = score_now(scheme, self._reading.resolve(key, rows, version), now.to_judge)
        row = _row(session._replace(scheme=scheme), score, at_us, version, is_deleted=not rows)
        self._scores.add([row], is_announced=False)
        return score


def _row(
    session: Session, score: Score, at_us: int, version: int, *, is_deleted: bool
) -> scores.Score:
    return scores.Score(
        key=session.key,
        name=session.scheme.name,
        source=session.origin.source,
        author=session.annotator,
        revision=at_us,
        judged_version=version,
        number=score.value,
        is_complete=score.is_complete,
        config_hash=session.scheme.hash,
        is_deleted=is_deleted,
    )


MOST_ROWS = 10_000
"""Maximum number of writes in one request."""


class Written(NamedTuple):
    """The result of a write request."""

    rows: Sequence[Annotation]
    """The row of each write, in the order of the writes."""
    added: int = 0
    """Number of new rows."""
    version: int = 0
    """The current version of the trajectory."""
    score: Score | None = None
    """The annotator's new score; ``None`` if the scheme has no scores."""


class Writing:
    """Stores annotations, and the resulting scores."""

    def __init__(
        self,
        annotations: AnnotationStore,
        versions: Versions,
        living_queues: LivingQueues,
        scoring: Scoring,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Write annotations and scores; ``clock_ns`` returns ns since the epoch."""
        self._annotations = annotations
        self._versions = versions
        self._living_queues = living_queues
        self._scoring = scoring
        self._clock_ns = clock_ns
        self._lock = Lock()
        self._last_us = 0

    def write(
        self, session: Session, writes: Sequence[Write], *, is_dry_run: bool = False
    ) -> Written:
        """Store writes in order; return the row of each, even if it was stored before.

        The version that the annotator saw is stored with the first annotation of that version.
        Raises ``InvalidWritesError`` or ``WriteConflictError``, and then stores nothing.
        """
        with self._lock:
            at_us, current = self.now_us(), self._versions.current(session.key)
            session = session._replace(version=session.version or current)
            stored = self._rows(session)
            _refuse_other_role(session, stored)
            batch = Batch(session, self._anchor_versions(session, current), stored, at_us)
            rows = [batch.add(place, write) for place, write in enumerate(writes)]
            batch.refuse()
            written_rows = [row for row in rows if row is not None]
            if is_dry_run:
                return Written(written_rows, len(batch.added), current)
            if batch.added:
                self._living_queues.take_in(session.key)
                self._keep_version(session, stored, at_us)
            score = self._add(session, stored, batch.added, at_us, current)
            return Written(written_rows, len(batch.added), current, score)

    def undo(self, session: Session, group: str, write_id: str) -> Written:
        """Undo the writes of a group: add rows with the earlier values, and return these rows.

        Steps that have been edited since then are unchanged. The new rows have the write id as
        their group, so an undo can be undone; a repeated request changes nothing.
        """
        with self._lock:
            at_us, current = self.now_us(), self._versions.current(session.key)
            rows = self._rows(session)
            if rows:
                newest = max(rows, key=attrgetter("at_us"))
                session = session._replace(origin=newest.origin)  # the name has only this role
            known = [row for row in rows if row.write_id == write_id]
            undone = [] if known else _restored_rows(rows, group, write_id)
            added = [replace(row, at_us=at_us) for row in undone]
            score = self._add(session, rows, added, at_us, current)
            return Written(known or added, 0, current, score)

    def now_us(self) -> int:
        """Return the time in microseconds, always later than any before."""
        self._last_us = max(self._last_us + 1, self._clock_ns() // 1_000)
        return self._last_us

    def _rows(self, session: Session) -> Sequence[Annotation]:
        return self._annotations.revisions(session.key, session.scheme.name, session.annotator)

    def _anchor_versions(self, session: Session, current: int) -> AnchorVersions:
        seen = self._versions.anchors(session.key, session.version)
        steps = cache(lambda: self._versions.steps(session.key, session.version))
        return AnchorVersions(seen, seen or self._versions.anchors(session.key, current), steps)

    def _keep_version(self, session: Session, stored: Sequence[Annotation], at_us: int) -> None:
        """Store the version that the annotator saw, unless an earlier annotation has stored it."""
        anchored = {row.anchor.version for row in stored if row.anchor.step_hash}
        if session.version not in anchored:
            self._versions.keep(session.key, session.version, at_us)

    def _add(
        self,
        session: Session,
        stored: Sequence[Annotation],
        added: Sequence[Annotation],
        at_us: int,
        version: int,
    ) -> Score | None:
        """Store new rows; store and return the score from all rows of the annotator, if any."""
        with self._annotations.announcing_judgements([session.key]):
            if added:
                self._annotations.add(added, is_announced=False)
            rows = [*stored, *added] if self._annotations.is_alone() else self._rows(session)
            return self._scoring.record(session, _current(rows), at_us, version)


def _refuse_other_role(session: Session, stored: Sequence[Annotation]) -> None:
    """Raise ``InvalidWritesError`` if one name would both judge and adjudicate one trajectory.

    Rows of one name replace each other: an adjudication would replace the same person's earlier
    annotation, and the other way round. Deleted rows do not matter.
    """
    is_adjudicating = session.origin is Origin.ADJUDICATION
    origins = {row.origin for row in _current(stored)}
    if any((origin is Origin.ADJUDICATION) is not is_adjudicating for origin in origins):
        was, now = ("judged", "adjudicate") if is_adjudicating else ("adjudicated", "judge")
        why = f"{session.annotator} has {was} this trajectory: {now} it under another name"
        raise InvalidWritesError([Problem(0, "origin", why)])


def _current(rows: Sequence[Annotation]) -> Sequence[Annotation]:
    """Return the newest row of each step, unless that row is deleted."""
    return [row for row in {row.slot: row for row in rows}.values() if not row.is_deleted]


def _restored_rows(rows: Sequence[Annotation], group: str, write_id: str) -> Iterator[Annotation]:
    """Yield rows with the values before a group of writes, for steps not edited since the group."""
    for _, revisions in groupby(rows, key=lambda row: row.slot):
        *earlier, last = revisions
        if last.group != group:
            continue
        kept = [row for row in earlier if row.group != group]
        before = kept[-1] if kept else replace(last, mark=NOTHING, penalty=0.0, is_deleted=True)
        yield replace(
            before,
            revision=last.revision + 1,
            base_revision=last.revision,
            write_id=write_id,
            group=write_id,
        )
