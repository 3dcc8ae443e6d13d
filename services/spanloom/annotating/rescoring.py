"""Lets stored scores follow their scheme: other weights, other numbers, without touching a mark.

Safe is this order. Here: the scheme is stored, then marks are read, then scores are stored, each
as the next microsecond after the newest mark that was read. In ``Writing``: the mark is stored,
then the scheme is read, then the score is stored as of the time of the mark. So either a mark is
seen here and counts with the new weights, or it is stored after the scheme, finds the new weights
itself, and its score is the later one: also where another process takes it.
"""

from __future__ import annotations

from dataclasses import replace
from heapq import merge
from itertools import groupby, islice
from threading import Lock
from typing import TYPE_CHECKING

from spanloom.annotating.outdated import Outdated
from spanloom.annotating.pages import every_annotation, every_score
from spanloom.annotating.reading import score_now
from spanloom.core.model.annotation import Annotation
from spanloom.core.model.score import Score
from spanloom.core.model.span import TraceKey
from spanloom.core.model.tenancy import Reach
from spanloom.core.ports.annotations import AnnotationQuery
from spanloom.core.ports.scores import ScoreQuery
from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.annotating.reading import Reading
    from spanloom.annotating.schemes import Schemes
    from spanloom.annotating.versions import Versions
    from spanloom.core.annotation.reading import SchemeReading
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.ports.reading import ReadingStore

    Told = Annotation | Score

BATCH = 500
"""Scores that are stored at once."""
log = get_logger("annotating")


class Rescoring:
    """Puts schemes, and works out anew the scores that were made with other weights."""

    def __init__(
        self, store: ReadingStore, schemes: Schemes, versions: Versions, reading: Reading
    ) -> None:
        """Take the store, and how annotations are read."""
        self._store = store
        self._schemes = schemes
        self._versions = versions
        self._reading = reading
        self._locks: dict[tuple[str, str], Lock] = {}

    def put(self, project: str, name: str, text: str, put_by: str, at_us: int) -> SchemeReading:
        """Store a scheme, then the scores that are others by it; raises ``SchemeError``.

        The same again stores no score, and goes on where a process ended halfway. Of two at one
        time the later one waits, and both follow what was put last.
        """
        reading = self._schemes.put(project, name, text, put_by, at_us)
        with self._locks.setdefault((project, name), Lock()):
            changed = self._changed(project, self._schemes.find(project, name))
            while some := list(islice(changed, BATCH)):
                self._store.add_scores(some)
        return reading

    def _changed(self, project: str, scheme: Scheme) -> Iterator[Score]:
        """Yield revisions of the scores that are others now; of one run at a time.

        A run that cannot be read keeps its scores. Raises ``RetryableError`` if the store does not
        answer: that is no run's fault.
        """
        if not scheme.has_score:
            return
        told: Iterator[Told] = merge(*self._told(project, scheme.name), key=_trace_of)
        outdated = Outdated(self._schemes, project, scheme)
        for trace_id, told_of_run in groupby(told, key=_trace_of):
            of_run, key = list(told_of_run), TraceKey(project, trace_id)
            try:
                changed = list(self._of_run(key, of_run, outdated))
            except Exception as error:
                self._schemes.find(project, scheme.name)  # raises if the store is away
                log.warning("a run keeps its old scores", trace_id=trace_id, error=str(error))
            else:
                yield from changed

    def _of_run(self, key: TraceKey, told: Sequence[Told], outdated: Outdated) -> Iterator[Score]:
        """Yield the changed scores of one run, of everybody who has marks there."""
        scores = [score for score in told if isinstance(score, Score)]
        rows = [row for row in told if isinstance(row, Annotation)]
        for _, of_one in groupby(rows, key=lambda row: row.slot.annotator):
            own = list(of_one)
            standing = [row for row in own if not row.is_deleted]
            if standing and (old := outdated.among(standing, scores)):
                newest_us = max(row.at_us for row in own)
                yield from self._anew(key, outdated.scheme, standing, old, newest_us)

    def _anew(
        self,
        key: TraceKey,
        scheme: Scheme,
        rows: Sequence[Annotation],
        scores: Sequence[Score],
        newest_us: int,
    ) -> Iterator[Score]:
        """Yield the scores of one annotator that are others now."""
        current = self._versions.current(key)
        if (now := self._versions.anchors(key, current)) is None:
            return
        score = score_now(scheme, self._reading.stood(key, rows, current), now.to_judge)
        for old in scores:
            if (old.number, old.is_complete) != (score.value, score.is_complete):
                yield replace(
                    old,
                    revision=max(newest_us, old.revision) + 1,
                    judged_version=current,
                    number=score.value,
                    is_complete=score.is_complete,
                    config_hash=scheme.hash,
                )

    def _told(self, project: str, scheme: str) -> tuple[Iterator[Told], Iterator[Told]]:
        """Return the scores and the marks of a scheme, both by trace."""
        reach, of_runs = Reach.only(project), ScoreQuery(name=scheme, target="trajectory")
        marks = every_annotation(self._store, reach, AnnotationQuery(scheme=scheme))
        return every_score(self._store, reach, of_runs), marks


def _trace_of(told: Told) -> str:
    return told.key.trace_id if isinstance(told, Score) else told.slot.key.trace_id
