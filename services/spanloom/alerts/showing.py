"""A run as its document has it: whether a line holds of it, and what shows that."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

from spanloom.core.document import Document
from spanloom.core.matching.compiled import compile_for_runs
from spanloom.core.matching.of_document import row_of
from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.alerts.question import RunLine
    from spanloom.core.matching.compiled import RunTest
    from spanloom.core.matching.row import RunRow
    from spanloom.core.matching.verdict import Verdict

MOST_EVIDENCE = 20
"""Steps that an event shows."""
MOST_STEPS = 5_000
"""Steps whose ids are kept, to tell which ones came late."""
MOST_LATE = 50
_MOST_TEXT = 500
"""Characters of a question."""
_MISREAD = (AttributeError, KeyError, OverflowError, TypeError, ValueError)
log = get_logger("alerts")


class ShownRun:
    """The version of a run that its document is."""

    def __init__(self, row: RunRow, duplicate_of: str) -> None:
        """Keep its row; ``duplicate_of`` is the run that it repeats, or empty."""
        self._row = row
        self.duplicate_of = duplicate_of
        self.version = row.version
        self.status = row.status

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self | None:
        """Return the run of a document; ``None`` for one that cannot be read."""
        viewed = Document(document)
        try:
            row = row_of(viewed)
            original = (viewed.extraction.get("duplicate_of") or {}).get("trace_id", "")
        except _MISREAD as error:
            log.error("a document cannot be read", trace_id=viewed.id, error=str(error))
            return None
        return cls(row, original)

    def asked(self, line: RunLine, now_ns: int, is_found: bool | None) -> Verdict | None:
        """Return whether a line holds, with what shows it; ``None`` if that is not known.

        ``is_found`` is what the store said before, of this version or the one before. It knows
        annotations and scores, which a document does not have. In everything else the two differ
        only if the run has changed in between: then it is announced again.
        """
        try:
            verdict = _compiled(line, now_ns // 10**9)(self._row)
        except _MISREAD as error:
            trace_id = self._row.trajectory.trace_id
            log.error("a line cannot be asked of a run", trace_id=trace_id, error=str(error))
            return None
        if line.reads_said:
            return None if is_found is None else verdict._replace(holds=is_found)
        return verdict

    def shown(self, verdict: Verdict) -> Mapping[str, Any]:
        """Return name, question, the steps that decide, and the ids of all steps."""
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
        """Return why it is taken back what an earlier version showed."""
        if self.duplicate_of:
            return {"version": self.version, "duplicate_of": self.duplicate_of}
        return {"version": self.version, "late_spans": self._late(before)}

    def _late(self, before: Mapping[str, Any]) -> list[str]:
        """Return the steps that the version before did not have."""
        known = set(before.get("steps") or ())
        late = [p.step.id for p in self._row.steps if known and p.step.id not in known]
        return late[:MOST_LATE]


@lru_cache(maxsize=256)
def _compiled(line: RunLine, now_s: int) -> RunTest:
    return compile_for_runs(line.at(now_s * 10**9))
