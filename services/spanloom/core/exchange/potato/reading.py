"""Reads the items of a Potato task as runs; each action is a tool call or an answer.

Items have no times, so each step starts a millisecond after the previous step
(``duration_unknown``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from spanloom.core.exchange.drafts import STEP_KINDS, Draft, DraftStep, complete
from spanloom.core.exchange.ids import note_made, step_id_of, trace_id_of
from spanloom.core.formats.json_bytes import as_text, dump
from spanloom.core.formats.losses import Code
from spanloom.core.formats.readers import EachAlone, a_list, a_text, an_object
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.readers import Reading

FORMAT = "potato"
STEPS, ACTION, TASK = "steps", "action", "task_description"
_CALL = re.compile(r"([\w.:/-]+)\((.*)\)", re.DOTALL)
"""Matches an action that is a tool call: ``search_web('SF weather')``."""
_NAMED_CALL = re.compile(r"([^(]+)\((.*)\)", re.DOTALL)
"""Matches a call in a step of type ``tool``; the tool's name may contain spaces."""
_AGENT = "agent"
_OWN = frozenset({"id", TASK, STEPS})


def fits(value: Any) -> bool:  # any JSON value
    """Return whether a value is an item whose steps, if any, have actions."""
    steps = value.get(STEPS) if isinstance(value, dict) and "id" in value else None
    if steps == []:
        return TASK in value
    first = steps[0] if isinstance(steps, list) else None
    return isinstance(first, dict) and ACTION in first and "step_type" not in first


def _read(value: Any, reading: Reading) -> Iterable[Json]:  # any JSON value
    item = an_object(value, "the item")
    source = str(item.get("id", ""))
    trace_id = trace_id_of(FORMAT, reading.project, source or dump(item).decode())
    reading.losses.trace_id = trace_id
    note_made(trace_id, source, "id", reading.losses)
    reading.losses.note(Code.DURATION_UNKNOWN, STEPS)
    task = item.get(TASK, "")
    steps = _Steps(trace_id, task if isinstance(task, str) else dump(task).decode(), reading)
    for at, step in enumerate(a_list(item.get(STEPS), STEPS)):
        steps.add(an_object(step, f"{STEPS}.{at}"), at)
    others = {str(k): v for k, v in item.items() if k not in _OWN}
    known = {k: v if isinstance(v, str) else dump(v).decode() for k, v in others.items()}
    extras = {"metadata": {**known, "source_id": source}} if source else {"metadata": known}
    yield complete(Draft(trace_id, reading.project, FORMAT, steps.whole(), extras))


POTATO = EachAlone(fits, _read)


class _Steps:
    """Collects the steps: the root is the first step's agent, other agents are its children."""

    def __init__(self, trace_id: str, task: str, reading: Reading) -> None:
        self._trace_id, self._task, self._losses = trace_id, task, reading.losses
        self._agents: dict[str, DraftStep] = {}
        self._steps: list[DraftStep] = []
        self._taken: set[str] = set()

    def add(self, step: Json, at: int) -> None:
        action = a_text(step.get(ACTION), f"{STEPS}.{at}.{ACTION}")
        agent = self._agent(str(step.get("agent") or _AGENT), at)
        is_tool = step.get("type") == Kind.TOOL
        call = (_NAMED_CALL if is_tool else _CALL).fullmatch(action)
        kind = STEP_KINDS.get(str(step.get("type")), Kind.TOOL if call else Kind.MODEL)
        if kind is Kind.TOOL:
            name, arguments = (call[1], call[2]) if call else (action, "")
            output = as_text(step.get("observation"))
        else:
            name, arguments, output = str(kind), "", action
        thought = as_text(step.get("thought"))
        if kind is Kind.MODEL:
            output = _answer(action, thought)
        elif kind is Kind.AGENT:
            name = action
        step_id = self._id(f"{STEPS}.{at}", str(step.get("step_id") or ""))
        self._steps.append(
            DraftStep(
                step_id,
                agent.id,
                kind,
                name,
                arguments,
                output,
                at,
                metadata={"thought": thought} if thought and kind is not Kind.MODEL else {},
            )
        )

    def _agent(self, name: str, at: int) -> DraftStep:
        if name not in self._agents:
            first = next(iter(self._agents.values()), None)
            parent, task = (first.id, "") if first else ("", self._task)
            step_id = self._id(f"agents.{len(self._agents)}", "")
            agent = DraftStep(step_id, parent, Kind.AGENT, name, task, start_ms=at)
            self._agents[name] = agent
        return self._agents[name]

    def _id(self, path: str, own: str) -> str:
        found = step_id_of(self._trace_id, path, own, self._taken)
        self._taken.add(found)
        note_made(found, own, path, self._losses)
        return found

    def whole(self) -> list[DraftStep]:
        """Return agents and steps; if there are no steps, an agent with the task's question."""
        agents = list(self._agents.values()) or [self._agent(_AGENT, 0)]
        agents[0].duration_ms = max(0, len(self._steps) - 1)
        return [*agents, *self._steps]


def _answer(action: str, thought: str) -> str:
    message = {"role": "assistant", "content": action}
    return dump([message | ({"reasoning_content": thought} if thought else {})]).decode()
