"""In-memory evaluators and experiments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.memory_state import MemorySubject

from spanloom.core.model.experiment import (
    BEFORE_ALL_RESULTS,
    ExperimentCounts,
    ExperimentEnd,
    ResultPlace,
    StoredEvaluator,
    Try,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.access import Reach
    from spanloom.core.model.experiment import Experiment
    from spanloom.core.model.score import Score


class MemoryEvaluators(MemorySubject):
    """Versions of evaluators by project, name and number."""

    def add(self, project: str, evaluator: StoredEvaluator) -> None:
        """See ``EvaluatorStore.add``."""
        stored = evaluator._replace(at_us=self._state.clock_ns() // 1_000)
        place = project, evaluator.name, evaluator.version
        with self._state.lock:
            self._state.evaluators.setdefault(place, stored)

    def list(self, project: str, name: str = "") -> Sequence[StoredEvaluator]:
        """See ``EvaluatorStore.list``."""
        with self._state.lock:
            found = sorted(self._state.evaluators.items())
        return [one for (own, named, _), one in found if own == project and name in ("", named)]


class MemoryExperiments(MemorySubject):
    """Experiments by project and name; their results are scores."""

    def start(self, experiment: Experiment, trace_ids: Sequence[str]) -> None:
        """See ``ExperimentStore.start``."""
        stored = replace(experiment, at_us=self._state.clock_ns() // 1_000)
        with self._state.lock:
            self._state.experiments.setdefault((experiment.project, experiment.name), stored)
            self._state.experiment_runs[experiment.project, experiment.id] = list(trace_ids)

    def list(self, project: str, name: str = "") -> Sequence[Experiment]:
        """See ``ExperimentStore.list``."""
        with self._state.lock:
            found = sorted(self._state.experiments.items(), key=lambda item: item[0])
        return [one for (own, named), one in found if own == project and name in ("", named)]

    def running(self, reach: Reach) -> Sequence[Experiment]:
        """See ``ExperimentStore.running``."""
        with self._state.lock:
            found = sorted(self._state.experiments.items(), key=lambda item: item[0])
            ended = set(self._state.experiment_ends)
        return [one for (own, _), one in found if reach.covers(own) and (own, one.id) not in ended]

    def runs(self, project: str, experiment_id: str, first: int, limit: int) -> Sequence[str]:
        """See ``ExperimentStore.runs``."""
        chosen = self._state.experiment_runs.get((project, experiment_id), [])
        return chosen[first : first + limit]

    def end(self, project: str, experiment_id: str, end: ExperimentEnd) -> None:
        """See ``ExperimentStore.end``."""
        stored = end._replace(at_us=self._state.clock_ns() // 1_000)
        with self._state.lock:
            self._state.experiment_ends.setdefault((project, experiment_id), stored)

    def ends(self, project: str) -> Mapping[str, ExperimentEnd]:
        """See ``ExperimentStore.ends``."""
        with self._state.lock:
            found = self._state.experiment_ends.items()
            return {ended: end for (own, ended), end in found if own == project}

    def counts(self, project: str, name: str = "") -> Mapping[str, ExperimentCounts]:
        """See ``ExperimentStore.counts``."""
        tries: dict[str, dict[Try, bool]] = {}
        for score in self._scores(project, name):
            own = tries.setdefault(score.experiment, {})
            at = Try(score.item, score.repeat)
            own[at] = own.get(at, False) or bool(score.key.trace_id)
        return {
            of: ExperimentCounts(len(own), len(own) - sum(own.values()))
            for of, own in tries.items()
        }

    def judged(self, project: str, name: str, items: Sequence[str]) -> AbstractSet[Try]:
        """See ``ExperimentStore.judged``."""
        with self._state.lock:
            return {
                Try(score.item, score.repeat)
                for score in self._state.scores.values()
                if (score.key.project, score.experiment) == (project, name) and score.item in items
            }

    def results(
        self,
        project: str,
        name: str,
        limit: int,
        after: ResultPlace = BEFORE_ALL_RESULTS,
        only: str = "",
    ) -> Sequence[Score]:
        """See ``ExperimentStore.results``."""
        found: dict[ResultPlace, Score] = {}
        for score in sorted(self._scores(project, name), key=_latest_last):
            if only in ("", score.name):
                found[ResultPlace(score.item, score.repeat, score.author, score.name)] = score
        return [found[place] for place in sorted(found) if place > after][:limit]

    def _scores(self, project: str, name: str) -> Sequence[Score]:
        with self._state.lock:
            return [
                score
                for score in self._state.scores.values()
                if score.key.project == project
                and score.experiment
                and name in ("", score.experiment)
                and not score.is_deleted
                and score.key not in self._state.deleted
            ]


def _latest_last(score: Score) -> tuple[bool, int]:
    return bool(score.key.trace_id), score.revision
