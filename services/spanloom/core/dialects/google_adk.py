"""Google's Agent Development Kit: scope ``gcp.vertex.agent``, GenAI operations.

``invoke_workflow`` wraps every run of a Runner and has the root agent's name, but is not a step.
``invoke_agent`` is also the operation of workflow agents (sequential, parallel, loop): an agent
that makes no model call and runs other agents is a graph. ``execute_tool (merged)`` collects the
results of parallel tools and runs nothing. With LiteLLM the model adapter adds the reasoning tokens
to a completion count that already includes them; for Google's own models, whose candidate counts
exclude reasoning, the sum is right.

Under OpenInference ``invoke_agent`` repeats the enclosing run, and the last model call below it has
overwritten the agent's operation, so the span is classified by name (``openinference_google_adk``).

Verified on captures of version 2.13. Names before 1.20 (``call_llm``, ``agent_run``) are known only
from documentation.
"""

from collections.abc import Mapping, Sequence

from spanloom.core.conventions.operations import OPERATIONS
from spanloom.core.conventions.pauses import as_question, ask_to_run
from spanloom.core.conventions.usage import read_payload, read_total_in
from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.otel_genai import OtelGenAI, operation_of
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.step import Usage
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, first, json_field, json_text, json_value

SCOPE = "gcp.vertex.agent"
_MERGED = "(merged tools)"
_NO_CALL_ID = "<not specified>"
_REQUEST, _RESPONSE = "gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response"
_CALLS = frozenset({"generate_content", "chat"})
OPENINFERENCE_SCOPE = "openinference.instrumentation.google_adk"


def _operation(span: Span) -> str:
    """Return the operation; before 1.20 agents and model calls differ only in span name."""
    if span.name.startswith("invoke_agent "):
        return "invoke_agent"
    operation = operation_of(span)
    if operation and (operation in OPERATIONS or _REQUEST not in span.attributes):
        return operation
    if span.name.startswith("agent_run"):
        return "invoke_agent"
    return "generate_content" if span.attributes.get(_REQUEST) else ""


class GoogleADK(OtelGenAI):
    """The GenAI conventions as ``google-adk`` writes them."""

    id = "google_adk"
    scopes = (r"gcp\.vertex\.",)
    marks = ("gcp.vertex.",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by operation; an agent that only runs other agents is a graph."""
        operation = _operation(span)
        if operation == "invoke_workflow" or not operation:
            return Classification(Kind.OTHER, "google_adk.frame", is_unknown=not operation)
        if operation == "execute_tool" and _gathers_answers(span):
            return Classification(Kind.OTHER, "google_adk.merged_answers")
        if operation == "invoke_agent":
            return with_answer(_classify_run(span, view), span, view)
        if operation in _CALLS:
            return Classification(Kind.MODEL, "google_adk.call")
        by_operation = super().classify(span, view)
        is_tool = by_operation.kind is Kind.TOOL
        return with_question(by_operation, span, view) if is_tool else by_operation

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes, or ``gcp.vertex.agent.*`` from before 1.20."""
        attributes, facts = span.attributes, super().describe(span, kind)
        facts.conversation_id = facts.conversation_id or attributes.get(
            "gcp.vertex.agent.session_id", ""
        )
        if kind is Kind.MODEL:
            facts.input = facts.input or attributes.get(_REQUEST, "")
            facts.output = _whole_answer(facts.output) or attributes.get(_RESPONSE, "")
            if facts.usage is not None:
                facts.usage = _without_double_reasoning(facts.usage, attributes)
                _complete_usage(facts, attributes.get(_RESPONSE, ""))
            return facts
        if kind is Kind.TOOL:
            facts.input = facts.input or attributes.get("gcp.vertex.agent.tool_call_args", "")
            facts.output = facts.output or attributes.get("gcp.vertex.agent.tool_response", "")
        if facts.metadata.get("tool_call_id") == _NO_CALL_ID:
            facts.metadata = {k: v for k, v in facts.metadata.items() if k != "tool_call_id"}
        return facts


def _gathers_answers(span: Span) -> bool:
    """Return whether the span only merges results of parallel tools.

    The tool's name in its attribute decides, or else the span's name.
    """
    if tool := span.attributes.get("gen_ai.tool.name"):
        return tool == _MERGED
    return span.name == "execute_tool (merged)"


def is_framed_by(around: Span, span: Span) -> bool:
    """Return whether ``around`` is the OpenInference span of the agent run ``span``."""
    is_openinferences = around.scope_name == OPENINFERENCE_SCOPE
    is_run = around.name.startswith("agent_run") and span.name.startswith("invoke_agent")
    return is_openinferences and is_run and span.scope_name == SCOPE


def _classify_run(span: Span, view: TraceView) -> Classification:
    classification, around = _classify_agent(span, view), view.tree.parent(span)
    if around is not None and is_framed_by(around, span):
        return classification._replace(rule="google_adk.same_run", part_of=around.span_id)
    return classification


def _classify_agent(span: Span, view: TraceView) -> Classification:
    inner = {_operation(child) for child in view.tree.children(span)}
    if "invoke_agent" in inner and not inner & {*_CALLS, "execute_tool"}:
        return Classification(Kind.GRAPH, "google_adk.workflow_agent")
    return Classification(Kind.AGENT, "google_adk.invoke_agent")


def _whole_answer(output: str) -> str:
    """Return only the last message if the earlier messages are the streamed chunks of its text."""
    messages = json_value(output) if '"finish_reason":""' in output else None
    if not isinstance(messages, list) or len(messages) < 2:
        return output
    pieces, whole = "".join(map(_text, messages[:-1])), _text(messages[-1])
    return json_text(messages[-1:]) if pieces == whole else output


def _text(message: Json) -> str:
    parts = message.get("parts") if isinstance(message, dict) else None
    listed = parts if isinstance(parts, list) else []
    contents = [part.get("content") for part in listed if isinstance(part, dict)]
    return "".join(text for text in contents if isinstance(text, str))


def _complete_usage(facts: Facts, response: str) -> None:
    """Add token counts, and the total, from Google's own response."""
    reported = json_field(response, "usage_metadata")
    if isinstance(reported, dict) and facts.usage is not None:
        facts.usage = facts.usage.completed_by(read_payload(reported))
        facts.total_tokens = read_total_in(reported)


def _without_double_reasoning(usage: Usage, attributes: Mapping[str, str]) -> Usage:
    provider = attributes.get("gen_ai.provider.name", "")
    is_googles = not provider or provider.startswith(("gcp", "gemini", "vertex", "google"))
    if is_googles or usage.output_tokens < 2 * usage.reasoning_tokens:
        return usage
    return usage._replace(output_tokens=usage.output_tokens - usage.reasoning_tokens)


# Approvals: a tool that requires confirmation asks for it in its result. The run that continues
# begins with the tool itself, before any model call; if the person refuses, the tool reports a
# fixed error text, which is no failure. A ``LongRunningFunctionTool`` waits for its result if its
# agent stops after it: the late result is in the input of the next run's first call.

_ASKS = "This tool call requires confirmation, please approve or reject."
_REFUSED = "This tool call is rejected."
_LONG_RUNNING = "LongRunningFunctionTool"
_CALL_OPERATIONS = frozenset({"generate_content", "chat", "call_llm"})


def with_question(tool: Classification, span: Span, view: TraceView) -> Classification:
    """Return the tool's classification, with any question to a person; a refusal is no failure."""
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

    Under OpenInference model calls have no spans; the last one's attributes are on the agent's
    span.
    """
    agent = view.tree.parent(tool)
    if agent is not None and operation_of(agent) in _CALL_OPERATIONS:
        return '"tool_call"' in agent.attributes.get("gen_ai.output.messages", "")
    return view.remember_siblings(_last_call_ns, tool) < tool.end_ns


def _last_call_ns(spans: Sequence[Span]) -> int:
    return max((s.start_ns for s in spans if operation_of(s) in _CALL_OPERATIONS), default=0)


def _read_decisions(children: Sequence[Span]) -> str:
    """Return the person's decisions about the tools that ran before any model call, as JSON.

    If nothing but tools ran, only refusals are returned: the tools may not have needed approval.
    """
    began: list[Span] = []
    for child in children:
        if operation_of(child) != "execute_tool":
            break
        began.append(child)
    has_calls = len(began) < len(children)
    decided = [s for s in began if has_calls or _REFUSED in _result(s)]
    return as_question([{**_read_call(s), "approved": _REFUSED not in _result(s)} for s in decided])


def _late_result(agent: Span, view: TraceView) -> str:
    """Return the tool result at the end of the input of the run's first model call.

    The result is empty if the input does not end in exactly one tool result, if a tool ran before
    the call, or if the agent ran inside another agent or after its first sibling.
    """
    children = view.tree.children(agent)
    call = agent if operation_of(agent) in _CALL_OPERATIONS else children[0] if children else agent
    is_inner = any(operation_of(s) == "invoke_agent" for s in view.tree.ancestors(agent))
    is_first = view.remember_siblings(_first_agent, agent) == agent.span_id
    if (
        is_inner
        or not is_first
        or operation_of(call) not in _CALL_OPERATIONS
        or (call is agent and children)
    ):
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


DIALECTS = (GoogleADK(),)
