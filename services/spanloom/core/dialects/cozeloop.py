"""Coze Loop's SDKs: ``cozeloop.span_type`` on every span.

The SDKs for Python and Go post JSON, which the receiver converts to these attributes (ADR 010); the
SDK for JavaScript sends OTLP. The types ``model``, ``tool`` and ``retriever`` are reliable. The
LangChain handlers set ``graph`` on runs with exactly the name ``LangGraph`` and ``chain`` on all
others, and report no run metadata, so the structure of a run decides whether it is an agent or a
graph. Spans created by the author may have any type; ``agent`` is trusted. The JavaScript handler
omits reasoning and cached tokens on the model call's span; they are in the output message of the
enclosing chain, or in the input of the next chain. The time to the first token is in microseconds,
except that the LangChain handlers report it in milliseconds.
Verified on captures: cozeloop 0.1.28 and ``@cozeloop/langchain`` 0.0.3. Known only from
documentation: spans created by the author. ``eino_cozeloop`` reads the spans of Eino's callback.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from spanloom.core.conventions.langchain.shape import Runnable, classify_shape
from spanloom.core.conventions.langchain.texts import find_details
from spanloom.core.conventions.usage import read_counts
from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.step import Usage
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import (
    MAX_SECONDS,
    Json,
    decimal,
    first,
    first_integer,
    json_field,
    json_object,
    json_text,
    pick,
    text_or_json,
)

SPAN_TYPE = "cozeloop.span_type"
INPUT, OUTPUT = "cozeloop.input", "cozeloop.output"
JS_TOKENS = "gen_ai.usage.input_tokens"
TAG = "cozeloop.tag."
SYSTEM_TAG = "cozeloop.system_tag."
MODEL_MARKS = (TAG + "model_name", TAG + "input_tokens", "gen_ai.request.model", JS_TOKENS)
TOOL_MARKS = (TAG + "tool_call_id", TAG + "description")

_LATENCY = TAG + "latency_first_resp"
_JS_LATENCY = "cozeloop.start_time_first_resp"
_LANGCHAIN = '"library":"langchain"'
_DATA_KINDS = {"retriever": "retrieval", "embedding": "embedding"}
_METADATA = {
    TAG + "model_provider": "provider",
    TAG + "tool_call_id": "tool_call_id",
    TAG + "description": "tool_description",
    TAG + "retriever_provider": "provider",
    TAG + "prompt_key": "prompt_key",
    TAG + "prompt_version": "prompt_version",
    "cozeloop.log_id": "log_id",
    "cozeloop.object_storage": "object_storage",
}
_SETTINGS = ("temperature", "max_tokens", "top_p", "stop", "top_k")
_BY_TYPE = {
    "model": Classification(Kind.MODEL, "cozeloop.model"),
    "tool": Classification(Kind.TOOL, "cozeloop.tool"),
    "retriever": Classification(Kind.TOOL, "cozeloop.retriever"),
    "embedding": Classification(Kind.TOOL, "cozeloop.embedding"),
    "agent": Classification(Kind.AGENT, "cozeloop.agent"),
}
_MESSAGE, _TOOL_MESSAGE, _HEAD = '{"lc":', '"ToolMessage"]', 120
"""A tool message that LangChain.js serialized: its start, its class, and how many of its first
characters must contain the class."""
_CHAINS = frozenset({"chain", "graph"})
_PLUMBING = Classification(Kind.OTHER, "cozeloop.plumbing")


def _runnable(span: Span) -> Runnable:
    kind = _type(span)
    return Runnable(span.name, kind in _CHAINS, kind == "graph")


class CozeLoop(Dialect):
    """The convention as the Python, JavaScript and Go SDKs write it."""

    id = "cozeloop"
    claims = Claim.OVERLAY
    scopes = ("cozeloop", "[0-9a-f]{8}-[0-9a-f]{4}-")
    marks = ("cozeloop.",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by span type, or by the SDKs' input and output attributes."""
        attributes = signature.attributes
        return SPAN_TYPE in attributes or INPUT in attributes or OUTPUT in attributes

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify model calls and tools by type, runs by their structure."""
        kind = _type(span)
        if kind == "model" and JS_TOKENS in span.attributes:
            return _BY_TYPE[kind]._replace(usage=_usage_nearby(span, view))
        if kind in _BY_TYPE:
            return _BY_TYPE[kind]
        if kind in _CHAINS and (run := classify_shape(span, view, _runnable)) is not None:
            return run
        return _PLUMBING

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read ``cozeloop.input``, ``cozeloop.output`` and the tags."""
        return describe_span(span, kind, data_kind=_type(span))


def _type(span: Span) -> str:
    """Return the span type; if missing, derive it from attributes of model calls or of tools."""
    attributes = span.attributes
    if SPAN_TYPE in attributes:
        return attributes[SPAN_TYPE]
    if any(mark in attributes for mark in MODEL_MARKS):
        return "model"
    output = attributes.get(OUTPUT, "")
    is_message = output.startswith(_MESSAGE) and _TOOL_MESSAGE in output[:_HEAD]
    is_tool = is_message or any(mark in attributes for mark in TOOL_MARKS)
    return "tool" if is_tool else "chain"


def _usage_nearby(span: Span, view: TraceView) -> Usage | None:
    """Return a model call's token details from its parent's output or its next sibling's input."""
    around = view.tree.parent(span)
    if around is None:
        return None
    after = view.remember_children(_inputs_after, around).get(span.span_id, "")
    texts = (around.attributes.get(OUTPUT, ""), after)
    return find_details(read_usage(span.attributes), texts)


def _inputs_after(children: Sequence[Span]) -> dict[str, str]:
    """Return the input of the next sibling for each model call, keyed by span id."""
    return {
        span.span_id: after.attributes.get(INPUT, "")
        for span, after in pairwise(children)
        if span.attributes.get(SPAN_TYPE) == "model"
    }


def describe_span(span: Span, kind: Kind, data_kind: str) -> Facts:
    """Return the facts of a span; ``data_kind`` is the span type, which may name a data access."""
    attributes = span.attributes
    facts = Facts(
        input=attributes.get(INPUT, ""),
        output=attributes.get(OUTPUT, ""),
        conversation_id=first(attributes, TAG + "thread_id", TAG + "session_id", "session.id"),
        metadata={**_settings(attributes), **pick(attributes, _METADATA)},
    )
    if kind is Kind.MODEL:
        _describe_call(span, facts)
    elif kind is Kind.TOOL:
        facts.tool_name = span.name
        facts.data_kind = _DATA_KINDS.get(data_kind, "")
    else:
        facts.agent_name = span.name
    return facts


def _describe_call(span: Span, facts: Facts) -> None:
    attributes = span.attributes
    facts.input = _inner(facts.input, "messages")
    choices = json_object(facts.output)
    facts.output = _messages(choices.get("choices")) or facts.output
    facts.response_id = first_text(choices.get("id"))
    facts.model = first(
        attributes, TAG + "model_name", "gen_ai.response.model", "gen_ai.request.model"
    )
    facts.usage = read_usage(attributes)
    facts.first_token_ms = _first_token_ms(attributes)


def read_usage(attributes: Mapping[str, str]) -> Usage:
    """Return a model call's tokens from its tags, or the JavaScript SDK's ``gen_ai.usage.*``."""
    plain = read_counts(attributes)
    inputs = first_integer(attributes, TAG + "input_tokens") or plain.input_tokens
    outputs = first_integer(attributes, TAG + "output_tokens") or plain.output_tokens
    total = first_integer(attributes, TAG + "tokens", "gen_ai.usage.total_tokens")
    return Usage(
        inputs or max(0, total - outputs),
        outputs or max(0, total - inputs),
        first_integer(attributes, TAG + "reasoning_tokens") or plain.reasoning_tokens,
        first_integer(attributes, TAG + "input_cached_tokens") or plain.cache_read_tokens,
        first_integer(attributes, TAG + "input_creation_cached_tokens")
        or plain.cache_creation_tokens,
    )


def _first_token_ms(attributes: Mapping[str, str]) -> float | None:
    """Return a model call's time to the first token in ms; ``None`` if unknown or not streamed."""
    if attributes.get(TAG + "stream") != "false" and (latency := attributes.get(_LATENCY)):
        in_ms = _LANGCHAIN in attributes.get(SYSTEM_TAG + "runtime", "").replace(" ", "")
        return _milliseconds(latency, 1 if in_ms else 1000)
    return _milliseconds(attributes.get(_JS_LATENCY, ""), 1)


def _milliseconds(text: str, per_ms: int) -> float | None:
    latency = decimal(text)
    if latency is None or not 0 <= latency <= MAX_SECONDS * 1000:
        return None
    return latency / per_ms


def _settings(attributes: Mapping[str, str]) -> dict[str, str]:
    options = json_object(attributes.get(TAG + "call_options", ""))
    values = {k: v for k in _SETTINGS if (v := options.get(k)) not in (None, "", [], 0)}
    texts = {k: text_or_json(v) for k, v in values.items()}
    return {**pick(attributes, {"gen_ai.request.temperature": "temperature"}), **texts}


def _inner(text: str, key: str) -> str:
    """Return one value of a JSON object as JSON, or the text unchanged if the value is missing."""
    value = json_field(text, key)
    return text if value is None else json_text(value)


def _messages(choices: Json) -> str:
    """Return the JSON list of the messages in the choices; empty if there are none."""
    if not isinstance(choices, list):
        return ""
    messages = [c["message"] for c in choices if isinstance(c, dict) and c.get("message")]
    return json_text(messages) if messages else ""


def first_text(value: Json) -> str:
    """Return the value if it is a text, else an empty text."""
    return value if isinstance(value, str) else ""


DIALECTS = (CozeLoop(),)
