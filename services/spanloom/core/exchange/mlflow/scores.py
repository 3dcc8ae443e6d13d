"""Converts scores to assessments of an MLflow trace, and back.

A feedback is a score; expectations are metadata of the run. If a feedback overrides another with
the same name and author, it is a revision of the same score. If it overrides another author's
feedback, it is a separate score, and the overridden score is withdrawn at the same time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from spanloom.core.exchange.mlflow.assessments import assessments_of
from spanloom.core.exchange.scored import (
    kept_members,
    members_to_keep,
    moment_of,
    plain_value,
    same_score,
    usable,
)
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code
from spanloom.core.model.score import ADJUDICATION, IMPORT, OF_A_RUN
from spanloom.core.values.attributes import count, decimal, json_object, json_value
from spanloom.core.values.moments import rfc3339_ms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.exchange.mlflow.assessments import SourceAssessment
    from spanloom.core.exchange.scored import Row
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.model.score import Source

OURS: Final = "spanloom.score"
"""Key in an assessment's metadata for a JSON object with members that MLflow cannot express."""
_COST: Final = "mlflow.assessment.judgeCost"
_COUNTS: Mapping[str, str] = {
    "input_tokens": "mlflow.assessment.judgeInputTokens",
    "output_tokens": "mlflow.assessment.judgeOutputTokens",
}
_TEXTS: Mapping[str, str] = {
    "experiment": "mlflow.assessment.sourceRunId",
    "evaluator_version": "mlflow.assessment.scorerVersion",
}
_READ = frozenset({OURS, _COST, *_TEXTS.values(), *_COUNTS.values()})
_SOURCES: Mapping[str, Source] = {
    "HUMAN": "human",
    "LLM_JUDGE": "llm",
    "AI_JUDGE": "llm",
    "CODE": "code",
}
_TYPES: Mapping[Source, str] = {
    "human": "HUMAN",
    ADJUDICATION: "HUMAN",
    "llm": "LLM_JUDGE",
    "model": "LLM_JUDGE",
}
_CODE: Final = "CODE"
"""Source type if a score's source has no equivalent in MLflow, which requires a type."""
_NOBODY: Final = "default"
_FAILED: Final = "ERROR"
"""Error code for a failure that has no code."""


class Assessed(NamedTuple):
    """Data about a run that its assessments need."""

    trace_id: str
    steps: Mapping[str, str]
    """The step id for each span id; the id of the root is empty."""
    end_ms: int
    """End of the run in ms since the epoch: the time for assessments that have no time."""


def read_assessments(
    info: Json, where: str, run: Assessed, losses: Losses
) -> tuple[Sequence[Json], Mapping[str, object]]:
    """Return the scores of a trace, one row per revision, and the expectations of the run.

    Expectations for single spans, and issues, are left out and counted as losses.
    """
    reading = _Assessments(run, losses)
    expected: dict[str, object] = {}
    listed = list(assessments_of(info))
    for at, one in enumerate(listed):
        place = f"{where}.assessments.{at}"
        if not one.is_expectation:
            reading.take(one, place)
        elif one.span_id or one.value is None:
            losses.note(Code.SCORES_DROPPED, place)
        else:
            expected[one.name] = one.value
            losses.note(Code.METADATA_DROPPED, f"{place}.source")
    raw = info.get("assessments")
    others = (len(raw) if isinstance(raw, list) else 0) - len(listed)
    losses.note(Code.SCORES_DROPPED, f"{where}.assessments", others)
    return reading.rows, expected


class _Assessments:
    """Collects the feedbacks in one trace."""

    def __init__(self, run: Assessed, losses: Losses) -> None:
        self._run = run
        self._losses = losses
        self._by_id: dict[str, Json] = {}
        self.rows: list[Json] = []

    def take(self, one: SourceAssessment, where: str) -> None:
        """Add a feedback; if it overrides an earlier one, revise or withdraw the earlier one."""
        row = self._row(one, where)
        before = self._by_id.get(one.overrides)
        if before is not None:
            row["at"] = max(row["at"], before["at"] + 1)
            if not same_score(row, before):
                self.rows.append({**before, "at": row["at"], "is_deleted": True})
        self.rows.append(row)
        if one.id:
            self._by_id[one.id] = row

    def _row(self, one: SourceAssessment, where: str) -> Json:
        for name in one.metadata.keys() - _READ:
            self._losses.note(Code.METADATA_DROPPED, f"{where}.metadata.{name}")
        has_failed = bool(one.error_code or one.error)
        status = "error" if has_failed else "na" if plain_value(one.value)[0] is None else "ok"
        row = {
            "trace_id": self._run.trace_id,
            "name": one.name,
            "source": _SOURCES.get(one.source_type, IMPORT),
            "author": one.source_id or _NOBODY,
            "status": status,
            "value": one.value,
            "error_code": one.error_code,
            "rationale": one.rationale or one.error,
            "at": one.at_ms or self._run.end_ms,
            **self._target(one.span_id),
            **_of_judge(one.metadata),
            **_kept(one.metadata),
        }
        return usable(row, where, self._losses)

    def _target(self, span_id: str) -> Json:
        """Return the target of an assessment: the run, a step, or a span outside of the trace."""
        if not span_id:
            return {"target": "trajectory"}
        if (step_id := self._run.steps.get(span_id)) is None:
            return {"target": "span", "step_id": span_id}
        return {"target": "step", "step_id": step_id} if step_id else {"target": "trajectory"}


def _kept(metadata: Mapping[str, Any]) -> Json:
    text = metadata.get(OURS)
    return kept_members(json_object(text)) if isinstance(text, str) else {}


def _of_judge(metadata: Mapping[str, Any]) -> Json:
    """Return the data about the judge's model call, which MLflow stores in the metadata."""
    texts = {k: text for k, text in metadata.items() if isinstance(text, str)}
    facts: Json = {name: texts.get(key, "") for name, key in _TEXTS.items()}
    facts["cost"] = decimal(texts.get(_COST, ""))
    for name, key in _COUNTS.items():
        facts[name] = count(json_value(texts.get(key, "")))
    return {name: value for name, value in facts.items() if value}


def write_assessments(rows: Iterable[Row], request_id: str, losses: Losses) -> Sequence[Json]:
    """Return scores as assessments of a trace; count scores for other targets as lost."""
    written = []
    for row in rows:
        if row.get("target") in OF_A_RUN:
            written.append(_written(row, request_id))
        else:
            losses.note(Code.SCORES_DROPPED, str(row.get("name", "")))
    return written


def _written(row: Row, request_id: str) -> Json:
    kind = _TYPES.get(row["source"], _CODE)
    at = rfc3339_ms(moment_of(row))
    assessment: Json = {
        "assessment_id": f"a-{row['score_id']}" if row.get("score_id") else "",
        "assessment_name": row["name"],
        "trace_id": request_id,
        "span_id": row.get("step_id"),
        "source": {"source_type": kind, "source_id": row["author"]},
        "create_time": at,
        "last_update_time": at,
        "feedback": _feedback(row),
        "rationale": row.get("rationale"),
        "metadata": _metadata(row, kind),
        "valid": True,
    }
    return {name: value for name, value in assessment.items() if value}


def _feedback(row: Row) -> Json:
    if row.get("status") != "error":
        return {"value": row.get("value")}
    return {"value": None, "error": {"error_code": row.get("error_code") or _FAILED}}


def _metadata(row: Row, kind: str) -> Mapping[str, str]:
    known = {*_TEXTS, *_COUNTS, "cost", "error_code"}
    if _SOURCES[kind] == row["source"]:
        known.add("source")
    if row.get("status") != "skipped":
        known.add("status")
    named = {**_TEXTS, **_COUNTS, "cost": _COST}
    texts = {key: str(row[name]) for name, key in named.items() if row.get(name)}
    kept = members_to_keep(row, known)
    return texts | ({OURS: dump(kept).decode()} if kept else {})
