"""Strands: graphs of agents, messages in events, milliseconds under a name that means seconds."""

from __future__ import annotations

import orjson
from tests.support.spans import START_NS, genai, make_span, normalized, rules

from spanloom.core.model.span import Event


def event(name: str, **said: str) -> Event:
    return Event(START_NS, name, said)


def strands(operation: str, **more: str | int) -> dict[str, str]:
    return genai(operation, system="strands-agents", **more)


def test_what_holds_agents_is_a_graph_and_a_cycle_is_no_step() -> None:
    spans = [
        make_span(1, 0, strands("invoke_swarm"), end=90),
        make_span(2, 1, strands("invoke_agent"), start=1, end=80),
        make_span(3, 2, strands("execute_event_loop_cycle"), start=2, end=70),
        make_span(4, 3, strands("chat"), start=3),
        make_span(5, 3, strands("execute_tool"), start=20),
    ]
    kinds = [kind for kind, _ in rules(*spans).values()]
    assert kinds == ["graph", "agent", "other", "model", "tool"]


def test_an_agent_around_one_agent_is_no_wrapper_here() -> None:
    spans = [
        make_span(1, 0, strands("invoke_agent"), end=90),
        make_span(2, 1, strands("invoke_agent"), start=1, end=80),
    ]
    assert [kind for kind, _ in rules(*spans).values()] == ["agent", "agent"]


def test_messages_come_from_the_events() -> None:
    events = [
        event("gen_ai.system.message", content='[{"text":"Be kind."}]'),
        event("gen_ai.user.message", content='[{"text":"Hi"}]'),
        event("gen_ai.choice", message='[{"text":"Hello"}]', finish_reason="end_turn"),
    ]
    said = strands("chat", server__time_to_first_token=156)
    facts = normalized(make_span(1, 0, said, events=events))[1].facts
    assert [m["role"] for m in orjson.loads(facts.input)] == ["system", "user"]
    [answer] = orjson.loads(facts.output)
    assert (answer["content"], answer["finish_reason"]) == ("Hello", "end_turn")
    assert facts.first_token_ms == 156


def test_tools_and_agents_too() -> None:
    tool = [
        event("gen_ai.tool.message", content='{"q":1}', role="tool"),
        event("gen_ai.choice", message='[{"text":"3"}]'),
    ]
    agent = [event("gen_ai.user.message", content="Hi"), event("gen_ai.choice", message="Hello")]
    found = normalized(
        make_span(1, 0, strands("invoke_agent"), events=agent, end=90),
        make_span(2, 1, strands("execute_tool"), events=tool, start=1),
    )
    assert (found[1].facts.input, found[1].facts.output) == ("Hi", "Hello")
    assert (found[2].facts.input, found[2].facts.output) == ('{"q":1}', "3")


def test_the_newer_form_is_one_event_with_both_lists() -> None:
    details = {"gen_ai.input.messages": "[1]", "gen_ai.output.messages": "[2]"}
    events = [Event(START_NS, "gen_ai.client.inference.operation.details", details)]
    facts = normalized(make_span(1, 0, strands("chat"), events=events))[1].facts
    assert (facts.input, facts.output) == ("[1]", "[2]")
