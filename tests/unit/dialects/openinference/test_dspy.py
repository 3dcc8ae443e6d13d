"""DSPy under OpenInference: modules that are agents, and tokens that only litellm reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, make_span, normalized, openinference, owners, rules

from spanloom.core.model.step import Usage

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "openinference.instrumentation.dspy"
LITELLM = "openinference.instrumentation.litellm"
AGENT = ("agent", "openinference_dspy.tool_using_module")
PLUMBING = ("other", "openinference.plumbing")


def said(number: int, parent: int, name: str, kind: str = "CHAIN", **more: str) -> Span:
    attributes = openinference(kind, **more)
    return make_span(number, parent, attributes, name=name, scope=SCOPE, start=number)


@pytest.mark.parametrize(
    ("module", "tool", "expected"),
    [
        ("ReAct.forward", "", AGENT),
        ("ReAct.aforward", "", AGENT),
        ("Bcd.forward", "finish.__call__", AGENT),
        ("Bcd.forward", "look_up.__call__", PLUMBING),
        ("ChainOfThought.forward", "", PLUMBING),
        ("Predict(StringSignature).forward", "", PLUMBING),
        ("ChatAdapter.__call__", "", PLUMBING),
        ("ReAct.compile", "", PLUMBING),
    ],
)
def test_an_agent_is_a_module_that_uses_tools(
    module: str, tool: str, expected: tuple[str, str]
) -> None:
    tools = [said(2, 1, tool, "TOOL")] if tool else []
    assert rules(said(1, 0, module), *tools)[1] == expected


def test_tokens_that_only_the_second_report_has() -> None:
    tokens = {"llm.token_count.prompt": "7", "llm.token_count.completion": "3"}
    trajectory = extract_spans(
        said(1, 0, "ReAct.forward"),
        said(2, 1, "ChatAdapter.__call__"),
        said(3, 2, "LM.__call__", "LLM", llm__model_name="m"),
        make_span(4, 3, openinference("LLM") | tokens, name="completion", scope=LITELLM),
    )
    assert owners(trajectory) == {1: [3]}
    assert trajectory.agent_steps[0].steps[0].usage == Usage(7, 3)


def test_tools_and_agents_say_what_they_were_given_and_gave() -> None:
    tool = {"input__value": '{"kwargs": {"city": "X"}}', "output__value": '"sunny"'}
    run = {
        "input__value": '{"input_args": {"question": "q"}}',
        "output__value": '{"trajectory": {"thought_0": "t"}, "answer": "a"}',
    }
    found = normalized(said(1, 0, "ReAct.forward", **run), said(2, 1, "b.acall", "TOOL", **tool))
    agent, used = found[1].facts, found[2].facts
    assert (agent.agent_name, agent.input) == ("ReAct", '{"question":"q"}')
    assert agent.output == '{"answer":"a"}'
    assert (used.tool_name, used.input, used.output) == ("b", '{"city":"X"}', "sunny")
