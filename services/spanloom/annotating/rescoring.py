"""Lets stored scores follow their scheme: other weights, other numbers, without touching a mark.

Safe is this order. Here: the scheme is stored, then marks are read, then scores are stored, each
as the next microsecond after the newest mark that was read. In ``Writing``: the mark is stored,
then the scheme is read, then the score is stored as of the time of the mark. So either a mark is
seen here and counts with the new weights, or it is stored after the scheme, finds the new weights
itself, and its score is the later one: also where another process takes it.
"""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from spanloom.annotating.outdated import Outdated
from spanloom.annotating.reading import score_now
from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.annotating.outdated import Due
    from spanloom.annotating.reading import Reading
    from spanloom.annotating.schemes import Schemes
    from spanloom.annotating.versions import Versions
    from spanloom.core.annotation.reading import SchemeReading
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.score import Score
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import AnnotationStore
    from spanloom.core.ports.scores import ScoreStore

log = get_logger("annotating")


class Rescoring:
    """Puts schemes, and works out anew the scores that were made with other weights."""

    def __init__(
        self,
        annotations: AnnotationStore,
        scores: ScoreStore,
        schemes: Schemes,
        versions: Versions,
        reading: Reading,
    ) -> None:
        """Take annotations and scores as they are stored, and how annotations are read."""
        self._annotations = annotations
        self._scores = scores
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
            scheme = self._schemes.find(project, name)
            if scheme.has_score:
                stored = self._annotations, self._scores
                for batch in Outdated(*stored, self._schemes, project, scheme).batches():
                    if changed := list(self._changed(scheme, batch)):
                        self._scores.add(changed)
        return reading

    def _changed(self, scheme: Scheme, batch: Sequence[Due]) -> Iterator[Score]:
        """Yield revisions of the scores that are others now.

        A run that cannot be read keeps its scores. Raises ``RetryableError`` if the store does not
        answer: that is no run's fault.
        """
        versions = self._read_ahead([due.key for due in batch])
        for due in batch:
            try:
                current = versions.get(due.key) or self._versions.current(due.key)
                changed = list(self._anew(scheme, due, current))
            except Exception as error:
                self._schemes.find(due.key.project, scheme.name)  # raises if the store is away
                log.warning("a run keeps its score", **due.key._asdict(), error=str(error))
            else:
                yield from changed

    def _read_ahead(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """Return versions of runs that can be read together; the others are read one by one."""
        try:
            return self._versions.read_ahead(list(dict.fromkeys(keys)))
        except Exception as error:
            log.warning("runs are read one by one", error=str(error))
            return {}

    def _anew(self, scheme: Scheme, due: Due, current: int) -> Iterator[Score]:
        """Yield the scores of one annotator in a run that are others now."""
        if (now := self._versions.anchors(due.key, current)) is None:
            return
        score = score_now(scheme, self._reading.stood(due.key, due.marks, current), now.to_judge)
        for old in due.scores:
            if (old.number, old.is_complete) != (score.value, score.is_complete):
                yield replace(
                    old,
                    revision=max(due.newest_us, old.revision) + 1,
                    judged_version=current,
                    number=score.value,
                    is_complete=score.is_complete,
                    config_hash=scheme.hash,
                )
