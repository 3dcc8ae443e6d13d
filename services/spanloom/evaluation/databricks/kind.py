"""The kind ``databricks``: metrics of Databricks' Agent Evaluation, each under its own name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluation.contract.estimate import total
from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.databricks.judged import JUDGED, OVERALL
from spanloom.evaluation.databricks.metrics import METRICS, MissingDataError
from spanloom.evaluation.databricks.rating import make_raters, overall
from spanloom.evaluation.evaluator import Judging, Kind
from spanloom.evaluation.judge.config import ModelConfig, ModelName
from spanloom.evaluation.judge.kind import VIEW

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.evaluation.contract.result import Result, Results
    from spanloom.evaluation.databricks.metrics import Metric
    from spanloom.evaluation.judge.client import ModelClient
    from spanloom.evaluation.subject.subject import Subject

_JUDGED_VIEW: Final = VIEW | {Part.TIMES, Part.IDS}
"""View with times and ids, by which the last retrieval is found."""
_LATER: Final = {
    name: later
    for name, later in (
        *((name, metric.later_name) for name, metric in METRICS.items()),
        *((name, metric.later_name) for name, metric in JUDGED.items()),
    )
    if later
}


class DatabricksConfig(BaseModel):
    """The configuration of an evaluator of Databricks' metrics."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    metrics: list[str] | None = Field(
        None, min_length=1, description="By name; without, all, those of a judge with a model."
    )
    names: Literal["agent_evaluation", "mlflow2"] = Field(
        "agent_evaluation", description="The spelling of the results' names: `mlflow2` is later."
    )
    model: ModelName | None = Field(
        None, description="Judges, as `model` of a judge; the rest default."
    )
    judge: ModelConfig | None = Field(
        None, description="The model that judges: the keys of a judge but for its criteria."
    )

    @model_validator(mode="after")
    def _has_one_model(self) -> Self:
        if self.model is not None and self.judge is not None:
            raise ValueError("model: judge has one already")
        return self

    @property
    def judge_model(self) -> ModelConfig | None:
        """The model that judges, if configured."""
        return ModelConfig(model=self.model) if self.model is not None else self.judge


class _Chosen(NamedTuple):
    """Names of metrics, in the order of their results."""

    measured: Sequence[str]
    judged: Sequence[str]
    has_overall: bool


def make_databricks(
    config: DatabricksConfig, results: Results, client: ModelClient | None = None
) -> Judging:
    """Create the judging function for a configuration; raises ``InvalidEvaluatorError``.

    If ``client`` is ``None``, requests are sent to the provider of the model.
    """
    model = config.judge_model
    chosen = _chosen(config.metrics, has_model=model is not None)
    is_later = config.names == "mlflow2"
    score_names = {one: (_LATER.get(one) if is_later else None) or one for one in _names(chosen)}
    judged_names = {one: score_names[one] for one in chosen.judged}
    raters = [] if model is None else make_raters(model, results, judged_names, client)

    def judge(subject: Subject) -> Iterator[Result]:
        for name in chosen.measured:
            yield _measure(METRICS[name], subject, results, score_names[name])
        rated = {}
        for name, rater in zip(chosen.judged, raters, strict=True):
            rated[name] = rater.rate(subject)
            yield rated[name]
        if chosen.has_overall:
            yield overall(rated, results, OVERALL)

    views = [METRICS[name].reads for name in chosen.measured]
    of_model = {*judged_names.values(), *([OVERALL] if chosen.has_overall else [])}
    return Judging(
        view=frozenset[Part]().union(*views, *([_JUDGED_VIEW] if raters else [])),
        judge=judge,
        scores=tuple(score_names.values()),
        model_scores=frozenset(of_model),
        estimate=(lambda subject: total(one.estimate(subject) for one in raters))
        if raters
        else None,
    )


DATABRICKS: Final = Kind(DatabricksConfig, make_databricks)


def _measure(metric: Metric, subject: Subject, results: Results, name: str) -> Result:
    try:
        measured = metric.measure(subject)
    except MissingDataError as error:
        return results.na(str(error), name=name)
    return results.judged(
        measured.value, name=name, rationale=measured.rationale, evidence=measured.evidence
    )


def _names(chosen: _Chosen) -> Sequence[str]:
    return [*chosen.measured, *chosen.judged, *([OVERALL] if chosen.has_overall else [])]


def _chosen(metrics: Sequence[str] | None, *, has_model: bool) -> _Chosen:
    if metrics is None:
        return _Chosen([*METRICS], [*JUDGED] if has_model else [], has_model)
    of_model = {*JUDGED, OVERALL}
    known = {name: name for name in (*METRICS, *of_model)}
    known |= {later: name for name, later in _LATER.items()}
    for at, name in enumerate(metrics):
        if name not in known or (known[name] in of_model and not has_model):
            raise InvalidEvaluatorError(f"metrics.{at}", _reason(name, known))
    names = {known[name] for name in metrics}
    has_overall = OVERALL in names
    judged = [name for name in JUDGED if name in names or (has_overall and not names & {*JUDGED})]
    return _Chosen([name for name in METRICS if name in names], judged, has_overall)


def _reason(name: str, known: Mapping[str, str]) -> str:
    if name in known:
        return f"{name} needs a model that judges: set model or judge"
    alike = get_close_matches(name, list(known), n=1)
    hint = f"did you mean {alike[0]}?" if alike else f"there are {', '.join(METRICS)}"
    return f"there is no metric {name}; {hint}"
