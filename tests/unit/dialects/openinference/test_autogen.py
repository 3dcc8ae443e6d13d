"""AutoGen AgentChat under OpenInference: teams, agents, and AutoGen's own spans around them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.spans import (
    extract_spans,
    make_span,
    normalized,
    openinference,
    owners,
    rules,
)

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "openinference.instrumentation.autogen_agentchat"
TEAM = {**openinference("CHAIN"), "participant_names": '["b"]', "input.value": '{"task": "go"}'}
AGENT = {
    **openinference("AGENT"),
    "graph.node.id": "b",
    "input.value": '{"messages": ["id=\'1\'"]}',
}
OWN = {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.system": "autogen",
    "gen_ai.agent.name": "b",
}


def team() -> list[Span]:
    return [
        make_span(1, 0, TEAM, name="Swarm.run_stream", scope=SCOPE),
        make_span(2, 1, OWN, name="invoke_agent b", scope="autogen-core"),
        make_span(3, 2, AGENT, name="b.on_messages_stream", scope=SCOPE),
        make_span(4, 3, openinference("LLM"), scope=SCOPE),
    ]


def test_a_team_is_a_graph_and_each_run_counts_once() -> None:
    assert rules(*team())[1] == ("graph", "openinference_autogen.team")
    assert rules(*team())[3] == ("agent", "openinference_autogen.same_run")
    assert owners(extract_spans(*team())) == {1: [2], 2: [4]}


def test_without_autogens_own_tracing_its_agents_stand_alone() -> None:
    first, _, agent, call = team()
    agent = make_span(3, 1, AGENT, name="b.on_messages_stream", scope=SCOPE)
    assert owners(extract_spans(first, agent, call)) == {1: [3], 3: [4]}


def test_names_are_the_author_s_and_python_objects_are_no_texts() -> None:
    found = extract_spans(*team())
    by_name = {agent.step.metadata["agent_name"]: agent.step for agent in found.agent_steps}
    assert set(by_name) == {"Swarm", "b"}
    assert by_name["Swarm"].input == "go"
    assert by_name["b"].input == ""


def test_a_tool_that_both_report_counts_once_also_without_its_name_s_attribute() -> None:
    own = {"gen_ai.operation.name": "execute_tool", "gen_ai.system": "autogen"}
    found = extract_spans(
        *team(),
        make_span(5, 3, openinference("TOOL"), name="b.get_weather", scope=SCOPE),
        make_span(6, 5, own, name="execute_tool get_weather", scope="autogen-core"),
    )
    assert owners(found) == {1: [2], 2: [4, 5]}


def test_results_of_tools_are_messages() -> None:
    result = {"name": "f", "content": "no", "call_id": "c1", "is_error": True}
    said = {
        **openinference("LLM"),
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Go",
        "llm.input_messages.1.message.role": "function",
        "llm.input_messages.1.function.0": json.dumps(result),
    }
    asked, answered = json.loads(normalized(make_span(1, 0, said, scope=SCOPE))[1].facts.input)
    assert (asked["content"], answered["role"], answered["content"]) == ("Go", "tool", "no")
    assert (answered["tool_call_id"], answered["status"]) == ("c1", "error")
