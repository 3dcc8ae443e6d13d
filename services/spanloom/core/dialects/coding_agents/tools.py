"""Reads tools from events: results, failures, and decisions."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_events import read_events
from spanloom.core.conventions.agent_records import What
from spanloom.core.conventions.exit_codes import find_exit, find_exit_in
from spanloom.core.conventions.failed_results import REPORTED_BY_RESULT
from spanloom.core.model.step import NO_CODE, StepError
from spanloom.core.values.attributes import json_object, json_text, json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.model.tree import SpanTree
    from spanloom.core.values.attributes import Json

_FAILED = frozenset({"error", "failed", "failure", "errored"})
_REFUSED = frozenset({"reject", "rejected", "deny", "denied", "abort", "cancel", "timed_out"})
CALL_ID = "tool_call_id"
_PLAIN = frozenset({"", "functions", "builtin", "default"})
"""Namespaces that are left out of a tool's name."""


def tool_name(event: Event) -> str:
    """Return the tool's name with its namespace: ``multi_agent_v1/spawn_agent``."""
    name, namespace = event.get(keys.TOOLS), event.attributes.get("tool_namespace", "")
    if name == "mcp_tool":  # Claude Code's logs hide the names of MCP tools in the parameters
        name = _name_of_mcp(event.attributes.get("tool_parameters", "")) or name
    return name if namespace in _PLAIN else f"{namespace}/{name}"


def _name_of_mcp(parameters: str) -> str:
    fields = json_object(parameters)
    server, tool = fields.get("mcp_server_name"), fields.get("mcp_tool_name")
    return f"mcp__{server}__{tool}" if server and tool else ""


def events_by_call(tree: SpanTree) -> Mapping[tuple[What, str], Event]:
    """Return the events of tools, keyed by kind and call id."""
    events = [e for e in read_events(tree) if e.what in (What.TOOL, What.DECISION)]
    return {(e.what, e.get(keys.CALL_IDS)): e for e in events if e.get(keys.CALL_IDS)}


def tool_error(event: Event, result: str = "") -> StepError | None:
    """Return the failure that an event reports about a tool, or ``None``."""
    attributes = event.attributes
    inside = json_object(attributes.get("metadata", ""))
    has_failed = (
        attributes.get("success", "").lower() == "false"
        or attributes.get("status", "").lower() in _FAILED
        or inside.get("isError") is True
    )
    words = event.get(keys.MESSAGES)
    code = (
        attributes.get("exit_code") or attributes.get("exitCode") or _text(inside.get("exitCode"))
    )
    exited = find_exit(code, result) or find_exit_in(result)
    if exited is not None and not words:
        return exited
    if not has_failed:
        return None
    kind = event.get(keys.TYPES)
    shown = words or result[:500] or kind or "the tool failed"
    return StepError(NO_CODE, shown, kind, "", REPORTED_BY_RESULT)


def _text(value: Json) -> str:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def decision_of(event: Event | None) -> dict[str, str]:
    """Return the permission decision about a tool, and who made it, as metadata."""
    if event is None:
        return {}
    decision = event.attributes.get("decision", "")
    source = event.attributes.get("source", "")
    return {k: v for k, v in (("decision", decision), ("decision_by", source)) if v}


def is_refused(attributes: Mapping[str, str]) -> bool:
    """Return whether a person or a rule refused to let the tool run."""
    return attributes.get("decision", "").lower() in _REFUSED


REFUSED = StepError(
    NO_CODE, "the tool was not allowed to run", "permission_denied", "", "attribute"
)
"""The error of a tool if only its refusal is reported."""


# Tool results in the next request, in the format of Gemini's ``contents``.


def results_in(request: Event) -> Sequence[tuple[str, str, str]]:
    """Return call id, tool name and result of each tool that ran just before a request."""
    text = request.get(keys.SENT)
    contents = json_value(text) if "functionResponse" in text else None
    found: list[tuple[str, str, str]] = []
    for content in reversed(contents if isinstance(contents, list) else []):
        parts = content.get("parts") if isinstance(content, dict) else None
        own = [r for part in _items(parts) if (r := _result_of(part)) is not None]
        if not own:
            break
        found = own + found
    return found


def _items(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else []


def _result_of(part: Json) -> tuple[str, str, str] | None:
    answered = part.get("functionResponse") if isinstance(part, dict) else None
    if not isinstance(answered, dict):
        return None
    return word_of(answered.get("id")), word_of(answered.get("name")), read_result(answered)


def word_of(value: Json) -> str:
    """Return the value if it is a text, else an empty text."""
    return value if isinstance(value, str) else ""


def read_result(answered: Mapping[str, Json]) -> str:
    """Return the tool result in one ``functionResponse`` of Gemini's API."""
    response = answered.get("response")
    if isinstance(response, dict) and len(response) == 1:
        [inner] = response.values()
        return inner if isinstance(inner, str) else json_text(inner)
    return json_text(response) if response else ""


MAX_LATER = 16
"""How many requests after a tool are searched for its result; other agents may have sent some."""


def pair_results(tools: Iterable[Event], requests: Sequence[Event]) -> Mapping[int, str]:
    """Return the results of tools in later requests, keyed by the tool's index in ``tools``.

    Results of several tools with one name come in the order of these tools. Tools and requests must
    be sorted by time.
    """
    times = [request.time_ns for request in requests]
    waiting: dict[int, list[tuple[str, str, str]]] = {}
    found: dict[int, str] = {}
    for number, tool in enumerate(tools):
        begin = bisect_left(times, tool.time_ns)
        later = range(begin, min(begin + MAX_LATER, len(requests)))
        at = next((i for i in later if _is_of_turn(tool, requests[i])), None)
        if at is None:
            continue
        left = waiting.setdefault(at, [*results_in(requests[at])])
        own = next((result for result in left if _answers(tool, result)), None)
        if own is not None:
            left.remove(own)
            found[number] = own[2]
    return found


def _answers(tool: Event, result: tuple[str, str, str]) -> bool:
    call_id = tool.get(keys.CALL_IDS)
    return result[1] == tool.get(keys.TOOLS) and call_id in ("", result[0])


def _is_of_turn(tool: Event, request: Event) -> bool:
    ours, theirs = tool.get(keys.PROMPT_IDS), request.get(keys.PROMPT_IDS)
    return ours == theirs or _turn_of(ours) == _turn_of(theirs)


def _turn_of(prompt_id: str) -> str:
    """Return the prompt id without a sub-agent's turn: ``id#general`` for ``id#general#0``."""
    head, mark, tail = prompt_id.rpartition("#")
    return head if mark and tail.isdecimal() else prompt_id
