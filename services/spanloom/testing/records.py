"""Stores the judgements of a test on its pytest item until pytest makes the test's report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanloom.core.document import Document
from spanloom.core.model.span import TraceKey
from spanloom.evaluation.evaluate import fingerprints
from spanloom.evaluation.files.excerpts import excerpts_of
from spanloom.evaluation.files.judging import run_to_judge
from spanloom.evaluation.files.report import evaluator_row
from spanloom.evaluation.subject.run import Run
from spanloom.testing.options import REPORT, SEND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.evaluation.contract.result import Result
    from spanloom.evaluation.evaluator import Evaluator

RECORDS = pytest.StashKey[list[dict[str, Any]]]()
"""The records of a test item, one for each judgement, as JSON values."""


class Recorder:
    """Stores the judgements of one try of a test; every try starts without judgements."""

    def __init__(self, item: pytest.Item) -> None:
        """Remove the records of an earlier try from the item."""
        self._records: list[dict[str, Any]] = []
        item.stash[RECORDS] = self._records
        self._is_sent = bool(item.config.getoption(SEND))
        self._is_wanted = self._is_sent or bool(item.config.getoption(REPORT))

    def record(
        self,
        document: Json,
        evaluators: Sequence[Evaluator],
        results: Sequence[Result],
        groups: Sequence[Json],
    ) -> None:
        """Record a run's results if a report needs them; ``groups`` are its ``resourceSpans``."""
        if not self._is_wanted:
            return
        run, steps = run_to_judge(document), Document(document).by_id()
        bad = [one for one in results if one.evidence and one.passed is not True]
        self._records.append(
            {
                "started_at": run.started_at,
                "run": {
                    "trace_id": run.trace_id,
                    "project": run.project,
                    "version": run.version,
                },
                "evaluators": [evaluator_row(one) for one in evaluators],
                "warns": sorted(frozenset().union(*(e.judging.warn_scores for e in evaluators))),
                "results": [one.to_json() for one in results],
                "shown": [
                    list(excerpts_of(one.evidence, steps)) if one in bad else [] for one in results
                ],
                "spans": list(groups) if self._is_sent else [],
                "scores": _scores(document, evaluators, results) if self._is_sent else [],
            }
        )


def _scores(
    document: Json, evaluators: Sequence[Evaluator], results: Sequence[Result]
) -> list[Json]:
    """Return results as rows of scores, without experiment, item and repeat."""
    from spanloom.client.evaluating.sending import row_of  # noqa: PLC0415  # only to send
    from spanloom.judging.judging import Judged  # noqa: PLC0415
    from spanloom.judging.scores import scores_of  # noqa: PLC0415

    run = run_to_judge(document)
    prints = fingerprints(Run(document), evaluators)
    by_name = {one.name: one for one in evaluators}
    judged = [Judged(one, prints[one.evaluator], by_name[one.evaluator]) for one in results]
    key = TraceKey(run.project, run.trace_id)
    return [row_of(score) for score in scores_of(judged, key, run.version)]
