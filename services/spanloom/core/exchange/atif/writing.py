"""Writes a run as a trajectory in ATIF 1.8 that also satisfies Harbor's stricter rules."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from typing import TYPE_CHECKING

from spanloom.core.conventions.listed_messages import HISTORY
from spanloom.core.document import AGENT
from spanloom.core.exchange.atif.steps import (
    content_of,
    error_in,
    metrics_of,
    observed,
    time_of,
    totals_of,
)
from spanloom.core.exchange.kept import (
    FLATTENED,
    OF_THE_SENDER,
    WHOLE,
    Kept,
    KeptOfStep,
    count_lost,
)
from spanloom.core.exchange.messages.writing import tools_of
from spanloom.core.formats.conversation import conversation
from spanloom.core.formats.json_bytes import as_text, dump
from spanloom.core.formats.losses import Code, NotHeldError
from spanloom.core.messages.steps import TOOL_DEFINITIONS
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.document import Document, DocumentAgent, DocumentStep
    from spanloom.core.formats.conversation import Turn
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.stored import Stored

VERSION = "ATIF-v1.8"
_ID = re.compile("[0-9a-f]{16}")
UNKNOWN = "unknown"
CALL = "chat"
"""The default name of a model step; any other name is written as ``extra.name``."""
AGENT_VERSION = "agent_version"
"""Key in an agent's metadata for the agent's version, if the source has it."""
RAW = "_raw"
"""Key for arguments that are not an object, which are wrapped because ATIF requires one."""
ROOT_ID = "step_id"
"""Key in a trajectory's ``extra`` for the id of its root, unless ``root_id_in`` can infer it."""
HEARD = "is_only_heard"
"""Key in the ``extra`` of a result that occurs only in a model's input, not as a tool step."""
_SOURCES = {"system": "system", "developer": "system"}
_SETTLED = "settled"
_OF_EXTRA = ("user_id", "environment", "release", "tags")
_AN_AGENT = KeptOfStep(WHOLE - {"duration"}, {"agent_name", AGENT_VERSION, "cost"})
_KEPT = Kept(
    OF_THE_SENDER,
    {
        "agent": _AN_AGENT,
        "graph": FLATTENED,
        "other": _AN_AGENT,
        "model": KeptOfStep(WHOLE - {"duration"}, {"model", "cost", HISTORY, TOOL_DEFINITIONS}),
        "tool": KeptOfStep(WHOLE - {"duration", "started_at"}, {"tool_name", "tool_call_id"}),
    },
)


def write(stored: Stored, losses: Losses) -> bytes:
    """Return a run as an ATIF trajectory; raises ``NotHeldError`` if no agent has steps."""
    document = stored.view
    agents = _agents(document)
    if not agents or document.root_type in ("model", "tool"):
        raise NotHeldError(Code.NO_AGENT, "no agent of the run has steps")
    main, *below = agents
    known = {agent.id for agent in below}
    main_agent = _Agent(main, known, losses)
    others = [_Agent(agent, known, losses) for agent in below]
    named = set().union(*(one.referred for one in (main_agent, *others)))
    for agent in below:
        if agent.id not in named:  # the document has no step with this id
            main_agent.dispatch(agent)
    count_lost(document, _KEPT, losses)
    return dump(_trajectory(document, main_agent, others))


def _agents(document: Document) -> Sequence[DocumentAgent]:
    """Return the agents with steps, each once, the root first."""
    by_id = {agent.id: agent for agent in document.agents if any(map(_is_held, agent.steps))}
    root_id = document.root.id
    return sorted(by_id.values(), key=lambda agent: agent.id != root_id)


def _is_held(step: DocumentStep) -> bool:
    return step.type in (AGENT, "model", "tool")


def _trajectory(document: Document, main: _Agent, others: Sequence[_Agent]) -> Json:
    extraction, usage = document.extraction, document.root.metrics_info
    metrics = main.totals()
    costs = [cost for one in (main, *others) if (cost := one.cost) is not None]
    if costs:
        metrics["total_cost_usd"] = sum(costs)
    metrics["extra"] = {
        "run_prompt_tokens": _count(usage.get("input_tokens")),
        "run_completion_tokens": _count(usage.get("output_tokens")),
    }
    trajectory: Json = {
        "schema_version": VERSION,
        "session_id": str(extraction.get("conversation_id") or document.id),
        "trajectory_id": document.id,
        **main.body(),
        "final_metrics": metrics,
    }
    if notes := _notes(extraction):
        trajectory["notes"] = notes
    if extra := _extra(document, main):
        trajectory["extra"] = extra
    if others:
        trajectory["subagent_trajectories"] = [
            {
                "schema_version": VERSION,
                "trajectory_id": one.agent.id,
                **one.body(),
                "final_metrics": one.totals() | _cost(one.cost),
            }
            for one in others
        ]
    own = _own(extraction)
    if continued := own.get(CONTINUED):
        trajectory[CONTINUED] = continued
    return trajectory


OF_STATUS = "the status of the run is "
"""First words of the note that is written for a run that is not settled."""
CONTINUED, NOTES = "continued_trajectory_ref", "notes"
"""Keys in a run's metadata whose values are written as ATIF members with the same names."""


def _own(extraction: Mapping[str, object]) -> Mapping[str, object]:
    own = extraction.get("metadata")
    return own if isinstance(own, dict) else {}


def _notes(extraction: Mapping[str, object]) -> str:
    kept, status = str(_own(extraction).get(NOTES, "")), extraction.get("status", _SETTLED)
    return kept or ("" if status == _SETTLED else f"{OF_STATUS}{status}")


def _extra(document: Document, main: _Agent) -> Json:
    """Return, for ``extra``, the facts about a run for which ATIF has no member."""
    extraction, root = document.extraction, document.root
    extra: Json = {name: extraction[name] for name in _OF_EXTRA if extraction.get(name)}
    own = {k: v for k, v in _own(extraction).items() if k not in (CONTINUED, NOTES)}
    if own:
        extra["metadata"] = own
    if root.type not in (AGENT, ""):
        extra["root_type"] = root.type
    texts = {"input": root.input, "output": root.output}
    derived = {"input": main.first_request, "output": main.last_answer}
    extra |= {name: text for name, text in texts.items() if text != derived[name]}
    if root_id_in({"steps": main.steps}) != root.id:
        extra[ROOT_ID] = root.id
    return extra | ({"error": dict(root.error)} if root.error else {})


def root_id_in(trajectory: Json) -> str:
    """Return the id of the root: from ``extra``, otherwise the first step's id less one.

    So the root's id need not be written if ids are consecutive. Empty if no step has an id.
    """
    about = trajectory.get("extra")
    own = about.get(ROOT_ID) if isinstance(about, dict) else None
    if isinstance(own, str):
        return own
    steps = (step for step in trajectory["steps"] if isinstance(step, dict))
    extras = (extra for step in steps if isinstance(extra := step.get("extra"), dict))
    first = next((one for extra in extras if (one := extra.get("step_id"))), "")
    is_id = isinstance(first, str) and _ID.fullmatch(first)
    return f"{max(int(first, 16) - 1, 0):016x}" if is_id else ""


class _Agent:
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
        """Remove and return the step and function of a call, preferably to the tool ``name``."""
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
        """Return ``parent_id``: the nearest written ancestor; empty if that is the agent itself."""
        if (above := step.parent_id) in self._emitted:
            return {"parent_id": above}
        for _ in self._parents:
            if above in self._emitted or above not in self._parents:
                break
            above = self._parents[above]
        if step.parent_id in self._parents:
            self._parents[step.parent_id] = above  # so that siblings need not search
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


def _cost(cost: float | None) -> Json:
    return {} if cost is None else {"total_cost_usd": cost}


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
