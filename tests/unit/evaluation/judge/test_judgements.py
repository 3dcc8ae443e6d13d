"""Judgements by a scripted model: values, votes, budgets, errors and the cache."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.scripted_judge import COST, MODEL, RUN, Script, answer, judge_by

import spanloom
from spanloom.core.model.step import Usage
from spanloom.evaluation import InvalidEvaluatorError, kappa
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.judge import client
from spanloom.evaluation.judge.cache import Cache
from spanloom.evaluation.judge.port import ModelError, Reply
from spanloom.evaluation.making import make_evaluator
from spanloom.evaluation.subject.subject import Subject

if TYPE_CHECKING:
    from pathlib import Path

Members = dict[str, Any]
VALUES: Members = {"values": ["polite", "rude"], "pass": ["polite"]}
SCALE: Members = {"scale": {"min": 0, "max": 1}, "threshold": 0.8}
BUSY = ModelError(ErrorCode.PROVIDER_FAILED, "429", is_retryable=True)
DENIED = ModelError(ErrorCode.PROVIDER_DENIED, "401", is_final=True)


@pytest.mark.parametrize(
    ("members", "given", "value", "passed"),
    [
        (VALUES, "polite", "polite", True),
        (VALUES, "rude", "rude", False),
        ({"values": {"a": "good", "b": "bad"}}, "b", "b", None),
        (SCALE, 0.8, 0.8, True),
        (SCALE, 0, 0.0, False),
        ({"scale": {"min": 1, "max": 5}}, 3, 3.0, None),
        ({}, True, True, True),
        ({"boolean": True}, False, False, False),
    ],
)
def test_a_value_is_a_category_a_number_or_a_boolean(
    members: Members, given: object, value: object, passed: bool | None
) -> None:
    result = judge_by(Script([answer(given, [2, 99, 1])]), **members)()
    assert (result.status, result.value, result.passed) == ("ok", value, passed)
    assert type(result.value) is type(value)
    assert len(result.evidence) == 2  # there is no step 99
    assert result.rationale == "so"
    assert result.cost_usd == pytest.approx(COST)
    assert result.coverage == 1


@pytest.mark.parametrize(
    ("members", "text"),
    [
        (VALUES, "polite"),
        (VALUES, answer("Polite!")),
        (VALUES, answer(["polite"])),
        (VALUES, answer(True)),
        (SCALE, '{"value": NaN}'),
        (SCALE, '{"value": 1e999}'),
        (SCALE, answer(1.01)),
        (SCALE, answer(True)),
        (SCALE, answer("1")),
        ({}, answer("true")),
        ({}, answer(1)),
        ({}, '{"rationale": "none"}'),
        ({}, "[true]"),
        ({}, ""),
        ({}, answer(True, rationale="x" * (1 << 20))),
        ({}, "{" * 100_000),
    ],
)
def test_an_answer_that_is_none_is_an_error(members: Members, text: str) -> None:
    script = Script([text])
    result = judge_by(script, **members, tries=3)()
    assert (result.status, result.error_code) == ("error", "invalid_answer")
    assert (result.value, result.passed) == (None, None)
    assert len(script.asked) == 3
    assert result.cost_usd == pytest.approx(3 * COST)  # failed calls cost too


def test_an_invalid_answer_is_told_to_the_model_once_more() -> None:
    script = Script([answer("maybe"), f"```json\n{answer('rude')}\n```"])
    result = judge_by(script, **VALUES)()
    assert result.value == "rude"
    assert "'maybe' is no category" in script.asked[1].system
    assert result.metrics["calls"] == 2


def test_the_majority_of_categories_and_the_median_of_numbers_win() -> None:
    votes = [answer("rude"), answer("polite", rationale="kind"), answer("polite", [1])]
    result = judge_by(Script(votes), **VALUES, votes=3)()
    assert (result.value, result.rationale, result.metrics["votes"]) == ("polite", "kind", 3)
    assert result.metrics["agreement"] == pytest.approx(2 / 3)
    result = judge_by(Script([answer(0.1), answer(0.9), answer(0.3)]), **SCALE, votes=3)()
    assert result.value == 0.3
    assert result.metrics["spread"] == pytest.approx(0.8)


def test_votes_without_a_majority_are_an_error() -> None:
    votes = [answer("a"), answer("b"), answer("c")]
    result = judge_by(Script(votes), values=["a", "b", "c"], votes=3)()
    assert (result.status, result.error_code) == ("error", "no_majority")


def test_what_passes_is_asked_again_after_longer_and_longer_waits() -> None:
    told = ModelError(ErrorCode.PROVIDER_FAILED, "503", is_retryable=True, retry_after_s=7)
    judge = judge_by(Script([BUSY, BUSY, told, answer(True)]))
    assert judge().value is True
    first, second, third = judge.waits
    assert 0.5 <= first <= 1 <= second <= 2
    assert 7 < third <= 8


def test_a_provider_that_wants_a_long_pause_is_not_asked_again() -> None:
    far = ModelError(ErrorCode.PROVIDER_FAILED, "429", is_retryable=True, retry_after_s=3_600)
    script = Script([far])
    judge = judge_by(script)
    assert judge().error_code == "provider_failed"
    assert (len(script.asked), judge.waits) == (1, [])


def test_what_every_call_would_answer_stops_all_that_follow() -> None:
    script = Script([DENIED, answer(True)])
    judge = judge_by(script)
    assert [judge().error_code for _ in range(3)] == ["provider_denied"] * 3
    assert len(script.asked) == 1


def test_failures_in_a_row_stop_the_judge() -> None:
    script = Script([BUSY])
    judge = judge_by(script, tries=2)
    results = [judge() for _ in range(client.BREAKER + 3)]
    assert {result.error_code for result in results} == {"provider_failed"}
    assert len(script.asked) == 2 * client.BREAKER
    assert "in a row" in results[-1].rationale


def test_a_budget_skips_what_is_beyond() -> None:
    budgets: list[tuple[Members, int]] = [
        ({"calls": 2}, 2),
        ({"tokens": 1_101}, 2),
        ({"usd": 1.5 * COST}, 2),
        ({"usd": 0}, 0),
    ]
    for budget, most in budgets:
        script = Script([answer(True)])
        judge = judge_by(script, budget=budget)
        statuses = [judge().status for _ in range(4)]
        assert statuses == ["ok"] * most + ["skipped"] * (4 - most)
        assert len(script.asked) == most


def test_tokens_that_the_provider_does_not_tell_are_estimated_for_the_budget() -> None:
    judge = judge_by(Script([Reply(answer(True))]), budget={"tokens": 10})
    first = judge()
    assert (first.status, first.cost_usd) == ("ok", None)  # the cost is unknown, not 0
    assert judge().status == "skipped"


def test_the_cost_of_a_model_without_a_price_is_unknown() -> None:
    result = judge_by(Script([answer(True)]), model="openai-chat:own-model-of-ours")()
    assert (result.status, result.cost_usd) == ("ok", None)


def test_a_second_run_costs_nothing_and_says_so(tmp_path: Path) -> None:
    script = Script([answer(True, rationale="first"), answer(False)])
    cache = Cache(tmp_path / "judge", 60)
    first = judge_by(script, cache=cache, votes=1)()
    again = judge_by(script, cache=cache, votes=1)()
    assert len(script.asked) == 1
    assert (again.value, again.rationale, again.evidence) == (True, "first", first.evidence)
    assert (first.metrics["cached"], again.metrics["cached"]) == (0, 1)
    assert again.cost_usd == 0
    other = judge_by(script, cache=cache, seed=1)()
    assert (other.value, other.metrics["cached"]) == (False, 0)


def test_each_vote_is_kept_and_old_or_broken_files_are_none(tmp_path: Path) -> None:
    now = [0.0]
    cache = Cache(tmp_path, 60, lambda: now[0])
    script = Script([answer(0.1), answer(0.2), answer(0.3)])
    judge = judge_by(script, cache=cache, **SCALE, votes=3)
    assert judge().value == judge().value == 0.2
    assert len(script.asked) == 3
    files = [path for path in tmp_path.glob("*/*") if path.is_file()]
    assert {path.stat().st_mode & 0o077 for path in files} == {0}
    for path in files:
        path.write_text("{")
    judge()
    assert len(script.asked) == 6
    now[0] = 1e12
    judge()
    assert len(script.asked) == 9


def test_a_cut_answer_gets_room_for_twice_as_much_once() -> None:
    cut = Reply('{"rationale": "long', Usage(10, 1_000), is_cut=True)
    script = Script([cut, answer(True)])
    assert judge_by(script)().value is True
    assert script.output_tokens == [1_000, 2_000]
    script = Script([cut])
    assert judge_by(script)().error_code == "output_limit"
    assert len(script.asked) == 2


def test_a_prompt_that_is_too_long_is_halved_once() -> None:
    run: list[object] = [*RUN[:3], {**RUN[3], "content": "word " * 12_000}, RUN[4]]
    long = ModelError(ErrorCode.CONTEXT_OVERFLOW, "400")
    script = Script([long, answer(True)])
    result = judge_by(script)(run)
    first, second = (prompt.tokens for prompt in script.asked)
    assert second < 0.6 * first
    assert result.coverage is not None
    assert result.coverage < 0.6
    script = Script([long])
    assert judge_by(script)(run).error_code == "context_overflow"
    assert len(script.asked) == 2


def test_a_run_that_cannot_be_read_is_not_asked_about() -> None:
    script = Script([answer(True)])
    assert judge_by(script)("no run").error_code == "unreadable_run"
    assert not script.asked


def test_an_estimate_asks_nothing() -> None:
    script = Script([answer(True)])
    judge = judge_by(script, votes=3, output_tokens=500)
    estimate = judge.evaluator.judging.estimate
    assert estimate is not None
    found = estimate(Subject(RUN))
    assert (found.calls, found.output_tokens) == (3, 1_500)
    assert 600 < found.input_tokens < 3_000
    assert found.cost_usd is not None
    assert found.cost_usd > 0
    assert not script.asked


def test_labels_of_people_agree_with_a_scripted_judge() -> None:
    people, model = "yyynnnyyyy", "yynnnyyyyy"
    judge = judge_by(Script([answer(label) for label in model]), values=["y", "n"])
    judged = [judge().value for _ in people]
    assert kappa(list(people), judged) == pytest.approx(0.5238, abs=5e-5)


@pytest.mark.parametrize(
    ("members", "key"),
    [
        ({"votes": 2}, "votes"),
        ({"values": ["a"]}, "values"),
        ({"values": ["a", "a"]}, "values"),
        ({"values": ["a", "b"], "pass": ["c"]}, "pass"),
        ({"values": ["a", "b"], "boolean": True}, "one of values"),
        ({"threshold": 1}, "threshold"),
        ({"scale": {"min": 0, "max": 1}, "threshold": 2}, "threshold"),
        ({"scale": {"min": 1, "max": 1}}, "min 1"),
        ({"model": "gpt-4o"}, "model"),
        ({"context_tokens": 1_000}, "context_tokens"),
        ({"criteria": "x" * 20_000, "context_tokens": 8_000}, "criteria"),
        ({"model": "openai-chat:own", "budget": {"usd": 1}}, "price"),
        ({"api_key": "sk-1"}, "api_key"),
        ({"temperature": True}, "temperature"),
    ],
)
def test_a_configuration_that_cannot_be_meant_is_refused(members: Members, key: str) -> None:
    with pytest.raises(InvalidEvaluatorError, match=key):
        make_evaluator({"kind": "judge", "model": MODEL, "criteria": "?", **members})


def test_the_configuration_is_kept_under_its_own_keys() -> None:
    made = make_evaluator({**VALUES, "kind": "judge", "model": MODEL, "criteria": "?"})
    assert made.config["pass"] == ["polite"]


def test_it_is_awaited_without_stopping_the_loop() -> None:
    async def judged() -> list[dict[str, Any]]:
        return await spanloom.aevaluate(RUN, {"kind": "rules", "rules": {"max_steps": 9}})

    assert asyncio.run(judged())[0]["passed"] is True
