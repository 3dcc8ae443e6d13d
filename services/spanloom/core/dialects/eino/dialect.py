"""Eino under its ``apmplus`` callback: ``runinfo.component`` on every span.

``gen_ai.span.kind`` repeats the component but is ``workflow`` on every root, so spans are
classified by ``runinfo.component`` (``eino/runs.py``). ``eino_cozeloop`` and ``eino_langfuse`` read
Eino's other callbacks.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions import genai as genai_facts
from spanloom.core.conventions.usage import read_payload
from spanloom.core.dialects.base import Dialect
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
    classify_part,
    is_resumed,
    read_answer,
    read_answer_usage,
    read_request,
)
from spanloom.core.model.span import Facts
from spanloom.core.model.step import Usage
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, first, json_object, seconds_as_ms, unquoted
from spanloom.core.values.indexed import indexed_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Classification, Span

COMPONENT = "runinfo.component"
_NAME, _TYPE = "runinfo.name", "runinfo.type"
_COMPONENT_OF_KIND = {
    **{name.lower(): name for name in (*AGENTS, CHAT_MODEL, "AgenticModel", TOOL, LAMBDA)},
    **{name.lower(): name for name in (GRAPH, CHAIN, "Retriever", "Embedding")},
}
"""Components of spans without the attribute, by span kind; ``workflow`` may be any root."""
_AGENT_TYPES = frozenset({CHAT_MODEL, "Sequential", "Parallel", "Loop", "Supervisor"})

_FIRST_CHUNK = "gen_ai.chat_completions.streaming_time_to_first_token"


class Eino(Dialect):
    """The convention as eino-ext's ``callbacks/apmplus`` writes it."""

    id = "eino"
    control_flow = CONTROL_FLOW
    scopes = (r"github\.com/cloudwego",)
    marks = ("runinfo.",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by the attributes for the component or its type."""
        return COMPONENT in signature.attributes or _TYPE in signature.attributes

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by the component, its parents and its children."""
        part = classify_part(span, view, _read)
        if part.kind is Kind.MODEL and (whole := _answer_with_calls(span, view)):
            return part._replace(facts=Facts(output=whole))
        return part

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read ``gen_ai.prompt.N`` and ``gen_ai.completion.N``.

        The attributes hold a message for each N, or one JSON value in N = 0.
        """
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
            facts.is_resuming = is_resumed(_run_input(attributes))
            facts.input = _request(attributes) or facts.input
            facts.output = _answer(attributes)
            facts.agent_name = attributes.get(_NAME, "") or span.name
        return facts


class _ToolsNode(NamedTuple):
    """The input of a node that runs the tools which an answer calls."""

    start_ns: int
    content: Json
    """The text of the answer."""
    answer: str
    """The whole message, as a JSON list with one item."""


def _answer_with_calls(span: Span, view: TraceView) -> str:
    """Return the answer with its tool calls, from the input of the tools node after the model call.

    The callback omits the tool calls of an answer that has a text. The result is empty if the
    answer has no text, or if the next tools node has another text as input.
    """
    text = span.attributes.get("gen_ai.completion.0.content", "")
    parent = view.tree.parent(span)
    if parent is None or not text or text.startswith(_WHOLES):
        return ""
    nodes = view.remember_children(_tools_nodes, parent)
    at = bisect_left(nodes, span.start_ns, key=attrgetter("start_ns"))  # the call may end later
    return nodes[at].answer if at < len(nodes) and nodes[at].content == text else ""


def _tools_nodes(children: Sequence[Span]) -> Sequence[_ToolsNode]:
    nodes = []
    for child in children:
        answer = child.attributes.get("gen_ai.prompt.0.content", "")
        if answer.startswith(_MESSAGE) and _CALLS in answer:
            content = json_object(answer).get("content")
            nodes.append(_ToolsNode(child.start_ns, content, f"[{answer}]"))
    return nodes


def _whole(attributes: Mapping[str, str], prefix: str) -> str:
    """Return the first content if it is a JSON value, or an empty text if it is plain text.

    An agentic model's request and answer are objects; an answer without text is a list.
    """
    content = attributes.get(f"{prefix}0.content", "")
    return content if content.startswith(_WHOLES) else ""


def _request(attributes: Mapping[str, str]) -> str:
    """Return the request to an agent, or all input messages of a root; empty if there are none."""
    whole = _run_input(attributes)
    request = read_request(whole)
    return request if request != whole else attributes.get("gen_ai.input", "")


def _run_input(attributes: Mapping[str, str]) -> str:
    return first(attributes, "gen_ai.input", "gen_ai.prompt.0.content")


def _answer(attributes: Mapping[str, str]) -> str:
    """Return the text of a single message, or all messages if there are several."""
    if "gen_ai.completion.1.content" in attributes:
        return indexed_text(attributes, "gen_ai.completion.")
    return read_answer(first(attributes, "gen_ai.completion.0.content", "gen_ai.output"))


def _read(span: Span, _view: TraceView) -> Part:
    attributes = span.attributes
    return Part(_component(attributes), attributes.get(_NAME, span.name))


def _component(attributes: Mapping[str, str]) -> str:
    """Return the component; if missing, derive it from the span kind, or a root's type."""
    if (component := attributes.get(COMPONENT)) is not None:
        return component
    kind = attributes.get("gen_ai.span.kind", "")
    if kind != "workflow":
        return _COMPONENT_OF_KIND.get(kind, "")
    if not (root_type := attributes.get(_TYPE, "")):
        return GRAPH
    if root_type in _AGENT_TYPES:
        return "Agent"
    return CHAT_MODEL if "gen_ai.request.model" in attributes else ""


_MESSAGE, _CALLS = '{"role":"assistant"', '"tool_calls":'
_WHOLES = ('{"Message', '[{"role"', '[{"content"')


def _complete_model_call(span: Span, facts: Facts) -> None:
    """Add the time to the first token; take missing usage and model from the call's output."""
    facts.first_token_ms = seconds_as_ms(span.attributes.get(_FIRST_CHUNK, ""))
    if facts.usage is not None and facts.usage.input_tokens:
        return
    payload = json_object(span.attributes.get("gen_ai.completion.0.content", ""))
    usage, config = payload.get("TokenUsage"), payload.get("Config")
    if isinstance(usage, dict):
        facts.usage = read_payload(usage)
    if isinstance(config, dict) and not facts.model:
        facts.model = str(config.get("Model") or "")
    if facts.usage is None or not any(facts.usage):
        outputs = (facts.output, span.attributes.get("gen_ai.output", ""))
        facts.usage = next((u for text in outputs if any(u := read_answer_usage(text))), Usage())
