"""The trials of an experiment: each item or chosen run, once for each repeat."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.model.experiment import Try
from spanloom.datasets.service import UnknownDatasetError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.experiment import Experiment
    from spanloom.core.ports.experiments import ExperimentStore
    from spanloom.datasets.service import Datasets

_TRACE_ID = re.compile("[0-9a-f]{32}")
PAGE = 100
"""Items of one page."""


class Subject(NamedTuple):
    """The item of a dataset, or the chosen run, that a trial judges."""

    item: str
    trace_id: str
    """The trace id of the item's stored run; empty if the item names none."""
    expected: Mapping[str, Any] | None = None  # JSON values
    project: str = ""
    """The project of the item's run; empty if the item names none."""
    input: Any = None  # a JSON value


class Trial(NamedTuple):
    """One of the repeated judgements of an item or a run."""

    subject: Subject
    repeat: int


class Trials:
    """Finds the trials of an experiment that have no scores yet, page by page."""

    def __init__(self, store: ExperimentStore, datasets: Datasets, experiment: Experiment) -> None:
        """Read the items or runs of an experiment."""
        self._store = store
        self._datasets = datasets
        self._experiment = experiment

    def left(self) -> Iterator[Trial]:
        """Yield the trials without scores, with one page of items in memory.

        Raises ``UnknownDatasetError`` at the end if items have been deleted.
        """
        of, seen = self._experiment, 0
        for page in self._pages():
            items = [subject.item for subject in page]
            seen += len(items) * of.repeats
            judged = self._store.judged(of.project, of.name, items)
            for subject in page:
                for repeat in range(of.repeats):
                    if Try(subject.item, repeat) not in judged:
                        yield Trial(subject, repeat)
        if of.dataset and seen < of.total:
            raise UnknownDatasetError(f"The dataset {of.dataset!r} was deleted meanwhile.")

    def _pages(self) -> Iterator[Sequence[Subject]]:
        return self._items() if self._experiment.dataset else self._runs()

    def _items(self) -> Iterator[Sequence[Subject]]:
        of, last = self._experiment, ""
        while True:
            page = self._datasets.page(of.project, of.dataset, of.dataset_hash, last, PAGE)
            yield list(map(_subject, page.rows))
            if page.last is None:
                return
            last = page.last

    def _runs(self) -> Iterator[Sequence[Subject]]:
        of, first = self._experiment, 0
        while trace_ids := self._store.runs(of.project, of.id, first, PAGE):
            yield [Subject(trace_id, trace_id) for trace_id in trace_ids]
            first += len(trace_ids)


def _subject(row: Mapping[str, Any]) -> Subject:  # an item of a dataset
    source, key = row["source"] or {}, str(row["item_key"])
    named = source.get("trace_id") or (key if _TRACE_ID.fullmatch(key.lower()) else "")
    return Subject(
        key, str(named).lower(), row["expected"], source.get("project") or "", row["input"]
    )
