"""Every evaluator obeys the same contract: passing, failing, not applicable, error.

The cases are in ``tests/support/evaluator_cases.py``; a new kind of evaluator adds its own there.
"""

from __future__ import annotations

import copy
import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.evaluator_cases import CASES

from spanloom import evaluate
from spanloom.evaluation.contract.result import Result
from spanloom.evaluation.making import make_evaluators

if TYPE_CHECKING:
    from tests.support.evaluator_cases import Case

EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
UNREADABLE: tuple[Any, ...] = ("no JSON", 7, {}, {"root_step": {}}, b"\xff")
BROKEN = (
    {"id": "x", "root_step": {}, "agent_steps": [1], "extraction": {}},
    {"id": "x", "root_step": {}, "agent_steps": [{"steps": [{"name": 3}]}], "extraction": {}},
    {"id": "x", "root_step": {"output": 5}, "agent_steps": [], "extraction": {"cost": 3}},
)


def results_of(case: Case, run: Any = None) -> list[dict[str, Any]]:
    return evaluate(case.run if run is None else run, case.evaluator, expected=case.expected)


@EACH
def test_it_finds_what_it_must(case: Case) -> None:
    (result,) = [one for one in results_of(case) if one["name"] == case.score]
    assert (result["status"], result["passed"]) == (case.status, case.passed), result
    assert [place["step_id"] for place in result["evidence"]] == list(case.evidence)
    assert case.says in result["rationale"]
    assert result["error_code"] == case.code
    if case.status == "ok":
        assert result["value"] == (case.passed if case.value == "as passed" else case.value)


@EACH
def test_results_have_their_form(case: Case) -> None:
    results = results_of(case)
    (evaluator,) = make_evaluators(case.evaluator)
    assert [one["name"] for one in results] == list(evaluator.judging.scores)
    for one in results:
        result = Result.model_validate(one)
        assert (result.evaluator, result.kind) == (evaluator.name, evaluator.kind)
        assert result.status == "ok" or (result.value is None and result.passed is None)
        assert result.status == "ok" or result.rationale
        assert (result.status == "error") is bool(result.error_code)


@EACH
def test_the_order_of_steps_and_agents_does_not_matter(case: Case) -> None:
    expected = results_of(case)
    if isinstance(case.run, list) or callable(case.evaluator):  # custom code may depend on order
        return
    random = Random(1)
    for _ in range(3):
        shuffled = copy.deepcopy(case.run)
        random.shuffle(shuffled["agent_steps"])
        for agent in shuffled["agent_steps"]:
            random.shuffle(agent["steps"])
        assert results_of(case, shuffled) == expected


@EACH
def test_the_same_run_gives_the_same_bytes_and_stays_as_it_was(case: Case) -> None:
    before = json.dumps(case.run)
    assert json.dumps(results_of(case)) == json.dumps(results_of(case))
    assert json.dumps(case.run) == before
    assert json.dumps(results_of(case, before)) == json.dumps(results_of(case))


@EACH
def test_a_run_that_cannot_be_judged_is_an_error_of_each_score(case: Case) -> None:
    (evaluator,) = make_evaluators(case.evaluator)
    for run in UNREADABLE:
        results = evaluate(run, evaluator, expected=case.expected)
        assert [one["name"] for one in results] == list(evaluator.judging.scores)
        assert {one["status"] for one in results} == {"error"}, run
        assert {one["error_code"] for one in results} <= {"unreadable_run", "unreadable_expected"}


@EACH
def test_a_broken_document_never_raises_and_is_never_stored_as_another_form(case: Case) -> None:
    for run in BROKEN:
        for result in evaluate(run, case.evaluator, expected=case.expected):
            Result.model_validate(result)


def test_one_evaluator_never_stops_the_next() -> None:
    def broken(_: Any, __: Any) -> None:
        raise RecursionError("deep")

    rules = {"kind": "rules", "rules": {"max_steps": 9}}
    first, second = evaluate(CASES[0].run, [broken, rules])
    assert (first["status"], first["error_code"]) == ("error", "crashed")
    assert (second["status"], second["passed"]) == ("ok", True)
