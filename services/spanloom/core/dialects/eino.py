"""Eino, by its ``apmplus`` callback: ``runinfo.component`` on every span.

``gen_ai.span.kind`` repeats the component but is ``workflow`` on every root, so the component
decides. An adk agent says ``Agent``; what it is made of (a Chain of its own name, a graph
``ReAct``) is private. A react agent of ``flow/agent`` and a multi-agent host are plain graphs:
the one has the model node ``ChatModel``, the other the lambda ``converter``, names that are
fixed in the library unless the program renames them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects import genai_facts
from spanloom.core.dialects.indexed import indexed_text
from spanloom.core.dialects.values import Json, count, first, json_object, seconds_as_ms, unquoted
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind, Usage

if TYPE_CHECKING:
    from spanloom.core.dialects.base import TraceView
    from spanloom.core.model.span import Span

COMPONENT = "runinfo.component"

_AGENTS = frozenset({"Agent", "AgenticAgent"})
_GRAPHS = frozenset({"Graph", "Chain", "Workflow"})
_CALLS = {
    "ChatModel": Kind.MODEL,
    "AgenticModel": Kind.MODEL,
    "Tool": Kind.TOOL,
    "Retriever": Kind.TOOL,
    "Embedding": Kind.TOOL,
}
_FIRST_CHUNK = "gen_ai.chat_completions.streaming_time_to_first_token"
_DATA_KINDS = {"Retriever": "retrieval", "Embedding": "embedding"}


class Eino:
    """The convention as eino-ext's ``callbacks/apmplus`` writes it."""

    id = "eino"

    def recognises(self, span: Span) -> bool:
        """By the component that ran."""
        return COMPONENT in span.attributes

    def classify(self, span: Span, view: TraceView) -> Classification:
        """By the component and what stands above and below it."""
        component = span.attributes[COMPONENT]
        if component in _AGENTS:
            return Classification(Kind.AGENT, "eino.adk_agent")
        if component in _GRAPHS:
            return _classify_graph(span, view)
        if component in _CALLS:
            return Classification(_CALLS[component], f"eino.{component.lower()}")
        return Classification(Kind.OTHER, "eino.plumbing")

    def describe(self, span: Span, kind: Kind) -> Facts:
        """From ``gen_ai.prompt.N`` and ``.completion.N``; what is no message is JSON in N = 0."""
        said = span.attributes
        facts = genai_facts.read_model_call(said)
        facts.agent_name = ""
        facts.conversation_id = first(said, "gen_ai.session.id")
        facts.metadata = {k: v for k, v in facts.metadata.items() if v not in ("0", "0.0", "[]")}
        if kind is Kind.MODEL:
            _complete_model_call(span, facts)
            return facts
        facts.usage, facts.model = None, ""
        if kind is Kind.TOOL:
            facts.input = unquoted(said.get("gen_ai.prompt.0.content", ""))
            facts.output = unquoted(said.get("gen_ai.completion.0.content", ""))
            facts.tool_name = first(said, "runinfo.name") or span.name
            facts.data_kind = _DATA_KINDS.get(said[COMPONENT], "")
        else:
            facts.input = first(said, "gen_ai.input") or indexed_text(said, "gen_ai.prompt.")
            facts.output = first(said, "gen_ai.output") or indexed_text(said, "gen_ai.completion.")
            facts.agent_name = first(said, "runinfo.name") or span.name
        return facts


def _component(span: Span | None) -> str:
    return "" if span is None else span.attributes.get(COMPONENT, "")


def _classify_graph(span: Span, view: TraceView) -> Classification:
    parent = view.tree.parent(span)
    if _is_private(parent, view):
        return Classification(Kind.OTHER, "eino.inside_adk_agent")
    if _has_child(span, view, "ChatModel", "ChatModel"):
        return Classification(Kind.AGENT, "eino.react_agent")
    if _has_child(span, view, "Lambda", "converter"):
        return Classification(Kind.AGENT, "eino.multi_agent_host")
    return Classification(Kind.GRAPH, f"eino.{_component(span).lower()}")


def _is_private(parent: Span | None, view: TraceView) -> bool:
    """Whether the parent is an adk agent, or the Chain that such an agent consists of."""
    if _component(parent) in _AGENTS:
        return True
    return (
        parent is not None
        and _component(parent) == "Chain"
        and _component(view.tree.parent(parent)) in _AGENTS
    )


def _has_child(span: Span, view: TraceView, component: str, name: str) -> bool:
    return any(
        _component(child) == component and child.attributes.get("runinfo.name") == name
        for child in view.tree.children(span)
    )


def _complete_model_call(span: Span, facts: Facts) -> None:
    """Take the usage of an agentic model from where its callback leaves it: its own output."""
    facts.first_token_ms = seconds_as_ms(span.attributes.get(_FIRST_CHUNK, ""))
    if facts.usage is not None and facts.usage.input_tokens:
        return
    said = json_object(span.attributes.get("gen_ai.completion.0.content", ""))
    usage, config = said.get("TokenUsage"), said.get("Config")
    if isinstance(usage, dict):
        facts.usage = _callback_usage(usage)
    if isinstance(config, dict) and not facts.model:
        facts.model = str(config.get("Model") or "")


def _callback_usage(usage: dict[str, Json]) -> Usage:
    """Read Eino's ``model.TokenUsage`` as Go writes it to JSON."""
    return Usage(
        count(usage.get("PromptTokens")),
        count(usage.get("CompletionTokens")),
        count(_inner(usage, "completion_token_details", "reasoning_tokens")),
        count(_inner(usage, "PromptTokenDetails", "CachedTokens")),
    )


def _inner(said: dict[str, Json], key: str, inner_key: str) -> Json:
    inner = said.get(key)
    return inner.get(inner_key) if isinstance(inner, dict) else None
