"""Makes a draft from the lines of a run, of which the first has the root agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions import imported as carried
from spanloom.core.conventions.invariant import CALL_ID, PARTS, SOURCE
from spanloom.core.conventions.invariant_addresses import Addresses
from spanloom.core.conventions.listed_messages import (
    HISTORY,
    OMITTED,
    steps_of,
    text_of,
    time_ns,
    unnamed_calls,
)
from spanloom.core.exchange.drafts import Draft, DraftStep
from spanloom.core.exchange.ids import note_made, step_id_of
from spanloom.core.exchange.invariant.scores import scores_of
from spanloom.core.exchange.times import filled
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.conventions.listed_messages import ListedStep
    from spanloom.core.exchange.invariant.lines import Line
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.readers import Reading

_UNNAMED = "agent"
_STEPS = ("assistant", "tool")


class _Agent(NamedTuple):
    """An agent, its steps, and the time at which it ended."""

    steps: list[DraftStep]
    end_ms: int
    listed: Sequence[ListedStep]
    """The steps in the line's messages, parallel to ``steps[1:]``; ``steps[0]`` is the agent."""

    def addresses(self, line: Line) -> Addresses:
        """Return the addresses that annotations of this line can have, with their steps."""
        return Addresses(line.messages, self.listed, [step.id for step in self.steps[1:]])


def draft_of(lines: Sequence[Line], trace_id: str, reading: Reading) -> Draft:
    """Make a draft of a run; count losses in ``reading``."""
    first = lines[0]
    _note_losses(lines, reading.losses)
    note_made(trace_id, first.source, "metadata.trace_id", reading.losses)
    steps: list[DraftStep] = []
    parent, start_ms = "", 0
    name = first.metadata.get("name")
    if isinstance(name, str) and name != first.metadata.get("agent", name):
        parent = step_id_of(trace_id, "")
        steps.append(DraftStep(parent, "", Kind.OTHER, name))
    taken = {parent}
    for at, line in enumerate(lines):
        agent = _agent(line, at, trace_id, parent, start_ms, taken)
        if line.annotations:
            run = trace_id, agent.end_ms
            reading.scores += scores_of(line, agent.addresses(line), run, reading.losses)
        steps += agent.steps
        start_ms = agent.end_ms + 1
        parent = parent or agent.steps[0].id
    named = {str(message.get("tool_call_id")) for line in lines for message in line.messages}
    for at, step in enumerate(steps):
        note_made(step.id, step.id if step.id in named else "", f"steps.{at}", reading.losses)
    root, *others = steps
    _settle_root(root, others, start_ms - 1)
    known = {"source_id": first.source} if first.source not in ("", trace_id) else {}
    extras = {"metadata": known} if known else {}
    return Draft(trace_id, reading.project, reading.format, steps, extras)


def _agent(
    line: Line, number: int, trace_id: str, parent_id: str, start_ms: int, taken: set[str]
) -> _Agent:
    agent_id = step_id_of(trace_id, f"{number}")
    times = _times(line.messages, start_ms)
    ids = [step_id_of(trace_id, f"{number}.{at}") for at in range(len(line.messages))]
    label = line.metadata.get("agent", line.metadata.get("name"))
    name = label if isinstance(label, str) else _UNNAMED
    metadata = {"agent_name": name}
    if line.metadata:
        metadata[SOURCE] = dump(line.metadata).decode()
    begin, end = (times[0], times[-1]) if times else (start_ms, start_ms)
    question = _first_text(line.messages, "user")
    answer = _first_text(reversed(line.messages), "assistant")
    fields = (agent_id, parent_id, Kind.AGENT, name, question, answer)
    agent = DraftStep(*fields, begin, end - begin, metadata=metadata)
    steps: list[DraftStep] = []
    taken |= {agent_id, *ids}
    listed = list(steps_of(line.messages, ids.__getitem__))
    for step in listed:
        step_id = ids[step.at] if step.is_paired else _own_id(trace_id, ids[step.at], step, taken)
        taken.add(step_id)
        steps.append(_step(step, step_id, agent_id, times[step.at]))
    return _Agent([agent, *steps], end, listed)


def _own_id(trace_id: str, fallback: str, step: ListedStep, taken: set[str]) -> str:
    """Return the id of a step: its tool call id if that is a valid step id, or ``fallback``."""
    own = step_id_of(trace_id, "", step.call_id, taken)
    return own if own == step.call_id else fallback


def _step(step: ListedStep, step_id: str, agent_id: str, start_ms: int) -> DraftStep:
    is_tool = step.kind is Kind.TOOL
    metadata = {"tool_name": step.name} if is_tool else {HISTORY: OMITTED}
    if step.is_paired:
        metadata["tool_call_id"] = step.call_id
    elif step.call_id not in ("", step_id):
        metadata[CALL_ID] = step.call_id
    if step.is_parts:
        metadata[PARTS] = "true"
    shown = (step.kind, step.name or "chat", step.input, step.output)
    return DraftStep(step_id, agent_id, *shown, start_ms, metadata=metadata)


def _times(messages: Sequence[Json], start_ms: int) -> Sequence[int]:
    """Return a time for each message in ms since the epoch, not before ``start_ms``."""
    known = (time_ns(message) for message in messages)
    times = filled([None if ns is None else ns // carried.NS_PER_MS for ns in known], start_ms)
    return [max(start_ms, time) for time in times]


def _settle_root(root: DraftStep, others: Sequence[DraftStep], end_ms: int) -> None:
    """Extend the root to the last end; a root that is no agent gets the first agent's texts."""
    if root.kind is Kind.OTHER:
        root.input, root.output, root.start_ms = (
            others[0].input,
            others[0].output,
            others[0].start_ms,
        )
    root.duration_ms = end_ms - root.start_ms


def _first_text(messages: Iterable[Json], role: str) -> str:
    return next((text_of(m.get("content")) for m in messages if m["role"] == role), "")


def _note_losses(lines: Sequence[Line], losses: Losses) -> None:
    for at, line in enumerate(lines):
        where = f"agent_steps.{at}"
        losses.note(Code.SCORES_DROPPED, where, line.unread)
        losses.note(Code.METADATA_DROPPED, where, line.dropped)
        steps = sum(message["role"] in _STEPS for message in line.messages)
        losses.note(Code.DURATION_UNKNOWN, where, steps)
        losses.note(Code.CALL_ID_MADE, where, sum(map(unnamed_calls, line.messages)))
