"""Scores of every kind of the planner's run (``drafted.planner``), and their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.drafted import planner

from spanloom.core.model.score import Score
from spanloom.core.model.span import TraceKey
from spanloom.core.records.score import ScoreItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TRACE, TOOL = planner()["id"], "a000000000000004"
KEY = TraceKey("default", TRACE)
AT_US = 1_715_400_001_000_000
SCORES: Sequence[Score] = [
    Score(KEY, "number", "llm", "judge", AT_US, number=0.75, rationale='so: "x"', text="good"),
    Score(KEY, "grade", "code", "match", AT_US + 1_000, number=1.0, text="C", passed=True),
    Score(KEY, "right", "human", "ada", AT_US, value_type="boolean", number=0.0),
    Score(KEY, "tone", "api", "a", AT_US, "step", TOOL, value_type="category", text="polite"),
    Score(KEY, "tone", "api", "b", AT_US, "step", TOOL, value_type="category", text="C"),
    Score(KEY, "said", "import", "b", AT_US, value_type="text", text="=1+1", is_complete=False),
    Score(KEY, "failed", "rule", "r", AT_US, value_type="none", status="error", error_code="E1"),
    Score(KEY, "none", "model", "m", AT_US, value_type="none", status="na"),
    Score(KEY, "left", "code", "m", AT_US, value_type="none", status="skipped"),
    Score(
        *(KEY, "all", "llm", "c", AT_US),
        number=3.0,
        evidence='[{"step_id":"a000000000000004","field":"output"}]',
        experiment="e",
        item="i",
        repeat=2,
        judged_version=4,
        evaluator_version="1.0",
        config_hash="ff",
        rule_id="r",
        input_tokens=5,
        output_tokens=6,
        cost=0.5,
        view_fingerprint="1:names:ff",
        coverage=0.5,
        cached=True,
        metrics={"f1": 0.25, "order": 1.0},
    ),
]
"""Scores of the trajectory and of a step, of each type, status and source."""


def rows(scores: Iterable[Score] = SCORES) -> list[dict[str, Any]]:
    """Return scores as the service lists them."""
    return [ScoreItem.row_of(score) for score in scores]


def compared(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that identify a score, without defaults and added members."""
    shown = {k: v for k, v in row.items() if k not in ("score_id", "project", "at")}
    usual = {
        "source": None,
        "status": "ok",
        "is_complete": True,
        "value_type": "none",
        "cached": False,
    }
    kept = {k: v for k, v in shown.items() if v not in (None, "", [], {}, 0) or isinstance(v, bool)}
    kept["at"] = int(row["at"])
    return {k: v for k, v in kept.items() if k not in usual or v != usual[k]}
