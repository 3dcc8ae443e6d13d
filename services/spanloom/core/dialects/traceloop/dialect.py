"""OpenLLMetry (Traceloop), the generations around 0.40 and 0.62.

Both generations share ``traceloop.*`` keys. From 0.60 on ``gen_ai.operation.name`` names the
operation, but ``invoke_agent`` stands on every compiled graph, twice: once on a span that says
only the name (nested ones stay childless), once on its twin with LangChain's run metadata, a
child ``X.workflow`` at the root and a sibling ``execute_task X`` below. Before, run metadata is
only inside the JSON of ``traceloop.entity.input``. The clients of OpenAI, Anthropic and others are
read here too; OpenLLMetry's Anthropic input includes cached tokens, which the wire leaves out, and
beside its ``anthropic.chat`` stands the SDK's own ``anthropic.messages.create`` of the same call.

Verified on captures of LangChain, LangGraph and the OpenAI client; Anthropic on documentation.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

from spanloom.core.dialects import genai_facts
from spanloom.core.dialects.langchain.run import (
    RunMetadata,
    classify_run,
    read_metadata,
)
from spanloom.core.dialects.otel_genai import OPERATION
from spanloom.core.dialects.values import first, json_object
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.dialects.base import TraceView
    from spanloom.core.model.span import Span

SPAN_KIND = "traceloop.span.kind"
ENTITY_NAME = "traceloop.entity.name"
ASSOCIATION = "traceloop.association.properties."
_SCOPE = "opentelemetry.instrumentation.langchain"
_MARKS = (
    *(SPAN_KIND, "traceloop.workflow.name", "traceloop.entity.path"),
    *("llm.request.type", "llm.is_streaming"),
)

_OPERATIONS = {
    "chat": Kind.MODEL,
    "text_completion": Kind.MODEL,
    "completion": Kind.MODEL,
    "response": Kind.MODEL,
    "execute_tool": Kind.TOOL,
    "vector_db_retrieve": Kind.TOOL,
    "embeddings": Kind.TOOL,
    "embedding": Kind.TOOL,
    "rerank": Kind.TOOL,
}
_RETRIEVE = "vector_db_retrieve"
_ANNOUNCES = "invoke_agent "
_NAMED_FIRST = frozenset({"execute_task", "execute_tool"})
_NAMED_LAST = frozenset({"workflow", "task", "agent", "tool"})
_CALL_NAMES = frozenset({"chat", "completion", "response", "embeddings"})
_DATA_KINDS = {
    "vector_db_retrieve": "retrieval",
    "embeddings": "embedding",
    "embedding": "embedding",
    "rerank": "reranking",
}


def _operation(span: Span) -> str:
    """Give the operation; a call's name repeats it, the client's as its last word."""
    said = span.attributes
    if operation := first(said, OPERATION, "llm.request.type"):
        return operation
    if SPAN_KIND in said:
        return _RETRIEVE if span.name.startswith(_RETRIEVE) else ""
    word = span.name.rpartition(".")[2]
    return word if word in _CALL_NAMES else ""


def _entity_name(span: Span) -> str:
    """Give the name of what ran; without the attribute the span's tells it, but for one word."""
    if name := span.attributes.get(ENTITY_NAME):
        return name
    word, _, rest = span.name.partition(" ")
    if rest and word in _NAMED_FIRST:
        return rest
    name, _, suffix = span.name.rpartition(".")
    return name if suffix in _NAMED_LAST else ""


def _agent_name(announcement: Span) -> str:
    said = announcement.attributes.get("gen_ai.agent.name")
    return said or announcement.name.removeprefix(_ANNOUNCES)


def _span_kind(span: Span) -> str:
    """Give the span kind; before 0.60 a span that has lost it is still called ``X.tool``."""
    said = span.attributes
    if (kind := said.get(SPAN_KIND)) or ENTITY_NAME not in said or OPERATION in said:
        return kind or ""
    return span.name.rpartition(".")[2]


def _run_metadata(span: Span) -> RunMetadata:
    said = span.attributes
    name = _entity_name(span) or said.get("gen_ai.agent.name") or span.name
    start = len(ASSOCIATION)
    direct = {k[start:]: v for k, v in said.items() if k.startswith(ASSOCIATION)}
    if "ls_integration" in direct or OPERATION in said:
        return read_metadata(name, direct)
    inside = json_object(said.get("traceloop.entity.input", "")).get("metadata")
    return read_metadata(name, inside if isinstance(inside, dict) else {})


class Traceloop:
    """The convention as OpenLLMetry's LangChain instrumentation and SDK write it."""

    id = "traceloop"

    def recognises(self, span: Span) -> bool:
        """By a ``traceloop.*`` key, the old request type, or the LangChain scope."""
        said = span.attributes
        return span.scope_name == _SCOPE or any(mark in said for mark in _MARKS)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """By operation and span kind; runs by LangChain's metadata on the span or its twin."""
        operation = _operation(span)
        if operation in _OPERATIONS:
            return Classification(_OPERATIONS[operation], f"traceloop.{operation}")
        if (kind := _span_kind(span)) in ("tool", "agent"):
            return Classification(Kind(kind), f"traceloop.kind_{kind}")
        if _is_announcement(span):
            return _classify_announcement(span, view)
        run = classify_run(span, view, _run_metadata)
        if run is None:
            return Classification(Kind.OTHER, "traceloop.plumbing")
        announcement = _announcement_of(span, view)
        if announcement is None:
            return run
        return Classification(run.kind, "traceloop.twin_of_invoke_agent", announcement.span_id)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """From the ``gen_ai.*`` attributes, else ``traceloop.entity.*``."""
        said = span.attributes
        if kind is Kind.MODEL:
            facts = genai_facts.read_model_call(said)
        elif kind is Kind.TOOL:
            facts = genai_facts.read_tool_run(said)
            facts.tool_name = facts.tool_name or first(said, ENTITY_NAME)
            facts.data_kind = _DATA_KINDS.get(_operation(span), "")
        else:
            facts = genai_facts.read_agent_run(said)
            facts.agent_name = _run_metadata(span).name
        facts.input = facts.input or first(said, "traceloop.entity.input")
        facts.output = facts.output or first(said, "traceloop.entity.output")
        facts.conversation_id = facts.conversation_id or first(
            said, ASSOCIATION + "session_id", ASSOCIATION + "thread_id"
        )
        return facts


def _classify_announcement(span: Span, view: TraceView) -> Classification:
    """Classify an ``invoke_agent`` span that says no more than the name, by its twin."""
    twin = _twin_of(span, view)
    run = None if twin is None else classify_run(twin, view, _run_metadata)
    if run is not None:
        return run
    return Classification(Kind.AGENT, "traceloop.invoke_agent")


def _twin_of(span: Span, view: TraceView) -> Span | None:
    """Give the span that reports the same run with metadata: a child, else a later sibling."""
    name = _agent_name(span)
    if (child := view.remember_children(_first_by_name, span).get(name)) is not None:
        return child
    parent = view.tree.parent(span)
    if parent is None:
        return None
    return view.remember_children(_sibling_twins, parent).get(span.span_id)


def _announcement_of(twin: Span, view: TraceView) -> Span | None:
    parent = view.tree.parent(twin)
    if parent is None:
        return None
    if _is_announcement(parent) and _twin_of(parent, view) is twin:
        return parent
    return view.remember_children(_sibling_announcements, parent).get(twin.span_id)


def _is_announcement(span: Span) -> bool:
    said = span.attributes
    if SPAN_KIND in said or said.get(OPERATION, "invoke_agent") != "invoke_agent":
        return False
    return span.name.startswith(_ANNOUNCES) or (OPERATION in said and ENTITY_NAME not in said)


def _first_by_name(children: Sequence[Span]) -> dict[str, Span]:
    found: dict[str, Span] = {}
    for child in children:
        if not _is_announcement(child) and (name := _entity_name(child)):
            found.setdefault(name, child)
    return found


def _pairs(children: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    """Pair each announcement with the next sibling that bears its name, in order."""
    waiting: defaultdict[str, deque[Span]] = defaultdict(deque)
    for child in children:
        if _is_announcement(child):
            waiting[_agent_name(child)].append(child)
        elif queue := waiting.get(_entity_name(child)):
            yield queue.popleft(), child


def _sibling_twins(children: Sequence[Span]) -> dict[str, Span]:
    return {announcement.span_id: twin for announcement, twin in _pairs(children)}


def _sibling_announcements(children: Sequence[Span]) -> dict[str, Span]:
    return {twin.span_id: announcement for announcement, twin in _pairs(children)}
