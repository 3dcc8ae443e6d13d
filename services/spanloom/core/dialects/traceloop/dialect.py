"""OpenLLMetry (Traceloop), versions near 0.40 and 0.62.

All versions share ``traceloop.*`` keys. From 0.60 on ``gen_ai.operation.name`` is the operation,
but two spans report each run of a compiled graph: ``invoke_agent`` with only the name, and a second
span with LangChain's run metadata. For the outermost run the second span is a child,
``X.workflow``; for an inner run it is a sibling, ``execute_task X``, and ``invoke_agent`` has no
children. Before 0.60, run metadata is only inside the JSON of ``traceloop.entity.input``. Spans of
the model clients of OpenAI, Anthropic and others are read here too; input tokens of Anthropic's
models include cached tokens, unlike in Anthropic's API. Anthropic's SDK itself reports the model
call of a span ``anthropic.chat`` again, as ``anthropic.messages.create``.

Verified on captures of LangChain, LangGraph and the OpenAI client. Anthropic's spans are known only
from documentation.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, ClassVar

from spanloom.core.conventions import genai as genai_facts
from spanloom.core.conventions.langchain.run import CONTROL_FLOW, classify_run, note_node
from spanloom.core.conventions.operations import OPERATION, OPERATIONS
from spanloom.core.conventions.view import MAX_OPEN
from spanloom.core.dialects.base import Claim, Dialect
from spanloom.core.dialects.traceloop.attributes import (
    ASSOCIATION,
    ENTITY_NAME,
    SPAN_KIND,
    entity_name,
    operation_of,
    run_metadata,
    span_kind_of,
)
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.model.tree import encloses
from spanloom.core.values.attributes import first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

_SCOPE = "opentelemetry.instrumentation.langchain"
_MARKS = (
    *(SPAN_KIND, "traceloop.workflow.name", "traceloop.entity.path"),
    *("llm.request.type", "llm.is_streaming"),
)

_OPERATIONS = {
    "chat": Classification(Kind.MODEL, "traceloop.chat"),
    "text_completion": Classification(Kind.MODEL, "traceloop.text_completion"),
    "completion": Classification(Kind.MODEL, "traceloop.completion"),
    "response": Classification(Kind.MODEL, "traceloop.response"),
    "execute_tool": Classification(Kind.TOOL, "traceloop.execute_tool"),
    "vector_db_retrieve": Classification(Kind.TOOL, "traceloop.vector_db_retrieve"),
    "embeddings": Classification(Kind.TOOL, "traceloop.embeddings"),
    "embedding": Classification(Kind.TOOL, "traceloop.embedding"),
    "rerank": Classification(Kind.TOOL, "traceloop.rerank"),
}
_MARKED = {
    "tool": Classification(Kind.TOOL, "traceloop.kind_tool"),
    "agent": Classification(Kind.AGENT, "traceloop.kind_agent"),
}
_PLUMBING = Classification(Kind.OTHER, "traceloop.plumbing")
_FOREIGN = _PLUMBING._replace(is_unknown=True)
_NAME_ENDS = (".workflow", ".task", ".agent", ".tool")
"""Suffixes of the names of the SDK's spans, which are equal to the spans' kinds."""
_DATA_KINDS = {
    "vector_db_retrieve": "retrieval",
    "embeddings": "embedding",
    "embedding": "embedding",
    "rerank": "reranking",
}


_QUOTED_NOTHING = r'''"content":"\"\""'''
"""An answer without text before 0.60: the JSON of an empty string as content."""


class Traceloop(Dialect):
    """The convention as OpenLLMetry's LangChain instrumentation and SDK write it."""

    id = "traceloop"
    own_keys: ClassVar[Sequence[str]] = ("traceloop.",)
    claims = Claim.SHARED
    before = ("otel_genai",)
    control_flow = CONTROL_FLOW
    scopes: ClassVar[Sequence[str]] = ("@?traceloop",)
    marks: ClassVar[Sequence[str]] = own_keys

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by a ``traceloop.*`` key, the old request type, or LangChain's scope."""
        attributes = signature.attributes
        return signature.scope_name == _SCOPE or any(mark in attributes for mark in _MARKS)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by operation, or if there is none by span kind.

        Runs of agents are classified by LangChain's metadata, on this span or on the second span
        that reports the same run.
        """
        operation = operation_of(span)
        if (step := _OPERATIONS.get(operation)) is not None:
            return step
        if (marked := _MARKED.get(span_kind_of(span))) is not None:
            return marked
        if is_announcement(span):
            return _classify_announcement(span, view)
        run = classify_run(span, view, run_metadata)
        if run is None:
            is_named = span.name.endswith(_NAME_ENDS) or bool(span_kind_of(span))
            return _PLUMBING if is_named or operation in OPERATIONS else _FOREIGN
        announcement = announcement_of(span, view)
        if announcement is None:
            return run
        return Classification(run.kind, "traceloop.twin_of_invoke_agent", announcement.span_id)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes; if they are absent, ``traceloop.entity.*``."""
        attributes = span.attributes
        if kind is Kind.MODEL:
            facts = genai_facts.read_model_call(attributes)
            if _QUOTED_NOTHING in facts.output:
                facts.output = facts.output.replace(_QUOTED_NOTHING, '"content":""')
        elif kind is Kind.TOOL:
            facts = genai_facts.read_tool_run(attributes)
            facts.tool_name = facts.tool_name or attributes.get(ENTITY_NAME, "")
            facts.data_kind = _DATA_KINDS.get(operation_of(span), "")
        else:
            facts = genai_facts.read_agent_run(attributes)
            facts.agent_name = run_metadata(span).name
        facts.input = facts.input or attributes.get("traceloop.entity.input", "")
        facts.output = facts.output or attributes.get("traceloop.entity.output", "")
        facts.conversation_id = facts.conversation_id or first(
            attributes, ASSOCIATION + "session_id", ASSOCIATION + "thread_id"
        )
        note_node(facts, kind, run_metadata(span))
        return facts


def _classify_announcement(span: Span, view: TraceView) -> Classification:
    """Classify an ``invoke_agent`` span like its run's second span, or else as an agent."""
    twin = twin_of(span, view)
    run = None if twin is None else classify_run(twin, view, run_metadata)
    if run is not None:
        return run
    return Classification(Kind.AGENT, "traceloop.invoke_agent")


# Two spans report a run: ``invoke_agent`` has only the name; its twin, a child or a later sibling,
# has LangChain's run metadata. If another instrumentation's spans are between them, the two have
# different parents; then the twin is a span with the same name that ran while the ``invoke_agent``
# span was open.

_ANNOUNCES = "invoke_agent "


def twin_of(span: Span, view: TraceView) -> Span | None:
    """Return the second span of an ``invoke_agent`` span's run, which has metadata, or ``None``."""
    name = _agent_name(span)
    if (child := view.remember_children(_first_by_name, span).get(name)) is not None:
        return child
    parent = view.tree.parent(span)
    siblings = {} if parent is None else view.remember_children(_sibling_twins, parent)
    return siblings.get(span.span_id) or view.remember_tree(_far_twins).get(span.span_id)


def announcement_of(twin: Span, view: TraceView) -> Span | None:
    """Return the ``invoke_agent`` span of the run that ``twin`` reports too, or ``None``."""
    parent = view.tree.parent(twin)
    if parent is None:
        return None
    if is_announcement(parent) and twin_of(parent, view) is twin:
        return parent
    siblings = view.remember_children(_sibling_announcements, parent)
    return siblings.get(twin.span_id) or view.remember_tree(_far_announcements).get(twin.span_id)


def is_announcement(span: Span) -> bool:
    """Return whether the span reports only the name of a run: ``invoke_agent planner``."""
    attributes = span.attributes
    if SPAN_KIND in attributes or attributes.get(OPERATION, "invoke_agent") != "invoke_agent":
        return False
    return span.name.startswith(_ANNOUNCES) or (
        OPERATION in attributes and ENTITY_NAME not in attributes
    )


def _first_by_name(children: Sequence[Span]) -> dict[str, Span]:
    first: dict[str, Span] = {}
    for child in children:
        if not is_announcement(child) and (name := entity_name(child)):
            first.setdefault(name, child)
    return first


def _pairs(children: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    """Pair each ``invoke_agent`` span with its next sibling for the same agent, in order."""
    waiting: defaultdict[tuple[str, str], deque[Span]] = defaultdict(deque)
    for child in children:
        if is_announcement(child):
            waiting[child.scope_name, _agent_name(child)].append(child)
        elif queue := waiting.get((child.scope_name, entity_name(child))):
            yield queue.popleft(), child


def _sibling_twins(children: Sequence[Span]) -> dict[str, Span]:
    return {announcement.span_id: twin for announcement, twin in _pairs(children)}


def _sibling_announcements(children: Sequence[Span]) -> dict[str, Span]:
    return {twin.span_id: announcement for announcement, twin in _pairs(children)}


def _far_pairs(tree: SpanTree) -> Iterator[tuple[Span, Span]]:
    """Pair ``invoke_agent`` spans not in ``_near`` with a span that ran while they were open."""
    taken = set(_near(tree))
    waiting: defaultdict[tuple[str, str], list[Span]] = defaultdict(list)
    for span in tree.spans:
        if span.span_id in taken:
            continue
        if is_announcement(span):
            waiting[span.scope_name, _agent_name(span)].append(span)
        elif open_runs := waiting.get((span.scope_name, entity_name(span))):
            latest = range(len(open_runs) - 1, max(-1, len(open_runs) - 1 - MAX_OPEN), -1)
            around = next((n for n in latest if encloses(open_runs[n], span)), None)
            if around is not None:
                yield open_runs.pop(around), span


def _near(tree: SpanTree) -> Iterator[str]:
    """Yield the ids of ``invoke_agent`` spans and twins, if the twin is a child or a sibling."""
    for span in tree.spans:
        children = tree.children(span)
        if is_announcement(span) and (twin := _first_by_name(children).get(_agent_name(span))):
            yield from (span.span_id, twin.span_id)
        for announcement, twin in _pairs(children):
            yield from (announcement.span_id, twin.span_id)


def _far_twins(tree: SpanTree) -> dict[str, Span]:
    return {announcement.span_id: twin for announcement, twin in _far_pairs(tree)}


def _far_announcements(tree: SpanTree) -> dict[str, Span]:
    return {twin.span_id: announcement for announcement, twin in _far_pairs(tree)}


def _agent_name(announcement: Span) -> str:
    name = announcement.attributes.get("gen_ai.agent.name")
    return name or announcement.name.removeprefix(_ANNOUNCES)
