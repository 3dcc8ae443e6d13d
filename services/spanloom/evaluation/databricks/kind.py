"""The kind ``databricks``: metrics of its Agent Evaluation, each under its own name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluation.databricks.metrics import JUDGED, METRICS, MissingDataError
from spanloom.evaluation.evaluator import Judging, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.evaluation.contract.result import Result, Results
    from spanloom.evaluation.databricks.metrics import Metric
    from spanloom.evaluation.subject.subject import Subject


class DatabricksConfig(BaseModel):
    """The configuration of an evaluator of Databricks' metrics."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    metrics: list[str] | None = Field(
        None, min_length=1, description="By name; without, all that need no judge."
    )
    names: Literal["agent_evaluation", "mlflow2"] = Field(
        "agent_evaluation", description="The spelling of the results' names: `mlflow2` is later."
    )


def _make(config: DatabricksConfig, results: Results) -> Judging:
    chosen = _chosen(config.metrics)
    is_later = config.names == "mlflow2"
    shown = {name: (metric.later_name if is_later else "") or name for name, metric in chosen}

    def judge(subject: Subject) -> Iterator[Result]:
        for name, metric in chosen:
            yield _measure(metric, subject, results, shown[name])

    return Judging(
        view=frozenset().union(*(metric.reads for _, metric in chosen)),
        judge=judge,
        scores=tuple(shown.values()),
    )


DATABRICKS: Final = Kind(DatabricksConfig, _make)


def _measure(metric: Metric, subject: Subject, results: Results, name: str) -> Result:
    try:
        measured = metric.measure(subject)
    except MissingDataError as error:
        return results.na(str(error), name=name)
    return results.judged(
        measured.value, name=name, rationale=measured.rationale, evidence=measured.evidence
    )


def _chosen(asked: Sequence[str] | None) -> Sequence[tuple[str, Metric]]:
    if asked is None:
        return list(METRICS.items())
    known = dict(METRICS) | {one.later_name: one for one in METRICS.values() if one.later_name}
    for at, name in enumerate(asked):
        if name not in known:
            raise InvalidEvaluatorError(f"metrics.{at}", _reason(name, known))
    wanted = [known[name] for name in asked]
    return [(name, metric) for name, metric in METRICS.items() if metric in wanted]


def _reason(name: str, known: Mapping[str, Metric]) -> str:
    if name in JUDGED:
        return f"{name} needs a model that judges, which is not there"
    alike = get_close_matches(name, [*known, *JUDGED], n=1)
    hint = f"did you mean {alike[0]}?" if alike else f"there are {', '.join(METRICS)}"
    return f"there is no metric {name}; {hint}"
