"""Runs experiments in the background; extraction has priority."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from spanloom.core.errors import PermanentError, RetryableError
from spanloom.core.model.access import Reach
from spanloom.core.model.experiment import ExperimentEnd, ExperimentStatus
from spanloom.core.sharing import hold_all
from spanloom.datasets.service import Datasets
from spanloom.experiments.evaluators import make_frozen
from spanloom.experiments.judging import TrialJudge
from spanloom.experiments.trials import Trials
from spanloom.experiments.work import Work
from spanloom.following.sharing import owns
from spanloom.logs import get_logger
from spanloom.outage import Outage
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.model.experiment import Experiment
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.sharing import Slices

EVERY_S = 1.0
"""Seconds between checks for started experiments."""
log = get_logger("experiments")


class ExperimentRunner(RepeatingPart):
    """Runs the experiments of a store; a component of the process that recovers from any crash.

    Example: after a kill it finds the scores that are already stored, and judges only the other
    runs.
    """

    name = "experiments"

    def __init__(
        self,
        store: ReadingStore,
        outage: Outage | None = None,
        held: Callable[[], Slices] = hold_all,
        every_s: float = EVERY_S,
    ) -> None:
        """Run the experiments of a store.

        ``outage`` logs failures of the store. All work is divided into
        slices; ``held`` returns the slices of this process, which runs the experiments whose key is
        in one of them.
        """
        super().__init__(every_s)
        self._store = store
        self._datasets = Datasets(store.datasets)
        self._outage = outage or Outage()
        self._held = held
        self._works: dict[str, Work] = {}
        """The unfinished ``Work`` of each experiment, keyed by its id."""

    def run_once(self) -> int:
        """Judge some trials of each running experiment; return the number of judged trials."""
        held = self._held()
        running = [
            one for one in self._store.experiments.running(Reach.ALL) if owns(held, _named(one))
        ]
        ids = {one.id for one in running}
        self._works = {of: work for of, work in self._works.items() if of in ids}
        return sum(self._do_piece(one) for one in running if not self._stopping.is_set())

    def _do_piece(self, experiment: Experiment) -> int:
        """Judge some trials of an experiment; end the experiment if no trial was left."""
        try:
            work = self._works.get(experiment.id) or self._begun(experiment)
            judged = work.do_piece()
            if not judged:
                self._end(experiment, ExperimentEnd(ExperimentStatus.DONE))
        except RetryableError:
            self._works.pop(experiment.id, None)  # a restart continues after the stored scores
            raise
        except PermanentError as error:
            log.warning("an experiment failed", experiment=experiment.name, error=str(error))
            self._end(experiment, ExperimentEnd(ExperimentStatus.FAILED, str(error)))
        except Exception as error:  # one experiment never stops the others
            log.error("an experiment crashed", experiment=experiment.name, exc_info=error)
            reason = f"{type(error).__name__}: {error}"[:1_000]
            self._end(experiment, ExperimentEnd(ExperimentStatus.FAILED, reason))
        else:
            return judged
        return 0

    def _begun(self, experiment: Experiment) -> Work:
        evaluators = make_frozen(experiment.evaluators)
        work = Work(
            TrialJudge(self._store.documents, experiment, evaluators),
            self._store.scores,
            Trials(self._store.experiments, self._datasets, experiment),
        )
        self._works[experiment.id] = work
        return work

    def _end(self, experiment: Experiment, end: ExperimentEnd) -> None:
        self._store.experiments.end(experiment.project, experiment.id, end)
        self._works.pop(experiment.id, None)

    def _round(self) -> None:
        """Call ``run_once`` until no trial is left; pause for as long as each call took.

        A pause lasts at most ``every_s`` seconds. The pauses leave CPU time to extraction in the
        same process.
        """
        with self._outage.watched(self.name):
            while not self._stopping.is_set():
                began_s = time.monotonic()
                if not self.run_once():
                    break
                self._stopping.wait(min(time.monotonic() - began_s, self._every_s))


def _named(experiment: Experiment) -> str:
    """Return the key that assigns an experiment to a process."""
    return f"experiment {experiment.project} {experiment.name}"
