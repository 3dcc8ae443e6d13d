"""Reads features and numbers from the shape of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.step import NO_CODE
from spanloom.evaluation.comparison.features import MAX_NAME, Feature

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.query.shapes import RunShape

_NO_CODES = (0, NO_CODE)


class Observed(NamedTuple):
    """The compared properties of one run."""

    cluster: str
    """Runs of one cluster are resampled together: a conversation, or repeats of an item."""
    features: frozenset[Feature]
    numbers: Mapping[str, float]
    """Values, keyed by the names in ``NUMBERS``; unknown values are absent."""


def observe(shape: RunShape) -> Observed:
    """Return the features and numbers of a run; features with very long names are left out."""
    features = (one for one in _features(shape) if all(len(part) <= MAX_NAME for part in one.parts))
    numbers = {name: value for name, value in shape.numbers.items() if value is not None}
    return Observed(_cluster(shape), frozenset(features), numbers)


def _features(shape: RunShape) -> Iterator[Feature]:
    yield Feature("outcome", (shape.outcome,))
    for name in shape.tools:
        yield Feature("tool", (name,))
    for name in shape.tools_again:
        yield Feature("tool_again", (name,))
    for name in shape.agents:
        yield Feature("agent", (name,))
    for pair in shape.handoffs:
        yield Feature("handoff", pair)
    for type_, name, next_type, next_name in shape.transitions:
        yield Feature("transition", (f"{type_} {name}", f"{next_type} {next_name}"))
    for type_, name, code in shape.failures:
        yield Feature("failure", (type_, name, "" if code in _NO_CODES else str(code)))


def _cluster(shape: RunShape) -> str:
    if shape.item:
        return f"{shape.project} item {shape.item}"
    if shape.conversation:
        return f"{shape.project} conversation {shape.conversation}"
    return f"{shape.project} run {shape.trace_id}"
