"""Classifies Eino's components and reads their answers, for every callback that reports them.

An adk agent has the component ``Agent``; its inner spans (a Chain with the agent's name, a graph
``ReAct``) are not steps. A react agent of ``flow/agent`` and a multi-agent host are plain graphs,
recognised by the name of a node: the react agent has a model node ``ChatModel``, the host a lambda
``converter``. These are the library's names, unless the program renames the nodes.

A message has ``"response_meta": {"usage": {"prompt_tokens": 533, …}}``. The output is a message, a
list of messages, ``{"choices": [{"message": …}]}``, or ``{"stream": […]}`` with the usage in the
last chunk.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.core.conventions.failures import ControlFlow
from spanloom.core.dialects.langfuse.facts import read_usage
from spanloom.core.model.span import Classification
from spanloom.core.model.step import Usage
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, json_field, json_text, json_value, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span


class Part(NamedTuple):
    """Component and name of a span, as in Eino's ``RunInfo``."""

    component: str
    """``ChatModel``, ``Graph`` and so on; empty for a span that Eino did not make."""
    name: str


_QUESTION, _ROOT_CAUSE = "Info=interrupt info: Info=", ", IsRootCause=true"


def read_question(message: str) -> str:
    """Return a tool's or node's question to a person; empty if a span only passes a question on."""
    start, end = message.find(_QUESTION), message.rfind(_ROOT_CAUSE)
    return message[start + len(_QUESTION) : end] if 0 <= start < end else ""


CONTROL_FLOW = ControlFlow(
    types=("interruptError", "InterruptSignal"),
    texts=(re.compile("interrupt signal: ID=|interrupt happened, info: "),),
    questions=(read_question,),
)
"""Eino's errors that pause a run; tools and nodes wrap the text: ``err=interrupt signal: ID=1``."""

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
    """Classify spans by the component; a ``Graph`` with a node ``ChatModel`` is an agent."""
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
        # The agent's Chain reports how the run ended; the agent's own span may end earlier.
        twin = agent.span_id if agent is view.tree.parent(span) else None
        return Classification(Kind.OTHER, "eino.inside_adk_agent", twin)
    children = {read(child, view) for child in view.tree.children(span)}
    if Part(CHAT_MODEL, REACT_MODEL_NODE) in children:
        return Classification(Kind.AGENT, "eino.react_agent")
    if Part(LAMBDA, HOST_CONVERTER) in children:
        return Classification(Kind.AGENT, "eino.multi_agent_host")
    return Classification(Kind.GRAPH, f"eino.{read(span, view).component.lower()}")


def _agent_around(span: Span, view: TraceView, read: PartReader) -> Span | None:
    """Return the adk agent if the span is a child of the agent or of its Chain, else ``None``."""
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


def read_request(run_input: str) -> str:
    """Return the request to an agent: ``{"Input":{"Messages":[…]}}`` → ``[…]``, others unchanged.

    A resumed run has no request; its input is the whole state of the earlier run.
    """
    if run_input == _NOTHING:
        return ""
    if not run_input.startswith(_AGENT_INPUT):
        return run_input
    agent_input = json_field(run_input, "Input")
    messages = agent_input.get("Messages") if isinstance(agent_input, dict) else None
    return written(messages) if messages else ""


def is_resumed(run_input: str) -> bool:
    """Return whether a run is resumed: ``{"Input":null,"ResumeInfo":{"EnableStreaming":…``."""
    return run_input.startswith(_RESUMED)


def read_answer(output: str) -> str:
    """Return an agent's answer: the text of the message or of the last event, else all of it.

    Empty for ``{"Events":{}}``, a serialized Go event stream, which has no content.
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


_MARK = '"response_meta"'
_LISTS = ("choices", "stream")


def read_answer_usage(output: str) -> Usage:
    """Return the usage in the last ``response_meta``; zeros if no message has usage."""
    usages = list(_usages(json_value(output))) if _MARK in output else []
    return read_usage(usages[-1]) if usages else Usage()


def _usages(value: Json) -> Iterator[dict[str, Json]]:
    if isinstance(value, dict):
        items = next((i for key in _LISTS if isinstance(i := value.get(key), list)), [value])
    else:
        items = value if isinstance(value, list) else []
    for item in items:
        inner = item.get("message") if isinstance(item, dict) else None
        message = inner if isinstance(inner, dict) else item
        meta = message.get("response_meta") if isinstance(message, dict) else None
        usage = meta.get("usage") if isinstance(meta, dict) else None
        if isinstance(usage, dict):
            yield usage


def join_pieces(output: str) -> str:
    """Return an answer streamed as a list of chunks as one message; other output unchanged."""
    pieces = json_value(output) if output.startswith('[{"role":"assistant"') else None
    if not isinstance(pieces, list) or len(pieces) == 1:
        return output
    texts = [p.get("content") for p in pieces if isinstance(p, dict) and "tool_calls" not in p]
    plain = [text for text in texts if isinstance(text, str)]
    whole: Json = {"role": "assistant", "content": "".join(plain)}
    return json_text(whole) if len(plain) == len(pieces) else output
