"""Scores are shown as a table with a line each: value, author, age and reason."""

from __future__ import annotations

from io import StringIO
from typing import Any

from rich.console import Console

from spanloom.terminal.scores import render_scores

NOW_MS = 1_796_083_200_000
SCORE: dict[str, Any] = {
    "target": "trajectory",
    "trace_id": "b0",
    "step_id": "",
    "name": "helpful",
    "status": "ok",
    "value": 0.9,
    "label": "",
    "passed": True,
    "author": "judge",
    "source": "llm",
    "at": NOW_MS - 3 * 24 * 3_600_000,
    "rationale": "It helps.",
    "error_code": "",
}


def printed(*scores: dict[str, Any]) -> list[str]:
    console = Console(file=StringIO(), width=120)
    render_scores([{**SCORE, **score} for score in scores], console, NOW_MS)
    assert isinstance(console.file, StringIO)
    return [" ".join(line.split()) for line in console.file.getvalue().splitlines()]


def test_a_score_is_a_line_with_its_author_age_and_reason() -> None:
    assert printed({}) == [
        "of name value passed by age why",
        "b0 helpful 0.9 yes judge (llm) 3 d ago It helps.",
    ]


def test_a_score_of_a_step_names_it_and_one_from_a_clock_ahead_is_new() -> None:
    of_a_step = {"target": "step", "step_id": "03", "passed": None, "at": NOW_MS + 10**9}
    assert printed(of_a_step)[1] == "b0 step 03 helpful 0.9 judge (llm) 0 s ago It helps."


def test_a_failed_evaluation_has_its_status_and_error_code() -> None:
    failed = {"status": "error", "value": None, "passed": None, "rationale": "", "error_code": "x"}
    assert printed(failed)[1] == "b0 helpful error judge (llm) 3 d ago x"


def test_without_scores_it_says_how_to_store_some() -> None:
    assert printed()[0].startswith("No scores.")
