"""Judges trials: reads each trial's run, and converts the evaluators' results to scores."""

from __future__ import annotations

import time
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

import orjson

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.contract.result import Results
from spanloom.evaluation.files.judging import run_to_judge
from spanloom.judging.judging import Judged, judge_run
from spanloom.judging.scores import scores_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.model.experiment import Experiment
    from spanloom.core.model.score import Score
    from spanloom.core.ports.reading import DocumentReader
    from spanloom.evaluation.evaluator import Evaluator
    from spanloom.experiments.trials import Subject, Trial

T = TypeVar("T")


class TrialJudge:
    """Judges the trials of one experiment; thread-safe."""

    def __init__(
        self, documents: DocumentReader, experiment: Experiment, evaluators: Sequence[Evaluator]
    ) -> None:
        """Read runs from the experiment's project, and judge them with ``evaluators``."""
        self._documents = documents
        self._experiment = experiment
        self._evaluators = evaluators

    @property
    def is_slow(self) -> bool:
        """Whether an evaluator calls a model."""
        return any(one.kind == "judge" for one in self._evaluators)

    def judge(self, trial: Trial) -> Sequence[Score]:
        """Return the scores of a trial's stored run; if there is none, an error for each score."""
        subject = trial.subject
        if missing := self._missing(subject):
            return self.refuse(trial, ErrorCode.MISSING_RUN, missing)
        return self.judge_run(trial, subject.trace_id)

    def judge_run(self, trial: Trial, trace_id: str) -> Sequence[Score]:
        """Return the scores of a run; if the run is not stored, an error for each score."""
        project = self._experiment.project
        stored = self._documents.get(trace_id, Reach.only(project))
        if stored is None:
            reason = f"there is no run {trace_id} in project {project!r}"
            return self.refuse(trial, ErrorCode.MISSING_RUN, reason)
        run = run_to_judge(orjson.loads(stored), project)
        judged = judge_run(run.document, self._evaluators, expected=trial.subject.expected)
        return self._scores(trial, judged, TraceKey(project, trace_id), run.version)

    def refuse(self, trial: Trial, code: ErrorCode, reason: str) -> Sequence[Score]:
        """Return scores that have an error instead of a value, for an item without a run."""
        errors = [
            Judged(Results(one.name, one.kind).error(code, reason, name=score), "", one)
            for one in self._evaluators
            for score in one.judging.scores
        ]
        return self._scores(trial, errors, TraceKey(self._experiment.project, ""), 0)

    def _missing(self, subject: Subject) -> str:
        """Return why a subject has no run to judge; empty if it may have one."""
        own = self._experiment.project
        if subject.project not in ("", own):
            return (
                f"its run is in project {subject.project!r}: an experiment judges the runs of its "
                f"own, {own!r}"
            )
        return "" if subject.trace_id else f"the item {subject.item} names no run"

    def _scores(
        self, trial: Trial, judged: Sequence[Judged], key: TraceKey, version: int
    ) -> Sequence[Score]:
        return scores_of(
            judged,
            key,
            version,
            experiment=self._experiment.name,
            item=trial.subject.item,
            repeat=trial.repeat,
            at_us=time.time_ns() // 1_000,
        )


def run_concurrently(call: Callable[[T], Sequence[Score]], items: Sequence[T]) -> Sequence[Score]:
    """Call ``call`` for each item in a thread of its own; return the scores of all items.

    Raises the error of a failed call. The threads are daemons, so that they do not delay the exit
    of the process.
    """
    results: dict[int, Sequence[Score]] = {}
    failed: list[BaseException] = []

    def run(place: int, one: T) -> None:
        try:
            results[place] = call(one)
        except BaseException as error:  # raised again by the caller
            failed.append(error)

    threads = [Thread(target=run, args=pair, daemon=True) for pair in enumerate(items)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return [score for place in sorted(results) for score in results[place]]
