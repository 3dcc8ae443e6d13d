"""Reads the steps of one agent in an ATIF trajectory, and the steps of its subagents."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from spanloom.core.conventions.listed_messages import HISTORY, OMITTED
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.atif.steps import FIRST_TOKEN, ms_of
from spanloom.core.exchange.atif.writing import AGENT_VERSION, CALL, HEARD, RAW, UNKNOWN, root_id_in
from spanloom.core.exchange.drafts import MAX_STEPS, DraftStep, usage_of
from spanloom.core.exchange.ids import note_made, step_id_of
from spanloom.core.exchange.times import filled
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.conversation import text_of
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code
from spanloom.core.formats.readers import a_list, a_text, an_object
from spanloom.core.messages.steps import TOOL_DEFINITIONS
from spanloom.core.model.step import NO_CODE, StepError
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.model.step import Usage

OF_A_TRAJECTORY = frozenset(
    {
        *("schema_version", "session_id", "trajectory_id", "agent", "steps", "final_metrics"),
        *("notes", "extra", "subagent_trajectories", "continued_trajectory_ref"),
    }
)
_OF_AN_AGENT = frozenset({"name", "version", "model_name", "tool_definitions"})
_OF_A_STEP = frozenset(
    {
        *("step_id", "timestamp", "source", "message", "model_name", "reasoning_content"),
        *("tool_calls", "observation", "metrics", "extra", "llm_call_count", "is_copied_context"),
    }
)
_OF_A_CALL = frozenset({"tool_call_id", "function_name", "arguments"})
_OF_A_RESULT = frozenset({"source_call_id", "content", "subagent_trajectory_ref", "extra"})
_OBSERVED = frozenset({"results"})
_METRICS = frozenset({"prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd", "extra"})
_MORE_METRICS = frozenset({"reasoning_tokens", "cache_creation_tokens", FIRST_TOKEN})
_TOTALS = frozenset(
    {
        *("total_prompt_tokens", "total_completion_tokens", "total_cached_tokens"),
        *("total_cost_usd", "total_steps", "extra"),
    }
)
_OURS = frozenset(
    {
        *("step_id", "parent_id", "name", "role", "type", HEARD),
        *("is_error", "error_code", "error_message"),
    }
)
"""Members that this reader uses from the ``extra`` of a step or result."""
_SOURCES = frozenset({"system", "user", "agent"})
_NAMELESS = "agent"
_A_TOOL = "observation"
"""The default name for a tool if only its result is known, not its call."""


class Run:
    """Collects the steps of a run while its agents are read."""

    def __init__(
        self, trace_id: str, losses: Losses, embedded: dict[str, tuple[str, Json]]
    ) -> None:
        """Start without steps."""
        self.trace_id, self.losses = trace_id, losses
        self.embedded = embedded
        """The trajectories of agents that no step has referred to yet, with their paths."""
        self.steps: list[DraftStep] = []
        self.totals = [0, 0]
        """Input and output tokens of the root agent's own calls."""
        self._taken: set[str] = set()

    def new_id(self, path: str, own: object) -> str:
        """Return the id for a step: ``own`` if it is a valid unused span id, otherwise a hash."""
        source = own if isinstance(own, str) else ""
        step_id = step_id_of(self.trace_id, path, source, self._taken)
        note_made(step_id, source, path or "agent", self.losses)
        return step_id

    def add(self, step: DraftStep) -> None:
        """Add a step; raise ``InvalidRequestError`` above ``MAX_STEPS``."""
        if len(self.steps) >= MAX_STEPS:
            raise InvalidRequestError(f"steps: there are more than {MAX_STEPS:,}")
        self._taken.add(step.id)
        self.steps.append(step)

    def add_agent(self, agent_id: str, under: DraftStep, step: DraftStep | None = None) -> None:
        """Add an embedded agent's steps below ``step``, or below a new child of ``under``."""
        if agent_id not in self.embedded:
            return
        where, trajectory = self.embedded.pop(agent_id)
        reading = AgentReading(self, trajectory, where)
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
        note_unread(trajectory, OF_A_TRAJECTORY, run.losses, where.rstrip("."))
        note_unread(about, _OF_AN_AGENT, run.losses, f"{where}agent")
        note_unread(trajectory.get("final_metrics"), _TOTALS, run.losses, f"{where}final_metrics")
        self.name = a_text(about.get("name"), f"{where}agent.name") or _NAMELESS
        model, version = about.get("model_name"), about.get("version")
        self._model = model if isinstance(model, str) else ""
        self._tools = about.get("tool_definitions")
        self.metadata = {"agent_name": self.name}
        if isinstance(version, str) and version not in ("", UNKNOWN):
            self.metadata[AGENT_VERSION] = version
        self._heard: list[Json] = []
        self._ids: set[str] = set()
        self._answer = ""

    def read_root(self) -> DraftStep:
        """Add the root agent and its steps, and return it."""
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
        """Add this agent as a child of a step, and return it."""
        step = DraftStep(
            self._run.new_id(f"{self._where}agent", agent_id), under.id, Kind.AGENT, self.name
        )
        times = _times(self._steps, under.start_ms)
        step.start_ms, step.duration_ms = times[0], times[-1] - times[0]
        self._run.add(step)
        return step

    def read_steps(self, agent: DraftStep) -> Sequence[int]:
        """Add the agent's steps; return their start times in ms, and its end time last."""
        agent.metadata = {**agent.metadata, **self.metadata}
        times = _times(self._steps, agent.start_ms)
        last = at = 0
        for at, item in enumerate(self._steps):
            where = f"{self._where}steps.{at}"
            step = an_object(item, where)
            self._note_unread(step, where)
            source = a_text(step.get("source"), f"{where}.source")
            if source not in _SOURCES:
                raise InvalidRequestError(f"{where}.source: {source[:40]!r} is unknown")
            if source != "agent" or step.get("is_copied_context") is True:
                self._hear(step, where)
                last = times[at]
                if source == "user" and not agent.input and not agent.parent_id:
                    agent.input = text_of(self._heard[-1].get("content"))
            else:
                self._read_agent_step(agent, step, where, times[at : at + 2])
        if self._heard:
            path = f"{self._where}steps.{at}.unanswered"
            self._add_model(agent, path, {}, [last, last], "")
        return times

    def _note_unread(self, step: Json, where: str) -> None:
        """Count the members of a step that a run cannot hold."""
        losses, metrics = self._run.losses, step.get("metrics")
        note_unread(step, _OF_A_STEP, losses, where)
        note_unread(_extra(step), _OURS, losses, f"{where}.extra")
        if isinstance(metrics, dict):
            note_unread(metrics, _METRICS, losses, f"{where}.metrics")
            note_unread(_extra(metrics), _MORE_METRICS, losses, f"{where}.metrics.extra")
        for at, call in enumerate(step.get("tool_calls") or ()):
            note_unread(call, _OF_A_CALL, losses, f"{where}.tool_calls.{at}")
        note_unread(step.get("observation"), _OBSERVED, losses, f"{where}.observation")
        for at, result in enumerate(_results(step, where)):
            place = f"{where}.observation.results.{at}"
            note_unread(result, _OF_A_RESULT, losses, place)
            note_unread(_extra(result), _OURS, losses, f"{place}.extra")

    def _hear(self, step: Json, where: str) -> None:
        """Store the message of a step, with any results, as input for the next model step."""
        extra = _extra(step)
        role = {"agent": "assistant", "system": "system"}.get(step["source"], "user")
        if role == "system" and extra.get("role") == "developer":
            role = "developer"
        content = _content(step.get("message"), f"{where}.message")
        self._heard.append({"role": role, "content": content})
        for at, result in enumerate(_results(step, where)):
            text = _text(result.get("content"), f"{where}.observation.results.{at}.content")
            self._heard.append({"role": role if role != "assistant" else "tool", "content": text})

    def _read_agent_step(
        self, agent: DraftStep, step: Json, where: str, times: Sequence[int]
    ) -> None:
        calls = [
            an_object(call, f"{where}.tool_calls.{at}")
            for at, call in enumerate(a_list(step.get("tool_calls") or [], f"{where}.tool_calls"))
        ]
        results = list(_results(step, where))
        if step.get("llm_call_count") == 0 and (calls or results):
            self._read_dispatch(agent, step, calls, results, where, times)
            return
        output = self._output(step, calls, where)
        if output:
            self._answer = text_of(_content(step.get("message"), where)) or self._answer
        self._add_model(agent, where, step, times, output)
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
            if HEARD in _extra(result):
                self._hear_result(result, path)
                continue
            tool = self._add_tool(agent, path, call, result, after, called=call is not None)
            for agent_id in _references(result, path):
                self._run.add_agent(agent_id, tool)
        self._run.losses.note(Code.CALL_UNPAIRED, where, len(unnamed))

    def _hear_result(self, result: Json, where: str) -> None:
        content = _content(result.get("content"), f"{where}.content")
        call_id = str(result.get("source_call_id"))
        self._heard.append({"role": "tool", "tool_call_id": call_id, "content": content})

    def _output(self, step: Json, calls: Sequence[Json], where: str) -> str:
        """Return the output of a model step; empty if it has no text and no calls."""
        message: Json = {
            "role": "assistant",
            "content": _content(step.get("message"), f"{where}.message"),
        }
        thoughts = step.get("reasoning_content")
        if isinstance(thoughts, str) and thoughts:
            message["reasoning_content"] = thoughts
        if calls:
            message["tool_calls"] = [_message_call(call) for call in calls]
        return dump([message]).decode() if message["content"] or len(message) > 2 else ""

    def _add_model(
        self, agent: DraftStep, where: str, step: Json, times: Sequence[int], output: str
    ) -> None:
        heard, self._heard = self._heard, []
        extra, metrics = _extra(step), step.get("metrics")
        model = step.get("model_name") if step else ""
        found = DraftStep(
            self._run.new_id(where, extra.get("step_id")),
            self._parent(extra, agent),
            Kind.MODEL,
            _name(extra, CALL),
            dump(heard).decode() if heard else "",
            output,
            times[0],
            times[-1] - times[0],
            error=_error(extra, ""),
            model=model if isinstance(model, str) else self._model,
        )
        metadata = {HISTORY: OMITTED}
        if isinstance(metrics, dict):
            self._take_metrics(found, metrics, metadata, is_root=not agent.parent_id)
        if isinstance(self._tools, list) and self._tools:
            metadata[TOOL_DEFINITIONS] = dump(self._tools).decode()
            self._tools = None
        found.metadata = metadata
        self._add(found, times)

    def _take_metrics(
        self, found: DraftStep, metrics: Json, metadata: dict[str, str], *, is_root: bool
    ) -> None:
        more = metrics.get("extra")
        extra = more if isinstance(more, dict) else {}
        names = ("prompt_tokens", "completion_tokens")
        found.usage = _usage(metrics, extra)
        first = extra.get(FIRST_TOKEN)
        if isinstance(first, int | float) and not isinstance(first, bool) and 0 <= first < 1e12:
            found.first_token_ms = first
        cost = metrics.get("cost_usd")
        if isinstance(cost, int | float) and not isinstance(cost, bool):
            metadata["cost"] = repr(cost)
        if is_root:
            for at, name in enumerate(names):
                self._run.totals[at] += usage_of([metrics.get(name)])[0]

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
        extra = _extra(step)
        for at, call in enumerate(calls):
            result = by_id.pop(str(call.get("tool_call_id")), {})
            path = f"{where}.tool_calls.{at}"
            own = {**extra, **_extra(result)} if len(calls) == 1 else _extra(result)
            result = {**result, "extra": own}
            found = self._add_tool(agent, path, call, result, times, called=False)
            references = _references(result, path)
            known = next((one for one in references if one in self._run.embedded), None)
            if known is not None or own.get("type") == "agent":
                found.kind, found.metadata = Kind.AGENT, {"agent_name": found.name}
            if known is not None:
                self._run.add_agent(known, found, found)
        for result in by_id.values():
            self._add_tool(agent, f"{where}.{len(self._ids)}", None, result, times, called=False)

    def _add_tool(  # one parameter per fact about a result
        self,
        agent: DraftStep,
        path: str,
        call: Json | None,
        result: Json,
        times: Sequence[int],
        *,
        called: bool,
    ) -> DraftStep:
        extra, text = _extra(result), _text(result.get("content"), f"{path}.content")
        error = _error(extra, text)
        name = _name(extra, _function_name(call) or _A_TOOL)
        is_repeated = error is not None and "error_message" not in extra
        found = DraftStep(
            self._run.new_id(path, extra.get("step_id")),
            self._parent(extra, agent),
            Kind.TOOL,
            name,
            _input(call, called=called),
            "" if is_repeated else text,
            times[0],
            times[-1] - times[0],
            error=error,
            metadata={"tool_name": name},
        )
        if called and call is not None:
            found.metadata = {**found.metadata, "tool_call_id": str(call.get("tool_call_id"))}
        self._add(found, times)
        return found

    def _add(self, step: DraftStep, times: Sequence[int]) -> None:
        self._run.losses.note(Code.DURATION_UNKNOWN, step.id, times[-1] <= times[0])
        self._run.add(step)
        self._ids.add(step.id)

    def _parent(self, extra: Json, agent: DraftStep) -> str:
        given = extra.get("parent_id")
        return given if isinstance(given, str) and given in self._ids else agent.id


def _times(steps: Sequence[Any], start: int) -> Sequence[int]:
    """Return the start of each step, then the end of the last step, in ms since the epoch."""
    known = [ms_of(step.get("timestamp")) if isinstance(step, dict) else None for step in steps]
    times = filled(known, start)
    return [*times, times[-1]] if times else [start, start]


def _extra(value: Json) -> Json:
    extra = value.get("extra")
    return extra if isinstance(extra, dict) else {}


def _name(extra: Json, otherwise: str) -> str:
    name = extra.get("name")
    return name if isinstance(name, str) else otherwise


def _error(extra: Json, content: str) -> StepError | None:
    if extra.get("is_error") is not True:
        return None
    code, message = extra.get("error_code"), extra.get("error_message", content)
    if not isinstance(code, int) or isinstance(code, bool) or abs(code) >= 2**63:
        code = NO_CODE
    return StepError(code, message if isinstance(message, str) else "")


def _usage(metrics: Json, extra: Json) -> Usage:
    return usage_of(
        (
            metrics.get("prompt_tokens"),
            metrics.get("completion_tokens"),
            extra.get("reasoning_tokens"),
            metrics.get("cached_tokens"),
            extra.get("cache_creation_tokens"),
        )
    )


def _function_name(call: Json | None) -> str:
    name = call.get("function_name") if call else None
    return name if isinstance(name, str) else ""


def _arguments_text(call: Json) -> str:
    """Return a call's arguments as text; unwrap arguments that were not an object (``RAW``)."""
    arguments = call.get("arguments")
    if isinstance(arguments, dict) and arguments.keys() == {RAW}:
        return str(arguments[RAW])
    return arguments if isinstance(arguments, str) else dump(arguments or {}).decode()


def _message_call(call: Json) -> Json:
    named = {"name": _function_name(call), "arguments": _arguments_text(call)}
    return {"id": str(call.get("tool_call_id")), "type": "function", "function": named}


def _input(call: Json | None, *, called: bool) -> str:
    """Return the input of a tool; if no model called it, a single text argument is unwrapped."""
    if call is None:
        return ""
    arguments = call.get("arguments")
    if not called and isinstance(arguments, dict) and arguments.keys() == {"input"}:
        only = arguments["input"]
        return only if isinstance(only, str) else dump(arguments).decode()
    return _arguments_text(call)


def _results(step: Json, where: str) -> Iterator[Json]:
    observation = step.get("observation")
    if observation is None:
        return
    place = f"{where}.observation"
    results = a_list(an_object(observation, place).get("results"), f"{place}.results")
    for at, result in enumerate(results):
        yield an_object(result, f"{place}.results.{at}")


def _references(result: Json, where: str) -> Sequence[str]:
    """Return the ids of the subagents' trajectories to which a result refers."""
    raw = result.get("subagent_trajectory_ref") or []
    listed = raw if isinstance(raw, list) else [raw]  # before 1.7 it may be a single object
    found = (an_object(one, f"{where}.subagent_trajectory_ref") for one in listed)
    return [one["trajectory_id"] for one in found if isinstance(one.get("trajectory_id"), str)]


def _content(value: object, where: str) -> Any:  # a text or parts
    """Return the content of a message, with images and audio in the form of chat messages."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    parts = [an_object(p, f"{where}.{at}") for at, p in enumerate(a_list(value, where))]
    return [_part(part) for part in parts]


def _part(part: Json) -> Json:
    source = part.get("source")
    if part.get("type") == "image" and isinstance(source, dict):
        return {"type": "image_url", "image_url": {"url": str(source.get("path", ""))}}
    if part.get("type") == "text":
        return {"type": "text", "text": str(part.get("text", ""))}
    return part


def _text(value: object, where: str) -> str:
    """Return the content of a result as text: texts joined, other parts as JSON."""
    content = _content(value, where)
    if isinstance(content, str):
        return content
    are_texts = all(part.get("type") == "text" for part in content)
    return text_of(content) if are_texts else dump(content).decode()
