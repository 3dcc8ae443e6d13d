"""LlamaIndex under OpenLLMetry: scope ``opentelemetry.instrumentation.llamaindex``.

Every span is ``Class.workflow`` at the top and ``Class.task`` below, with only these two span
kinds, so spans are classified by name and structure. The children of a workflow are its steps,
named after the class that defines them. A workflow with steps of ``BaseWorkflowAgent`` is an agent,
whose name is in the steps' output (``current_agent_name``); a workflow with steps of its own class
is a graph. The input of a step is an event, and a workflow's input is missing, because it cannot be
serialized; spans with other inputs are engines and their inner methods. A workflow below another
span is named ``run.task``, without its class. In ``AgentWorkflow`` the members have no spans.

The step that calls a tool has ``tool.name``; the tool's own span is below, ``FunctionTool.task``,
and is missing if the tool raised. Model calls of the class ``OpenAI`` are reported by the model
client's spans; model calls of other classes are the inner ``X.task`` with an operation. A failed
span is never ended, so it is not exported.

Verified on captures of function and ReAct agents, ``AgentWorkflow``, an agent as a tool, workflows
and a query engine (0.62.4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.model.span import Classification, Facts
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
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify runs by the classes of their steps, tools by the step that calls them."""
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
            return _TOOL._replace(facts=_read_call(view.tree.parent(span)))
        return super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read ``traceloop.entity.*``, without the objects that wrap the texts."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL and not facts.data_kind:
            arguments = span.attributes.get("tool.arguments", "")
            facts.input = arguments or plain_arguments(facts.input)
            facts.tool_name, facts.output = _read_result(span)
        elif kind in (Kind.AGENT, Kind.GRAPH):
            facts.agent_name, facts.output = _class(span), _answer(facts.output)
        return facts


def _class(span: Span) -> str:
    return span.name.partition(".")[0]


def _classes(children: Sequence[Span]) -> frozenset[str]:
    return frozenset(_class(child) for child in children if child.scope_name == _SCOPE)


def _agent_name(steps: Sequence[Span]) -> str:
    """Return the agent's name from the first step that has it; all steps have the same name."""
    outputs = (json_object(step.attributes.get(_OUTPUT, "")) for step in steps)
    return next(
        (n for output in outputs if isinstance(n := output.get("current_agent_name"), str)), ""
    )


def _is_workflow(span: Span, view: TraceView) -> bool:
    if _INPUT in span.attributes:
        return False
    classes = view.remember_children(_step_classes, span)
    return bool(classes) and (_class(span) == _NAMELESS_RUN or _class(span) in classes)


def _step_classes(children: Sequence[Span]) -> frozenset[str]:
    """Return the classes of the children whose input is an event or could not be serialized."""
    inputs = ((child, child.attributes.get(_INPUT, '{"ev":')) for child in children)
    return _classes([child for child, text in inputs if text.startswith('{"ev":')])


def _has_tool(children: Sequence[Span]) -> bool:
    return any(map(_is_tool, children))


def _is_tool(span: Span) -> bool:
    """Return whether the span is a tool, by class name, and by its output if it has one."""
    output = span.attributes.get(_OUTPUT, "")
    return _class(span).endswith("Tool") and (
        not output or ('"tool_name"' in output and "tool_name" in json_object(output))
    )


def _read_call(step: Span | None) -> Facts | None:
    """Return a tool's name and arguments from the calling step; its own span may lack them."""
    if step is None or _CALLED_TOOL not in step.attributes:
        return None
    attributes = step.attributes
    return Facts(tool_name=attributes[_CALLED_TOOL], input=attributes.get("tool.arguments", ""))


def _read_result(span: Span) -> tuple[str, str]:
    """Return name and result of a tool, from its own output or the calling step's output."""
    payload = json_object(text := span.attributes.get(_OUTPUT, ""))
    name = span.attributes.get(_CALLED_TOOL, "") or payload.get("tool_name")
    output = payload.get("tool_output", payload)
    result: Json = output.get("raw_output") if isinstance(output, dict) else None
    output_text = text if result is None else text_or_json(result)
    return name if isinstance(name, str) else "", output_text


def _answer(text: str) -> str:
    """Return a run's result, or the last message of an agent; other texts unchanged."""
    result = json_field(text, "result")
    if isinstance(result, str):
        return result
    response = result.get("response") if isinstance(result, dict) else None
    blocks = response.get("blocks") if isinstance(response, dict) else None
    if not isinstance(blocks, list):
        return text
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    return "".join(part for part in texts if isinstance(part, str))
