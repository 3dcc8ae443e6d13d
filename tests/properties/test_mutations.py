"""Changed captures: names do not matter, and a lost attribute loses only its own information."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.each_capture import each_capture
from tests.support.ground_truth import Capture, all_captures
from tests.support.mutations import (
    extract_all,
    names_in,
    new_names,
    outline,
    renamed,
    same,
    structure,
    traces_of,
    unchanged,
    with_legs,
    without,
)

from spanloom.core.model.step import StepType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.model.trajectory import Trajectory

CAPTURES = list(all_captures())

TEXTS = re.compile(
    r"(?<!token_count)\.(input|output|messages|content|value|prompt|completion|arguments|result|description"
    r"|definitions|instructions|temperature|finish_reasons?|user\.id|session\.id)$"
)
ALONE = {
    # Run metadata of LangChain: all of it, or the namespace that reveals a nested graph.
    "mlflow-genai": {"metadata"},
    # Only the operation identifies the spans that the Anthropic SDK reports itself.
    "openinference-langchain": {"gen_ai.operation.name", "metadata"},
    "langsmith": {"langsmith.metadata.langgraph_checkpoint_ns"},
    "logfire": {"langsmith.metadata.langgraph_checkpoint_ns"},
    "traceloop": {"traceloop.association.properties.langgraph_checkpoint_ns"},
    "traceloop-0.40": {"traceloop.entity.input"},
    # States of LangChain.js show the kind of a run, and the tokens of an agent's calls.
    "js-traceloop": {"traceloop.entity.input", "traceloop.entity.output"},
    "js-traceloop-openai": {
        "gen_ai.operation.name",
        "traceloop.entity.input",
        "traceloop.entity.output",
    },
    "js-traceloop-sdk": {"traceloop.entity.input", "traceloop.entity.output"},
    # Only these show the kind of a span: a tool, a retriever, a client's model call, a graph.
    "js-cozeloop": {"cozeloop.span_type"},
    "js-langfuse": {
        "langfuse.observation.metadata.lc_agent_name",
        "langfuse.observation.model.name",
        "langfuse.observation.type",
    },
    "langfuse": {"langfuse.observation.type"},
    "logfire-anthropic": {"gen_ai.operation.name"},
    "mlflow": {"metadata", "mlflow.spanType"},
    "other-agno-traceloop": {"gen_ai.operation.name", "traceloop.span.kind"},
    "other-autogen-openinference": {
        "gen_ai.agent.name",
        "openinference.span.kind",
        "participant_names",
    },
    "other-crewai-traceloop": {"gen_ai.operation.name"},
    "other-dspy-openinference": {"openinference.span.kind"},
    "other-frameworks-openlit": {
        "gen_ai.agent.id",
        "gen_ai.agent.name",
        "gen_ai.agent.source",
        "gen_ai.agno.team.agents",
        "gen_ai.operation.name",
        "gen_ai.smolagents.step_number",
    },
    "other-haystack-traceloop": {"gen_ai.operation.name", "traceloop.span.kind"},
    "other-llamaindex-mlflow": {"mlflow.spanType"},
    "other-llamaindex-traceloop": {
        "gen_ai.operation.name",
        "tool.name",
        "traceloop.entity.input",
    },
    "other-openai-agents-mlflow": {"handoffs", "mlflow.spanType"},
    "other-openai-agents-traceloop": {"gen_ai.operation.name"},
    "other-openai-langfuse": {"langfuse.observation.type"},
    "other-openllmetry-sdks": {"gen_ai.operation.name", "traceloop.span.kind"},
    "other-sdks-mlflow": {"mlflow.spanType"},
    "other-strands": {"gen_ai.operation.name"},
    "traceloop-openai": {"gen_ai.operation.name"},
    "traceloop-sdk": {"gen_ai.operation.name"},
    # Shows whether a run whose first model call failed could have called tools.
    "other-vercel-ai-7": {"gen_ai.tool.definitions"},
    # Eino's callback for Langfuse reports no kinds; they follow from the content of a span.
    "eino-langfuse": {
        "langfuse.ingestion.sdk_version",
        "langfuse.observation.input",
        "langfuse.observation.output",
    },
}
"""By folder of captures, attributes that nothing repeats, so that steps may be lost without."""
CORRECTIONS = {
    # Google ADK over LiteLLM counts reasoning tokens twice; these show it, and the amount.
    "gen_ai.provider.name",
    "gen_ai.usage.reasoning.output_tokens",
}
COUNTED_IN_TEXTS = {
    "eino-apmplus/agentic_agent",  # tokens of Eino's agentic models are only in the answer
    "other-google-adk/approval_rejected",  # only its text shows that a refusal is no error
    "other-google-adk-openinference/approval_rejected",
}
"""Runs whose counts depend on a text."""


def tokens(trajectories: Iterable[Trajectory]) -> list[int]:
    own = [t.root_metrics for t in trajectories]
    return [sum(m.input_tokens for m in own), sum(m.output_tokens for m in own)]


def calls(trajectories: Iterable[Trajectory]) -> set[str]:
    """Return the ids of model and tool steps, which a lost attribute may remove but not add."""
    steps = [s for t in trajectories for agent in t.agent_steps for s in agent.steps]
    return {s.id for s in steps if s.type in (StepType.MODEL, StepType.TOOL)}


def reported(plain: Iterable[Trajectory]) -> Mapping[str, str | None]:
    """Return, for each span, the id of the step that it is or repeats."""
    return {v.span_id: v.step_id for t in plain for v in t.verdicts}


def keys_of(capture: Capture) -> list[str]:
    return sorted({k for spans in traces_of(capture).values() for s in spans for k in s.attributes})


@each_capture(CAPTURES)
def test_names_decide_nothing(capture: Capture) -> None:
    traces, names = traces_of(capture), new_names(capture)
    plain, changed = unchanged(capture), extract_all(traces, renamed(names))
    assert outline(changed) == outline(plain)
    assert not names_in(changed) & names.keys(), "an old name is left"
    assert len(names_in(changed)) == len(names_in(plain))


@each_capture(CAPTURES, every_day=2)
def test_a_lost_attribute_loses_at_most_what_it_alone_told(capture: Capture) -> None:
    traces = traces_of(capture)
    plain = unchanged(capture)
    most_tokens, own, own_calls = tokens(plain), structure(plain), calls(plain)
    step_ids = reported(plain)
    for key in keys_of(capture):
        left = extract_all(traces, without({key}))
        if key not in CORRECTIONS:
            for count, most in zip(tokens(left), most_tokens, strict=True):
                assert count <= most, key
        if key not in ALONE.get(capture.dialect, ()):
            assert structure(left) == own, key
        stood_for = [step_ids[span_id] for span_id in sorted(calls(left))]
        assert set(stood_for) <= own_calls, key
        assert len(stood_for) == len(set(stood_for)), f"{key}: one call counts twice"
        owned = [s.id for t in left for agent in t.agent_steps for s in agent.steps]
        assert len(owned) == len(set(owned)), key


@each_capture(CAPTURES)
def test_without_any_text_the_steps_and_the_numbers_are_the_same(capture: Capture) -> None:
    texts = {key for key in keys_of(capture) if TEXTS.search(key)}
    texts -= ALONE.get(capture.dialect, set())
    traces = traces_of(capture)
    left, plain = extract_all(traces, without(texts)), unchanged(capture)
    assert structure(left) == structure(plain)
    assert capture.id in COUNTED_IN_TEXTS or outline(left) == outline(plain)


@pytest.mark.parametrize("beside", [False, True], ids=["below", "beside"])
@each_capture(CAPTURES, every_day=2)
def test_clients_and_servers_of_the_tools_are_no_further_runs(
    capture: Capture, *, beside: bool
) -> None:
    plain = unchanged(capture)
    changed = extract_all(with_legs(traces_of(capture), plain, beside=beside), same)
    assert [own_spans(t, p) for t, p in zip(changed, plain, strict=True)] == structure(plain)
    assert [lengths(t) for t in changed] == [lengths(p) for p in plain]
    assert [t.failures for t in changed] == [p.failures for p in plain]


def own_spans(trajectory: Trajectory, plain: Trajectory) -> object:
    """Return the structure of a trajectory without the spans that were added."""
    known = {v.span_id for v in plain.verdicts}
    kept = [v for v in trajectory.verdicts if v.span_id in known]
    [own] = structure([replace(trajectory, verdicts=kept)])
    return own


def lengths(trajectory: Trajectory) -> Mapping[str, int]:
    """Return how long each step took, in nanoseconds."""
    steps = [s for agent in trajectory.agent_steps for s in agent.steps]
    return {s.id: s.end_ns - s.start_ns for s in steps}
