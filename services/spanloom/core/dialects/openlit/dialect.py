"""OpenLIT: scopes ``openlit.instrumentation.*`` and GenAI names, some with other meanings.

With LangGraph two of OpenLIT's instrumentations report the same run:

- ``…langgraph`` sets ``invoke_workflow`` on every outermost run, including runs of agents, and
  ``invoke_agent`` on **every node** (agent id and name are the node's id and name).
- ``…langchain`` adds ``invoke_agent X`` for everything with "agent" in its name: the run, a node, a
  function in a node; a streamed run has an additional ``invoke_workflow``, so up to three spans
  report one run.

So a run is classified by its nodes: ``langchain.create_agent`` and the older ``create_react_agent``
have fixed node names. Nested runs without "agent" in their names have no span at all.
``create_agent`` only constructs an agent. An ``invoke_agent`` of the langchain scope is a node if
the langgraph scope reports a node of that name as its sibling. Spans of other instrumentations
may be in between: parents and siblings are looked up among OpenLIT's own spans.

The usage on a run's span is that of its last model call. Model calls have the names of the called
tools; arguments and results of tools are Python reprs. For a model call without streaming, the
reported time to the first token is the whole duration of the call.

Verified on captures of LangChain and LangGraph and of the OpenAI client; other frameworks
are described in ``frameworks.py``; the rest is read as OpenTelemetry GenAI.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.conventions.operations import OPERATION
from spanloom.core.conventions.view import OwnTree
from spanloom.core.dialects.openlit.frameworks import (
    classify_framework,
    is_handoff,
    with_cached,
)
from spanloom.core.dialects.otel_genai import OtelGenAI
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.step import Usage
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, json_object, json_value, seconds_as_ms
from spanloom.core.values.python_repr import as_json, first_text

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

_SCOPES = "openlit."
_LANGGRAPH = "openlit.instrumentation.langgraph"
_LANGCHAIN = "openlit.instrumentation.langchain"
_MAX_REPORTS = 8
"""Longer chains of spans with the same name are not reports of one run."""

_CREATE_AGENT_NODES = frozenset({"model", "tools"})
_MIDDLEWARE_HOOKS = (".before_agent", ".before_model", ".after_model", ".after_agent")
_CREATE_REACT_AGENT_NODES = frozenset(
    {"agent", "tools", "pre_model_hook", "post_model_hook", "generate_structured_response"}
)
_FUNCTIONS = frozenset({"call_agent", "acall_agent", "route_to_active_agent"})
"""Functions of ``langgraph_supervisor`` and ``langgraph_swarm`` whose names contain "agent"."""
_STREAM_MODES = frozenset(
    {"values", "updates", "messages", "custom", "checkpoints", "tasks", "debug"}
)
"""Names that a run lists in place of its nodes if it streams several modes."""


class OpenLIT(OtelGenAI):
    """The GenAI conventions as OpenLIT writes them."""

    id = "openlit"
    scopes = ("openlit",)
    marks = (
        "gen_ai.sdk.version",
        "gen_ai.agno.",
        "gen_ai.framework.",
        "gen_ai.client.operation.duration",
    )

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name.startswith(_SCOPES)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by operation; LangGraph's runs and nodes by siblings and children."""
        operation = _operation(span)
        if not _is_langchain(span):
            run = classify_framework(span, operation, view)
            return run or super().classify(_stated(span, operation), view)
        if operation not in ("invoke_agent", "invoke_workflow"):
            return super().classify(_stated(span, operation), view)
        if operation == "invoke_agent" and (part := _part_of_run(span, view)) is not None:
            return part
        first_report = _first_report(span, view)
        nodes = _nodes(first_report, view)
        if first_report is not span:
            return Classification(_run_kind(nodes), "openlit.same_run", first_report.span_id)
        if nodes and operation == "invoke_workflow":
            return Classification(kind := _run_kind(nodes), f"openlit.{kind}_by_nodes")
        return super().classify(_stated(span, operation), view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes, and ``gen_ai.workflow.*`` of runs."""
        attributes, facts = span.attributes, super().describe(span, kind)
        if kind is Kind.MODEL:
            facts.usage = with_cached(facts.usage or Usage(), span)
            if attributes.get("gen_ai.request.stream") == "true":
                first_token = attributes.get("gen_ai.server.time_to_first_token", "")
                facts.first_token_ms = facts.first_token_ms or seconds_as_ms(first_token)
        elif is_handoff(span):
            facts.tool_name, facts.output = "handoff", attributes.get("gen_ai.agent.name", "")
            facts.input = attributes["gen_ai.agent.source"]
        elif kind is Kind.TOOL:
            facts.input = as_json(facts.input) if facts.input.startswith("{'") else facts.input
            facts.output = _message_text(facts.output)
        else:
            facts.agent_name = _name(span)
            if attributes.get("gen_ai.execution.mode") == "stream":
                facts.output = ""  # it has all streamed values, including tool results
            facts.input = facts.input or _text_in_state(
                attributes.get("gen_ai.workflow.input", ""), 0
            )
            facts.output = facts.output or _text_in_state(
                attributes.get("gen_ai.workflow.output", ""), -1
            )
        return facts


def _text_in_state(state: str, at: int) -> str:
    """Return the text of the message at this index; the whole state if messages are not reprs."""
    messages = json_object(state).get("messages") if '"content=' in state else None
    message = messages[at] if isinstance(messages, list) and messages else None
    text = _message_text(message) if isinstance(message, str) else state
    return state if text == message else text


def _message_text(text: str) -> str:
    """Return the content of a message given as a repr; any other text unchanged."""
    content = first_text(text, "content=") if text.startswith("content=") else None
    return text if content is None else content


def _operation(span: Span) -> str:
    """Return the operation, else the first word of the span's name."""
    return span.attributes.get(OPERATION) or span.name.partition(" ")[0]


def _stated(span: Span, operation: str) -> Span:
    if OPERATION in span.attributes:
        return span
    return span._replace(attributes={**span.attributes, OPERATION: operation})


def _name(span: Span) -> str:
    attributes = span.attributes
    return first(attributes, "gen_ai.agent.name", "gen_ai.workflow.name") or (
        span.name.partition(" ")[2].removesuffix(" stream")
    )


def _is_langchain(span: Span) -> bool:
    return span.scope_name in (_LANGGRAPH, _LANGCHAIN)


def _part_of_run(span: Span, view: TraceView) -> Classification | None:
    """Classify an ``invoke_agent`` that is a node or helper function as noise, else ``None``."""
    if _is_node(span, view):
        return Classification(Kind.OTHER, "openlit.graph_node")
    return Classification(Kind.OTHER, "openlit.function") if _name(span) in _FUNCTIONS else None


def _is_node(span: Span, view: TraceView) -> bool:
    """Return whether LangGraph reports the span, or a sibling with its name, as a node."""
    if span.scope_name != _LANGCHAIN:
        return span.scope_name == _LANGGRAPH
    own = view.remember_tree(_Runs)
    parent = own.parent(span)
    if parent is None:
        return False
    run = _first_report(parent, view)
    return any(_name(span) in own.nodes.get(s.span_id, ()) for s in (parent, run))


class _Runs(OwnTree):
    """OpenLIT's spans of LangChain, with the nodes and the nested reports of each run."""

    __slots__ = ("again", "nodes")

    def __init__(self, tree: SpanTree) -> None:
        super().__init__(tree, _is_langchain)
        self.nodes: defaultdict[str, set[str]] = defaultdict(set)
        """The names of a span's child nodes, keyed by span id."""
        self.again: defaultdict[tuple[str, str], list[Span]] = defaultdict(list)
        """A span's child runs, keyed by span id and name of the run."""
        for span in self.spans:
            parent, operation = self.parent(span), _operation(span)
            if parent is not None and operation == "invoke_workflow":
                self.again[parent.span_id, _name(span)].append(span)
            elif parent is not None and _is_langgraph_node(span, operation):
                self.nodes[parent.span_id].add(_name(span))


def _is_langgraph_node(span: Span, operation: str) -> bool:
    return span.scope_name == _LANGGRAPH and operation == "invoke_agent"


def _first_report(span: Span, view: TraceView) -> Span:
    """Return the outermost span that reports the same run as ``span``."""
    own = view.remember_tree(_Runs)
    for _ in range(_MAX_REPORTS):
        parent = own.parent(span)
        if parent is None or not _reports_same_run(span, parent):
            break
        span = parent
    return span


def _reports_same_run(span: Span, parent: Span) -> bool:
    return (
        _is_langchain(parent)
        and _operation(parent) == "invoke_workflow"
        and _operation(span) in ("invoke_agent", "invoke_workflow")
        and _name(span) == _name(parent)
    )


def _nodes(run: Span, view: TraceView) -> set[str]:
    """Return the node names below all reports of the run, and the names that the run lists."""
    own, names, reports = view.remember_tree(_Runs), _listed_nodes(run), [run]
    for report in reports:
        names |= own.nodes.get(report.span_id, set())
        again = own.again.get((report.span_id, _name(run)), [])
        reports += again[: _MAX_REPORTS - len(reports)]
    return names


def _listed_nodes(run: Span) -> set[str]:
    listed = json_value(run.attributes.get("gen_ai.graph.executed_nodes", ""))
    names = listed if isinstance(listed, list) else []
    return {name for name in names if isinstance(name, str)} - _STREAM_MODES


def _run_kind(nodes: set[str]) -> Kind:
    """Return ``AGENT`` if a library names all nodes (``model``, ``tools``), otherwise ``GRAPH``."""
    if "model" in nodes:
        own = {n for n in nodes if not n.endswith(_MIDDLEWARE_HOOKS)}
        return Kind.AGENT if own <= _CREATE_AGENT_NODES else Kind.GRAPH
    is_prebuilt = "agent" in nodes and nodes <= _CREATE_REACT_AGENT_NODES
    return Kind.AGENT if is_prebuilt else Kind.GRAPH
