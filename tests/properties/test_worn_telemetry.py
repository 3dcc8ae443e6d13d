"""Captured runs with damaged telemetry keep models, tools and tokens if any evidence is left."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tests.support.each_capture import each_capture
from tests.support.ground_truth import Capture, all_captures
from tests.support.mutations import (
    cut_off,
    encoded_twice,
    extract_all,
    same,
    traces_of,
    unchanged,
    without_events,
    without_half_the_plumbing,
)

from spanloom.core.model.step import StepType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.model.trajectory import Trajectory

CAPTURES = list(all_captures())
CALLS = (StepType.MODEL, StepType.TOOL)
TOLD_BY_LONG_VALUES = {
    # A streamed call's tokens are only in the state of the graph around it.
    *("js-traceloop/stream_agent", "js-traceloop-openai/stream_agent"),
    "eino-langfuse/agentic_agent",  # only the answer shows what the call is
}
TOLD_BY_PLUMBING = {
    # No kinds are reported to Langfuse, so an Eino run is recognised by its content.
    *(f"eino-langfuse/{name}" for name in ("adk_chatmodel_agent", "adk_sequential", "react_tools")),
    *(f"eino-langfuse/{name}" for name in ("concurrent_traces", "host_multiagent", "supervisor")),
    *(f"eino-langfuse/{name}" for name in ("interrupt_resume", "nested_subgraph", "subagent_tool")),
    *("js-traceloop/stream_agent", "js-traceloop-openai/stream_agent"),  # tokens, as above
    "other-openllmetry-sdks/mcp_decorated_tool",  # their ends show that they are one
    "other-openai-agents-mlflow/handoff_genai",  # the spans around a handoff
    "other-sdks-mlflow/dspy_chain_of_thought",  # tokens
    # Spans between the calls of a stream, each of which counts the previous ones again.
    *(f"other-spring-ai-1/{name}" for name in ("stream_agent", "stream_usage")),
}


def evidence(trajectories: Iterable[Trajectory]) -> list[object]:
    """Return the model and tool steps of each trajectory, and its tokens."""
    return [
        (
            sorted((s.type, s.id) for a in t.agent_steps for s in a.steps if s.type in CALLS),
            t.root_metrics.input_tokens,
            t.root_metrics.output_tokens,
        )
        for t in trajectories
    ]


@each_capture(CAPTURES)
def test_values_cut_at_1024_characters(capture: Capture) -> None:
    traces = traces_of(capture)
    is_kept = evidence(extract_all(traces, cut_off)) == evidence(unchanged(capture))
    assert is_kept is (capture.id not in TOLD_BY_LONG_VALUES)


@each_capture(CAPTURES)
def test_json_that_was_encoded_twice(capture: Capture) -> None:
    plain, twice = unchanged(capture), extract_all(traces_of(capture), encoded_twice)
    assert [t.agent_steps for t in twice] == [t.agent_steps for t in plain]


@each_capture(CAPTURES)
def test_lost_events(capture: Capture) -> None:
    traces = traces_of(capture)
    assert evidence(extract_all(traces, without_events)) == evidence(unchanged(capture))


@each_capture(CAPTURES)
def test_half_of_the_plumbing_lost(capture: Capture) -> None:
    traces = traces_of(capture)
    plain = unchanged(capture)
    left = without_half_the_plumbing(traces, plain, random.Random(capture.id))
    is_kept = evidence(extract_all(left, same)) == evidence(plain)
    assert is_kept is (capture.id not in TOLD_BY_PLUMBING)
