"""Reads the results of experiments: scores as rows of a report, and a summary of each score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.annotation.reading import withheld_from
from spanloom.core.model.access import Reach
from spanloom.core.model.experiment import BEFORE_ALL_RESULTS, ResultPlace
from spanloom.core.records.score import ScoreItem
from spanloom.evaluation.files.comparing import compare
from spanloom.evaluation.files.measures import measure
from spanloom.evaluation.files.report import FORMAT, ReadReport, summary_of
from spanloom.experiments.evaluators import read_evaluators

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.score import Score
    from spanloom.core.ports.annotations import QueueReader
    from spanloom.core.ports.experiments import ExperimentStore
    from spanloom.evaluation.files.comparing import Comparison
    from spanloom.experiments.service import ListedExperiment

    Row = Mapping[str, Any]  # JSON values

_PAGE = 2_000


class Results:
    """The results of one experiment that a reader may see."""

    def __init__(
        self,
        store: ExperimentStore,
        queues: QueueReader,
        listed: ListedExperiment,
        reader: str,
        only: str = "",
    ) -> None:
        """Read the results of an experiment; ``only`` is a score's name, or empty for all.

        ``reader`` is the caller's annotator name.
        """
        self._only = only
        self._store = store
        self._place = listed.experiment.project, listed.experiment.name
        self._kinds = {one.name: one.kind for one in read_evaluators(listed.experiment.evaluators)}
        self._withheld = withheld_from(queues, Reach.only(listed.experiment.project), reader)
        self.withheld = 0
        """The number of results withheld so far because their runs are in a blind queue."""

    def rows(self, after: ResultPlace = BEFORE_ALL_RESULTS) -> Iterator[Row]:
        """Yield all results after a position, sorted by item, repeat, evaluator and score."""
        while scores := self._store.results(*self._place, _PAGE, after, self._only):
            yield from self._visible(scores)
            if len(scores) < _PAGE:
                return
            after = place_of(scores[-1])

    def page(self, limit: int, after: ResultPlace) -> tuple[Sequence[Row], ResultPlace | None]:
        """Return up to ``limit`` results after a position, and the next position if more follow."""
        scores = self._store.results(*self._place, limit + 1, after, self._only)
        more = place_of(scores[limit - 1]) if len(scores) > limit else None
        return list(self._visible(scores[:limit])), more

    def summary(self) -> Mapping[str, Row]:
        """Return the summary of each score, keyed by name."""
        measures = measure(self.rows(), ())
        return {name: summary_of(measures[name]) for name in sorted(measures)}

    def report(self) -> ReadReport:
        """Return the results as a report that can be compared with other reports."""
        return ReadReport.model_validate(
            {"format": FORMAT, "name": self._place[1], "results": list(self.rows())}
        )

    def _visible(self, scores: Sequence[Score]) -> Iterator[Row]:
        for score in scores:
            if self._withheld(score.key, score.author):
                self.withheld += 1
            else:
                yield self._row(score)

    def _row(self, score: Score) -> Row:
        item = ScoreItem.made_of(score)
        return {
            "name": score.name,
            "evaluator": score.author,
            "kind": self._kinds.get(score.author, ""),
            "status": score.status,
            "value": item.value,
            "passed": score.passed,
            "label": item.label,
            "rationale": score.rationale,
            "evidence": item.evidence,
            "metrics": dict(score.metrics),
            "warnings": [],
            "error_code": score.error_code,
            "cost_usd": score.cost,
            "coverage": score.coverage,
            "item": score.item,
            "repeat": score.repeat,
            "trace_id": score.key.trace_id,
            "project": score.key.project,
            "version": score.judged_version,
        }


def place_of(score: Score) -> ResultPlace:
    """Return the position of a score among the results of its experiment."""
    return ResultPlace(score.item, score.repeat, score.author, score.name)


def compare_results(a: Results, b: Results) -> Comparison:
    """Return the comparison of two experiments, B against A."""
    return compare(a.report(), b.report())
