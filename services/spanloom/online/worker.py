"""Judges pending work items: reads each run once for all rules, and stores scores, then the items.

After a crash in between, the same items are judged again. Answers of models are cached, and storing
a score twice only adds a revision.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.model.online_rule import WAITING, WorkState
from spanloom.core.sharing import NONE, hold_all
from spanloom.evaluation.subject.run import Run, UnreadableRunError
from spanloom.online.budget import Budgets
from spanloom.online.candidate import Candidate
from spanloom.online.evaluator_cache import EvaluatorCache
from spanloom.online.intake import Intake
from spanloom.online.jobs import Ended, Job, Judging, Plan
from spanloom.online.outcome import BACKOFF_S, deferred, ended
from spanloom.online.pool import run_jobs
from spanloom.outage import Outage
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.online_rule import OnlineRule, RuleId, Work
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.sharing import Slices
    from spanloom.metrics import Metrics
    from spanloom.online.current import CurrentRules

EVERY_S = 1.0
BATCH = 500
"""Work items read by one query."""
MOST_BYTES = 16 << 20
"""Bytes of documents in memory at once; at least one document."""
THREADS = 4
"""Concurrent judgements that call models."""
EVER_US = 2**62
"""A time later than all due times."""


class OnlineWorker(RepeatingPart):
    """Judges in the background; after any crash, pending work items are still in the store."""

    name = "online-judge"

    def __init__(
        self,
        store: ReadingStore,
        rules: CurrentRules,
        metrics: Metrics,
        every_s: float = EVERY_S,
        outage: Outage | None = None,
        held: Callable[[], Slices] = hold_all,
        clock_ns: Callable[[], int] = time.time_ns,
        backoff_s: float = BACKOFF_S,
    ) -> None:
        """Judge the runs in this process's slices (``held``); ``outage`` logs store failures."""
        super().__init__(every_s)
        self._store = store
        self._rules = rules
        self._metrics = metrics
        self._outage = outage or Outage()
        self._held = held
        self._clock_ns = clock_ns
        self._intake = Intake(store.runs, store.online_rules, clock_ns)
        self._budgets = Budgets(store.online_rules, clock_ns)
        self._judging = Judging(EvaluatorCache(), self._budgets, clock_ns, backoff_s)
        self._settled: dict[RuleId, int] = {}
        """The time of the last change of a rule that was applied to its deferred work items."""

    def run_once(self) -> int:
        """Judge the next pending work items; return their number."""
        if (slices := self._held()) == NONE:
            return 0
        rules = {rule.id: rule for rule in self._rules.all()}
        for rule in rules.values():
            if self._settled.get(rule.id) != rule.at_us:
                self._look_through(slices, rule)
                self._settled[rule.id] = rule.at_us
        at_work = [r for r in rules.values() if not (r.is_deleted or r.is_paused)]
        spent = {rule.id for rule in at_work if self._budgets.is_spent(rule)}
        late = self._waiting(slices, spent, {WorkState.PENDING})
        self._keep([Ended(deferred(one, self._now_us())) for one in late])
        work = self._waiting(slices, {rule.id for rule in at_work} - spent, WAITING)
        self._judge(work, rules)
        return len(work) + len(late)

    def _look_through(self, slices: Slices, rule: OnlineRule) -> None:
        """Drop the work items of a deleted rule, or make deferred items of a changed rule pending.

        A change may have raised the rule's budget.
        """
        states = WAITING if rule.is_deleted else {WorkState.DEFERRED}
        after = WorkState.DROPPED if rule.is_deleted else WorkState.PENDING
        is_full = True
        while is_full:
            found = self._waiting(slices, [rule.id], states, at_us=EVER_US)
            now_us = self._now_us()
            woken = (replace(ended(one, after), due_us=min(one.due_us, now_us)) for one in found)
            self._store.online_rules.add_work(list(woken))
            is_full = len(found) == BATCH

    def _waiting(
        self,
        slices: Slices,
        rules: Collection[RuleId],
        states: Collection[WorkState],
        at_us: int | None = None,
    ) -> Sequence[Work]:
        if not rules:
            return ()
        at_us = self._now_us() if at_us is None else at_us
        return self._store.online_rules.waiting(slices, at_us, BATCH, rules, states)

    def _judge(self, work: Sequence[Work], rules: Mapping[RuleId, OnlineRule]) -> None:
        by_run = {
            key: list(own)
            for key, own in groupby(sorted(work, key=attrgetter("id")), attrgetter("key"))
        }
        keys = list(by_run)
        while keys and not self._stopping.is_set():
            found = self._store.documents.many(keys, MOST_BYTES)
            now, keys = keys[: len(found)], keys[len(found) :]
            documents = dict(zip(now, found, strict=True))
            self._judge_runs({key: by_run[key] for key in now}, documents, rules)

    def _judge_runs(
        self,
        by_run: Mapping[TraceKey, Sequence[Work]],
        documents: Mapping[TraceKey, bytes | None],
        rules: Mapping[RuleId, OnlineRule],
    ) -> None:
        history: dict[TraceKey, list[Work]] = {}
        for one in self._store.online_rules.work_of(list(by_run)):
            history.setdefault(one.key, []).append(one)
        done: list[Ended] = []
        slow: list[Plan] = []
        for key, work in by_run.items():
            try:
                run = _read(documents[key])
            except UnreadableRunError as error:
                done += [Ended(ended(one, WorkState.ERROR, str(error))) for one in work]
                continue
            for planned in self._planned(run, work, history.get(key, []), rules):
                if isinstance(planned, Plan) and planned.is_slow:
                    slow.append(planned)
                else:
                    done.append(
                        self._judging.run(planned) if isinstance(planned, Plan) else planned
                    )
        self._keep(done)
        jobs = [partial(self._judging.run, plan) for plan in slow]
        for batch in run_jobs(jobs, THREADS, self._stopping):
            self._keep(batch)

    def _planned(
        self,
        run: Run | None,
        work: Sequence[Work],
        history: Sequence[Work],
        rules: Mapping[RuleId, OnlineRule],
    ) -> Iterator[Plan | Ended]:
        """Yield a plan or a result for each rule that has work items for a run."""
        for rule_id, own in groupby(work, attrgetter("rule_id")):
            *older, newest = own  # sorted by the versions of rule and run
            yield from (Ended(ended(one, WorkState.DROPPED)) for one in older)
            rule = rules[rule_id]
            if run is None:
                yield Ended(ended(newest, WorkState.DROPPED))
            elif newest.rule_version < rule.version:
                candidate = Candidate.of_document(newest.key, run.document, newest.known_us)
                self._intake.take([candidate], [rule])
                yield Ended(ended(newest, WorkState.DROPPED))
            else:
                yield self._judging.plan(Job(rule, newest, history, run))

    def _keep(self, done: Iterable[Ended]) -> None:
        """Store scores, then work items; runs that have been deleted since are skipped."""
        ended_work = list(done)
        if not ended_work:
            return
        deleted = self._store.feed.deleted_among([one.work.key for one in ended_work])
        living = [one for one in ended_work if one.work.key not in deleted]
        if scores := [score for one in living for score in one.scores]:
            self._store.scores.add(scores)
        self._store.online_rules.add_work([one.work for one in living])
        self._budgets.stored()
        for one in living:
            self._metrics.online_runs.labels(one.work.rule, one.work.state.value).inc()

    def _now_us(self) -> int:
        return self._clock_ns() // 1_000

    def _round(self) -> None:
        with self._outage.watched(self.name):
            while self.run_once() and not self._stopping.is_set():
                pass


def _read(document: bytes | None) -> Run | None:
    return None if document is None else Run(document)
