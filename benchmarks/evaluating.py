"""The cost of evaluators without a server: each judges a short run and a long one.

A kind of evaluator is added by a line in ``EVALUATORS``. The reference is the run with other
arguments in one step of ten.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from benchmarks.apart import run_apart
from benchmarks.language import EDITED, make_document
from benchmarks.report import Row, at_most
from spanloom.evaluation.evaluate import evaluate
from spanloom.memory import favour_speed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.scale import Scale

RULES: dict[str, Any] = {
    **dict.fromkeys(("max_steps", "max_model_calls", "max_tool_calls"), 20_000),
    "required_tools": ["tool*"],
    "allowed_tools": ["tool*", "search"],
    "forbidden_tools": ["delete_*"],
    "order": ["search", "book"],
    "never_after": ["pay", "search"],
    "repeats": 50,
    "loop": {"period": 8, "times": 50},
    "tokens": 10**9,
    "cost_usd": 100,
    **dict.fromkeys(("duration_ms", "llm_wall_ms", "first_token_ms"), 10**9),
    "errors": "handled",
    "unused_results": True,
    "arguments": "schema",
    "pii": True,
    "secrets": True,
    "answer": {"matches": "."},
}
"""Every rule, each with something to find in the run."""
CONDITION = (
    'input_tokens < 5000 and not has(tool = "verify" then tool = "refund")'
    " and count(type = tool and error) / steps < 0.5"
)
EVALUATORS: dict[str, dict[str, Any]] = {
    "match, strict": {"kind": "match", "mode": "strict"},
    "match, unordered": {"kind": "match", "mode": "unordered", "args": "superset"},
    "21 rules": {"kind": "rules", "rules": RULES},
    "where": {"kind": "where", "expr": CONDITION},
}
"""Evaluators, keyed by the beginning of the names of their rows in the report."""
BARS_MS = (2, 2_000)
"""Limits for the short run and for the long one."""
_BEST_OF = 5


def measure_evaluating(scale: Scale, _folder: Path) -> Iterator[Row]:
    """Yield a row for each evaluator and length of the run."""
    for steps, bar_ms in zip(scale.judged_steps, BARS_MS, strict=True):
        for name, evaluator in EVALUATORS.items():
            cpu_ms = run_apart(judge, steps, evaluator)
            bar, behind = at_most(bar_ms, "ms"), f"the best of {_BEST_OF}; documents parsed before"
            yield Row(f"{name}, a run of {steps:,} steps: CPU time", cpu_ms, bar, behind)


def judge(steps: int, evaluator: dict[str, Any]) -> float:
    """Return the CPU-milliseconds of one judgement, with the memory settings of the service."""
    favour_speed()
    run, reference = make_document(steps, EDITED), make_document(steps)
    best_s = float("inf")
    for _ in range(_BEST_OF):
        start = time.thread_time()
        results = evaluate(run, evaluator, reference=reference)
        best_s = min(best_s, time.thread_time() - start)
        assert all(one["status"] in ("ok", "na") for one in results), results
    return best_s * 1_000
