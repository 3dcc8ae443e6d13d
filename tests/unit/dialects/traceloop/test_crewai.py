"""CrewAI under OpenLLMetry: crews, their agents, and calls that two instrumentations report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.spans import chat, extract_spans, genai, make_span, normalized, owners, rules

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "opentelemetry.instrumentation.crewai.instrumentation"


def framework(number: int, parent: int, name: str, said: dict[str, str] | None = None) -> Span:
    return make_span(number, parent, said, scope=SCOPE, name=name, start=number, end=90 - number)


def crew(*, newer: bool) -> list[Span]:
    """Return the spans of a crew of one agent with one task and one model call."""
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


def test_a_role_from_yaml_ends_with_a_line_feed() -> None:
    said = {"traceloop.span.kind": "agent", "crewai.agent.role": "planner\n"}
    found = normalized(*crew(newer=True)[:2], framework(3, 2, "planner\n.agent", said))
    assert found[3].facts.agent_name == "planner"


@pytest.mark.parametrize(
    ("descriptions", "asked"),
    [(["Plan.", "Write."], "Plan.\n\nWrite."), (["Plan {city}.", "Write."], "")],
    ids=["as they are", "yet to be filled in"],
)
def test_a_crew_is_asked_what_its_tasks_say(descriptions: list[str], asked: str) -> None:
    tasks = json.dumps([{"id": "1", "description": text} for text in descriptions])
    run = framework(1, 0, "crewai.workflow", {"crewai.crew.tasks": tasks})
    assert normalized(run)[1].facts.input == asked


FUNCTION = "function=Function(arguments='{}', name='f')"
WHOLE = f"ChatCompletionMessageToolCall({FUNCTION}, id='c', type='function')"
PIECED = f"ChatCompletionDeltaToolCall(id=None, {FUNCTION}, type=None, index=0)"


def answer(text: str) -> str:
    message = {"role": "assistant", "parts": [{"type": "text", "content": text}]}
    return json.dumps([message])


@pytest.mark.parametrize(("call", "known"), [(WHOLE, {"id": "c"}), (PIECED, {})])
def test_calls_written_as_objects_of_python_are_calls(call: str, known: dict[str, str]) -> None:
    said = {**genai("chat"), "gen_ai.output.messages": answer(f"[{call}]")}
    output = json.loads(normalized(framework(1, 0, "gpt.llm", said))[1].facts.output)
    function = {"name": "f", "arguments": "{}"}
    assert output[0]["tool_calls"] == [{**known, "type": "function", "function": function}]


@pytest.mark.parametrize(
    "text", ["[function=Function(", "[f(1, function=Function(a=1))]", "[Function(1)]"]
)
def test_other_answers_stay_what_they_are(text: str) -> None:
    said = {**genai("chat"), "gen_ai.output.messages": answer(text)}
    output = json.loads(normalized(framework(1, 0, "gpt.llm", said))[1].facts.output)
    assert output[0]["content"] == text
