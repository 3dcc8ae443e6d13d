"""Results of an evaluation as scores of an experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.client.transfer.scores import PlacedRow
from spanloom.core.formats.json_bytes import dump
from spanloom.core.scoring.results import LONGEST_RATIONALE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from spanloom.evaluation.evaluator import Evaluator

    Row = Mapping[str, Any]  # a result of a report

_SOURCES = {"judge": "llm", "python": "code", "callable": "code"}
"""By kind; all others are rules."""
_MOST_EVIDENCE = 100
_EVIDENCE_BYTES = 20_000


def scores_of(
    rows: Iterable[Row], evaluators: Iterable[Evaluator], experiment: str
) -> Iterator[PlacedRow]:
    """Yield results as rows that ``POST /v1/scores`` takes.

    A result without a run is a score of the item. Sent again, they are the same scores.
    """
    known = {one.name: one for one in evaluators}
    for row in rows:
        place = f"{row['item']}, {row['name']}"
        yield PlacedRow(place, _score(row, known[row["evaluator"]], experiment))


def _score(row: Row, evaluator: Evaluator, experiment: str) -> dict[str, Any]:
    is_of_run = bool(row["trace_id"])
    made = {
        "trace_id": row["trace_id"],
        "project": row["project"],
        "target": "trajectory" if is_of_run else "item",
        "name": row["name"],
        "source": _SOURCES.get(evaluator.kind, "rule"),
        "author": evaluator.name,
        "value": row["value"],
        "label": row["label"],
        "passed": row["passed"],
        "status": row["status"],
        "error_code": row["error_code"],
        "rationale": row["rationale"][:LONGEST_RATIONALE],
        "evidence": _evidence(row["evidence"]),
        "evaluator_version": evaluator.judging.version,
        "config_hash": evaluator.config_hash,
        "rule_id": _rule_in(row["name"], evaluator.name),
        "experiment": experiment,
        "item": row["item"],
        "repeat": row["repeat"],
        "judged_version": row["version"],
        "cost": row["cost_usd"],
    }
    return {key: value for key, value in made.items() if value not in (None, "", [])}


def _rule_in(score: str, evaluator: str) -> str:
    """Return the rule of a score ``EVALUATOR/RULE``; empty for any other name."""
    prefix = f"{evaluator}/"
    return score.removeprefix(prefix) if score.startswith(prefix) else ""


def _evidence(evidence: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first steps of evidence that a score has room for, without empty members."""
    kept = [{k: v for k, v in one.items() if v is not None} for one in evidence[:_MOST_EVIDENCE]]
    while kept and len(dump(kept)) > _EVIDENCE_BYTES:
        kept.pop()
    return kept
