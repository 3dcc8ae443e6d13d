"""Converts results of evaluators to scores, for experiments, online rules and other callers."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from spanloom.core.formats.json_bytes import dump
from spanloom.core.model.score import Score, typed_value
from spanloom.core.scoring.results import LONGEST_NAME, LONGEST_RATIONALE, LONGEST_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.model.score import Source
    from spanloom.core.model.span import TraceKey
    from spanloom.evaluation.contract.result import Evidence, Result
    from spanloom.evaluation.evaluator import Evaluator
    from spanloom.judging.judging import Judged

_OF_CODE = frozenset({"python", "callable"})
"""Kinds whose scores have the source "code"; judges have "llm", all other kinds "rule"."""
MOST_EVIDENCE = 100
EVIDENCE_BYTES = 20_000
MOST_METRICS = 100
"""Maximum metrics of a score; the API of scores has the same limit."""


def scores_of(
    judged: Iterable[Judged],
    key: TraceKey,
    version: int,
    *,
    experiment: str = "",
    item: str = "",
    repeat: int = 0,
    rule_id: str = "",
    at_us: int | None = None,
) -> Sequence[Score]:
    """Return results as scores of a run, or of an item if the key has no trace id.

    ``rule_id`` names an online rule. ``at_us`` is the time of the judgement in µs since the epoch,
    by default now. A repeated judgement becomes a new revision of the same score.
    """
    revision = time.time_ns() // 1_000 if at_us is None else at_us
    place = {
        "key": key,
        "target": "trajectory" if key.trace_id else "item",
        "judged_version": version,
        "experiment": experiment,
        "item": item,
        "repeat": repeat,
        "rule_id": rule_id,
        "revision": revision,
    }
    return [_score(one, place) for one in judged]


def _score(judged: Judged, place: Mapping[str, object]) -> Score:
    result, fingerprint, evaluator = judged
    is_judged = result.status == "ok"
    value = typed_value(result.value, result.label) if is_judged else typed_value(None)
    metrics = _metrics(result)
    members: dict[str, object] = {
        "name": result.name,
        "source": _source(result, evaluator),
        "author": evaluator.name,
        "passed": result.passed if is_judged else None,
        "status": result.status,
        "error_code": result.error_code[:LONGEST_TEXT],
        "rationale": result.rationale[:LONGEST_RATIONALE],
        "evidence": _evidence(result.evidence),
        "evaluator_version": evaluator.judging.version,
        "config_hash": evaluator.config_hash,
        "input_tokens": int(metrics.get("input_tokens", 0)),
        "output_tokens": int(metrics.get("output_tokens", 0)),
        "cost": result.cost_usd,
        "view_fingerprint": fingerprint,
        "coverage": result.coverage,
        "cached": bool(metrics.get("cached")) and not metrics.get("calls"),
        "metrics": metrics,
    }
    return Score(**value._asdict(), **members, **place)  # type: ignore[arg-type]  # members by name


def _source(result: Result, evaluator: Evaluator) -> Source:
    if result.name in evaluator.judging.model_scores:
        return "llm"
    return "code" if evaluator.kind in _OF_CODE else "rule"


def _metrics(result: Result) -> dict[str, float]:
    """Return the metrics within the limits of a score, without unknown numbers."""
    numbers = {
        name: float(value)
        for name, value in result.metrics.items()
        if value is not None and math.isfinite(value) and 0 < len(name) <= LONGEST_NAME
    }
    return dict(list(numbers.items())[:MOST_METRICS])


def _evidence(evidence: Sequence[Evidence]) -> str:
    """Return the first steps of evidence within the limits of a score, as JSON."""
    fitting = [one.model_dump(exclude_none=True) for one in evidence[:MOST_EVIDENCE]]
    while fitting and len(dump(fitting)) > EVIDENCE_BYTES:
        fitting.pop()
    return dump(fitting).decode() if fitting else ""
