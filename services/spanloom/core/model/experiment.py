"""Experiments: many runs judged by the same evaluators; each run of an item is a try."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

MOST_EXPERIMENTS = 10_000
"""Maximum number of experiments in a project."""
MOST_RUNS = 100_000
"""Maximum number of runs in an experiment, repeats included."""
MOST_REPEATS = 1_000


class ExperimentStatus(StrEnum):
    """The status of an experiment."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment as it was started; it does not change afterwards."""

    project: str
    name: str
    id: str
    """The key under which the runs chosen for the experiment are stored."""
    request: str
    """The normalized request, as JSON."""
    dataset: str = ""
    """Name of the dataset; if empty, stored runs are judged without items."""
    dataset_version: int = 0
    dataset_hash: str = ""
    """The hash of the dataset's version."""
    evaluators: str = "[]"
    """JSON: a list of ``ChosenEvaluator`` as objects."""
    target: str = ""
    """JSON of the target that answers the items; if empty, the items' stored runs are judged."""
    repeats: int = 1
    total: int = 0
    """Number of runs to judge, repeats included."""
    started_by: str = ""
    at_us: int = 0
    """The time of the start in microseconds since the epoch, by the clock of the store."""


class ExperimentEnd(NamedTuple):
    """The end of an experiment; if several ends are stored, the first one counts."""

    status: str
    reason: str = ""
    """The reason why the experiment failed; empty otherwise."""
    at_us: int = 0
    """The time of the end in microseconds since the epoch, by the clock of the store."""


class ExperimentCounts(NamedTuple):
    """Counts of an experiment's runs, computed from its scores."""

    done: int = 0
    """Number of runs with results."""
    errors: int = 0
    """Number of these runs that could not be judged because the run is missing."""


class Try(NamedTuple):
    """One of the runs of an item in an experiment."""

    item: str
    repeat: int


class ResultPlace(NamedTuple):
    """The position of a result in the list of its experiment's results."""

    item: str = ""
    repeat: int = 0
    evaluator: str = ""
    score: str = ""


BEFORE_ALL_RESULTS = ResultPlace()


class StoredEvaluator(NamedTuple):
    """One version of an evaluator that a project stores."""

    name: str
    version: int
    """Counts the versions from 1."""
    config_hash: str
    config: str
    """The evaluator's configuration, as JSON."""
    put_by: str = ""
    at_us: int = 0
    """The time of storage in microseconds since the epoch, by the clock of the store."""
