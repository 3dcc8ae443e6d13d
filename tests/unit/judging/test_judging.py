"""Judging a stored run gives results with fingerprints, which become scores."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.made_runs import made_run

from spanloom.core.model.span import TraceKey
from spanloom.core.records.score import ScoreItem
from spanloom.evaluation.contract.result import Evidence, Results
from spanloom.evaluation.contract.view import WHOLE, Part, view_named_in
from spanloom.evaluation.evaluator import Evaluator, Judging
from spanloom.evaluation.making import make_evaluators
from spanloom.judging.judging import Judged, judge_run
from spanloom.judging.scores import EVIDENCE_BYTES, scores_of

if TYPE_CHECKING:
    from spanloom.core.model.score import Score
    from spanloom.evaluation.contract.result import Result

RUN = made_run(1, Random(1))
KEY = TraceKey("p", RUN["id"])
RESULTS = Results("judge", "judge")


def score_of(result: Result, kind: str = "judge", **more: Any) -> Score:
    of_model = frozenset({"judge"} if kind == "judge" else ())
    judging = Judging(WHOLE, lambda _: (), ("judge",), model_scores=of_model)
    made = Evaluator(result.evaluator, kind, {}, "ff", judging)
    (score,) = scores_of([Judged(result, "1:names:ff", made)], KEY, 3, at_us=5, **more)
    return score


def test_each_result_has_the_fingerprint_of_its_evaluators_view() -> None:
    made = make_evaluators(
        [
            {"name": "path", "kind": "match"},
            {"name": "limits", "kind": "rules", "rules": {"max_steps": 100, "max_tool_calls": 0}},
            {"name": "cheap", "kind": "where", "expr": "steps > 0"},
        ]
    )
    judged = judge_run(RUN, made, expected={"tool_calls": []})
    assert [one.result.name for one in judged] == [
        *("path", "limits/max_steps", "limits/max_tool_calls", "cheap"),
    ]
    assert [view_named_in(one.view_fingerprint) for one in judged] == [
        frozenset(one.evaluator.judging.view) for one in judged
    ]
    assert judge_run(RUN, made, expected={"tool_calls": []}) == judged


def test_a_condition_reads_the_scores_that_the_run_has() -> None:
    made = make_evaluators({"name": "kind", "kind": "where", "expr": "score.polite > 0.5"})
    (unknown,) = judge_run(RUN, made)
    (known,) = judge_run(RUN, made, scores={"polite": 0.75})
    assert (unknown.result.error_code, known.result.passed) == ("unknown_score", True)


@pytest.mark.parametrize("document", [b"{", 7, {"id": "x"}, {"root_step": 1, "agent_steps": []}])
def test_a_run_that_cannot_be_read_is_an_error_of_each_evaluator(document: object) -> None:
    made = make_evaluators({"name": "limits", "kind": "rules", "rules": {"max_steps": 1}})
    (judged,) = judge_run(document, made)
    assert (judged.result.status, judged.result.value) == ("error", None)
    (score,) = scores_of([judged], KEY, 1)
    assert (score.status, score.value_type, score.number, score.passed) == (
        *("error", "none", None, None),
    )


def test_a_result_becomes_a_score_with_all_that_it_says() -> None:
    result = RESULTS.judged(
        *(0.75, True),
        label="good",
        rationale="so",
        evidence=[Evidence(step_id="a1", field="output")],
        metrics={"calls": 1.0, "cached": 2.0, "input_tokens": 9.0, "unknown": None},
        cost_usd=0.5,
        coverage=0.25,
    )
    more: dict[str, Any] = {"experiment": "e", "item": "i", "repeat": 2, "rule_id": "r"}
    row = ScoreItem.row_of(score_of(result, **more))
    assert len(row.pop("score_id")) == 32
    of_run = {"trace_id": KEY.trace_id, "project": "p", "target": "trajectory", "step_id": ""}
    value = {"value": 0.75, "value_type": "number", "label": "good", "passed": True}
    made = {"name": "judge", "source": "llm", "author": "judge", "evaluator_version": "1"}
    took = {"input_tokens": 9, "output_tokens": 0, "cost": 0.5, "cached": False}
    assert row == {
        **of_run,
        **value,
        **made,
        **took,
        **more,
        "conversation_id": "",
        "is_complete": True,
        "status": "ok",
        "error_code": "",
        "rationale": "so",
        "judged_version": 3,
        "config_hash": "ff",
        "evidence": [{"step_id": "a1", "field": "output"}],
        "coverage": 0.25,
        "view_fingerprint": "1:names:ff",
        "at": "0",
        "metrics": {"calls": 1.0, "cached": 2.0, "input_tokens": 9.0},
    }


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [(True, "boolean", True), (2, "number", 2.0), ("polite", "category", "polite")],
)
def test_a_value_keeps_its_type(value: Any, kind: str, shown: object) -> None:
    row = ScoreItem.row_of(score_of(RESULTS.judged(value)))
    assert (row["value_type"], row["value"]) == (kind, shown)


def test_the_kind_of_an_evaluator_is_the_source() -> None:
    found = [
        score_of(RESULTS.judged(1), kind).source
        for kind in ("match", "rules", "where", "databricks", "judge", "python", "callable")
    ]
    assert found == ["rule", "rule", "rule", "rule", "llm", "code", "code"]


def test_answers_that_were_all_kept_are_said_to_be() -> None:
    metrics: dict[str, float | None] = {"calls": 0.0, "cached": 3.0}
    assert score_of(RESULTS.judged("polite", metrics=metrics)).cached


def test_what_a_score_has_no_room_for_is_cut() -> None:
    evidence = [Evidence(step_id="a" * 1_000)] * 200
    metrics: dict[str, float | None] = {f"m{n}": float(n) for n in range(200)}
    made = RESULTS.judged(
        *(1.0, True), rationale="x" * 30_000, evidence=evidence, metrics={**metrics, "": 1.0}
    )
    score = score_of(made)
    assert len(score.rationale) == 20_000
    assert 0 < len(score.evidence) <= EVIDENCE_BYTES
    assert len(orjson.loads(score.evidence)) < 100
    assert len(score.metrics) == 100


def test_without_a_run_it_is_a_score_of_the_item() -> None:
    made = Evaluator("judge", "judge", {}, "ff", Judging({Part.NAMES}, lambda _: (), ("judge",)))
    na = Judged(RESULTS.na("no reference"), "", made)
    (score,) = scores_of([na], TraceKey("p", ""), 0, item="one")
    assert (score.target, score.item, score.status) == ("item", "one", "na")
    assert score.revision > 0
