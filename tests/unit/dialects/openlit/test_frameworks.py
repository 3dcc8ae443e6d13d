"""OpenLIT with other frameworks: most of its ``invoke_agent`` spans are no agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import genai, make_span, normalized, rules

from spanloom.core.model.step import Usage

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

FRAME = ("other", "openlit.frame_of_a_run")


def step(number: int, parent: int, framework: str, operation: str, **said: str) -> Span:
    scope = f"openlit.instrumentation.{framework}"
    return make_span(number, parent, genai(operation, **said), scope=scope, start=number)


def agent(number: int, parent: int, name: str) -> Span:
    said = {"agent__name": name, "agent__id": str(number)}
    return step(number, parent, "openai_agents", "invoke_agent", **said)


def frame(number: int, parent: int, **said: str) -> Span:
    return step(number, parent, "openai_agents", "invoke_agent", **said)


def trace() -> Span:
    return step(1, 0, "openai_agents", "invoke_workflow", workflow__name="Agent workflow")


def test_only_what_has_an_id_is_an_agent_and_a_handoff_is_a_tool() -> None:
    handoff = frame(5, 4, agent__name="booker", agent__source="triage")
    spans = [trace(), frame(2, 1), agent(3, 2, "triage"), frame(4, 3), handoff]
    found = rules(*spans, agent(6, 2, "booker"), frame(7, 6))
    assert found[1] == found[2] == found[4] == found[7] == FRAME
    assert found[3] == found[6] == ("agent", "openlit.agent")
    assert found[5] == ("tool", "openlit.handoff")
    facts = normalized(*spans)[5].facts
    assert (facts.tool_name, facts.input, facts.output) == ("handoff", "triage", "booker")


@pytest.mark.parametrize("runs", [False, True], ids=["directly", "each in a run"])
def test_a_trace_around_several_agents_is_a_graph(*, runs: bool) -> None:
    frames = [frame(2, 1), frame(3, 1)] if runs else []
    above = (2, 3) if runs else (1, 1)
    found = rules(trace(), *frames, agent(4, above[0], "first"), agent(5, above[1], "second"))
    assert found[1] == ("graph", "openlit.composed_runs")


def test_a_step_of_smolagents_is_no_agent_and_an_agent_of_one_step_is_one() -> None:
    said = {"agent__name": "planner"}
    found = rules(
        step(1, 0, "smolagents", "invoke_agent", agent__id="7", **said),
        step(2, 1, "smolagents", "invoke_agent", smolagents__step_number="1", **said),
    )
    assert found == {1: ("agent", "openlit.agent"), 2: ("other", "openlit.step_of_agent")}


def test_a_planning_step_has_no_number() -> None:
    span = step(1, 0, "smolagents", "invoke_agent", agent__name="planner")
    assert rules(span._replace(name="invoke_agent planner planning"))[1][0] == "other"


@pytest.mark.parametrize(
    ("framework", "operation", "said", "rule"),
    [
        ("agno", "invoke_workflow", {"agno__team__agents": '["a"]'}, "openlit.team_with_leader"),
        ("agno", "invoke_workflow", {}, "otel_genai.invoke_workflow"),
        ("haystack", "invoke_workflow", {}, "otel_genai.invoke_workflow"),
        ("llamaindex", "invoke_workflow", {}, "openlit.plumbing"),
        ("pydantic_ai", "invoke_workflow", {}, "openlit.plumbing"),
        ("crewai", "invoke_agent", {"agent__id": "7"}, "openlit.agent"),
        ("crewai", "invoke_agent", {"agent__name": "method"}, "openlit.flow_method"),
        ("agno", "execute_tool", {}, "otel_genai.execute_tool"),
    ],
)
def test_operations_mean_what_the_framework_does(
    framework: str, operation: str, said: dict[str, str], rule: str
) -> None:
    assert rules(step(1, 0, framework, operation, **said))[1][1] == rule


@pytest.mark.parametrize(("client", "tokens"), [("anthropic", 142), ("openai", 72)])
def test_the_input_of_anthropic_leaves_out_what_was_cached(client: str, tokens: int) -> None:
    usage = {
        "usage__input_tokens": "72",
        "usage__output_tokens": "7",
        "usage__cache_read__input_tokens": "40",
        "usage__cache_creation__input_tokens": "30",
    }
    facts = normalized(step(1, 0, client, "chat", **usage))[1].facts
    assert facts.usage == Usage(tokens, 7, 0, 40, 30)
