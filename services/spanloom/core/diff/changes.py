"""Finds what differs between two corresponding steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.diff.messages import without_ids
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.diff.messages import Json
    from spanloom.core.diff.steps import DiffStep

SLOWER_BY = 0.2
"""Durations differ by more than a fifth and 50 ms; smaller differences are noise."""
SLOWER_BY_MS = 50


class Change(NamedTuple):
    """A field with its two different values."""

    field: str
    """``input.limit``, ``output``, ``name``, ``model``, ``error``, ``duration`` (ms)."""
    a: object
    b: object


class ModelInputs:
    """The new messages of each model call: its input without those of its agent's earlier calls.

    Every call repeats all earlier messages: one early change would mark all later calls.
    """

    def __init__(self) -> None:
        """Start without steps."""
        self._agent_steps: dict[str, Sequence[DiffStep]] = {}
        self._new: dict[str, Sequence[Json]] = {}

    def add(self, steps: Sequence[DiffStep]) -> None:
        """Add the steps of an agent in their order; their inputs are parsed on demand."""
        self._agent_steps.update((step.id, steps) for step in steps if step.type == "model")

    def new_messages(self, step: DiffStep) -> Sequence[Json] | None:
        """Return the messages that no earlier call had; ``None`` if the input has no messages.

        The inputs of an agent are parsed on the first call: for equal runs never.
        """
        if step.id not in self._new and step.id in self._agent_steps:
            self._read(self._agent_steps[step.id])
        return self._new.get(step.id)

    def _read(self, steps: Sequence[DiffStep]) -> None:
        seen: set[str] = set()
        for step in steps:
            if step.type == "model" and (messages := step.input_messages) is not None:
                self._new[step.id] = [m for m in messages if repr(m) not in seen]
                seen.update(map(repr, messages))


def find_changes(
    a: DiffStep, b: DiffStep, inputs_a: ModelInputs, inputs_b: ModelInputs
) -> Iterator[Change]:
    """Yield the fields that differ between two steps, in display order."""
    if a.type != b.type:  # only roots can differ
        yield Change("type", a.type, b.type)
    if a.name != b.name:
        yield Change("name", a.name, b.name)
    if a.model != b.model:
        yield Change("model", a.model, b.model)
    if a.input != b.input:
        yield from _of_inputs(a, b, inputs_a, inputs_b)
    if a.output != b.output and _answer(a) != _answer(b):
        yield from _of_texts("output", a.output, b.output)
    if a.error != b.error:
        yield Change("error", a.error, b.error)
    apart_ms = abs(a.duration_ms - b.duration_ms)
    if apart_ms > max(SLOWER_BY * a.duration_ms, SLOWER_BY * b.duration_ms, SLOWER_BY_MS):
        yield Change("duration", a.duration_ms, b.duration_ms)


def _answer(step: DiffStep) -> str:
    """Return an output without call ids; a model's signature already has it so."""
    return step.signature.text if step.type == "model" else without_ids(step.output)


def _of_inputs(
    a: DiffStep, b: DiffStep, inputs_a: ModelInputs, inputs_b: ModelInputs
) -> Iterator[Change]:
    ours, theirs = inputs_a.new_messages(a), inputs_b.new_messages(b)
    if a.type != "model" or ours is None or theirs is None:
        yield from _of_texts("input", a.input, b.input)
    elif ours != theirs:
        yield Change("input", list(ours), list(theirs))


def _of_texts(field: str, a: str, b: str) -> Iterator[Change]:
    """Yield the members that differ if both are JSON objects, else the two texts."""
    ours, theirs = json_value(a), json_value(b)
    if not isinstance(ours, dict) or not isinstance(theirs, dict):
        yield Change(field, a, b)
        return
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours or name not in theirs or ours[name] != theirs[name]:
            yield Change(f"{field}.{name}", ours.get(name), theirs.get(name))
