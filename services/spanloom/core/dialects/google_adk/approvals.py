"""Tools of ADK that wait for a person, and runs that continue with the person's answer.

A tool that requires confirmation reports so in its result. The run that continues begins with the
tool itself, before any model call; if refused, the tool reports a fixed error text, which is no
failure. A ``LongRunningFunctionTool`` waits if its agent stops after it: the late result is in the
input of the next run's first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.pauses import as_question, ask_to_run
from spanloom.core.dialects.otel_genai.dialect import operation_of
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.values.attributes import Json, first, json_text, json_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span

_ASKS = "This tool call requires confirmation, please approve or reject."
_REFUSED = "This tool call is rejected."
_LONG_RUNNING = "LongRunningFunctionTool"
_CALLS = frozenset({"generate_content", "chat", "call_llm"})


def with_question(tool: Classification, span: Span, view: TraceView) -> Classification:
    """Return the tool's classification, with its question, or marked sound if it was refused."""
    result = _result(span)
    if _REFUSED in result:
        return tool._replace(is_sound=True)
    is_long = span.attributes.get("gen_ai.tool.type") == _LONG_RUNNING
    if _ASKS in result or (is_long and _stops_at(span, view)):
        return tool._replace(question=as_question([_read_call(span)]))
    return tool


def with_answer(run: Classification, span: Span, view: TraceView) -> Classification:
    """Return the run's classification, with the person's answer if it continues an earlier run."""
    answer = view.remember_children(_read_decisions, span) or _late_result(span, view)
    return run._replace(facts=Facts(input=answer, is_resuming=True)) if answer else run


def _stops_at(tool: Span, view: TraceView) -> bool:
    """Return whether no model call followed the tool.

    Under OpenInference the calls have no spans; the last one writes to the agent's span.
    """
    agent = view.tree.parent(tool)
    if agent is not None and operation_of(agent) in _CALLS:
        return '"tool_call"' in agent.attributes.get("gen_ai.output.messages", "")
    return view.remember_siblings(_last_call_ns, tool) < tool.end_ns


def _last_call_ns(spans: Sequence[Span]) -> int:
    return max((s.start_ns for s in spans if operation_of(s) in _CALLS), default=0)


def _read_decisions(children: Sequence[Span]) -> str:
    """Return the person's decisions: tools that ran before any model call, or were refused."""
    began: list[Span] = []
    for child in children:
        if operation_of(child) != "execute_tool":
            break
        began.append(child)
    has_calls = len(began) < len(children)
    decided = [s for s in began if has_calls or _REFUSED in _result(s)]
    return as_question([{**_read_call(s), "approved": _REFUSED not in _result(s)} for s in decided])


def _late_result(agent: Span, view: TraceView) -> str:
    """Return the tool result in the input of the run's first call, if no tool ran before it."""
    children = view.tree.children(agent)
    call = agent if operation_of(agent) in _CALLS else children[0] if children else agent
    is_inner = any(operation_of(s) == "invoke_agent" for s in view.tree.ancestors(agent))
    is_first = view.remember_siblings(_first_agent, agent) == agent.span_id
    if is_inner or not is_first or operation_of(call) not in _CALLS or (call is agent and children):
        return ""
    return _last_result(call.attributes)


def _first_agent(spans: Sequence[Span]) -> str:
    return next((s.span_id for s in spans if s.name.startswith("invoke_agent")), "")


def _last_result(call: Mapping[str, str]) -> str:
    text = call.get("gen_ai.input.messages", "")
    messages = json_value(text) if "tool_call_response" in text else None
    last = messages[-1] if isinstance(messages, list) and messages else None
    parts = last.get("parts") if isinstance(last, dict) else None
    results = [_response(part) for part in parts] if isinstance(parts, list) else []
    return json_text(results[0]) if len(results) == 1 and results[0] is not None else ""


def _response(part: Json) -> Json:
    is_result = isinstance(part, dict) and part.get("type") == "tool_call_response"
    return part.get("response") if is_result and isinstance(part, dict) else None


def _result(tool: Span) -> str:
    return first(tool.attributes, "gen_ai.tool.call.result", "gcp.vertex.agent.tool_response")


def _read_call(tool: Span) -> dict[str, Json]:
    attributes = tool.attributes
    arguments = first(attributes, "gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args")
    return ask_to_run(attributes.get("gen_ai.tool.name", ""), arguments)
