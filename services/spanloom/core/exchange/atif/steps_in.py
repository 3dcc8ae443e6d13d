"""Adds the model and tool steps of an agent in an ATIF trajectory to a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.listed_messages import HISTORY, OMITTED
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.atif.conventions import CALL
from spanloom.core.exchange.atif.members import (
    error_of,
    extra_of,
    function_name,
    name_in,
    text_in,
    tool_input,
)
from spanloom.core.exchange.atif.steps import FIRST_TOKEN
from spanloom.core.exchange.drafts import MAX_STEPS, DraftStep, usage_of
from spanloom.core.exchange.ids import note_made, step_id_of
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code
from spanloom.core.messages.steps import TOOL_DEFINITIONS
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.model.step import Usage

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


class StepsOfAgent:
    """Adds the steps of one agent, and collects the input of its next model step."""

    def __init__(self, run: Run, model: str, tools: object) -> None:
        """Start without messages; ``model`` is the default, the first model step gets ``tools``."""
        self._run, self._model, self._tools = run, model, tools
        self.heard: list[Json] = []
        """The messages since the last model step."""
        self.ids: set[str] = set()
        """The ids of the agent's steps so far."""

    def add_model(
        self, agent: DraftStep, where: str, step: Json, times: Sequence[int], output: str
    ) -> None:
        """Add a model step; its input is the messages since the previous model step."""
        heard, self.heard = self.heard, []
        extra, metrics = extra_of(step), step.get("metrics")
        model = step.get("model_name") if step else ""
        found = DraftStep(
            self._run.new_id(where, extra.get("step_id")),
            self._parent(extra, agent),
            Kind.MODEL,
            name_in(extra, CALL),
            dump(heard).decode() if heard else "",
            output,
            times[0],
            times[-1] - times[0],
            error=error_of(extra, ""),
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
        extra = extra_of(metrics)
        found.usage = _usage(metrics, extra)
        first = extra.get(FIRST_TOKEN)
        if isinstance(first, int | float) and not isinstance(first, bool) and 0 <= first < 1e12:
            found.first_token_ms = first
        cost = metrics.get("cost_usd")
        if isinstance(cost, int | float) and not isinstance(cost, bool):
            metadata["cost"] = repr(cost)
        if is_root:
            for at, name in enumerate(("prompt_tokens", "completion_tokens")):
                self._run.totals[at] += usage_of([metrics.get(name)])[0]

    def add_tool(  # one parameter per fact about a result
        self,
        agent: DraftStep,
        path: str,
        call: Json | None,
        result: Json,
        times: Sequence[int],
        *,
        called: bool,
    ) -> DraftStep:
        """Add and return a tool step for a result; ``called``: whether a model made the call."""
        extra, text = extra_of(result), text_in(result.get("content"), f"{path}.content")
        error = error_of(extra, text)
        name = name_in(extra, function_name(call) or _A_TOOL)
        is_repeated = error is not None and "error_message" not in extra
        found = DraftStep(
            self._run.new_id(path, extra.get("step_id")),
            self._parent(extra, agent),
            Kind.TOOL,
            name,
            tool_input(call, called=called),
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
        self.ids.add(step.id)

    def _parent(self, extra: Json, agent: DraftStep) -> str:
        given = extra.get("parent_id")
        return given if isinstance(given, str) and given in self.ids else agent.id


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
