"""What the libraries under MLflow's autologging call their agents and tools.

Where MLflow wraps a method, the span is called after it, ``Class.method`` or ``name.method``, and
what ran stands in the attribute ``name``. In the GenAI mode span names are built anew; what the
span was called is then the agent's or the tool's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.mlflow.attributes import OUTPUTS
from spanloom.core.dialects.otel_genai.dialect import OPERATION
from spanloom.core.values.attributes import first, json_field, unquoted

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

_STARTS = frozenset({"run", "arun", "run_sync", "run_stream", "run_stream_sync", "on_messages"})
"""Methods that start an agent; some call one another."""
_AGENT_METHODS = _STARTS | {"forward", "aforward", "execute_task"}
_TOOL_METHODS = frozenset({"call", "acall", "__call__"})
_TOOL_CLASS = "Tool."
"""DSPy's tools have one class, and their names in place of the method."""


def given_name(span: Span) -> str:
    """Return what the span was called before it was renamed: ``planner`` of ``AGENT planner``."""
    attributes = span.attributes
    if name := unquoted(first(attributes, "gen_ai.agent.name", "gen_ai.tool.name")):
        return name
    return span.name.removeprefix(attributes.get(OPERATION, "") + " ")


def agent_name(span: Span) -> str:
    """Return the agent's name: an attribute's, else ``planner`` of ``planner.run``."""
    return (_object_name(span) or split(span)[0]) if is_method(span) else given_name(span)


def is_method(span: Span) -> bool:
    """Return whether a library's method gave the span its name, as in ``Agent.run_sync``."""
    return split(span)[1] in _AGENT_METHODS


def tool_name(span: Span) -> str:
    """Return the tool's name: an attribute's, else ``find`` of ``find.acall`` or ``Tool.find``."""
    owner, method = split(span)
    if method in _TOOL_METHODS:
        return _object_name(span) or owner
    return given_name(span).removeprefix(_TOOL_CLASS)


def split(span: Span) -> tuple[str, str]:
    """Return ``("Agent", "run")`` of ``Agent.run``; without a dot the method is empty."""
    name = given_name(span)
    owner, dot, method = name.rpartition(".")
    return (owner, method) if dot and owner else (name, "")


def starts_again(span: Span, around: Span) -> bool:
    """Return whether one method of an agent started it through another, as ``run_sync`` does."""
    (owner, method), (outer, outer_method) = split(span), split(around)
    return owner == outer and method != outer_method and {method, outer_method} <= _STARTS


def _object_name(span: Span) -> str:
    """Return the name that the object has; LlamaIndex has an agent's in the result of its run."""
    if name := unquoted(span.attributes.get("name", "")):
        return "" if name == "null" else name
    result = json_field(span.attributes.get(OUTPUTS, ""), "result")
    current = result.get("current_agent_name") if isinstance(result, dict) else ""
    return current if isinstance(current, str) else ""
