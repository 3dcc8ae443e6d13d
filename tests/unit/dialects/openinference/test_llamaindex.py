"""LlamaIndex under OpenInference: the kind of a run follows its steps; nested spans of one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, make_span, normalized, openinference, owners, rules

from spanloom.core.model.step import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import Span

SCOPE = "openinference.instrumentation.llama_index"
AGENT = ("agent", "openinference_llamaindex.agent_steps")
WORKFLOW = ("graph", "openinference_llamaindex.workflow")
NO_CALL = ("other", "openinference_llamaindex.calls_nothing")


def said(number: int, parent: int, name: str, kind: str = "CHAIN", **more: str) -> Span:
    attributes: Mapping[str, str] = openinference(kind, **more)
    return make_span(number, parent, attributes, name=name, scope=SCOPE, start=number)


@pytest.mark.parametrize(
    ("run", "step", "expected"),
    [
        ("Bcd.run", "BaseWorkflowAgent.init_run", AGENT),
        ("FunctionAgent.run", "", AGENT),
        ("AgentWorkflow.run", "AgentWorkflow.init_run", WORKFLOW),
        ("AgentWorkflow.run", "", WORKFLOW),
        ("Essay.run", "Essay.research", WORKFLOW),
        ("Essay.run", "Other.step", ("other", "openinference.plumbing")),
        ("Essay.query", "Essay.research", ("other", "openinference.plumbing")),
    ],
)
def test_a_run_is_what_its_steps_are(run: str, step: str, expected: tuple[str, str]) -> None:
    steps = [said(2, 1, step)] if step else []
    assert rules(said(1, 0, run), *steps)[1] == expected


def test_a_call_reported_twice_has_the_texts_and_tokens_of_the_inner_span() -> None:
    told = {"llm.input_messages.0.message.role": "user", "llm.token_count.prompt": "7"}
    inner = make_span(5, 4, {**openinference("LLM"), **told}, name="Llm.achat", scope=SCOPE)
    trajectory = extract_spans(
        said(1, 0, "FunctionAgent.run"),
        said(2, 1, "BaseWorkflowAgent.run_agent_step"),
        said(3, 2, "Llm._prepare_chat_with_tools", "LLM", llm__model_name="m", input__value="{}"),
        said(4, 2, "Llm.achat", "LLM", input__value='{"messages": []}', llm__model_name="m"),
        inner,
    )
    assert owners(trajectory) == {1: [4]}
    call = trajectory.agent_steps[0].steps[0]
    assert (call.input, call.usage, call.model) == ('[{"role":"user","content":""}]', Usage(7), "m")
    assert trajectory.root_metrics.input_tokens == 7


def test_only_a_private_method_that_tells_of_no_call_is_none() -> None:
    found = rules(
        said(1, 0, "Llm._prepare", "LLM", llm__model_name="m"),
        said(2, 1, "Llm.chat", "LLM"),
        said(3, 0, "Llm._prepare", "LLM", llm__model_name="m"),
        said(4, 0, "Llm._chat", "LLM", llm__prompts="[]"),
    )
    assert [found[n][0] for n in (1, 2, 4)] == ["model"] * 3
    assert found[3] == NO_CALL


def test_the_state_of_the_engine_is_no_text() -> None:
    state = {"input__value": '{"init_state": {}}', "output__value": "StopEvent(result='x"}
    facts = normalized(said(1, 0, "FunctionAgent.run", **state))[1].facts
    assert (facts.agent_name, facts.input, facts.output) == ("FunctionAgent", "", "")
    plain = {"input__value": '{"user_msg": "hi"}', "output__value": "hello"}
    facts = normalized(said(1, 0, "FunctionAgent.run", **plain))[1].facts
    assert (facts.input, facts.output) == ("hi", "hello")


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ('{"tool_name":"t","raw_output":"sunny","blocks":[]}', "sunny"),
        ('{"tool_name":"t","raw_output":{"a":1}}', '{"a":1}'),
        ('{"tool_name":"t","blocks":[]}', '{"tool_name":"t","blocks":[]}'),
        ('{"raw_output":"mine"}', '{"raw_output":"mine"}'),
        ("sunny", "sunny"),
    ],
)
def test_a_tool_says_arguments_and_result(output: str, expected: str) -> None:
    tool = {"tool__name": "t", "input__value": '{"kwargs": {"city": "X"}}', "output__value": output}
    facts = normalized(said(1, 0, "FunctionTool.acall", "TOOL", **tool))[1].facts
    assert (facts.tool_name, facts.input, facts.output) == ("t", '{"city":"X"}', expected)
