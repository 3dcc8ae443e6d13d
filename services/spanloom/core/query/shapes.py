"""The shape of a run, used to compare sets of runs: tools, agents, transitions, failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class RunShape(NamedTuple):
    """The properties of a run, without texts, that are compared between two sets of runs."""

    project: str
    trace_id: str
    start_ns: int
    conversation: str
    item: str
    """The key of the run's dataset item; empty if there is none."""
    outcome: str
    tools: Sequence[str]
    """Names of the tools that ran."""
    tools_again: Sequence[str]
    """Names of the tools that ran twice or more."""
    agents: Sequence[str]
    handoffs: Sequence[tuple[str, str]]
    """Pairs of names: an agent, and an agent directly below it."""
    transitions: Sequence[tuple[str, str, str, str]]
    """For each step: its type and name, and the type and name of the next step in the run."""
    failures: Sequence[tuple[str, str, int]]
    """Type, name and error code of failed steps; 0 or -1 if there is no code."""
    numbers: Mapping[str, float | None]
    """Numeric fields of the run by name; durations in ms, ``None`` if unknown."""


SHAPE_NUMBERS = (
    *("steps", "model_steps", "tool_steps", "agent_steps", "failures"),
    *("longest_repeat", "most_repeats"),
    *("duration", "model_time", "tool_time", "first_token"),
    *("input_tokens", "output_tokens", "cost"),
)
"""The names of the fields in ``RunShape.numbers``, in this order."""
ITEM_KEY = "item_key"
"""The key in a run's metadata for the key of its dataset item."""
