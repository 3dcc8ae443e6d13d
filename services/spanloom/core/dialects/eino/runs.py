"""Which run an Eino component is, for every callback that reports components.

An adk agent says ``Agent``; what it is made of (a Chain of its own name, a graph ``ReAct``) is
private. A react agent of ``flow/agent`` and a multi-agent host are plain graphs: the one has the
model node ``ChatModel``, the other the lambda ``converter``, names that are fixed in the library
unless the program renames them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.core.conventions.failures import ControlFlow
from spanloom.core.model.normalized import Classification
from spanloom.core.model.trajectory import Kind, Usage
from spanloom.core.values.attributes import Json, count, json_field, json_value, written

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span


class Part(NamedTuple):
    """What Eino's ``RunInfo`` says of a span."""

    component: str
    """``ChatModel``, ``Graph`` and so on; empty for a span that is not Eino's."""
    name: str


_QUESTION, _ROOT_CAUSE = "Info=interrupt info: Info=", ", IsRootCause=true"


def read_question(message: str) -> str:
    """Return what a tool or node asked of a person; empty in what only passes it on."""
    start, end = message.find(_QUESTION), message.rfind(_ROOT_CAUSE)
    return message[start + len(_QUESTION) : end] if 0 <= start < end else ""


CONTROL_FLOW = ControlFlow(
    types=("interruptError", "InterruptSignal"),
    texts=(re.compile("interrupt signal: ID=|interrupt happened, info: "),),
    questions=(read_question,),
)
"""By which Eino pauses; tools and nodes wrap the text: ``err=interrupt signal: ID=1, …``."""

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
_NOTHING = "{}"
_AGENT_INPUT = '{"Input":'
_RESUMED = '{"Input":null,"ResumeInfo":{'
_NO_EVENTS = '{"Events":'


def classify_part(span: Span, view: TraceView, read: PartReader) -> Classification:
    """Classify by the component: a ``Graph`` that holds a node ``ChatModel`` is an agent."""
    component = read(span, view).component
    if component in AGENTS:
        return Classification(Kind.AGENT, "eino.adk_agent")
    if component in _GRAPHS:
        return _classify_graph(span, view, read)
    if component in _CALLS:
        return Classification(_CALLS[component], f"eino.{component.lower()}")
    return Classification(Kind.OTHER, "eino.plumbing")


def _classify_graph(span: Span, view: TraceView, read: PartReader) -> Classification:
    if (agent := _agent_around(span, view, read)) is not None:
        # The agent's own Chain knows how the run ended: the agent's span may not wait for it.
        twin = agent.span_id if agent is view.tree.parent(span) else None
        return Classification(Kind.OTHER, "eino.inside_adk_agent", twin)
    children = {read(child, view) for child in view.tree.children(span)}
    if Part(CHAT_MODEL, REACT_MODEL_NODE) in children:
        return Classification(Kind.AGENT, "eino.react_agent")
    if Part(LAMBDA, HOST_CONVERTER) in children:
        return Classification(Kind.AGENT, "eino.multi_agent_host")
    return Classification(Kind.GRAPH, f"eino.{read(span, view).component.lower()}")


def _agent_around(span: Span, view: TraceView, read: PartReader) -> Span | None:
    """Return the adk agent whose private part this is: its child, or one in its Chain."""
    parent = view.tree.parent(span)
    if parent is None:
        return None
    component = read(parent, view).component
    if component in AGENTS:
        return parent
    above = view.tree.parent(parent)
    if component != CHAIN or above is None or read(above, view).component not in AGENTS:
        return None
    return above


def read_request(given: str) -> str:
    """Return what an agent was asked: ``{"Input":{"Messages":[…]}}`` → ``[…]``, other texts whole.

    A resumed run has none, but the whole state of the run before.
    """
    if given == _NOTHING:
        return ""
    if not given.startswith(_AGENT_INPUT):
        return given
    agent_input = json_field(given, "Input")
    messages = agent_input.get("Messages") if isinstance(agent_input, dict) else None
    return written(messages) if messages else ""


def is_resumed(given: str) -> bool:
    """Return whether an agent goes on: ``{"Input":null,"ResumeInfo":{"EnableStreaming":…``."""
    return given.startswith(_RESUMED)


def read_answer(output: str) -> str:
    """Return what an agent answered: a message's text, the last one of its events, or all of it.

    ``{"Events":{}}`` is Go's stream of events, which says nothing.
    """
    if output.startswith(_NO_EVENTS):
        return ""
    payload = json_value(output) if output.startswith(("{", "[{")) else None
    for event in reversed(payload) if isinstance(payload, list) else (payload,):
        if answer := _content(event):
            return answer
    return output


def _content(payload: Json) -> str:
    if not isinstance(payload, dict):
        return ""
    inner = payload.get("message")
    content = inner.get("content") if isinstance(inner, dict) else payload.get("content")
    return content if isinstance(content, str) else ""


def callback_usage(usage: dict[str, Json]) -> Usage:
    """Read Eino's ``model.TokenUsage`` as Go writes it to JSON."""
    return Usage(
        count(usage.get("PromptTokens")),
        count(usage.get("CompletionTokens")),
        count(_inner(usage, "completion_token_details", "reasoning_tokens")),
        count(_inner(usage, "PromptTokenDetails", "CachedTokens")),
    )


def _inner(payload: dict[str, Json], key: str, inner_key: str) -> Json:
    inner = payload.get(key)
    return inner.get(inner_key) if isinstance(inner, dict) else None
