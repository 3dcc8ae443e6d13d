"""Evaluates conditions on the document of a run, and returns the evidence."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

from spanloom.core.document import Document
from spanloom.core.matching.compiled import compile_for_runs
from spanloom.core.matching.of_document import row_of
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.alerts.condition import RunCondition
    from spanloom.core.matching.compiled import RunTest
    from spanloom.core.matching.row import RunRow
    from spanloom.core.matching.verdict import Verdict

MOST_EVIDENCE = 20
"""Steps in the evidence of an event."""
MOST_STEPS = 5_000
"""Step ids that are stored with an event, to find steps that arrive later."""
MOST_LATE = 50
_MOST_TEXT = 500
"""Characters of the run's question."""
_MISREAD = (AttributeError, KeyError, OverflowError, TypeError, ValueError)
log = get_logger("alerts")


class RunVersion:
    """One version of a run, parsed from its document."""

    def __init__(self, row: RunRow, duplicate_of: str) -> None:
        """Use the row of a run; ``duplicate_of`` is the trace id of the run that this run repeats.

        ``duplicate_of`` is empty if the run is no duplicate.
        """
        self._row = row
        self.duplicate_of = duplicate_of
        self.version = row.version
        self.status = row.status

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self | None:
        """Return the run in a document; ``None`` if the document cannot be read."""
        viewed = Document(document)
        try:
            row = row_of(viewed)
            original = (viewed.extraction.duplicate_of or {}).get("trace_id", "")
        except _MISREAD as error:
            log.error("a document cannot be read", trace_id=viewed.id, error=str(error))
            return None
        return cls(row, original)

    def evaluate(
        self, condition: RunCondition, now_ns: int, store_match: bool | None
    ) -> Verdict | None:
        """Return whether a condition holds, with the evidence; ``None`` if unknown.

        ``store_match`` is the result of the store's query, which may have read an earlier version.
        It decides only conditions on annotations or scores, which documents lack. Other conditions
        are evaluated on the document: if the run has changed since the query, the change is
        announced and the run is evaluated again.
        """
        try:
            verdict = _compiled(condition, now_ns // 10**9)(self._row)
        except _MISREAD as error:
            trace_id = self._row.trajectory.trace_id
            log.error(
                "the condition of an alert cannot be evaluated for a run",
                trace_id=trace_id,
                error=str(error),
            )
            return None
        if condition.reads_scores:
            return None if store_match is None else verdict._replace(holds=store_match)
        return verdict

    def shown(self, verdict: Verdict) -> Mapping[str, Any]:
        """Return the data stored with an event: name, question, evidence, ids of all steps."""
        steps = [placed.step for placed in self._row.steps]
        deciding = [steps[at] for at in verdict.places[:MOST_EVIDENCE]]
        return {
            "name": self._row.trajectory.root.name,
            "question": self._row.question[:_MOST_TEXT],
            "evidence": [
                {"step_id": step.id, "name": step.name, "type": str(step.type)} for step in deciding
            ],
            "steps": [step.id for step in steps] if len(steps) <= MOST_STEPS else [],
        }

    def reason(self, before: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the reason to withdraw an event; ``before`` is the data stored by ``shown``."""
        if self.duplicate_of:
            return {"version": self.version, "duplicate_of": self.duplicate_of}
        return {"version": self.version, "late_spans": self._late(before)}

    def _late(self, before: Mapping[str, Any]) -> list[str]:
        """Return the ids of the steps that were not in the version of the event."""
        earlier_ids = set(before.get("steps") or ())
        late = [p.step.id for p in self._row.steps if earlier_ids and p.step.id not in earlier_ids]
        return late[:MOST_LATE]


@lru_cache(maxsize=256)
def _compiled(condition: RunCondition, now_s: int) -> RunTest:
    return compile_for_runs(condition.at(now_s * 10**9))
