"""Reads the steps of one agent in an ATIF trajectory, and the steps of its subagents."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.atif.conventions import AGENT_VERSION, HEARD, UNKNOWN, root_id_in
from spanloom.core.exchange.atif.members import (
    chat_content,
    extra_of,
    message_call,
    references_in,
    results_of,
    step_times,
    text_in,
)
from spanloom.core.exchange.atif.steps_in import StepsOfAgent
from spanloom.core.exchange.atif.unread import note_unread_of_agent, note_unread_of_step
from spanloom.core.exchange.drafts import DraftStep
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code
from spanloom.core.formats.readers import a_list, a_text, an_object
from spanloom.core.formats.turns import text_of
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.exchange.atif.steps_in import Run
    from spanloom.core.formats.json_bytes import Json

_SOURCES = frozenset({"system", "user", "agent"})
_NAMELESS = "agent"


def add_agent(run: Run, agent_id: str, under: DraftStep, step: DraftStep | None = None) -> None:
    """Add the steps of an embedded agent as children of ``step``.

    If ``step`` is ``None``, the agent first gets a step of its own, which is a child of ``under``.
    """
    if agent_id not in run.embedded:
        return
    where, trajectory = run.embedded.pop(agent_id)
    reading = AgentReading(run, trajectory, where)
    if step is None:
        step = reading.below(agent_id, under)
    reading.read_steps(step)


class AgentReading:
    """Reads one agent's ATIF trajectory into draft steps."""

    def __init__(self, run: Run, trajectory: Json, where: str) -> None:
        """Read name, version and model of the agent.

        ``where`` is the prefix for paths in errors and losses; empty, or with a dot at the end.
        """
        self._run, self._where, self._trajectory = run, where, trajectory
        self._steps = a_list(trajectory.get("steps"), f"{where}steps")
        about = an_object(trajectory.get("agent"), f"{where}agent")
        note_unread_of_agent(trajectory, about, run.losses, where)
        self.name = a_text(about.get("name"), f"{where}agent.name") or _NAMELESS
        model, version = about.get("model_name"), about.get("version")
        self._added = StepsOfAgent(
            run, model if isinstance(model, str) else "", about.get("tool_definitions")
        )
        self.metadata = {"agent_name": self.name}
        if isinstance(version, str) and version not in ("", UNKNOWN):
            self.metadata[AGENT_VERSION] = version
        self._answer = ""

    def read_root(self) -> DraftStep:
        """Add the root agent and its steps to the run; return the root's step."""
        own = root_id_in(self._trajectory)
        root = DraftStep(self._run.new_id("", own), "", Kind.AGENT, self.name)
        root.metadata = self.metadata
        self._run.add(root)
        if not self._steps:
            raise InvalidRequestError("steps: there are none")
        times = self.read_steps(root)
        root.start_ms, root.duration_ms = times[0], times[-1] - times[0]
        root.output = self._answer
        return root

    def below(self, agent_id: str, under: DraftStep) -> DraftStep:
        """Add a step for this agent as a child of ``under``, and return the new step."""
        step = DraftStep(
            self._run.new_id(f"{self._where}agent", agent_id), under.id, Kind.AGENT, self.name
        )
        times = step_times(self._steps, under.start_ms)
        step.start_ms, step.duration_ms = times[0], times[-1] - times[0]
        self._run.add(step)
        return step

    def read_steps(self, agent: DraftStep) -> Sequence[int]:
        """Add the agent's steps; return their start times in ms, and its end time last."""
        agent.metadata = {**agent.metadata, **self.metadata}
        times = step_times(self._steps, agent.start_ms)
        last = at = 0
        for at, item in enumerate(self._steps):
            where = f"{self._where}steps.{at}"
            step = an_object(item, where)
            note_unread_of_step(step, self._run.losses, where)
            source = a_text(step.get("source"), f"{where}.source")
            if source not in _SOURCES:
                raise InvalidRequestError(f"{where}.source: {source[:40]!r} is unknown")
            if source != "agent" or step.get("is_copied_context") is True:
                self._hear(step, where)
                last = times[at]
                if source == "user" and not agent.input and not agent.parent_id:
                    agent.input = text_of(self._added.heard[-1].get("content"))
            else:
                self._read_agent_step(agent, step, where, times[at : at + 2])
        if self._added.heard:
            path = f"{self._where}steps.{at}.unanswered"
            self._added.add_model(agent, path, {}, [last, last], "")
        return times

    def _hear(self, step: Json, where: str) -> None:
        """Store the message of a step, with any results, as input for the next model step."""
        extra = extra_of(step)
        role = {"agent": "assistant", "system": "system"}.get(step["source"], "user")
        if role == "system" and extra.get("role") == "developer":
            role = "developer"
        content = chat_content(step.get("message"), f"{where}.message")
        self._added.heard.append({"role": role, "content": content})
        for at, result in enumerate(results_of(step, where)):
            text = text_in(result.get("content"), f"{where}.observation.results.{at}.content")
            self._added.heard.append(
                {"role": role if role != "assistant" else "tool", "content": text}
            )

    def _read_agent_step(
        self, agent: DraftStep, step: Json, where: str, times: Sequence[int]
    ) -> None:
        calls = [
            an_object(call, f"{where}.tool_calls.{at}")
            for at, call in enumerate(a_list(step.get("tool_calls") or [], f"{where}.tool_calls"))
        ]
        results = list(results_of(step, where))
        if step.get("llm_call_count") == 0 and (calls or results):
            self._read_dispatch(agent, step, calls, results, where, times)
            return
        output = self._output(step, calls, where)
        if output:
            self._answer = text_of(chat_content(step.get("message"), where)) or self._answer
        self._added.add_model(agent, where, step, times, output)
        after = [times[-1]] * 2
        names = {str(call.get("tool_call_id")): call for call in calls}
        answered = {str(result.get("source_call_id")) for result in results}
        unnamed = deque(c for c in calls if str(c.get("tool_call_id")) not in answered)
        for at, result in enumerate(results):
            given = result.get("source_call_id")
            call = names.get(str(given)) if given is not None else None
            if call is None and given is None and unnamed:
                call = unnamed.popleft()
            path = f"{where}.observation.results.{at}"
            if HEARD in extra_of(result):
                self._hear_result(result, path)
                continue
            tool = self._added.add_tool(agent, path, call, result, after, called=call is not None)
            for agent_id in references_in(result, path):
                add_agent(self._run, agent_id, tool)
        self._run.losses.note(Code.CALL_UNPAIRED, where, len(unnamed))

    def _hear_result(self, result: Json, where: str) -> None:
        content = chat_content(result.get("content"), f"{where}.content")
        call_id = str(result.get("source_call_id"))
        self._added.heard.append({"role": "tool", "tool_call_id": call_id, "content": content})

    def _output(self, step: Json, calls: Sequence[Json], where: str) -> str:
        """Return the output of a model step; empty if it has no text and no calls."""
        message: Json = {
            "role": "assistant",
            "content": chat_content(step.get("message"), f"{where}.message"),
        }
        thoughts = step.get("reasoning_content")
        if isinstance(thoughts, str) and thoughts:
            message["reasoning_content"] = thoughts
        if calls:
            message["tool_calls"] = [message_call(call) for call in calls]
        return dump([message]).decode() if message["content"] or len(message) > 2 else ""

    def _read_dispatch(  # one parameter per member of a step
        self,
        agent: DraftStep,
        step: Json,
        calls: Sequence[Json],
        results: Sequence[Json],
        where: str,
        times: Sequence[int],
    ) -> None:
        """Add tools and agents from a step that runs them without a model call."""
        by_id: dict[str, Json] = {}
        for result in results:
            by_id.setdefault(str(result.get("source_call_id")), result)
        extra = extra_of(step)
        for at, call in enumerate(calls):
            result = by_id.pop(str(call.get("tool_call_id")), {})
            path = f"{where}.tool_calls.{at}"
            own = {**extra, **extra_of(result)} if len(calls) == 1 else extra_of(result)
            result = {**result, "extra": own}
            found = self._added.add_tool(agent, path, call, result, times, called=False)
            references = references_in(result, path)
            known = next((one for one in references if one in self._run.embedded), None)
            if known is not None or own.get("type") == "agent":
                found.kind, found.metadata = Kind.AGENT, {"agent_name": found.name}
            if known is not None:
                add_agent(self._run, known, found, found)
        for result in by_id.values():
            self._added.add_tool(
                agent, f"{where}.{len(self._added.ids)}", None, result, times, called=False
            )
