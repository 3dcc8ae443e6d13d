"""Rates runs by a model: one judge for each metric, with a shared budget and rate limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.score import FAULTS
from spanloom.evaluation.contract.estimate import total
from spanloom.evaluation.contract.result import Evidence
from spanloom.evaluation.databricks.judged import JUDGED, MAX_CHUNKS, NO, YES
from spanloom.evaluation.databricks.metrics import MissingDataError
from spanloom.evaluation.databricks.summary import CHUNKS, assess
from spanloom.evaluation.judge.config import JudgeConfig
from spanloom.evaluation.judge.kind import Judge, check_config, make_client

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.evaluation.contract.estimate import Estimate
    from spanloom.evaluation.contract.result import Result, Results
    from spanloom.evaluation.databricks.judged import Judged
    from spanloom.evaluation.judge.client import ModelClient
    from spanloom.evaluation.judge.config import ModelConfig
    from spanloom.evaluation.subject.subject import Subject

CHUNKS_LEFT_OUT = "chunks_left_out"
"""The warning for a retrieval with more than ``MAX_CHUNKS`` chunks."""
_HALF = 0.5


class Rater(NamedTuple):
    """Rates one metric."""

    metric: Judged
    judge: Judge
    name: str
    """The name of the score."""

    def rate(self, subject: Subject) -> Result:
        """Return the rating of a run; ``na`` if the run lacks data that the metric needs."""
        try:
            materials = self.metric.read(subject)
        except MissingDataError as error:
            return self.judge.results.na(str(error), name=self.name)
        if not self.metric.is_of_chunks:
            return self.judge.judge_material(materials[0], self.name)
        rated = [self.judge.judge_material(one, self.name) for one in materials[:MAX_CHUNKS]]
        return self._precision(rated, len(materials), materials[0].steps.step_ids[0])

    def estimate(self, subject: Subject) -> Estimate:
        """Return the estimated cost of rating a run."""
        try:
            materials = self.metric.read(subject)
        except MissingDataError:
            materials = []
        return total(map(self.judge.estimate_material, materials[:MAX_CHUNKS]))

    def _precision(self, rated: Sequence[Result], count: int, step_id: str) -> Result:
        """Return the share of chunks that are relevant; an error if a chunk has no rating."""
        cost = _sum([one.cost_usd for one in rated])
        for at, one in enumerate(rated, 1):
            if one.status != "ok":
                rationale = f"chunk {at}: {one.rationale}"
                spent = {"cost_usd": cost, "metrics": _sums(rated)}
                return one.model_copy(update={"rationale": rationale, **spent})
        ratings = {f"rating/{at}": float(one.value == YES) for at, one in enumerate(rated, 1)}
        warnings = [warning for one in rated for warning in one.warnings]
        warnings += [CHUNKS_LEFT_OUT] if count > len(rated) else []
        share = sum(one.coverage or 0.0 for one in rated) / count
        return self.judge.results.judged(
            sum(ratings.values()) / len(rated),
            name=self.name,
            rationale="\n".join(
                f"chunk {at}: {one.value}: {one.rationale}" for at, one in enumerate(rated, 1)
            ),
            evidence=[Evidence(step_id=step_id, field="output")],
            metrics={**_sums(rated), **ratings},
            warnings=tuple(dict.fromkeys(warnings)),
            cost_usd=cost,
            coverage=round(share, 6),
        )


def make_raters(
    config: ModelConfig,
    results: Results,
    score_names: Mapping[str, str],
    client: ModelClient | None = None,
) -> Sequence[Rater]:
    """Return a rater for each key of ``score_names``, which maps metrics to names of scores.

    Raises ``InvalidEvaluatorError``.
    """
    shared = client or make_client(config, results.evaluator)
    options = config.model_dump(exclude_unset=True)
    raters = []
    for name, of_score in score_names.items():
        metric = JUDGED[name]
        criteria = {"criteria": metric.criteria, "values": [YES, NO], "pass": [YES]}
        judged = JudgeConfig.model_validate({**options, **criteria})
        check_config(judged)
        raters.append(Rater(metric, Judge(judged, results, shared), of_score))
    return raters


def overall(rated: Mapping[str, Result], results: Results, name: str) -> Result:
    """Return ``yes`` if all ratings of a run are ``yes``, otherwise ``no`` with the root cause.

    ``rated`` has the results of all judged metrics, keyed by metric name. If there is no rating, or
    a metric could not be judged, the result is ``na``. All chunks count as one rating, ``yes`` if
    at least half of them are relevant.
    """
    ratings: dict[str, Result] = {}
    for metric, result in rated.items():
        if result.status in FAULTS:
            return results.na(f"{metric} has no rating: {result.rationale}", name=name)
        if result.status == "ok":
            ratings[CHUNKS if JUDGED[metric].is_of_chunks else metric] = result
    if not ratings:
        return results.na("no metric has a rating", name=name)
    rating, cause = assess({of: _rating(result) for of, result in ratings.items()})
    if not cause:
        return results.judged(rating, True, name=name, rationale=f"{len(ratings)} ratings are yes")
    failed = ratings[cause]
    rationale = f"root cause: {cause}: {failed.rationale}"
    return results.judged(rating, False, name=name, rationale=rationale, evidence=failed.evidence)


def _rating(result: Result) -> str:
    if isinstance(result.value, float):
        return YES if result.value >= _HALF else NO
    return str(result.value)


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _sums(rated: Sequence[Result]) -> dict[str, float | None]:
    names = ("calls", "cached", "input_tokens", "output_tokens")
    return {name: _sum([one.metrics.get(name) for one in rated]) for name in names}
