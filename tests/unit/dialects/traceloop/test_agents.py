"""OpenAI Agents under OpenLLMetry: graphs of several runs, handoffs, and agents run as tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, genai, make_span, normalized, owners, rules, sid

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SCOPE = "opentelemetry.instrumentation.openai_agents"
OPERATIONS = {"agent": "invoke_agent", "tool": "execute_tool"}


def reported(number: int, parent: int, kind: str, start: float, end: float) -> Span:
    said = {"traceloop.span.kind": kind}
    if kind != "workflow":
        said |= genai(OPERATIONS.get(kind, kind))
    return make_span(number, parent, said, scope=SCOPE, start=start, end=end)


def call(number: int, parent: int, start: float) -> Span:
    return make_span(number, parent, genai("chat"), scope=SCOPE, start=start, end=start + 2)


ROOT = reported(1, 0, "workflow", 0, 100)


def test_the_frame_of_one_run_is_no_step() -> None:
    found = rules(ROOT, reported(2, 1, "agent", 1, 99), call(3, 2, 2))
    assert [kind for kind, _ in found.values()] == ["other", "agent", "model"]


def test_runs_in_a_row_or_side_by_side_are_a_graph() -> None:
    assert rules(ROOT, reported(2, 1, "agent", 1, 9), reported(3, 1, "agent", 10, 19))[1][0] == (
        "graph"
    )
    assert rules(ROOT, reported(2, 1, "agent", 1, 9), reported(3, 1, "agent", 2, 8))[1][0] == (
        "graph"
    )


@pytest.mark.parametrize("parent", [1, 2])
def test_a_handoff_is_a_tool_and_composes_nothing(parent: int) -> None:
    spans = [
        reported(2, 1, "agent", 1, 20),
        reported(3, parent, "handoff", 10, 11),
        reported(4, 1, "agent", 21, 90),
    ]
    found = rules(ROOT, *spans)
    assert [kind for kind, _ in found.values()] == ["other", "agent", "tool", "agent"]
    assert normalized(ROOT, *spans)[3].facts.tool_name == "handoff"


def test_an_agent_that_ran_as_a_tool_stands_under_the_tool_s_agent() -> None:
    spans = [
        reported(2, 1, "agent", 1, 99),
        reported(3, 2, "tool", 10, 50),
        reported(4, 1, "agent", 11, 49),
        call(5, 4, 12),
        reported(6, 2, "tool", 60, 61),
    ]
    trajectory = extract_spans(ROOT, *spans)
    assert trajectory.root_type == "other"
    assert owners(trajectory) == {1: [2], 2: [3, 4, 6], 4: [5]}
    inner = next(s for a in trajectory.agent_steps for s in a.steps if s.id == sid(4))
    assert (inner.parent_id, inner.metadata["parent_span_id"]) == (sid(3), sid(1))


def test_parallel_agents_as_tools_find_the_same_caller() -> None:
    spans = [
        reported(2, 1, "agent", 1, 99),
        reported(3, 2, "tool", 10, 60),
        reported(4, 2, "tool", 11, 50),
        reported(5, 1, "agent", 12, 59),
        reported(6, 1, "agent", 13, 49),
    ]
    found = normalized(ROOT, *spans)
    assert {found[5].inside, found[6].inside} == {sid(3), sid(4)}
    assert rules(ROOT, *spans)[1][0] == "other"


def test_the_name_repeats_a_missing_kind() -> None:
    names = ["Agent Workflow", "planner.agent", "openai.response", "lookup.tool"]
    spans = [make_span(n, n - 1, {}, scope=SCOPE, name=x) for n, x in enumerate(names, 1)]
    assert [kind for kind, _ in rules(*spans).values()] == ["other", "agent", "model", "tool"]


def test_realtime_speech_is_no_step() -> None:
    speech = make_span(2, 1, genai("speech"), scope=SCOPE, name="openai.realtime.speech")
    assert rules(ROOT, speech)[2][0] == "other"
