"""Eino under its ``langfuse`` callback (Langfuse's ingestion API): contents without the component.

The client is called ``eino`` in the metadata of a batch, under one of several keys. A Langfuse
generation is a chat model. Every other component is a Langfuse span, recognised by its input or
output: Go values that Eino passes to callbacks, as JSON with Go's field names (``Events`` of an
agent, ``TokenUsage`` of an agentic model, ``Query``, ``Texts``, ``Variables``). A tool's input is a
quoted string, and its parent's input is an assistant's message that calls tools. Any other span
with children is the agent's Chain if it is below an adk agent, and a lambda if it is below a
multi-agent host; elsewhere it is a graph if one of its children has the same input or output,
otherwise a lambda. A lambda that only passes its input on to a graph is indistinguishable from a
graph.

The error message is in ``output``; an agent's answer is on the span of its Chain.

Verified on captures of eino-ext at c9a5dc92 with eino 0.9.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.usage import read_payload
from spanloom.core.dialects.base import Dialect
from spanloom.core.dialects.eino.runs import (
    AGENTS,
    CHAIN,
    CHAT_MODEL,
    DATA_KINDS,
    GRAPH,
    HOST_CONVERTER,
    LAMBDA,
    TOOL,
    Part,
    classify_part,
    is_resumed,
    join_pieces,
    read_answer,
    read_answer_usage,
    read_request,
)
from spanloom.core.dialects.langfuse.facts import (
    OBSERVATION,
    describe_call,
    describe_observation,
    is_generation,
)
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, json_object, json_text, unquoted

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Classification, Facts, Span

SCOPE = "langfuse-ingestion"
"""Scope that the receiver sets on every span from Langfuse's ingestion API."""
_SDK = tuple(f"langfuse.ingestion.sdk_{key}" for key in ("integration", "version", "name"))
_INPUT, _OUTPUT = OBSERVATION + "input", OBSERVATION + "output"
_BY_INPUT = (
    ('{"Query":', "Retriever"),
    ('{"Texts":', "Embedding"),
    ('{"Variables":', "ChatTemplate"),
    ('{"Input":', "Agent"),
)
_ASSISTANT = '{"role":"assistant"'
_CALLS = ('"tool_calls":[', '"function_tool_call":')
_CONFIG, _CONFIG_WITHIN = '"Config":{', 400
_LAMBDA_NAMES = frozenset({LAMBDA, ""})


class EinoLangfuse(Dialect):
    """The convention as eino-ext's ``callbacks/langfuse`` writes it."""

    id = "eino_langfuse"
    before = ("langfuse",)
    keys_with_values = _SDK

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by the client's name."""
        attributes = signature.attributes
        return signature.scope_name == SCOPE and any(attributes.get(key) == "eino" for key in _SDK)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by the component, which their texts, parents and children show."""
        return classify_part(span, view, _read)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the observation; an agentic call's settings and usage are in input and output."""
        if kind is Kind.MODEL:
            facts = describe_call(span)
            if not is_generation(span.attributes):
                _describe_agentic_call(facts)
            elif facts.usage is None or not any(facts.usage):
                facts.usage = read_answer_usage(facts.output)
        else:
            facts = describe_observation(span)
        if span.status_code == "Error":
            facts.output = ""
        if kind is Kind.TOOL:
            facts.input, facts.output = unquoted(facts.input), unquoted(facts.output)
            facts.tool_name = span.name
            facts.data_kind = DATA_KINDS.get(_by_content(span), "")
        elif kind is not Kind.MODEL:
            facts.agent_name = span.name
            facts.is_resuming = is_resumed(facts.input)
            facts.input = read_request(facts.input)
            facts.output = read_answer(join_pieces(facts.output))
        return facts


def _read(span: Span, view: TraceView) -> Part:
    component = view.remember(_by_content, span)
    parent = view.tree.parent(span)
    if component or parent is None:
        return Part(component or _by_children(span, view), span.name)
    if view.remember(_calls_tools, parent) and span.attributes.get(_INPUT, "").startswith('"'):
        return Part(TOOL, span.name)
    if view.remember(_by_content, parent) in AGENTS and view.tree.children(span):
        return Part(CHAIN, span.name)
    if view.remember_children(_has_converter, parent):
        return Part(LAMBDA, span.name)
    return Part(_by_children(span, view), span.name)


def _by_content(span: Span) -> str:
    """Return the component if the span's own attributes show it, else an empty text."""
    attributes = span.attributes
    if is_generation(attributes):
        return CHAT_MODEL
    sent, received = attributes.get(_INPUT, ""), attributes.get(_OUTPUT, "")
    for start, component in _BY_INPUT:
        if sent.startswith(start):
            return component
    if received.startswith('{"Events":'):
        return "Agent"
    if sent.startswith('{"Messages":') and _CONFIG in sent[-_CONFIG_WITHIN:]:
        return "AgenticModel"
    return LAMBDA if span.name in _LAMBDA_NAMES or span.name == HOST_CONVERTER else ""


def _by_children(span: Span, view: TraceView) -> str:
    """Return ``Graph`` if the span connects other components, else ``Lambda``."""
    children = view.tree.children(span)
    if not children or view.remember(_calls_tools, span):
        return LAMBDA
    connects = any(_is_connected(span, child) for child in children)
    return GRAPH if connects or view.tree.parent(span) is None else LAMBDA


def _is_connected(outer: Span, inner: Span) -> bool:
    """Return whether both spans have the same input or output; the outer may wrap it in a list."""
    for key in (_INPUT, _OUTPUT):
        ours, theirs = outer.attributes.get(key, ""), inner.attributes.get(key, "")
        if ours in (theirs, f"[{theirs}]"):
            return True
    return False


def _calls_tools(span: Span) -> bool:
    message = span.attributes.get(_INPUT, "")
    return message.startswith(_ASSISTANT) and any(call in message for call in _CALLS)


def _has_converter(children: object) -> bool:
    return isinstance(children, list | tuple) and any(c.name == HOST_CONVERTER for c in children)


def _describe_agentic_call(facts: Facts) -> None:
    request, response = json_object(facts.input), json_object(facts.output)
    facts.input = _json(request.get("Messages")) or facts.input
    facts.output = _json(response.get("Message")) or facts.output
    usage = response.get("TokenUsage")
    if isinstance(usage, dict):
        facts.usage = read_payload(usage)
    for payload in (response, request):
        config = payload.get("Config")
        if isinstance(config, dict) and not facts.model:
            facts.model = str(config.get("Model") or "")


def _json(value: Json) -> str:
    return json_text(value) if value else ""
