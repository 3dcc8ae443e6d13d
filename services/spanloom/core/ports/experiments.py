"""The ports for storing evaluators and experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from spanloom.core.model.experiment import BEFORE_ALL_RESULTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.access import Reach
    from spanloom.core.model.experiment import (
        Experiment,
        ExperimentCounts,
        ExperimentEnd,
        ResultPlace,
        StoredEvaluator,
        Try,
    )
    from spanloom.core.model.score import Score


class EvaluatorStore(Protocol):
    """Stores evaluators of projects, in versions that never change."""

    def add(self, project: str, evaluator: StoredEvaluator) -> None:
        """Store a version, durable on return; the store sets its time.

        Of two versions with the same number the first counts; the caller must read the version to
        learn which of them was stored.
        """

    def list(self, project: str, name: str = "") -> Sequence[StoredEvaluator]:
        """Return the versions of all evaluators, or of ``name``, ordered by name and number."""


class ExperimentStore(Protocol):
    """Stores experiments: their definitions, the chosen runs, and how they ended.

    The results of experiments are stored as scores.
    """

    def start(self, experiment: Experiment, trace_ids: Sequence[str]) -> None:
        """Store an experiment with its runs, durable on return; the store sets its time.

        Of two experiments with the same name the first counts; the caller must read the experiment
        to learn which of them was stored.
        """

    def list(self, project: str, name: str = "") -> Sequence[Experiment]:
        """Return the experiments of a project, ordered by name, or only the experiment ``name``."""

    def running(self, reach: Reach) -> Sequence[Experiment]:
        """Return the experiments that have not ended, ordered by project and name."""

    def runs(self, project: str, experiment_id: str, first: int, limit: int) -> Sequence[str]:
        """Return up to ``limit`` trace ids of the experiment's runs, from index ``first`` on."""

    def end(self, project: str, experiment_id: str, end: ExperimentEnd) -> None:
        """Store how an experiment ended, durable on return; the store sets the time."""

    def ends(self, project: str) -> Mapping[str, ExperimentEnd]:
        """Return, keyed by id, how the experiments of a project ended; running ones are absent."""

    def counts(self, project: str, name: str = "") -> Mapping[str, ExperimentCounts]:
        """Return numbers of scores, keyed by experiment name, for all experiments or for ``name``.

        Scores may also name experiments that were not started in this store.
        """

    def judged(self, project: str, name: str, items: Sequence[str]) -> AbstractSet[Try]:
        """Return the tries (an item and the number of its repeat) that have scores already."""

    def results(
        self,
        project: str,
        name: str,
        limit: int,
        after: ResultPlace = BEFORE_ALL_RESULTS,
        only: str = "",
    ) -> Sequence[Score]:
        """Return up to ``limit`` current scores of an experiment after a position, in order.

        If ``only`` is set, only scores with this name are returned. If several scores have the same
        position, a score for a run takes precedence over a score for the item; otherwise the latest
        counts.
        """
