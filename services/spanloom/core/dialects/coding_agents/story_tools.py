"""Classifies log records of tools: as steps, or as second reports of tools that have spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_records import What
from spanloom.core.dialects.coding_agents.reported import (
    find_tool,
    ids_of_tools,
    index_tools,
)
from spanloom.core.dialects.coding_agents.sub_agents import (
    SubAgent,
    owner_of,
)
from spanloom.core.dialects.coding_agents.tools import (
    CALL_ID,
    REFUSED,
    decision_of,
    is_refused,
    pair_results,
    tool_error,
    tool_name,
)
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.model.tree import SpanTree

REPEATED = Classification(Kind.OTHER, "agent_logs.repeats_span", is_sound=True)


def classify_tools(
    events: Sequence[Event],
    tree: SpanTree,
    agents: Sequence[SubAgent],
    known: dict[str, Classification],
) -> None:
    """Add the classifications of tool records to ``known``, keyed by span id.

    A record of a tool that a span reports does not become a step.
    """
    tools = [e for e in events if e.what is What.TOOL and e.is_bare]
    spans = index_tools(tree)
    decisions = {e.get(keys.CALL_IDS): e for e in events if e.what is What.DECISION}
    results = pair_results(tools, [e for e in events if e.what is What.REQUEST])
    for number, tool in enumerate(tools):
        if spans and find_tool(tool, spans) is not None:
            known[tool.holder.span_id] = REPEATED
            continue
        owner = owner_of(tool, agents)
        decision = decisions.get(tool.get(keys.CALL_IDS) or "none", tool)
        result = tool.get(keys.RESULTS) or results.get(number, "")
        known[tool.holder.span_id] = _classify_tool(tool, result, decision, owner)


def classify_unfinished(
    events: Sequence[Event],
    tree: SpanTree,
    agents: Sequence[SubAgent],
    known: dict[str, Classification],
) -> None:
    """Classify tools that were refused or stopped, for which there is only a decision record."""
    ended = {e.get(keys.CALL_IDS) for e in events if e.what is What.TOOL} | ids_of_tools(tree)
    for event in events:
        call_id = event.get(keys.CALL_IDS) if event.what is What.DECISION else ""
        if call_id and call_id not in ended and event.is_bare:
            ended.add(call_id)
            has_no = is_refused(event.attributes)
            found = _classify_tool(event, "", event, owner_of(event, agents))
            known[event.holder.span_id] = found._replace(
                rule="agent_logs.tool_without_end",
                error=REFUSED if has_no else None,
                is_cancelled=not has_no,
            )


def _classify_tool(
    tool: Event, result: str, decision: Event, owner: SubAgent | None
) -> Classification:
    call_id = tool.get(keys.CALL_IDS)
    facts = Facts(
        input=tool.get(keys.ARGUMENTS),
        output=result,
        tool_name=tool_name(tool),
        agent_name=owner.name if owner is not None else "",
        metadata={**({CALL_ID: call_id} if call_id else {}), **decision_of(decision)},
    )
    return Classification(
        Kind.TOOL,
        "agent_logs.tool",
        inside=owner.step_id or None if owner is not None else None,
        facts=facts,
        error=tool_error(tool, result),
        is_cancelled=tool.attributes.get("status", "").lower() in ("cancelled", "canceled"),
    )
