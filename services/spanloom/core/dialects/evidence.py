"""Reads spans of unknown conventions: by operation, or by attributes of only one kind of span.

The operation is recognised in any spelling (``chat.completions``, ``llm_call``). If a span has no
operation, it is a model call if it has a model with tokens or messages, unless another model call
is below it. It is a tool if it has a tool's name with arguments, a result or a call id, and an
agent if it has an agent's name and contains model calls or tools. Spans in a library's scope that
the library's dialect does not recognise are read here too. Genkit's and LiveKit's spans are
recognised by their own attributes and fixed names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.conventions import genai as genai_facts
from spanloom.core.conventions import meanings, operations
from spanloom.core.conventions.endings import find_endings
from spanloom.core.conventions.usage import EVIDENCE, has_counts, read_counts
from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, unquoted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.step import Usage
    from spanloom.core.model.tree import SpanTree

SENDERS = {
    "Genkit": "its types (`genkit:type`, `genkit:metadata:subtype`), names, inputs and outputs",
    "LiveKit Agents": "names of its spans (`agent_turn`, `llm_request`, `function_tool`), `lk.…`",
    "Pipecat": "GenAI operations of its `llm` spans, `input` and `output`; speech is no step",
    "AG2": "GenAI operations, `ag2.span.type`; accounts of tokens are no calls",
    "Semantic Kernel": "`chat.completions`, messages in events",
    "LiteLLM's newer tree": "GenAI names of calls, MCP tools and guardrails",
    "Sentry's SDKs": "`sentry.op`, `gen_ai.request.messages`, `gen_ai.response.text`",
    "LangChain4j on Quarkus": "names of its spans (`langchain4j.tools.…`), model and counts",
    "AgentOps, Laminar, Future AGI": "kinds of spans (`agentops.span.kind`, `lmnr.span.type`)",
    "VoltAgent, agentUniverse, Datadog and others": "words at the end of their keys: "
    "`….span.kind`, `….usage.prompt_tokens`, `….input.messages`, `….tool.name`",
    "spans by hand": "a model with tokens or messages, a tool with arguments, an agent's name",
}
"""Senders that have no dialect, and the attributes by which their spans are read."""
_TOOL_MARKS = tuple(key for key in meanings.TOOL_NAMES if key in meanings.TOOL_MARKS)
_NAMING = tuple(key for key in _TOOL_MARKS if key not in ("tool.name", "tool_name"))
"""Attributes that only agents' tools have; a build system sets ``tool.name`` or ``tool_name``."""
_MAX_NAME_CHARS = 100
_VAGUE = frozenset({"request", "response", "function", "messages", "flow", "graph"})
"""Kind names that services and jobs use as well."""
_TOOL_PREFIX, _SERVICE_PREFIX = "langchain4j.tools.", "langchain4j.aiservices."
"""Prefixes of span names of LangChain4j on Quarkus, which has no attributes of its own."""
_BY_OPERATION = {
    Kind.MODEL: Classification(Kind.MODEL, "evidence.operation_model"),
    Kind.TOOL: Classification(Kind.TOOL, "evidence.operation_tool"),
    Kind.AGENT: Classification(Kind.AGENT, "evidence.operation_agent"),
    Kind.GRAPH: Classification(Kind.GRAPH, "evidence.operation_graph"),
    Kind.OTHER: Classification(Kind.OTHER, "evidence.operation_other"),
}
_CALL = Classification(Kind.MODEL, "evidence.call")
_DATA_CALL = Classification(Kind.TOOL, "evidence.data_call")
_DATA_MODELS = {"embed": "embedding", "rerank": "reranking"}
"""The data access for which a model is used, keyed by a substring of the model's name."""
_TOOL = Classification(Kind.TOOL, "evidence.tool")
_AGENT = Classification(Kind.AGENT, "evidence.agent")
_SUM = Classification(Kind.OTHER, "evidence.sum_of_calls")
_ACCOUNT = Classification(Kind.OTHER, "evidence.counts_of_a_call")
_UNKNOWN = Classification(Kind.OTHER, "evidence.unknown", is_unknown=True)
_TOOL_TEXTS = frozenset(
    {*meanings.TOOL_INPUTS, *meanings.TOOL_OUTPUTS, *meanings.TOOL_CALL_IDS, "gen_ai.tool.type"}
)


class Evidence(Dialect):
    """Reads spans by the meaning of their attributes."""

    id = "evidence"
    claims = Claim.ANY
    before = ("fallback",)
    scopes = (
        *(r"genkit\w*$", r"livekit\S*$", r"pipecat\S*$", r"sentry\S*$"),
        *(r"(?:Experimental\.)?(?:Microsoft|OpenAI)", r"semantic.kernel"),
    )

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by keys that can decide the kind of a span."""
        keys = frozenset(signature.keys)
        return (
            not keys.isdisjoint(operations.OPERATION_KEYS)
            or _has_call(keys)
            or not keys.isdisjoint(meanings.TOOL_MARKS)
            or not keys.isdisjoint(meanings.AGENT_NAMES)
            or _has_kind(keys)
            or any(key.startswith(meanings.FLOW_PREFIXES) for key in keys)
            or signature.name.startswith((_TOOL_PREFIX, _SERVICE_PREFIX))
        )

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by operation, or if there is none by the span's other attributes."""
        kind = _kind_of(span)
        is_function = kind is Kind.MODEL or span.name.startswith(_SERVICE_PREFIX)
        if is_function and _runs_tools_too(span, view):
            return _AGENT
        if kind is not None:
            return _BY_OPERATION[kind]
        if _has_call(span.attributes):
            return _classify_call(span, view)
        if _has_tool(span.attributes) or _is_named_tool(span):
            return _TOOL
        return _AGENT if _is_agent(span, view) else _UNKNOWN

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read texts, names and counts under every key that is known to hold them."""
        if kind is Kind.MODEL:
            return _describe_call(span.attributes)
        if kind is Kind.TOOL:
            return _describe_tool(span)
        facts = genai_facts.read_agent_run(span.attributes)
        facts.input = facts.input or span.attributes.get("input.value", "")
        facts.output = facts.output or span.attributes.get("output.value", "")
        facts.agent_name = _agent_name(span.attributes)
        return facts


def _kind_of(span: Span) -> Kind | None:
    attributes = span.attributes
    if (kind := operations.kind_of_operation(attributes)) is not None:
        return kind
    if span.name.startswith(_TOOL_PREFIX):
        return Kind.TOOL
    found = find_endings(attributes)
    if kind := operations.kind_of_words(
        filter(_is_specific, map(attributes.__getitem__, found.kinds))
    ):
        return kind
    if any(attributes[key].lower() == "agent" for key in found.entity_types):
        return Kind.AGENT
    if any(key.startswith(meanings.FLOW_PREFIXES) for key in attributes):
        return operations.kind_of_name(span.name)
    return None


def _is_specific(word: str) -> bool:
    """Return whether a kind under an unknown key is one that services and jobs do not use."""
    return operations.word_of(word) not in _VAGUE


def _has_kind(keys: Collection[str]) -> bool:
    found = find_endings(keys)
    return bool(found.kinds or found.entity_types)


def _has_call(keys: Collection[str]) -> bool:
    """Return whether the keys name a model, and messages or both input and output counts.

    A model under a key of an unknown sender needs both counts.
    """
    if not any(key in keys for key in meanings.MODELS):
        named = [key for key in keys if "token" in key.lower()]
        return bool(named and find_endings(keys).models) and has_counts(named)
    return has_counts(keys) or genai_facts.has_texts(keys)


def _has_tool(keys: Collection[str]) -> bool:
    return not (meanings.TOOL_MARKS.isdisjoint(keys) or _TOOL_TEXTS.isdisjoint(keys))


def _is_named_tool(span: Span) -> bool:
    """Return whether the span is named after its tool: ``run search``."""
    tool = first(span.attributes, *_NAMING)
    if not tool or len(tool) > _MAX_NAME_CHARS or tool not in span.name:
        return False
    return re.search(rf"(?<!\w){re.escape(tool)}(?!\w)", span.name) is not None


def _classify_call(span: Span, view: TraceView) -> Classification:
    """Classify a span with counts or messages as a model call, or as a run of several calls."""
    if span.span_id not in view.remember_tree(_around_calls):
        if _repeats_counts(span, view):
            return _ACCOUNT
        return _DATA_CALL if _data_model(span.attributes) else _CALL
    is_agent = first(span.attributes, *meanings.AGENT_NAMES) or (
        span.span_id in view.remember_tree(_around_tools)
    )
    return _AGENT if is_agent else _SUM


def _runs_tools_too(span: Span, view: TraceView) -> bool:
    """Return whether model calls and tools run inside the span, as in an agent's function."""
    holders = (view.remember_tree(_around_calls), view.remember_tree(_around_tools))
    return all(span.span_id in holder for holder in holders)


def _repeats_counts(span: Span, view: TraceView) -> bool:
    """Return whether the span has no texts, and the same counts as its parent or a sibling call."""
    if genai_facts.has_texts(span.attributes):
        return False
    counts, parent = read_counts(span.attributes, EVIDENCE), view.tree.parent(span)
    if parent is not None and counts in _counts_of_calls([parent]):
        return True
    return counts in view.remember_siblings(_counts_of_calls, span)


def _counts_of_calls(spans: Sequence[Span]) -> AbstractSet[Usage]:
    """Return the token counts of the spans whose operation is a model call."""
    calls = (span for span in spans if _kind_of(span) is Kind.MODEL)
    return {read_counts(call.attributes, EVIDENCE) for call in calls}


def _data_model(attributes: Mapping[str, str]) -> str:
    """Return ``embedding`` or ``reranking`` if the model's name contains it, else an empty text."""
    model = first(attributes, *meanings.MODELS).lower()
    return next((kind for word, kind in _DATA_MODELS.items() if word in model), "")


def _is_agent(span: Span, view: TraceView) -> bool:
    """Return whether the span has an agent's name, and no other span is better evidence for it.

    An agent's name may be on every span of its run, as baggage.
    """
    name = first(span.attributes, *meanings.AGENT_NAMES)
    if not name or name in view.remember_tree(_agents_by_operation):
        return False
    if view.remember_tree(_names_above).get(span.span_id) == name:
        return False
    holders = (view.remember_tree(_around_calls), view.remember_tree(_around_tools))
    return any(span.span_id in holder for holder in holders)


def _names_above(tree: SpanTree) -> Mapping[str, str]:
    """Map each span id to the agent's name on the nearest ancestor that has an agent's name."""
    names: dict[str, str] = {}
    for span in tree.top_down:
        if (parent := tree.parent(span)) is not None:
            own = first(parent.attributes, *meanings.AGENT_NAMES)
            names[span.span_id] = own or names.get(parent.span_id, "")
    return names


def _around_calls(tree: SpanTree) -> AbstractSet[str]:
    return _around(tree, lambda span: _is_of(span, Kind.MODEL, _has_call))


def _around_tools(tree: SpanTree) -> AbstractSet[str]:
    return _around(tree, lambda span: _is_of(span, Kind.TOOL, _has_tool))


def _is_of(span: Span, kind: Kind, has: Callable[[Collection[str]], bool]) -> bool:
    own = _kind_of(span)
    return own is kind or (own is None and has(span.attributes))


def _around(tree: SpanTree, test: Callable[[Span], bool]) -> AbstractSet[str]:
    """Return the ids of all spans with a descendant that passes the test."""
    found: set[str] = set()
    for span in filter(test, tree.spans):
        for outer in tree.ancestors(span):
            if outer.span_id in found:
                break
            found.add(outer.span_id)
    return found


def _agents_by_operation(tree: SpanTree) -> AbstractSet[str]:
    agents = (s for s in tree.spans if _kind_of(s) is Kind.AGENT)
    return {first(agent.attributes, *meanings.AGENT_NAMES) for agent in agents}


def _agent_name(attributes: Mapping[str, str]) -> str:
    found = find_endings(attributes)
    return first(attributes, *meanings.AGENT_NAMES, *found.agent_names, *found.entity_names)


def _describe_call(attributes: Mapping[str, str]) -> Facts:
    facts = genai_facts.read_model_call(attributes)
    facts.model = facts.model or first(
        attributes, *meanings.MODELS, *find_endings(attributes).models
    )
    facts.conversation_id = first(attributes, *meanings.SESSIONS)
    facts.usage = read_counts(attributes, EVIDENCE)
    return facts


def _describe_tool(span: Span) -> Facts:
    attributes = span.attributes
    facts = genai_facts.read_tool_run(attributes)
    facts.output = unquoted(facts.output)
    found = find_endings(attributes)
    names = *meanings.TOOL_NAMES, *found.tool_names, *found.entity_names
    facts.tool_name = first(attributes, *names) or _named(span)
    facts.data_kind = operations.data_kind_of(attributes) or _data_model(attributes)
    if call_id := first(attributes, *meanings.TOOL_CALL_IDS):
        facts.metadata = {**facts.metadata, "tool_call_id": call_id}
    return facts


def _named(span: Span) -> str:
    """Return the part of the span's name after the operation, else the whole name."""
    if span.name.startswith(_TOOL_PREFIX):
        return span.name.removeprefix(_TOOL_PREFIX)
    operation, _, name = span.name.partition(" ")
    return name if name and operations.kind_of_name(operation) is Kind.TOOL else span.name


DIALECTS = (Evidence(),)
