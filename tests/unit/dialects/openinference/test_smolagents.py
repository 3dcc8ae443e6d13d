"""smolagents under OpenInference: runs, steps without a run, and wrapped arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import (
    extract_spans,
    make_span,
    normalized,
    openinference,
    owners,
    rules,
    step_types,
)

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "openinference.instrumentation.smolagents"
RUN = ("agent", "openinference_smolagents.run")


def said(number: int, parent: int, name: str, kind: str, **more: str) -> Span:
    status = "Error" if more.pop("error", "") else "Ok"
    return make_span(
        number,
        parent,
        openinference(kind, **more),
        name=name,
        scope=SCOPE,
        start=number,
        end=100 - number,
        status=status,
    )


def loop(first: int, parent: int, error: str = "") -> list[Span]:
    """Return the spans of one step of the agent's loop, with its model call and its tool run."""
    tokens = {"llm__token_count__prompt": "7"}
    return [
        said(first, parent, "Step 1", "CHAIN", input__value='{"memory_step": "…"}'),
        said(first + 1, first, "OpenAIModel.generate", "LLM", error=error, **tokens),
        said(first + 2, first, "SimpleTool", "TOOL", tool__name="look_up"),
    ]


def test_a_managed_agent_owns_its_loop_and_sums_count_for_nothing() -> None:
    sums = {"llm__token_count__prompt": "14", "llm__token_count__completion": "9"}
    trajectory = extract_spans(
        said(1, 0, "boss.run", "AGENT", **sums),
        *loop(2, 1),
        said(5, 2, "helper.run", "AGENT", **sums),
        *loop(6, 5),
    )
    assert owners(trajectory) == {1: [3, 4, 5], 5: [7, 8]}
    assert trajectory.root_metrics.input_tokens == 14


def test_a_run_that_raised_has_no_agent_but_all_its_calls() -> None:
    lost = 99
    trajectory = extract_spans(*loop(1, lost), *loop(4, lost, error="yes"))
    assert step_types(trajectory) == {2: "model", 3: "tool", 5: "model", 6: "tool"}
    assert owners(trajectory) == {lost: [2, 3, 5, 6]}
    assert (trajectory.root.input, trajectory.has_root) == ("", False)


def test_a_managed_run_that_raised_leaves_its_calls_to_the_manager() -> None:
    trajectory = extract_spans(said(1, 0, "boss.run", "AGENT"), *loop(2, 1), *loop(5, 99))
    assert owners(trajectory) == {1: [3, 4, 6, 7]}


def test_a_run_that_lost_its_kind_is_told_by_its_settings() -> None:
    span = make_span(1, 0, {"smolagents.max_steps": "20"}, name="x.run", scope=SCOPE)
    assert rules(span)[1] == RUN


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("sunny", "sunny"),
        ("ToolCall(…)FinalAnswerStep(output='It\\'s sunny')", "It's sunny"),
        ("FinalAnswerStep(output=42)", "FinalAnswerStep(output=42)"),
    ],
)
def test_a_run_says_its_task_and_answer(output: str, expected: str) -> None:
    task = {"input__value": '{"task": "weather?", "stream": false}', "output__value": output}
    facts = normalized(said(1, 0, "boss.run", "AGENT", **task))[1].facts
    assert (facts.agent_name, facts.input, facts.output) == ("boss", "weather?", expected)


def test_a_tool_s_arguments_are_unwrapped() -> None:
    wrapped = '{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"answer": "sunny"}}'
    tool = said(1, 0, "FinalAnswerTool", "TOOL", tool__name="final_answer", input__value=wrapped)
    facts = normalized(tool)[1].facts
    assert (facts.tool_name, facts.input) == ("final_answer", '{"answer":"sunny"}')
