"""Impossible token counts are corrected where arithmetic proves which tokens they exclude."""

from __future__ import annotations

import pytest
from tests.support.spans import chat, extract_spans, genai, make_span

from spanloom.core.conventions.usage_repair import (
    ABOVE_TOTAL,
    DOUBTFUL,
    NO_CACHED,
    NO_REASONING,
    REPAIRED,
    repair,
)
from spanloom.core.model.step import Usage

CASES = {
    "nothing to repair": (Usage(100, 50, 20, 60), 150, Usage(100, 50, 20, 60), ""),
    "no total": (Usage(100, 50, 20, 60), 0, Usage(100, 50, 20, 60), ""),
    "cached above input": (Usage(40, 5, 0, 260), 0, Usage(300, 5, 0, 260), NO_CACHED),
    "both caches above input": (Usage(50, 5, 0, 40, 20), 0, Usage(110, 5, 0, 40, 20), NO_CACHED),
    "reasoning above output": (Usage(24, 180, 411), 0, Usage(24, 591, 411), NO_REASONING),
    "both": (
        Usage(100, 40, 60, 900, 50),
        1150,
        Usage(1050, 100, 60, 900, 50),
        f"{NO_CACHED}, {NO_REASONING}",
    ),
    "total proves cached": (Usage(1000, 40, 0, 900), 1940, Usage(1900, 40, 0, 900), NO_CACHED),
    "total proves reasoning": (Usage(10, 40, 30), 80, Usage(10, 70, 30), NO_REASONING),
    "total proves one of two": (Usage(50, 5, 0, 40, 20), 75, Usage(70, 5, 0, 40, 20), NO_CACHED),
    "total proves nothing": (Usage(10, 40, 30), 999, Usage(10, 40, 30), ""),
    "ambiguous total": (Usage(100, 40, 30, 30), 170, Usage(100, 40, 30, 30), ""),
    "no input, no total": (Usage(0, 5, 0, 260), 0, Usage(0, 5, 0, 260), ""),
    "no input, total": (Usage(0, 5, 0, 260), 265, Usage(260, 5, 0, 260), NO_CACHED),
    "no output": (Usage(198, 0, 0, 64), 262, Usage(198, 0, 0, 64), ""),
    "total of impossible parts": (Usage(40, 5, 0, 260), 45, Usage(300, 5, 0, 260), NO_CACHED),
}


@pytest.mark.parametrize("name", CASES)
def test_repair(name: str) -> None:
    usage, total, repaired, note = CASES[name]
    got, marks = repair(usage, total)
    assert got == repaired
    assert marks.get(REPAIRED, "") == note


@pytest.mark.parametrize("name", CASES)
def test_repaired_counts_are_left_alone(name: str) -> None:
    usage, total, _, _ = CASES[name]
    repaired, _ = repair(usage, total)
    assert repair(repaired, total)[0] == repaired


def test_counts_above_their_total_are_doubtful_unless_repaired() -> None:
    assert repair(Usage(100, 50), 120) == (Usage(100, 50), {DOUBTFUL: ABOVE_TOTAL})
    assert repair(Usage(40, 5, 0, 260), 45)[1] == {REPAIRED: NO_CACHED}


def _call(**usage: str) -> dict[str, str]:
    counts = {f"gen_ai.usage.{name}": number for name, number in usage.items()}
    return {**chat(0, 0), **counts}


def test_step_and_run_have_the_repaired_counts() -> None:
    agent = make_span(1, attributes=genai("invoke_agent", agent__name="a"), end=99)
    counts = _call(input_tokens="40", output_tokens="5", cached_tokens="260")
    trajectory = extract_spans(agent, make_span(2, 1, counts))
    (call,) = trajectory.agent_steps[0].steps
    assert call.usage == Usage(300, 5, 0, 260)
    assert call.metadata[REPAIRED] == NO_CACHED
    assert trajectory.root_metrics.input_tokens == 300


def test_run_warns_of_doubtful_counts() -> None:
    agent = make_span(1, attributes=genai("invoke_agent", agent__name="a"), end=99)
    counts = _call(input_tokens="40", output_tokens="5", total_tokens="20")
    trajectory = extract_spans(agent, make_span(2, 1, counts))
    assert f"tokens of 1 calls do not add up: {ABOVE_TOTAL}" in trajectory.warnings
