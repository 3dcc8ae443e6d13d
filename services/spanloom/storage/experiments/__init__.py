"""Stored evaluators and experiments in ClickHouse; the results of experiments are scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.experiment import (
    BEFORE_ALL_RESULTS,
    Experiment,
    ExperimentCounts,
    ExperimentEnd,
    ResultPlace,
    StoredEvaluator,
    Try,
)
from spanloom.storage.annotations.rows import living
from spanloom.storage.annotations.store import SCORE_ROWS
from spanloom.storage.deletions.hiding import alive
from spanloom.storage.engine.columns import STORED_AT, Columns
from spanloom.storage.engine.parameters import batched, within
from spanloom.storage.engine.remembered import Remembered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.access import Reach
    from spanloom.core.model.score import Score
    from spanloom.storage.engine.connection import Connection


_EVALUATORS = Columns(
    StoredEvaluator,
    {
        "Name": "name",
        "Version": "version",
        "ConfigHash": "config_hash",
        "Config": "config",
        "PutBy": "put_by",
        "AtUnixMicro": STORED_AT,
    },
)
_EXPERIMENTS = Columns(
    Experiment,
    {
        "Project": "project",
        "Name": "name",
        "Id": "id",
        "Request": "request",
        "Dataset": "dataset",
        "DatasetVersion": "dataset_version",
        "DatasetHash": "dataset_hash",
        "Evaluators": "evaluators",
        "Target": "target",
        "Repeats": "repeats",
        "Total": "total",
        "StartedBy": "started_by",
        "AtUnixMicro": STORED_AT,
    },
)


class ClickHouseEvaluators:
    """``EvaluatorStore`` in ClickHouse.

    It writes with the extractor's connection, and reads with the readers' connection.
    """

    def __init__(self, worker: Connection, reader: Connection) -> None:
        """Use the connections; the caller closes them."""
        self._worker = worker
        self._reader = reader

    def add(self, project: str, evaluator: StoredEvaluator) -> None:
        """See ``EvaluatorStore.add``."""
        row = {"Project": project, **_EVALUATORS.row(evaluator)}
        self._worker.insert_objects("evaluators", [row])

    def list(self, project: str, name: str = "") -> Sequence[StoredEvaluator]:
        """See ``EvaluatorStore.list``."""
        rows = self._reader.rows(
            "read_evaluators", columns=_EVALUATORS.columns, project=project, of_name=name
        )
        return list(map(_EVALUATORS.object, rows))


class ClickHouseExperiments:
    """``ExperimentStore`` in ClickHouse.

    Writes and most background reads use the extractor's connection; other reads use the readers'
    connection. The running experiments, which the service reads each second, are cached.
    """

    def __init__(self, worker: Connection, reader: Connection, *, is_alone: bool) -> None:
        """Use the connections, which the caller closes; see ``Remembered`` for ``is_alone``."""
        self._worker = worker
        self._reader = reader
        self._running: Remembered[Sequence[Experiment]] = Remembered(is_alone=is_alone)

    def start(self, experiment: Experiment, trace_ids: Sequence[str]) -> None:
        """See ``ExperimentStore.start``; the row that refers to the runs is stored after them."""
        columns = ("Project", "ExperimentId", "Place", "TraceId")
        place = experiment.project, experiment.id
        rows = ((*place, number, trace_id) for number, trace_id in enumerate(trace_ids))
        self._worker.insert("experiment_runs", columns, rows)
        with self._running.writes:
            self._worker.insert_objects("experiments", [_EXPERIMENTS.row(experiment)])

    def list(self, project: str, name: str = "") -> Sequence[Experiment]:
        """See ``ExperimentStore.list``."""
        rows = self._reader.rows(
            "read_experiments", columns=_EXPERIMENTS.columns, project=project, of_name=name
        )
        return list(map(_EXPERIMENTS.object, rows))

    def running(self, reach: Reach) -> Sequence[Experiment]:
        """See ``ExperimentStore.running``."""

        def read() -> Sequence[Experiment]:
            rows = self._worker.rows(
                "running_experiments", columns=_EXPERIMENTS.columns, reach=within(reach)
            )
            return tuple(map(_EXPERIMENTS.object, rows))

        return self._running.get(reach, read)

    def runs(self, project: str, experiment_id: str, first: int, limit: int) -> Sequence[str]:
        """See ``ExperimentStore.runs``."""
        rows = self._worker.rows(
            "experiment_runs",
            project=project,
            experiment_id=experiment_id,
            first=first,
            limit=limit,
        )
        return [row.TraceId for row in rows]

    def end(self, project: str, experiment_id: str, end: ExperimentEnd) -> None:
        """See ``ExperimentStore.end``."""
        row = {
            "Project": project,
            "ExperimentId": experiment_id,
            "Status": end.status,
            "Reason": end.reason,
        }
        with self._running.writes:
            self._worker.insert_objects("experiment_ends", [row])

    def ends(self, project: str) -> Mapping[str, ExperimentEnd]:
        """See ``ExperimentStore.ends``."""
        rows = self._reader.rows("experiment_ends", project=project)
        return {ended: ExperimentEnd(*end) for ended, *end in rows}

    def counts(self, project: str, name: str = "") -> Mapping[str, ExperimentCounts]:
        """See ``ExperimentStore.counts``."""
        rows = self._reader.rows(
            "count_results",
            project=project,
            experiment=name,
            alive=alive(self._reader, "scores"),
        )
        return {of: ExperimentCounts(int(done), int(errors)) for of, done, errors in rows}

    def judged(self, project: str, name: str, items: Sequence[str]) -> AbstractSet[Try]:
        """See ``ExperimentStore.judged``."""
        return {
            Try(row.Item, row.Repeat)
            for some in batched(items)
            for row in self._worker.rows(
                "judged_tries", project=project, experiment=name, items=some
            )
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
        last = after
        while len(found) < limit:
            page = self._page(project, name, limit, last, only)
            for score in living(self._reader, page, lambda one: one.key):
                found.setdefault(place_of(score), score)
            if len(page) < limit:
                break
            last = place_of(page[-1])
        return list(found.values())[:limit]

    def _page(
        self, project: str, name: str, limit: int, after: ResultPlace, only: str
    ) -> Sequence[Score]:
        rows = self._reader.rows(
            "experiment_scores",
            columns=SCORE_ROWS.columns,
            project=project,
            experiment=name,
            item=after.item,
            repeat=after.repeat,
            author=after.evaluator,
            score=after.score,
            only=only,
            limit=limit,
        )
        return list(map(SCORE_ROWS.object, rows))


def place_of(score: Score) -> ResultPlace:
    """Return the position of a score among the results of its experiment."""
    return ResultPlace(score.item, score.repeat, score.author, score.name)
