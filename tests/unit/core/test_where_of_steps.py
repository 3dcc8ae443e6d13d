"""The condition on a step that a filter of runs is about: the first in its text."""

from __future__ import annotations

import pytest

from spanloom.core.query.where.of_steps import first_step_condition


@pytest.mark.parametrize(
    ("where", "step"),
    [
        ("", ""),
        ("has_error and duration > 5s", ""),
        ('has(tool = "search" then tool = "refund")', 'tool = "search"'),
        ('cost > 1 and has(tool = "a" and error within 3 tool = "b")', 'tool = "a" and error'),
        ('has((tool = "a" or tool = "b") next error)', '(tool = "a" or tool = "b")'),
        ("count(type = tool and error) >= 2", "type = tool and error"),
        ('has(agent = "refunds" child of agent = "triage")', 'agent = "refunds"'),
        ('HAS(tool = "then" THEN tool = "x")', 'tool = "then"'),
        ("has(name = then then error)", "name = then"),
        ('not has(tool = "verify") and has(tool = "refund")', 'tool = "refund"'),
        ("not (has(error) or duration > 5s)", ""),
        ('"has(tool)" and has_error', ""),
        ('has(output: "a ) then b" then error)', 'output: "a ) then b"'),
    ],
)
def test_the_first_step_of_the_first_shape_is_meant(where: str, step: str) -> None:
    assert first_step_condition(where) == step
