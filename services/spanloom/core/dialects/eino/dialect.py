"""Eino, by its ``apmplus`` callback: ``runinfo.component`` on every span.

``gen_ai.span.kind`` repeats the component but is ``workflow`` on every root, so the component
decides (``eino/runs.py``). Eino's other callbacks are ``eino_cozeloop``'s and ``eino_langfuse``'s.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions import genai as genai_facts
from spanloom.core.dialects.base import Dialect
from spanloom.core.dialects.eino.answers import read_answer_usage
from spanloom.core.dialects.eino.runs import (
    AGENTS,
    CHAIN,
    CHAT_MODEL,
    CONTROL_FLOW,
    DATA_KINDS,
    GRAPH,
    LAMBDA,
    TOOL,
    Part,
    callback_usage,
    classify_part,
    is_resumed,
    read_answer,
    read_request,
)
from spanloom.core.model.normalized import Facts
from spanloom.core.model.trajectory import Kind, Usage
from spanloom.core.values.attributes import Json, first, json_object, seconds_as_ms, unquoted
from spanloom.core.values.indexed import indexed_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.normalized import Classification
    from spanloom.core.model.span import Span

COMPONENT = "runinfo.component"
_NAME, _TYPE = "runinfo.name", "runinfo.type"
_COMPONENT_OF_KIND = {
    **{name.lower(): name for name in (*AGENTS, CHAT_MODEL, "AgenticModel", TOOL, LAMBDA)},
    **{name.lower(): name for name in (GRAPH, CHAIN, "Retriever", "Embedding")},
}
"""Where the component is missing; ``workflow`` is every root, and plumbing is plumbing."""
_AGENT_TYPES = frozenset({CHAT_MODEL, "Sequential", "Parallel", "Loop", "Supervisor"})

_FIRST_CHUNK = "gen_ai.chat_completions.streaming_time_to_first_token"


class Eino(Dialect):
    """The convention as eino-ext's ``callbacks/apmplus`` writes it."""

    id = "eino"
    control_flow = CONTROL_FLOW

    def recognises(self, signature: Signature) -> bool:
        """By the component that ran, or its type."""
        return COMPONENT in signature.attributes or _TYPE in signature.attributes

    def classify(self, span: Span, view: TraceView) -> Classification:
        """By the component and what stands above and below it."""
        found = classify_part(span, view, _read)
        if found.kind is Kind.MODEL and (whole := _answer_with_calls(span, view)):
            return found._replace(facts=Facts(output=whole))
        return found

    def describe(self, span: Span, kind: Kind) -> Facts:
        """From ``gen_ai.prompt.N`` and ``.completion.N``; what is no message is JSON in N = 0."""
        attributes = span.attributes
        facts = genai_facts.read_model_call(attributes)
        facts.agent_name = ""
        facts.conversation_id = attributes.get("gen_ai.session.id", "")
        facts.metadata = {k: v for k, v in facts.metadata.items() if v not in ("0", "0.0", "[]")}
        if kind is Kind.MODEL:
            facts.input = _whole(attributes, "gen_ai.prompt.") or facts.input
            facts.output = _whole(attributes, "gen_ai.completion.") or facts.output
            _complete_model_call(span, facts)
            return facts
        facts.usage, facts.model = None, ""
        if kind is Kind.TOOL:
            facts.input = unquoted(attributes.get("gen_ai.prompt.0.content", ""))
            facts.output = unquoted(attributes.get("gen_ai.completion.0.content", ""))
            facts.tool_name = attributes.get(_NAME, "") or span.name
            facts.data_kind = DATA_KINDS.get(_component(attributes), "")
        else:
            facts.is_resuming = is_resumed(_given(attributes))
            facts.input = _request(attributes) or facts.input
            facts.output = _answer(attributes)
            facts.agent_name = attributes.get(_NAME, "") or span.name
        return facts


class _ToolsNode(NamedTuple):
    """A node that runs the tools that an answer asks for."""

    start_ns: int
    said: Json
    answer: str
    """The whole message."""


def _answer_with_calls(span: Span, view: TraceView) -> str:
    """Return the answer as the node beside it got it: the callback leaves calls out beside a text.

    Empty if the answer has no text, or no node was given one that says the same.
    """
    said = span.attributes.get("gen_ai.completion.0.content", "")
    parent = view.tree.parent(span)
    if parent is None or not said or said.startswith(_WHOLES):
        return ""
    nodes = view.remember_children(_tools_nodes, parent)
    at = bisect_left(nodes, span.start_ns, key=attrgetter("start_ns"))  # a stream ends later
    return nodes[at].answer if at < len(nodes) and nodes[at].said == said else ""


def _tools_nodes(children: Sequence[Span]) -> Sequence[_ToolsNode]:
    found = []
    for child in children:
        given = child.attributes.get("gen_ai.prompt.0.content", "")
        if given.startswith(_MESSAGE) and _CALLS in given:
            found.append(
                _ToolsNode(child.start_ns, json_object(given).get("content"), f"[{given}]")
            )
    return found


def _whole(attributes: Mapping[str, str], prefix: str) -> str:
    """Return what is no list of messages: the callback writes it as JSON where a first text goes.

    An agentic model's call and answer are one object; an answer without text is a list.
    """
    content = attributes.get(f"{prefix}0.content", "")
    return content if content.startswith(_WHOLES) else ""


def _request(attributes: Mapping[str, str]) -> str:
    """Return what an agent was asked, or a root's whole messages; else an empty text."""
    given = _given(attributes)
    asked = read_request(given)
    return asked if asked != given else attributes.get("gen_ai.input", "")


def _given(attributes: Mapping[str, str]) -> str:
    return first(attributes, "gen_ai.input", "gen_ai.prompt.0.content")


def _answer(attributes: Mapping[str, str]) -> str:
    """Return one message's text, or all messages where there are more."""
    if "gen_ai.completion.1.content" in attributes:
        return indexed_text(attributes, "gen_ai.completion.")
    return read_answer(first(attributes, "gen_ai.completion.0.content", "gen_ai.output"))


def _read(span: Span, _view: TraceView) -> Part:
    attributes = span.attributes
    return Part(_component(attributes), attributes.get(_NAME, span.name))


def _component(attributes: Mapping[str, str]) -> str:
    """Return the component; without it the span's kind tells, of a root what it is made by."""
    if (component := attributes.get(COMPONENT)) is not None:
        return component
    kind = attributes.get("gen_ai.span.kind", "")
    if kind != "workflow":
        return _COMPONENT_OF_KIND.get(kind, "")
    if not (made_by := attributes.get(_TYPE, "")):
        return GRAPH
    if made_by in _AGENT_TYPES:
        return "Agent"
    return CHAT_MODEL if "gen_ai.request.model" in attributes else ""


_MESSAGE, _CALLS = '{"role":"assistant"', '"tool_calls":'
_WHOLES = ('{"Message', '[{"role"', '[{"content"')


def _complete_model_call(span: Span, facts: Facts) -> None:
    """Take the usage of an agentic model from where its callback leaves it: its own output."""
    facts.first_token_ms = seconds_as_ms(span.attributes.get(_FIRST_CHUNK, ""))
    if facts.usage is not None and facts.usage.input_tokens:
        return
    payload = json_object(span.attributes.get("gen_ai.completion.0.content", ""))
    usage, config = payload.get("TokenUsage"), payload.get("Config")
    if isinstance(usage, dict):
        facts.usage = callback_usage(usage)
    if isinstance(config, dict) and not facts.model:
        facts.model = str(config.get("Model") or "")
    if facts.usage is None or not any(facts.usage):
        outputs = (facts.output, span.attributes.get("gen_ai.output", ""))
        facts.usage = next((u for text in outputs if any(u := read_answer_usage(text))), Usage())
