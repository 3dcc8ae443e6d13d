"""The steps of a canonical document, with the properties that are compared.

A model assigns each tool call a new id, ``call_8xQ2``, which the message with the result repeats;
ids are not compared. Arguments are parsed, so that spaces in their JSON do not count.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.document import Document
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep

_BY_TIMES = attrgetter("start_ms", "end_ms")
_BY_SIGNATURE = attrgetter("signature")


class Signature(NamedTuple):
    """A key that is cheap to compute; steps with equal keys are considered equal."""

    type: str
    name: str
    """Empty for a model call, because many senders put the model into the call's name."""
    text: str
    """The input of a tool or agent, or the output of a model call, without ids."""


_NOT_COMPARED = frozenset(
    (
        *("dialect", "rule", "span_name", "input_from", "output_from", "error_told_by"),
        *("merged_span_ids", "parent_span_id", "response_id", "observation_id", "tool_call_id"),
        *("model", "conversation_id", "question", "cost", "reported_cost", "cost_source"),
    )
)
"""Metadata that is compared elsewhere, is an id, or describes how Spanloom read the step."""
_OF_THE_RUN = frozenset(("service_name", "environment", "user_id", "tags", "trace_name"))
"""Metadata that is compared only for the root, because all steps repeat it."""

_NAMES = ("tool_name", "agent_name")
"""Metadata that usually repeats the name of the step."""


class DiffStep:
    """A step of a document; expensive properties are computed on first use."""

    position: int | None = None
    """The step's position among the steps of the run, from 0; ``None`` for the root."""

    def __init__(self, step: DocumentStep, *, is_root: bool = False) -> None:
        """Copy the compared properties of a document's step."""
        self.id, self.parent_id = step.id, step.parent_id
        self.type, self.name, self.model = step.type, step.name, step.model
        self.input, self.output = step.input, step.output
        self.start_ms, self.end_ms = step.times
        error = step.error
        self.error = None if error is None else error.get("msg") or ""
        self.error_code = None if error is None else error.get("code")
        left_out = _NOT_COMPARED if is_root else _NOT_COMPARED | _OF_THE_RUN
        self.metadata = {
            key: value
            for key, value in step.metadata.items()
            if key not in left_out and not (key in _NAMES and value == self.name)
        }
        text = without_ids(self.output) if self.type == "model" else self.input
        name = "" if self.type == "model" else self.name  # a call may be named after its model
        self.signature = Signature(self.type, name, text)

    @property
    def duration_ms(self) -> int:
        """The step's duration in milliseconds."""
        return self.end_ms - self.start_ms

    @cached_property
    def arguments(self) -> Mapping[str, object] | None:
        """The input if it is a JSON object, else ``None``."""
        value = json_value(self.input)
        return value if isinstance(value, dict) else None

    @cached_property
    def input_messages(self) -> Sequence[Json] | None:
        """The messages of the input, without ids; ``None`` if there are none."""
        return read_messages(self.input)

    @cached_property
    def calls(self) -> frozenset[str]:
        """The names of the tools that a model's output calls."""
        answers = read_messages(self.output) or ()
        calls = (call for answer in answers for call in answer.get("tool_calls") or ())
        return frozenset(str((call.get("function") or {}).get("name", "")) for call in calls)


def root_of(document: Json) -> DiffStep:
    """Return the root of a run as a step without position."""
    return DiffStep(Document(document).root, is_root=True)


def owned_steps(document: Json) -> dict[str, list[DiffStep]]:
    """Return the steps of each agent, and of the root if it owns any, keyed by the owner's id."""
    agents = [(agent.id, agent.steps) for agent in Document(document).agents]
    every = [(agent_id, DiffStep(step)) for agent_id, steps in agents for step in steps]
    every.sort(key=lambda item: (item[1].start_ms, -item[1].end_ms))
    owned: dict[str, list[DiffStep]] = {agent_id: [] for agent_id, _ in agents}
    for position, (agent_id, step) in enumerate(every):
        step.position = position
        owned[agent_id].append(step)
    return {agent_id: list(_in_one_order(agent_id, steps)) for agent_id, steps in owned.items()}


def _in_one_order(agent_id: str, steps: Sequence[DiffStep]) -> Iterator[DiffStep]:
    """Yield steps in preorder, with parallel steps sorted by signature.

    Three parallel searches may end in any order, so they are sorted by name and arguments.
    """
    ids = {step.id for step in steps}
    below: defaultdict[str, list[DiffStep]] = defaultdict(list)
    for step in steps:
        below[step.parent_id if step.parent_id in ids else agent_id].append(step)
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
    for step in sorted(steps, key=_BY_TIMES):
        if group and step.start_ms < until_ms:
            group.append(step)
            until_ms = max(until_ms, step.end_ms)
            continue
        if len(group) > 1:
            group.sort(key=_BY_SIGNATURE)
        ordered += group
        group, until_ms = [step], step.end_ms
    return ordered + sorted(group, key=_BY_SIGNATURE)


Json = dict[str, Any]  # a document or a part of it, as parsed JSON

_IDS = ("id", "tool_call_id")


def read_messages(text: str) -> Sequence[Json] | None:
    """Return the messages in a text, without ids; ``None`` if it contains anything else."""
    value = json_value(text)
    items = value if isinstance(value, list) else [value]
    messages = [item for item in items if isinstance(item, dict) and "role" in item]
    if not messages or len(messages) < len(items):
        return None
    return [_without_ids(message) for message in messages]


def without_ids(text: str) -> str:
    """Return messages in a text without their ids; any other text unchanged."""
    if "call_id" not in text and "tool_calls" not in text:
        return text  # most outputs contain no ids
    messages = read_messages(text)
    return text if messages is None else orjson.dumps(messages).decode()


def _without_ids(message: Json) -> Json:
    kept = {name: value for name, value in message.items() if name not in _IDS}
    calls = kept.get("tool_calls")
    if isinstance(calls, list):
        kept["tool_calls"] = [_call(call) for call in calls]
    return kept


def _call(call: object) -> object:
    if not isinstance(call, dict):
        return call
    kept = {name: value for name, value in call.items() if name not in _IDS}
    function = kept.get("function")
    if isinstance(function, dict) and isinstance(function.get("arguments"), str):
        arguments = function["arguments"]
        kept["function"] = {**function, "arguments": json_value(arguments) or arguments}
    return kept
