"""Which ``where`` conditions stay true when more spans of a run arrive."""

from __future__ import annotations

import pytest

from spanloom.core.query.where.lasting import is_lasting
from spanloom.core.query.where.parser import parse_where

LASTING = (
    'has(tool = "refund")',
    'has(tool = "search" then tool = "refund")',
    'has(tool = "search" under agent = "triage")',
    'has(tool != "verify" and duration > 5s)',
    "has(type = model and input_tokens < 5)",
    "count(error) >= 2",
    "count(error) > 2 and tokens > 10000",
    "count(error) + count(type = tool) > 4",
    "duration > 20s or cost >= 2",
    'agent = "planner" or model in ("a", "b")',
    "has_error",
    'user = "ada" and start > -24h',
    '"rate limit"',
    "output: timeout",
    "score.polite < 50 or annotated",
    'metadata.tier = "gold"',
    "conversation exists",
)
WAITING = (
    'not has(tool = "verify")',
    'has(tool = "refund") and not has(tool = "verify" then tool = "refund")',
    'not (has(tool = "a") or has(tool = "b"))',
    "not has_error",
    "has_error = false",
    "has(error = false)",
    "has(not error)",
    "count(error) < 2",
    "count(error) = 2",
    "count(error) != 2",
    "count(position = 1) > 0",
    "steps < 5",
    "steps = 5",
    "steps in (5, 6)",
    "tokens <= 5000",
    'agent != "planner"',
    'model !~ "gpt"',
    'has(tool = "search" next tool = "refund")',
    'has(tool = "search" within 2 tool = "refund")',
    'has(tool = "search" child of agent = "triage")',
    "outcome = unfinished",
    "status = live",
    "tool_error_rate > 0.5",
    "output_tokens / input_tokens > 2",
    "output_tokens - input_tokens > 2",
    "input_tokens + output_tokens < 5",
    "10 > count(error)",
)


@pytest.mark.parametrize("line", LASTING)
def test_what_was_seen_stays(line: str) -> None:
    assert is_lasting(parse_where(line, 10**18))


@pytest.mark.parametrize("line", WAITING)
def test_what_can_hold_by_absence_does_not_last(line: str) -> None:
    assert not is_lasting(parse_where(line, 10**18))
