"""Limits per minute, and budgets per day."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.judged_runs import model, run
from tests.support.scripted_judge import COST, MODEL, RUN, Script, answer, judge_by

from spanloom.evaluation import InvalidEvaluatorError
from spanloom.evaluation.judge.cache import Cache
from spanloom.evaluation.judge.config import Budget, Limits
from spanloom.evaluation.judge.ledger import BudgetSpentError, DayLedger
from spanloom.evaluation.judge.pace import Pace
from spanloom.evaluation.judge.spending import Spending, Tally
from spanloom.evaluation.making import make_evaluator

if TYPE_CHECKING:
    from pathlib import Path

DAY_S = 86_400.0
RUNS = [[{"role": "user", "content": str(n)}, RUN[-1]] for n in range(6)]


def test_a_minute_has_no_more_requests_than_its_limit() -> None:
    now = [0.0]
    pace = Pace(Limits(requests_per_minute=2), lambda: now[0])
    assert [pace.begin(9) for _ in range(4)] == [0, 0, 30, 60]
    now[0] = 120.0
    assert pace.begin(9) == 0


def test_tokens_are_given_back_when_the_answer_is_known() -> None:
    now = [0.0]
    pace = Pace(Limits(tokens_per_minute=600), lambda: now[0])
    assert pace.begin(600) == 0
    pace.end(600, 300)
    assert pace.begin(300) == 0
    assert pace.begin(600) == 60
    pace.end(600, 900)
    assert pace.begin(0) == 90
    now[0] = 3_600.0
    assert pace.begin(1_200) == 60  # tokens beyond one minute's limit take longer


def test_evaluators_of_one_model_and_limit_share_a_minute() -> None:
    script = Script([answer(True)])
    limits = {"requests_per_minute": 1.25}
    first, second = judge_by(script, limits=limits), judge_by(script, limits=limits)
    other = judge_by(script, limits={"requests_per_minute": 1.5})
    assert first().status == second().status == other().status == "ok"
    assert (first.waits, other.waits) == ([], [])
    (wait_s,) = second.waits
    assert 0 < wait_s <= 36


def test_a_day_has_one_budget_for_all_processes(tmp_path: Path) -> None:
    now = [10 * DAY_S]
    cache = Cache(tmp_path, 1e9, lambda: now[0])
    for budget, most in (({"calls": 2}, 2), ({"tokens": 1_101}, 2), ({"usd": 1.5 * COST}, 2)):
        now[0] += DAY_S
        members: dict[str, Any] = {"budget": {**budget, "per": "day"}, "seed": int(now[0])}
        script = Script([answer(True)])
        statuses = [judge_by(script, cache, **members)(run).status for run in RUNS[:4]]
        assert statuses == ["ok"] * most + ["skipped"] * (4 - most)
        again = judge_by(script, cache, **members)(RUNS[0])
        assert (again.status, again.cost_usd) == ("ok", 0)  # an answer from the cache costs nothing
        now[0] += DAY_S
        assert judge_by(script, cache, **members)(RUNS[5]).status == "ok"


def test_a_budget_of_a_day_says_so_and_its_file_is_private(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 60)
    result = judge_by(Script([]), cache, budget={"calls": 0, "per": "day"})()
    assert "budget.calls of 0 a day is spent" in result.rationale
    (file,) = (tmp_path / "spent").iterdir()
    assert file.stat().st_mode & 0o077 == 0


def test_what_cannot_be_counted_is_not_spent(tmp_path: Path) -> None:
    script, cache = Script([answer(True)]), Cache(tmp_path, 60)
    judge = judge_by(script, cache, budget={"calls": 5, "per": "day"})
    assert judge(RUNS[0]).status == "ok"
    (file,) = (tmp_path / "spent").iterdir()
    for broken in ("{", "[]", '{"day": "x"', '"text"'):
        file.write_text(broken)
        result = judge(RUNS[1])
        assert (result.status, len(script.asked)) == ("skipped", 1), broken
        assert str(file) in result.rationale


def test_a_budget_of_a_day_needs_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPANLOOM_JUDGE_CACHE", "")
    config = {"kind": "judge", "model": MODEL, "criteria": "?", "budget": {"per": "day"}}
    with pytest.raises(InvalidEvaluatorError, match=r"budget\.per"):
        make_evaluator(config)


def test_threads_spend_no_more_calls_than_a_day_has(tmp_path: Path) -> None:
    def spend(_: int) -> int:
        tally = Tally()
        ledger = DayLedger(tmp_path / "spent", lambda: 0.0)
        spending = Spending(Budget(calls=25, per="day"), MODEL, ledger)
        for _ in range(10):
            try:
                spending.begin(tally)
            except BudgetSpentError:
                break
        return tally.calls

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(spend, range(8))) == 25


def test_answers_are_kept_for_each_project_apart(tmp_path: Path) -> None:
    script, cache = Script([answer(True)]), Cache(tmp_path, 60)
    documents = [
        run([model("m1", 1, said="?")], extraction={"project": project})
        for project in ("a", "b", "a")
    ]
    cached = [judge_by(script, cache)(document).metrics["cached"] for document in documents]
    assert cached == [0, 0, 1]


@pytest.mark.parametrize(
    ("members", "key"),
    [
        ({"limits": {"requests_per_minute": 0}}, "limits.requests_per_minute"),
        ({"limits": {"tokens": 1}}, "limits.tokens"),
        ({"budget": {"per": "week"}}, "budget.per"),
        ({"windows": 0}, "windows"),
        ({"canary": "no"}, "canary"),
    ],
)
def test_limits_that_cannot_be_meant_are_refused(members: dict[str, Any], key: str) -> None:
    with pytest.raises(InvalidEvaluatorError, match=key):
        make_evaluator({"kind": "judge", "model": MODEL, "criteria": "?", **members})
