"""Results of experiments: scores as rows of a report, and what they come to."""

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
    from spanloom.experiments.service import KeptExperiment

    Row = Mapping[str, Any]  # JSON values

_PAGE = 2_000


class Results:
    """The results of one experiment, as one reader may see them."""

    def __init__(
        self,
        store: ExperimentStore,
        queues: QueueReader,
        kept: KeptExperiment,
        reader: str,
        only: str = "",
    ) -> None:
        """Read those of an experiment, or ``only`` those of one score.

        ``reader`` is the annotator's name of the caller.
        """
        self._only = only
        self._store = store
        self._place = kept.experiment.project, kept.experiment.name
        self._kinds = {one.name: one.kind for one in read_evaluators(kept.experiment.evaluators)}
        self._withheld = withheld_from(queues, Reach.only(kept.experiment.project), reader)
        self.withheld = 0
        """Results that were read and are in a blind queue."""

    def rows(self, after: ResultPlace = BEFORE_ALL_RESULTS) -> Iterator[Row]:
        """Yield all results behind a place, by item, repeat, evaluator and score."""
        while scores := self._store.results(*self._place, _PAGE, after, self._only):
            yield from self._seen(scores)
            if len(scores) < _PAGE:
                return
            after = place_of(scores[-1])

    def page(self, limit: int, after: ResultPlace) -> tuple[Sequence[Row], ResultPlace | None]:
        """Return up to ``limit`` results behind a place, and the place behind them if any."""
        scores = self._store.results(*self._place, limit + 1, after, self._only)
        more = place_of(scores[limit - 1]) if len(scores) > limit else None
        return list(self._seen(scores[:limit])), more

    def summary(self) -> Mapping[str, Row]:
        """Return what each score comes to, by name."""
        measures = measure(self.rows(), ())
        return {name: summary_of(measures[name]) for name in sorted(measures)}

    def report(self) -> ReadReport:
        """Return the results as a report that can be compared."""
        return ReadReport.model_validate(
            {"format": FORMAT, "name": self._place[1], "results": list(self.rows())}
        )

    def _seen(self, scores: Sequence[Score]) -> Iterator[Row]:
        for score in scores:
            if self._withheld(score.key, score.author):
                self.withheld += 1
            else:
                yield self._row(score)

    def _row(self, score: Score) -> Row:
        shown = ScoreItem.made_of(score)
        return {
            "name": score.name,
            "evaluator": score.author,
            "kind": self._kinds.get(score.author, ""),
            "status": score.status,
            "value": shown.value,
            "passed": score.passed,
            "label": shown.label,
            "rationale": score.rationale,
            "evidence": shown.evidence,
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
    """Return the place of a score among the results of its experiment."""
    return ResultPlace(score.item, score.repeat, score.author, score.name)


def compare_results(a: Results, b: Results) -> Comparison:
    """Return what differs between two experiments, B against A."""
    return compare(a.report(), b.report())
