"""Classifies runs of LangChain agents and LangGraph graphs without run metadata, by structure.

LangGraph wraps everything that a node runs in a span with the node's name. So spans alternate:
run, node, run below the node. Libraries fix the names of some nodes, which show the kind of a run:

- ``create_agent``: a node ``model`` (Python) or ``model_request`` (JavaScript).
- ``create_react_agent``: a node ``agent`` around ``call_model`` (Python) or ``prompt``.
- any graph in JavaScript: a node ``__start__``.

In Python a custom graph is a chain that is neither a node nor one of LangChain's internal classes,
and whose children are all chains that are neither internal nor runs. Hence a custom graph with a
node ``model`` is classified as an agent, and a plain function that calls another function as a
graph: their spans do not differ.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.core.model.span import Classification
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span


class Runnable(NamedTuple):
    """The name and kind of a span that has no run metadata."""

    name: str
    """The run's name, without the dialect's additions to span names."""
    is_chain: bool
    """Whether the span is neither a model, tool, prompt nor retriever."""
    is_graph: bool = False
    """Whether the span's own attributes mark it as a graph."""


RunnableReader: TypeAlias = "Callable[[Span], Runnable]"

_MODEL_NODES = frozenset({"model", "model_request"})
_REACT_NODE = "agent"
_REACT_CALLS = frozenset({"call_model", "acall_model", "prompt"})
_START = "__start__"
_PLUMBING = re.compile(
    r"Runnable[A-Z].*|ChainStart|\w*(Parser|PromptTemplate)|[Pp]rompt|(Azure)?Chat[A-Z]\w*"
)

_CREATE_AGENT = Classification(Kind.AGENT, "langchain.model_node")
_CREATE_REACT_AGENT = Classification(Kind.AGENT, "langchain.create_react_agent")
_MARKED_GRAPH = Classification(Kind.GRAPH, "langchain.graph_name")
_STARTED_GRAPH = Classification(Kind.GRAPH, "langchain.start_node")
_CHAIN_OF_NODES = Classification(Kind.GRAPH, "langchain.holds_nodes")


def classify_shape(span: Span, view: TraceView, read: RunnableReader) -> Classification | None:
    """Return the classification of a run; ``None`` for a node, a chain or another inner span."""
    path: list[tuple[Span, list[Classification | None]]] = []
    above: Span | None = span
    while above is not None and not (known := view.remember(_memo, above)):
        path.append((above, known))
        above = view.tree.parent(above)
    in_run = above is not None and view.remember(_memo, above)[0] is not None
    for passed, memo in reversed(path):  # outermost first: a node's class depends on its run
        memo.append(_classify(passed, view, read, in_run=in_run))
        in_run = memo[0] is not None
    return view.remember(_memo, span)[0]


def _memo(_span: Span) -> list[Classification | None]:
    return []


def _classify(
    span: Span, view: TraceView, read: RunnableReader, *, in_run: bool
) -> Classification | None:
    own = view.remember(read, span)
    if not own.is_chain:
        return None
    if (agent := _agent(span, view, read)) is not None:
        return agent
    inner = view.remember_children(_family_reader(read), span)
    if inner.has_start:
        return _STARTED_GRAPH
    if own.is_graph:
        return _MARKED_GRAPH
    if in_run or inner.has_calls or not inner.chains or _PLUMBING.fullmatch(own.name):
        return None
    are_nodes = all(_may_be_node(child, node, view, read) for child, node in inner.chains)
    return _CHAIN_OF_NODES if are_nodes else None


class _Family(NamedTuple):
    """Facts about a span's children, computed once, because an agent may have 100,000 children."""

    chains: Sequence[tuple[Span, Runnable]]
    has_calls: bool
    """Whether any child is a model, tool, prompt or retriever, and thus not a chain."""
    has_start: bool


@cache
def _family_reader(read: RunnableReader) -> Callable[[Sequence[Span]], _Family]:
    def read_family(children: Sequence[Span]) -> _Family:
        chains, has_start = [], False
        for child in children:
            node = read(child)
            has_start |= node.name == _START
            if node.is_chain:
                chains.append((child, node))
        return _Family(chains, len(chains) < len(children), has_start)

    return read_family


def _agent(span: Span, view: TraceView, read: RunnableReader) -> Classification | None:
    for child, node in view.remember_children(_family_reader(read), span).chains:
        if node.name in _MODEL_NODES:
            return _CREATE_AGENT
        if node.name == _REACT_NODE and _calls_model(child, view, read):
            return _CREATE_REACT_AGENT
    return None


def _calls_model(node: Span, view: TraceView, read: RunnableReader) -> bool:
    """Return whether the node has ``create_react_agent``'s model function within two levels."""
    inner = view.tree.children(node)
    deeper = [span for child in inner for span in view.tree.children(child)]
    return any(view.remember(read, span).name in _REACT_CALLS for span in (*inner, *deeper))


def _may_be_node(span: Span, part: Runnable, view: TraceView, read: RunnableReader) -> bool:
    if part.is_graph or _PLUMBING.fullmatch(part.name):
        return False
    return _agent(span, view, read) is None
