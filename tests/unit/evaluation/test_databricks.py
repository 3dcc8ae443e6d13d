"""Databricks' metrics: their names, those that need a judge, and the root cause of a failure."""

from __future__ import annotations

import pytest
from tests.support.judged_runs import run

from spanloom import evaluate
from spanloom.evaluation import InvalidEvaluatorError
from spanloom.evaluation.databricks.judged import JUDGED, OVERALL
from spanloom.evaluation.databricks.metrics import METRICS
from spanloom.evaluation.databricks.summary import assess

RUN = run([], tokens=(100, 20))


def test_without_metrics_all_that_need_no_judge_are_given() -> None:
    names = [one["name"] for one in evaluate(RUN, {"kind": "databricks"})]
    assert names == list(METRICS)
    assert not set(JUDGED) & set(METRICS)


@pytest.mark.parametrize("name", [*JUDGED, OVERALL])
def test_a_metric_that_needs_a_judge_is_refused(name: str) -> None:
    with pytest.raises(InvalidEvaluatorError, match="needs a model that judges"):
        evaluate(RUN, {"kind": "databricks", "metrics": ["agent/latency_seconds", name]})


def test_a_misspelt_metric_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidEvaluatorError, match="did you mean agent/latency_seconds"):
        evaluate(RUN, {"kind": "databricks", "metrics": ["agent/latency_second"]})


def test_later_names_are_those_of_mlflow_2() -> None:
    config = {
        "kind": "databricks",
        "names": "mlflow2",
        "metrics": ["agent/total_input_token_count"],
    }
    (one,) = evaluate(RUN, config)
    assert (one["name"], one["value"]) == ("agent/total_input_token_count", 100)


def test_the_root_cause_is_the_first_no_of_the_order() -> None:
    judged = "response/llm_judged"
    assert assess({f"{judged}/safety/rating": "yes"}) == ("yes", "")
    ratings = {
        f"{judged}/safety/rating": "no",
        f"{judged}/groundedness/rating": "no",
        f"{judged}/correctness/rating": "no",
    }
    assert assess(ratings) == ("no", f"{judged}/groundedness/rating")
    assert assess({"own/rating": "no", f"{judged}/safety/rating": "yes"}) == ("no", "own/rating")
