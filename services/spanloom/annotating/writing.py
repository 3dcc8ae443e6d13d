"""Writes annotations: all of a request or nothing, each write once, no edit lost.

One process lets one write go after the other, so that revisions count up. Where several processes
share a store, two rows may get one number: both are kept, and the later one counts.

Scores are by the scheme as it is once the marks are stored: ``rescoring.py`` says why.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache
from itertools import groupby
from operator import attrgetter
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from spanloom.annotating.batch import Batch, Seen
from spanloom.annotating.reading import score_now
from spanloom.annotating.requests import InvalidWritesError, Problem
from spanloom.core.model import score as scores
from spanloom.core.model.annotation import NOTHING, Annotation, Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.annotating.reading import Reading
    from spanloom.annotating.requests import Session, Write
    from spanloom.annotating.schemes import Schemes
    from spanloom.annotating.taking_in import TakingIn
    from spanloom.annotating.versions import Versions
    from spanloom.core.annotation.score import Score
    from spanloom.core.ports.annotations import AnnotationStore
    from spanloom.core.ports.scores import ScoreStore

MOST_ROWS = 10_000
"""Of one request."""


class Written(NamedTuple):
    """What came of writes."""

    rows: Sequence[Annotation]
    """Of each write, in their order."""
    added: int = 0
    """How many of them are new."""
    version: int = 0
    """The current one."""
    score: Score | None = None
    """What all marks of the annotator come to; of a scheme that has scores."""


class Writing:
    """Stores what annotators say, and the score that it comes to."""

    def __init__(
        self,
        store: AnnotationStore,
        score_store: ScoreStore,
        versions: Versions,
        reading: Reading,
        taking_in: TakingIn,
        schemes: Schemes,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Take what it writes to; the clock is in ns since the epoch."""
        self._store = store
        self._scores = score_store
        self._versions = versions
        self._reading = reading
        self._taking_in = taking_in
        self._schemes = schemes
        self._clock_ns = clock_ns
        self._lock = Lock()
        self._last_us = 0

    def write(
        self, session: Session, writes: Sequence[Write], *, is_dry_run: bool = False
    ) -> Written:
        """Store writes, in their order; return the row of each, also of one stored before.

        The version that was seen is kept with its first annotation. Raises ``InvalidWritesError``
        or ``WriteConflictError``, and then stores nothing.
        """
        with self._lock:
            at_us, current = self.now_us(), self._versions.current(session.key)
            session = session._replace(version=session.version or current)
            stored = self._rows(session)
            _refuse_other_role(session, stored)
            batch = Batch(session, self._seen(session, current), stored, at_us)
            rows = [batch.take(place, write) for place, write in enumerate(writes)]
            batch.refuse()
            taken = [row for row in rows if row is not None]
            if is_dry_run:
                return Written(taken, len(batch.added), current)
            if batch.added:
                self._taking_in.take_in(session.key)
                self._versions.keep(session.key, session.version, at_us)
                self._store.add_annotations(batch.added)
            score = self._record_score(session, at_us, current)
            return Written(taken, len(batch.added), current, score)

    def undo(self, session: Session, group: str, write_id: str) -> Written:
        """Put back what was there before the writes of a group; return the new rows.

        What was changed since stays. The new rows have the write id as their group, so an undo is
        undone likewise; sent again, it changes nothing.
        """
        with self._lock:
            at_us, current = self.now_us(), self._versions.current(session.key)
            rows = self._rows(session)
            if rows:
                newest = max(rows, key=attrgetter("at_us"))
                session = session._replace(origin=newest.origin)  # one name has one role
            undone = [row for row in rows if row.write_id == write_id]
            if not undone:
                undone = [replace(row, at_us=at_us) for row in _undone(rows, group, write_id)]
                self._store.add_annotations(undone)
            return Written(undone, 0, current, self._record_score(session, at_us, current))

    def now_us(self) -> int:
        """Return the time in microseconds; later than any before, whatever the clock says."""
        self._last_us = max(self._last_us + 1, self._clock_ns() // 1_000)
        return self._last_us

    def _rows(self, session: Session) -> Sequence[Annotation]:
        return self._store.revisions(session.key, session.scheme.name, session.annotator)

    def _seen(self, session: Session, current: int) -> Seen:
        seen = self._versions.anchors(session.key, session.version)
        steps = cache(lambda: self._versions.steps(session.key, session.version))
        return Seen(seen, seen or self._versions.anchors(session.key, current), steps)

    def _record_score(self, session: Session, at_us: int, version: int) -> Score | None:
        """Store what all marks of the annotator come to now, those that count."""
        key, scheme = session.key, self._schemes.find(session.key.project, session.scheme.name)
        if not scheme.has_score or (now := self._versions.anchors(key, version)) is None:
            return None
        rows = self._reading.of_trace(key, scheme.name, session.annotator, version)
        score = score_now(scheme, rows, now.to_judge)
        session = session._replace(scheme=scheme)
        self._scores.add_scores([_row(session, score, at_us, version, is_deleted=not rows)])
        return score


def _refuse_other_role(session: Session, stored: Sequence[Annotation]) -> None:
    """Raise ``InvalidWritesError`` where one name would judge and adjudicate one trajectory.

    Rows of one name follow each other: what an adjudicator decides would replace what they had
    said as an annotator, and the other way round. What they took back stands in nobody's way.
    """
    is_adjudicating = session.origin is Origin.ADJUDICATION
    standing = {row.slot: row for row in stored}.values()  # of each step the newest
    origins = {row.origin for row in standing if not row.is_deleted}
    if any((origin is Origin.ADJUDICATION) is not is_adjudicating for origin in origins):
        was, now = ("judged", "adjudicate") if is_adjudicating else ("adjudicated", "judge")
        told = f"{session.annotator} has {was} this trajectory: {now} it under another name"
        raise InvalidWritesError([Problem(0, "origin", told)])


def _row(
    session: Session, score: Score, at_us: int, version: int, *, is_deleted: bool
) -> scores.Score:
    return scores.Score(
        key=session.key,
        name=session.scheme.name,
        source=session.origin.value,
        author=session.annotator,
        revision=at_us,
        judged_version=version,
        number=score.value,
        is_complete=score.is_complete,
        config_hash=session.scheme.hash,
        is_deleted=is_deleted,
    )


def _undone(rows: Sequence[Annotation], group: str, write_id: str) -> Iterator[Annotation]:
    """Yield the rows that put back what was before those of a group, where they are current."""
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
