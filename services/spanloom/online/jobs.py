"""Judges one run by one rule: turns a work item into scores and the next state of the item."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.online_rule import Spent, WorkState
from spanloom.core.model.trajectory import Status
from spanloom.evaluation.evaluate import fingerprints
from spanloom.judging.judging import judge_run
from spanloom.judging.scores import scores_of
from spanloom.logs import get_logger
from spanloom.online.candidate import is_ripe
from spanloom.online.evaluator_cache import costs
from spanloom.online.outcome import (
    BACKOFF_S,
    before_of,
    deferred,
    due_evaluators,
    ended,
    is_enough,
    outcome_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.model.online_rule import OnlineRule, Work
    from spanloom.core.model.score import Score
    from spanloom.evaluation.evaluator import Evaluator
    from spanloom.evaluation.subject.run import Run
    from spanloom.online.budget import Budgets
    from spanloom.online.evaluator_cache import EvaluatorCache
    from spanloom.online.outcome import Before

log = get_logger("online")


class Ended(NamedTuple):
    """The result of a job: the work item with its next state, and the scores."""

    work: Work
    scores: Sequence[Score] = ()


class Job(NamedTuple):
    """A run to judge by a rule, with the work item for it."""

    rule: OnlineRule
    work: Work
    history: Sequence[Work]
    """All work items for the run."""
    run: Run


@dataclass(frozen=True)
class Plan:
    """A job, with the evaluators for which the run has changed."""

    job: Job
    due: Sequence[Evaluator]
    before: Before
    version: int
    """The version of the run in its document."""

    @property
    def is_slow(self) -> bool:
        """Whether an evaluator calls a model."""
        return costs(self.due)


class Judging:
    """Plans and runs jobs; thread-safe."""

    def __init__(
        self,
        evaluators: EvaluatorCache,
        budgets: Budgets,
        clock_ns: Callable[[], int] = time.time_ns,
        backoff_s: float = BACKOFF_S,
    ) -> None:
        """Use ``evaluators`` from the cache, within ``budgets``."""
        self._evaluators = evaluators
        self._budgets = budgets
        self._clock_ns = clock_ns
        self._backoff_s = backoff_s

    def plan(self, job: Job) -> Plan | Ended:
        """Return the plan for a job, or its result if there is nothing to judge."""
        try:
            return self._plan(job)
        except Exception as error:  # of a rule or a document; other jobs continue
            return self._failed(job.work, error)

    def run(self, plan: Plan) -> Ended:
        """Judge a run within the budget of its rule; never raises."""
        rule, work = plan.job.rule, plan.job.work
        if not self._budgets.begin(rule):
            return Ended(deferred(work, self._now_us()))
        spent = Spent()
        try:
            judged = judge_run(plan.job.run, plan.due)
            outcome = outcome_of(work, plan.before, judged, self._now_us(), self._backoff_s)
            spent = outcome.spent
            scores = scores_of(
                outcome.final,
                work.key,
                plan.version,
                rule_id=rule.name,
                at_us=outcome.work.judged_us,
            )
            return Ended(outcome.work, scores)
        except Exception as error:  # other jobs continue
            return self._failed(work, error)
        finally:
            self._budgets.end(rule, spent)

    def _plan(self, job: Job) -> Plan | Ended:
        document, rule, work = job.run.document, job.rule, job.work
        extraction = document.extraction
        status, is_repeat = extraction.status, extraction.duplicate_of is not None
        if is_repeat or not is_ripe(rule, status):
            return Ended(ended(work, WorkState.DROPPED))  # its next version is announced
        evaluators = self._evaluators.of(rule, self._now_us())
        before = before_of(work, job.history)
        due = due_evaluators(evaluators, before, fingerprints(job.run, evaluators))
        if not due:
            return Ended(ended(work, WorkState.DONE))
        is_settled = status is Status.SETTLED
        if is_enough(before, is_settled=is_settled):
            return Ended(ended(work, WorkState.STALE if is_settled else WorkState.DONE))
        return Plan(job, due, before, extraction.version or work.version)

    def _failed(self, work: Work, error: Exception) -> Ended:
        log.error("a run is not judged", rule=work.rule, **work.key._asdict(), error=str(error))
        return Ended(ended(work, WorkState.ERROR, f"{type(error).__name__}: {error}"))

    def _now_us(self) -> int:
        return self._clock_ns() // 1_000
