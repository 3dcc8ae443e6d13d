"""Labels each recorded span by its name, and by the times of model calls and tool runs.

No attribute is read. A span name that is in no table raises ``ValueError``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.pairs import labels as langchain
from tests.pairs.labels import Label, Log, Recorded, call_of

if TYPE_CHECKING:
    from tests.stops.script import Stop

_CALL = re.compile(
    r"response|openai\.response|Responses API with .*|Response|AsyncResponses"
    r"|generate_content .*|chat gpt-4o-mini"
)
_AGENT = re.compile(
    r"(?:invoke_agent )?banker(?:\.agent)?|Agent run: \{name!r\}|agent_run \[banker\]"
)
_TOOL = re.compile(r"(?:execute_tool )?(look_up_account|wire_money)(?:\.tool)?|Function: \{name\}")
_FRAMES = re.compile(
    r"Agent [wW]orkflow|turn|Unknown|AgentRunner\.run|OpenAI Agents trace: \{name\}"
    r"|Task: Agent workflow|Turn \{turn\} for agent banker"
    r"|invocation \[bank\]|invoke_workflow banker|execute_tool \(merged\)"
)
_JS_NODES = frozenset({"__start__", "model_request", "RunnableLambda"})


def label(span: Recorded, stop: Stop, calls: Log, tools: Log) -> Label:
    """Return the label of a span; raises ``ValueError`` for an unknown name."""
    if span.name in _JS_NODES:
        return Label("other", "no run of anything in the script")
    if stop.script.agents[0].name != "banker":
        return langchain.label(span, stop.script, calls, tools)
    if _FRAMES.fullmatch(span.name):
        return Label("other", "the SDK's frame of a run, or one turn of its loop")
    if _CALL.fullmatch(span.name):
        number = call_of(span, calls)
        told = {"model_call": number}
        return Label("model", "one call by the script", ("model", number), told)
    if _AGENT.fullmatch(span.name):
        return Label("agent", "run of the agent banker", ("agent", span.trace_id))
    found = _TOOL.fullmatch(span.name)
    if found is None:
        message = f"nobody knows what {span.name!r} is"
        raise ValueError(message)
    return _label_tool(span, found[1], stop, tools)


def _label_tool(span: Recorded, name: str | None, stop: Stop, tools: Log) -> Label:
    """Label a span with the tool that ran during it or, if none ran, with the requested tool."""
    ran = [t for t in tools if span.start_ns <= t["from_ns"] and t["to_ns"] <= span.end_ns]
    own = next((t for t in ran if name in (None, t["name"])), None)
    shown: dict[str, Any] = {"name": name or (own or {"name": "wire_money"})["name"]}
    asked = next(a for s in stop.script.agents[0].says for a in s.tools if a.name == shown["name"])
    shown |= {"tool_call_id": asked.id, "outcome": "ok" if own else "not run"}
    why = f"run of the tool {shown['name']}" if own else f"{shown['name']} asked for, and not run"
    return Label("tool", why, ("tool", span.span_id), {"tool_call": shown})
