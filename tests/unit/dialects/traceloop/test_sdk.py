"""traceloop-sdk's decorators: which workflows are graphs, and the arguments of their functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import genai, make_span, normalized, rules

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "traceloop.tracer"
GRAPH = ("graph", "traceloop_sdk.workflow")
FRAME = ("other", "traceloop_sdk.workflow_around_a_run")


def decorated(number: int, parent: int, kind: str, **said: str) -> Span:
    named = {f"traceloop.entity.{key}": value for key, value in said.items()}
    return make_span(number, parent, {"traceloop.span.kind": kind, **named}, scope=SCOPE)


def test_a_workflow_of_agents_and_tools_is_a_graph() -> None:
    spans = [decorated(1, 0, "workflow"), decorated(2, 1, "agent"), decorated(3, 2, "tool")]
    found = rules(*spans)
    assert [kind for kind, _ in found.values()] == ["graph", "agent", "tool"]
    assert found[1] == GRAPH


@pytest.mark.parametrize("under", [1, 2])
def test_a_workflow_broken_down_into_tasks_is_none(under: int) -> None:
    spans = [decorated(1, 0, "workflow"), decorated(2, 1, "agent"), decorated(3, under, "task")]
    found = rules(*spans)
    assert (found[1], found[3][0]) == (FRAME, "other")


def test_a_workflow_around_a_framework_s_run_is_none() -> None:
    framework = make_span(2, 1, genai("invoke_agent", agent__name="planner"), scope="other")
    assert rules(decorated(1, 0, "workflow"), framework)[1] == FRAME


def test_the_name_repeats_a_missing_kind() -> None:
    names = ["plan.workflow", "planner.agent", "lookup.tool"]
    spans = [make_span(n, n - 1, {}, scope=SCOPE, name=x) for n, x in enumerate(names, 1)]
    assert [kind for kind, _ in rules(*spans).values()] == ["graph", "agent", "tool"]


@pytest.mark.parametrize(
    ("wrapped", "plain"),
    [
        ('{"args": ["Plan a day."], "kwargs": {}}', "Plan a day."),
        ('{"args": [], "kwargs": {"city": "Oslo"}}', '{"city":"Oslo"}'),
        ('{"args": [1, 2], "kwargs": {}}', "[1,2]"),
        ('{"args": [], "kwargs": {}}', "[]"),
        ('{"args": [1], "kwargs": {"a": 1}}', '{"args": [1], "kwargs": {"a": 1}}'),
        ('{"args": [1], "city": 2}', '{"args": [1], "city": 2}'),
        ('{"city": "Oslo"}', '{"city": "Oslo"}'),
        ("broken {", "broken {"),
    ],
)
def test_arguments_are_unwrapped(wrapped: str, plain: str) -> None:
    facts = normalized(decorated(1, 0, "tool", input=wrapped, output='"Sunny."'))[1].facts
    assert (facts.input, facts.output) == (plain, "Sunny.")
