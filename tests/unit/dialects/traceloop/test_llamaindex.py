"""LlamaIndex under OpenLLMetry: the kind of a run follows its steps; tools, and their callers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import chat, extract_spans, make_span, normalized, owners, rules

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "opentelemetry.instrumentation.llamaindex"
AGENT = ("agent", "traceloop_llamaindex.agent_steps")
WORKFLOW = ("graph", "traceloop_llamaindex.workflow")
PLUMBING = ("other", "traceloop.plumbing")
INPUT, OUTPUT = "traceloop.entity.input", "traceloop.entity.output"


def said(number: int, parent: int, name: str, **more: str) -> Span:
    keys = {"input": INPUT, "output": OUTPUT, "tool": "tool.name", "asked": "tool.arguments"}
    attributes = {"traceloop.span.kind": name.rpartition(".")[2]}
    attributes |= {keys[key]: value for key, value in more.items()}
    return make_span(number, parent, attributes, name=name, scope=SCOPE, start=number)


@pytest.mark.parametrize(
    ("run", "step", "taken", "expected"),
    [
        ("FunctionAgent.workflow", "BaseWorkflowAgent.task", "", AGENT),
        ("run.task", "BaseWorkflowAgent.task", "", AGENT),
        ("AgentWorkflow.workflow", "AgentWorkflow.task", "", WORKFLOW),
        ("Essay.workflow", "Essay.task", '{"ev": {"text": "a"}}', WORKFLOW),
        ("run.task", "Essay.task", '{"ev": {}}', WORKFLOW),
        ("Essay.workflow", "Other.task", "", PLUMBING),
        ("QueryEngine.workflow", "QueryEngine.task", '{"query_bundle": "q"}', PLUMBING),
    ],
)
def test_a_run_is_what_its_steps_are(
    run: str, step: str, taken: str, expected: tuple[str, str]
) -> None:
    more = {"input": taken} if taken else {}
    assert rules(said(1, 0, run), said(2, 1, step, **more))[1] == expected


def test_an_engine_says_what_it_was_asked_and_is_no_workflow() -> None:
    spans = said(1, 0, "Engine.workflow", input='{"args": ["q"]}'), said(2, 1, "Engine.task")
    assert rules(*spans)[1] == PLUMBING


def test_an_agent_has_the_name_its_steps_say_and_its_last_message() -> None:
    answer = '{"result": {"response": {"blocks": [{"text": "Go"}, {"text": "."}, 1]}}}'
    found = normalized(
        said(1, 0, "FunctionAgent.workflow", output=answer),
        said(2, 1, "BaseWorkflowAgent.task", output='{"current_agent_name": "planner"}'),
    )
    assert (found[1].facts.agent_name, found[1].facts.output) == ("planner", "Go.")


@pytest.mark.parametrize(
    ("answer", "shown"),
    [("text", "text"), ('{"result": "b"}', "b"), ('{"result": {"a": 1}}', '{"result": {"a": 1}}')],
)
def test_a_workflow_shows_its_result(answer: str, shown: str) -> None:
    found = normalized(said(1, 0, "Essay.workflow", output=answer), said(2, 1, "Essay.task"))
    assert (found[1].facts.agent_name, found[1].facts.output) == ("Essay", shown)


def test_a_tool_counts_once_and_is_told_by_the_step_around_it() -> None:
    trajectory = extract_spans(
        said(1, 0, "FunctionAgent.workflow"),
        said(2, 1, "BaseWorkflowAgent.task", tool="weather", asked='{"city": "b"}'),
        said(3, 2, "FunctionTool.task", output='{"tool_name": "weather", "raw_output": "sunny"}'),
        make_span(4, 1, chat(3, 4), start=4),
    )
    assert owners(trajectory) == {1: [3, 4]}
    tool = trajectory.agent_steps[0].steps[0]
    assert (tool.metadata["tool_name"], tool.input) == ("weather", '{"city": "b"}')
    assert tool.output == "sunny"


def test_a_tool_that_raised_is_the_step_that_called_it() -> None:
    failed = '{"tool_output": {"raw_output": {"no": 1}, "is_error": true}}'
    found = normalized(
        said(1, 0, "FunctionAgent.workflow"),
        said(2, 1, "BaseWorkflowAgent.task", tool="weather", asked="{}", output=failed),
    )
    assert (found[2].kind, found[2].rule) == ("tool", "traceloop_llamaindex.tool_without_span")
    assert (found[2].facts.tool_name, found[2].facts.input) == ("weather", "{}")
    assert found[2].facts.output == '{"no":1}'


def test_a_class_called_tool_that_gives_something_else_is_none() -> None:
    spans = said(1, 0, "Run.workflow"), said(2, 1, "PowerTool.task", output='{"a": 1}')
    assert rules(*spans)[2] == PLUMBING
