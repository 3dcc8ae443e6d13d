"""Classify runs of LangChain agents and LangGraph graphs by run metadata and structure.

LangChain passes the same run metadata to every callback, so OpenInference, LangSmith and
OpenLLMetry all report it. Their own agent marks are unreliable: they depend on the word "agent" in
a name, or are set on every graph. This module uses these rules:

- LangGraph sets on the spans inside a graph run a ``langgraph_checkpoint_ns`` one level deeper
  than the run's own namespace. A span with such a child is the run, unless it is the topmost span
  of its own namespace: then it is the node that contains the run.
- ``ls_integration`` names the compiler of the graph that runs: ``langchain_create_agent`` is an
  agent, ``langgraph`` a graph. Descendants inherit the value, so it counts on a run only.
- ``langgraph.prebuilt.create_react_agent`` sets ``langgraph`` too; its loop has a node
  ``agent`` around a function ``call_model``, names that the library fixes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.failures import ControlFlow
from spanloom.core.conventions.langchain.texts import read_question
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, json_object, unquoted
from spanloom.core.values.bounds import FREE_BYTES, ByteCache

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.view import TraceView

CONTROL_FLOW = ControlFlow(
    types=("ParentCommand", "GraphInterrupt", "NodeInterrupt", "GraphBubbleUp"),
    texts=(re.compile(r"\ACommand\((?:graph|goto|update|resume)="),),
    pauses=("GraphInterrupt", "NodeInterrupt"),
    questions=(read_question,),
)
"""LangGraph's exceptions for handovers and pauses; some senders report only the command in a
``ParentCommand``."""
CREATE_AGENT = "langchain_create_agent"
LANGGRAPH = "langgraph"
DEFAULT_GRAPH_NAME = "LangGraph"
MODEL_NODE = "model"
"""Name of the model node in every agent that ``create_agent`` makes."""
_JS_MODEL_NODE = "model_request"
"""Name of the model node in JavaScript."""
_KEYS = ("ls_integration", "lc_agent_name", "langgraph_node", "langgraph_checkpoint_ns")
_CALLS = (Kind.MODEL, Kind.TOOL)
_CALL_MODEL = frozenset({"call_model", "acall_model"})


class RunMetadata(NamedTuple):
    """The fields of LangChain's run metadata that identify what runs."""

    name: str
    """The run's name, without the dialect's additions to span names."""
    integration: str = ""
    agent_name: str = ""
    node: str = ""
    namespace: str = ""


MetadataReader = Callable[[Span], RunMetadata]


def read_metadata(name: str, metadata: Mapping[str, Json]) -> RunMetadata:
    """Return the run metadata in a dialect's JSON object, whose values may be quoted strings."""
    if not metadata:
        return RunMetadata(name)
    return _read(name, metadata, _KEYS)


def read_prefixed_metadata(name: str, attributes: Mapping[str, str], prefix: str) -> RunMetadata:
    """Return the run metadata in attributes whose keys begin with ``prefix``."""
    return _read(name, attributes, _prefixed(prefix))


@lru_cache
def _prefixed(prefix: str) -> Sequence[str]:
    return [prefix + key for key in _KEYS]


def _read(name: str, metadata: Mapping[str, Json], keys: Sequence[str]) -> RunMetadata:
    values = [metadata.get(key) for key in keys]
    return RunMetadata(name, *[unquoted(v) if isinstance(v, str) else "" for v in values])


CACHE_BYTES = 4 * 2**20
"""Size of the metadata cache; consecutive spans of one node have the same metadata."""
_metadata: ByteCache[str, tuple[str, ...]] = ByteCache(CACHE_BYTES)


def read_metadata_text(name: str, text: str) -> RunMetadata:
    """Return the run metadata in JSON text."""
    if not text:
        return RunMetadata(name)
    if (read := _metadata.get(text)) is None:
        read = read_metadata("", json_object(text))[1:]
        if len(text) <= FREE_BYTES:  # longer ones are read each time, to note them as unread
            _metadata.keep(text, read, sum(map(sys.getsizeof, (text, *read))) + 200)
    return RunMetadata(name, *read)


def note_node(facts: Facts, kind: Kind, run: RunMetadata) -> None:
    """Add the graph node in which a step ran to its facts; for a model call also the agent's name.

    The metadata of a graph inside an agent has the agent's name too, but the graph is no agent.
    """
    if kind in _CALLS:
        facts.agent_name = facts.agent_name or run.agent_name
    if run.node:
        facts.metadata = {**facts.metadata, "node": run.node}


def classify_run(span: Span, view: TraceView, read: MetadataReader) -> Classification | None:
    """Return the classification of a run; ``None`` for a node, a chain or another inner span."""
    own = view.remember(read, span)
    if _holds_run(span, view, read, own):
        if _is_create_agent(span, view, read, own):
            return Classification(
                Kind.AGENT, "langchain.create_agent", facts=Facts(agent_name=own.agent_name)
            )
        if _is_prebuilt_loop(span, view, read):
            return Classification(Kind.AGENT, "langchain.create_react_agent")
        return Classification(Kind.GRAPH, "langchain.graph_run")
    return _by_metadata_alone(own)


def _is_create_agent(span: Span, view: TraceView, read: MetadataReader, own: RunMetadata) -> bool:
    """Return whether the run is an agent of ``create_agent``, not a run that inherits its metadata.

    A run inside an agent, for example in a tool, inherits the agent's metadata. It is no agent if
    its name differs from the inherited one, and it has no node ``model``, which every agent has.
    """
    if own.integration != CREATE_AGENT or own.name == own.agent_name:
        return own.integration == CREATE_AGENT or _bears_agent_name(span, view, read, own)
    outer = next((s for s in view.tree.ancestors(span) if _is_run(s, view, read)), None)
    if outer is None or view.remember(read, outer)[1:3] != own[1:3]:
        return True
    return any(view.remember(read, n).name == MODEL_NODE for n in view.tree.children(span))


def _is_run(span: Span, view: TraceView, read: MetadataReader) -> bool:
    return _holds_run(span, view, read, view.remember(read, span))


def _bears_agent_name(span: Span, view: TraceView, read: MetadataReader, own: RunMetadata) -> bool:
    """Return whether the run has its agent's name, which only ``create_agent`` sets.

    In JavaScript an agent that is a node of a graph has the ``ls_integration`` of that graph.
    """
    if not own.name or own.name != own.agent_name:
        return False
    return not own.integration or any(
        view.remember(read, node).name == _JS_MODEL_NODE for node in view.tree.children(span)
    )


def _holds_run(span: Span, view: TraceView, read: MetadataReader, own: RunMetadata) -> bool:
    outer = own.namespace
    for child in view.tree.children(span):
        inner = view.remember(read, child).namespace
        if inner and inner != outer:
            return not _is_node(span, view, read, own)
    return False


def _is_node(span: Span, view: TraceView, read: MetadataReader, own: RunMetadata) -> bool:
    if not own.namespace:
        return False
    parent = view.tree.parent(span)
    if parent is None:
        return own.name == own.node
    return view.remember(read, parent).namespace != own.namespace


def _is_prebuilt_loop(span: Span, view: TraceView, read: MetadataReader) -> bool:
    return any(
        view.remember(read, node).name == "agent"
        and any(
            view.remember(read, inner).name in _CALL_MODEL for inner in view.tree.children(node)
        )
        for node in view.tree.children(span)
    )


def _by_metadata_alone(own: RunMetadata) -> Classification | None:
    """Classify a run without inner spans, using only metadata that cannot be inherited."""
    if own.node == own.name:
        return None
    if own.integration == CREATE_AGENT and own.name == (own.agent_name or DEFAULT_GRAPH_NAME):
        return Classification(Kind.AGENT, "langchain.agent_name")
    if own.integration == LANGGRAPH and not own.node and not own.namespace:
        return Classification(Kind.GRAPH, "langchain.outermost_graph")
    return None
