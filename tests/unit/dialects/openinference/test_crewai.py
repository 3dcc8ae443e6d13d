"""CrewAI under OpenInference: crews, flows and agents, reported by the wrapper or the listener."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import make_span, normalized, openinference, rules

if TYPE_CHECKING:
    from collections.abc import Mapping

SCOPE = "openinference.instrumentation.crewai"
LISTENER = f"{SCOPE}._event_listener"
AGENT = ("agent", "openinference_crewai.agent_at_work")
KICKOFF = ("graph", "openinference_crewai.kickoff")
NODE = ("other", "openinference_crewai.flow_node")


@pytest.mark.parametrize("scope", [SCOPE, LISTENER])
@pytest.mark.parametrize(
    ("name", "attributes", "expected"),
    [
        ("b.kickoff", openinference("CHAIN", crew_key="1"), KICKOFF),
        ("b", openinference("CHAIN", crew_key="1"), KICKOFF),
        ("b.kickoff", openinference("CHAIN"), KICKOFF),
        ("Flow_1.kickoff", openinference("CHAIN", flow_id="1"), KICKOFF),
        ("Flow_1.b", openinference("CHAIN", flow__node__name="b"), NODE),
        ("b.c._execute_core", openinference("AGENT", crew_key="1", task_key="2"), AGENT),
        ("b.c._execute_core", {"crew_key": "1", "task_key": "2"}, AGENT),
        ("b.execute", openinference("AGENT"), AGENT),
        ("b.kickoff", openinference("AGENT", graph__node__id="b"), AGENT),
        ("b.kickoff", {"graph.node.id": "b"}, AGENT),
        ("gpt.llm_call", openinference("LLM"), ("model", "openinference.kind_llm")),
        ("b.run", openinference("TOOL", tool__name="b"), ("tool", "openinference.tool_name")),
        ("b", openinference("CHAIN"), ("other", "openinference.plumbing")),
    ],
)
def test_marks(
    name: str, attributes: Mapping[str, str], expected: tuple[str, str], scope: str
) -> None:
    assert rules(make_span(1, 0, attributes, name=name, scope=scope))[1] == expected


def texts(kind: str, input_value: str, output_value: str, **more: str) -> tuple[str, str, str]:
    attributes = openinference(
        kind, input__value=input_value, output__value=output_value, crew_key="1", **more
    )
    facts = normalized(make_span(1, 0, attributes, name="boss.plan.execute", scope=SCOPE))[1].facts
    return facts.agent_name, facts.input, facts.output


CONFIGURED = '{"agent": {"role": "boss"}, "context": "", "tools": []}'


def test_an_agent_says_its_task_and_its_answer() -> None:
    result = '{"description": "Find fjords.", "raw": "There are many."}'
    assert texts("AGENT", CONFIGURED, result) == ("boss", "Find fjords.", "There are many.")


def test_what_earlier_tasks_found_belongs_to_the_input() -> None:
    configured = CONFIGURED.replace('""', '"Fjords are deep."')
    said = texts("AGENT", configured, "", task_description="Write.", graph__node__id="the boss")
    assert said == ("the boss", "Write.\n\nFjords are deep.", "")


def test_a_configuration_is_no_input() -> None:
    assert texts("AGENT", CONFIGURED, "plain")[1:] == ("", "plain")


@pytest.mark.parametrize("prompt", ["hi", '{"messages": "hi"}'])
def test_a_prompt_is_an_input(prompt: str) -> None:
    assert texts("AGENT", prompt, "[]")[1:] == ("hi", "[]")


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ('[{"description": "Find."}, {"description": "Write."}]', "Find.\n\nWrite."),
        ('[5, {"description": 5}]', ""),
        ("{", ""),
    ],
)
def test_a_crew_without_inputs_was_asked_what_its_tasks_say(tasks: str, expected: str) -> None:
    assert texts("CHAIN", "", "", crew_tasks=tasks)[1] == expected


def test_a_crew_says_its_inputs_and_the_raw_answer() -> None:
    assert texts("CHAIN", '{"topic": "x"}', '{"raw": "y"}')[1:] == ('{"topic": "x"}', "y")
