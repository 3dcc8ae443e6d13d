"""OpenLIT with frameworks other than LangChain: not every ``invoke_agent`` is an agent.

- OpenAI Agents: every span of the SDK except model calls and functions is ``invoke_agent``. An
  agent has an id; a handoff has no id but names its source agent, and is a function that the model
  called; other spans (a run, a turn, a guardrail, the author's own spans) have neither.
  ``invoke_workflow`` is the trace, which is a graph only if the author runs several agents in it.
- smolagents: each step of an agent's loop is ``invoke_agent`` too, with the agent's name and a
  number (a planning step has the agent's name and no id).
- CrewAI: a flow's method is ``invoke_agent`` too, but only an agent that works on a task has an id.
- Agno: a team whose leader is a model is an agent; its span is ``invoke_workflow`` and lists the
  members.
- LlamaIndex and PydanticAI: ``invoke_workflow`` is not a step (it is an index, or the loop's own
  graph).

Anthropic's ``input_tokens`` exclude cached tokens, as in its API.

Verified on captures: OpenAI Agents, Agno, smolagents, Haystack, LiteLLM and Anthropic under 1.45.
Known only from OpenLIT's code: CrewAI, and LlamaIndex and PydanticAI, whose current versions
OpenLIT does not report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import usage_repair
from spanloom.core.conventions.operations import OPERATION
from spanloom.core.model.span import Classification
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.step import Usage

_SCOPES = "openlit.instrumentation."
_AGENT_ID = "gen_ai.agent.id"
_HANDOFF_SOURCE = "gen_ai.agent.source"
_STEP = "gen_ai.smolagents.step_number"
_MEMBERS = "gen_ai.agno.team.agents"

_AGENT = Classification(Kind.AGENT, "openlit.agent")
_TEAM = Classification(Kind.AGENT, "openlit.team_with_leader")
_COMPOSED = Classification(Kind.GRAPH, "openlit.composed_runs")
_HANDOFF = Classification(Kind.TOOL, "openlit.handoff")
_FRAME = Classification(Kind.OTHER, "openlit.frame_of_a_run")
_STEP_OF_AGENT = Classification(Kind.OTHER, "openlit.step_of_agent")
_FLOW_METHOD = Classification(Kind.OTHER, "openlit.flow_method")
_PLUMBING = Classification(Kind.OTHER, "openlit.plumbing")


def classify_framework(span: Span, operation: str, view: TraceView) -> Classification | None:
    """Return the classification of a framework's run; ``None`` if the operation alone decides."""
    framework = span.scope_name.removeprefix(_SCOPES)
    if operation == "invoke_agent":
        return _classify_agent(span, framework)
    if operation != "invoke_workflow":
        return None
    if framework == "openai_agents":
        return _COMPOSED if _composes(span, view) else _FRAME
    if framework == "agno" and _MEMBERS in span.attributes:
        return _TEAM
    return _PLUMBING if framework in ("llamaindex", "pydantic_ai") else None


def is_handoff(span: Span) -> bool:
    """Return whether the span is a handoff of OpenAI Agents: it has a source, but no agent id."""
    return _HANDOFF_SOURCE in span.attributes and _AGENT_ID not in span.attributes


def with_cached(usage: Usage, span: Span) -> Usage:
    """Add cached tokens to Anthropic's input, which excludes them: 10 + 90 cached → 100."""
    if span.scope_name != _SCOPES + "anthropic":
        return usage
    return usage_repair.with_cached(usage)


def _classify_agent(span: Span, framework: str) -> Classification:
    attributes = span.attributes
    if framework == "openai_agents" and _AGENT_ID not in attributes:
        return _HANDOFF if is_handoff(span) else _FRAME
    if framework == "smolagents" and (_STEP in attributes or _is_planning(span)):
        return _STEP_OF_AGENT
    if framework == "crewai" and _AGENT_ID not in attributes:
        return _FLOW_METHOD
    return _AGENT


def _is_planning(span: Span) -> bool:
    return span.name.endswith(" planning") and _AGENT_ID not in span.attributes


def _composes(trace: Span, view: TraceView) -> bool:
    """Return whether the author ran several agents in a trace, directly or in separate runs."""
    inner = view.tree.children(trace)
    starters = _starters(inner, view)
    for frame in filter(_is_frame, inner):
        starters |= _starters(view.tree.children(frame), view)
    return len(starters) > 1


def _starters(run: Sequence[Span], view: TraceView) -> set[str]:
    """Return the span ids of the agents in one run that did not take over by a handoff."""
    agents = [span for span in run if _is_agent(span)]
    successors = {name for agent in agents for name in _handoff_targets(agent, view)}
    return {a.span_id for a in agents if a.attributes.get("gen_ai.agent.name") not in successors}


def _handoff_targets(agent: Span, view: TraceView) -> Sequence[str]:
    inner = view.tree.children(agent)
    inner = [*inner, *(i for turn in inner if _is_frame(turn) for i in view.tree.children(turn))]
    return [i.attributes.get("gen_ai.agent.name", "") for i in inner if is_handoff(i)]


def _is_agent(span: Span) -> bool:
    return span.attributes.get(OPERATION) == "invoke_agent" and _AGENT_ID in span.attributes


def _is_frame(span: Span) -> bool:
    attributes = span.attributes
    return attributes.get(OPERATION) == "invoke_agent" and _AGENT_ID not in attributes
