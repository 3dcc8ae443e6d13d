"""Which run an Eino component is, for every callback that reports components.

An adk agent says ``Agent``; what it is made of (a Chain of its own name, a graph ``ReAct``) is
private. A react agent of ``flow/agent`` and a multi-agent host are plain graphs: the one has the
model node ``ChatModel``, the other the lambda ``converter``, names that are fixed in the library
unless the program renames them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.core.dialects.values import Json, count
from spanloom.core.model.normalized import Classification
from spanloom.core.model.trajectory import Kind, Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.dialects.base import TraceView
    from spanloom.core.model.span import Span


class Part(NamedTuple):
    """What Eino's ``RunInfo`` says of a span."""

    component: str
    """``ChatModel``, ``Graph`` and so on; empty for a span that is not Eino's."""
    name: str


PartReader: TypeAlias = "Callable[[Span, TraceView], Part]"

CHAT_MODEL, TOOL, LAMBDA, GRAPH, CHAIN = "ChatModel", "Tool", "Lambda", "Graph", "Chain"
AGENTS = frozenset({"Agent", "AgenticAgent"})
_GRAPHS = frozenset({GRAPH, CHAIN, "Workflow"})
_CALLS = {
    CHAT_MODEL: Kind.MODEL,
    "AgenticModel": Kind.MODEL,
    TOOL: Kind.TOOL,
    "Retriever": Kind.TOOL,
    "Embedding": Kind.TOOL,
}
DATA_KINDS = {"Retriever": "retrieval", "Embedding": "embedding"}
REACT_MODEL_NODE = "ChatModel"
HOST_CONVERTER = "converter"


def classify_part(span: Span, view: TraceView, read: PartReader) -> Classification:
    """Classify by the component and what stands above and below it."""
    component = read(span, view).component
    if component in AGENTS:
        return Classification(Kind.AGENT, "eino.adk_agent")
    if component in _GRAPHS:
        return _classify_graph(span, view, read)
    if component in _CALLS:
        return Classification(_CALLS[component], f"eino.{component.lower()}")
    return Classification(Kind.OTHER, "eino.plumbing")


def _classify_graph(span: Span, view: TraceView, read: PartReader) -> Classification:
    if _is_private(span, view, read):
        return Classification(Kind.OTHER, "eino.inside_adk_agent")
    children = {read(child, view) for child in view.tree.children(span)}
    if Part(CHAT_MODEL, REACT_MODEL_NODE) in children:
        return Classification(Kind.AGENT, "eino.react_agent")
    if Part(LAMBDA, HOST_CONVERTER) in children:
        return Classification(Kind.AGENT, "eino.multi_agent_host")
    return Classification(Kind.GRAPH, f"eino.{read(span, view).component.lower()}")


def _is_private(span: Span, view: TraceView, read: PartReader) -> bool:
    """Whether the parent is an adk agent, or the Chain that such an agent consists of."""
    parent = view.tree.parent(span)
    if parent is None:
        return False
    component = read(parent, view).component
    if component in AGENTS:
        return True
    above = view.tree.parent(parent)
    return component == CHAIN and above is not None and read(above, view).component in AGENTS


def callback_usage(usage: dict[str, Json]) -> Usage:
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
