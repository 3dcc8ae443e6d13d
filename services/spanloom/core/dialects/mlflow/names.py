"""Keys of MLflow's attributes, and the agents' and tools' names in spans of autologged libraries.

If MLflow wraps a method, the span is named after it, ``Class.method`` or ``name.method``, and the
attribute ``name`` is the name of the agent or tool. The GenAI mode renames the spans, and writes
the original span name to the attribute for the agent's or the tool's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.operations import OPERATION
from spanloom.core.values.attributes import first, json_field, unquoted

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SPAN_TYPE = "mlflow.spanType"
INPUTS = "mlflow.spanInputs"
OUTPUTS = "mlflow.spanOutputs"
COUNTS = "mlflow.chat.tokenUsage"


_STARTS = frozenset({"run", "arun", "run_sync", "run_stream", "run_stream_sync", "on_messages"})
"""Methods that start an agent; one such method may call another."""
_AGENT_METHODS = _STARTS | {"forward", "aforward", "execute_task"}
_TOOL_METHODS = frozenset({"call", "acall", "__call__"})
_TOOL_CLASS = "Tool."
"""Class name in the spans of all DSPy tools: ``Tool.find`` is the tool ``find``."""


def given_name(span: Span) -> str:
    """Return the name that a span has without the GenAI mode: ``planner`` for ``AGENT planner``."""
    attributes = span.attributes
    if name := unquoted(first(attributes, "gen_ai.agent.name", "gen_ai.tool.name")):
        return name
    return span.name.removeprefix(attributes.get(OPERATION, "") + " ")


def agent_name(span: Span) -> str:
    """Return the agent's name from its attribute, or else ``planner`` for ``planner.run``."""
    return (_object_name(span) or split(span)[0]) if is_method(span) else given_name(span)


def is_method(span: Span) -> bool:
    """Return whether the span is named after a library's method: ``Agent.run_sync``."""
    return split(span)[1] in _AGENT_METHODS


def tool_name(span: Span) -> str:
    """Return the tool's name: its attribute, or ``find`` for ``find.acall`` and ``Tool.find``."""
    owner, method = split(span)
    if method in _TOOL_METHODS:
        return _object_name(span) or owner
    return given_name(span).removeprefix(_TOOL_CLASS)


def split(span: Span) -> tuple[str, str]:
    """Return ``("Agent", "run")`` for ``Agent.run``; without a dot the method is empty."""
    name = given_name(span)
    owner, dot, method = name.rpartition(".")
    return (owner, method) if dot and owner else (name, "")


def starts_again(span: Span, around: Span) -> bool:
    """Return whether both spans are start methods of one agent: ``run_sync`` calls ``run``."""
    (owner, method), (outer, outer_method) = split(span), split(around)
    return owner == outer and method != outer_method and {method, outer_method} <= _STARTS


def _object_name(span: Span) -> str:
    """Return the object's name; LlamaIndex reports an agent's name in the result of its run."""
    if name := unquoted(span.attributes.get("name", "")):
        return "" if name == "null" else name
    result = json_field(span.attributes.get(OUTPUTS, ""), "result")
    current = result.get("current_agent_name") if isinstance(result, dict) else ""
    return current if isinstance(current, str) else ""
