"""CrewAI under OpenLLMetry, by what its documentation and source say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.spans import chat, extract_spans, genai, make_span, normalized, owners, rules

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "opentelemetry.instrumentation.crewai.instrumentation"


def framework(number: int, parent: int, name: str, said: dict[str, str] | None = None) -> Span:
    return make_span(number, parent, said, scope=SCOPE, name=name, start=number, end=90 - number)


def crew(*, newer: bool) -> list[Span]:
    """Give a crew of one agent with one task and one call."""
    operation = genai("invoke_agent") if newer else {}
    return [
        framework(1, 0, "crewai.workflow", {"crewai.crew.name": "trip", **operation}),
        framework(2, 1, "Plan a day. 计划.task", {"traceloop.span.kind": "task", **operation}),
        framework(3, 2, "planner.agent", {"traceloop.span.kind": "agent", **operation}),
        make_span(4, 3, chat(7, 3), scope="opentelemetry.instrumentation.openai.v1", start=5),
    ]


def test_a_crew_is_a_graph_of_agents() -> None:
    for newer in (False, True):
        found = rules(*crew(newer=newer))
        assert [kind for kind, _ in found.values()] == ["graph", "other", "agent", "model"]
    assert owners(extract_spans(*crew(newer=True))) == {1: [3], 3: [4]}


def test_the_framework_s_own_call_and_the_client_s_are_one() -> None:
    spans = crew(newer=True)[:3]
    own = framework(4, 3, "gpt.llm", {"gen_ai.request.model": "gpt"})
    client = make_span(5, 4, chat(7, 3), scope="client", start=5)
    trajectory = extract_spans(*spans, own, client)
    assert trajectory.step_counts["model"] == 1
    assert trajectory.root_metrics.input_tokens == 7


def test_crew_and_agent_say_who_they_are_and_what_came_out() -> None:
    spans = crew(newer=True)
    said = {**spans[0].attributes, "crewai.crew.result": "A plan."}
    found = normalized(spans[0]._replace(attributes=said), *spans[1:])
    assert (found[1].facts.agent_name, found[1].facts.output) == ("trip", "A plan.")
    assert found[3].facts.agent_name == "planner"


def test_the_name_repeats_a_missing_kind() -> None:
    bare = [span._replace(attributes={}) for span in crew(newer=True)[:3]]
    assert [kind for kind, _ in rules(*bare).values()] == ["graph", "other", "agent"]
