"""Agent Framework, AutoGen and PydanticAI: where they deviate from the GenAI conventions."""

from __future__ import annotations

import json

from tests.support.spans import chat, extract_spans, genai, make_span, normalized, owners, rules

TURNS = ("user", "assistant")


def kinds(*spans: object) -> list[str]:
    return [kind for kind, _ in rules(*spans).values()]  # type: ignore[arg-type]  # spans, passed on


def test_agent_framework_s_workflow_is_a_graph_and_its_messages_are_nothing() -> None:
    scope = "agent_framework"
    spans = [
        make_span(1, 0, {"workflow.name": "w"}, name="workflow.run", scope=scope, end=90),
        make_span(2, 1, name="executor.process x", scope=scope, start=1, end=80),
        make_span(3, 2, genai("invoke_agent"), scope=scope, start=2, end=70),
        make_span(4, 3, chat(7, 3), scope=scope, start=3),
        make_span(5, 1, name="message.send", scope=scope, start=81),
    ]
    assert kinds(*spans) == ["graph", "other", "agent", "model", "other"]
    assert normalized(*spans)[1].facts.agent_name == "w"
    assert kinds(make_span(1, 0, name="workflow.build", scope=scope)) == ["other"]


def test_autogen_reports_agents_and_tools_among_its_messages() -> None:
    system = {"gen_ai.system": "autogen"}
    spans = [
        make_span(1, 0, name="autogen process x", scope="autogen SingleThreadedAgentRuntime"),
        make_span(2, 1, {**genai("invoke_agent"), **system}, start=1, end=80),
        make_span(3, 2, {**genai("execute_tool"), **system}, start=2, end=70),
        make_span(4, 3, {**genai("invoke_agent"), **system}, start=3, end=60),
        make_span(5, 0, {**genai("create_agent"), **system}, start=81),
    ]
    assert kinds(*spans) == ["other", "agent", "tool", "agent", "other"]


def test_pydantic_ai_s_second_format_names_tool_and_agent_without_an_operation() -> None:
    scope = "pydantic-ai"
    agent = {"agent_name": "a", "final_result": "42", "all_messages_events": "[]"}
    tool = {"gen_ai.tool.name": "f", "tool_arguments": "{}", "tool_response": "3"}
    spans = [
        make_span(1, 0, agent, name="agent run", scope=scope, end=90),
        make_span(2, 1, chat(7, 3), scope=scope, start=1, end=80),
        make_span(3, 2, name="running 1 tool", scope=scope, start=2, end=70),
        make_span(4, 3, tool, name="running tool", scope=scope, start=3),
    ]
    assert kinds(*spans) == ["agent", "model", "other", "tool"]
    assert owners(extract_spans(*spans)) == {1: [2, 4]}
    found = normalized(*spans)
    assert (found[1].facts.agent_name, found[1].facts.output) == ("a", "42")
    assert (found[4].facts.input, found[4].facts.output) == ("{}", "3")


def test_pydantic_ai_s_request_is_what_the_run_began_with() -> None:
    said = [{"role": r, "parts": [{"type": "text", "content": r + n}]} for n in "12" for r in TURNS]
    picture = {"role": "user", "parts": [{"type": "text", "content": "see"}]}
    attributes = {
        **genai("invoke_agent", agent__name="a"),
        "pydantic_ai.all_messages": json.dumps([*said, picture]),
        "pydantic_ai.new_message_index": "2",
    }
    run = make_span(1, 0, attributes, scope="pydantic-ai")
    assert normalized(run)[1].facts.input == "user2"
    del attributes["pydantic_ai.new_message_index"]
    assert normalized(run)[1].facts.input == "user1"


def test_pydantic_ai_s_failed_attempt_is_no_agent() -> None:
    said = {"gen_ai.agent.name": "a", "pydantic_ai.model_request.attempt": "0"}
    spans = [
        make_span(1, 0, genai("invoke_agent", agent__name="a"), scope="pydantic-ai", end=90),
        make_span(2, 1, chat(7, 3), scope="pydantic-ai", end=80),
        make_span(3, 2, said, scope="pydantic-ai", status="Error", message="busy"),
    ]
    assert kinds(*spans) == ["agent", "model", "other"]
    assert [f.error.message for f in extract_spans(*spans).failures] == ["busy"]
