"""Writes one agent and its steps as members of an ATIF trajectory."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

from spanloom.core.document import AGENT
from spanloom.core.exchange.atif.conventions import AGENT_VERSION, CALL, HEARD, RAW, UNKNOWN
from spanloom.core.exchange.atif.steps import (
    content_of,
    error_in,
    metrics_of,
    observed,
    time_of,
    totals_of,
)
from spanloom.core.exchange.messages.writing import tools_of
from spanloom.core.formats.conversation import conversation
from spanloom.core.formats.json_bytes import as_text
from spanloom.core.formats.losses import Code
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.document import DocumentAgent, DocumentStep
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.turns import Turn

_SOURCES = {"system": "system", "developer": "system"}


class AgentWriting:
    """Writes one agent and its steps in ATIF."""

    def __init__(self, agent: DocumentAgent, known: set[str], losses: Losses) -> None:
        """Write the steps; ``known``: ids of the agents that get their own ATIF trajectory."""
        self.agent = agent
        self.referred: set[str] = set()
        """Ids of the agents to which steps refer."""
        self._known, self._losses = known, losses
        self.steps: list[Json] = []
        self._model_calls = 0
        self._called: list[str] = []
        """The names of the models that were called, without unknown names."""
        self._metrics: list[Json] = []
        self._emitted: set[str] = set()
        self._parents: dict[str, str] = {}
        self._callers: defaultdict[str, deque[tuple[Json, str]]] = defaultdict(deque)
        """For the id of each call without a result: the step with the call, and the function."""
        self._write()

    def _write(self) -> None:
        turns: defaultdict[str, list[Turn]] = defaultdict(list)
        for turn in conversation(self.agent, self._losses):
            turns[turn.step_id].append(turn)
        for step in self.agent.steps:
            self._parents[step.id] = step.parent_id
            if step.type == "model":
                self._add_call(step, turns[step.id])
            elif step.type == "tool" and turns[step.id]:
                self._add_result(step, turns[step.id][0])
            elif step.type == AGENT:
                self.dispatch(step)
            elif step.type == "graph":
                continue
            self._emitted.add(step.id)

    def _add_call(self, step: DocumentStep, turns: Sequence[Turn]) -> None:
        """Add the messages new in a model step's input, then the step with its tool calls."""
        self._model_calls += 1
        time = time_of(step.started_at)
        answer: Json = {}
        arguments: Sequence[object] = ()
        for message, _, _, of_calls in turns:
            if message["role"] == "assistant":
                answer, arguments = message, of_calls
            elif message["role"] == "tool":
                self._add_heard_result(step, message)
            else:
                self._add_message(step, time, message)
        written = self._begin(time, "agent", answer.get("content", ""))
        written["llm_call_count"] = 1
        if model := step.model:
            written["model_name"] = model
            self._called.append(model)
        if thoughts := answer.get("reasoning_content"):
            written["reasoning_content"] = thoughts
        if calls := answer.get("tool_calls"):
            written["tool_calls"] = list(map(_call, calls, arguments))
            for call in written["tool_calls"]:
                self._callers[call["tool_call_id"]].append((written, call["function_name"]))
        if metrics := metrics_of(step):
            written["metrics"] = metrics
            self._metrics.append(metrics)
        named = {} if step.name == CALL else {"name": step.name}
        written["extra"] = {"step_id": step.id, **named, **self._parent(step), **error_in(step, "")}

    def _add_message(self, step: DocumentStep, time: str, message: Json) -> None:
        role = message["role"]
        if "name" in message:
            self._losses.note(Code.METADATA_DROPPED, step.id)
        content = content_of(message["content"], step.id, self._losses)
        written = self._begin(time, _SOURCES.get(role, "user"), content)
        if role == "developer":
            written["extra"] = {"role": role}

    def _add_heard_result(self, step: DocumentStep, message: Json) -> None:
        """Add a tool result that occurs only in a model's input."""
        content = content_of(message["content"], step.id, self._losses)
        call_id = str(message.get("tool_call_id") or "")
        if caller := self._caller(call_id, str(message.get("name"))):
            extra = {HEARD: True}
            observed(caller[0], {"source_call_id": call_id, "content": content, "extra": extra})

    def _add_result(self, step: DocumentStep, turn: Turn) -> None:
        """Add a tool's result to the step that called the tool, otherwise as a separate step."""
        call_id = turn.message["tool_call_id"]
        content = turn.message["content"]
        if (caller := self._caller(call_id, step.name)) is None:
            self._add_without_call(step, _arguments(step), content)
            return
        named = {} if step.name == caller[1] else {"name": step.name}
        extra = {"step_id": step.id, **named, **self._parent(step), **error_in(step, content)}
        observed(caller[0], {"source_call_id": call_id, "content": content, "extra": extra})

    def _caller(self, call_id: str, name: str) -> tuple[Json, str] | None:
        """Remove and return a call's step and function, preferably ``name``; ``None`` if none."""
        callers = self._callers.get(call_id)
        if not callers:
            return None
        at = next((at for at, (_, function) in enumerate(callers) if function == name), 0)
        found = callers[at]
        del callers[at]
        return found

    def dispatch(self, agent: DocumentStep) -> None:
        """Add a step that ran another agent without a model call."""
        content = agent.output or agent.error_message
        written = self._add_without_call(agent, {"input": agent.input}, content)
        if agent.id in self._known:
            self.referred.add(agent.id)
            result = written["observation"]["results"][0]
            result["subagent_trajectory_ref"] = [{"trajectory_id": agent.id}]
        else:
            written["extra"]["type"] = AGENT

    def _add_without_call(self, step: DocumentStep, arguments: Json, content: str) -> Json:
        """Add a step for a tool or agent that no model called."""
        call = {"tool_call_id": step.id, "function_name": step.name, "arguments": arguments}
        written = self._begin(time_of(step.started_at), "agent", "")
        written["llm_call_count"] = 0
        written["tool_calls"] = [call]
        written["extra"] = {"step_id": step.id, **self._parent(step), **error_in(step, content)}
        observed(written, {"source_call_id": step.id, "content": content})
        return written

    def _parent(self, step: DocumentStep) -> Json:
        """Return ``parent_id`` of the nearest written ancestor; ``{}`` if that is the agent."""
        if (above := step.parent_id) in self._emitted:
            return {"parent_id": above}
        for _ in self._parents:
            if above in self._emitted or above not in self._parents:
                break
            above = self._parents[above]
        if step.parent_id in self._parents:
            self._parents[step.parent_id] = above  # siblings find it without a search
        return {"parent_id": above} if above in self._emitted else {}

    def _begin(self, time: str, source: str, message: object) -> Json:
        """Add a step with its first members, and return it for completion."""
        written: Json = {"step_id": len(self.steps) + 1}
        if time:
            written["timestamp"] = time
        written["source"] = source
        written["message"] = message
        self.steps.append(written)
        return written

    def body(self) -> Json:
        """Return the agent and its steps as members of an ATIF trajectory."""
        version = self.agent.metadata.get(AGENT_VERSION) or UNKNOWN
        about: Json = {"name": self.agent.name, "version": version}
        if self._called and len(self._called) == self._model_calls:
            about["model_name"] = self._called[0]
        if tools := tools_of(self.agent, self._losses):
            about["tool_definitions"] = tools
        return {"agent": about, "steps": self.steps}

    def totals(self) -> Json:
        """Return the sums over the model calls that this agent itself made."""
        return totals_of(self._metrics, len(self.steps))

    @property
    def cost(self) -> float | None:
        """The sum of the known costs of this agent's model calls; ``None`` if none is known."""
        costs = [one["cost_usd"] for one in self._metrics if "cost_usd" in one]
        return sum(costs) if costs else None

    @property
    def first_request(self) -> str:
        """The text of the first user message."""
        found = (step["message"] for step in self.steps if step["source"] == "user")
        first = next(found, "")
        return first if isinstance(first, str) else ""

    @property
    def last_answer(self) -> str:
        """The text of the last model output."""
        calls = (s for s in reversed(self.steps) if s.get("llm_call_count") and s["message"])
        return next((str(step["message"]) for step in calls), "")


def _call(call: Json, arguments: object) -> Json:
    """Return a tool call in ATIF's form, with arguments that are an object."""
    raw = call.get("function")
    function = raw if isinstance(raw, dict) else {}
    if not isinstance(arguments, dict):
        text = as_text(function.get("arguments") or "")
        arguments = {RAW: text} if text else {}
    name = str(function.get("name") or "")
    return {"tool_call_id": call["id"], "function_name": name, "arguments": arguments}


def _arguments(step: DocumentStep) -> Json:
    value = json_value(step.input)
    return value if isinstance(value, dict) else {"input": step.input}
