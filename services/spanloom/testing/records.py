"""What tests judged, kept at their items until their reports are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanloom.core.document import Document
from spanloom.evaluation.files.judging import given_run
from spanloom.evaluation.files.report import evaluator_row
from spanloom.evaluation.files.shown import show_evidence
from spanloom.testing.plugin import REPORT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.evaluation.contract.result import Result
    from spanloom.evaluation.evaluator import Evaluator

RECORDS = pytest.StashKey[list[dict[str, Any]]]()
"""Of an item: one record for each time that something was judged, as JSON values."""


class Recorder:
    """Keeps what one try of a test judges; a test that runs again begins anew."""

    def __init__(self, item: pytest.Item) -> None:
        """Forget what was kept of the item."""
        self._records: list[dict[str, Any]] = []
        item.stash[RECORDS] = self._records
        self._is_wanted = bool(item.config.getoption(REPORT))

    def record(
        self, document: Json, evaluators: Sequence[Evaluator], results: Sequence[Result]
    ) -> None:
        """Keep the results of a run, if there will be a report."""
        if not self._is_wanted:
            return
        run, steps = given_run(document), Document(document).by_id()
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
                    list(show_evidence(one.evidence, steps)) if one in bad else []
                    for one in results
                ],
            }
        )
