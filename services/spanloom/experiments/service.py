"""Starts, lists and cancels experiments."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.errors import ConflictError, InvalidQueryError, NotFoundError
from spanloom.core.model.experiment import (
    MOST_EXPERIMENTS,
    MOST_RUNS,
    Experiment,
    ExperimentCounts,
    ExperimentEnd,
    ExperimentStatus,
)
from spanloom.experiments.choosing import choose_runs
from spanloom.experiments.evaluators import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.dataset import DatasetVersion
    from spanloom.core.ports.experiments import ExperimentStore
    from spanloom.core.ports.reading import RunReader
    from spanloom.datasets.service import Datasets, ListedDataset
    from spanloom.evaluators.service import ChosenEvaluator, Evaluators
    from spanloom.experiments.request import ExperimentRequest


class UnknownExperimentError(NotFoundError):
    """The project has no such experiment (404)."""


class ExperimentRefusedError(ConflictError):
    """The request conflicts with stored experiments (409)."""


class ListedExperiment(NamedTuple):
    """An experiment and its progress."""

    experiment: Experiment
    end: ExperimentEnd | None
    counts: ExperimentCounts

    @property
    def status(self) -> str:
        """The status: ``running``, ``done``, ``failed`` or ``cancelled``."""
        return ExperimentStatus.RUNNING if self.end is None else self.end.status

    @property
    def total(self) -> int:
        """The number of runs to judge, or of runs with scores if a client sends the scores."""
        return self.experiment.total if self.experiment.id else self.counts.done

    @property
    def request(self) -> Mapping[str, Any]:
        """The parsed request; empty if only scores were sent."""
        return orjson.loads(self.experiment.request or "{}")  # type: ignore[no-any-return]


class Experiments:
    """The experiments of projects; thread-safe."""

    def __init__(
        self,
        store: ExperimentStore,
        runs: RunReader,
        datasets: Datasets,
        evaluators: Evaluators,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Use a store; ``clock_ns`` returns ns since the epoch."""
        self._store = store
        self._runs = runs
        self._datasets = datasets
        self._evaluators = evaluators
        self._clock_ns = clock_ns

    def listed(self, project: str) -> Sequence[ListedExperiment]:
        """Return a project's experiments, sorted by name, including those scored by clients."""
        ends, counts = self._store.ends(project), self._store.counts(project)
        started = {one.name: one for one in self._store.list(project)}
        return [
            _listed(started.get(name) or _sent(project, name), ends, counts)
            for name in sorted(started.keys() | counts.keys())
        ]

    def get(self, project: str, name: str) -> ListedExperiment:
        """Return an experiment; raises ``UnknownExperimentError``."""
        started = self._started(project, name)
        counts = self._store.counts(project, name)
        if started is None and name not in counts:
            raise UnknownExperimentError(f"There is no experiment {name!r} in project {project!r}.")
        return _listed(started or _sent(project, name), self._store.ends(project), counts)

    def start(
        self, project: str, name: str, request: ExperimentRequest, started_by: str
    ) -> ListedExperiment:
        """Start an experiment; repeating a request changes nothing.

        Raises ``ExperimentRefusedError`` if the name was used for another request or for scores
        that a client sent, ``InvalidEvaluatorError``, and ``InvalidQueryError`` for a missing or
        invalid selection of runs.
        """
        if (started := self._started(project, name)) is None:
            self._refuse_more(project, name)
            plan = self._plan(project, request)
            made = Experiment(
                project,
                name,
                secrets.token_hex(16),
                request.text,
                *plan.dataset,
                evaluators=text_of(plan.evaluators),
                repeats=request.repeats,
                total=_total(plan.items, request.repeats),
                started_by=started_by,
            )
            self._store.start(made, plan.trace_ids)
            started = self._started(project, name) or made
        if started.request != request.text:
            raise ExperimentRefusedError(
                f"There is an experiment {name!r} already, with another definition: "
                "use another name."
            )
        return self.get(project, name)

    def cancel(self, project: str, name: str) -> ListedExperiment:
        """End a running experiment; an ended experiment is unchanged.

        Raises ``UnknownExperimentError``.
        """
        listed = self.get(project, name)
        if listed.end is not None:
            return listed
        end = ExperimentEnd(ExperimentStatus.CANCELLED)
        self._store.end(project, listed.experiment.id, end)
        return self.get(project, name)

    def _started(self, project: str, name: str) -> Experiment | None:
        return next(iter(self._store.list(project, name)), None)

    def _refuse_more(self, project: str, name: str) -> None:
        if self._store.counts(project, name):
            raise ExperimentRefusedError(
                f"Scores of an experiment {name!r} were sent already: use another name."
            )
        if len(self._store.list(project)) >= MOST_EXPERIMENTS:
            raise ExperimentRefusedError(
                f"The project has {MOST_EXPERIMENTS:,} experiments already."
            )

    def _plan(self, project: str, request: ExperimentRequest) -> _Plan:
        if request.runs is not None:
            chosen = self._evaluators.choose(project, request.evaluators or ())
            trace_ids = choose_runs(self._runs, project, request.runs, self._clock_ns())
            return _Plan(chosen, len(trace_ids), trace_ids=trace_ids)
        dataset, version = self._version(project, request)
        evaluators = request.evaluators or orjson.loads(dataset.dataset.evaluators)
        if not evaluators:
            reason = f"the dataset {dataset.dataset.name!r} has none: name some"
            raise InvalidQueryError(reason, "evaluators")
        chosen = self._evaluators.choose(project, evaluators)
        place = _DatasetPlace(dataset.dataset.name, version.version, version.hash)
        return _Plan(chosen, version.items, place)

    def _version(
        self, project: str, request: ExperimentRequest
    ) -> tuple[ListedDataset, DatasetVersion]:
        """Return the dataset and the version that a request names; raises ``InvalidQueryError``."""
        try:
            name, number = request.dataset_place
        except ValueError as error:
            raise InvalidQueryError(str(error), "dataset") from error
        found = next((d for d in self._datasets.listed(project) if d.dataset.name == name), None)
        if found is None:
            raise InvalidQueryError(f"project {project!r} has no dataset {name!r}", "dataset")
        for version in reversed(found.versions):
            if number in (None, version.version):
                return found, version
        reason = f"{name!r} has no version {number}" if number else f"{name!r} has no version yet"
        raise InvalidQueryError(f"{reason}: a commit makes one", "dataset")


def _listed(
    experiment: Experiment,
    ends: Mapping[str, ExperimentEnd],
    counts: Mapping[str, ExperimentCounts],
) -> ListedExperiment:
    sent = None if experiment.id else ExperimentEnd(ExperimentStatus.DONE)
    end = ends.get(experiment.id, sent)
    return ListedExperiment(experiment, end, counts.get(experiment.name, ExperimentCounts()))


def _sent(project: str, name: str) -> Experiment:
    """Return an experiment that was not started here, because a client sends its scores."""
    return Experiment(project, name, id="", request="")


def _total(items: int, repeats: int) -> int:
    total = items * repeats
    if total > MOST_RUNS:
        reason = f"{total:,} runs are too many: {MOST_RUNS:,} at most, repeats among them"
        raise InvalidQueryError(reason, "repeats" if repeats > 1 else "dataset")
    return total


class _DatasetPlace(NamedTuple):
    name: str = ""
    version: int = 0
    hash: str = ""


class _Plan(NamedTuple):
    """The evaluators, and the items or runs, that a request selects."""

    evaluators: Sequence[ChosenEvaluator]
    items: int
    dataset: _DatasetPlace = _DatasetPlace()
    trace_ids: Sequence[str] = ()
