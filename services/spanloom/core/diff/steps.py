"""The steps of a canonical document, as far as two runs are compared by them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.diff.messages import Json, read_messages, without_ids
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


class Signature(NamedTuple):
    """What makes two steps the same at first sight."""

    type: str
    name: str
    said: str
    """Arguments of a tool, answer of a model; of an agent what it was asked."""


class DiffStep:
    """One step, with what is worked out of it only when it is asked for."""

    position: int | None = None
    """Its place among those of the run, from 0."""

    def __init__(self, step: Json) -> None:
        """Take the step as the document has it."""
        self.id: str = step["id"]
        self.parent_id: str = step.get("parent_id", "")
        self.type: str = step["type"]
        self.name: str = step["name"]
        self.input: str = step["input"]
        self.output: str = step["output"]
        self.model: str = step.get("metadata", {}).get("model", "")
        info = step["basic_info"]
        self.start_ms, self.duration_ms = int(info["started_at"]), int(info["duration"])
        self.end_ms = self.start_ms + self.duration_ms
        error = info.get("error")
        self.error: str | None = None if error is None else error["msg"]
        said = without_ids(self.output) if self.type == "model" else self.input
        self.signature = Signature(self.type, self.name, said)

    @cached_property
    def arguments(self) -> Mapping[str, object] | None:
        """The input where it is a JSON object, else ``None``."""
        value = json_value(self.input)
        return value if isinstance(value, dict) else None

    @cached_property
    def asked_messages(self) -> Sequence[Json] | None:
        """The input where it is a list of messages, without ids, else ``None``."""
        return read_messages(self.input)

    @cached_property
    def calls(self) -> frozenset[str]:
        """The names of the tools that a model's answer asks for."""
        answers = read_messages(self.output) or ()
        asked = (call for answer in answers for call in answer.get("tool_calls") or ())
        return frozenset(str((call.get("function") or {}).get("name", "")) for call in asked)


def root_of(document: Json) -> DiffStep:
    """Return the root of a run as a step of it; it has no place among the steps."""
    return DiffStep({**document["root_step"], "type": document["extraction"]["root_type"]})


def owned_steps(document: Json) -> dict[str, list[DiffStep]]:
    """Return the steps of each agent, and of the root where it owns some, by the owner's id."""
    agents = [(agent["id"], agent["steps"]) for agent in document["agent_steps"]]
    every = [(agent_id, DiffStep(step)) for agent_id, steps in agents for step in steps]
    every.sort(key=lambda item: (item[1].start_ms, -item[1].end_ms))
    owned: dict[str, list[DiffStep]] = {agent_id: [] for agent_id, _ in agents}
    for position, (agent_id, step) in enumerate(every):
        step.position = position
        owned[agent_id].append(step)
    return {agent_id: list(_in_one_order(agent_id, steps)) for agent_id, steps in owned.items()}


def _in_one_order(agent_id: str, steps: Sequence[DiffStep]) -> Iterator[DiffStep]:
    """Yield steps from the top down, those that ran side by side by what they are.

    Three parallel searches end in any order: they are laid out by name and arguments.
    """
    ids = {step.id for step in steps}
    below: dict[str, list[DiffStep]] = {}
    for step in steps:
        below.setdefault(step.parent_id if step.parent_id in ids else agent_id, []).append(step)
    waiting = _siblings(below.get(agent_id, ()))[::-1]
    while waiting:
        step = waiting.pop()
        yield step
        if step.id in below and step.id != agent_id:
            waiting.extend(_siblings(below[step.id])[::-1])


def _siblings(steps: Iterable[DiffStep]) -> list[DiffStep]:
    ordered: list[DiffStep] = []
    group: list[DiffStep] = []
    until_ms = 0
    for step in sorted(steps, key=lambda s: (s.start_ms, s.end_ms)):
        if group and step.start_ms >= until_ms:
            ordered += _by_what_they_are(group)
            group = []
        until_ms = max(until_ms, step.end_ms) if group else step.end_ms
        group.append(step)
    return ordered + _by_what_they_are(group)


def _by_what_they_are(group: list[DiffStep]) -> list[DiffStep]:
    """Return them in that order; nearly always there is one alone."""
    return group if len(group) < 2 else sorted(group, key=lambda s: s.signature)
