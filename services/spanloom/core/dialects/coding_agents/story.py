"""Classifies a trace's bare spans: log records of coding agents that belong to no span.

The record of the first prompt becomes the agent step; a model call has two records, its request and
its end; a tool run has one record; a sub-agent has two records, its start and its end. Records of
steps that spans already report do not become steps again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_events import is_bare, name_of, read_events
from spanloom.core.conventions.agent_records import What
from spanloom.core.conventions.usage_repair import with_cached
from spanloom.core.dialects.coding_agents.answers import read_body, read_chunks
from spanloom.core.dialects.coding_agents.arrange import is_made_root
from spanloom.core.dialects.coding_agents.calls import (
    SOURCES,
    Call,
    error_of,
    is_aside,
    is_failure,
    pair_calls,
)
from spanloom.core.dialects.coding_agents.reported import (
    find_call,
    has_agents,
    index_calls,
)
from spanloom.core.dialects.coding_agents.story_tools import (
    REPEATED,
    classify_tools,
    classify_unfinished,
)
from spanloom.core.dialects.coding_agents.sub_agents import (
    SubAgent,
    launcher_of,
    list_sub_agents,
    owner_of,
    prompt_in,
)
from spanloom.core.dialects.coding_agents.unreported import notes_of, read_place
from spanloom.core.model.span import ASIDE, Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import decimal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.model.span import Span
    from spanloom.core.model.step import Usage
    from spanloom.core.model.tree import SpanTree

_OF_A_RUN = ".fragment"
"""Suffix of rule names of roots whose trace may hold only a part of a run."""
_FRAGMENT = Classification(Kind.OTHER, "agent_logs.fragment", is_sound=True)
_RUN = Classification(Kind.AGENT, "agent_logs.run.fragment")
_RECORD = Classification(Kind.OTHER, "agent_logs.record", is_sound=True)
_CALL = Classification(Kind.MODEL, "agent_logs.call")
_WITHOUT_END = Classification(Kind.MODEL, "agent_logs.call_without_end", is_cancelled=True)
_PART = Classification(Kind.OTHER, "agent_logs.part_of_call", is_sound=True)
_EXCLUDES_CACHED = "claude_code."
"""Prefix of the names of events whose input tokens exclude cached tokens."""


def read_story(tree: SpanTree) -> Mapping[str, Classification]:
    """Return the classification of each log record that is a span of its own, keyed by span id."""
    events = read_events(tree)
    agents = () if has_agents(tree) else list_sub_agents(events)
    known: dict[str, Classification] = {}
    calls = pair_calls(events)
    _classify_calls(calls, tree, agents, known)
    classify_tools(events, tree, agents, known)
    classify_unfinished(events, tree, agents, known)
    _classify_agents(agents, events, known)
    bare = [span for span in tree.spans if is_bare(span)]
    found = {span.span_id: known.get(span.span_id, _RECORD) for span in bare}
    root = tree.root
    if root.span_id in found:
        found[root.span_id] = _classify_root(root, events, calls, agents, found[root.span_id])
    return found


def _classify_root(
    root: Span,
    events: Sequence[Event],
    calls: Sequence[Call],
    agents: Sequence[SubAgent],
    known: Classification,
) -> Classification:
    """Return the root's classification: as the run's agent, or as its own step or fragment.

    It is the agent if it is the first prompt or was created; otherwise ``known`` classifies it.
    """
    prompt = next((e for e in events if e.what is What.PROMPT), None)
    is_prompt = prompt is not None and prompt.holder.span_id == root.span_id
    if not is_prompt and not is_made_root(root):
        return (
            _FRAGMENT if known.kind is Kind.OTHER else known._replace(rule=known.rule + ".fragment")
        )
    own = [c for c in calls if owner_of(c.main, agents) is None and not is_aside(c.get(SOURCES))]
    answers = [text for c in own if (text := _received(c)) and not text.startswith("[")]
    facts = Facts(
        input=prompt.text(keys.PROMPTS) if prompt is not None else "",
        output=answers[-1] if answers and own[-1].has_ended else "",
        agent_name=root.service_name or name_of(root).partition(".")[0],
        metadata=read_place(e.attributes for e in events),
        notes=notes_of(events[0].name) if events else (),
    )
    return _RUN._replace(facts=facts)


def _classify_calls(
    calls: Sequence[Call],
    tree: SpanTree,
    agents: Sequence[SubAgent],
    known: dict[str, Classification],
) -> None:
    spans = index_calls(tree)
    for call in calls:
        bare = [e for e in call.events if e.is_bare]
        if not bare:
            continue
        if spans and any(find_call(e, spans) is not None for e in call.events):
            known.update((e.holder.span_id, REPEATED) for e in bare)
            continue
        if call.request is None and not is_failure(call.main) and (spans or not call.usage):
            continue  # the call's request is in another run, or missing
        step = call.main if call.main.is_bare else bare[0]
        known.update((e.holder.span_id, _PART) for e in bare)
        if call.request is not None or not _is_counted_only(call.main):
            known[step.holder.span_id] = _classify_call(call, owner_of(step, agents))


def _is_counted_only(event: Event) -> bool:
    """Return whether an event only counts the tokens of a model call without a recorded request."""
    return event.name.endswith("sse_event")


def _classify_call(call: Call, owner: SubAgent | None) -> Classification:
    main = call.main
    facts = Facts(
        input=_sent(call),
        output=_received(call),
        model=call.get(keys.MODELS),
        first_token_ms=decimal(call.get(keys.FIRST_TOKENS)),
        agent_name=owner.name if owner is not None else "",
        total_tokens=main.total,
        metadata={
            **({"reported_cost": cost} if (cost := call.get(keys.COSTS)) else {}),
            **({ASIDE: "true"} if is_aside(call.get(SOURCES)) else {}),
        },
    )
    return (_CALL if call.has_ended else _WITHOUT_END)._replace(
        inside=owner.step_id or None if owner is not None else None,
        usage=_usage(call),
        facts=facts,
        error=error_of(call.end or main) if is_failure(call.end or main) else None,
    )


def _usage(call: Call) -> Usage | None:
    usage = call.usage
    is_net = call.main.name.startswith(_EXCLUDES_CACHED)
    return with_cached(usage) if usage is not None and is_net else usage


def _sent(call: Call) -> str:
    if call.sent:
        return read_body(call.sent, "sent")
    return call.request.get(keys.SENT) if call.request is not None else ""


def _received(call: Call) -> str:
    """Return a model call's answer from its response body, its answer event, or its end event."""
    if call.received:
        return read_body(call.received, "received")
    if call.answer:
        return call.answer
    end = call.end
    return "" if end is None or is_failure(end) else read_chunks(end.text(keys.RECEIVED))


def _classify_agents(
    agents: Sequence[SubAgent], events: Sequence[Event], known: dict[str, Classification]
) -> None:
    tools = [e for e in events if e.what is What.TOOL]
    for agent in agents:
        if not agent.step_id:
            continue
        tool = launcher_of(agent, tools)
        facts = Facts(
            input=prompt_in(tool.get(keys.ARGUMENTS)) if tool is not None else "",
            output=agent.end.get(("result", "output", "response")) if agent.end else "",
            agent_name=agent.name,
        )
        inside = tool.holder.span_id if tool is not None and tool.is_bare else None
        if tool is None:  # the program itself started the agent
            facts.metadata = {ASIDE: "true"}
        known[agent.step_id] = Classification(
            Kind.AGENT, "agent_logs.sub_agent", inside=inside, facts=facts
        )
