"""Experiments: many runs judged by the same evaluators; each run of an item is a try."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

MOST_EXPERIMENTS = 10_000
"""The most experiments of a project."""
MOST_RUNS = 100_000
"""The most runs of an experiment, repeats included."""
MOST_REPEATS = 1_000


class ExperimentStatus(StrEnum):
    """The status of an experiment."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment as it was started; nothing of this changes afterwards."""

    project: str
    name: str
    id: str
    """The key by which the store finds its chosen runs."""
    request: str
    """JSON of the normalized request."""
    dataset: str = ""
    """Name of the dataset; empty: stored runs are judged without items."""
    dataset_version: int = 0
    dataset_hash: str = ""
    """The hash of the version."""
    evaluators: str = "[]"
    """JSON: a list of ``ChosenEvaluator`` as objects."""
    target: str = ""
    """JSON of the target that answers the items; empty: their stored runs are judged."""
    repeats: int = 1
    total: int = 0
    """Runs to judge, repeats included."""
    started_by: str = ""
    at_us: int = 0
    """When it was started, in microseconds since the epoch, by the clock of the store."""


class ExperimentEnd(NamedTuple):
    """How an experiment ended; of several ends the first one counts."""

    status: str
    reason: str = ""
    """Why it failed; empty otherwise."""
    at_us: int = 0
    """In microseconds since the epoch, by the clock of the store."""


class ExperimentCounts(NamedTuple):
    """Counts over the scores of an experiment."""

    done: int = 0
    """Runs with results."""
    errors: int = 0
    """How many of them could not be judged, as there is no run."""


class Try(NamedTuple):
    """One try of an item."""

    item: str
    repeat: int


class ResultPlace(NamedTuple):
    """The place of a result among those of its experiment."""

    item: str = ""
    repeat: int = 0
    evaluator: str = ""
    score: str = ""


BEFORE_ALL_RESULTS = ResultPlace()


class StoredEvaluator(NamedTuple):
    """One version of an evaluator that a project stores."""

    name: str
    version: int
    """From 1."""
    config_hash: str
    config: str
    """JSON: the mapping of the evaluator."""
    put_by: str = ""
    at_us: int = 0
    """When it was stored, in microseconds since the epoch, by the clock of the store."""
