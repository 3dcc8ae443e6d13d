"""LlamaIndex under OpenLLMetry: scope ``opentelemetry.instrumentation.llamaindex``.

Every span is ``Class.workflow`` at the top and ``Class.task`` below, of the same two span kinds:
only names and structure tell. What a workflow ran are the steps below it, called after the class
that defines them: steps of ``BaseWorkflowAgent`` make it an agent, whose name stands in what they
gave (``current_agent_name``); steps of its own class make it a graph. A step takes an event and
the run's arguments cannot be written out, which tells both from an engine and its inner methods.
A workflow below another span has lost its class: ``run.task``. In ``AgentWorkflow`` the members
have no spans.

The step that calls a tool says ``tool.name``; the tool's own span is below, ``FunctionTool.task``,
and is missing when the tool raised. Calls are the client's spans for the class ``OpenAI``, and of
other classes the inner ``X.task`` that names the operation. What fails is never ended: no span.

Verified on captures of function and ReAct agents, ``AgentWorkflow``, an agent as a tool, workflows
and a query engine (0.62.4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_field, json_object, plain_arguments, text_or_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.values.attributes import Json

_SCOPE = "opentelemetry.instrumentation.llamaindex"
_INPUT, _OUTPUT = "traceloop.entity.input", "traceloop.entity.output"
_CALLED_TOOL = "tool.name"
_AGENT_BASE = "BaseWorkflowAgent"
_NAMELESS_RUN = "run"
_WORKFLOW = Classification(Kind.GRAPH, "traceloop_llamaindex.workflow")
_TOOL = Classification(Kind.TOOL, "traceloop_llamaindex.tool")
_RAISED = Classification(Kind.TOOL, "traceloop_llamaindex.tool_without_span")


class TraceloopLlamaIndex(Traceloop):
    """OpenLLMetry's attributes as its LlamaIndex instrumentation writes them."""

    id = "traceloop_llamaindex"

    def recognises(self, signature: Signature) -> bool:
        """By the scope."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Go by the classes of a run's steps, and by what the step around a tool says."""
        if _AGENT_BASE in view.remember_children(_classes, span):
            name = view.remember_children(_agent_name, span)
            rule = "traceloop_llamaindex.agent_steps"
            return Classification(Kind.AGENT, rule, facts=Facts(agent_name=name))
        if _is_workflow(span, view):
            return _WORKFLOW
        if _CALLED_TOOL in span.attributes:
            has_span = view.remember_children(_has_tool, span)
            return super().classify(span, view) if has_span else _RAISED
        if _is_tool(span):
            return _TOOL._replace(facts=_called(view.tree.parent(span)))
        return super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """From ``traceloop.entity.*``, without what wraps the texts."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL and not facts.data_kind:
            called = span.attributes.get("tool.arguments", "")
            facts.input = called or plain_arguments(facts.input)
            facts.tool_name, facts.output = _returned(span)
        elif kind in (Kind.AGENT, Kind.GRAPH):
            facts.agent_name, facts.output = _class(span), _answered(facts.output)
        return facts


def _class(span: Span) -> str:
    return span.name.partition(".")[0]


def _classes(children: Sequence[Span]) -> frozenset[str]:
    return frozenset(_class(child) for child in children if child.scope_name == _SCOPE)


def _agent_name(steps: Sequence[Span]) -> str:
    """Return the name that the first step with one says; all of an agent's steps say the same."""
    outputs = (json_object(step.attributes.get(_OUTPUT, "")) for step in steps)
    return next(
        (n for output in outputs if isinstance(n := output.get("current_agent_name"), str)), ""
    )


def _is_workflow(span: Span, view: TraceView) -> bool:
    if _INPUT in span.attributes:
        return False
    ran = view.remember_children(_step_classes, span)
    return bool(ran) and (_class(span) == _NAMELESS_RUN or _class(span) in ran)


def _step_classes(children: Sequence[Span]) -> frozenset[str]:
    """Return the classes of those children that took an event, or what cannot be written out."""
    inputs = ((child, child.attributes.get(_INPUT, '{"ev":')) for child in children)
    return _classes([child for child, given in inputs if given.startswith('{"ev":')])


def _has_tool(children: Sequence[Span]) -> bool:
    return any(map(_is_tool, children))


def _is_tool(span: Span) -> bool:
    """Return whether a tool class ran: its name says so, and its result is a tool's output."""
    output = span.attributes.get(_OUTPUT, "")
    return _class(span).endswith("Tool") and (
        not output or ('"tool_name"' in output and "tool_name" in json_object(output))
    )


def _called(step: Span | None) -> Facts | None:
    """Return what the step around a tool asked of it: a tool's own input may not be written out."""
    if step is None or _CALLED_TOOL not in step.attributes:
        return None
    attributes = step.attributes
    return Facts(tool_name=attributes[_CALLED_TOOL], input=attributes.get("tool.arguments", ""))


def _returned(span: Span) -> tuple[str, str]:
    """Return the tool's name and what it returned, out of a tool's output or the step around it."""
    payload = json_object(text := span.attributes.get(_OUTPUT, ""))
    name = span.attributes.get(_CALLED_TOOL, "") or payload.get("tool_name")
    output = payload.get("tool_output", payload)
    result: Json = output.get("raw_output") if isinstance(output, dict) else None
    shown = text if result is None else text_or_json(result)
    return name if isinstance(name, str) else "", shown


def _answered(text: str) -> str:
    """Return the result of a run, of an agent its last message."""
    result = json_field(text, "result")
    if isinstance(result, str):
        return result
    response = result.get("response") if isinstance(result, dict) else None
    blocks = response.get("blocks") if isinstance(response, dict) else None
    if not isinstance(blocks, list):
        return text
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    return "".join(part for part in texts if isinstance(part, str))
