"""Reads sub-agents from events, and assigns model calls and tools to them.

An event belongs to the sub-agent that it names, or whose prompt id it has. The name in a tool's
event does not count, because it may be that of a sub-agent that the tool runs. A tool without a
sub-agent's prompt id belongs to a sub-agent that was running at that time and has no known prompt
ids, unless the tool itself runs a sub-agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_records import What
from spanloom.core.values.attributes import json_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.conventions.agent_events import Event

MAX_AGENTS = 200
"""The maximum number of sub-agents that are read per run."""
LAUNCHERS = frozenset({"agent", "task", "invoke_agent", "spawn_agent", "subagent", "delegate"})
"""Names of tools that run a sub-agent."""
_TYPES = ("subagent_type", "agent_type", "agent_name", "subagent_name", "subagent")
"""Arguments of the tools in ``LAUNCHERS`` that name the sub-agent."""


class SubAgent(NamedTuple):
    """One run of a sub-agent."""

    name: str
    start_ns: int
    end_ns: int
    start: Event | None
    end: Event | None
    prompt_ids: frozenset[str] = frozenset()

    @property
    def step_id(self) -> str:
        """The span id of the record that becomes the agent's step; empty if there is none."""
        bare = (e.holder.span_id for e in (self.start, self.end) if e is not None and e.is_bare)
        return next(bare, "")


def list_sub_agents(events: Iterable[Event]) -> Sequence[SubAgent]:
    """Return the sub-agents that events report, in order of their start."""
    known = list(events)
    found: list[SubAgent] = []
    waiting: list[Event] = []
    for event in known:
        if len(found) >= MAX_AGENTS:
            break
        if event.what is What.STARTED:
            waiting = [*waiting[-MAX_AGENTS:], event]
        elif event.what is What.FINISHED:
            start = next((s for s in waiting if is_same_agent(s, event)), None)
            if start is not None:
                waiting.remove(start)
            found.append(_run(start, event))
    latest = max((e.time_ns for e in known), default=0)
    found += [_run(start, None, latest) for start in waiting]
    return [_with_prompts(agent, known) for agent in sorted(found, key=lambda a: a.start_ns)]


def _run(start: Event | None, end: Event | None, latest_ns: int = 0) -> SubAgent:
    names = (e.get(keys.AGENTS) for e in (end, start) if e is not None)
    start_ns = start.time_ns if start is not None else 0
    if end is not None:
        return SubAgent(
            next(filter(None, names), ""), start_ns or end.start_ns, end.time_ns, start, end
        )
    return SubAgent(next(filter(None, names), ""), start_ns, latest_ns, start, end)


def is_same_agent(start: Event, end: Event) -> bool:
    """Return whether two events have the same agent id or, if an id is missing, the same name."""
    ours, theirs = start.attributes.get("agent_id", ""), end.attributes.get("agent_id", "")
    if ours and theirs:
        return ours == theirs
    return start.get(keys.AGENTS) == end.get(keys.AGENTS)


def _with_prompts(agent: SubAgent, events: Iterable[Event]) -> SubAgent:
    ids = {e.get(keys.PROMPT_IDS) for e in events if agent.name and _names(e, agent)}
    main = {e.get(keys.PROMPT_IDS) for e in events if e.what is What.PROMPT}
    return agent._replace(prompt_ids=frozenset(ids - main - {""}))


def _names(event: Event, agent: SubAgent) -> bool:
    is_call = event.what in (What.REQUEST, What.RESPONSE, What.FAILURE)
    is_during = agent.start_ns <= event.time_ns <= agent.end_ns
    return is_call and is_during and event.get(keys.AGENTS) == agent.name


def owner_of(event: Event, agents: Sequence[SubAgent]) -> SubAgent | None:
    """Return the innermost sub-agent of an event; ``None`` for the main agent."""
    start_ns, end_ns = event.start_ns, event.time_ns
    during = [a for a in agents if a.start_ns <= start_ns and end_ns <= a.end_ns]
    name = "" if event.what is What.TOOL else event.get(keys.AGENTS)
    if name:  # a tool may name the agent that it runs
        named = [a for a in agents if a.name == name and a.start_ns <= end_ns]
        return _last(a for a in during if a.name == name) or _last(named)
    own_id = event.get(keys.PROMPT_IDS)
    if own := [a for a in agents if own_id in a.prompt_ids]:
        return _last(own)
    if event.what is not What.TOOL or is_launcher(event):
        return None
    return _last(a for a in during if not a.prompt_ids)


def _last(agents: Iterable[SubAgent]) -> SubAgent | None:
    return max(agents, key=lambda a: a.start_ns, default=None)


def is_launcher(tool: Event) -> bool:
    """Return whether a tool runs a sub-agent, as its name or arguments show."""
    name = tool.get(keys.TOOLS).lower()
    return name in LAUNCHERS or bool(agent_in(tool.get(keys.ARGUMENTS)))


def agent_in(arguments: str) -> str:
    """Return the name of the sub-agent in the arguments of a tool; empty if there is none."""
    fields = json_object(arguments) if "agent" in arguments else {}
    names = (fields.get(key) for key in _TYPES)
    return next((name for name in names if isinstance(name, str) and name), "")


def prompt_in(arguments: str) -> str:
    """Return the prompt for a sub-agent in a tool's arguments; empty if they have none."""
    prompt = json_object(arguments).get("prompt") if "prompt" in arguments else ""
    return prompt if isinstance(prompt, str) else ""


def launcher_of(agent: SubAgent, tools: Iterable[Event]) -> Event | None:
    """Return the tool that ran a sub-agent: the last-started tool that encloses it in time."""
    around = [
        tool
        for tool in tools
        if is_launcher(tool) and tool.start_ns <= agent.start_ns and agent.end_ns <= tool.time_ns
    ]
    return max(around, key=lambda tool: tool.start_ns, default=None)
