"""Updates stored scores after the weights of their scheme have changed; can be resumed."""

from __future__ import annotations

from dataclasses import replace
from heapq import merge
from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from spanloom.annotation.pages import every_annotation, every_score
from spanloom.annotation.reading import score_now
from spanloom.core.model.access import Reach
from spanloom.core.model.annotation import Annotation
from spanloom.core.model.score import Score
from spanloom.core.ports.annotations import AnnotationQuery, ScoreQuery
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.annotation.reading import Reading
    from spanloom.annotation.schemes import Schemes
    from spanloom.annotation.versions import Versions
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.annotation.scheme_reader import SchemeReading
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import AnnotationStore, ScoreStore


if TYPE_CHECKING:
    Row = Annotation | Score


MOST_MARKS = 2_000
"""Maximum annotations in memory at a time, unless one annotator has more in one run."""


class OutdatedScores(NamedTuple):
    """One annotator's annotations of one run, if their score was computed with other weights."""

    key: TraceKey
    marks: Sequence[Annotation]
    scores: Sequence[Score]
    """The outdated scores; several if the annotations have several origins."""
    newest_us: int
    """Time of the newest annotation, deleted or not, in microseconds since the epoch."""


class OutdatedFinder:
    """Finds scores that were computed with other weights than the current weights of the scheme."""

    def __init__(
        self,
        annotations: AnnotationStore,
        scores: ScoreStore,
        schemes: Schemes,
        project: str,
        scheme: Scheme,
    ) -> None:
        """Search the annotations and scores of a project; ``scheme`` has the current weights."""
        self._annotations = annotations
        self._scores = scores
        self._schemes = schemes
        self._project = project
        self._scheme = scheme
        self._known = {scheme.hash: False}

    def batches(self) -> Iterator[Sequence[OutdatedScores]]:
        """Yield annotations whose scores are outdated, in batches, ordered by trace id.

        Annotations and scores are read page by page.
        """
        batch, held = list[OutdatedScores](), 0
        for outdated in self._all():
            batch.append(outdated)
            held += len(outdated.marks)
            if held >= MOST_MARKS:
                yield batch
                batch, held = [], 0
        if batch:
            yield batch

    def _all(self) -> Iterator[OutdatedScores]:
        reach, name = Reach.only(self._project), self._scheme.name
        scores = every_score(self._scores, reach, ScoreQuery(name=name, target="trajectory"))
        marks = every_annotation(self._annotations, reach, AnnotationQuery(scheme=name))
        merged: Iterator[Row] = merge(scores, marks, key=_trace_of)
        for _, of_run in groupby(merged, key=_trace_of):
            yield from self._of_run(list(of_run))

    def _of_run(self, rows_of_run: Sequence[Row]) -> Iterator[OutdatedScores]:
        scores = [score for score in rows_of_run if isinstance(score, Score)]
        rows = [row for row in rows_of_run if isinstance(row, Annotation)]
        for _, of_one in groupby(rows, key=lambda row: row.slot.annotator):
            own = list(of_one)
            marks = [row for row in own if not row.is_deleted]
            if marks and (old := self._outdated_scores(marks, scores)):
                yield OutdatedScores(marks[0].slot.key, marks, old, max(row.at_us for row in own))

    def _outdated_scores(
        self, marks: Sequence[Annotation], scores: Iterable[Score]
    ) -> Sequence[Score]:
        """Return the outdated scores of the annotations' author, among the scores of the run.

        If the annotations have no score, the result is a score of revision 0, because their writer
        has crashed before storing their score, or is about to store it.
        """
        newest = max(marks, key=lambda row: row.at_us)
        author, sources = newest.slot.annotator, {row.origin.source for row in marks}
        own = [score for score in scores if score.author == author and score.source in sources]
        if not own:
            source = newest.origin.source
            own = [Score(newest.slot.key, self._scheme.name, source, author, revision=0)]
        return [score for score in own if self._has_other_weights(score.config_hash)]

    def _has_other_weights(self, scheme_hash: str) -> bool:
        """Return whether the scheme with this hash has other weights, or is no longer stored."""
        if scheme_hash not in self._known:
            was = self._schemes.find_by_hash(self._project, self._scheme.name, scheme_hash)
            self._known[scheme_hash] = was is None or was.weighing != self._scheme.weighing
        return self._known[scheme_hash]


def _trace_of(row: Row) -> str:
    return row.key.trace_id if isinstance(row, Score) else row.slot.key.trace_id


log = get_logger("annotating")


class Rescoring:
    """Stores schemes, and recomputes the scores that were computed with other weights."""

    def __init__(
        self,
        annotations: AnnotationStore,
        scores: ScoreStore,
        schemes: Schemes,
        versions: Versions,
        reading: Reading,
    ) -> None:
        """Recompute scores from stored annotations; ``reading`` determines their states."""
        self._annotations = annotations
        self._scores = scores
        self._schemes = schemes
        self._versions = versions
        self._reading = reading
        self._locks: dict[tuple[str, str], Lock] = {}

    def put(self, project: str, name: str, text: str, put_by: str, at_us: int) -> SchemeReading:
        """Store a scheme, then the scores that it changes; raises ``SchemeError``.

        A repeated call stores no score twice, and continues after a crash. Of two concurrent calls
        the later one waits, and both use the scheme that was stored last.
        """
        reading = self._schemes.put(project, name, text, put_by, at_us)
        with self._locks.setdefault((project, name), Lock()):
            scheme = self._schemes.find(project, name)
            if scheme.has_score:
                stored = self._annotations, self._scores
                for batch in OutdatedFinder(*stored, self._schemes, project, scheme).batches():
                    if changed := list(self._changed(scheme, batch)):
                        self._scores.add(changed)
        return reading

    def _changed(self, scheme: Scheme, batch: Sequence[OutdatedScores]) -> Iterator[Score]:
        """Yield new revisions of the changed scores.

        The scores of a run that cannot be read stay unchanged. Raises ``RetryableError`` if the
        store does not respond.
        """
        versions = self._read_ahead([outdated.key for outdated in batch])
        for outdated in batch:
            try:
                current = versions.get(outdated.key) or self._versions.current(outdated.key)
                changed = list(self._rescored(scheme, outdated, current))
            except Exception as error:
                self._schemes.find(outdated.key.project, scheme.name)  # raises if the store is down
                log.warning("a run keeps its score", **outdated.key._asdict(), error=str(error))
            else:
                yield from changed

    def _read_ahead(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """Return the versions of runs that can be read together; others are read one by one."""
        try:
            return self._versions.read_ahead(list(dict.fromkeys(keys)))
        except Exception as error:
            log.warning("runs are read one by one", error=str(error))
            return {}

    def _rescored(self, scheme: Scheme, outdated: OutdatedScores, current: int) -> Iterator[Score]:
        """Yield new revisions of one annotator's changed scores in a run."""
        if (now := self._versions.anchors(outdated.key, current)) is None:
            return
        score = score_now(
            scheme, self._reading.resolve(outdated.key, outdated.marks, current), now.to_judge
        )
        for old in outdated.scores:
            if (old.number, old.is_complete) != (score.value, score.is_complete):
                yield replace(
                    old,
                    revision=max(outdated.newest_us, old.revision) + 1,
                    judged_version=current,
                    number=score.value,
                    is_complete=score.is_complete,
                    config_hash=scheme.hash,
                )
