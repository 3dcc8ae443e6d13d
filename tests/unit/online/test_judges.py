"""Online rules that ask a model retry, defer, keep their budgets and ask in parallel."""

from __future__ import annotations

from threading import Barrier, Lock
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.online import Online, trace

from spanloom.core.model.online_rule import RuleBudget, RuleProgress, WorkState
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.contract.result import Results
from spanloom.evaluation.contract.view import WHOLE
from spanloom.evaluation.evaluator import Evaluator, Judging
from spanloom.online import evaluator_cache, worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanloom.evaluation.contract.result import Result
    from spanloom.evaluation.subject.subject import Subject

RESULTS = Results("polite", "judge")
DAY_S = 24 * 3600


class Model:
    """An evaluator that answers as a test sets: a value, an error code or ``skipped``."""

    def __init__(self) -> None:
        self.answer: object = True
        self.asked: list[str] = []
        self.before: Callable[[], object] = int
        self._lock = Lock()

    def judge(self, subject: Subject) -> Iterator[Result]:
        with self._lock:
            self.asked.append(subject.run.trace_id)
        self.before()
        metrics = {"calls": 1.0, "input_tokens": 90.0, "output_tokens": 10.0}
        told: dict[str, Any] = {"metrics": metrics, "cost_usd": 0.25}
        if isinstance(self.answer, ErrorCode):
            yield RESULTS.error(self.answer, "the provider answered 500", **told)
        elif self.answer == "skipped":
            yield RESULTS.skipped("budget.usd of 1 is spent", **told)
        else:
            yield RESULTS.judged(True, True, **told)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    model = Model()
    judging = Judging(WHOLE, model.judge, ("polite",), model_scores={"polite"})
    polite = Evaluator("polite", "judge", {}, "h", judging)
    monkeypatch.setattr(evaluator_cache, "evaluators_of", lambda _: [polite])
    return model


@pytest.fixture
def online(model: Model) -> Online:
    assert not model.asked
    online = Online()
    online.put()
    return online


def test_a_provider_that_fails_is_asked_again_later(online: Online, model: Model) -> None:
    model.answer = ErrorCode.PROVIDER_FAILED
    online.send(trace(1))
    for asked, wait_s in enumerate((0, 31, 121, 481), start=1):
        online.tick(wait_s)
        online.turn()
        assert len(model.asked) == asked
        assert online.progress().pending == 1
        online.turn()
        assert len(model.asked) == asked
    assert online.scores() == []
    model.answer = True
    online.tick(1921)
    online.turn()
    assert online.progress() == RuleProgress(done=1)
    (score,) = online.scores()
    assert (score.source, score.passed, score.cost, score.input_tokens) == ("llm", True, 0.25, 90)
    assert online.store.online_rules.spent("travel", "r1", 0) == (1.25, 500, 5, 1)


def test_a_provider_that_does_not_come_back_is_an_error(online: Online, model: Model) -> None:
    model.answer = ErrorCode.PROVIDER_DENIED
    online.send(trace(1))
    for _ in range(9):
        online.turn()
        online.tick(4000)
    assert len(model.asked) == 5
    assert online.progress() == RuleProgress(error=1)
    (score,) = online.scores()
    assert (score.status, score.error_code) == ("error", "provider_denied")
    (work,) = online.store.online_rules.work_of([trace(1)])
    assert (work.state, work.error) == (WorkState.ERROR, "the provider answered 500")


def test_an_answer_that_is_refused_is_not_asked_for_again(online: Online, model: Model) -> None:
    model.answer = ErrorCode.MODEL_REFUSED
    online.send(trace(1))
    online.turn()
    online.tick(DAY_S)
    online.turn()
    assert (len(model.asked), online.progress()) == (1, RuleProgress(error=1))


def test_a_judge_whose_own_budget_is_spent_waits_for_the_next_day(
    online: Online, model: Model
) -> None:
    model.answer = "skipped"
    online.send(trace(1))
    online.turn()
    online.turn()
    assert (len(model.asked), online.progress()) == (1, RuleProgress(deferred=1))
    model.answer = True
    online.tick(DAY_S)
    online.turn()
    assert online.progress() == RuleProgress(done=1)


@pytest.mark.parametrize(
    "budget", [RuleBudget(usd=1.0), RuleBudget(tokens=350), RuleBudget(calls=4)]
)
def test_a_budget_is_exceeded_by_no_more_than_is_in_flight(
    online: Online, model: Model, budget: RuleBudget
) -> None:
    online.put(budget=budget)
    for number in range(20):
        online.send(trace(number))
    online.turn()
    told = online.progress()
    assert 4 <= told.done < 4 + worker.THREADS
    assert told.deferred == 20 - told.done
    assert len(model.asked) == told.done


def test_models_are_asked_side_by_side(online: Online, model: Model) -> None:
    model.before = Barrier(worker.THREADS, timeout=20).wait
    for number in range(2 * worker.THREADS):
        online.send(trace(number))
    online.turn()
    assert online.progress().done == 2 * worker.THREADS


def test_no_answer_is_waited_for_once_the_process_stops(online: Online, model: Model) -> None:
    model.before = online.worker._stopping.set
    for number in range(3 * worker.THREADS):
        online.send(trace(number))
    online.follower.run_once()
    online.worker.run_once()
    assert len(model.asked) <= worker.THREADS
    online.restart()
    model.before = int
    online.turn()
    assert online.progress().done == 3 * worker.THREADS


def test_a_judge_that_crashes_is_an_error_of_its_run_alone(online: Online, model: Model) -> None:
    def crash() -> None:
        if model.asked[-1] == trace(1).trace_id:
            raise KeyError("odd")

    model.before = crash
    for number in (1, 2):
        online.send(trace(number))
        online.turn()
    assert online.progress() == RuleProgress(done=1, error=1)
