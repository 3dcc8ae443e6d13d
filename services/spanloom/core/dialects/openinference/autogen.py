"""AutoGen AgentChat under OpenInference: scope ``openinference.instrumentation.autogen_agentchat``.

A team's run (``Swarm.run_stream``, kind ``CHAIN``, with ``participant_names``) is a graph. An
agent's run is ``X.on_messages_stream``, kind ``AGENT``; ``graph.node.id`` is its name. AutoGen's
own span of the same run, ``invoke_agent X``, encloses this span if AutoGen's tracing is on. If an
agent answers without a stream, the span of one method is inside the span of another. In both cases
the two spans are one run. The model clients report prompt and completion tokens, without details.

Agents and teams receive Python objects, so their inputs are reprs; the request is in their model
calls. A run whose caller stopped reading the stream after the answer has no output and a
``CancelledError``.

Verified on captures of agents, some of them used as tools, and of teams (0.1.22 with AgentChat
0.7.5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.openinference.dialect import OpenInference, span_kind
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, first, json_object, json_value, written

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "openinference.instrumentation.autogen_agentchat"
_TEAM = Classification(Kind.GRAPH, "openinference_autogen.team")
_AGENT = Classification(Kind.AGENT, "openinference_autogen.agent")


class OpenInferenceAutoGen(OpenInference):
    """OpenInference as its AutoGen AgentChat instrumentation writes it."""

    id = "openinference_autogen"

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify teams by their members, agents by kind, other spans as OpenInference does."""
        if "participant_names" in span.attributes:
            return _TEAM
        if span_kind(span) != "AGENT":
            return super().classify(span, view)
        around = view.tree.parent(span)
        if around is not None and _agent_name(around) == _agent_name(span):
            return Classification(Kind.AGENT, "openinference_autogen.same_run", around.span_id)
        return _AGENT

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read OpenInference's attributes, and the task of agents and teams.

        A missing tool name is derived from the span's name: ``agent.tool``.
        """
        facts = super().describe(span, kind)
        if kind in (Kind.AGENT, Kind.GRAPH):
            facts.agent_name = _agent_name(span) or span.name.partition(".")[0]
            facts.input = _task(facts.input)
        elif kind is Kind.MODEL:
            facts.input = _with_results(facts.input)
        elif kind is Kind.TOOL:
            facts.tool_name = span.attributes.get("tool.name", "") or span.name.rpartition(".")[2]
        return facts


def _agent_name(span: Span) -> str:
    return first(span.attributes, "graph.node.id", "gen_ai.agent.name")


def _task(arguments: str) -> str:
    """Return the argument ``task`` if it is a text, else an empty text."""
    task = json_object(arguments).get("task")
    return task if isinstance(task, str) else ""


def _with_results(messages: str) -> str:
    """Return the messages, with each ``{"role": "function", …}`` replaced by its tool messages."""
    items = json_value(messages) if '"function":[' in messages else None
    if not isinstance(items, list):
        return messages
    return written([message for item in items for message in _results(item) or [item]])


def _results(item: Json) -> list[Json]:
    """Return one tool message for each result in the item's list of JSON texts."""
    listed = item.get("function") if isinstance(item, dict) else None
    texts = listed if isinstance(listed, list) else []
    return [_result(json_object(text)) for text in texts if isinstance(text, str)]


def _result(payload: dict[str, Json]) -> Json:
    return {
        "role": "tool",
        "content": payload.get("content"),
        "tool_call_id": payload.get("call_id"),
        "name": payload.get("name"),
        "status": "error" if payload.get("is_error") else None,
    }
